/* SPDX-License-Identifier: BSD-3-Clause */
/* The matcher: a block becomes literals and matches (copies of earlier bytes).
 *
 * Problem: find matches that save bits, in byte planes of numbers, at the speed of the planes that
 * have none. Text compressors keep a chain of all earlier positions with the same hash and follow it
 * for the longest match. Byte planes are of two kinds, and neither repays that:
 *
 *   noise    hardly anything repeats; every position looked at is a position lost
 *   regular  whole rows repeat, so the most recent match is nearly the longest
 *
 * Idea: hash tables with one position per entry, the last one. One look per position, no chains.
 *
 *          src   . . . a b c d e . . . . . . . a b c d f . .
 *                      ^ p                     ^ i
 *          heads.few[hash(a b c d)] == p   ->  compare, match of 4 bytes at distance i - p
 *                                   := i
 *
 * Three things make it fast on noise and keep the files small:
 *
 *   1. Strides. After every 2^patience looks in vain the step to the next look grows by one byte, up
 *      to 9. A match sets it back, at once if few literals came before, else by halves.
 *   2. Prices. A match costs about 9 bits and the extra bits of its distance; the literals it stands
 *      for cost what the block's statistics say (deflate_blocks.c). cel_match_rules_make turns this
 *      into the least length worth taking at each distance, and into the number of bytes that are
 *      hashed: where literals are cheap, short matches would lose, so they are not even looked for.
 *   3. Extension backwards. A look may fall into the middle of a repetition, because of the stride;
 *      the match is then extended to its true start.
 *
 * Quick mode asks one table, of `hashed` bytes (4 to 8). Thorough mode asks three: of eight bytes,
 * of `hashed` (at most 6) and of three; and it looks one position further for a better match, as long
 * as that one is better ("lazy matching").
 *
 * Positions are kept in 16 bits, which halves the tables; the search finds the same matches. The
 * distance to a kept position is computed modulo 65536 (swap). It can be wrong only where the true
 * distance is 65536 or more, outside deflate's window of 32768; then it points somewhere else in the
 * last 65535 bytes. That is harmless, because every candidate is compared byte by byte (match_at),
 * and it never points before the first byte: an assert checks it. One case needs care: where a
 * quick pass over a block is followed by a thorough one, the table of the quick one holds positions
 * that are still ahead. Their distance may be more than i, and is refused (look).
 *
 * What it costs: one look per literal where it is densest, one per nine bytes of noise. Streams are
 * 1 to 10 % smaller than zlib's at level 1 on the benchmark's real fields, within 0.5 % of
 * libdeflate's, and written 2 to 7 times as fast as by zlib (docs/codecs.md). Chains do find more
 * where hardly anything is left: deflate_core.c lets libdeflate try there.
 *
 * What would break it: a third pass over a block, or a quick one behind a thorough one; reading 8 or
 * 16 bytes near the end of the input, which `last` in match_block prevents. */
#include "deflate_match.h"
#include "bytes.h"
#include <assert.h>
#include <string.h>

#define WINDOW 32768
#define STRIDE_MAX 9u
#define PAYING 24    /* bits that a match at a middling distance costs */
#define MATCH_BITS 9 /* bits of a match without the extra bits of its distance */
#define GOOD 32      /* from this length on, lazy matching looks for nothing better */

void cel_match_rules_make(double bits, bool thorough, struct cel_match_rules *out)
{
    double bytes = (thorough ? 20 : PAYING) / bits;
    unsigned least = thorough ? 3 : 4;

    out->thorough = thorough;
    out->patience = bits < 6.5 ? 8 : thorough ? 6 : 5;
    out->three = bits > 4;
    out->hashed = bytes <= 4 ? 4 : bytes >= 8 ? 8 : (unsigned)(bytes + 0.99);
    if (thorough && out->hashed > 6)
        out->hashed = 6;
    for (unsigned k = 0; k < 16; k++) {
        bytes = (MATCH_BITS + k) / bits + 0.99;
        out->least[k] = (uint8_t)(bytes < least ? least : bytes);
    }
}

void cel_match_start(struct cel_matcher *m)
{
    memset(m->heads.few, 0, sizeof m->heads.few); /* position 0, which is compared like any other */
    m->is_thorough = false;
}

/* --- the turns ---------------------------------------------------------------------------- */

/* Copies 16 bytes at a time. match_block calls it only where 16 bytes can be read behind every
 * literal; the array has 32 bytes more than a block. */
static inline void add_literals(struct cel_matcher *m, const unsigned char *p, size_t n)
{
    unsigned char *to = m->literals + m->nliterals;

    memcpy(to, p, 16);
    for (size_t k = 16; k < n; k += 16)
        memcpy(to + k, p + k, 16);
    m->nliterals += n;
}

/* A match longer than deflate allows becomes several; none of them shorter than it allows. */
static inline void add_turn(struct cel_matcher *m, size_t literals, size_t len, size_t distance)
{
    while (len > CEL_MATCH_MAX) {
        size_t part = len - CEL_MATCH_MAX < CEL_MATCH_MIN ? CEL_MATCH_MAX - CEL_MATCH_MIN : CEL_MATCH_MAX;

        m->turns[m->nturns++] = (struct cel_turn){(uint32_t)literals, (uint16_t)part, (uint16_t)(distance - 1)};
        literals = 0;
        len -= part;
    }
    m->turns[m->nturns++] = (struct cel_turn){(uint32_t)literals, (uint16_t)len, (uint16_t)(distance - 1)};
}

static void add_rest(struct cel_matcher *m, const unsigned char *p, size_t n)
{
    memcpy(m->literals + m->nliterals, p, n);
    m->nliterals += n;
    m->turns[m->nturns++] = (struct cel_turn){.literals = (uint32_t)n};
}

/* --- looking ------------------------------------------------------------------------------- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Bits by which eight bytes are shifted so that the first k of them are left. */
#define SHIFT(k) (64 - 8 * (k))

static inline unsigned log2_floor(size_t v)
{
    return 31 - (unsigned)__builtin_clz((uint32_t)v);
}

/* The hash of the bytes that are left when v is shifted. */
ALWAYS_INLINE uint32_t hash_of(uint64_t v, unsigned shift, unsigned bits)
{
    return (uint32_t)((v << shift) * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* The distance to the last position with this hash, modulo 65536; i becomes the last one. The result
 * is at most i unless that position is later than i: below 65536 positions are kept in full, and from
 * there on i is larger than any 16-bit number. */
ALWAYS_INLINE uint32_t swap(uint16_t *table, uint32_t hash, size_t i)
{
    uint16_t last = table[hash];

    table[hash] = (uint16_t)i;
    return (uint16_t)(i - last);
}

static size_t same_bytes(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t n = 0;

    for (; n + 8 <= most; n += 8) {
        uint64_t x = cel_get_le64(a + n) ^ cel_get_le64(b + n);

        if (x)
            return n + (size_t)(__builtin_ctzll(x) >> 3);
    }
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

struct found {
    size_t len, distance; /* length 0: nothing that pays */
};

/* The match at i with the bytes `distance` before. v: the 8 bytes at i. There is none unless the bytes
 * of v that are left when it is shifted are the same there. */
ALWAYS_INLINE struct found match_at(const unsigned char *src, size_t i, size_t to, uint64_t v, uint32_t distance,
                                    unsigned shift)
{
    uint64_t x = cel_get_le64(src + i - distance) ^ v;
    size_t len;

    assert(distance <= i);
    if (x << shift || distance - 1 >= WINDOW)
        return (struct found){0, 0};
    len = x ? (size_t)(__builtin_ctzll(x) >> 3) : same_bytes(src + i, src + i - distance, to - i);
    return (struct found){len < to - i ? len : to - i, distance};
}

/* Looks for a match at i and notes i in the tables. */
ALWAYS_INLINE struct found look(struct cel_heads *heads, const struct cel_match_rules *rules, const unsigned char *src,
                                size_t i, size_t to, bool thorough)
{
    uint64_t v = cel_get_le64(src + i);
    unsigned shift = SHIFT(rules->hashed);
    uint32_t few = swap(heads->few, hash_of(v, shift, CEL_FEW_BITS), i);
    uint32_t eight = thorough ? swap(heads->eight, hash_of(v, SHIFT(8), CEL_EIGHT_BITS), i) : 0;
    uint32_t three = thorough && rules->three ? swap(heads->three, hash_of(v, SHIFT(3), CEL_THREE_BITS), i) : 0;
    struct found f = {0, 0};

    if (thorough && few > i)
        few = 0; /* a later position, from a quick pass over this block */
    if (thorough)
        f = match_at(src, i, to, v, eight, SHIFT(8));
    if (f.len == 0)
        f = match_at(src, i, to, v, few, shift);
    if (f.len == 0 && thorough && rules->three)
        f = match_at(src, i, to, v, three, SHIFT(3));
    if (f.len && f.len < rules->least[log2_floor(f.distance)])
        f.len = 0;
    return f;
}

/* What a match saves, about: four bits a byte, less the extra bits of its distance. */
ALWAYS_INLINE int worth(struct found f)
{
    return 4 * (int)f.len - (int)log2_floor(f.distance);
}

/* Notes positions that a match covers, so that later matches find them. */
ALWAYS_INLINE void remember(struct cel_heads *heads, const struct cel_match_rules *rules, const unsigned char *src,
                            size_t from, size_t to, size_t step, bool thorough)
{
    for (; from < to; from += step) {
        uint64_t v = cel_get_le64(src + from);

        heads->few[hash_of(v, SHIFT(rules->hashed), CEL_FEW_BITS)] = (uint16_t)from;
        if (thorough)
            heads->eight[hash_of(v, SHIFT(8), CEL_EIGHT_BITS)] = (uint16_t)from;
        if (thorough && rules->three)
            heads->three[hash_of(v, SHIFT(3), CEL_THREE_BITS)] = (uint16_t)from;
    }
}

/* --- a block ------------------------------------------------------------------------------------- */

ALWAYS_INLINE void match_block(struct cel_matcher *m, const struct cel_match_rules *rules, const unsigned char *src,
                               size_t n, size_t from, size_t to, const bool thorough)
{
    const unsigned patience = rules->patience;
    size_t last = n < 16 ? 0 : to < n - 16 ? to : n - 16; /* before it, 16 bytes can be read anywhere */
    size_t i = from ? from : 1, start = from, misses = 0, seen, at;
    struct found f, g;

    m->nturns = m->nliterals = 0;
    while (i < last) {
        f = look(&m->heads, rules, src, i, to, thorough);
        if (f.len == 0) {
            misses += misses < (STRIDE_MAX - 1) << patience;
            i += 1 + (misses >> patience);
            continue;
        }
        seen = i + 1;
        while (thorough && f.len < GOOD && i + 1 < last) {
            g = look(&m->heads, rules, src, i + 1, to, thorough);
            seen = i + 2;
            if (g.len == 0 || worth(g) <= worth(f))
                break;
            f = g;
            i++;
        }
        for (at = i - f.distance; i > start && at > 0 && src[i - 1] == src[at - 1]; i--, at--)
            f.len++;
        add_literals(m, src + start, i - start);
        add_turn(m, i - start, f.len, f.distance);
        remember(&m->heads, rules, src, seen, i + f.len < last ? i + f.len : last, thorough || f.len < 16 ? 1 : 2,
                 thorough);
        misses = i - start < 4 ? 0 : misses / 2; /* halved only: in noise the stride soon grows back */
        start = i += f.len;
    }
    assert(start <= to);
    add_rest(m, src + start, to - start);
}

void cel_match_block(struct cel_matcher *m, const struct cel_match_rules *rules, const unsigned char *src, size_t n,
                     size_t from, size_t to)
{
    if (rules->thorough && !m->is_thorough) {
        memset(m->heads.eight, 0, sizeof m->heads.eight);
        memset(m->heads.three, 0, sizeof m->heads.three);
        m->is_thorough = true;
    }
    if (rules->thorough)
        match_block(m, rules, src, n, from, to, true);
    else
        match_block(m, rules, src, n, from, to, false);
}
