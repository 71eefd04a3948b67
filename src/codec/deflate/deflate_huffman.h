/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DEFLATE_HUFFMAN_H
#define CEL_DEFLATE_HUFFMAN_H

/* Huffman codes of deflate (RFC 1951), and a sink for the bits of a stream. */

#include "bytes.h"
#include <stdint.h>

/* --- bits, low bit first ------------------------------------------------------------- */

/* Every flush stores 8 bytes at `at` and then advances by the whole bytes among them; so 8 bytes behind
 * `at` must belong to the buffer. */
struct cel_bit_sink {
    unsigned char *at;
    uint64_t filled;
    unsigned n; /* bits that wait in `filled`: at most 7 after cel_sink_flush */
};

static inline void cel_sink_add(struct cel_bit_sink *s, uint64_t bits, unsigned n)
{
    s->filled |= bits << s->n;
    s->n += n;
}

static inline void cel_sink_flush(struct cel_bit_sink *s)
{
    cel_put_le64(s->at, s->filled);
    s->at += s->n >> 3;
    s->filled >>= s->n & ~7u;
    s->n &= 7;
}

static inline void cel_sink_put(struct cel_bit_sink *s, uint64_t bits, unsigned n)
{
    cel_sink_add(s, bits, n);
    cel_sink_flush(s);
}

/* --- codes ------------------------------------------------------------------------------ */

#define CEL_LITLENS 286
#define CEL_DISTANCES 30
#define CEL_CODE_MAX 14 /* bits of a code word: four of them fit a flush */

struct cel_code {
    uint16_t bits[CEL_LITLENS]; /* as they are written */
    uint8_t len[CEL_LITLENS];   /* 0: the symbol is not used */
};

/* A code for n symbols with these counts, of words of at most `most` bits. At least two symbols get a
 * word, because some decoders refuse an incomplete code. */
void cel_code_make(const uint32_t *count, unsigned n, unsigned most, struct cel_code *out);

/* The header of a block, which tells its two codes by the lengths of their words. */
struct cel_code_table {
    struct cel_code lens;                       /* the code that those lengths are written with */
    uint16_t item[CEL_LITLENS + CEL_DISTANCES]; /* symbol in the low 8 bits, extra bits above */
    unsigned nitems, nlitlens, ndists, nlens;
    uint64_t nbits;
};
void cel_code_table_make(const struct cel_code *litlens, const struct cel_code *dists, struct cel_code_table *out);
void cel_code_table_put(const struct cel_code_table *t, struct cel_bit_sink *s);

#endif
