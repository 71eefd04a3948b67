/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of any rank for codecs that take three or four dimensions. */
#include "axes.h"

int cel_axes(const struct cel_shape *shape, int most, size_t *dims)
{
    size_t long_axes[CEL_RANK_MAX];
    int n = 0, d;

    for (d = 0; d < shape->rank; d++)
        if (shape->dims[d] != 1)
            long_axes[n++] = shape->dims[d];
    if (n == 0)
        long_axes[n++] = shape->nbytes / shape->elem_size;
    for (d = 0; d < n && d < most; d++)
        dims[d] = long_axes[d];
    if (n <= most)
        return n;
    dims[2] = 1;
    for (d = 2; d < n; d++)
        dims[2] *= long_axes[d];
    return 3;
}
