/* Renames, before anything else of a group is saved. A new name may also make a
 * variable the coordinate variable of a dimension, or stop it being one; then the
 * dimension's scale is another dataset, and every list of scales is written anew.
 * Links move in two steps, through names nobody uses, so that two objects may
 * exchange names. */
#include "h5_int.h"
#include <stdio.h>
#include <stdlib.h>

struct moves {
    hid_t group;
    struct cel_vec from, to; /* char * */
};

static int plan(struct moves *m, const char *from, const char *to)
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

static int move(hid_t group, const char *from, const char *to)
{
    if (H5Lmove(group, from, group, to, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return cel_h5_fail(NC_EHDFERR, "%s cannot be renamed to %s", from, to);
    return CEL_OK;
}

static int make_moves(const struct moves *m)
{
    char temporary[64];
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < m->from.n; i++) {
        snprintf(temporary, sizeof temporary, "_cellar_moving_%zu", i);
        rc = move(m->group, m->from.at[i], temporary);
    }
    for (i = 0; rc == CEL_OK && i < m->to.n; i++) {
        snprintf(temporary, sizeof temporary, "_cellar_moving_%zu", i);
        rc = move(m->group, temporary, m->to.at[i]);
    }
    return rc;
}

static void free_moves(struct moves *m)
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
    struct cel_h5_var *v = var->place;
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
    ((struct cel_h5_dim *)dim->place)->alone = false;
    f->relink = true;
    return CEL_OK;
}

static int leave_scales(struct cel_h5_file *f, struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        struct cel_var *var = group->vars.at[i];
        struct cel_h5_var *v = var->place;

        if (v && v->is_scale && !cel_h5_is_coord(var))
            rc = stop_being_scale(f, var);
    }
    for (i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];
        struct cel_h5_dim *d = dim->place;

        if (d && d->alone && dim->coord)
            rc = drop_scale(f, dim);
    }
    return rc;
}

/* After the links have moved: what is a coordinate variable now is the scale, and
 * a dimension that lost its variable gets a dataset. */
static int take_scales(struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];
        struct cel_h5_dim *d = dim->place;
        struct cel_h5_var *v = dim->coord ? dim->coord->place : NULL;

        if (!d || d->alone)
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

static int plan_var(struct moves *m, struct cel_var *var)
{
    struct cel_h5_var *v = var->place;
    char *wanted = NULL;
    int rc = cel_h5_wanted_link(var, &wanted);

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

static int plan_all(struct moves *m, struct cel_group *group)
{
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        struct cel_var *var = group->vars.at[i];

        if (var->place && var->saved == CEL_CHANGED)
            rc = plan_var(m, var);
    }
    for (i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        struct cel_dim *dim = group->dims.at[i];
        struct cel_h5_dim *d = dim->place;

        if (d && d->alone && dim->saved_name)
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
    struct moves m = {.group = cel_h5_group_id(group)};
    int rc;

    if (!anything_changed(group))
        return CEL_OK;
    rc = leave_scales(f, group);
    if (rc == CEL_OK)
        rc = plan_all(&m, group);
    if (rc == CEL_OK)
        rc = make_moves(&m);
    if (rc == CEL_OK)
        rc = take_scales(group);
    if (rc == CEL_OK)
        forget_names(group);
    free_moves(&m);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "group %s", group->name);
}
