/* SPDX-License-Identifier: BSD-3-Clause */
/* Private data of the model's objects: open ids, addresses in the file, and the
 * marks this folder keeps. Made when an object is found or written, freed with
 * the file. Closing the file closes the ids of everything in it; only types that
 * live in memory, and what lies in another file, are closed one by one. */
#include "h5_int.h"
#include <stdlib.h>

int cel_h5_group_make_priv(struct cel_group *group, hid_t id, uint64_t addr)
{
    struct cel_h5_group *g = cel_calloc(1, sizeof *g);

    if (!g)
        return NC_ENOMEM;
    g->id = id;
    g->addr = addr;
    group->priv = g;
    return CEL_OK;
}

int cel_h5_dim_make_priv(struct cel_dim *dim, uint64_t addr, bool has_own_dataset)
{
    struct cel_h5_dim *d = dim->priv;

    if (!d) {
        d = cel_calloc(1, sizeof *d);
        if (!d)
            return NC_ENOMEM;
        d->users = CEL_BUF_INIT(SIZE_MAX / 2);
        dim->priv = d;
    }
    d->addr = addr;
    d->has_own_dataset = has_own_dataset;
    return CEL_OK;
}

int cel_h5_type_make_priv(struct cel_type *type, struct cel_h5_type **out)
{
    struct cel_h5_type *t = cel_calloc(1, sizeof *t);

    if (!t)
        return NC_ENOMEM;
    t->file = t->memory = -1;
    type->priv = *out = t;
    return CEL_OK;
}

int cel_h5_var_make_priv(struct cel_var *var, struct cel_h5_var **out)
{
    struct cel_h5_var *v = cel_calloc(1, sizeof *v);

    if (!v)
        return NC_ENOMEM;
    v->id = v->memory = -1;
    var->priv = *out = v;
    return CEL_OK;
}

/* Datasets are closed with their file, but for these: where two handles on one file share a committed type, libhdf5 closes
 * it with the first and seeks it again with the second. */
static bool has_user_type(const struct cel_var *var)
{
    return var->type && var->type->id >= NC_FIRSTUSERTYPEID;
}

void cel_h5_var_free_priv(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;

    if (!v)
        return;
    if (v->own_memory)
        H5Tclose(v->memory);
    if (v->id >= 0 && (cel_h5_is_in_other_file(v->addr) || has_user_type(var)))
        H5Dclose(v->id);
    cel_h5_masks_dispose(&v->masks);
    cel_h5r_index_free(v->index);
    cel_h5_own_free(v->own);
    free(v->link);
    free(v);
    var->priv = NULL;
}

static void free_type(struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;

    if (!t)
        return;
    if (t->memory >= 0 && t->memory != t->file)
        H5Tclose(t->memory);
    if (t->file >= 0)
        H5Tclose(t->file);
    cel_h5r_datatype_free(t->form);
    free(t);
    type->priv = NULL;
}

static void free_group(struct cel_group *group)
{
    const struct cel_h5_group *g = group->priv;
    size_t i;

    for (i = 0; i < group->vars.n; i++)
        cel_h5_var_free_priv(group->vars.at[i]);
    if (g && g->id >= 0 && cel_h5_is_in_other_file(g->addr))
        H5Oclose(g->id);
    free(group->priv);
    group->priv = NULL;
}

void cel_h5_privs_free(struct cel_dataset *ds)
{
    size_t i;

    for (i = 0; i < ds->groups.n; i++)
        if (ds->groups.at[i])
            free_group(ds->groups.at[i]);
    for (i = 0; i < ds->types.n; i++)
        if (ds->types.at[i])
            free_type(ds->types.at[i]);
    for (i = 0; i < ds->dims.n; i++) {
        struct cel_dim *dim = ds->dims.at[i];
        struct cel_h5_dim *d = dim ? dim->priv : NULL;

        if (!d)
            continue;
        cel_buf_dispose(&d->users);
        free(d);
        dim->priv = NULL;
    }
}

void cel_h5_synced_forget(struct cel_dataset *ds)
{
    size_t i, j;

    for (i = 0; i < ds->groups.n; i++) {
        const struct cel_group *group = ds->groups.at[i];

        for (j = 0; group && j < group->vars.n; j++) {
            struct cel_h5_var *v = ((struct cel_var *)group->vars.at[j])->priv;

            if (v)
                v->synced_known = false;
        }
    }
}

hid_t cel_h5_group_id(const struct cel_group *group)
{
    struct cel_h5_group *g = group->priv;

    if (g->id < 0 && cel_h5_is_in_other_file(g->addr)) /* by its name, through the link */
        g->id = H5Oopen(cel_h5_group_id(group->parent), group->name, H5P_DEFAULT);
    else if (g->id < 0)
        g->id = H5Oopen_by_addr(cel_h5_file(group->dataset)->id, g->addr);
    return g->id;
}

const char *cel_h5_var_link(const struct cel_var *var)
{
    const struct cel_h5_var *v = var->priv;

    return v->link ? v->link : var->saved_name ? var->saved_name : var->name;
}

/* Where we move the chunks ourselves, libhdf5's chunk cache would only cost memory. Where libhdf5 moves them, the cache
 * holds one chunk at least. */
static hid_t access_list(const struct cel_var *var, const struct cel_h5_var *v)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    bool unchunked = var->loaded && var->layout.unchunked && var->layout.storage == CEL_CHUNKED;
    size_t nbytes = var->cache.size > v->chunk_nbytes ? var->cache.size : v->chunk_nbytes;

    if (dapl < 0)
        return dapl;
    if (unchunked)
        H5Pset_chunk_cache(dapl, var->cache.nelems ? var->cache.nelems : 521, nbytes, 0.75);
    else
        H5Pset_chunk_cache(dapl, 1, 0, 0.75);
    return dapl;
}

int cel_h5_var_open(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    const char *link = cel_h5_var_link(var);
    hid_t dapl;

    if (v->id >= 0)
        return CEL_OK;
    dapl = access_list(var, v);
    v->id = H5Dopen2(cel_h5_group_id(var->group), link, dapl);
    H5Pclose(dapl);
    if (v->id < 0)
        return cel_h5_fail(NC_EHDFERR, "dataset %s cannot be opened", link);
    return CEL_OK;
}

uint64_t cel_h5_addr_of(hid_t object)
{
    H5O_info_t info;

    return H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0 ? 0 : (uint64_t)info.addr;
}
