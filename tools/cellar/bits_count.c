/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of pairs by slicing: 32 or 64 values get exponents with a sign of their own and become as many words, one for each bit, of
 * which ones are counted at once. The order of values does not matter as long as it is the same on both sides. */

#include "bits.h"
#include <stdlib.h>
#include <string.h>

/* --- slices ------------------------------------------------------------------------------------------ */

/* bits_lanes.h takes away VECTOR, TARGET and NAME. */
#define WORD uint32_t
#define NBITS 32
#define MANTISSA 23
#define VECTOR 16
#define TARGET
#define NAME(x) narrow_##x
#include "bits_lanes.h"
#if defined(__x86_64__)
#define VECTOR 32
#define TARGET __attribute__((target("avx2,popcnt")))
#define NAME(x) narrow_##x##_avx2
#include "bits_lanes.h"
#endif
#undef WORD
#undef NBITS
#undef MANTISSA

#define WORD uint64_t
#define NBITS 64
#define MANTISSA 52
#define VECTOR 16
#define TARGET
#define NAME(x) wide_##x
#include "bits_lanes.h"
#if defined(__x86_64__)
#define VECTOR 32
#define TARGET __attribute__((target("avx2,popcnt")))
#define NAME(x) wide_##x##_avx2
#include "bits_lanes.h"
#endif

enum { BLOCK_MAX = 64 * 32 }; /* bytes */

/* Counts the ones of so many bytes of values. */
struct counter {
    void (*count)(const void *a, const void *b, struct bits_counts *out);
    size_t nbytes;
};

static struct counter counter_for(size_t size)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return size == 4 ? (struct counter){narrow_count_avx2, 32 * 32} : (struct counter){wide_count_avx2, 64 * 32};
#endif
    return size == 4 ? (struct counter){narrow_count, 32 * 16} : (struct counter){wide_count, 64 * 16};
}

/* Pairs with both sides valid, side by side; valid_a NULL: all. */
static size_t pack(const char *a, const char *b, const bool *valid_a, const bool *valid_b, size_t n, size_t size,
                   char *to_a, char *to_b)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!valid_a || (valid_a[i] && valid_b[i])) {
            memcpy(to_a + kept * size, a + i * size, size);
            memcpy(to_b + kept * size, b + i * size, size);
            kept++;
        }
    return kept;
}

/* What has no bit set once its exponent has a sign: 1. */
static void pad(char *to, size_t from, size_t n, size_t size)
{
    static const float narrow = 1;
    static const double wide = 1;

    for (size_t i = from; i < n; i++)
        memcpy(to + i * size, size == sizeof narrow ? (const void *)&narrow : &wide, size);
}

/* Those that fill no block are counted with such behind them. */
void bits_count(const void *a, const void *b, const bool *valid_a, const bool *valid_b, size_t n, size_t size,
                struct bits_counts *out)
{
    const struct counter c = counter_for(size);
    size_t block = c.nbytes / size;

    for (size_t i = 0; i < n; i += block) {
        size_t m = n - i < block ? n - i : block;
        const char *x = (const char *)a + i * size, *y = (const char *)b + i * size;
        char packed_a[BLOCK_MAX], packed_b[BLOCK_MAX];

        if (valid_a || m < block) {
            m = pack(x, y, valid_a ? valid_a + i : NULL, valid_a ? valid_b + i : NULL, m, size, packed_a, packed_b);
            pad(packed_a, m, block, size);
            pad(packed_b, m, block, size);
            x = packed_a;
            y = packed_b;
        }
        c.count(x, y, out);
        out->pairs += m;
    }
}

void bits_counts_add(struct bits_counts *into, const struct bits_counts *from)
{
    into->pairs += from->pairs;
    for (int k = 0; k < BITS_MAX; k++) {
        into->both[k] += from->both[k];
        into->first[k] += from->first[k];
        into->second[k] += from->second[k];
    }
}
