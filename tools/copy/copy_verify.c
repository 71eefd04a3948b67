/* SPDX-License-Identifier: BSD-3-Clause */
/* --verify: the output is read back and compared with the input, value by value.
 * Where the request itself loses digits the errors are measured instead. */

#include "copy.h"
#include "msg.h"
#include "slab.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double as_double(const struct type *t, const char *value)
{
    float f;
    double d;

    if (t->kind == NC_FLOAT) {
        memcpy(&f, value, sizeof f);
        return f;
    }
    memcpy(&d, value, sizeof d);
    return d;
}

/* False: a value became a number, or no number. */
static bool note_error(struct copy_var *v, const char *a, const char *b)
{
    double x = as_double(v->type, a), y = as_double(v->type, b), error = fabs(x - y);

    if (isfinite(x) != isfinite(y))
        return false;
    if (!isfinite(x))
        return type_equal(v->type, a, b);
    if (error > v->max_abs)
        v->max_abs = error;
    if (x != 0 && error / fabs(x) > v->max_rel)
        v->max_rel = error / fabs(x);
    return true;
}

static bool values_agree(struct copy_var *v, const char *a, const char *b)
{
    bool real = v->type->kind == NC_FLOAT || v->type->kind == NC_DOUBLE;

    return type_equal(v->type, a, b) || (v->lossy && real && note_error(v, a, b));
}

static void say_where(const struct copy *c, const struct copy_var *v, const struct slab *s, size_t at)
{
    struct text index = {0};
    size_t rest = at;
    size_t where[NC_MAX_VAR_DIMS];

    for (int d = v->ndims - 1; d >= 0; d--) {
        where[d] = s->start[d] + rest % s->count[d];
        rest /= s->count[d];
    }
    for (int d = 0; d < v->ndims; d++)
        text_printf(&index, "%s%zu", d ? "," : "", where[d]);
    msg_error("%s: verify: variable %s differs from the input at (%s)", c->req->out, v->path, text_get(&index));
    text_free(&index);
}

static bool verify_var(struct copy *c, struct copy_var *v, int group, int id, bool *same)
{
    struct slab s;
    size_t most = c->req->buffer / 2 / v->type->size;
    char *a, *b;
    int status = NC_NOERR;

    slab_start(&s, v->ndims, v->shape, v->was_chunked ? v->in_chunk : NULL, most);
    a = tool_alloc(most, v->type->size);
    b = tool_alloc(most, v->type->size);
    v->max_abs = v->max_rel = 0;
    while (status == NC_NOERR && *same && slab_next(&s)) {
        status = nc_get_vara(v->group, v->id, s.start, s.count, a);
        if (status)
            break;
        status = nc_get_vara(group, id, s.start, s.count, b);
        for (size_t i = 0; status == NC_NOERR && *same && i < s.n; i++)
            if (!values_agree(v, a + i * v->type->size, b + i * v->type->size)) {
                *same = false;
                say_where(c, v, &s, i);
            }
        type_release(v->type, a, s.n);
        if (status == NC_NOERR)
            type_release(v->type, b, s.n);
    }
    free(a);
    free(b);
    if (status)
        msg_nc(status, "%s: verify: variable %s", c->req->out, v->path);
    return status == NC_NOERR;
}

static int find_group(int root, const struct copy_var *v, int *out)
{
    char *path = walk_path(v->group);
    int status = NC_NOERR;

    *out = root;
    if (strcmp(path, "/") != 0)
        status = nc_inq_grp_full_ncid(root, path, out);
    free(path);
    return status;
}

/* The output is opened anew, so that what is compared is what lies on disk. */
bool copy_verify(struct copy *c, bool *same)
{
    char name[NC_MAX_NAME + 1];
    int root, group, id, status = nc_open(c->out_path, NC_NOWRITE, &root);
    bool ok = true;

    *same = true;
    if (status)
        return msg_nc(status, "%s: verify", c->req->out), false;
    for (size_t i = 0; ok && *same && i < c->nvars; i++) {
        struct copy_var *v = &c->var[i];
        if (!v->with_data || !v->nbytes)
            continue;
        status = find_group(root, v, &group);
        if (status == NC_NOERR)
            status = nc_inq_varname(v->group, v->id, name);
        if (status == NC_NOERR)
            status = nc_inq_varid(group, name, &id);
        if (status)
            ok = (msg_nc(status, "%s: verify: variable %s", c->req->out, v->path), false);
        else
            ok = verify_var(c, v, group, id, same);
    }
    nc_close(root);
    return ok;
}
