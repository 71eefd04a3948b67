/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_TREEMAP_H
#define CELLAR_TREEMAP_H

/* A rectangle divided among numbers, each part as large as its number is and as near to a square as can be had row by row
 * (Bruls, Huizing, van Wijk 2000). */

#include <stddef.h>

struct treemap_part {
    double size; /* given, from the largest to the smallest */
    double x, y, width, height;
};

void treemap_divide(struct treemap_part *part, size_t n, double width, double height);

#endif
