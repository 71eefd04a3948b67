/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BYTEORDER_H
#define CEL_BYTEORDER_H

#include <stdbool.h>
#include <stddef.h>

/* The variants behind cel_swap_bytes(), for the tests that hold them against each
 * other. The vector ones take sizes 2, 4 and 8, and say false, having done
 * nothing, on a CPU without the instructions. */
void cel_swap_portable(void *dst, const void *src, size_t n, size_t size);
bool cel_swap_ssse3(void *dst, const void *src, size_t n, size_t size);
bool cel_swap_avx2(void *dst, const void *src, size_t n, size_t size);

#endif
