/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables: definition, inquiry, and how they are kept. Filters and
 * quantization have files of their own. */
#include "api.h"
#include <limits.h>
#include <netcdf_f.h>
#include <string.h>

/* --- definition ----------------------------------------------------------------------- */

int nc_def_var(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp, int *varidp)
{
    struct cel_call c;
    struct cel_dim *dims[CEL_RANK_MAX];
    const struct cel_type *type;
    struct cel_var *var;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && xtype >= NC_FIRSTUSERTYPEID)
        rc = cel_load_types(c.ds);
    if (rc == CEL_OK) {
        type = cel_type_by_id(c.ds, xtype); /* what is not there is NULL, and refused in its turn */
        for (int d = 0; dimidsp && d < ndims && d < CEL_RANK_MAX; d++)
            dims[d] = cel_dim_by_id(c.ds, dimidsp[d]);
        rc = cel_var_def(c.group, name, type, ndims, dimidsp ? dims : NULL, &var);
        if (rc == NC_ESTRICTNC3 && xtype == NC_NAT)
            rc = cel_fail(NC_EBADTYPE, "NC_NAT is no type");
    }
    if (rc == CEL_OK)
        cel_output(varidp, var->id);
    return cel_call_end(&c, rc);
}

int nc_rename_var(int ncid, int varid, const char *name)
{
    struct cel_call c;
    int rc = cel_call_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_array_store_puts(c.ds);
        rc = cel_var_rename(c.var, name);
    }
    return cel_call_end(&c, rc);
}

/* --- inquiry ---------------------------------------------------------------------------- */

static int load_for(struct cel_call *c, const nc_type *xtypep, const int *nattsp)
{
    int rc = xtypep ? cel_load_var(c->var) : CEL_OK;

    return rc == CEL_OK && nattsp ? cel_load_atts(c->group, c->var) : rc;
}

int nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp)
{
    struct cel_call c;
    int rc = cel_call_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = load_for(&c, xtypep, nattsp);
    if (rc == CEL_OK) {
        cel_output_name(name, c.var->name);
        cel_output(xtypep, c.var->type->id);
        cel_output(ndimsp, c.var->ndims);
        for (int d = 0; dimidsp && d < c.var->ndims; d++)
            dimidsp[d] = c.var->dim[d]->id;
        cel_output(nattsp, (int)c.var->atts.list.n);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_varname(int ncid, int varid, char *name)
{
    return nc_inq_var(ncid, varid, name, NULL, NULL, NULL, NULL);
}

int nc_inq_vartype(int ncid, int varid, nc_type *xtypep)
{
    return nc_inq_var(ncid, varid, NULL, xtypep, NULL, NULL, NULL);
}

int nc_inq_varndims(int ncid, int varid, int *ndimsp)
{
    return nc_inq_var(ncid, varid, NULL, NULL, ndimsp, NULL, NULL);
}

int nc_inq_vardimid(int ncid, int varid, int *dimidsp)
{
    return nc_inq_var(ncid, varid, NULL, NULL, NULL, dimidsp, NULL);
}

int nc_inq_varnatts(int ncid, int varid, int *nattsp)
{
    return varid == NC_GLOBAL ? nc_inq_natts(ncid, nattsp) : nc_inq_var(ncid, varid, NULL, NULL, NULL, NULL, nattsp);
}

int nc_inq_varid(int ncid, const char *name, int *varidp)
{
    struct cel_call c;
    const struct cel_var *var = NULL;
    int rc = cel_call_named(&c, ncid, name);

    if (rc == CEL_OK)
        rc = cel_name_check_sought(c.ds, name);
    if (rc == CEL_OK) {
        var = cel_var_find(c.group, name);
        if (!var)
            rc = cel_fail(NC_ENOTVAR, "group %s has no variable %s", c.group->name, name);
    }
    if (rc == CEL_OK)
        cel_output(varidp, var->id);
    return cel_call_end(&c, rc);
}

/* --- storage ------------------------------------------------------------------------------ */

int nc_def_var_chunking(int ncid, int varid, int storage, const size_t *chunksizesp)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_set_storage(c.var, storage, chunksizesp);
    return cel_call_end(&c, rc);
}

int nc_inq_var_chunking(int ncid, int varid, int *storagep, size_t *chunksizesp)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_output(storagep, cel_var_shown_storage(c.var));
        if (chunksizesp && c.var->layout.storage == CEL_CHUNKED && c.var->layout.chunk)
            memcpy(chunksizesp, c.var->layout.chunk, (size_t)c.var->ndims * sizeof *chunksizesp);
    }
    return cel_call_end(&c, rc);
}

int nc_def_var_chunking_ints(int ncid, int varid, int contiguous, int *chunksizesp)
{
    size_t chunks[CEL_RANK_MAX];
    int ndims, rc = nc_inq_varndims(ncid, varid, &ndims);

    if (rc != NC_NOERR)
        return rc;
    for (int d = 0; chunksizesp && d < ndims && d < CEL_RANK_MAX; d++) { /* one with more is not new, and refused */
        if (chunksizesp[d] < 0)
            return cel_fail(NC_EBADCHUNK, "a chunk length of %d makes no sense", chunksizesp[d]);
        chunks[d] = (size_t)chunksizesp[d];
    }
    return nc_def_var_chunking(ncid, varid, contiguous, chunksizesp ? chunks : NULL);
}

int nc_inq_var_chunking_ints(int ncid, int varid, int *contiguousp, int *chunksizesp)
{
    size_t chunks[CEL_RANK_MAX];
    int storage, ndims, rc = nc_inq_varndims(ncid, varid, &ndims);

    if (rc == NC_NOERR)
        rc = nc_inq_var_chunking(ncid, varid, &storage, ndims <= CEL_RANK_MAX ? chunks : NULL);
    if (rc != NC_NOERR)
        return rc;
    cel_output(contiguousp, storage);
    for (int d = 0; chunksizesp && storage == NC_CHUNKED && ndims <= CEL_RANK_MAX && d < ndims; d++) {
        chunksizesp[d] = chunks[d] > INT_MAX ? INT_MAX : (int)chunks[d];
        if (chunks[d] > INT_MAX)
            rc = cel_fail(NC_ERANGE, "a chunk length of %zu fits no int", chunks[d]);
    }
    return rc;
}

/* --- fill value and byte order --------------------------------------------------------------- */

int nc_def_var_fill(int ncid, int varid, int no_fill, const void *fill_value)
{
    struct cel_call c;
    int rc = varid == NC_GLOBAL ? cel_call_begin(&c, ncid) : cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && varid == NC_GLOBAL)
        rc = cel_fail(NC_EGLOBAL, "a fill value belongs to a variable, not to NC_GLOBAL");
    if (rc == CEL_OK)
        rc = cel_var_set_fill(c.var, no_fill != 0, fill_value);
    return cel_call_end(&c, rc);
}

int nc_inq_var_fill(int ncid, int varid, int *no_fill, void *fill_valuep)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && fill_valuep)
        rc = cel_value_copy(c.var->type, cel_var_fill_value(c.var), 1, fill_valuep);
    if (rc == CEL_OK)
        cel_output(no_fill, c.var->fill.off);
    return cel_call_end(&c, rc);
}

int nc_def_var_endian(int ncid, int varid, int endian)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_set_endian(c.var, endian);
    return cel_call_end(&c, rc);
}

int nc_inq_var_endian(int ncid, int varid, int *endianp)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_dataset_has_endian(c.ds);
    if (rc == CEL_OK)
        cel_output(endianp, c.var->endian);
    return cel_call_end(&c, rc);
}
