/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_XXH64_H
#define TOOL_XXH64_H

/* XXH64 of bytes that come in parts; the same number as `xxhsum -H64`, seed 0. */

#include <stddef.h>
#include <stdint.h>

struct xxh64 {
    uint64_t lane[4], total;
    unsigned char left[32]; /* total % 32 bytes that do not fill a block yet */
};

void xxh64_start(struct xxh64 *h);
void xxh64_add(struct xxh64 *h, const void *data, size_t n);
uint64_t xxh64_end(const struct xxh64 *h);

#endif
