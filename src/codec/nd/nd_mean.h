/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ND_MEAN_H
#define CEL_ND_MEAN_H

#include <stdbool.h>
#include <stddef.h>

/* NDMEAN: the elements of every cell become their mean, cell by cell as cel_cells_gather
 * would put them. The sum runs in C order in the element type, from +0. */
struct cel_mean {
    bool is_double;
    bool swapped;              /* elements are not in the machine's byte order */
    bool keeps_special;        /* cells with a fill value, NaN or infinity, or whose sum overflows, stay exact */
    const unsigned char *fill; /* as the bytes lie in the chunk; NULL: none */
};

/* src need not be aligned. false: no memory, or no such shape. */
bool cel_mean_gather(const struct cel_mean *m, int rank, const size_t *dims, const size_t *side, const void *src,
                     void *dst);

#endif
