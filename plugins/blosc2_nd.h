/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOSC2_ND_H
#define CEL_BLOSC2_ND_H

/* What the Blosc2 plugins ndcell and ndmean share: one block of a super-chunk. Its shape is read from the metalayer
 * "b2nd", or from its predecessor "caterva". */

#include <blosc2.h>
#include <stdbool.h>
#include <stddef.h>

enum { CEL_BLOSC2_RANK = 8 };

struct cel_blosc2_block {
    int rank;
    size_t dims[CEL_BLOSC2_RANK];
    size_t elem;
    size_t nbytes;
    char kind;       /* letter of the dtype, as NumPy: 'f', 'i', ...; 0: the layer names none */
    bool big_endian; /* by that dtype */
};

/* false, with a message if BLOSC_TRACE is set: no metalayer, a damaged one, a rank outside
 * 1 to 8, or a shape that does not make `length` bytes. `caller` is an address in the
 * libblosc2 that calls: the offset of the metalayers depends on its release. */
bool cel_blosc2_block(const char *filter, const void *schunk, int32_t typesize, int32_t length, const void *caller,
                      struct cel_blosc2_block *out);

/* Says why, if BLOSC_TRACE is set, and gives Blosc2's code for a failed filter. */
int cel_blosc2_refuse(const char *filter, const char *why);

/* The symbol `info` of a filter library: names of its two functions. */
struct cel_blosc2_info {
    const char *forward, *backward;
};

#define CEL_BLOSC2_EXPORT __attribute__((visibility("default")))

#endif
