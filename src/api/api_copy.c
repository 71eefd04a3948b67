/* SPDX-License-Identifier: BSD-3-Clause */
/* nc_copy_var: a variable's definition, attributes and values into another dataset, by the
 * public calls alone. */
#include "api.h"

#define SLAB ((size_t)16 << 20) /* bytes nc_copy_var() moves at a time */

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
