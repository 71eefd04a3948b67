/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of more chunks than can be gone through: the cells, boxes of whole chunks of both, of which at least one side has stored
 * something, in order. All others hold one value on either side. Where chunk lengths agree a cell is a chunk. */

#include "diff.h"
#include "slab.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_MAX = 1 << 22 }; /* values of one: both sides of it lie in memory */

static size_t common_multiple(size_t a, size_t b)
{
    size_t x = a, y = b, multiple;

    while (y) {
        size_t rest = x % y;

        x = y;
        y = rest;
    }
    return x && !__builtin_mul_overflow(a / x, b, &multiple) ? multiple : SIZE_MAX;
}

/* Along one dimension. One that is longer than the variable is all of it. */
static size_t cell_length(const struct look_var *a, const struct look_var *b, int d)
{
    size_t n = common_multiple(a->piece[d], b->piece[d]);

    return n > a->shape[d] && a->piece[d] != b->piece[d] ? a->shape[d] : n;
}

bool diff_stored_can(const struct look_var *a, const struct look_var *b)
{
    size_t n = 1;
    bool same = true;

    if (!(a->too_many || b->too_many) || a->storage != NC_CHUNKED || b->storage != NC_CHUNKED)
        return false;
    for (int d = 0; d < a->ndims; d++) {
        same = same && a->piece[d] == b->piece[d];
        if (__builtin_mul_overflow(n, cell_length(a, b, d), &n))
            n = SIZE_MAX;
    }
    return same || n <= CELL_MAX;
}

/* --- which cells ------------------------------------------------------------------------------------ */

static void add_cells_of(struct diff_stored *s, int side, const struct look_var *v)
{
    struct look_pieces p;

    for (look_pieces_start(&p, v); p.more; look_pieces_next(&p)) {
        size_t number = 0;

        for (int d = 0; d < v->ndims; d++)
            number = number * s->n[d] + p.index[d] * v->piece[d] / s->cell[d];
        if (s->ncells && s->number[s->ncells - 1] == number)
            continue;
        s->number = tool_push(s->number, s->ncells, sizeof *s->number);
        s->number[s->ncells++] = number;
    }
    s->why[side] = p.why;
    p.why = NULL;
    look_pieces_end(&p);
}

static int compare_numbers(const void *x, const void *y)
{
    size_t a = *(const size_t *)x, b = *(const size_t *)y;

    return a < b ? -1 : a > b;
}

static void sort_once(struct diff_stored *s)
{
    size_t n = 0;

    if (s->ncells)
        qsort(s->number, s->ncells, sizeof *s->number, compare_numbers);
    for (size_t i = 0; i < s->ncells; i++)
        if (n == 0 || s->number[n - 1] != s->number[i])
            s->number[n++] = s->number[i];
    s->ncells = n;
}

void diff_stored_start(struct diff_stored *s, const struct look_var *a, const struct look_var *b)
{
    *s = (struct diff_stored){.a = a, .total = 1};
    s->cell = tool_alloc((size_t)a->ndims + 1, sizeof *s->cell);
    s->n = tool_alloc((size_t)a->ndims + 1, sizeof *s->n);
    for (int d = 0; d < a->ndims; d++) {
        s->cell[d] = cell_length(a, b, d);
        s->n[d] = a->shape[d] / s->cell[d] + (a->shape[d] % s->cell[d] != 0);
        s->total *= s->n[d]; /* no more than there are values */
    }
    add_cells_of(s, 0, a);
    add_cells_of(s, 1, b);
    sort_once(s);
}

void diff_stored_end(struct diff_stored *s)
{
    free(s->cell);
    free(s->n);
    free(s->number);
    free(s->why[0]);
    free(s->why[1]);
    *s = (struct diff_stored){0};
}

/* --- one after the other ------------------------------------------------------------------------------ */

static void go_to(const struct diff_stored *s, size_t number, struct slab *block)
{
    for (int d = block->ndims; d-- > 0; number /= s->n[d])
        block->start[d] = number % s->n[d] * s->cell[d];
}

bool diff_stored_next(struct diff_stored *s, struct slab *block)
{
    if (s->next == s->ncells)
        return false;
    go_to(s, s->number[s->next++], block);
    block->n = 1;
    for (int d = 0; d < block->ndims; d++) {
        size_t left = s->a->shape[d] - block->start[d];

        block->count[d] = left < s->cell[d] ? left : s->cell[d];
        block->n *= block->count[d];
    }
    s->values += block->n;
    return true;
}

bool diff_stored_absent(const struct diff_stored *s, struct slab *block)
{
    size_t number = 0;

    while (number < s->ncells && s->number[number] == number)
        number++;
    if (number == s->total)
        return false;
    go_to(s, number, block);
    for (int d = 0; d < block->ndims; d++)
        block->count[d] = 1;
    block->n = 1;
    return true;
}
