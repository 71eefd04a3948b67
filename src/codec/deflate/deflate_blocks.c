/* SPDX-License-Identifier: BSD-3-Clause */
/* The block splitter, and how a block is written.
 *
 * Problem: each block of a deflate stream has a Huffman code of its own. Where one block ends and the
 * next begins is the encoder's choice, and decides how well the codes fit. zlib ends a block when a
 * buffer of symbols is full. Behind a shuffle that is nearly always the wrong spot: the input is a
 * row of byte planes with distributions that have nothing in common.
 *
 *   plane 0 (lowest bytes)     plane 1                plane 2         plane 3 (sign, exponent)
 *  |~~~~~~~~ noise ~~~~~~~~~~~|~~~~ nearly noise ~~~~|~~ smooth ~~~~~|_____ two values ________|
 *  |  stored   |  stored      |     own code         | own | own     |       own code          |
 *
 * Idea: split by what the code would cost, before any match is looked for.
 *
 *   1. The input is taken in stretches of about 8 KiB. A stretch does not reach over the end of a plane,
 *      unless planes are shorter than half a stretch.
 *   2. Of a stretch, the bytes are counted that differ from the byte before them: runs become matches
 *      later and must not count as literals. Every second word of 8 bytes is enough for that.
 *   3. From the counts follows about how many bits a Huffman code needs (estimate): the entropy, with at
 *      least one bit per symbol.
 *   4. Stretch by stretch, the block grows while one code for both costs no more than two codes and
 *      the second header:
 *
 *          bits(block + next)  <=  bits(block) + bits(next) + HEADER_BITS
 *
 *      else the block ends here and the stretch begins the next one. Greedy, one pass; each stretch is
 *      counted once, and sums of counts serve for the union.
 *   5. The block goes through the matcher (deflate_match.c), with the cost of a literal from step 3, and
 *      its exact size follows from the symbols (make_codes). If that saves less than 1/256 of the
 *      bytes, the block is stored: nothing is as fast to write and to read. Planes of noise end up so.
 *
 * Why it is right: any split of the input is a valid stream. The estimate decides about size only.
 * What must hold is that the bits written are the bits counted, as the space for them is checked once
 * per block: put_block asserts it.
 *
 * What it costs: counting touches half of the bytes once. Measured together with the matcher: see there.
 *
 * What would break it: a block of more than CEL_BLOCK_MAX bytes (the matcher's arrays), or code words of
 * more than CEL_CODE_MAX bits (four of them and 7 bits that wait must fit 64). */
#include "deflate_blocks.h"
#include "bytes.h"
#include "deflate_huffman.h"
#include "deflate_match.h"
#include "mem.h"
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#define STRETCH 8192 /* bytes, more or less */
#define BLOCK_MIN (STRETCH / 2)
#define HEADER_BITS 400 /* of a block, about, in the unit of struct stretch's nbits (every second word is counted) */
#define STORED_MAX 65535

/* Bytes of the input and their statistics. */
struct stretch {
    size_t from, to;
    uint32_t count[256]; /* bytes of each value that differ from the byte before */
    uint32_t changes;    /* the sum of these */
    uint64_t nbits;      /* about how many bits a Huffman code needs for them */
};

struct cel_deflater {
    struct stretch block, next, both; /* next: the stretch behind the block, if it was counted already */
    struct cel_code litlens, dists;
    struct cel_code_table table;
    struct cel_matcher match;
};

struct cel_deflater *cel_deflater_make(void)
{
    return cel_malloc(sizeof(struct cel_deflater));
}

void cel_deflater_free(struct cel_deflater *d)
{
    free(d);
}

/* Every block is at most as long as if it were stored: 5 bytes of header, and up to 1 for alignment. All
 * but the last have at least BLOCK_MIN bytes. Bits are written 8 bytes at a time. */
size_t cel_deflater_bound(size_t n)
{
    return n + 6 * (n / BLOCK_MIN + 2) + 16;
}

/* --- counting ------------------------------------------------------------------------------ */

#define PARTS 4 /* tables, so that an increment need not wait for the one before it */

static void add_parts(uint32_t part[PARTS][256], uint32_t *sum)
{
    for (unsigned i = 0; i < 256; i++)
        sum[i] = part[0][i] + part[1][i] + part[2][i] + part[3][i];
}

static void count_bytes(const unsigned char *p, size_t n, uint32_t *count)
{
    uint32_t part[PARTS][256] = {{0}};
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        uint64_t v = cel_get_le64(p + i);

        part[0][v & 0xff]++;
        part[1][v >> 8 & 0xff]++;
        part[2][v >> 16 & 0xff]++;
        part[3][v >> 24 & 0xff]++;
        part[0][v >> 32 & 0xff]++;
        part[1][v >> 40 & 0xff]++;
        part[2][v >> 48 & 0xff]++;
        part[3][v >> 56]++;
    }
    for (; i < n; i++)
        part[0][p[i]]++;
    add_parts(part, count);
}

/* Counts the bytes that differ from the one before, in every second word of 8 bytes. */
static void count_changes(const unsigned char *p, size_t n, struct stretch *out)
{
    uint32_t part[PARTS][256] = {{0}};

    for (size_t i = 1; i + 8 <= n; i += 16) {
        uint64_t v = cel_get_le64(p + i), x = v ^ cel_get_le64(p + i - 1);

        if (x == 0)
            continue;
        part[0][v & 0xff] += (x & 0xff) != 0;
        part[1][v >> 8 & 0xff] += (x >> 8 & 0xff) != 0;
        part[2][v >> 16 & 0xff] += (x >> 16 & 0xff) != 0;
        part[3][v >> 24 & 0xff] += (x >> 24 & 0xff) != 0;
        part[0][v >> 32 & 0xff] += (x >> 32 & 0xff) != 0;
        part[1][v >> 40 & 0xff] += (x >> 40 & 0xff) != 0;
        part[2][v >> 48 & 0xff] += (x >> 48 & 0xff) != 0;
        part[3][v >> 56] += x >> 56 != 0;
    }
    add_parts(part, out->count);
    out->changes = 0;
    for (unsigned i = 0; i < 256; i++)
        out->changes += out->count[i];
}

/* --- where a block ends ----------------------------------------------------------------- */

/* The logarithm to base 2 in units of 1/256; a parabola between powers of 2, at most 0.01 off. */
static uint32_t log2_of(uint32_t v)
{
    unsigned whole = 31 - (unsigned)__builtin_clz(v);
    uint64_t x = ((uint64_t)v << 16 >> whole) - 65536;

    return whole * 256 + (uint32_t)((x + (x * (65536 - x) * 22480 >> 32)) >> 8);
}

static void estimate(struct stretch *s)
{
    uint32_t all = s->changes ? log2_of(s->changes) : 0;

    s->nbits = 0;
    for (unsigned i = 0; i < 256; i++)
        if (s->count[i]) {
            uint32_t each = all - log2_of(s->count[i]);

            s->nbits += (uint64_t)(each < 256 ? 256 : each) * s->count[i];
        }
    s->nbits /= 256;
}

/* The stretch that starts at `at`. It ends where its plane ends, unless planes are short. */
static void look_at(const unsigned char *src, size_t n, size_t plane, size_t at, struct stretch *out)
{
    size_t end = plane < BLOCK_MIN ? n : (at / plane + 1) * plane;

    if (n - end < BLOCK_MIN)
        end = n;
    out->from = at;
    out->to = end - at < STRETCH + BLOCK_MIN ? end : at + STRETCH;
    count_changes(src + at, out->to - at, out);
    estimate(out);
}

/* Step 4: adds the next stretch to the block if one code for both costs no more. */
static bool join(struct stretch *block, const struct stretch *next, struct stretch *both)
{
    if (next->to - block->from > CEL_BLOCK_MAX)
        return false;
    both->from = block->from;
    both->to = next->to;
    both->changes = block->changes + next->changes;
    for (unsigned i = 0; i < 256; i++)
        both->count[i] = block->count[i] + next->count[i];
    estimate(both);
    if (both->nbits > block->nbits + next->nbits + HEADER_BITS)
        return false;
    *block = *both;
    return true;
}

static void find_block(struct cel_deflater *d, const unsigned char *src, size_t n, size_t plane, size_t at)
{
    if (d->next.to > at && d->next.from == at)
        d->block = d->next;
    else
        look_at(src, n, plane, at, &d->block);
    while (d->block.to < n) {
        look_at(src, n, plane, d->block.to, &d->next);
        if (!join(&d->block, &d->next, &d->both))
            return;
    }
}

/* --- how thoroughly to look ------------------------------------------------------------------ */

#define SAMPLE 2048 /* bytes in the middle of a block, or an eighth of it if that is more */
#define TABLE_BITS 12

static inline uint32_t three_bytes(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* How often three bytes of a sample occurred before in it, other than in runs: 0 to 1. The first two
 * thirds of the sample fill the table, positions of the last third are looked up. */
static double brief_repeats(const struct stretch *block, const unsigned char *src)
{
    uint16_t places[1 << TABLE_BITS] = {0};
    size_t len = block->to - block->from, n = len < SAMPLE ? len : len < 8 * SAMPLE ? SAMPLE : len / 8;
    const unsigned char *p = src + block->from + (len - n) / 2;
    unsigned found = 0, tried = 0;

    for (size_t i = 1; i + 3 <= n; i++) {
        uint32_t v = three_bytes(p + i), hash = v * 2654435761u >> (32 - TABLE_BITS);
        size_t at = places[hash];

        places[hash] = (uint16_t)i;
        if (i < n / 3 * 2 || p[i] == p[i - 1])
            continue;
        tried++;
        found += at && three_bytes(p + at) == v;
    }
    return tried ? (double)found / tried : 0;
}

/* Level 1 uses the quick matcher, with two exceptions for planes whose literals are expensive (more
 * than 6.5 bits). Such planes may consist of repetitions so short that the quick matcher overlooks
 * most of them: smooth functions, ramps with a little noise. The thorough matcher is used at once
 * where the sample shows many, and afterwards where it shows some and the quick one found few. */
static void find_matches(struct cel_deflater *d, unsigned level, const unsigned char *src, size_t n)
{
    const struct stretch *b = &d->block;
    double bits = b->changes ? (double)b->nbits / b->changes : 1;
    double brief = level == 1 && bits > 6.5 ? brief_repeats(b, src) : 0;
    bool thorough = level > 1 || brief > (bits > 7.88 ? 0.03 : 0.65);
    struct cel_match_rules rules;

    cel_match_rules_make(bits, thorough, &rules);
    cel_match_block(&d->match, &rules, src, n, b->from, b->to);
    if (thorough || brief < 0.03 || d->match.nliterals < (b->to - b->from) / 8 * 7)
        return;
    cel_match_rules_make(bits, true, &rules);
    cel_match_block(&d->match, &rules, src, n, b->from, b->to);
}

/* --- symbols -------------------------------------------------------------------------------- */

#define END 256
#define LENS 29

static const uint16_t len_base[LENS] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t len_extra[LENS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static inline unsigned len_symbol(unsigned len)
{
    unsigned top;

    if (len < 11)
        return len - 3;
    if (len == CEL_MATCH_MAX)
        return LENS - 1;
    top = 31 - (unsigned)__builtin_clz(len - 3);
    return 4 * (top - 1) + ((len - 3) >> (top - 2) & 3);
}

/* The symbol for a distance, given less 1. */
static inline unsigned dist_symbol(unsigned distance)
{
    unsigned top;

    if (distance < 4)
        return distance;
    top = 31 - (unsigned)__builtin_clz(distance);
    return 2 * top + (distance >> (top - 1) & 1);
}

static inline unsigned dist_extra(unsigned symbol)
{
    return symbol < 4 ? 0 : symbol / 2 - 1;
}

/* --- one block --------------------------------------------------------------------------------- */

/* Makes the codes of the block from its symbols; gives the bits that the whole block will take. */
static uint64_t make_codes(struct cel_deflater *d)
{
    const struct cel_matcher *m = &d->match;
    uint32_t litlens[CEL_LITLENS] = {0}, dists[CEL_DISTANCES] = {0};
    uint64_t nbits = 3;

    count_bytes(m->literals, m->nliterals, litlens);
    for (size_t i = 0; i + 1 < m->nturns; i++) {
        litlens[END + 1 + len_symbol(m->turns[i].len)]++;
        dists[dist_symbol(m->turns[i].distance)]++;
    }
    litlens[END] = 1;
    cel_code_make(litlens, CEL_LITLENS, CEL_CODE_MAX, &d->litlens);
    cel_code_make(dists, CEL_DISTANCES, CEL_CODE_MAX, &d->dists);
    cel_code_table_make(&d->litlens, &d->dists, &d->table);
    for (unsigned i = 0; i < CEL_LITLENS; i++)
        nbits += (uint64_t)litlens[i] * (d->litlens.len[i] + (i > END ? len_extra[i - END - 1] : 0u));
    for (unsigned i = 0; i < CEL_DISTANCES; i++)
        nbits += (uint64_t)dists[i] * (d->dists.len[i] + dist_extra(i));
    return nbits + d->table.nbits;
}

/* Code words as they are written: the number of bits in the low 8 bits, the bits above them. Those of
 * lengths contain the extra bits. */
struct words {
    uint32_t literal[256];
    uint32_t len[CEL_MATCH_MAX + 1];
    uint32_t dist[CEL_DISTANCES];
};

static uint32_t word_of(const struct cel_code *c, unsigned symbol)
{
    return (uint32_t)c->bits[symbol] << 8 | c->len[symbol];
}

static void make_words(const struct cel_deflater *d, struct words *w)
{
    for (unsigned i = 0; i < 256; i++)
        w->literal[i] = word_of(&d->litlens, i);
    for (unsigned i = 0; i < CEL_DISTANCES; i++)
        w->dist[i] = word_of(&d->dists, i);
    for (unsigned len = CEL_MATCH_MIN; len <= CEL_MATCH_MAX; len++) {
        unsigned symbol = len_symbol(len);
        uint32_t word = word_of(&d->litlens, END + 1 + symbol);

        w->len[len] = word + ((len - len_base[symbol]) << (word & 63) << 8) + len_extra[symbol];
    }
}

/* Writes four code words at once; a word of 0 writes nothing. */
static inline void put_four(struct cel_bit_sink *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint64_t first = a >> 8 | (uint64_t)(b >> 8) << (a & 63), second = c >> 8 | (uint64_t)(d >> 8) << (c & 63);

    cel_sink_put(s, first | second << ((a + b) & 63), (a + b + c + d) & 63);
}

/* Four literals at a time. The last zero to three are written without a branch that depends on their
 * number. */
static inline void put_literals(struct cel_bit_sink *s, const uint32_t *word, const unsigned char *p, size_t n)
{
    for (; n >= 4; n -= 4, p += 4)
        put_four(s, word[p[0]], word[p[1]], word[p[2]], word[p[3]]);
    put_four(s, n > 0 ? word[p[0]] : 0, n > 1 ? word[p[1]] : 0, n > 2 ? word[p[2]] : 0, 0);
}

static void put_turns(const struct cel_deflater *d, struct cel_bit_sink *sink)
{
    const struct cel_matcher *m = &d->match;
    const unsigned char *p = m->literals;
    struct cel_bit_sink s = *sink; /* a copy, which the compiler keeps in registers */
    struct words w;

    make_words(d, &w);
    for (const struct cel_turn *t = m->turns;; t++) {
        unsigned symbol = dist_symbol(t->distance), extra = dist_extra(symbol);

        put_literals(&s, w.literal, p, t->literals);
        p += t->literals;
        if (t->len == 0)
            break;
        cel_sink_add(&s, w.len[t->len] >> 8, w.len[t->len] & 63);
        cel_sink_add(&s, w.dist[symbol] >> 8, w.dist[symbol] & 63);
        cel_sink_put(&s, t->distance & ((1u << extra) - 1), extra);
    }
    cel_sink_put(&s, d->litlens.bits[END], d->litlens.len[END]);
    *sink = s;
}

static void put_stored(struct cel_bit_sink *s, const unsigned char *p, size_t n, bool is_last)
{
    do {
        size_t part = n < STORED_MAX ? n : STORED_MAX;

        n -= part;
        cel_sink_put(s, is_last && n == 0, 3);
        cel_sink_put(s, 0, (8 - s->n) & 7);
        cel_sink_put(s, part | (~part & 0xffff) << 16, 32);
        memcpy(s->at, p, part);
        s->at += part;
        p += part;
    } while (n > 0);
}

#ifndef NDEBUG
static uint64_t bits_written(const struct cel_bit_sink *s, const unsigned char *start)
{
    return 8 * (uint64_t)(s->at - start) + s->n;
}
#endif

/* false: the block does not fit before `end`. */
static bool put_block(struct cel_deflater *d, const unsigned char *src, size_t n, struct cel_bit_sink *s,
                      const unsigned char *end)
{
    const struct stretch *b = &d->block;
    size_t len = b->to - b->from;
    uint64_t nbits = make_codes(d);
    bool is_stored = nbits > 8 * len - len / 32; /* a code would save less than 1/256 */
#ifndef NDEBUG
    const struct cel_bit_sink before = *s;
#endif

    assert(len <= CEL_BLOCK_MAX);
    if ((size_t)(end - s->at) < (is_stored ? len + 12 : nbits / 8) + 10)
        return false;
    if (is_stored) {
        put_stored(s, src + b->from, len, b->to == n);
    } else {
        cel_sink_put(s, (b->to == n) | 2 << 1, 3);
        cel_code_table_put(&d->table, s);
        put_turns(d, s);
        assert(bits_written(s, before.at) == before.n + nbits);
    }
    assert(s->at <= end);
    return true;
}

size_t cel_deflater_run(struct cel_deflater *d, unsigned level, const unsigned char *src, size_t n, size_t planes,
                        unsigned char *dst, size_t cap)
{
    struct cel_bit_sink s = {.at = dst};

    cel_match_start(&d->match);
    d->next.to = d->block.to = 0;
    do {
        find_block(d, src, n, n / planes, d->block.to);
        find_matches(d, level, src, n);
        if (!put_block(d, src, n, &s, dst + cap))
            return 0;
    } while (d->block.to < n);
    cel_sink_put(&s, 0, (8 - s.n) & 7);
    return (size_t)(s.at - dst);
}
