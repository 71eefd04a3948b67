/* SPDX-License-Identifier: BSD-3-Clause */
/* The cell walk: an array, row by row in memory, becomes an array cell by cell, or the other way.
 *
 * Problem: the elements of a cell lie in many rows of the array, a few bytes in each. Copying cell by
 * cell touches one cache line of every row for a few bytes, then all of them again for the next cell.
 *
 * Idea: move a whole row of cells (a strip) at a time. In the array, a strip of cells with R rows each
 * is R streams of consecutive bytes. Each stream is cut into pieces of `unit` bytes, one per cell.
 *
 *        array, R = 3 streams             cells, one after the other
 *        a0 a1 a2 a3 ... stream 0         a0 b0 c0 | a1 b1 c1 | a2 b2 c2 | ...
 *        b0 b1 b2 b3 ... stream 1          cell 0     cell 1     cell 2
 *        c0 c1 c2 c3 ... stream 2
 *
 * Gathering is transposing this matrix of pieces, scattering is transposing it back; kernel_strip.c does
 * both in registers for the usual sizes of pieces. Every byte is read once and written once, and each
 * stream is read in order.
 *
 * Before the walk the shape is simplified (cel_cells_init). An axis of length 1 changes nothing. A last
 * axis that one cell covers is part of the piece. What is left has rank 0 or 1 where nothing changes
 * position, and then memcpy does.
 *
 * Why it is right: cells follow each other in C order, so the cells of a strip, whose corners differ in
 * the last axis only, are neighbours in the output; and the strips follow in C order of the other axes
 * (next_corner). Edge cells are smaller, never padded: list_streams clips the number of streams, `rest`
 * is the length of the last cell's pieces. So the output has exactly the bytes of the array.
 *
 * What it costs: near the speed of memcpy (bench_nd measures it against memcpy and c-blosc2). Arrays of 8 MiB
 * and more are written around the caches. What would break it: array and cells that overlap. */
#include "nd_cells.h"
#include "mem.h"
#include "nd_strip.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define STREAMING_FROM ((size_t)8 << 20)

static bool is_piece(const struct cel_cells *c)
{
    int last = c->rank - 1;

    return last >= 0 && c->side[last] == c->dims[last] && c->stride[last] == c->elem &&
           (last == 0 || c->stride[last - 1] == c->elem * c->dims[last]);
}

bool cel_cells_init_in(struct cel_cells *c, int rank, const size_t *dims, const size_t *side, size_t elem,
                       const size_t *stride)
{
    *c = (struct cel_cells){.elem = elem, .nbytes = elem};
    if (rank < 1 || rank > CEL_RANK_MAX || !elem)
        return false;
    for (int d = 0; d < rank; d++) {
        if (!dims[d] || !side[d] || __builtin_mul_overflow(c->nbytes, dims[d], &c->nbytes))
            return false;
        if (dims[d] == 1)
            continue; /* an axis of one element changes nothing */
        c->dims[c->rank] = dims[d];
        c->stride[c->rank] = stride[d];
        c->side[c->rank++] = side[d] < dims[d] ? side[d] : dims[d];
    }
    /* A last axis that one cell covers is part of the piece that is moved, where such pieces follow each other. */
    while (is_piece(c))
        c->elem *= c->dims[--c->rank];
    return true;
}

bool cel_cells_init(struct cel_cells *c, int rank, const size_t *dims, const size_t *side, size_t elem)
{
    size_t stride[CEL_RANK_MAX], step = elem;

    for (int d = rank < CEL_RANK_MAX ? rank : CEL_RANK_MAX; d-- > 0; step *= dims[d])
        stride[d] = step;
    return cel_cells_init_in(c, rank, dims, side, elem, stride);
}

/* --- one row of cells --------------------------------------------------------------- */

/* Pieces of the last, smaller cell. */
static void gather_rest(const struct cel_strip *s, const char *array, char *cells)
{
    cells += s->ncells * s->nstreams * s->unit;
    for (size_t r = 0; s->rest && r < s->nstreams; r++)
        memcpy(cells + r * s->rest, array + s->offset[r] + s->ncells * s->unit, s->rest);
}

static void scatter_rest(const struct cel_strip *s, const char *cells, char *array)
{
    cells += s->ncells * s->nstreams * s->unit;
    for (size_t r = 0; s->rest && r < s->nstreams; r++)
        memcpy(array + s->offset[r] + s->ncells * s->unit, cells + r * s->rest, s->rest);
}

static void gather_strip(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, char *cells,
                         void *context)
{
    (void)context;
    while (!k->usable() || !k->gather(s, array, cells))
        k++;
    gather_rest(s, array, cells);
}

static void scatter_strip(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, char *cells,
                          void *context)
{
    (void)context;
    while (!k->usable() || !k->scatter(s, cells, array))
        k++;
    scatter_rest(s, cells, array);
}

/* --- all rows of cells ------------------------------------------------------------------ */

struct walk {
    const struct cel_cells *c;
    size_t corner[CEL_RANK_MAX]; /* of the row of cells at hand */
    size_t *offset;              /* of each stream, from the corner */
    size_t most;                 /* streams of a row of whole cells */
};

/* Offsets of the streams of a row of cells, relative to its corner. */
static size_t list_streams(struct walk *w)
{
    const struct cel_cells *c = w->c;
    int last = c->rank - 1;
    size_t at[CEL_RANK_MAX] = {0}, n = 0, here = 0;

    for (;;) {
        int d = last;
        w->offset[n++] = here;
        for (; d-- > 0;) {
            size_t left = c->dims[d] - w->corner[d], p = left < c->side[d] ? left : c->side[d];
            here += w->c->stride[d];
            if (++at[d] < p)
                break;
            here -= at[d] * w->c->stride[d];
            at[d] = 0;
        }
        if (d < 0)
            return n;
    }
}

/* Whether a row of cells is whole in every axis: then it has the streams of every other such row. */
static bool is_whole(const struct walk *w)
{
    for (int d = w->c->rank - 1; d-- > 0;)
        if (w->c->dims[d] - w->corner[d] < w->c->side[d])
            return false;
    return true;
}

static bool next_corner(struct walk *w)
{
    for (int d = w->c->rank - 1; d-- > 0;) {
        w->corner[d] += w->c->side[d];
        if (w->corner[d] < w->c->dims[d])
            return true;
        w->corner[d] = 0;
    }
    return false;
}

static const struct cel_strip_kernel *best_kernel(const struct cel_cells *c)
{
    const struct cel_strip_kernel *k = c->kernel ? c->kernel : cel_strip_kernels;

    while (!k->usable())
        k++;
    return k;
}

/* One cell that is the whole array. */
static bool act_on_all(const struct cel_cells *c, char *array, char *cells, cel_strip_act *act, void *context)
{
    size_t start = 0;
    struct cel_strip s = {.offset = &start, .nstreams = 1, .unit = c->nbytes, .ncells = 1};

    act(best_kernel(c), &s, array, cells, context);
    return true;
}

bool cel_cells_walk(const struct cel_cells *c, char *array, char *cells, cel_strip_act *act, void *context)
{
    const struct cel_strip_kernel *k = best_kernel(c);
    struct walk w = {.c = c};
    struct cel_strip s;
    bool was_whole = false, whole;
    size_t few[256];
    int last = c->rank - 1;

    if (c->rank == 0)
        return act_on_all(c, array, cells, act, context);
    w.most = 1;
    for (int d = last; d-- > 0;)
        w.most *= c->side[d];
    w.offset = w.most <= 256 ? few : cel_malloc_array(w.most, sizeof *w.offset);
    if (!w.offset)
        return false;
    s.offset = w.offset;
    s.unit = c->side[last] * c->elem;
    s.ncells = c->dims[last] / c->side[last];
    s.rest = c->dims[last] % c->side[last] * c->elem;
    s.streaming = c->nbytes >= STREAMING_FROM;
    do {
        char *corner = array;
        for (int d = 0; d < last; d++)
            corner += w.corner[d] * c->stride[d];
        whole = is_whole(&w);
        if (!whole || !was_whole)
            s.nstreams = list_streams(&w);
        was_whole = whole;
        assert(s.nstreams <= w.most);
        act(k, &s, corner, cells, context);
        cells += s.nstreams * c->dims[last] * c->elem;
    } while (next_corner(&w));
    if (w.offset != few)
        free(w.offset);
#if defined(__SSE2__)
    if (s.streaming)
        _mm_sfence();
#endif
    return true;
}

/* One row of cells, or cells of one row: the order of the bytes does not change. */
static bool is_copy(const struct cel_cells *c)
{
    return c->rank < 2;
}

bool cel_cells_gather(const struct cel_cells *c, const void *src, void *dst)
{
    if (!is_copy(c))
        return cel_cells_walk(c, (char *)src, dst, gather_strip, NULL);
    memcpy(dst, src, c->nbytes);
    return true;
}

bool cel_cells_scatter(const struct cel_cells *c, const void *src, void *dst)
{
    if (!is_copy(c))
        return cel_cells_walk(c, dst, (char *)src, scatter_strip, NULL);
    memcpy(dst, src, c->nbytes);
    return true;
}

/* --- cells and byte planes in one pass ----------------------------------------------------- */

/* Cells of the usual sizes go straight into the planes (kernel_planes.c). Others, and what is left of a row, are
 * gathered in a small buffer until it is full, then shuffled from there: the cells never leave the first caches. */
#define STAGE ((size_t)16 << 10)
#define MOST_CELL (4 * STAGE)

struct planes {
    char *stage;
    size_t filled, cap; /* bytes */
    size_t most;        /* cells that are gathered in one go */
    unsigned char *dst;
    size_t size, n, done; /* of an element; elements in all, and so far */
};

static void flush_planes(struct planes *p)
{
    cel_shuffle_part(p->dst + p->done, p->stage, p->filled / p->size, p->n, p->size);
    p->done += p->filled / p->size;
    p->filled = 0;
}

/* As many cells as are gathered in one go: enough for the widest tiles. */
static size_t cells_a_part(size_t cell)
{
    size_t n = STAGE / cell;

    return n > 16 ? n / 16 * 16 : cell <= STAGE ? 16 : 1;
}

/* The most that one part needs, with the smaller last cell: of whole cells, as those at the edges are smaller. */
static size_t stage_bytes(size_t cell)
{
    return STAGE + (cells_a_part(cell) + 1) * cell;
}

/* A long row of cells goes in parts of whole cells, the smaller last one with the last. Gives the bytes of the part. */
static size_t strip_part(const struct cel_strip *s, size_t first, size_t most, struct cel_strip *out)
{
    bool is_last = s->ncells - first <= most;

    *out = *s;
    out->ncells = is_last ? s->ncells - first : most;
    out->rest = is_last ? s->rest : 0;
    out->streaming = false;
    return s->nstreams * (out->ncells * s->unit + out->rest);
}

static void stage_planes(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, struct planes *p)
{
    size_t g = 0, len;

    do {
        struct cel_strip part;

        len = strip_part(s, g, p->most, &part);
        if (p->filled + len > p->cap)
            flush_planes(p);
        assert(p->filled + len <= p->cap);
        gather_strip(k, &part, array + g * s->unit, p->stage + p->filled, NULL);
        p->filled += len;
        g += part.ncells;
    } while (g < s->ncells);
}

/* Straight into the planes: as many cells as that can be done with. What waits in the buffer lies before them. */
static size_t cells_to_planes(const struct cel_strip_kernel *k, const struct cel_strip *s, const char *array,
                              struct planes *p)
{
    unsigned char *dst = p->dst + p->done + (p->filled ? p->filled / p->size : 0);
    size_t ncells = k->planes ? k->planes(s, array, dst, p->n, p->size) : 0;
    if (ncells && p->filled)
        flush_planes(p);
    p->done += ncells * s->nstreams * s->unit / p->size; /* the only division of most rows */
    return ncells;
}

static void gather_planes(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, char *cells,
                          void *context)
{
    struct planes *p = context;
    size_t ncells = cells_to_planes(k, s, array, p);

    (void)cells;
    if (ncells < s->ncells || s->rest) {
        struct cel_strip left = *s;

        left.ncells -= ncells;
        stage_planes(k, &left, array + ncells * s->unit, p);
    }
}

/* Bytes of a whole cell; 0: more than are taken in one pass. */
static size_t cell_bytes(const struct cel_cells *c)
{
    size_t cell = c->elem;

    for (int d = 0; d < c->rank; d++)
        if (cell > MOST_CELL || (cell *= c->side[d]) > MOST_CELL)
            return 0;
    return cell;
}

bool cel_cells_gather_planes(const struct cel_cells *c, const void *src, void *dst, size_t size)
{
    struct planes p = {.dst = dst, .size = size, .n = c->nbytes / size};
    size_t cell = cell_bytes(c);
    bool ok;

    if (size == 1)
        return cel_cells_gather(c, src, dst);
    if (!cell || c->nbytes % size || c->elem % size)
        return false;
    if (is_copy(c)) {
        cel_shuffle(dst, src, p.n, size);
        return true;
    }
    p.most = cells_a_part(cell);
    p.cap = stage_bytes(cell);
    p.stage = cel_malloc(p.cap);
    ok = p.stage && cel_cells_walk(c, (char *)src, dst, gather_planes, &p);
    if (ok && p.filled)
        flush_planes(&p);
    free(p.stage);
    return ok;
}

/* --- and back ---------------------------------------------------------------------------------- */

/* Elements are put together in a small buffer, a few strips at a time, and go from there into the array. */
struct from_planes {
    const unsigned char *src;
    char *stage;
    size_t most;             /* cells that are scattered in one go */
    size_t size, n;          /* of an element; elements in all */
    size_t start, end, done; /* elements in the buffer, and so far */
};

/* The next elements. */
static char *take_staged(struct from_planes *p, size_t count)
{
    size_t at = p->done;

    if (at + count > p->end) {
        size_t most = count > STAGE / p->size ? count : STAGE / p->size;

        p->start = at;
        p->end = at + (most < p->n - at ? most : p->n - at);
        cel_unshuffle_part(p->stage, p->src + at, p->n, p->end - at, p->size, false);
    }
    p->done += count;
    assert(p->done <= p->end);
    return p->stage + (at - p->start) * p->size;
}

static void scatter_planes(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, char *cells,
                           void *context)
{
    struct from_planes *p = context;
    size_t g = 0;

    (void)cells;
    do {
        struct cel_strip part;
        size_t nbytes = strip_part(s, g, p->most, &part);

        scatter_strip(k, &part, array + g * s->unit, take_staged(p, nbytes / p->size), NULL);
        g += part.ncells;
    } while (g < s->ncells);
}

bool cel_cells_scatters_planes(const struct cel_cells *c, size_t size)
{
    return size > 0 && c->elem % size == 0 && (c->rank == 0 || (c->stride[c->rank - 1] == c->elem && cell_bytes(c)));
}

bool cel_cells_scatter_planes(const struct cel_cells *c, const void *src, void *dst, size_t size)
{
    struct from_planes p = {.src = src, .size = size, .n = c->nbytes / size};
    size_t cell = cell_bytes(c);
    bool ok;

    assert(cel_cells_scatters_planes(c, size));
    if (is_copy(c)) {
        cel_unshuffle(dst, src, p.n, size);
        return true;
    }
    p.most = cells_a_part(cell);
    p.stage = cel_malloc(stage_bytes(cell));
    ok = p.stage && cel_cells_walk(c, dst, (char *)src, scatter_planes, &p);
    free(p.stage);
    return ok;
}
