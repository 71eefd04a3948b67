/* Repetitions, found in one pass over a block: tables keep the last place of every hash, and a
 * look there decides. Byte planes of numbers are either hardly repetitive, so that most looks
 * are in vain and the strides grow, or repeat the row before for long, so that the first match
 * is nearly the best; following chains of places would cost more than it finds.
 *
 * Short matches far away cost more bits than cheap literals. How many bytes are hashed, and
 * the least length taken at each distance, therefore follow from what literals cost.
 *
 * The quick way asks one table. The thorough one asks three, of longer, shorter and shortest
 * matches, and looks one place further for something better. */
#include "deflate_match.h"
#include "bytes.h"
#include <string.h>

#define WINDOW 32768
#define STRIDE_MAX 9u
#define PAYING 24    /* bits of literals that a match at a middling distance costs */
#define MATCH_BITS 9 /* of its length and the symbol of its distance; the rest is in the distance */
#define GOOD 32      /* a length at which nothing better is looked for */

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
    memset(m->heads.few, 0, sizeof m->heads.few); /* a place that is compared like any other */
    m->is_thorough = false;
}

/* --- the turns ---------------------------------------------------------------------------- */

/* Sixteen at a time: 16 bytes from p, and as many behind the literals, are always there. */
static inline void add_literals(struct cel_matcher *m, const unsigned char *p, size_t n)
{
    unsigned char *to = m->literals + m->nliterals;

    memcpy(to, p, 16);
    for (size_t k = 16; k < n; k += 16)
        memcpy(to + k, p + k, 16);
    m->nliterals += n;
}

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

/* Of the bytes that are left. */
ALWAYS_INLINE uint32_t hash_of(uint64_t v, unsigned shift, unsigned bits)
{
    return (uint32_t)((v << shift) * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* How far back the last place with this hash is, which i takes over. It is never before the
 * first byte: places up to 65535 are told in full, and those behind are no nearer to it. */
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

/* What matches the bytes at i, beginning with v, so far back: nothing, unless those of v that are
 * left when it is shifted are the same. */
ALWAYS_INLINE struct found match_at(const unsigned char *src, size_t i, size_t to, uint64_t v, uint32_t distance,
                                    unsigned shift)
{
    uint64_t x = cel_get_le64(src + i - distance) ^ v;
    size_t len;

    if (x << shift || distance - 1 >= WINDOW)
        return (struct found){0, 0};
    len = x ? (size_t)(__builtin_ctzll(x) >> 3) : same_bytes(src + i, src + i - distance, to - i);
    return (struct found){len < to - i ? len : to - i, distance};
}

ALWAYS_INLINE struct found look(struct cel_heads *heads, const struct cel_match_rules *rules, const unsigned char *src,
                                size_t i, size_t to, bool thorough)
{
    uint64_t v = cel_get_le64(src + i);
    unsigned shift = SHIFT(rules->hashed);
    uint32_t few = swap(heads->few, hash_of(v, shift, CEL_FEW_BITS), i);
    uint32_t eight = thorough ? swap(heads->eight, hash_of(v, SHIFT(8), CEL_EIGHT_BITS), i) : 0;
    uint32_t three = thorough && rules->three ? swap(heads->three, hash_of(v, SHIFT(3), CEL_THREE_BITS), i) : 0;
    struct found f = {0, 0};

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

ALWAYS_INLINE int worth(struct found f)
{
    return 4 * (int)f.len - (int)log2_floor(f.distance);
}

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
    size_t last = n < 16 ? 0 : to < n - 16 ? to : n - 16; /* places where 16 bytes can be read */
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
        misses = i - start < 4 ? 0 : misses / 2; /* among noise it is soon back where it was */
        start = i += f.len;
    }
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
