/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DEFLATE_BLOCKS_H
#define CEL_DEFLATE_BLOCKS_H

/* A deflate encoder for byte planes, as a shuffle makes them. */

#include <stddef.h>

struct cel_deflater;

struct cel_deflater *cel_deflater_make(void); /* NULL: no memory */
void cel_deflater_free(struct cel_deflater *d);

/* The size that a stream of n bytes never exceeds, and that the buffer for it must have. */
size_t cel_deflater_bound(size_t n);

#define CEL_DEFLATER_MAX ((size_t)1 << 30) /* bytes of one stream */

/* Writes a deflate stream of the n bytes at src, which are `planes` byte planes, and gives its length;
 * 0: it does not fit into cap. Level 1 uses the quick matcher, other levels the thorough one, which
 * compares to about zlib's level 5. */
size_t cel_deflater_run(struct cel_deflater *d, unsigned level, const unsigned char *src, size_t n, size_t planes,
                        unsigned char *dst, size_t cap);

#endif
