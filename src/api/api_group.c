/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups, and what is in them. */
#include "api.h"
#include <stdlib.h>
#include <string.h>

int nc_def_grp(int parent_ncid, const char *name, int *new_ncid)
{
    struct cel_call c;
    struct cel_group *group;
    int rc = cel_call_begin(&c, parent_ncid);

    if (rc == CEL_OK)
        rc = cel_group_def(c.group, name, &group);
    if (rc == CEL_OK)
        cel_output(new_ncid, cel_ncid(&c, group));
    return cel_call_end(&c, rc);
}

int nc_rename_grp(int grpid, const char *name)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, grpid);

    if (rc == CEL_OK) {
        cel_array_store_puts(c.ds);
        rc = cel_group_rename(c.group, name);
    }
    return cel_call_end(&c, rc);
}

/* --- finding ------------------------------------------------------------------------ */

int nc_inq_ncid(int ncid, const char *name, int *grp_ncid)
{
    struct cel_call c;
    struct cel_group *group = NULL;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK) {
        group = name ? cel_group_find(c.group, name) : c.ds->root;
        if (!group)
            rc = cel_fail(NC_ENOGRP, "group %s has no group %s", c.group->name, name);
    }
    if (rc == CEL_OK)
        cel_output(grp_ncid, cel_ncid(&c, group));
    return cel_call_end(&c, rc);
}

int nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid)
{
    return nc_inq_ncid(ncid, grp_name, grp_ncid);
}

int nc_inq_grp_full_ncid(int ncid, const char *full_name, int *grp_ncid)
{
    struct cel_call c;
    struct cel_group *group;
    int rc = cel_call_named(&c, ncid, full_name);

    if (rc == CEL_OK && c.group->parent && !full_name[strspn(full_name, "/")])
        rc = cel_fail(NC_ENOGRP, "group %s does not hold the root group", c.group->name);
    if (rc == CEL_OK)
        rc = cel_group_by_path(c.group, full_name, &group);
    if (rc == CEL_OK)
        cel_output(grp_ncid, cel_ncid(&c, group));
    return cel_call_end(&c, rc);
}

int nc_inq_grp_parent(int ncid, int *parent_ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && !c.group->parent)
        rc = cel_fail(NC_ENOGRP, "the root group has no parent");
    if (rc == CEL_OK)
        cel_output(parent_ncid, cel_ncid(&c, c.group->parent));
    return cel_call_end(&c, rc);
}

/* --- names --------------------------------------------------------------------------- */

int nc_inq_grpname(int ncid, char *name)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        cel_output_name(name, c.group->name);
    return cel_call_end(&c, rc);
}

int nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name)
{
    struct cel_call c;
    struct cel_buf path = CEL_BUF_INIT(SIZE_MAX);
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_group_path(c.group, &path);
    if (rc == CEL_OK) {
        cel_output(lenp, path.len);
        if (full_name) {
            memcpy(full_name, path.data, path.len);
            full_name[path.len] = '\0';
        }
    }
    cel_buf_dispose(&path);
    return cel_call_end(&c, rc);
}

int nc_inq_grpname_len(int ncid, size_t *lenp)
{
    return nc_inq_grpname_full(ncid, lenp, NULL);
}

/* --- lists ---------------------------------------------------------------------------- */

int nc_inq_grps(int ncid, int *numgrps, int *ncids)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK) {
        cel_output(numgrps, (int)c.group->groups.n);
        for (size_t i = 0; ncids && i < c.group->groups.n; i++)
            ncids[i] = cel_ncid(&c, c.group->groups.at[i]);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_varids(int ncid, int *nvars, int *varids)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK) {
        cel_output(nvars, (int)c.group->vars.n);
        for (size_t i = 0; varids && i < c.group->vars.n; i++)
            varids[i] = ((const struct cel_var *)c.group->vars.at[i])->id;
    }
    return cel_call_end(&c, rc);
}

int nc_inq_typeids(int ncid, int *ntypes, int *typeids)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_load_types(c.ds); /* parts of them that the file does not name are listed too */
    if (rc == CEL_OK) {
        cel_output(ntypes, (int)c.group->types.n);
        for (size_t i = 0; typeids && i < c.group->types.n; i++)
            typeids[i] = ((const struct cel_type *)c.group->types.at[i])->id;
    }
    return cel_call_end(&c, rc);
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

int nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents)
{
    struct cel_call c;
    int n = 0, rc = cel_call_begin(&c, ncid);

    for (const struct cel_group *g = rc == CEL_OK ? c.group : NULL; g; g = include_parents ? g->parent : NULL)
        for (size_t i = 0; i < g->dims.n; i++, n++)
            if (dimids)
                dimids[n] = ((const struct cel_dim *)g->dims.at[i])->id;
    if (rc == CEL_OK) {
        cel_output(ndims, n);
        if (dimids && n)
            qsort(dimids, (size_t)n, sizeof *dimids, by_value);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp)
{
    struct cel_call c;
    int n = 0, rc = cel_call_begin(&c, ncid);

    for (size_t i = 0; rc == CEL_OK && i < c.group->dims.n; i++) {
        const struct cel_dim *dim = c.group->dims.at[i];

        if (dim->unlimited) {
            if (unlimdimidsp)
                unlimdimidsp[n] = dim->id;
            n++;
        }
    }
    if (rc == CEL_OK)
        cel_output(nunlimdimsp, n);
    return cel_call_end(&c, rc);
}

/* --- counts --------------------------------------------------------------------------- */

static int first_unlimited(const struct cel_group *group)
{
    for (size_t i = 0; i < group->dims.n; i++) {
        const struct cel_dim *dim = group->dims.at[i];

        if (dim->unlimited)
            return dim->id;
    }
    return -1;
}

int nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && nattsp)
        rc = cel_load_atts(c.group, NULL);
    if (rc == CEL_OK) {
        cel_output(ndimsp, (int)c.group->dims.n);
        cel_output(nvarsp, (int)c.group->vars.n);
        cel_output(nattsp, (int)c.group->atts.list.n);
        cel_output(unlimdimidp, first_unlimited(c.group));
    }
    return cel_call_end(&c, rc);
}

int nc_inq_ndims(int ncid, int *ndimsp)
{
    return nc_inq(ncid, ndimsp, NULL, NULL, NULL);
}

int nc_inq_nvars(int ncid, int *nvarsp)
{
    return nc_inq(ncid, NULL, nvarsp, NULL, NULL);
}

int nc_inq_natts(int ncid, int *nattsp)
{
    return nc_inq(ncid, NULL, NULL, nattsp, NULL);
}

int nc_inq_unlimdim(int ncid, int *unlimdimidp)
{
    return nc_inq(ncid, NULL, NULL, NULL, unlimdimidp);
}
