/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk cache of one variable. */
#include "api.h"
#include <limits.h>
#include <netcdf_f.h>

#define MEGABYTE ((size_t)1 << 20) /* the Fortran calls count the size in these */

/* That a file has no chunks comes before what else is wrong. */
static int begin(struct cel_call *c, int ncid, int varid)
{
    int rc = cel_call_begin(c, ncid);

    if (rc == CEL_OK)
        rc = cel_dataset_has_cache(c->ds);
    if (rc != CEL_OK)
        return rc;
    cel_call_end(c, CEL_OK);
    return cel_call_loaded_var(c, ncid, varid);
}

int nc_set_var_chunk_cache(int ncid, int varid, size_t size, size_t nelems, float preemption)
{
    const struct cel_cache_settings settings = {.size = size, .nelems = nelems, .preemption = preemption};
    struct cel_call c;
    int rc = begin(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_set_cache(c.var, &settings);
    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        rc = cel_array_resize_cache(c.ds, c.var);
    }
    return cel_call_end(&c, rc);
}

int nc_get_var_chunk_cache(int ncid, int varid, size_t *sizep, size_t *nelemsp, float *preemptionp)
{
    struct cel_call c;
    int rc = begin(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_output(sizep, c.var->cache.size);
        cel_output(nelemsp, c.var->cache.nelems);
        cel_output(preemptionp, c.var->cache.preemption);
    }
    return cel_call_end(&c, rc);
}

int nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption)
{
    struct cel_settings set; /* a negative number means: as for variables that say nothing */

    cel_settings_get(&set);
    return nc_set_var_chunk_cache(ncid, varid, size < 0 ? set.cache.size : (size_t)size * MEGABYTE,
                                  nelems < 0 ? set.cache.nelems : (size_t)nelems,
                                  preemption < 0 ? set.cache.preemption : (float)preemption / 100);
}

int nc_get_var_chunk_cache_ints(int ncid, int varid, int *sizep, int *nelemsp, int *preemptionp)
{
    size_t size, nelems;
    float preemption;
    int rc = nc_get_var_chunk_cache(ncid, varid, &size, &nelems, &preemption);

    if (rc != NC_NOERR)
        return rc;
    size /= MEGABYTE;
    cel_output(sizep, size > INT_MAX ? INT_MAX : (int)size);
    cel_output(nelemsp, nelems > INT_MAX ? INT_MAX : (int)nelems);
    cel_output(preemptionp, (int)(preemption * 100));
    return NC_NOERR;
}
