/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the look-up tables of inflate_tables.h from the lengths of canonical codes.
 *
 * Deflate sends codes by their first bit, so the first bit of a code is the lowest bit of an index.
 * Codes are therefore counted up "reversed" (next_code), and the first table is built by doubling
 * (make_first): the table for codes of up to k bits is the one for k - 1 bits written twice, with the
 * codes of k bits put over the entries that no shorter code has taken. Each entry is written once
 * per doubling, and no loop has to fill the copies of a short code with a stride.
 *
 * Correct if the code is complete, which count_lengths checks: then every entry is taken by exactly
 * one code. Of incomplete codes deflate allows those with one code of one bit, or none; they are
 * filled separately, and unused bits lead to CEL_IS_BAD. */
#include "inflate_tables.h"
#include <string.h>

#define CODE_MAX 15 /* bits */

/* --- meanings of symbols: entries without the bits of the code ------------------------- */

#define LITERALS(s) (uint32_t)(s) << 16 | CEL_IS_LITERAL | CEL_IS_LITERAL_SIGN
#define LITERALS_4(s) LITERALS(s), LITERALS(s + 1), LITERALS(s + 2), LITERALS(s + 3)
#define LITERALS_16(s) LITERALS_4(s), LITERALS_4(s + 4), LITERALS_4(s + 8), LITERALS_4(s + 12)
#define LITERALS_64(s) LITERALS_16(s), LITERALS_16(s + 16), LITERALS_16(s + 32), LITERALS_16(s + 48)
#define FROM(base, extra) (uint32_t)(base) << 16 | (extra)

static const uint32_t symbol_meanings[CEL_SYMBOL_COUNT] = {
    LITERALS_64(0), LITERALS_64(64), LITERALS_64(128), LITERALS_64(192), CEL_IS_END,   FROM(3, 0),
    FROM(4, 0),     FROM(5, 0),      FROM(6, 0),       FROM(7, 0),       FROM(8, 0),   FROM(9, 0),
    FROM(10, 0),    FROM(11, 1),     FROM(13, 1),      FROM(15, 1),      FROM(17, 1),  FROM(19, 2),
    FROM(23, 2),    FROM(27, 2),     FROM(31, 2),      FROM(35, 3),      FROM(43, 3),  FROM(51, 3),
    FROM(59, 3),    FROM(67, 4),     FROM(83, 4),      FROM(99, 4),      FROM(115, 4), FROM(131, 5),
    FROM(163, 5),   FROM(195, 5),    FROM(227, 5),     FROM(258, 0),     CEL_IS_BAD,   CEL_IS_BAD,
};

static const uint32_t distance_meanings[CEL_DISTANCE_COUNT] = {
    FROM(1, 0),      FROM(2, 0),      FROM(3, 0),     FROM(4, 0),     FROM(5, 1),     FROM(7, 1),     FROM(9, 2),
    FROM(13, 2),     FROM(17, 3),     FROM(25, 3),    FROM(33, 4),    FROM(49, 4),    FROM(65, 5),    FROM(97, 5),
    FROM(129, 6),    FROM(193, 6),    FROM(257, 7),   FROM(385, 7),   FROM(513, 8),   FROM(769, 8),   FROM(1025, 9),
    FROM(1537, 9),   FROM(2049, 10),  FROM(3073, 10), FROM(4097, 11), FROM(6145, 11), FROM(8193, 12), FROM(12289, 12),
    FROM(16385, 13), FROM(24577, 13), CEL_IS_BAD,     CEL_IS_BAD,
};

static const uint32_t precode_meanings[CEL_PRECODE_COUNT] = {
    FROM(0, 0),  FROM(1, 0),  FROM(2, 0),  FROM(3, 0),  FROM(4, 0),  FROM(5, 0),  FROM(6, 0),
    FROM(7, 0),  FROM(8, 0),  FROM(9, 0),  FROM(10, 0), FROM(11, 0), FROM(12, 0), FROM(13, 0),
    FROM(14, 0), FROM(15, 0), FROM(16, 0), FROM(17, 0), FROM(18, 0),
};

/* --- building -------------------------------------------------------------------------- */

struct code {
    unsigned count[CODE_MAX + 1]; /* codes of that length */
    unsigned end[CODE_MAX + 1];   /* in sorted, behind the last of that length */
    unsigned longest;
    bool is_complete;
    uint16_t sorted[CEL_SYMBOL_COUNT]; /* symbols by the length of their codes */
};

static bool count_lengths(struct code *c, const uint8_t *lens, unsigned n)
{
    int left = 1; /* how many codes of this length are still free; below 0: too many are used */

    memset(c->count, 0, sizeof c->count);
    for (unsigned i = 0; i < n; i++)
        c->count[lens[i]]++;
    c->count[0] = 0;
    c->longest = 0;
    for (unsigned len = 1; len <= CODE_MAX; len++) {
        if (c->count[len])
            c->longest = len;
        left = 2 * left - (int)c->count[len];
        if (left < 0)
            return false;
    }
    c->is_complete = left == 0;
    return c->is_complete || c->longest <= 1; /* no code at all, or a single one of one bit */
}

static void sort_symbols(struct code *c, const uint8_t *lens, unsigned n)
{
    c->end[0] = 0;
    for (unsigned len = 1; len <= CODE_MAX; len++)
        c->end[len] = c->end[len - 1] + c->count[len - 1];
    for (unsigned i = 0; i < n; i++)
        if (lens[i])
            c->sorted[c->end[lens[i]]++] = (uint16_t)i;
}

/* The code after this one, of the same length. The first bit of a code is its lowest, so counting up
 * adds at the highest bit and carries downwards. */
static unsigned next_code(unsigned code, unsigned len)
{
    unsigned bit = 1u << (len - 1);

    while (code & bit) {
        code ^= bit;
        bit >>= 1;
    }
    return code | bit;
}

static uint32_t entry_of(uint32_t meaning, unsigned len)
{
    return meaning + (len << 8 | len);
}

/* How many bits index the second table for the codes that begin like the one at `at`, of length len.
 * It grows by a bit until the codes that belong to it fill it. */
static unsigned second_bits(const struct code *c, unsigned at, unsigned len, unsigned bits)
{
    unsigned have = c->end[len] - at, most = len;

    while (have < 1u << (most - bits) && most < c->longest) {
        most++;
        have = 2 * have + c->count[most];
    }
    return most - bits;
}

/* Codes longer than the index, in the order of codes: those with the same first bits follow each
 * other and share a second table. */
static void make_second(const struct code *c, uint32_t *table, unsigned bits, unsigned at, unsigned code,
                        const uint32_t *meanings)
{
    unsigned next = 1u << bits, start = 0, sub = 0, first = ~0u;

    for (unsigned len = bits + 1; len <= c->longest; len++)
        for (; at < c->end[len]; at++, code = next_code(code, len)) {
            if ((code & ((1u << bits) - 1)) != first) {
                first = code & ((1u << bits) - 1);
                sub = second_bits(c, at, len, bits);
                start = next;
                next += 1u << sub;
                table[first] = start << 16 | CEL_IS_LINK | sub << 8 | bits;
            }
            for (unsigned i = code >> bits; i < 1u << sub; i += 1u << (len - bits))
                table[start + i] = entry_of(meanings[c->sorted[at]], len - bits);
        }
}

/* The first table by doubling: see above. */
static void make_first(const struct code *c, uint32_t *table, unsigned bits, const uint32_t *meanings)
{
    unsigned code = 0, at = 0, size = 1;

    for (unsigned len = 1; len <= bits; len++, size *= 2) {
        memcpy(table + size, table, size * sizeof *table);
        for (; at < c->end[len]; at++, code = next_code(code, len))
            table[code] = entry_of(meanings[c->sorted[at]], len);
    }
    if (c->longest > bits)
        make_second(c, table, bits, at, code, meanings);
}

static bool make_table(struct code *c, uint32_t *table, unsigned bits, const uint8_t *lens, unsigned n,
                       const uint32_t *meanings)
{
    if (!count_lengths(c, lens, n))
        return false;
    sort_symbols(c, lens, n);
    table[0] = CEL_IS_BAD;
    if (c->is_complete)
        make_first(c, table, bits, meanings);
    else
        for (unsigned i = 0; i < 1u << bits; i++)
            table[i] = c->longest && !(i & 1) ? entry_of(meanings[c->sorted[0]], 1) : CEL_IS_BAD;
    return true;
}

/* How the block will be read (inflate.c), from the lengths of its codes alone: an encoder gives a
 * symbol a code of len bits when about one symbol in 2^len is that one. A block is rich in literals
 * when seven symbols in ten are literals, and even when two to seven are. A length is usual when nineteen in twenty are literals with
 * a code of that length. Lengths below 5 bits do not occur in noise, and those above 9 do not fit
 * the loop that makes use of them (inflate_run_of.h). */
static void weigh_literals(struct cel_inflate_tables *tables, const uint8_t *lens)
{
    unsigned count[CODE_MAX + 1] = {0}, all = 0;

    for (unsigned i = 0; i < 256; i++)
        count[lens[i]]++;
    tables->usual = 0;
    for (unsigned len = 1; len <= CODE_MAX; len++) {
        all += count[len] << (CODE_MAX - len);
        if (len >= 5 && len <= 9 && count[len] * 20 > 19u << len)
            tables->usual = len;
    }
    tables->is_rich = all * 10 > 7u << CODE_MAX;
    tables->is_even = !tables->is_rich && all * 10 > 2u << CODE_MAX;
}

bool cel_inflate_make_tables(struct cel_inflate_tables *tables, const uint8_t *symbols, unsigned n_symbols,
                             const uint8_t *distances, unsigned n_distances)
{
    struct code c;

    weigh_literals(tables, symbols);
    return make_table(&c, tables->symbols, CEL_SYMBOL_BITS, symbols, n_symbols, symbol_meanings) &&
           make_table(&c, tables->distances, CEL_DISTANCE_BITS, distances, n_distances, distance_meanings);
}

bool cel_inflate_make_precode(uint32_t table[1 << CEL_PRECODE_BITS], const uint8_t lens[CEL_PRECODE_COUNT])
{
    struct code c;

    return make_table(&c, table, CEL_PRECODE_BITS, lens, CEL_PRECODE_COUNT, precode_meanings) && c.is_complete;
}
