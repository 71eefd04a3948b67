/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOSCLZ_H
#define CEL_BLOSCLZ_H

/* BloscLZ, the compressor that Blosc itself brings. A stream is a list of runs of literals and matches. The
 * upper three bits of a control byte say which:
 *
 *   000nnnnn                                   n + 1 literals follow
 *   LLLddddd [more] dddddddd                   L + 2 bytes again, from d + 1 bytes back
 *   LLL11111 [more] 11111111 e(16, high first) the same, from e + 8192 bytes back
 *
 * With L = 7 the length goes on: bytes to add follow until one is not 255. The first control byte is always of
 * literals, whatever its upper bits. */

#include <stdbool.h>
#include <stddef.h>

/* Exactly len bytes; false: the stream is damaged, or not of that length. With need < len the first `need` bytes at least, and
 * the rest of the stream is not looked at. */
bool cel_blosclz_decode(const unsigned char *src, size_t n, unsigned char *dst, size_t len, size_t need);

/* Level 1 to 9. 0: it does not fit into cap bytes. */
size_t cel_blosclz_encode(unsigned level, const unsigned char *src, size_t n, unsigned char *dst, size_t cap);

#endif
