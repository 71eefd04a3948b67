/* SPDX-License-Identifier: BSD-3-Clause */
/* No piece lies over another (that all lie inside their file is seen when they are read); a store has no chunks that its metadata does not know. */

#include "cellar.h"
#include "msg.h"
#include "verify.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PADDING = 3 }; /* classic variables begin at multiples of four */

static void not_found(void *arg, const struct look_var *v, const size_t *index, int status, const char *why)
{
    verify_note(arg, v, index, status == NC_NOERR || verify_is_not_looked(arg, status), "%s", why);
}

static void index_of(const struct look_var *v, size_t number, size_t *index)
{
    for (int d = v->ndims; d-- > 0;) {
        size_t n = v->piece[d] ? v->shape[d] / v->piece[d] + (v->shape[d] % v->piece[d] != 0) : 1;

        index[d] = number % n;
        number /= n;
    }
}

static void note_overlap(struct verify_job *job, const struct extent *x, const struct extent *other)
{
    const struct look_var *v = &job->look.var[x->var];
    size_t *index = tool_alloc((size_t)v->ndims + 1, sizeof *index);

    index_of(v, x->number, index);
    verify_note(job, v, index, false, "its %llu bytes overlap those of %s at offset %llu", x->size,
                job->look.var[other->var].path, other->address);
    free(index);
}

static bool same_value(const struct extent *a, const struct extent *b)
{
    return !a->key || !b->key || strcmp(a->key, b->key) == 0;
}

/* A classic file says where each variable lies: what none has is padding, or a hole. */
static void count_between(struct verify_job *job, unsigned long long from, unsigned long long to, bool first)
{
    struct verify_result *r = job->out;

    if (to <= from)
        return;
    r->between += to - from;
    if (job->look.format == LOOK_CLASSIC && !first && to - from > PADDING) {
        r->holes++;
        r->hole_bytes += to - from;
    }
}

void verify_extents(struct verify_job *job)
{
    struct extents *e = &job->extents;
    bool file = job->look.format != LOOK_ZARR;
    unsigned long long end = 0;
    const struct extent *last = NULL;

    extents_load(&job->look, not_found, job, e);
    for (size_t i = 0; i < e->n; i++) {
        const struct extent *x = &e->at[i];

        if (last && same_value(last, x) && x->address != CELLAR_NO_ADDRESS && x->address < end)
            note_overlap(job, x, last);
        if (file)
            count_between(job, end, x->address, i == 0);
        if (!last || !same_value(last, x) || x->address + x->size > end) {
            end = x->address == CELLAR_NO_ADDRESS ? 0 : x->address + x->size;
            last = x;
        }
    }
    if (file)
        count_between(job, end, job->look.size, e->n == 0);
    for (size_t i = 0; i < job->look.nvars; i++) {
        job->out->pieces += e->written[i];
        job->out->missing += e->missing[i];
    }
}

/* --- keys ------------------------------------------------------------------------------- */

static int compare_keys(const void *wanted, const void *at)
{
    return strcmp(wanted, ((const struct extent *)at)->key);
}

/* "c/0/3", "0.3", "0": how chunks are called below their array. */
static bool looks_like_chunk(const char *name)
{
    if (name[0] == 'c' && (name[1] == '/' || name[1] == '.'))
        name += 2;
    if (!isdigit((unsigned char)*name))
        return false;
    return name[strspn(name, "0123456789./")] == '\0';
}

/* The array below whose path the key lies as a chunk; NULL: it is no chunk's. */
static const struct look_var *array_of(const struct look *l, const char *key)
{
    for (size_t i = 0; i < l->nvars; i++) {
        const char *path = l->var[i].path + (l->var[i].path[0] == '/');
        size_t n = strlen(path);

        if (strncmp(key, path, n) == 0 && key[n] == '/' && looks_like_chunk(key + n + 1))
            return &l->var[i];
    }
    return NULL;
}

void verify_keys(struct verify_job *job)
{
    const struct extents *e = &job->extents;
    char *keys = NULL;
    int status;

    if (job->look.format != LOOK_ZARR)
        return;
    status = cellar_inq_keys(job->look.ncid, &keys);
    if (status) {
        char *why = msg_reason(status);
        verify_note(job, NULL, NULL, true, "%s", why);
        free(why);
    }
    for (const char *key = keys; key && *key; key += strlen(key) + 1) {
        const struct look_var *v = array_of(&job->look, key);

        if (v && !v->reason && !(e->n && bsearch(key, e->at, e->n, sizeof *e->at, compare_keys)))
            verify_note(job, v, NULL, false, "the store has the key %s, which is no chunk of an array of this shape",
                        key);
    }
    cellar_free(keys);
}
