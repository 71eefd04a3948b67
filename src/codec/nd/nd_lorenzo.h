/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ND_LORENZO_H
#define CEL_ND_LORENZO_H

/* The n-dimensional Lorenzo predictor on a whole chunk. Forms by processor, the same bytes
 * from each. */

#include "codec.h"
#include "kernels.h"

/* The element size of the shape is 1, 2, 4 or 8. false: no memory. */
typedef bool cel_lorenzo_fn(const struct cel_shape *shape, const void *src, void *dst);
struct cel_lorenzo_kernel {
    const char *name; /* NULL ends the table */
    bool (*usable)(void);
    struct {
        cel_lorenzo_fn *forward, *backward;
    } by_log[4]; /* by the logarithm of the element size */
};
extern const struct cel_lorenzo_kernel cel_lorenzo_kernels[]; /* best first, portable last */

bool cel_lorenzo_forward(const struct cel_shape *shape, const void *src, void *dst);
bool cel_lorenzo_backward(const struct cel_shape *shape, const void *src, void *dst);

#endif
