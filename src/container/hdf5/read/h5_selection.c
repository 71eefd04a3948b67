/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections as files keep them: which elements of a shape are meant, in the order of the shape. Blocks are the same along
 * each dimension, or a list of boxes (h5_boxes.c). Points are left to libhdf5, which does not allow them where we read
 * selections: in virtual datasets.
 *
 *   kind(4): 0 none, 1 points, 2 blocks, 3 all; then
 *     none, all          1(4) 0(4) 0(4)
 *     blocks, version 1  1(4) 0(4) length(4) rank(4) number(4), then each block: its first element, its last (4 each)
 *             version 2  2(4) flags(1) length(4) rank(4), then for each dimension: start stride count block (8 each)
 *             version 3  3(4) flags(1) width(1) rank(4), then as version 2 or, without the flag, as version 1; the number,
 *                        too, has that width
 *   flags: 1 the blocks are regular
 * All bits set: as many as there are, in one dimension at most.
 * HDF5 File Format Specification version 3, VI ("Dataspace selections" of references), and III.F. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { KIND_NONE, KIND_POINTS, KIND_BLOCKS, KIND_ALL };
enum { REGULAR = 1 };
#define MOST ((uint64_t)1 << 48) /* elements along a dimension: no file is as long */
static const char what[] = "selection";

/* --- one dimension ------------------------------------------------------------------------- */

uint64_t cel_h5r_axis_length(const struct cel_h5r_axis *a)
{
    return a->count == UINT64_MAX ? UINT64_MAX : a->count * a->block;
}

uint64_t cel_h5r_axis_at(const struct cel_h5r_axis *a, uint64_t i)
{
    return a->start + i / a->block * a->stride + i % a->block;
}

uint64_t cel_h5r_axis_within(const struct cel_h5r_axis *a, uint64_t extent)
{
    uint64_t blocks, rest;

    if (extent <= a->start)
        return 0;
    blocks = (extent - a->start) / a->stride;
    rest = (extent - a->start) % a->stride;
    if (blocks >= a->count)
        return cel_h5r_axis_length(a);
    return blocks * a->block + (rest < a->block ? rest : a->block);
}

uint64_t cel_h5r_axis_end(const struct cel_h5r_axis *a, uint64_t n)
{
    return n == 0 ? 0 : cel_h5r_axis_at(a, n - 1) + 1;
}

/* Of one block the distance to the next means nothing; one without an end is as many of one element. */
static int check_axis(struct cel_h5r_axis *a)
{
    if (a->block == UINT64_MAX && a->count == 1)
        *a = (struct cel_h5r_axis){.start = a->start, .stride = 1, .count = UINT64_MAX, .block = 1};
    if (a->count == 1 && a->stride < a->block)
        a->stride = a->block;
    if (a->block == 0 || a->count == 0 || a->stride < a->block || a->start > MOST || a->stride > MOST)
        return cel_h5r_bad_message(what, "its blocks have impossible lengths");
    if (a->count != UINT64_MAX && a->count > MOST / a->stride)
        return cel_h5r_bad_message(what, "it has more elements than a shape");
    return CEL_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static int make_axes(struct cel_h5r_selection *s, uint64_t rank)
{
    if (rank == 0 || rank > CEL_RANK_MAX)
        return cel_h5r_bad_message(what, "it has an impossible number of dimensions");
    s->kind = CEL_H5R_SELECT_BLOCKS;
    s->rank = (int)rank;
    s->axis = cel_calloc((size_t)rank, sizeof *s->axis);
    return s->axis ? CEL_OK : NC_ENOMEM;
}

static uint64_t take_or_endless(struct cel_h5_bytes *b, size_t width)
{
    uint64_t v = cel_h5_take_number(b, width);

    return v == UINT64_MAX >> (64 - 8 * width) ? UINT64_MAX : v;
}

static int take_regular(struct cel_h5_bytes *b, uint64_t rank, size_t width, struct cel_h5r_selection *s)
{
    int rc = make_axes(s, rank);

    for (int i = 0; rc == CEL_OK && i < s->rank; i++) {
        struct cel_h5r_axis *a = &s->axis[i];

        a->start = cel_h5_take_number(b, width);
        a->stride = cel_h5_take_number(b, width);
        a->count = take_or_endless(b, width);
        a->block = take_or_endless(b, width);
        rc = b->ended ? cel_h5r_ended(b, what) : check_axis(a);
        if (rc != CEL_OK || a->count != UINT64_MAX)
            continue;
        if (s->endless >= 0)
            rc = cel_h5r_bad_message(what, "it has no end in two dimensions");
        s->endless = i;
    }
    return rc;
}

struct blocks { /* each: rank numbers of its first element, rank of its last */
    const unsigned char *p;
    uint64_t n;
    size_t width;
    int rank;
};

static uint64_t block_first(const struct blocks *l, uint64_t nth, int dim)
{
    return cel_get_le(l->p + ((size_t)nth * 2 * (size_t)l->rank + (size_t)dim) * l->width, l->width);
}

static uint64_t block_last(const struct blocks *l, uint64_t nth, int dim)
{
    return cel_get_le(l->p + ((size_t)nth * 2 * (size_t)l->rank + (size_t)(l->rank + dim)) * l->width, l->width);
}

/* How often blocks repeat along a dimension, when those of the dimensions behind it are `apart` blocks. */
static void guess_axis(const struct blocks *l, int dim, uint64_t apart, struct cel_h5r_axis *a)
{
    a->start = block_first(l, 0, dim);
    a->block = block_last(l, 0, dim) - a->start + 1;
    a->stride = a->block;
    a->count = 1;
    if (apart < l->n && block_first(l, apart, dim) > a->start)
        a->stride = block_first(l, apart, dim) - a->start;
    while (a->count * apart < l->n && block_first(l, a->count * apart, dim) == a->start + a->count * a->stride)
        a->count++;
}

static bool is_at(const struct blocks *l, uint64_t nth, const struct cel_h5r_selection *s)
{
    uint64_t rest = nth;

    for (int i = s->rank - 1; i >= 0; i--) {
        const struct cel_h5r_axis *a = &s->axis[i];
        uint64_t first = a->start + rest % a->count * a->stride;

        if (block_first(l, nth, i) != first || block_last(l, nth, i) != first + a->block - 1)
            return false;
        rest /= a->count;
    }
    return rest == 0;
}

/* They may be regular all the same: the oldest version knows no other way to write those. */
static int guess_axes(const struct blocks *l, struct cel_h5r_selection *s, bool *regular)
{
    uint64_t apart = 1;
    int rc = CEL_OK;

    *regular = true;
    for (int i = s->rank - 1; rc == CEL_OK && *regular && i >= 0; i--) {
        guess_axis(l, i, apart, &s->axis[i]);
        apart *= s->axis[i].count;
        *regular = s->axis[i].stride >= s->axis[i].block;
        if (*regular)
            rc = check_axis(&s->axis[i]);
    }
    for (uint64_t n = 0; rc == CEL_OK && *regular && n < l->n; n++)
        *regular = apart == l->n && is_at(l, n, s);
    return rc;
}

static int make_boxes(const struct blocks *l, struct cel_h5r_selection *s)
{
    int rc = cel_h5r_boxes_make(l->rank, l->n, &s->boxes);
    uint64_t *to = s->boxes.at;

    s->kind = CEL_H5R_SELECT_BOXES;
    for (uint64_t n = 0; rc == CEL_OK && n < l->n; n++) {
        for (int i = 0; i < l->rank; i++)
            *to++ = block_first(l, n, i);
        for (int i = 0; i < l->rank; i++)
            *to++ = block_last(l, n, i);
    }
    return rc == CEL_OK ? cel_h5r_boxes_order(&s->boxes) : rc;
}

static int check_blocks(const struct blocks *l)
{
    for (uint64_t n = 0; n < l->n; n++)
        for (int i = 0; i < l->rank; i++)
            if (block_last(l, n, i) < block_first(l, n, i) || block_last(l, n, i) > MOST)
                return cel_h5r_bad_message(what, "a block ends before it begins, or nowhere");
    return CEL_OK;
}

static int take_listed(struct cel_h5_bytes *b, uint64_t rank, size_t width, struct cel_h5r_selection *s)
{
    struct blocks l = {.width = width, .n = cel_h5_take_number(b, width)};
    int rc = make_axes(s, rank);
    bool regular;

    if (rc != CEL_OK)
        return rc;
    l.rank = s->rank;
    if (l.n == 0 || l.n > b->n / (2 * (size_t)s->rank * width))
        return cel_h5r_bad_message(what, "it ends too early");
    l.p = cel_h5_take(b, (size_t)l.n * 2 * (size_t)s->rank * width);
    rc = check_blocks(&l);
    if (rc == CEL_OK)
        rc = guess_axes(&l, s, &regular);
    return rc == CEL_OK && !regular ? make_boxes(&l, s) : rc;
}

static int take_blocks(struct cel_h5_bytes *b, uint64_t version, struct cel_h5r_selection *s)
{
    uint64_t flags = cel_h5_take_number(b, version == 1 ? 4 : 1), rank;
    size_t width = version == 1 ? 4 : 8;

    if (version == 3)
        width = (size_t)cel_h5_take_number(b, 1);
    else
        cel_h5_take(b, 4); /* length of what follows */
    rank = cel_h5_take_number(b, 4);
    if (b->ended || version < 1 || version > 3)
        return b->ended ? cel_h5r_ended(b, what) : CEL_ASK_LIBHDF5;
    if (width != 2 && width != 4 && width != 8)
        return cel_h5r_bad_message(what, "its numbers have an impossible size");
    if (version > 1 && (flags & REGULAR))
        return take_regular(b, rank, width, s);
    return version == 2 ? CEL_ASK_LIBHDF5 : take_listed(b, rank, width, s);
}

/* --- all kinds ----------------------------------------------------------------------------------- */

int cel_h5r_selection_take(struct cel_h5_bytes *b, struct cel_h5r_selection *out)
{
    uint64_t kind = cel_h5_take_number(b, 4), version = cel_h5_take_number(b, 4);

    *out =
        (struct cel_h5r_selection){.kind = kind == KIND_ALL ? CEL_H5R_SELECT_ALL : CEL_H5R_SELECT_NONE, .endless = -1};
    if (kind == KIND_BLOCKS)
        return take_blocks(b, version, out);
    if (kind == KIND_POINTS || (!b->ended && kind > KIND_ALL))
        return CEL_ASK_LIBHDF5;
    cel_h5_take(b, 8);
    return cel_h5r_ended(b, what);
}

void cel_h5r_selection_dispose(struct cel_h5r_selection *s)
{
    free(s->axis);
    cel_h5r_boxes_dispose(&s->boxes);
    *s = (struct cel_h5r_selection){0};
}
