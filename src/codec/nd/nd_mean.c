/* SPDX-License-Identifier: BSD-3-Clause */
/* Means of cells, written cell by cell: one pass over the array. */
#include "nd_mean.h"
#include "nd_cells.h"
#include "nd_strip.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { TOGETHER = 8 };

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

static void mean_strip(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, char *cells,
                       void *context)
{
    const struct cel_mean *m = context;

    (void)k;
    (m->is_double ? double_mean_of_strip : float_mean_of_strip)(m, s, array, cells);
}

bool cel_mean_gather(const struct cel_mean *m, int rank, const size_t *dims, const size_t *side, const void *src,
                     void *dst)
{
    struct cel_cells cells;

    return cel_cells_init(&cells, rank, dims, side, m->is_double ? 8 : 4) &&
           cel_cells_walk(&cells, (char *)src, dst, mean_strip, (void *)m);
}
