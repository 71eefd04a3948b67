/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: blocks of elements that lie in no regular order, as a list in which the elements come in the order of the shape,
 * box by box. Where blocks lie beside one another they are cut into rows first:
 *
 *     aabb      the elements come as a a b b, then a a b b, and so the list is
 *     aabb      row 1 of a, row 1 of b, row 2 of a, row 2 of b
 *
 * A box is the numbers of its first element, and those of its last. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { NUMBERS_MAX = 1 << 22 };  /* of a list: 32 MiB */
#define MOST ((uint64_t)1 << 56) /* elements: no file has as many */

static uint64_t *first_of(const struct cel_h5r_boxes *b, size_t i)
{
    return b->at + i * 2 * (size_t)b->rank;
}

static uint64_t *last_of(const struct cel_h5r_boxes *b, size_t i)
{
    return first_of(b, i) + b->rank;
}

static uint64_t length_of(const struct cel_h5r_boxes *b, size_t i, int dim)
{
    return last_of(b, i)[dim] - first_of(b, i)[dim] + 1;
}

/* Of its dimensions from `dim` up to `end`; no more than MOST. */
static uint64_t volume(const struct cel_h5r_boxes *b, size_t i, int dim, int end)
{
    uint64_t n = 1;

    for (; dim < end; dim++)
        if (__builtin_mul_overflow(n, length_of(b, i, dim), &n) || n > MOST)
            return MOST;
    return n;
}

static uint64_t total(const struct cel_h5r_boxes *b)
{
    uint64_t n = 0;

    for (size_t i = 0; i < b->n && n < MOST; i++)
        n += volume(b, i, 0, b->rank);
    return n < MOST ? n : MOST;
}

uint64_t cel_h5r_boxes_end(const struct cel_h5r_boxes *b, int dim)
{
    uint64_t end = 0;

    for (size_t i = 0; i < b->n; i++)
        end = last_of(b, i)[dim] >= end ? last_of(b, i)[dim] + 1 : end;
    return end;
}

int cel_h5r_boxes_make(int rank, uint64_t n, struct cel_h5r_boxes *out)
{
    *out = (struct cel_h5r_boxes){.rank = rank};
    if (n > NUMBERS_MAX / 2 / (unsigned)rank)
        return CEL_ASK_LIBHDF5;
    out->at = cel_malloc_array((size_t)n * 2 * (size_t)rank, sizeof *out->at);
    out->n = (size_t)n;
    return out->at ? CEL_OK : NC_ENOMEM;
}

void cel_h5r_boxes_dispose(struct cel_h5r_boxes *b)
{
    free(b->at);
    *b = (struct cel_h5r_boxes){0};
}

/* --- from a regular selection -------------------------------------------------------------------- */

/* The nth box: one element of each dimension before `dim`, one block of that one, and all of those behind it. */
static void set_box(const struct cel_h5r_axis *axis, const uint64_t *n, int dim, uint64_t nth, uint64_t *first,
                    uint64_t *last, int rank)
{
    for (int d = rank - 1; d > dim; d--) {
        first[d] = axis[d].start;
        last[d] = axis[d].start + n[d] - 1;
    }
    first[dim] = axis[dim].start + nth % (n[dim] / axis[dim].block) * axis[dim].stride;
    last[dim] = first[dim] + axis[dim].block - 1;
    nth /= n[dim] / axis[dim].block;
    for (int d = dim - 1; d >= 0; d--) {
        first[d] = last[d] = cel_h5r_axis_at(&axis[d], nth % n[d]);
        nth /= n[d];
    }
}

int cel_h5r_boxes_of_axes(const struct cel_h5r_axis *axis, const uint64_t *n, int rank, struct cel_h5r_boxes *out)
{
    uint64_t boxes;
    int dim = rank - 1, rc;

    for (int d = 0; d < rank; d++)
        if (n[d] == 0)
            return cel_h5r_boxes_make(rank, 0, out);
    while (dim > 0 && n[dim] <= axis[dim].block)
        dim--;
    boxes = n[dim] / axis[dim].block;
    for (int d = 0; d < dim; d++)
        if (__builtin_mul_overflow(boxes, n[d], &boxes))
            return CEL_ASK_LIBHDF5;
    if (n[dim] % axis[dim].block)
        return CEL_ASK_LIBHDF5;
    rc = cel_h5r_boxes_make(rank, boxes, out);
    for (size_t i = 0; rc == CEL_OK && i < out->n; i++)
        set_box(axis, n, dim, i, first_of(out, i), last_of(out, i), rank);
    return rc;
}

/* --- in order -------------------------------------------------------------------------------------- */

static int compare_at(const uint64_t *a, const uint64_t *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

static void merge(const struct cel_h5r_boxes *b, uint64_t *spare, size_t begin, size_t middle, size_t end)
{
    size_t width = 2 * (size_t)b->rank, i = begin, k = middle;

    for (size_t to = begin; to < end; to++) {
        bool left = k == end || (i < middle && compare_at(first_of(b, i), first_of(b, k), b->rank) <= 0);

        memcpy(spare + to * width, first_of(b, left ? i++ : k++), width * sizeof *spare);
    }
    memcpy(first_of(b, begin), spare + begin * width, (end - begin) * width * sizeof *spare);
}

/* By their first elements. */
static int sort(const struct cel_h5r_boxes *b)
{
    uint64_t *spare = cel_malloc_array(b->n * 2 * (size_t)b->rank, sizeof *spare);

    if (!spare)
        return NC_ENOMEM;
    for (size_t half = 1; half < b->n; half *= 2)
        for (size_t begin = 0; begin + half < b->n; begin += 2 * half)
            merge(b, spare, begin, begin + half, begin + 2 * half < b->n ? begin + 2 * half : b->n);
    free(spare);
    return CEL_OK;
}

/* Does each end before the next one begins? */
static bool is_ordered(const struct cel_h5r_boxes *b)
{
    for (size_t i = 1; i < b->n; i++)
        if (compare_at(last_of(b, i - 1), first_of(b, i), b->rank) >= 0)
            return false;
    return true;
}

static uint64_t *put_rows(const struct cel_h5r_boxes *b, size_t i, uint64_t *to)
{
    const uint64_t *first = first_of(b, i), *last = last_of(b, i);
    uint64_t rows = volume(b, i, 0, b->rank - 1);
    size_t rank = (size_t)b->rank;

    for (uint64_t row = 0; row < rows; row++, to += 2 * rank) {
        uint64_t rest = row;

        for (int d = b->rank - 2; d >= 0; d--) {
            to[d] = to[rank + (size_t)d] = first[d] + rest % length_of(b, i, d);
            rest /= length_of(b, i, d);
        }
        to[rank - 1] = first[rank - 1];
        to[2 * rank - 1] = last[rank - 1];
    }
    return to;
}

static int cut_rows(struct cel_h5r_boxes *b)
{
    struct cel_h5r_boxes rows;
    uint64_t n = 0, *to;
    int rc;

    for (size_t i = 0; i < b->n && n <= NUMBERS_MAX; i++)
        n += volume(b, i, 0, b->rank - 1);
    rc = cel_h5r_boxes_make(b->rank, n, &rows);
    to = rows.at;
    for (size_t i = 0; rc == CEL_OK && i < b->n; i++)
        to = put_rows(b, i, to);
    if (rc != CEL_OK)
        return rc;
    cel_h5r_boxes_dispose(b);
    *b = rows;
    return CEL_OK;
}

int cel_h5r_boxes_order(struct cel_h5r_boxes *b)
{
    int rc = sort(b);

    if (rc != CEL_OK || is_ordered(b))
        return rc;
    rc = cut_rows(b);
    if (rc == CEL_OK)
        rc = sort(b);
    if (rc == CEL_OK && !is_ordered(b))
        rc = cel_h5r_bad_message("selection", "its blocks lie over one another");
    return rc;
}

/* --- two lists, box by box --------------------------------------------------------------------------- */

static bool is_matched(const struct cel_h5r_boxes *a, const struct cel_h5r_boxes *b)
{
    bool same = a->n == b->n;

    for (size_t i = 0; same && i < a->n; i++)
        same = volume(a, i, 0, a->rank) == volume(b, i, 0, b->rank);
    return same;
}

/* Rows of `from`, cut where those of `by` end. */
static int cut_by(struct cel_h5r_boxes *from, const struct cel_h5r_boxes *by)
{
    int end = from->rank - 1, last = by->rank - 1, rc;
    struct cel_h5r_boxes out;
    size_t i = 0, k = 0, n = 0;
    uint64_t used = 0, used_by = 0;

    rc = cel_h5r_boxes_make(from->rank, from->n + by->n, &out);
    while (rc == CEL_OK && i < from->n && k < by->n) {
        uint64_t left = length_of(from, i, end) - used, left_by = length_of(by, k, last) - used_by,
                 step = left < left_by ? left : left_by;

        memcpy(first_of(&out, n), first_of(from, i), 2 * (size_t)from->rank * sizeof *out.at);
        first_of(&out, n)[end] += used;
        last_of(&out, n)[end] = first_of(&out, n)[end] + step - 1;
        n++;
        used = step == left ? 0 : used + step;
        used_by = step == left_by ? 0 : used_by + step;
        i += step == left;
        k += step == left_by;
    }
    if (rc != CEL_OK)
        return rc;
    out.n = n;
    cel_h5r_boxes_dispose(from);
    *from = out;
    return CEL_OK;
}

int cel_h5r_boxes_match(struct cel_h5r_boxes *a, struct cel_h5r_boxes *b)
{
    int rc;

    if (total(a) != total(b))
        return CEL_ASK_LIBHDF5;
    if (is_matched(a, b))
        return CEL_OK;
    rc = cut_rows(a);
    if (rc == CEL_OK)
        rc = cut_rows(b);
    if (rc == CEL_OK)
        rc = cut_by(a, b);
    return rc == CEL_OK ? cut_by(b, a) : rc;
}
