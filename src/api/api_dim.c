/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions. */
#include "api.h"

int nc_def_dim(int ncid, const char *name, size_t len, int *idp)
{
    struct cel_call c;
    struct cel_dim *dim;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_dim_def(c.group, name, len, len == NC_UNLIMITED, &dim);
    if (rc == CEL_OK)
        cel_output(idp, dim->id);
    return cel_call_end(&c, rc);
}

/* The dimension with the dataset locked, as cel_call_var() finds a variable. */
static int call_dim(struct cel_call *c, int ncid, int dimid, struct cel_dim **out)
{
    int rc = cel_call_begin(c, ncid);

    if (rc != CEL_OK)
        return rc;
    *out = cel_dim_by_id(c->ds, dimid);
    return *out ? CEL_OK : cel_fail(NC_EBADDIM, "no dimension has the id %d", dimid);
}

int nc_rename_dim(int ncid, int dimid, const char *name)
{
    struct cel_call c;
    struct cel_dim *dim;
    int rc = call_dim(&c, ncid, dimid, &dim);

    if (rc == CEL_OK)
        rc = cel_dim_rename(dim, name);
    return cel_call_end(&c, rc);
}

int nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp)
{
    struct cel_call c;
    struct cel_dim *dim;
    int rc = call_dim(&c, ncid, dimid, &dim);

    if (rc == CEL_OK) {
        cel_output_name(name, dim->name);
        cel_output(lenp, dim->len);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_dimname(int ncid, int dimid, char *name)
{
    return nc_inq_dim(ncid, dimid, name, NULL);
}

int nc_inq_dimlen(int ncid, int dimid, size_t *lenp)
{
    return nc_inq_dim(ncid, dimid, NULL, lenp);
}

int nc_inq_dimid(int ncid, const char *name, int *idp)
{
    struct cel_call c;
    int rc = cel_call_named(&c, ncid, name);

    if (rc == CEL_OK)
        rc = cel_name_check_sought(c.ds, name);
    if (rc == CEL_OK) {
        const struct cel_dim *dim = cel_dim_find(c.group, name);

        if (dim)
            cel_output(idp, dim->id);
        else
            rc = cel_fail(NC_EBADDIM, "no dimension %s is visible in group %s", name, c.group->name);
    }
    return cel_call_end(&c, rc);
}
