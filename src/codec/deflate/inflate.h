/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_INFLATE_H
#define CEL_INFLATE_H

/* Decodes deflate streams (RFC 1951) from memory into memory. */

#include "inflate_run.h"

enum cel_inflate_answer {
    CEL_INFLATE_OK,
    CEL_INFLATE_DAMAGED,
    CEL_INFLATE_CUT_SHORT,
    CEL_INFLATE_NO_SPACE, /* the stream holds more than cap bytes */
};

/* A decoder: tables and lists of the block being decoded. One thread at a time uses it. free()
 * frees it. */
struct cel_inflate;

/* `kernel`: which form of the hot loops to use; NULL for the best that this processor has. Gives
 * NULL when there is no memory. */
struct cel_inflate *cel_inflate_new(const struct cel_inflate_kernel *kernel);

/* Decodes the stream that starts at src. *used: its length in bytes; *len: the bytes decoded.
 * Nothing outside the cap bytes at dst is written, whatever src holds. */
enum cel_inflate_answer cel_inflate(struct cel_inflate *inflate, const void *src, size_t n, size_t *used, void *dst,
                                    size_t cap, size_t *len);

#endif
