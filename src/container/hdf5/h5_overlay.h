/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_OVERLAY_H
#define CEL_H5_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cel_h5_block {
    uint64_t at;
    size_t n;
    unsigned char *bytes;
};
struct cel_h5_overlay { /* all zero: empty */
    struct cel_h5_block *block;
    size_t n, cap;
    size_t nbytes; /* of all blocks */
};

/* errno, or 0. */
int cel_h5_overlay_put(struct cel_h5_overlay *o, uint64_t at, const void *bytes, size_t n);
int cel_h5_overlay_drop(struct cel_h5_overlay *o, uint64_t at, size_t n); /* what it has of this range */

bool cel_h5_overlay_touches(const struct cel_h5_overlay *o, uint64_t at, size_t n);
/* Over bytes read from the file; says how many of them, from the first to the last patched, are now known. */
size_t cel_h5_overlay_patch(const struct cel_h5_overlay *o, uint64_t at, void *bytes, size_t n);
void cel_h5_overlay_clear(struct cel_h5_overlay *o);

#endif
