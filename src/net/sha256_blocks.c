/* SPDX-License-Identifier: BSD-3-Clause */
#include "sha256_blocks.h"
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define CEL_X86 1
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* --- portable ----------------------------------------------------------------------- */

static inline uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static inline uint32_t word_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The word of a round takes the place of the one of 16 rounds before. */
static inline void expand(uint32_t w[16], int i)
{
    uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];

    w[i] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(i + 9) & 15] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
}

/* Nothing is moved: in round i the variables a to h of the standard are v[-i & 7], v[(1 - i) & 7] and so on. */
static inline void run_round(uint32_t v[8], int i, uint32_t word)
{
    uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];
    uint32_t choice = (e & v[(5 - i) & 7]) ^ (~e & v[(6 - i) & 7]), majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t t = v[(7 - i) & 7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + word;

    v[(3 - i) & 7] += t;
    v[(7 - i) & 7] = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

#define ROUND(i) \
    do { \
        if (first) \
            expand(w, i); \
        run_round(v, i, w[i] + round_constant[first + (i)]); \
    } while (0)
#define FOUR_ROUNDS(i) \
    do { \
        ROUND(i); \
        ROUND((i) + 1); \
        ROUND((i) + 2); \
        ROUND((i) + 3); \
    } while (0)

static void take_portable(uint32_t h[8], const unsigned char *at, size_t nblocks)
{
    uint32_t w[16], v[8];

    for (; nblocks; nblocks--, at += CEL_SHA256_BLOCK) {
        memcpy(v, h, sizeof v);
        for (int i = 0; i < 16; i++)
            w[i] = word_at(at + 4 * i);
        for (int first = 0; first < 64; first += 16) {
            FOUR_ROUNDS(0);
            FOUR_ROUNDS(4);
            FOUR_ROUNDS(8);
            FOUR_ROUNDS(12);
        }
        for (int i = 0; i < 8; i++)
            h[i] += v[i];
    }
}

static bool usable_anywhere(void)
{
    return true;
}

/* --- x86 with its instructions for SHA ---------------------------------------------------- */

#ifdef CEL_X86
#define TARGET __attribute__((target("sha,sse4.1")))

static bool ask_for_sha(void)
{
    unsigned a, b, c, d;

    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* __builtin_cpu_supports knows no "sha" before gcc 14; the answer is kept, as a virtual machine takes long for it. */
static bool has_sha(void)
{
    enum { UNKNOWN, NO, YES };
    static _Atomic int known;

    if (known == UNKNOWN)
        known = ask_for_sha() ? YES : NO;
    return known == YES;
}

/* Four rounds; an instruction does two of them with the lower half of its words. */
TARGET static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i words, int i)
{
    __m128i word = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(round_constant + i)));

    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, word);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(word, 0x0e));
}

/* The words of four rounds in the place of those of 16 rounds before; w has those of 16 rounds, a ring. */
TARGET static inline void expand_four(__m128i w[4], int k)
{
    __m128i last = w[(k + 3) & 3], between = _mm_alignr_epi8(last, w[(k + 2) & 3], 4);

    w[k] = _mm_add_epi32(_mm_sha256msg1_epu32(w[k], w[(k + 1) & 3]), between);
    w[k] = _mm_sha256msg2_epu32(w[k], last);
}

TARGET static inline void take_one(__m128i *abef, __m128i *cdgh, const unsigned char *at)
{
    const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i before_abef = *abef, before_cdgh = *cdgh, w[4];

    for (int k = 0; k < 4; k++) {
        w[k] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at + k), big_endian);
        four_rounds(abef, cdgh, w[k], 4 * k);
    }
    for (int i = 16; i < 64; i += 16) {
        for (int k = 0; k < 4; k++) {
            expand_four(w, k);
            four_rounds(abef, cdgh, w[k], i + 4 * k);
        }
    }
    *abef = _mm_add_epi32(*abef, before_abef);
    *cdgh = _mm_add_epi32(*cdgh, before_cdgh);
}

/* The instructions want the variables of the standard as (f, e, b, a) and (h, g, d, c), from the lowest up. */
TARGET static void take_sha(uint32_t h[8], const unsigned char *at, size_t nblocks)
{
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(h + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0), feba, dchg;

    for (; nblocks; nblocks--, at += CEL_SHA256_BLOCK)
        take_one(&abef, &cdgh, at);
    feba = _mm_shuffle_epi32(abef, 0x1b);
    dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

const struct cel_sha256_kernel cel_sha256_kernels[] = {
#ifdef CEL_X86
    {"sha", has_sha, take_sha},
#endif
    {"portable", usable_anywhere, take_portable},
    {0},
};
