/* The cells along the last axis of one row of cells are visited together: their
 * rows are as many streams in the array, and lie one after the other in the cell
 * order. So one step is: from each stream a piece of `unit` bytes, side by side.
 * Pieces of the usual sizes have loops of their own, in which a move is one or two
 * registers. Beyond the caches, full lines are written around them. */
#include "nd_cells.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define STREAMING_FROM ((size_t)8 << 20)

bool cel_cells_init(struct cel_cells *c, int rank, const size_t *dims, const size_t *side, size_t elem)
{
    *c = (struct cel_cells){.elem = elem, .nbytes = elem};
    if (rank < 1 || rank > CEL_CELLS_RANK || !elem)
        return false;
    for (int d = 0; d < rank; d++) {
        if (!dims[d] || !side[d] || __builtin_mul_overflow(c->nbytes, dims[d], &c->nbytes))
            return false;
        if (dims[d] == 1)
            continue; /* an axis of one element changes nothing */
        c->dims[c->rank] = dims[d];
        c->side[c->rank++] = side[d] < dims[d] ? side[d] : dims[d];
    }
    /* A last axis that one cell covers is part of the piece that is moved. */
    while (c->rank > 0 && c->side[c->rank - 1] == c->dims[c->rank - 1])
        c->elem *= c->dims[--c->rank];
    return true;
}

/* --- one row of cells --------------------------------------------------------------- */

struct strip {
    const size_t *offset; /* of each stream in the array */
    size_t nstreams;
    size_t unit;          /* bytes of a piece */
    size_t ncells;        /* whole ones */
    size_t rest;          /* bytes of a piece of the last, smaller cell; 0: none */
    bool streaming;
};

static inline void gather_fixed(const struct strip *s, const char *array, char *cells, size_t unit)
{
    for (size_t g = 0; g < s->ncells; g++)
        for (size_t r = 0; r < s->nstreams; r++, cells += unit)
            memcpy(cells, array + s->offset[r] + g * unit, unit);
}

static inline void scatter_fixed(const struct strip *s, const char *cells, char *array, size_t unit)
{
    for (size_t g = 0; g < s->ncells; g++)
        for (size_t r = 0; r < s->nstreams; r++, cells += unit)
            memcpy(array + s->offset[r] + g * unit, cells, unit);
}

/* Four lines ahead of each stream are asked for; cells are written around the caches. */
#if defined(__SSE2__)
static inline void gather_streaming(const struct strip *s, const char *array, char *cells, size_t unit)
{
    for (size_t g = 0; g < s->ncells; g++)
        for (size_t r = 0; r < s->nstreams; r++, cells += unit) {
            const char *from = array + s->offset[r] + g * unit;
            if (g * unit % 64 == 0)
                __builtin_prefetch(from + 512, 0, 0);
            for (size_t i = 0; i < unit; i += 16)
                _mm_stream_si128((__m128i *)(cells + i), _mm_loadu_si128((const __m128i *)(from + i)));
        }
}

/* A whole line of each stream at a time: as many cells as make 64 bytes. */
static inline void scatter_streaming(const struct strip *s, const char *cells, char *array, size_t unit)
{
    size_t together = 64 / unit, cell = s->nstreams * unit, g = 0;

    for (; g + together <= s->ncells; g += together, cells += together * cell)
        for (size_t r = 0; r < s->nstreams; r++) {
            char *to = array + s->offset[r] + g * unit;
            const char *from = cells + r * unit;
            __builtin_prefetch(from + 4 * together * cell, 0, 0);
            for (size_t k = 0; k < together; k++)
                for (size_t i = 0; i < unit; i += 16)
                    _mm_stream_si128((__m128i *)(to + k * unit + i), _mm_loadu_si128((const __m128i *)(from + k * cell + i)));
        }
    for (; g < s->ncells; g++)
        for (size_t r = 0; r < s->nstreams; r++, cells += unit)
            memcpy(array + s->offset[r] + g * unit, cells, unit);
}
#endif

static void gather_strip(const struct strip *s, const char *array, char *cells)
{
#if defined(__SSE2__)
    if (s->streaming && (uintptr_t)cells % 16 == 0)
        switch (s->unit) {
        case 16: gather_streaming(s, array, cells, 16); goto rest;
        case 32: gather_streaming(s, array, cells, 32); goto rest;
        case 64: gather_streaming(s, array, cells, 64); goto rest;
        }
#endif
    switch (s->unit) {
    case 1: gather_fixed(s, array, cells, 1); break;
    case 2: gather_fixed(s, array, cells, 2); break;
    case 4: gather_fixed(s, array, cells, 4); break;
    case 8: gather_fixed(s, array, cells, 8); break;
    case 16: gather_fixed(s, array, cells, 16); break;
    case 32: gather_fixed(s, array, cells, 32); break;
    case 64: gather_fixed(s, array, cells, 64); break;
    default: gather_fixed(s, array, cells, s->unit);
    }
    goto rest;
rest:
    cells += s->ncells * s->nstreams * s->unit;
    for (size_t r = 0; s->rest && r < s->nstreams; r++)
        memcpy(cells + r * s->rest, array + s->offset[r] + s->ncells * s->unit, s->rest);
}

static bool lines_are_whole(const struct strip *s, const char *array)
{
    for (size_t r = 0; r < s->nstreams; r++)
        if (((uintptr_t)array + s->offset[r]) % 64)
            return false;
    return true;
}

static void scatter_strip(const struct strip *s, const char *cells, char *array)
{
#if defined(__SSE2__)
    if (s->streaming && lines_are_whole(s, array))
        switch (s->unit) {
        case 16: scatter_streaming(s, cells, array, 16); goto rest;
        case 32: scatter_streaming(s, cells, array, 32); goto rest;
        case 64: scatter_streaming(s, cells, array, 64); goto rest;
        }
#endif
    switch (s->unit) {
    case 1: scatter_fixed(s, cells, array, 1); break;
    case 2: scatter_fixed(s, cells, array, 2); break;
    case 4: scatter_fixed(s, cells, array, 4); break;
    case 8: scatter_fixed(s, cells, array, 8); break;
    case 16: scatter_fixed(s, cells, array, 16); break;
    case 32: scatter_fixed(s, cells, array, 32); break;
    case 64: scatter_fixed(s, cells, array, 64); break;
    default: scatter_fixed(s, cells, array, s->unit);
    }
    goto rest;
rest:
    cells += s->ncells * s->nstreams * s->unit;
    for (size_t r = 0; s->rest && r < s->nstreams; r++)
        memcpy(array + s->offset[r] + s->ncells * s->unit, cells + r * s->rest, s->rest);
}

/* --- all rows of cells ------------------------------------------------------------------ */

struct walk {
    const struct cel_cells *c;
    size_t stride[CEL_CELLS_RANK]; /* bytes */
    size_t corner[CEL_CELLS_RANK]; /* of the row of cells at hand */
    size_t *offset;
    size_t room;
};

/* Offsets of the streams of a row of cells, relative to its corner. */
static size_t list_streams(struct walk *w)
{
    const struct cel_cells *c = w->c;
    int last = c->rank - 1;
    size_t at[CEL_CELLS_RANK] = {0}, n = 0, here = 0;

    for (;;) {
        int d = last;
        w->offset[n++] = here;
        for (; d-- > 0;) {
            size_t left = c->dims[d] - w->corner[d], p = left < c->side[d] ? left : c->side[d];
            here += w->stride[d];
            if (++at[d] < p)
                break;
            here -= at[d] * w->stride[d];
            at[d] = 0;
        }
        if (d < 0)
            return n;
    }
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

typedef void strip_fn(const struct strip *s, char *array, char *cells, void *context);

/* Calls act for each row of cells, with its corner in the array and its place among
 * the cells. false: no memory for the table of streams. */
static bool walk(const struct cel_cells *c, char *array, char *cells, strip_fn *act, void *context)
{
    struct walk w = {.c = c};
    struct strip s;
    size_t few[256];
    int last = c->rank - 1;

    w.room = 1;
    w.stride[last] = c->elem;
    for (int d = last; d-- > 0;) {
        w.stride[d] = w.stride[d + 1] * c->dims[d + 1];
        w.room *= c->side[d];
    }
    w.offset = w.room <= 256 ? few : malloc(w.room * sizeof *w.offset);
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
            corner += w.corner[d] * w.stride[d];
        s.nstreams = list_streams(&w);
        act(&s, corner, cells, context);
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

static void gather_act(const struct strip *s, char *array, char *cells, void *context)
{
    (void)context;
    gather_strip(s, array, cells);
}

static void scatter_act(const struct strip *s, char *array, char *cells, void *context)
{
    (void)context;
    scatter_strip(s, cells, array);
}

/* One row of cells, or cells of one row: nothing changes place. */
static bool is_copy(const struct cel_cells *c)
{
    return c->rank < 2;
}

bool cel_cells_gather(const struct cel_cells *c, const void *src, void *dst)
{
    if (!is_copy(c))
        return walk(c, (char *)src, dst, gather_act, NULL);
    memcpy(dst, src, c->nbytes);
    return true;
}

bool cel_cells_scatter(const struct cel_cells *c, const void *src, void *dst)
{
    if (!is_copy(c))
        return walk(c, dst, (char *)src, scatter_act, NULL);
    memcpy(dst, src, c->nbytes);
    return true;
}
