/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_AXES_H
#define CEL_AXES_H

#include "codec.h"

/* The axes of a chunk for a codec that takes at most `most` (3 or 4) of them, slowest
 * first. Axes of length 1 are dropped; if more than `most` remain, the first two
 * are kept and the rest become one. Gives back how many there are, at least 1. */
int cel_axes(const struct cel_shape *shape, int most, size_t *dims);

#endif
