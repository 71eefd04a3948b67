/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BIT_PLANES_H
#define CEL_BIT_PLANES_H

/* Bit planes: n elements of `size` bytes become 8 x size rows of n / 8 bytes, first the lowest bit of the first byte
 * of each element, element 0 in the lowest bit; and back. n is a multiple of 8. `spare` has space for the elements,
 * twice to make planes, once to undo them. */

#include <stddef.h>

void cel_bit_planes_make(unsigned char *dst, const unsigned char *src, size_t n, size_t size, unsigned char *spare);
void cel_bit_planes_undo(unsigned char *dst, const unsigned char *src, size_t n, size_t size, unsigned char *spare);

#endif
