/* SPDX-License-Identifier: BSD-3-Clause */
/* First a byte shuffle; then, in each byte plane, 8 bytes at a time are transposed as a matrix of 8 x 8 bits; a byte
 * shuffle of these gives the rows of bits. */
#include "bit_planes.h"
#include "kernels.h"

void cel_bit_planes_make(unsigned char *dst, const unsigned char *src, size_t n, size_t size, unsigned char *spare)
{
    unsigned char *planes = spare, *turned = planes + n * size;

    if (size > 1)
        cel_shuffle(planes, src, n, size);
    cel_transpose_bits(turned, size > 1 ? planes : src, n * size / 8);
    for (size_t k = 0; k < size; k++)
        cel_shuffle(dst + k * n, turned + k * n, n / 8, 8);
}

void cel_bit_planes_undo(unsigned char *dst, const unsigned char *src, size_t n, size_t size, unsigned char *spare)
{
    unsigned char *planes = spare;

    for (size_t k = 0; k < size; k++)
        cel_unshuffle(planes + k * n, src + k * n, n / 8, 8);
    cel_transpose_bits(size > 1 ? planes : dst, planes, n * size / 8);
    if (size > 1)
        cel_unshuffle(dst, planes, n, size);
}
