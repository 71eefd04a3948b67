/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_FPZIP_DECODE_H
#define CEL_FPZIP_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/* Decodes a stream of libfpzip (without its header), n bytes at src, to axes[0] x axes[1] x axes[2]
 * floats or doubles, slowest axis first, in native byte order. `bits` is the precision that it was
 * written with: 2 to 32 for float, even and 4 to 64 for double. Survives any input. */
struct cel_fpzip {
    bool is_double;
    unsigned bits;
    size_t axes[3];
};
int cel_fpzip_decode(const struct cel_fpzip *what, const void *src, size_t n, void *dst);

#endif
