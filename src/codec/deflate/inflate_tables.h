#ifndef CEL_INFLATE_TABLES_H
#define CEL_INFLATE_TABLES_H

/* The Huffman codes of a deflate block as tables: the next bits of the stream are the index
 * of an entry that says how many of them to take and what they mean. Codes too long for the
 * index lead to a second table. */

#include <stdbool.h>
#include <stdint.h>

/* An entry, from the low bits up:
 *  8 bits  how many to take: the code and the extra bits behind it
 *  4 bits  the code alone; of a link, the bits that index the second table
 *  4 bits  what it is, none of these for a length or a distance
 * 16 bits  the literal, the length or distance without its extra bits, or where the second table is */
#define CEL_IS_LITERAL 0x1000u
#define CEL_IS_LINK 0x2000u
#define CEL_IS_END 0x4000u
#define CEL_IS_BAD 0x8000u /* no code */

#define CEL_SYMBOL_BITS 11
#define CEL_DISTANCE_BITS 8
#define CEL_SYMBOL_COUNT 288
#define CEL_DISTANCE_COUNT 32

/* Codes have up to 15 bits. The codes below an entry fill its second table: one of 2^k
 * entries has at least k + 1 codes, so that these are the most there can be. */
#define CEL_SECOND_SYMBOLS (CEL_SYMBOL_COUNT * 16 / 5)
#define CEL_SECOND_DISTANCES (CEL_DISTANCE_COUNT * 128 / 8)

struct cel_inflate_tables {
    uint32_t symbols[(1 << CEL_SYMBOL_BITS) + CEL_SECOND_SYMBOLS]; /* literals, lengths, the block's end */
    uint32_t distances[(1 << CEL_DISTANCE_BITS) + CEL_SECOND_DISTANCES];
    unsigned usual; /* the length of nearly all codes, which are literals; 0: there is none */
    bool is_rich;   /* in literals, by what the lengths of the codes say */
};

/* From the lengths of the codes; false: there are no such codes. */
bool cel_inflate_make_tables(struct cel_inflate_tables *tables, const uint8_t *symbols, unsigned n_symbols,
                             const uint8_t *distances, unsigned n_distances);

/* The code of code lengths in a block's header: entries have the symbol in their upper half. */
#define CEL_PRECODE_BITS 7
#define CEL_PRECODE_COUNT 19
bool cel_inflate_make_precode(uint32_t table[1 << CEL_PRECODE_BITS], const uint8_t lens[CEL_PRECODE_COUNT]);

#endif
