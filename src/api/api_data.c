/* Data with pointers in it, and copies of whole variables. */
#include "api.h"
#include <netcdf_aux.h>
#include <string.h>

#define SLAB ((size_t)16 << 20) /* bytes nc_copy_var() moves at a time */

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

/* --- nc_copy_var ---------------------------------------------------------------------------- */

struct shape {
    char name[NC_MAX_NAME + 1];
    nc_type type;
    int ndims, natts;
    int dim_in[NC_MAX_VAR_DIMS], dim_out[NC_MAX_VAR_DIMS];
    size_t len[NC_MAX_VAR_DIMS];
};

/* Dimensions are matched by name; the output must have them. */
static int match_dims(int ncid_in, int ncid_out, struct shape *s)
{
    char name[NC_MAX_NAME + 1];
    int rc = NC_NOERR;

    for (int d = 0; rc == NC_NOERR && d < s->ndims; d++) {
        rc = nc_inq_dim(ncid_in, s->dim_in[d], name, &s->len[d]);
        if (rc == NC_NOERR)
            rc = nc_inq_dimid(ncid_out, name, &s->dim_out[d]);
    }
    return rc;
}

/* A user type is looked for in the output: the first one that is equal. */
static int match_type(int ncid_in, int ncid_out, nc_type *type)
{
    char name[NC_MAX_NAME + 1];
    nc_type other = NC_NAT;
    int equal = 0, rc;

    if (*type <= NC_MAX_ATOMIC_TYPE)
        return NC_NOERR;
    rc = nc_inq_type(ncid_in, *type, name, NULL);
    if (rc == NC_NOERR)
        rc = nc_inq_typeid(ncid_out, name, &other);
    if (rc == NC_NOERR)
        rc = nc_inq_type_equal(ncid_in, *type, ncid_out, other, &equal);
    if (rc == NC_NOERR && !equal)
        rc = cel_fail(NC_EBADTYPE, "the output's type %s is not the same as the input's", name);
    *type = other;
    return rc;
}

static int copy_atts(int ncid_in, int varid, int ncid_out, int varid_out, int natts)
{
    char name[NC_MAX_NAME + 1];
    int rc = NC_NOERR;

    for (int i = 0; rc == NC_NOERR && i < natts; i++) {
        rc = nc_inq_attname(ncid_in, varid, i, name);
        if (rc == NC_NOERR)
            rc = nc_copy_att(ncid_in, varid, name, ncid_out, varid_out);
    }
    return rc;
}

/* As many rows of the first dimension at a time as a slab holds, at least one. */
static int copy_rows(int ncid_in, int varid, int ncid_out, int varid_out, const struct shape *s, size_t elem)
{
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], rows = s->ndims ? s->len[0] : 1, row = elem, step;
    char *data;
    int rc = NC_NOERR;

    for (int d = 0; d < s->ndims; d++)
        count[d] = s->len[d];
    for (int d = 1; d < s->ndims; d++)
        if (!cel_mul(row, s->len[d], &row))
            return cel_fail(NC_ENOMEM, "a row of the variable is larger than memory");
    if (!rows || !row)
        return NC_NOERR;
    step = SLAB / row ? SLAB / row : 1;
    step = step > rows ? rows : step;
    data = cel_malloc_array(step, row);
    if (!data)
        return NC_ENOMEM;
    for (size_t at = 0; rc == NC_NOERR && at < rows; at += step) {
        size_t n = rows - at < step ? rows - at : step;

        start[0] = at;
        count[0] = n;
        rc = nc_get_vara(ncid_in, varid, start, count, data);
        if (rc == NC_NOERR) {
            rc = nc_put_vara(ncid_out, varid_out, start, count, data);
            nc_reclaim_data(ncid_in, s->type, data, n * (row / elem));
        }
    }
    free(data);
    return rc;
}

int nc_copy_var(int ncid_in, int varid, int ncid_out)
{
    struct shape s;
    nc_type type_out;
    size_t elem;
    int varid_out, rc = nc_inq_var(ncid_in, varid, s.name, &s.type, &s.ndims, s.dim_in, &s.natts);

    type_out = s.type;
    if (rc == NC_NOERR)
        rc = nc_inq_type(ncid_in, s.type, NULL, &elem);
    if (rc == NC_NOERR)
        rc = match_type(ncid_in, ncid_out, &type_out);
    if (rc == NC_NOERR)
        rc = match_dims(ncid_in, ncid_out, &s);
    if (rc == NC_NOERR)
        rc = nc_def_var(ncid_out, s.name, type_out, s.ndims, s.dim_out, &varid_out);
    if (rc == NC_NOERR)
        rc = copy_atts(ncid_in, varid, ncid_out, varid_out, s.natts);
    if (rc == NC_NOERR)
        rc = nc_enddef(ncid_out);
    if (rc == NC_NOERR)
        rc = copy_rows(ncid_in, varid, ncid_out, varid_out, &s, elem);
    return rc;
}
