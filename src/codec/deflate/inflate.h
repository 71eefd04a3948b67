#ifndef CEL_INFLATE_H
#define CEL_INFLATE_H

/* Deflate streams (RFC 1951) unpacked, from memory into memory. */

#include "inflate_run.h"

enum cel_inflate_answer {
    CEL_INFLATE_OK,
    CEL_INFLATE_DAMAGED,
    CEL_INFLATE_CUT_SHORT,
    CEL_INFLATE_NO_SPACE, /* it holds more than cap bytes */
};

/* What the block at work needs; one thread at a time. free() frees it. */
struct cel_inflate;

/* With the kernel given; NULL: the best one. NULL: no memory. */
struct cel_inflate *cel_inflate_new(const struct cel_inflate_kernel *kernel);

/* One stream at the start of src. used: its bytes; len: the bytes it holds. Nothing but the
 * cap bytes at dst is written, whatever src says. */
enum cel_inflate_answer cel_inflate(struct cel_inflate *inflate, const void *src, size_t n, size_t *used, void *dst,
                                    size_t cap, size_t *len);

#endif
