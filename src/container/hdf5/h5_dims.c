/* SPDX-License-Identifier: BSD-3-Clause */
/* Which dimensions a variable of a file has: the ids netCDF-4 writes, else the
 * scale it is itself, else the scales attached to it, else phony ones made from
 * its lengths. Done when every dimension of the file is known, since a variable
 * may stand before its dimensions. */
#include "h5_load.h"
#include <stdio.h>
#include <stdlib.h>

int cel_h5_found_add(struct loading *l, struct cel_var *var, const struct cel_h5r_object *h, struct cel_dim *own)
{
    int d, n = h->ncoords > 0 ? h->ncoords : 0;
    struct found *v = cel_malloc(sizeof *v + (size_t)n * sizeof v->coords[0]);

    if (!v)
        return NC_ENOMEM;
    *v = (struct found){.var = var, .own = own, .has_list = h->has_list, .ncoords = h->ncoords};
    v->type_sum = h->type_sum;
    v->type_addr = h->type_addr;
    v->unnamed_type = h->unnamed_type;
    v->unnamed_atts = h->unnamed_atts;
    v->att_addr = h->att_addr;
    memcpy(v->coords, h->coords, (size_t)n * sizeof v->coords[0]);
    for (d = 0; d < h->rank; d++)
        v->unlimited |= (uint32_t)(h->maxdims[d] == UINT64_MAX) << d;
    if (cel_vec_add(&l->list, v) == CEL_OK)
        return CEL_OK;
    free(v);
    return NC_ENOMEM;
}

void cel_h5_found_free(struct loading *l)
{
    size_t i;

    for (i = 0; i < l->list.n; i++)
        free(l->list.at[i]);
    cel_vec_dispose(&l->list);
}

static bool by_ids(const struct cel_dataset *ds, const struct found *v)
{
    int d;

    if (v->ncoords != v->var->ndims)
        return false;
    for (d = 0; d < v->ncoords; d++)
        if (!(v->var->dim[d] = cel_dim_by_id(ds, v->coords[d])))
            return false;
    return true;
}

static struct cel_dim *at_address(const struct cel_dataset *ds, uint64_t addr)
{
    struct cel_dim *dim;
    size_t i;

    for (i = 0; addr && i < ds->dims.n; i++) {
        dim = ds->dims.at[i];
        if (dim && dim->priv && ((struct cel_h5_dim *)dim->priv)->addr == addr)
            return dim;
    }
    return NULL;
}

static int ask_scales(struct cel_var *var, uint64_t *addr)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_var(var, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = cel_h5_scale_list(var, addr);
    cel_h5_leave(&entry);
    return rc;
}

/* Some dimensions may have no scale: those stay NULL. */
static int by_scales(const struct cel_dataset *ds, const struct found *v)
{
    uint64_t addr[CEL_RANK_MAX], at = ((struct cel_h5_var *)v->var->priv)->addr;
    struct cel_h5r_reader *reader = NULL;
    int d, rc = cel_h5_reader(cel_h5_file(ds), &at, &reader);

    if (rc == CEL_OK)
        rc = cel_h5r_dimension_list(reader, at, v->var->ndims, addr);
    if (rc == CEL_ASK_LIBHDF5)
        rc = ask_scales(v->var, addr);
    for (d = 0; rc == CEL_OK && d < v->var->ndims; d++)
        v->var->dim[d] = at_address(ds, cel_h5_same_file(((struct cel_h5_var *)v->var->priv)->addr, addr[d]));
    return rc;
}

/* A dimension of this group of the same length, once per variable, or a new one. */
static int make_phony(struct cel_h5_phony *phony, struct cel_dataset *ds, struct cel_var *var, int d, bool unlimited)
{
    char name[64];
    int rc = cel_h5_phony_find(phony, var, d, unlimited, &var->dim[d]);

    if (rc != CEL_OK || var->dim[d])
        return rc;
    snprintf(name, sizeof name, "phony_dim_%zu", ds->dims.n);
    return cel_dim_add(var->group, name, var->layout.extent[d], unlimited, -1, &var->dim[d]);
}

static int find_dims(struct cel_h5_phony *phony, struct cel_dataset *ds, const struct found *v)
{
    struct cel_var *var = v->var;
    int d, rc = CEL_OK;

    if (by_ids(ds, v))
        return CEL_OK;
    memset(var->dim, 0, (size_t)var->ndims * sizeof *var->dim);
    if (v->own)
        var->dim[0] = v->own;
    else if (v->has_list)
        rc = cel_h5_note(var->group, by_scales(ds, v), "%s:DIMENSION_LIST", var->name);
    for (d = 0; rc == CEL_OK && d < var->ndims; d++)
        if (!var->dim[d])
            rc = make_phony(phony, ds, var, d, v->unlimited >> d & 1);
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}

/* An unlimited dimension is as long as the longest of its users. */
static void stretch(const struct cel_var *var)
{
    int d;

    for (d = 0; d < var->ndims; d++)
        if (var->dim[d]->unlimited && var->layout.extent[d] > var->dim[d]->len)
            var->dim[d]->len = var->layout.extent[d];
}

static int by_id(const void *a, const void *b)
{
    int x = (*(struct cel_dim *const *)a)->id, y = (*(struct cel_dim *const *)b)->id;

    return x < y ? -1 : x > y;
}

/* Children first, as netCDF-C numbers phony dimensions. */
static int find_dims_of_group(struct loading *l, struct cel_group *group)
{
    const struct cel_h5_group *g = group->priv;
    struct cel_h5_phony phony = {.group = group};
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = find_dims_of_group(l, group->groups.at[i]);
    for (i = g->first_found; rc == CEL_OK && i < g->end_found; i++) {
        const struct found *v = l->list.at[i];

        rc = find_dims(&phony, l->f->ds, v);
        if (rc != CEL_OK)
            break;
        stretch(v->var);
        cel_var_link_coord(v->var);
    }
    cel_h5_phony_dispose(&phony);
    if (group->dims.n > 1)
        qsort(group->dims.at, group->dims.n, sizeof *group->dims.at, by_id);
    return rc;
}

int cel_h5_found_dims(struct loading *l)
{
    return find_dims_of_group(l, l->f->ds->root);
}
