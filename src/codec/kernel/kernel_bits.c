/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit matrices of 8 x 8 in 64-bit words: bit c of byte r changes place with bit r
 * of byte c, in three rounds of exchanging ever larger squares. */
#include "bytes.h"
#include "kernels.h"
#ifdef CEL_X86
#include <immintrin.h>
#endif
#ifdef CEL_NEON
#include <arm_neon.h>
#endif

#define MASK1 0x00aa00aa00aa00aau /* which bits go up by 7, 14, 28 places */
#define MASK2 0x0000cccc0000ccccu
#define MASK4 0x00000000f0f0f0f0u

static uint64_t exchange(uint64_t v, int places, uint64_t mask)
{
    uint64_t t = (v ^ v >> places) & mask;

    return v ^ t ^ t << places;
}

static void transpose_portable(void *dst, const void *src, size_t n)
{
    const char *from = src;
    char *to = dst;

    for (size_t i = 0; i < n; i++) {
        uint64_t v = cel_get_le64(from + 8 * i);

        cel_put_le64(to + 8 * i, exchange(exchange(exchange(v, 7, MASK1), 14, MASK2), 28, MASK4));
    }
}

#ifdef CEL_X86
__attribute__((target("avx2"))) static void transpose_avx2(void *dst, const void *src, size_t n)
{
    const __m256i mask1 = _mm256_set1_epi64x(MASK1), mask2 = _mm256_set1_epi64x(MASK2),
                  mask4 = _mm256_set1_epi64x(MASK4);
    const char *from = src;
    char *to = dst;
    size_t i;

    for (i = 0; i + 4 <= n; i += 4) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(from + 8 * i)), t;

        t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, 7)), mask1);
        v = _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, 7)));
        t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, 14)), mask2);
        v = _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, 14)));
        t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, 28)), mask4);
        v = _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, 28)));
        _mm256_storeu_si256((__m256i *)(to + 8 * i), v);
    }
    transpose_portable(to + 8 * i, from + 8 * i, n - i);
}
#endif

#ifdef CEL_NEON
#define EXCHANGE(v, places, mask) \
    do { \
        uint64x2_t t = vandq_u64(veorq_u64(v, vshrq_n_u64(v, places)), vdupq_n_u64(mask)); \
        v = veorq_u64(v, veorq_u64(t, vshlq_n_u64(t, places))); \
    } while (0)

/* Two registers at a time: the steps of one word wait for each other. */
static void transpose_neon(void *dst, const void *src, size_t n)
{
    const unsigned char *from = src;
    unsigned char *to = dst;
    size_t i;

    for (i = 0; i + 4 <= n; i += 4) {
        uint64x2_t a = vreinterpretq_u64_u8(vld1q_u8(from + 8 * i)),
                   b = vreinterpretq_u64_u8(vld1q_u8(from + 8 * i + 16));

        EXCHANGE(a, 7, MASK1);
        EXCHANGE(b, 7, MASK1);
        EXCHANGE(a, 14, MASK2);
        EXCHANGE(b, 14, MASK2);
        EXCHANGE(a, 28, MASK4);
        EXCHANGE(b, 28, MASK4);
        vst1q_u8(to + 8 * i, vreinterpretq_u8_u64(a));
        vst1q_u8(to + 8 * i + 16, vreinterpretq_u8_u64(b));
    }
    transpose_portable(to + 8 * i, from + 8 * i, n - i);
}
#endif

const struct cel_bits_kernel cel_bits_kernels[] = {
#ifdef CEL_X86
    {"avx2", cel_cpu_avx2, transpose_avx2},
#endif
#ifdef CEL_NEON
    {"neon", cel_cpu_any, transpose_neon},
#endif
    {"portable", cel_cpu_any, transpose_portable},
    {0},
};

void cel_transpose_bits(void *dst, const void *src, size_t n)
{
    const struct cel_bits_kernel *k = cel_bits_kernels;

    while (!k->usable())
        k++;
    k->transpose(dst, src, n);
}
