/* SPDX-License-Identifier: BSD-3-Clause */
/* Fletcher's checksum as HDF5 has it: two sums over 16-bit words, high byte
 * first, an odd last byte being a high byte; each sum is folded to 16 bits in
 * ones' complement, so that it is 0 only for data that is all zero.
 *
 * Both forms work on words as the machine has them (low byte first): modulo
 * 65535 swapping the bytes of every word swaps the bytes of both sums. They keep
 * plain sums and fold rarely. */
#include "bytes.h"
#include "kernels.h"
#include <string.h>
#ifdef CEL_X86
#include <immintrin.h>
#endif

/* first = sum of words; second = sum of the running first sums. Both are kept
 * below 2^32 between blocks without ever folding a positive sum to 0. */
struct sums {
    uint64_t first, second;
};

static uint64_t fold(uint64_t s)
{
    while (s >> 16)
        s = (s & 0xffff) + (s >> 16);
    return s;
}

static uint32_t swap16(uint32_t v)
{
    return (v >> 8 | v << 8) & 0xffff;
}

static uint32_t finish(struct sums s, const unsigned char *p, size_t n)
{
    for (; n >= 2; p += 2, n -= 2) {
        s.first = fold(s.first + cel_get_le16(p));
        s.second = fold(s.second + s.first);
    }
    if (n == 1) {
        s.first = fold(s.first + p[0]);
        s.second = fold(s.second + s.first);
    }
    return swap16((uint32_t)fold(s.second)) << 16 | swap16((uint32_t)fold(s.first));
}

/* 360 words keep the second sum of a block below 2^32. */
#define BLOCK 360

static uint32_t fletcher32_portable(uint32_t unused, const void *src, size_t n)
{
    const unsigned char *p = src;
    struct sums s = {0, 0};

    for (; n >= 2 * BLOCK; p += 2 * BLOCK, n -= 2 * BLOCK) {
        uint32_t first = (uint32_t)s.first, second = 0;
        int k;

        for (k = 0; k < BLOCK; k++) {
            first += cel_get_le16(p + 2 * k);
            second += first;
        }
        s.second = fold(s.second + second);
        s.first = fold(first);
    }
    return finish(s, p, n);
}

#ifdef CEL_X86
/* Sixteen word positions have sums of their own: first[j] and second[j] over the
 * words j, j + 16, ... of a block of k rows. Word j of row r then counts
 * 16 (k - r) - j times in the block's second sum. */
__attribute__((target("avx2"))) static void add_rows(struct sums *s, const unsigned char *p, size_t rows)
{
    const __m256i low = _mm256_set1_epi32(0xffff);
    __m256i even1 = _mm256_setzero_si256(), odd1 = even1, even2 = even1, odd2 = even1;
    uint32_t first[2][8], second[2][8];
    uint64_t sum = 0, weighted = 0;
    size_t k;

    for (k = 0; k < rows; k++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(p + 32 * k));

        even1 = _mm256_add_epi32(even1, _mm256_and_si256(v, low));
        odd1 = _mm256_add_epi32(odd1, _mm256_srli_epi32(v, 16));
        even2 = _mm256_add_epi32(even2, even1);
        odd2 = _mm256_add_epi32(odd2, odd1);
    }
    _mm256_storeu_si256((__m256i *)first[0], even1);
    _mm256_storeu_si256((__m256i *)first[1], odd1);
    _mm256_storeu_si256((__m256i *)second[0], even2);
    _mm256_storeu_si256((__m256i *)second[1], odd2);
    for (k = 0; k < 16; k++) {
        sum += first[k % 2][k / 2];
        weighted += 16 * (uint64_t)second[k % 2][k / 2] - k * first[k % 2][k / 2];
    }
    s->second = fold(s->second + rows * 16 * s->first + weighted);
    s->first = fold(s->first + sum);
}

static uint32_t fletcher32_avx2(uint32_t unused, const void *src, size_t n)
{
    const unsigned char *p = src;
    struct sums s = {0, 0};

    while (n >= 32) {
        size_t rows = n / 32 < BLOCK ? n / 32 : BLOCK;

        add_rows(&s, p, rows);
        p += 32 * rows;
        n -= 32 * rows;
    }
    return finish(s, p, n);
}
#endif

const struct cel_sum_kernel cel_fletcher32_kernels[] = {
#ifdef CEL_X86
    {"avx2", cel_cpu_avx2, fletcher32_avx2},
#endif
    {"portable", cel_cpu_any, fletcher32_portable},
    {0},
};

uint32_t cel_fletcher32(const void *src, size_t n)
{
    const struct cel_sum_kernel *k = cel_fletcher32_kernels;

    while (!k->usable())
        k++;
    return k->sum(0, src, n);
}
