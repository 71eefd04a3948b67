#ifndef CEL_DEFLATE_MATCH_H
#define CEL_DEFLATE_MATCH_H

/* A block as deflate sees it: literals, and repetitions of what lies in the window. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CEL_BLOCK_MAX 65536 /* bytes */
#define CEL_MATCH_MIN 3
#define CEL_MATCH_MAX 258

/* So many literals, then a match. The last turn of a block has none: its length is 0. */
struct cel_turn {
    uint32_t literals;
    uint16_t len, distance; /* the distance less 1 */
};

#define CEL_FEW_BITS 15
#define CEL_EIGHT_BITS 14
#define CEL_THREE_BITS 15

/* The last place of each hash: of a few bytes, and, to be thorough, of eight and of three. Only
 * the low bits of a place: twice the window is told apart, and bytes are compared anyway. */
struct cel_heads {
    uint16_t few[1 << CEL_FEW_BITS], eight[1 << CEL_EIGHT_BITS], three[1 << CEL_THREE_BITS];
};

struct cel_matcher {
    struct cel_turn turns[CEL_BLOCK_MAX / CEL_MATCH_MIN + 2];
    size_t nturns;
    unsigned char literals[CEL_BLOCK_MAX + 32]; /* of the block, one behind the other; a few more may be read */
    size_t nliterals;
    struct cel_heads heads;
    bool is_thorough; /* all of them are in use */
};

struct cel_match_rules {
    bool thorough;     /* look longer, for smaller files */
    bool three;        /* matches of three bytes may pay */
    unsigned patience; /* 1 << patience looks in vain lengthen the stride by one */
    unsigned hashed;   /* how many bytes "few" are: 4 to 8 */
    uint8_t least[16]; /* length from which a match pays, by the logarithm of its distance */
};

/* What a literal of the block costs decides which repetitions are worth it. */
void cel_match_rules_make(double bits_per_literal, bool thorough, struct cel_match_rules *out);

/* Before the first block of an input. */
void cel_match_start(struct cel_matcher *m);

/* The bytes from..to of an input of n bytes (at most 2 GiB), into turns and literals. */
void cel_match_block(struct cel_matcher *m, const struct cel_match_rules *rules, const unsigned char *src, size_t n,
                     size_t from, size_t to);

#endif
