/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BITPACK_H
#define CEL_BITPACK_H

/* Packed numbers of a few bits, high bit first, as HDF5's scaleoffset and nbit filters store elements.
 * Bits are collected in a word of 64 and written 8 bytes at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CEL_HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* An element as an unsigned number. For loops that know its size beforehand. */
static inline uint64_t cel_word_load(const void *p, size_t size, bool big)
{
    bool turn = big != CEL_HOST_IS_BIG;
    uint16_t v2;
    uint32_t v4;
    uint64_t v8;

    switch (size) {
    case 1:
        return *(const unsigned char *)p;
    case 2:
        memcpy(&v2, p, 2);
        return turn ? __builtin_bswap16(v2) : v2;
    case 4:
        memcpy(&v4, p, 4);
        return turn ? __builtin_bswap32(v4) : v4;
    default:
        memcpy(&v8, p, 8);
        return turn ? __builtin_bswap64(v8) : v8;
    }
}

static inline void cel_word_store(void *p, size_t size, bool big, uint64_t v)
{
    bool turn = big != CEL_HOST_IS_BIG;
    uint16_t v2 = turn ? __builtin_bswap16((uint16_t)v) : (uint16_t)v;
    uint32_t v4 = turn ? __builtin_bswap32((uint32_t)v) : (uint32_t)v;

    switch (size) {
    case 1:
        *(unsigned char *)p = (unsigned char)v;
        break;
    case 2:
        memcpy(p, &v2, 2);
        break;
    case 4:
        memcpy(p, &v4, 4);
        break;
    default:
        v = turn ? __builtin_bswap64(v) : v;
        memcpy(p, &v, 8);
    }
}

/* Call a function that is always inlined with the size of elements as a constant. */
#define CEL_BY_SIZE(size, function, ...) \
    ((size) == 1   ? function(__VA_ARGS__, 1) \
     : (size) == 2 ? function(__VA_ARGS__, 2) \
     : (size) == 4 ? function(__VA_ARGS__, 4) \
                   : function(__VA_ARGS__, 8))
#define CEL_INLINE static inline __attribute__((always_inline))

struct cel_bit_writer {
    unsigned char *at;
    uint64_t word; /* bits not written yet, from the highest bit down */
    unsigned used; /* how many: below 64 */
};

/* Appends the n bits of v; v < 2^n, n <= 64. */
static inline void cel_bits_put(struct cel_bit_writer *w, uint64_t v, unsigned n)
{
    unsigned left = 64 - w->used;

    if (n < left) {
        w->word |= n ? v << (left - n) : 0;
        w->used += n;
        return;
    }
    cel_word_store(w->at, 8, true, w->word | v >> (n - left));
    w->at += 8;
    w->used = n - left;
    w->word = w->used ? v << (64 - w->used) : 0;
}

/* Writes the bits that are left, filled up to a whole byte. */
static inline void cel_bits_end(struct cel_bit_writer *w)
{
    for (unsigned at = 0; at < w->used; at += 8)
        *w->at++ = (unsigned char)(w->word >> (56 - at));
}

struct cel_bit_reader {
    const unsigned char *at, *end;
    uint64_t word; /* bits read and not returned yet, from the highest bit down; zeros below */
    unsigned left; /* how many */
};

/* The next 64 bits; behind the end come zeros. */
static inline uint64_t cel_bits_load(struct cel_bit_reader *r)
{
    uint64_t word = 0;

    if (r->end - r->at >= 8) {
        word = cel_word_load(r->at, 8, true);
        r->at += 8;
        return word;
    }
    for (unsigned shift = 56; r->at < r->end; shift -= 8)
        word |= (uint64_t)*r->at++ << shift;
    return word;
}

static inline uint64_t cel_bits_get(struct cel_bit_reader *r, unsigned n)
{
    uint64_t v = n ? r->word >> (64 - n) : 0, next;
    unsigned more;

    if (n <= r->left) {
        r->word = n < 64 ? r->word << n : 0;
        r->left -= n;
        return v;
    }
    more = n - r->left;
    next = cel_bits_load(r);
    r->word = more < 64 ? next << more : 0;
    r->left = 64 - more;
    return v | next >> (64 - more);
}

#endif
