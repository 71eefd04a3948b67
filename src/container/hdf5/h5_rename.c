/* SPDX-License-Identifier: BSD-3-Clause */
/* Renames, before anything else of a group is saved. A new name may also make a
 * variable the coordinate variable of a dimension, or stop it being one; then the
 * dimension's scale is another dataset, and every list of scales is written anew.
 * Where objects exchange names, one of them gets a temporary name first. */
#include "h5_int.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct renames {
    hid_t group;
    struct cel_vec from, to; /* char * */
    int first_var;           /* lowest id of a variable that is renamed; INT_MAX: none */
};

static int plan(struct renames *m, const char *from, const char *to)
{
    char *a, *b;
    int rc;

    if (strcmp(from, to) == 0)
        return CEL_OK;
    a = cel_strdup(from);
    b = cel_strdup(to);
    rc = a && b ? cel_vec_add(&m->from, a) : NC_ENOMEM;
    if (rc == CEL_OK) {
        rc = cel_vec_add(&m->to, b);
        if (rc == CEL_OK)
            return CEL_OK;
        m->from.n--;
    }
    free(a);
    free(b);
    return rc;
}

static int move_link(hid_t group, const char *from, const char *to)
{
    if (H5Lmove(group, from, group, to, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return cel_h5_fail(NC_EHDFERR, "%s cannot be renamed to %s", from, to);
    return CEL_OK;
}

/* All whose new name is free now; says how many there were. */
static int rename_free(struct renames *m, size_t *made)
{
    size_t i;
    int rc = CEL_OK;

    *made = 0;
    for (i = 0; rc == CEL_OK && i < m->from.n; i++) {
        if (!m->from.at[i] || H5Lexists(m->group, m->to.at[i], H5P_DEFAULT) > 0)
            continue;
        rc = move_link(m->group, m->from.at[i], m->to.at[i]);
        free(m->from.at[i]);
        m->from.at[i] = NULL;
        ++*made;
    }
    return rc;
}

/* Those that are left exchange names in a ring: one of them gets a temporary name. */
static int use_temporary_name(struct renames *m, bool *done)
{
    char name[64];
    size_t i;
    int rc;

    for (i = 0; i < m->from.n && !m->from.at[i]; i++)
        ;
    *done = i == m->from.n;
    if (*done)
        return CEL_OK;
    snprintf(name, sizeof name, "_cellar_moving_%zu", i);
    rc = move_link(m->group, m->from.at[i], name);
    free(m->from.at[i]);
    m->from.at[i] = rc == CEL_OK ? cel_strdup(name) : NULL;
    return rc == CEL_OK && !m->from.at[i] ? NC_ENOMEM : rc;
}

static int run_renames(struct renames *m)
{
    bool done = false;
    size_t made, rings = 0;
    int rc = CEL_OK;

    while (rc == CEL_OK && !done) {
        rc = rename_free(m, &made);
        if (rc == CEL_OK && made == 0 && rings++ > m->from.n)
            rc = cel_fail(NC_ENAMEINUSE, "a new name belongs to an object this library does not know");
        if (rc == CEL_OK && made == 0)
            rc = use_temporary_name(m, &done);
    }
    return rc;
}

/* A renamed link is the newest of its group, and variables are numbered by age: all from the
 * first renamed one on are moved away and back, in order. */
static int keep_order(const struct renames *m, const struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = (size_t)m->first_var; rc == CEL_OK && i < group->vars.n; i++) {
        const struct cel_var *var = group->vars.at[i];

        if (!var->priv)
            continue;
        rc = move_link(m->group, cel_h5_var_link(var), "_cellar_moving");
        if (rc == CEL_OK)
            rc = move_link(m->group, "_cellar_moving", cel_h5_var_link(var));
    }
    return rc;
}

static void free_renames(struct renames *m)
{
    size_t i;

    for (i = 0; i < m->from.n; i++) {
        free(m->from.at[i]);
        free(m->to.at[i]);
    }
    cel_vec_dispose(&m->from);
    cel_vec_dispose(&m->to);
}

/* --- scales that change hands ------------------------------------------------------------- */

/* The variable no longer describes its dimension: a dataset of its own will. */
static int stop_being_scale(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    int rc = cel_h5_var_open(var);

    if (rc == CEL_OK)
        rc = cel_h5_scale_unmark(v->id);
    if (rc != CEL_OK)
        return rc;
    v->is_scale = false;
    f->relink = true;
    return CEL_OK;
}

static const char *dim_link(const struct cel_dim *dim)
{
    return dim->saved_name ? dim->saved_name : dim->name;
}

static int drop_scale(struct cel_h5_file *f, struct cel_dim *dim)
{
    if (H5Ldelete(cel_h5_group_id(dim->group), dim_link(dim), H5P_DEFAULT) < 0)
        return cel_h5_fail(NC_EHDFERR, "dimension %s cannot be replaced by its variable", dim->name);
    ((struct cel_h5_dim *)dim->priv)->has_own_dataset = false;
    f->relink = true;
    return CEL_OK;
}

static int leave_scales(struct cel_h5_file *f, struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        struct cel_var *var = group->vars.at[i];
        struct cel_h5_var *v = var->priv;

        if (v && v->is_scale && !cel_h5_is_coord(var))
            rc = stop_being_scale(f, var);
    }
    for (i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];
        struct cel_h5_dim *d = dim->priv;

        if (d && d->has_own_dataset && dim->coord)
            rc = drop_scale(f, dim);
    }
    return rc;
}

/* After the links have their new names: what is a coordinate variable now is the scale, and
 * a dimension that lost its variable gets a dataset. */
static int take_scales(struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];
        struct cel_h5_dim *d = dim->priv;
        struct cel_h5_var *v = dim->coord ? dim->coord->priv : NULL;

        if (!d || d->has_own_dataset)
            continue; /* new, phony, or as it was */
        if (!dim->coord) {
            rc = cel_h5_save_dim(dim);
        } else if (v && (!v->is_scale || dim->coord->saved_name)) {
            rc = cel_h5_var_open(dim->coord);
            if (rc == CEL_OK && !v->is_scale)
                rc = cel_h5_att_drop(v->id, "DIMENSION_LIST");
            if (rc == CEL_OK)
                rc = cel_h5_become_scale(dim->coord);
        }
    }
    return rc;
}

/* --- links --------------------------------------------------------------------------------------- */

static int plan_var(struct renames *m, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    char *wanted = NULL;
    int rc = cel_h5_wanted_link(var, &wanted);

    if (rc == CEL_OK && strcmp(cel_h5_var_link(var), wanted) != 0 && var->id < m->first_var)
        m->first_var = var->id;
    if (rc == CEL_OK)
        rc = plan(m, cel_h5_var_link(var), wanted);
    if (rc != CEL_OK) {
        free(wanted);
        return rc;
    }
    free(v->link);
    v->link = wanted;
    return CEL_OK;
}

static int plan_all(struct renames *m, struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        struct cel_var *var = group->vars.at[i];

        if (var->priv && var->saved == CEL_CHANGED)
            rc = plan_var(m, var);
    }
    for (i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];
        struct cel_h5_dim *d = dim->priv;

        if (d && d->has_own_dataset && dim->saved_name)
            rc = plan(m, dim->saved_name, dim->name);
    }
    return rc;
}

static void forget_names(struct cel_group *group)
{
    size_t i;

    for (i = 0; i < group->vars.n; i++) {
        struct cel_var *var = group->vars.at[i];

        free(var->saved_name);
        var->saved_name = NULL;
    }
    for (i = 0; i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];

        free(dim->saved_name);
        dim->saved_name = NULL;
        if (dim->saved == CEL_CHANGED)
            dim->saved = CEL_SAVED;
    }
}

static bool anything_changed(const struct cel_group *group)
{
    size_t i;

    for (i = 0; i < group->vars.n; i++)
        if (((struct cel_var *)group->vars.at[i])->saved == CEL_CHANGED)
            return true;
    for (i = 0; i < group->dims.n; i++)
        if (((struct cel_dim *)group->dims.at[i])->saved == CEL_CHANGED)
            return true;
    return false;
}

int cel_h5_save_renames(struct cel_h5_file *f, struct cel_group *group)
{
    struct renames m = {.group = cel_h5_group_id(group), .first_var = INT_MAX};
    int rc;

    if (!anything_changed(group))
        return CEL_OK;
    rc = leave_scales(f, group);
    if (rc == CEL_OK)
        rc = plan_all(&m, group);
    if (rc == CEL_OK)
        rc = run_renames(&m);
    if (rc == CEL_OK)
        rc = keep_order(&m, group);
    if (rc == CEL_OK)
        rc = take_scales(group);
    if (rc == CEL_OK)
        forget_names(group);
    free_renames(&m);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "group %s", group->name);
}
