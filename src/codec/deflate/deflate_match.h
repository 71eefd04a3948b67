/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DEFLATE_MATCH_H
#define CEL_DEFLATE_MATCH_H

/* Turns a block into what deflate writes: literals, and matches, which repeat earlier bytes of the
 * window (the last 32768). deflate_match.c explains how matches are found. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CEL_BLOCK_MAX 65536 /* bytes */
#define CEL_MATCH_MIN 3
#define CEL_MATCH_MAX 258

/* A number of literals, then a match. The last turn of a block has no match: its length is 0. */
struct cel_turn {
    uint32_t literals;
    uint16_t len, distance; /* the distance less 1 */
};

#define CEL_FEW_BITS 15
#define CEL_EIGHT_BITS 14
#define CEL_THREE_BITS 15

/* The last position of each hash: of a few bytes, and in thorough mode of eight and of three. Only
 * the low 16 bits of a position are kept, which tell twice the window apart. */
struct cel_heads {
    uint16_t few[1 << CEL_FEW_BITS], eight[1 << CEL_EIGHT_BITS], three[1 << CEL_THREE_BITS];
};

struct cel_matcher {
    struct cel_turn turns[CEL_BLOCK_MAX / CEL_MATCH_MIN + 2];
    size_t nturns;
    unsigned char literals[CEL_BLOCK_MAX + 32]; /* the block's literals without gaps; a few bytes more may be read */
    size_t nliterals;
    struct cel_heads heads;
    bool is_thorough; /* heads.eight and heads.three are in use */
};

struct cel_match_rules {
    bool thorough;     /* slower, for smaller files */
    bool three;        /* matches of three bytes may save bits */
    unsigned patience; /* after 1 << patience looks in vain the stride grows by one */
    unsigned hashed;   /* bytes that heads.few hashes: 4 to 8 */
    uint8_t least[16]; /* least length that saves bits, by the logarithm of the distance */
};

/* The rules for a block whose literals cost so many bits each, on average. */
void cel_match_rules_make(double bits_per_literal, bool thorough, struct cel_match_rules *out);

/* Before the first block of an input. */
void cel_match_start(struct cel_matcher *m);

/* Turns the bytes from..to of an input of n bytes (at most 2 GiB) into m->turns and m->literals. */
void cel_match_block(struct cel_matcher *m, const struct cel_match_rules *rules, const unsigned char *src, size_t n,
                     size_t from, size_t to);

#endif
