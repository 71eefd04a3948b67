#ifndef CEL_DEFLATE_HUFFMAN_H
#define CEL_DEFLATE_HUFFMAN_H

/* Huffman codes as deflate has them (RFC 1951), and the bits of a stream being written. */

#include "bytes.h"
#include <stdint.h>

/* --- bits, low bit first ------------------------------------------------------------- */

/* Eight bytes behind `at` must always be there to be written over. */
struct cel_bit_sink {
    unsigned char *at;
    uint64_t filled;
    unsigned n; /* bits held, at most 7 after cel_sink_flush */
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

/* The best code for n symbols that occur so often, of words of at most `most` bits. At least
 * two symbols get one, because some decoders want a complete code. */
void cel_code_make(const uint32_t *count, unsigned n, unsigned most, struct cel_code *out);

/* What goes before a block: how its two codes are told. */
struct cel_code_table {
    struct cel_code lens;                       /* the code for the lengths */
    uint16_t item[CEL_LITLENS + CEL_DISTANCES]; /* symbol, and extra bits above */
    unsigned nitems, nlitlens, ndists, nlens;
    uint64_t nbits;
};
void cel_code_table_make(const struct cel_code *litlens, const struct cel_code *dists, struct cel_code_table *out);
void cel_code_table_put(const struct cel_code_table *t, struct cel_bit_sink *s);

#endif
