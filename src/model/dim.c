/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions: lengths the format can hold, how many may be unlimited, who sees
 * them, and what a rename does to coordinate variables. */
#include "model_int.h"
#include <stdint.h>

#define DIM_ID_MAX (1 << 20) /* ids come from files too: keeps the list of ids small */

static const struct {
    int format;
    uint64_t longest;
} limits[] = {
    {NC_FORMAT_CLASSIC, INT32_MAX - 3},     {NC_FORMAT_64BIT_OFFSET, UINT32_MAX - 3},
    {NC_FORMAT_64BIT_DATA, UINT64_MAX - 3}, {NC_FORMAT_NETCDF4_CLASSIC, UINT32_MAX},
    {NC_FORMAT_NETCDF4, UINT64_MAX},
};

static int check_len(const struct cel_dataset *ds, const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].format == ds->format && len > limits[i].longest)
            return cel_fail(NC_EDIMSIZE, "dimension %s: a length of %zu is more than this format can hold (%llu)", name,
                            len, (unsigned long long)limits[i].longest);
    return CEL_OK;
}

static bool has_unlimited(const struct cel_dataset *ds)
{
    for (size_t i = 0; i < ds->dims.n; i++) {
        const struct cel_dim *dim = ds->dims.at[i];
        if (dim && dim->unlimited)
            return true;
    }
    return false;
}

static int check_unlimited(const struct cel_dataset *ds)
{
    if (!has_unlimited(ds))
        return CEL_OK;
    if (cel_is_strict(ds))
        return cel_fail(NC_EUNLIMIT, "the classic model has one unlimited dimension only, and there is one already");
    return cel_dataset_refuse(ds, CEL_KEEPS_UNLIMITED, "a second unlimited dimension");
}

static int check_free(const struct cel_group *group, const char *name)
{
    if (cel_names_find(&group->dim_index, name))
        return cel_fail(NC_ENAMEINUSE, "the group %s has a dimension %s already", group->name, name);
    if ((group->dataset->features & CEL_ONE_NAMESPACE) &&
        (cel_names_find(&group->group_index, name) || cel_names_find(&group->type_index, name)))
        return cel_fail(NC_ENAMEINUSE,
                        "%s: the group %s has a group or type of this name, and in files of this format "
                        "both would be one object",
                        name, group->name);
    return CEL_OK;
}

/* The dataset's list of ids has holes where ids came from a file. */
static int insert_by_id(struct cel_dataset *ds, struct cel_dim *dim)
{
    size_t at = (size_t)dim->id;
    int rc = cel_vec_reserve(&ds->dims, at + 1);

    if (rc != CEL_OK)
        return rc;
    while (ds->dims.n <= at)
        ds->dims.at[ds->dims.n++] = NULL;
    ds->dims.at[at] = dim;
    return CEL_OK;
}

static int check_id(const struct cel_dataset *ds, int id)
{
    if (id < 0 || id >= DIM_ID_MAX)
        return cel_fail(NC_EMAXDIMS, "dimension id %d is out of range", id);
    if (cel_dim_by_id(ds, id))
        return cel_fail(NC_EDIMMETA, "dimension id %d is used twice", id);
    return CEL_OK;
}

int cel_dim_make(struct cel_group *group, char *name, int id, struct cel_dim **out)
{
    struct cel_dataset *ds = group->dataset;
    struct cel_dim *dim = cel_calloc(1, sizeof *dim);
    int rc = dim ? check_id(ds, id) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(name);
        free(dim);
        return rc;
    }
    dim->name = name;
    dim->id = id;
    dim->group = group;
    rc = cel_vec_reserve(&group->dims, group->dims.n + 1);
    if (rc == CEL_OK)
        rc = insert_by_id(ds, dim);
    if (rc == CEL_OK) {
        rc = cel_listed_add(&group->dims, &group->dim_index, name, dim);
        if (rc != CEL_OK)
            ds->dims.at[id] = NULL;
    }
    if (rc != CEL_OK) {
        cel_dim_free(dim);
        return rc;
    }
    *out = dim;
    return CEL_OK;
}

void cel_dim_free(struct cel_dim *dim)
{
    if (!dim)
        return;
    free(dim->name);
    free(dim->saved_name);
    free(dim);
}

static int check_new_dim(struct cel_group *group, const char *name, size_t len, bool unlimited)
{
    int rc = unlimited ? CEL_OK : check_len(group->dataset, name, len);

    if (rc == CEL_OK)
        rc = check_free(group, name);
    return rc == CEL_OK ? cel_mode_define(group->dataset) : rc;
}

int cel_dim_def(struct cel_group *group, const char *name, size_t len, bool unlimited, struct cel_dim **out)
{
    struct cel_dataset *ds = group->dataset;
    struct cel_dim *dim;
    char *normal = NULL;
    int rc = cel_is_classic_file(ds) ? cel_mode_define(ds) : cel_mode_write(ds);

    if (rc == CEL_OK && unlimited)
        rc = check_unlimited(ds);
    if (rc == CEL_OK && cel_is_strict(ds))
        rc = cel_mode_define(ds);
    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_new_dim(group, normal, len, unlimited);
    if (rc != CEL_OK) {
        free(normal);
        return rc;
    }
    rc = cel_dim_make(group, normal, (int)ds->dims.n, &dim);
    if (rc != CEL_OK)
        return rc;
    dim->len = unlimited ? 0 : len;
    dim->unlimited = unlimited;
    cel_touch_var(group, dim->name);
    *out = dim;
    return CEL_OK;
}

/* A variable is a dimension's coordinate variable by its name: both may change. */
static void relink_coord(struct cel_dim *dim)
{
    struct cel_var *var = cel_names_find(&dim->group->var_index, dim->name);

    if (dim->coord)
        cel_touch(&dim->coord->saved);
    dim->coord = NULL;
    if (var)
        cel_var_link_coord(var);
}

int cel_dim_rename(struct cel_dim *dim, const char *name)
{
    struct cel_group *group = dim->group;
    char *normal = NULL;
    int rc = cel_mode_write(group->dataset);

    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_free(group, normal);
    if (rc == CEL_OK && cel_is_classic_file(group->dataset) && strlen(normal) > strlen(dim->name))
        rc = cel_mode_define(group->dataset); /* a longer name moves what follows it in the header */
    if (rc != CEL_OK) {
        free(normal);
        return rc;
    }
    cel_touch_var(group, dim->name);
    rc = cel_named_rename(&(struct cel_named){&group->dim_index, dim, &dim->name, &dim->saved_name, &dim->saved},
                          normal);
    if (rc != CEL_OK)
        return rc;
    cel_touch_var(group, dim->name);
    relink_coord(dim);
    return CEL_OK;
}

struct cel_dim *cel_dim_find(const struct cel_group *group, const char *name)
{
    struct cel_dim *dim = NULL;

    for (; !dim && group; group = group->parent)
        dim = cel_listed_find(&group->dim_index, name);
    return dim;
}

struct cel_dim *cel_dim_by_id(const struct cel_dataset *ds, int dimid)
{
    return dimid >= 0 && (size_t)dimid < ds->dims.n ? ds->dims.at[dimid] : NULL;
}

void cel_touch_dim(struct cel_group *group, const char *name)
{
    struct cel_dim *dim = cel_names_find(&group->dim_index, name);

    if (dim)
        cel_touch(&dim->saved);
}
