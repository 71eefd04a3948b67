/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that own memory (strings, variable-length lists): freeing and copying them. */
#include "api.h"
#include <netcdf_aux.h>
#include <string.h>

/* --- strings and vlens that reading gave -------------------------------------------------- */

int nc_free_string(size_t len, char **data)
{
    for (size_t i = 0; data && i < len; i++)
        free(data[i]);
    return NC_NOERR;
}

int nc_free_vlen(nc_vlen_t *vl)
{
    if (vl)
        free(vl->p);
    return NC_NOERR;
}

int nc_free_vlens(size_t len, nc_vlen_t vlens[])
{
    for (size_t i = 0; vlens && i < len; i++)
        free(vlens[i].p);
    return NC_NOERR;
}

/* The type of a piece of memory. Atomic types need no dataset: c is then ended. */
static int memory_type(struct cel_call *c, int ncid, nc_type xtype, const void *memory, size_t n,
                       const struct cel_type **type)
{
    int rc;

    *c = (struct cel_call){0};
    cel_error_clear();
    if (ncid < 0 || xtype <= NC_NAT || (!memory && n))
        return cel_fail(NC_EINVAL, "id %d, type %d, or no memory for %zu values", ncid, xtype, n);
    *type = cel_type_atomic(xtype);
    if (*type)
        return CEL_OK;
    rc = cel_call_begin(c, ncid);
    return rc == CEL_OK ? cel_find_type(c->ds, xtype, type) : rc;
}

int nc_reclaim_data(int ncid, nc_type xtypeid, void *memory, size_t count)
{
    struct cel_call c;
    const struct cel_type *type;
    int rc = memory_type(&c, ncid, xtypeid, memory, count, &type);

    if (rc == CEL_OK && memory)
        cel_value_reclaim(type, memory, count);
    return cel_call_end(&c, rc);
}

int nc_reclaim_data_all(int ncid, nc_type xtypeid, void *memory, size_t count)
{
    int rc = nc_reclaim_data(ncid, xtypeid, memory, count);

    if (rc == NC_NOERR)
        free(memory);
    return rc;
}

/* Elements that own nothing are copied byte by byte, as netCDF-C does: the caller's structs
 * may have members that the type does not name. */
static int copy_elements(const struct cel_type *type, const void *from, size_t n, void *to)
{
    if (type->varsized)
        return cel_value_copy(type, from, n, to);
    memcpy(to, from, n * type->size);
    return CEL_OK;
}

int nc_copy_data(int ncid, nc_type xtypeid, const void *memory, size_t count, void *copy)
{
    struct cel_call c;
    const struct cel_type *type;
    int rc = memory_type(&c, ncid, xtypeid, memory, count, &type);

    if (rc == CEL_OK && count && !copy)
        rc = cel_fail(NC_EINVAL, "there is nowhere to copy to");
    if (rc == CEL_OK && count)
        rc = copy_elements(type, memory, count, copy);
    return cel_call_end(&c, rc);
}

int nc_copy_data_all(int ncid, nc_type xtypeid, const void *memory, size_t count, void **copyp)
{
    struct cel_call c;
    const struct cel_type *type;
    void *copy = NULL;
    int rc = memory_type(&c, ncid, xtypeid, memory, count, &type);

    if (rc == CEL_OK && !copyp)
        rc = cel_fail(NC_EINVAL, "there is nowhere to copy to");
    if (rc == CEL_OK && count) {
        copy = cel_calloc(count, type->size);
        rc = copy ? copy_elements(type, memory, count, copy) : NC_ENOMEM;
    }
    if (rc == CEL_OK)
        *copyp = copy;
    else
        free(copy);
    return cel_call_end(&c, rc);
}

int ncaux_reclaim_data(int ncid, int xtype, void *memory, size_t count)
{
    return nc_reclaim_data(ncid, xtype, memory, count);
}

int ncaux_reclaim_data_all(int ncid, int xtype, void *memory, size_t count)
{
    return nc_reclaim_data_all(ncid, xtype, memory, count);
}

int ncaux_copy_data(int ncid, int xtype, void *memory, size_t count, void *copy)
{
    return nc_copy_data(ncid, xtype, memory, count, copy);
}

int ncaux_copy_data_all(int ncid, int xtype, void *memory, size_t count, void **copyp)
{
    return nc_copy_data_all(ncid, xtype, memory, count, copyp);
}
