#ifndef CEL_ND_CELLS_H
#define CEL_ND_CELLS_H

/* The cell walk of NDCELL and NDMEAN: an array is cut into cells of side[i] along
 * axis i, edge cells are smaller, never padded; cells follow each other in C order,
 * and within a cell its rows in C order. One kernel, used by the HDF5 filters, the
 * Zarr codecs and the Blosc2 plugins. */

#include "rank.h"
#include <stdbool.h>
#include <stddef.h>

struct cel_cells {
    int rank; /* after axes that do not matter were merged away */
    size_t dims[CEL_RANK_MAX];
    size_t side[CEL_RANK_MAX];
    size_t elem; /* bytes of what is moved as one piece */
    size_t nbytes;
    const struct cel_strip_kernel *kernel; /* where to start in the table; NULL: at its head */
};

/* false: a side or length is 0, or the product overflows. Sides are clipped. */
bool cel_cells_init(struct cel_cells *c, int rank, const size_t *dims, const size_t *side, size_t elem);

/* false: no memory for a table of the rows of a cell. */
bool cel_cells_gather(const struct cel_cells *c, const void *src, void *dst); /* array -> cells */
/* Array -> cells -> byte planes of elements of `size` bytes: ndcell and shuffle in one. false: not
 * this shape (cells too large for a first cache, nothing to move, no memory). */
bool cel_cells_gather_planes(const struct cel_cells *c, const void *src, void *dst, size_t size);
bool cel_cells_scatter(const struct cel_cells *c, const void *src, void *dst); /* cells -> array */

#endif
