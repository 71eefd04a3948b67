#ifndef CEL_ND_MEAN_H
#define CEL_ND_MEAN_H

#include <stdbool.h>
#include <stddef.h>

/* NDMEAN on an array in C order, in place: the elements of every cell become their
 * mean, where they are (cel_cells_gather then puts them cell by cell). The sum runs
 * in C order in the element type, from +0. */
struct cel_mean {
    bool is_double;
    bool swapped;           /* elements are not in the machine's byte order */
    bool keeps_special;     /* cells with a fill value, NaN or infinity, or whose sum overflows, stay exact */
    const unsigned char *fill; /* as the bytes lie in the chunk; NULL: none */
};
/* Both false: no memory. */
bool cel_mean_gather(const struct cel_mean *m, int rank, const size_t *dims, const size_t *side, const void *src,
                     void *dst); /* array -> means, cell by cell; src need not be aligned */
bool cel_mean_cells(const struct cel_mean *m, int rank, const size_t *dims, const size_t *side, void *data);

#endif
