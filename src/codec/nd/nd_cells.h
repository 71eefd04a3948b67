/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ND_CELLS_H
#define CEL_ND_CELLS_H

/* The cell walk of NDCELL and NDMEAN. An array is cut into cells of side[i] elements along axis i. Edge
 * cells are smaller, never padded. Cells follow each other in C order, and so do the elements within a
 * cell. The HDF5 filters, the Zarr codecs and the Blosc2 plugins all use this code. */

#include "rank.h"
#include <stdbool.h>
#include <stddef.h>

struct cel_cells {
    int rank; /* without the axes that cel_cells_init has simplified away */
    size_t dims[CEL_RANK_MAX];
    size_t side[CEL_RANK_MAX];
    size_t stride[CEL_RANK_MAX]; /* bytes from one element of the array to the next */
    size_t elem;                 /* bytes that are always moved together: an element, or several */
    size_t nbytes;
    const struct cel_strip_kernel *kernel; /* first one to try, for tests; NULL: the best */
};

/* false: a side or length is 0, or the product overflows. Sides are clipped. */
bool cel_cells_init(struct cel_cells *c, int rank, const size_t *dims, const size_t *side, size_t elem);

/* The same where the array is a box of a larger one, whose elements are `stride` bytes apart along each axis. */
bool cel_cells_init_in(struct cel_cells *c, int rank, const size_t *dims, const size_t *side, size_t elem,
                       const size_t *stride);

/* false: no memory for a table of the rows of a cell. */
bool cel_cells_gather(const struct cel_cells *c, const void *src, void *dst); /* array -> cells */
/* Array -> cells -> byte planes of elements of `size` bytes: ndcell and shuffle in one pass. false: not
 * done (cells too large for the first cache, nothing changes position, no memory). */
bool cel_cells_gather_planes(const struct cel_cells *c, const void *src, void *dst, size_t size);
bool cel_cells_scatter(const struct cel_cells *c, const void *src, void *dst); /* cells -> array */
/* Byte planes of elements of `size` bytes -> cells -> array, which may be a box of a larger one. Not where
 * cel_cells_scatters_planes() says so. false: no memory. */
bool cel_cells_scatter_planes(const struct cel_cells *c, const void *src, void *dst, size_t size);
bool cel_cells_scatters_planes(const struct cel_cells *c, size_t size);

#endif
