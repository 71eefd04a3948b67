/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a variable: whole trailing axes as far as they fit, a run along the
 * next axis, single steps along the ones before. */

#include "slab.h"
#include "text.h"
#include "types.h"
#include <stdlib.h>
#include <string.h>

static size_t clip(size_t v, size_t lo, size_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

void slab_start(struct slab *s, int ndims, const size_t *shape, const size_t *align, size_t most)
{
    size_t budget = most ? most : 1;

    memset(s, 0, sizeof *s);
    s->ndims = ndims;
    for (int d = ndims - 1; d >= 0; d--) {
        s->shape[d] = shape[d];
        s->step[d] = clip(budget, 1, shape[d] ? shape[d] : 1);
        if (align && s->step[d] < shape[d] && s->step[d] > align[d])
            s->step[d] -= s->step[d] % align[d]; /* a chunk is better met by one block only */
        budget = s->step[d] < shape[d] ? 1 : budget / s->step[d];
    }
}

void slab_start_boxes(struct slab *s, int ndims, const size_t *shape, const size_t *box)
{
    memset(s, 0, sizeof *s);
    s->ndims = ndims;
    for (int d = 0; d < ndims; d++) {
        s->shape[d] = shape[d];
        s->step[d] = box[d];
    }
}

static void set_counts(struct slab *s)
{
    s->n = 1;
    for (int d = 0; d < s->ndims; d++) {
        size_t left = s->shape[d] - s->start[d];
        s->count[d] = left < s->step[d] ? left : s->step[d];
        s->n *= s->count[d];
    }
}

void slab_seek(struct slab *s, const size_t *at)
{
    for (int d = 0; d < s->ndims; d++)
        s->start[d] = at[d] - at[d] % s->step[d];
    s->begun = true;
    set_counts(s);
}

bool slab_has(const struct slab *s, const size_t *at)
{
    for (int d = 0; d < s->ndims; d++)
        if (at[d] < s->start[d] || at[d] - s->start[d] >= s->count[d])
            return false;
    return true;
}

static bool is_empty(const struct slab *s)
{
    for (int d = 0; d < s->ndims; d++)
        if (!s->shape[d])
            return true;
    return false;
}

bool slab_next(struct slab *s)
{
    int d = s->ndims - 1;

    if (!s->begun) {
        s->begun = true;
        set_counts(s);
        return !is_empty(s);
    }
    for (; d >= 0; d--) {
        s->start[d] += s->step[d];
        if (s->start[d] < s->shape[d])
            break;
        s->start[d] = 0;
    }
    if (d < 0)
        return false;
    set_counts(s);
    return true;
}

int slab_each(int group, int varid, const struct type *type, int ndims, const size_t *shape, size_t most,
              slab_fn *visit, void *arg)
{
    struct slab s;
    size_t total = 1, at = 0;
    char *values;
    int status = NC_NOERR;

    for (int d = 0; d < ndims; d++)
        total *= shape[d];
    slab_start(&s, ndims, shape, NULL, most);
    values = tool_alloc(most < total ? most : total, type->size);
    while (status == NC_NOERR && slab_next(&s)) {
        status = nc_get_vara(group, varid, s.start, s.count, values);
        if (status)
            break;
        visit(arg, values, s.n, at);
        type_release(type, values, s.n);
        at += s.n;
    }
    free(values);
    return status;
}
