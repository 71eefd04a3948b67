/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing what the file does not have yet: groups and types first, then each
 * group's dimensions and variables in netCDF-C's order, then the lists that tie
 * variables to dimension scales. Renames come before all of that (h5_rename.c). */
#include "h5_int.h"
#include <stdio.h>
#include <stdlib.h>

#define CREATION_ORDER (H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED)

/* --- groups and types ---------------------------------------------------------------------- */

static int create_group(struct cel_group *group)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), id = -1;
    int rc;

    if (gcpl >= 0 && H5Pset_obj_track_times(gcpl, 0) >= 0 && H5Pset_link_creation_order(gcpl, CREATION_ORDER) >= 0 &&
        H5Pset_attr_creation_order(gcpl, CREATION_ORDER) >= 0)
        id = H5Gcreate2(cel_h5_group_id(group->parent), group->name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    H5Pclose(gcpl);
    if (id < 0)
        return cel_h5_fail(NC_EHDFERR, "group %s cannot be created", group->name);
    rc = cel_h5_group_make_priv(group, id, cel_h5_addr_of(id));
    if (rc == CEL_OK)
        group->saved = CEL_SAVED;
    return rc;
}

static int rename_group(struct cel_group *group)
{
    hid_t parent = group->parent ? cel_h5_group_id(group->parent) : -1;

    if (group->saved_name && strcmp(group->saved_name, group->name) != 0 &&
        H5Lmove(parent, group->saved_name, parent, group->name, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return cel_h5_fail(NC_EHDFERR, "group %s cannot be renamed to %s", group->saved_name, group->name);
    free(group->saved_name);
    group->saved_name = NULL;
    group->saved = CEL_SAVED;
    return CEL_OK;
}

static int save_groups_and_types(struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    if (!group->priv)
        rc = create_group(group);
    else if (group->saved != CEL_SAVED)
        rc = rename_group(group);
    for (i = 0; rc == CEL_OK && i < group->types.n; i++) {
        struct cel_type *type = group->types.at[i];

        if (type->saved != CEL_SAVED)
            rc = cel_h5_save_type(type);
    }
    for (i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = save_groups_and_types(group->groups.at[i]);
    return rc;
}

/* --- dimensions -------------------------------------------------------------------------------- */

static hid_t dataset_list(void)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);

    if (dcpl >= 0 && (H5Pset_obj_track_times(dcpl, 0) < 0 || H5Pset_attr_creation_order(dcpl, CREATION_ORDER) < 0)) {
        H5Pclose(dcpl);
        return -1;
    }
    return dcpl;
}

static hid_t create_scale(const struct cel_dim *dim)
{
    hsize_t len = dim->unlimited ? 0 : dim->len, most = dim->unlimited ? H5S_UNLIMITED : dim->len, one = 1;
    hid_t dcpl = dataset_list(), space = H5Screate_simple(1, &len, &most), id = -1;

    if (dcpl >= 0 && space >= 0 && (!dim->unlimited || H5Pset_chunk(dcpl, 1, &one) >= 0))
        id = H5Dcreate2(cel_h5_group_id(dim->group), dim->name, H5T_IEEE_F32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    return id;
}

/* A dimension without a variable of its own: a dataset that holds nothing. */
int cel_h5_save_dim(struct cel_dim *dim)
{
    char name[80];
    hid_t id = create_scale(dim);
    int rc;

    if (id < 0)
        return cel_h5_fail(NC_EHDFERR, "dimension %s cannot be created", dim->name);
    snprintf(name, sizeof name, "%s%10d", CEL_H5R_DIM_ONLY, dim->unlimited ? 0 : (int)dim->len);
    rc = cel_h5_scale_mark(id, name, dim->id);
    if (rc == CEL_OK)
        rc = cel_h5_dim_make_priv(dim, cel_h5_addr_of(id), true);
    H5Dclose(id);
    if (rc != CEL_OK)
        return cel_fail_in(rc, "dimension %s", dim->name);
    dim->saved = CEL_SAVED;
    return CEL_OK;
}

/* --- variables ------------------------------------------------------------------------------------ */

static hid_t var_space(const struct cel_var *var)
{
    hsize_t dims[CEL_RANK_MAX], most[CEL_RANK_MAX];
    int d;

    for (d = 0; d < var->ndims; d++) {
        dims[d] = var->layout.extent[d];
        most[d] = var->dim[d]->unlimited ? H5S_UNLIMITED : dims[d];
    }
    return var->ndims ? H5Screate_simple(var->ndims, dims, most) : H5Screate(H5S_SCALAR);
}

static int set_layout(const struct cel_var *var, hid_t dcpl)
{
    hsize_t chunk[CEL_RANK_MAX];
    herr_t ok;
    int d;

    for (d = 0; var->layout.chunk && d < var->ndims; d++)
        chunk[d] = var->layout.chunk[d];
    if (var->layout.storage == CEL_CHUNKED && var->ndims > 0)
        ok = H5Pset_chunk(dcpl, var->ndims, chunk);
    else
        ok = H5Pset_layout(dcpl, var->layout.storage == CEL_COMPACT ? H5D_COMPACT : H5D_CONTIGUOUS);
    return ok < 0 ? cel_h5_fail(NC_EHDFERR, "libhdf5 does not accept the layout") : CEL_OK;
}

/* The fill value is always written, also where the user gave none, as netCDF-C does. */
static int set_fill(struct cel_h5_file *f, const struct cel_var *var, hid_t dcpl)
{
    hid_t memory;
    herr_t ok = 0;
    int rc = cel_h5_memory_type(f, var->type, &memory);

    if (rc != CEL_OK)
        return rc;
    if (var->fill.off)
        ok = H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    else
        ok = H5Pset_fill_value(dcpl, memory, cel_var_fill_value(var));
    return ok < 0 ? cel_h5_fail(NC_EHDFERR, "libhdf5 does not accept the fill value") : CEL_OK;
}

static int make_list(struct cel_h5_file *f, struct cel_var *var, hid_t *out)
{
    hid_t dcpl = *out = dataset_list();
    int rc = dcpl < 0 ? cel_h5_fail(NC_EHDFERR, "no creation list") : set_layout(var, dcpl);

    if (rc == CEL_OK)
        rc = set_fill(f, var, dcpl);
    return rc == CEL_OK ? cel_h5_filters_set(var, dcpl) : rc;
}

static hid_t no_cache(void)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);

    if (dapl >= 0)
        H5Pset_chunk_cache(dapl, 1, 0, 0.75);
    return dapl;
}

bool cel_h5_is_coord(const struct cel_var *var)
{
    return var->ndims > 0 && var->dim[0]->coord == var;
}

/* A variable with the name of a dimension it does not describe gets another link. */
int cel_h5_wanted_link(const struct cel_var *var, char **out)
{
    bool taken = !cel_h5_is_coord(var) && cel_names_find(&var->group->dim_index, var->name);
    struct cel_buf name = CEL_BUF_INIT(4096);
    int rc = taken ? cel_buf_puts(&name, CEL_H5_NON_COORD) : CEL_OK;

    if (rc == CEL_OK)
        rc = cel_buf_puts(&name, var->name);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&name, out);
    cel_buf_dispose(&name);
    return rc;
}

static int create_dataset(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    hid_t type, dcpl = -1, space = var_space(var), dapl = no_cache();
    int rc = cel_h5_file_type(f, var->type, var->endian, &type);

    if (rc == CEL_OK)
        rc = make_list(f, var, &dcpl);
    if (rc == CEL_OK) {
        v->id = H5Dcreate2(cel_h5_group_id(var->group), v->link, type, space, H5P_DEFAULT, dcpl, dapl);
        if (v->id < 0)
            rc = cel_h5_fail(NC_EHDFERR, "the dataset cannot be created");
        v->addr = v->id < 0 ? 0 : cel_h5_addr_of(v->id);
        v->synced_known = true; /* the last sync knows of no such data */
        v->synced_begin = v->synced_end = 0;
    }
    if (dapl >= 0)
        H5Pclose(dapl);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    if (space >= 0)
        H5Sclose(space);
    return rc;
}

static int write_coordinates(const struct cel_var *var)
{
    const struct cel_h5_var *v = var->priv;
    hsize_t n = (hsize_t)var->ndims;
    int ids[CEL_RANK_MAX], d;

    for (d = 0; d < var->ndims; d++)
        ids[d] = var->dim[d]->id;
    return n == 0 ? CEL_OK : cel_h5_att_write(v->id, "_Netcdf4Coordinates", H5T_NATIVE_INT, H5T_NATIVE_INT, 1, &n, ids);
}

int cel_h5_become_scale(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    int rc = cel_h5_scale_mark(v->id, var->name, var->dim[0]->id);

    if (rc == CEL_OK)
        rc = cel_h5_dim_make_priv(var->dim[0], v->addr, false);
    v->is_scale = rc == CEL_OK;
    var->dim[0]->saved = rc == CEL_OK ? CEL_SAVED : var->dim[0]->saved;
    return rc;
}

static int write_atts(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    int rc = write_coordinates(var);

    if (rc == CEL_OK && cel_h5_is_coord(var))
        rc = cel_h5_become_scale(var);
    return rc == CEL_OK ? cel_h5_save_atts(f, v->id, &var->atts, true) : rc;
}

/* So that the next attempt finds the name free. */
static void undo_create(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    struct cel_status why;

    if (!v)
        return;
    cel_status_save(&why);
    if (v->id >= 0) {
        H5Dclose(v->id);
        H5Ldelete(cel_h5_group_id(var->group), v->link, H5P_DEFAULT);
    }
    cel_h5_var_free_priv(var);
    cel_status_restore(&why);
}

static int create_var(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v;
    int rc = cel_var_settle(var);

    if (rc == CEL_OK)
        rc = cel_h5_var_make_priv(var, &v);
    if (rc == CEL_OK)
        rc = cel_h5_wanted_link(var, &v->link);
    if (rc == CEL_OK)
        rc = create_dataset(f, var);
    if (rc == CEL_OK)
        rc = write_atts(f, var);
    if (rc == CEL_OK)
        rc = cel_h5_var_read_back(var);
    if (rc != CEL_OK)
        undo_create(var);
    return rc;
}

static bool attaches(const struct cel_var *var)
{
    int d;

    for (d = 0; d < var->ndims; d++)
        if (!var->dim[d]->priv)
            return false; /* a phony dimension: the file has no scale for it */
    return var->ndims > 0 && !((const struct cel_h5_var *)var->priv)->is_scale &&
           !(var->group->dataset->mode & NC_NODIMSCALE_ATTACH);
}

/* The fill value is part of a dataset: changing it before anything was written
 * means making the dataset anew. */
static int recreate(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    bool coord = v->is_scale;
    int rc = cel_h5_var_open(var);

    if (rc != CEL_OK)
        return rc;
    H5Dclose(v->id);
    v->id = -1;
    if (!v->link && !(v->link = cel_strdup(cel_h5_var_link(var))))
        return NC_ENOMEM;
    if (H5Ldelete(cel_h5_group_id(var->group), v->link, H5P_DEFAULT) < 0)
        return cel_h5_fail(NC_EHDFERR, "the dataset cannot be replaced");
    f->relink = f->relink || coord;
    rc = create_dataset(f, var);
    if (rc == CEL_OK)
        rc = write_atts(f, var);
    if (rc == CEL_OK && attaches(var))
        rc = cel_h5_scale_attach(var);
    if (rc == CEL_OK)
        rc = cel_h5_var_read_back(var);
    var->fill.changed = rc != CEL_OK;
    return rc;
}

static int update_var(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    size_t i;
    bool dirty = var->atts.removed.n > 0;
    int rc = CEL_OK;

    if (var->fill.changed)
        return recreate(f, var);
    for (i = 0; i < var->atts.list.n; i++)
        dirty = dirty || ((struct cel_att *)var->atts.list.at[i])->saved != CEL_SAVED;
    if (!dirty)
        return CEL_OK;
    rc = cel_h5_var_open(var);
    return rc == CEL_OK ? cel_h5_save_atts(f, v->id, &var->atts, false) : rc;
}

static int save_var(struct cel_h5_file *f, struct cel_var *var)
{
    /* A new one with private data was made by an attempt that failed further on. */
    int rc = var->saved == CEL_NEW && !var->priv ? create_var(f, var) : update_var(f, var);

    if (rc != CEL_OK)
        return cel_fail_in_var(rc, var);
    if (var->saved != CEL_NEW)
        var->saved = CEL_SAVED;
    return CEL_OK;
}

/* --- a group's dimensions and variables ------------------------------------------------------------- */

/* netCDF-C numbers variables by the order of their datasets, and dimensions without
 * an id too: a dimension's dataset comes before the variables defined after it, and
 * a coordinate variable stands for its dimension. */
static int save_dims_and_vars(struct cel_h5_file *f, struct cel_group *group)
{
    size_t nd = 0, nv = 0;
    int rc = CEL_OK;

    while (rc == CEL_OK && (nd < group->dims.n || nv < group->vars.n)) {
        struct cel_var *await = NULL, *var;

        for (; rc == CEL_OK && nd < group->dims.n && !await; nd++) {
            struct cel_dim *dim = group->dims.at[nd];

            if (!dim->coord && dim->saved == CEL_NEW)
                rc = cel_h5_save_dim(dim);
            else if (dim->saved == CEL_NEW)
                await = dim->coord;
        }
        for (var = NULL; rc == CEL_OK && nv < group->vars.n && !(await && var == await); nv++) {
            var = group->vars.at[nv];
            rc = save_var(f, var);
        }
    }
    return rc;
}

static int attach_new(struct cel_h5_file *f, struct cel_group *group)
{
    struct cel_var *var;
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        var = group->vars.at[i];
        if ((var->saved == CEL_NEW || f->relink) && attaches(var)) {
            rc = cel_h5_var_open(var);
            if (rc == CEL_OK)
                rc = cel_h5_scale_attach(var);
            if (rc != CEL_OK)
                return cel_fail_in_var(rc, var);
        }
        if (rc == CEL_OK)
            var->saved = CEL_SAVED;
    }
    return rc;
}

static int each_group(struct cel_h5_file *f, struct cel_group *group,
                      int (*step)(struct cel_h5_file *f, struct cel_group *group))
{
    size_t i;
    int rc = step(f, group);

    for (i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = each_group(f, group->groups.at[i], step);
    return rc;
}

static int save_group_atts(struct cel_h5_file *f, struct cel_group *group)
{
    int rc = cel_h5_save_atts(f, cel_h5_group_id(group), &group->atts, false);

    return rc == CEL_OK ? rc : cel_fail_in(rc, "group %s", group->name);
}

static int save(struct cel_h5_file *f)
{
    struct cel_group *root = f->ds->root;
    int rc = save_groups_and_types(root);

    if (rc == CEL_OK)
        rc = each_group(f, root, cel_h5_save_renames);
    if (rc == CEL_OK)
        rc = each_group(f, root, save_group_atts);
    if (rc == CEL_OK)
        rc = each_group(f, root, save_dims_and_vars);
    if (rc == CEL_OK)
        rc = each_group(f, root, attach_new);
    if (rc == CEL_OK)
        rc = cel_h5_scale_note_users(f->ds);
    f->relink = f->relink && rc != CEL_OK;
    return rc;
}

int cel_h5_save(struct cel_dataset *ds)
{
    struct cel_h5_deferred *deferred = cel_h5_file(ds)->io->deferred;
    struct cel_h5_entry entry;
    unsigned shortages;
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc != CEL_OK)
        return rc;
    shortages = cel_h5_shortages();
    rc = save(cel_h5_file(ds));
    if (rc != CEL_OK && deferred && cel_h5_shortages() != shortages)
        cel_h5_deferred_set_unsound(deferred);
    cel_h5_leave(&entry);
    return rc == CEL_OK ? rc : cel_fail_at(rc, CEL_IN_FILE, "%s", ds->path);
}

/* --- growing -------------------------------------------------------------------------------------------- */

static int extend(struct cel_var *var, const size_t *extent)
{
    struct cel_h5_var *v = var->priv;
    hsize_t dims[CEL_RANK_MAX];
    int d, rc = cel_h5_var_open(var);

    if (rc == CEL_OK)
        rc = cel_h5_chunk_refresh(var);
    for (d = 0; d < var->ndims; d++)
        dims[d] = extent[d];
    if (rc == CEL_OK && H5Dset_extent(v->id, dims) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "it cannot be made larger");
    if (rc == CEL_OK)
        memcpy(var->layout.extent, extent, (size_t)var->ndims * sizeof *extent);
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}

int cel_h5_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = extend(var, extent);
    cel_h5_leave(&entry);
    return rc;
}

/* Readers that know only scales take an unlimited dimension's length from its
 * coordinate variable. */
int cel_h5_extend_coordinates(struct cel_dataset *ds)
{
    size_t i, extent[CEL_RANK_MAX];
    struct cel_dim *dim;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < ds->dims.n; i++) {
        dim = ds->dims.at[i];
        if (!dim || !dim->unlimited || !dim->coord || !dim->coord->priv || dim->coord->layout.extent[0] >= dim->len)
            continue;
        memcpy(extent, dim->coord->layout.extent, (size_t)dim->coord->ndims * sizeof *extent);
        extent[0] = dim->len;
        rc = extend(dim->coord, extent);
    }
    return rc;
}
