/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SHA256_BLOCKS_H
#define CEL_SHA256_BLOCKS_H

/* The rounds of SHA-256 over whole blocks: a portable form and one for each processor that has instructions for them, all
 * with the same result. The table shows every form to the tests. */

#include "sha256.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CEL_SHA256_BLOCK 64

struct cel_sha256_kernel {
    const char *name; /* NULL ends the table */
    bool (*usable)(void);
    void (*take)(uint32_t h[8], const unsigned char *at, size_t nblocks);
};
extern const struct cel_sha256_kernel cel_sha256_kernels[]; /* best first, portable last */

/* cel_sha256 with one of them. */
void cel_sha256_by(const struct cel_sha256_kernel *kernel, const void *data, size_t n,
                   unsigned char out[CEL_SHA256_SIZE]);

#endif
