/* Means of cells, in place of their elements. */
#include "nd_mean.h"
#include "mem.h"
#include "nd_cells.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 8 };

/* One row of cells: its rows are at offset[] from its corner. */
struct mean_walk {
    const struct cel_mean *m;
    size_t *offset; /* in elements */
    size_t nrows;
    size_t side, len; /* along the last axis */
};

#define REAL float
#define BITS uint32_t
#define SWAP __builtin_bswap32
#define NAME(x) float_##x
#include "nd_mean_of.h"
#undef REAL
#undef BITS
#undef SWAP
#undef NAME
#define REAL double
#define BITS uint64_t
#define SWAP __builtin_bswap64
#define NAME(x) double_##x
#include "nd_mean_of.h"

/* Count at[] up through the rows of a cell; false after the last. */
static bool next_row(size_t *at, const size_t *n, int rank)
{
    for (int d = rank; d-- > 0;) {
        if (++at[d] < n[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static size_t list_rows(size_t *offset, int rank, const size_t *n, const size_t *stride)
{
    size_t at[CEL_CELLS_RANK] = {0}, count = 0;

    do {
        offset[count] = 0;
        for (int d = 0; d < rank; d++)
            offset[count] += at[d] * stride[d];
        count++;
    } while (next_row(at, n, rank));
    return count;
}

bool cel_mean_cells(const struct cel_mean *m, int rank, const size_t *dims, const size_t *side, void *data)
{
    size_t stride[CEL_CELLS_RANK], clipped[CEL_CELLS_RANK], corner[CEL_CELLS_RANK] = {0}, n[CEL_CELLS_RANK], rows = 1;
    size_t size = m->is_double ? 8 : 4;
    int last = rank - 1, d;
    struct mean_walk w = {.m = m};

    stride[last] = 1;
    for (d = last; d-- > 0;)
        stride[d] = stride[d + 1] * dims[d + 1];
    for (d = 0; d < rank; d++) {
        clipped[d] = side[d] < dims[d] ? side[d] : dims[d];
        rows *= d < last ? clipped[d] : 1;
    }
    w.side = clipped[last];
    w.len = dims[last];
    w.offset = malloc(rows * sizeof *w.offset);
    if (!w.offset)
        return false;
    do {
        size_t at = 0;
        for (d = 0; d < last; d++) {
            n[d] = dims[d] - corner[d] < clipped[d] ? dims[d] - corner[d] : clipped[d];
            at += corner[d] * stride[d];
        }
        w.nrows = list_rows(w.offset, last, n, stride);
        (m->is_double ? double_mean_of_strip : float_mean_of_strip)(&w, (char *)data + at * size);
        for (d = last; d-- > 0;) {
            corner[d] += clipped[d];
            if (corner[d] < dims[d])
                break;
            corner[d] = 0;
        }
    } while (d >= 0);
    free(w.offset);
    return true;
}

bool cel_mean_gather(const struct cel_mean *m, int rank, const size_t *dims, const size_t *side, const void *src, void *dst)
{
    struct cel_cells cells;
    void *means = cel_cells_init(&cells, rank, dims, side, m->is_double ? 8 : 4) ? cel_malloc(cells.nbytes) : NULL;
    bool ok = means;

    if (ok) {
        memcpy(means, src, cells.nbytes);
        ok = cel_mean_cells(m, rank, dims, side, means) && cel_cells_gather(&cells, means, dst);
    }
    free(means);
    return ok;
}
