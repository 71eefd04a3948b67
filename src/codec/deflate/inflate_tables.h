/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_INFLATE_TABLES_H
#define CEL_INFLATE_TABLES_H

/* The Huffman codes of a deflate block as look-up tables. The next 11 bits of the stream (8 for
 * distances) are an index. The entry there says how many bits to take and what they mean. A code
 * longer than the index shares its first bits with others of its kind: their common entry is a link
 * to a second table, indexed by the bits that follow.
 *
 *   stream, first bit lowest:   ... x x x | y y y y y y y y y y y
 *                                    |                |
 *                                    |     symbols[y]: literal, length, end, or link
 *                        symbols[link + x]: the same, for codes of 12 to 15 bits */

#include <stdbool.h>
#include <stdint.h>

/* An entry, from the low bits up:
 *  8 bits  how many bits to take: the code and the extra bits behind it
 *  4 bits  the length of the code alone; of a link, how many bits index the second table
 *  4 bits  what the entry is; none of the flags below for a length or a distance
 * 16 bits  the literal; the least length or distance, to which the extra bits are added; or the index
 *          at which the second table starts */
#define CEL_IS_LITERAL 0x1000u
#define CEL_IS_LINK 0x2000u
#define CEL_IS_END 0x4000u
#define CEL_IS_BAD 0x8000u /* no code */
/* A literal again, in the highest bit of the value: a loop without branches makes a mask of it in one step. */
#define CEL_IS_LITERAL_SIGN 0x80000000u

#define CEL_SYMBOL_BITS 11
#define CEL_DISTANCE_BITS 8
#define CEL_SYMBOL_COUNT 288
#define CEL_DISTANCE_COUNT 32

/* Entries of all second tables together, at most. Codes have up to 15 bits, and the codes behind a
 * link fill its second table: a table of 2^k entries holds at least k + 1 codes. With k up to 4
 * (15 - 11) that is 16 entries for 5 codes at worst, with k up to 7 (15 - 8) 128 for 8. */
#define CEL_SECOND_SYMBOLS (CEL_SYMBOL_COUNT * 16 / 5)
#define CEL_SECOND_DISTANCES (CEL_DISTANCE_COUNT * 128 / 8)

struct cel_inflate_tables {
    uint32_t symbols[(1 << CEL_SYMBOL_BITS) + CEL_SECOND_SYMBOLS]; /* literals, lengths, the block's end */
    uint32_t distances[(1 << CEL_DISTANCE_BITS) + CEL_SECOND_DISTANCES];
    unsigned usual; /* nearly all symbols are literals with a code of this length; 0: not so */
    bool is_rich;   /* most symbols are literals */
    bool is_even;   /* literals and matches are both frequent */
};

/* Makes the tables from the lengths of the codes; false: no code has such lengths. */
bool cel_inflate_make_tables(struct cel_inflate_tables *tables, const uint8_t *symbols, unsigned n_symbols,
                             const uint8_t *distances, unsigned n_distances);

/* The table of the code that a block's header tells its code lengths with; the upper half of an entry
 * is the symbol. */
#define CEL_PRECODE_BITS 7
#define CEL_PRECODE_COUNT 19
bool cel_inflate_make_precode(uint32_t table[1 << CEL_PRECODE_BITS], const uint8_t lens[CEL_PRECODE_COUNT]);

#endif
