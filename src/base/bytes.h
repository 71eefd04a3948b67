/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BYTES_H
#define CEL_BYTES_H

/* Whole numbers in a given byte order, from and to bytes at any address:
 *
 *   cel_get_le16/32/64, cel_get_be16/32/64 (p)      cel_put_le16/32/64, cel_put_be16/32/64 (p, v)
 *   cel_get_le, cel_get_be (p, n)                   cel_put_le, cel_put_be (p, v, n)
 *
 * The first row is one or two instructions each, fit for the hot loops of codecs; the second takes any width up to
 * 8 bytes. Putting keeps the low bytes of v. */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CEL_WORD_LE(bits, v) __builtin_bswap##bits(v)
#define CEL_WORD_BE(bits, v) (v)
#else
#define CEL_WORD_LE(bits, v) (v)
#define CEL_WORD_BE(bits, v) __builtin_bswap##bits(v)
#endif

#define CEL_WORD(bits, le, in_order) \
    static inline uint##bits##_t cel_get_##le##bits(const void *p) \
    { \
        uint##bits##_t v; \
\
        memcpy(&v, p, sizeof v); \
        return in_order(bits, v); \
    } \
    static inline void cel_put_##le##bits(void *p, uint##bits##_t v) \
    { \
        v = in_order(bits, v); \
        memcpy(p, &v, sizeof v); \
    }
CEL_WORD(16, le, CEL_WORD_LE)
CEL_WORD(32, le, CEL_WORD_LE)
CEL_WORD(64, le, CEL_WORD_LE)
CEL_WORD(16, be, CEL_WORD_BE)
CEL_WORD(32, be, CEL_WORD_BE)
CEL_WORD(64, be, CEL_WORD_BE)
#undef CEL_WORD
#undef CEL_WORD_LE
#undef CEL_WORD_BE

static inline uint64_t cel_get_le(const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t v = 0;

    assert(n <= 8);
    while (n-- > 0)
        v = v << 8 | b[n];
    return v;
}

static inline uint64_t cel_get_be(const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t v = 0;

    assert(n <= 8);
    for (size_t i = 0; i < n; i++)
        v = v << 8 | b[i];
    return v;
}

static inline void cel_put_le(void *p, uint64_t v, size_t n)
{
    unsigned char *b = p;

    assert(n <= 8);
    for (size_t i = 0; i < n; i++, v >>= 8)
        b[i] = (unsigned char)v;
}

static inline void cel_put_be(void *p, uint64_t v, size_t n)
{
    unsigned char *b = p;

    assert(n <= 8);
    for (; n-- > 0; v >>= 8)
        b[n] = (unsigned char)v;
}

/* The order known only at run time. */
static inline uint64_t cel_get_word(const void *p, size_t n, bool big_endian)
{
    return big_endian ? cel_get_be(p, n) : cel_get_le(p, n);
}

static inline void cel_put_word(void *p, uint64_t v, size_t n, bool big_endian)
{
    if (big_endian)
        cel_put_be(p, v, n);
    else
        cel_put_le(p, v, n);
}

#endif
