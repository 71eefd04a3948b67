#ifndef CEL_BITPACK_H
#define CEL_BITPACK_H

/* Numbers of a few bits, one after the other, high bit first: how HDF5's scaleoffset and
 * nbit filters store elements. */

#include <stddef.h>
#include <stdint.h>

struct cel_bits {
    unsigned char *at;
    unsigned used; /* bits of *at */
};

/* What is written to must be zero before. */
static inline void cel_bits_put(struct cel_bits *b, uint64_t v, unsigned n)
{
    while (n > 0) {
        unsigned room = 8 - b->used, take = n < room ? n : room;

        *b->at |= (unsigned char)((v >> (n - take) & ((1u << take) - 1)) << (room - take));
        b->used += take;
        n -= take;
        b->at += b->used / 8;
        b->used %= 8;
    }
}

static inline uint64_t cel_bits_get(struct cel_bits *b, unsigned n)
{
    uint64_t v = 0;

    while (n > 0) {
        unsigned room = 8 - b->used, take = n < room ? n : room;

        v = v << take | (*b->at >> (room - take) & ((1u << take) - 1));
        b->used += take;
        n -= take;
        b->at += b->used / 8;
        b->used %= 8;
    }
    return v;
}

#endif
