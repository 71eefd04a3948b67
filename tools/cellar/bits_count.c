/* Counts of pairs by slicing: 32 or 64 values become as many words, one for each bit, of which ones are counted at once. */

#include "bits.h"
#include <stdlib.h>
#include <string.h>

/* --- the signed exponent ------------------------------------------------------------------------- */

static uint32_t sign_exponent32(uint32_t v)
{
    int e = (int)(v >> 23 & 255) - 127;

    return (v & 0x807fffffu) | (e < 0 ? 0x40000000u : 0) | (uint32_t)abs(e) << 23;
}

static uint64_t sign_exponent64(uint64_t v)
{
    int e = (int)(v >> 52 & 2047) - 1023;

    return (v & 0x800fffffffffffffu) | (e < 0 ? 0x4000000000000000u : 0) | (uint64_t)abs(e) << 52;
}

void bits_sign_exponents(void *values, size_t n, size_t size)
{
    uint32_t *narrow = values;
    uint64_t *wide = values;

    for (size_t i = 0; i < n; i++)
        if (size == 4)
            narrow[i] = sign_exponent32(narrow[i]);
        else
            wide[i] = sign_exponent64(wide[i]);
}

/* --- slices: word k of the result has bit k, from the highest down, of all values -------------------- */

static void slice32(uint32_t *a)
{
    uint32_t mask = 0x0000ffff;

    for (unsigned j = 16; j; j >>= 1, mask ^= mask << j)
        for (unsigned k = 0; k < 32; k = (k + j + 1) & ~j) {
            uint32_t t = (a[k] ^ a[k + j] >> j) & mask;

            a[k] ^= t;
            a[k + j] ^= t << j;
        }
}

static void slice64(uint64_t *a)
{
    uint64_t mask = 0x00000000ffffffff;

    for (unsigned j = 32; j; j >>= 1, mask ^= mask << j)
        for (unsigned k = 0; k < 64; k = (k + j + 1) & ~j) {
            uint64_t t = (a[k] ^ a[k + j] >> j) & mask;

            a[k] ^= t;
            a[k + j] ^= t << j;
        }
}

static void count32(const uint32_t *a, const uint32_t *b, size_t n, struct bits_counts *out)
{
    uint32_t p[32] = {0}, q[32] = {0};

    memcpy(p, a, n * sizeof *p);
    memcpy(q, b, n * sizeof *q);
    slice32(p);
    slice32(q);
    for (int k = 0; k < 32; k++) {
        out->both[k] += (uint64_t)__builtin_popcount(p[k] & q[k]);
        out->first[k] += (uint64_t)__builtin_popcount(p[k]);
        out->second[k] += (uint64_t)__builtin_popcount(q[k]);
    }
    out->pairs += n;
}

static void count64(const uint64_t *a, const uint64_t *b, size_t n, struct bits_counts *out)
{
    uint64_t p[64] = {0}, q[64] = {0};

    memcpy(p, a, n * sizeof *p);
    memcpy(q, b, n * sizeof *q);
    slice64(p);
    slice64(q);
    for (int k = 0; k < 64; k++) {
        out->both[k] += (uint64_t)__builtin_popcountll(p[k] & q[k]);
        out->first[k] += (uint64_t)__builtin_popcountll(p[k]);
        out->second[k] += (uint64_t)__builtin_popcountll(q[k]);
    }
    out->pairs += n;
}

static void count_block(const char *a, const char *b, size_t n, size_t size, struct bits_counts *out)
{
    if (size == 4)
        count32((const uint32_t *)(const void *)a, (const uint32_t *)(const void *)b, n, out);
    else
        count64((const uint64_t *)(const void *)a, (const uint64_t *)(const void *)b, n, out);
}

/* Pairs with both sides valid, side by side. */
static size_t pack(const char *a, const char *b, const bool *valid_a, const bool *valid_b, size_t n, size_t size,
                   char *to_a, char *to_b)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (valid_a[i] && valid_b[i]) {
            memcpy(to_a + kept * size, a + i * size, size);
            memcpy(to_b + kept * size, b + i * size, size);
            kept++;
        }
    return kept;
}

void bits_count(const void *a, const void *b, const bool *valid_a, const bool *valid_b, size_t n, size_t size,
                struct bits_counts *out)
{
    uint64_t packed_a[64], packed_b[64];
    size_t block = size * 8;

    for (size_t i = 0; i < n; i += block) {
        size_t m = n - i < block ? n - i : block;
        const char *x = (const char *)a + i * size, *y = (const char *)b + i * size;

        if (valid_a) {
            m = pack(x, y, valid_a + i, valid_b + i, m, size, (char *)packed_a, (char *)packed_b);
            x = (char *)packed_a;
            y = (char *)packed_b;
        }
        if (m)
            count_block(x, y, m, size, out);
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
