/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions, variables, attributes: by their names, in any order. */

#include "diff.h"
#include "msg.h"
#include "cdl_value.h"
#include "tool_att.h"
#include <stdlib.h>
#include <string.h>

void diff_note(struct diff *d, const char *fmt, ...)
{
    struct text t = {0};
    va_list ap;

    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    d->structure = tool_push(d->structure, d->nstructure, sizeof *d->structure);
    d->structure[d->nstructure++] = text_take(&t);
}

/* --- groups of the same path ------------------------------------------------------------------- */

static bool find_group(int root, const char *path, int *out)
{
    *out = root;
    return strcmp(path, "/") == 0 || nc_inq_grp_full_ncid(root, path, out) == NC_NOERR;
}

struct side {
    struct diff *d;
    const struct look *here, *other;
    bool both; /* what both have is compared now, not only what is missing */
};

static void compare_dim(struct side *s, int group, int other, int dimid, const char *path)
{
    char name[NC_MAX_NAME + 1];
    size_t len, other_len;
    int id;

    if (nc_inq_dim(group, dimid, name, &len) != NC_NOERR)
        return;
    if (nc_inq_dimid(other, name, &id) != NC_NOERR || nc_inq_dimlen(other, id, &other_len) != NC_NOERR)
        diff_note(s->d, "dimension %s%s%s is only in %s", path[1] ? path : "", path[1] ? "/" : "", name, s->here->path);
    else if (s->both && len != other_len)
        diff_note(s->d, "dimension %s%s%s: %zu and %zu", path[1] ? path : "", path[1] ? "/" : "", name, len, other_len);
}

/* --- attributes ------------------------------------------------------------------------------------ */

static bool values_equal(const struct att *a, const struct att *b)
{
    if (a->n != b->n || a->type->kind != b->type->kind || a->type->size != b->type->size)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!type_equal(a->type, a->values + i * a->type->size, b->values + i * b->type->size))
            return false;
    return true;
}

static void put_att(struct text *out, const struct att *a)
{
    static const struct cdl_digits digits = {9, 17};

    if (a->type->kind == NC_CHAR) {
        cdl_put_quoted(out, a->values, a->n, "\\n");
        return;
    }
    for (size_t i = 0; i < a->n && i < 5; i++) {
        text_puts(out, i ? ", " : "");
        cdl_put_tagged(out, a->type, a->values + i * a->type->size, &digits);
    }
    if (a->n > 5)
        text_puts(out, ", ...");
}

static bool is_ignored(const struct diff_request *req, const char *name)
{
    for (size_t i = 0; i < req->ignore.n; i++)
        if (strcmp(req->ignore.name[i], name) == 0)
            return true;
    return false;
}

static void compare_att(struct side *s, int group, int var, int other, int other_var, int nth, const char *where)
{
    struct att a = {0}, b = {0};
    struct text x = {0}, y = {0};

    if (att_get_nth(&s->here->types, group, var, nth, &a) != NC_NOERR || is_ignored(s->d->req, a.name)) {
        att_free(&a);
        return;
    }
    if (att_get(&s->other->types, other, other_var, a.name, &b) != NC_NOERR) {
        diff_note(s->d, "%s:%s is only in %s", where, a.name, s->here->path);
    } else if (s->both && !values_equal(&a, &b)) {
        put_att(&x, &a);
        put_att(&y, &b);
        diff_note(s->d, "%s:%s: %s and %s", where, a.name, text_get(&x), text_get(&y));
    }
    att_free(&a);
    att_free(&b);
    text_free(&x);
    text_free(&y);
}

static void compare_atts(struct side *s, int group, int var, int other, int other_var, const char *where)
{
    int n = 0;

    if (s->d->req->no_attributes ||
        (var == NC_GLOBAL ? nc_inq_natts(group, &n) : nc_inq_varnatts(group, var, &n)) != NC_NOERR)
        return;
    for (int i = 0; i < n; i++)
        compare_att(s, group, var, other, other_var, i, where);
}

static int compare_group(int group, void *arg)
{
    struct side *s = arg;
    struct walk_ids dims = {0};
    char *path = walk_path(group);
    int other, status = path ? walk_dims(group, &dims) : NC_EBADID;

    if (status == NC_NOERR && !find_group(s->other->ncid, path, &other)) {
        diff_note(s->d, "group %s is only in %s", path, s->here->path);
    } else if (status == NC_NOERR) {
        for (int i = 0; i < dims.n; i++)
            compare_dim(s, group, other, dims.at[i], path);
        compare_atts(s, group, NC_GLOBAL, other, NC_GLOBAL, path[1] ? path : "");
    }
    walk_free(&dims);
    free(path);
    return status;
}

/* --- variables ------------------------------------------------------------------------------------------ */

static const struct look_var *find_var(const struct look *l, const char *path)
{
    for (size_t i = 0; i < l->nvars; i++)
        if (strcmp(l->var[i].path, path) == 0)
            return &l->var[i];
    return NULL;
}

/* Dimensions of arrays that have no names for them differ in name only. */
static bool same_shape(struct diff *d, const struct look_var *a, const struct look_var *b)
{
    char *x, *y;
    bool same = a->ndims == b->ndims;

    for (int i = 0; same && i < a->ndims; i++)
        same = a->shape[i] == b->shape[i];
    if (!same) {
        x = look_lengths(a->shape, a->ndims);
        y = look_lengths(b->shape, b->ndims);
        diff_note(d, "%s: shape %s and %s", a->path, x, y);
        free(x);
        free(y);
        return false;
    }
    for (int i = 0; i < a->ndims; i++)
        if (strcmp(a->dim[i], b->dim[i]) != 0)
            diff_note(d, "%s: dimension %d is %s and %s", a->path, i, a->dim[i], b->dim[i]);
    return true;
}

static void compare_pair(struct side *s, const struct look_var *a, const struct look_var *b)
{
    struct diff *d = s->d;

    if (a->type && b->type && (a->type->kind != b->type->kind || strcmp(a->type->name, b->type->name) != 0))
        diff_note(d, "%s: type %s and %s", a->path, a->type->name, b->type->name);
    compare_atts(s, a->group, a->id, b->group, b->id, a->path);
    if (!same_shape(d, a, b))
        return;
    d->var = tool_push(d->var, d->nvars, sizeof *d->var);
    d->var[d->nvars++] = (struct diff_var){.a = a, .b = b};
}

static void compare_vars(struct side *s)
{
    for (size_t i = 0; i < s->here->nvars; i++) {
        const struct look_var *v = &s->here->var[i], *w = find_var(s->other, v->path);

        if (s->d->req->only.n && !select_has_var(&s->d->req->only, v->group, v->id))
            continue;
        if (!w)
            diff_note(s->d, "variable %s is only in %s", v->path, s->here->path);
        else if (s->both)
            compare_pair(s, v, w);
        else
            compare_atts(s, v->group, v->id, w->group, w->id, v->path);
    }
}

void diff_structure(struct diff *d)
{
    struct side forth = {d, &d->a, &d->b, true}, back = {d, &d->b, &d->a, false};

    walk_all(d->a.ncid, compare_group, &forth);
    walk_all(d->b.ncid, compare_group, &back);
    compare_vars(&forth);
    compare_vars(&back);
}
