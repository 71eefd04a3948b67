/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SHUFFLE_BLOCKS_H
#define CEL_SHUFFLE_BLOCKS_H

/* Elements of 2, 4 or 8 bytes become bytes of their planes, 16 elements in each lane of a register: kernel_shuffle.c has
 * the idea. Lane l of v[k] has bytes 16 * k to 16 * k + 15 of elements 16 * l to 16 * l + 15. Plane j is written at
 * dst + j * n. v is used up. shuffle4_block_avx2 does 32 elements of 4 bytes, shuffle4_block_avx512 does 64. */

#include "kernels.h"
#ifdef CEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define AVX512_INLINE __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"), always_inline)) static inline

#define ORDER2 _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)
#define ORDER4 _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
#define ORDER8 _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)

#define SHUFFLE_BLOCKS(isa, vec, in_lanes, op, put) \
    isa##_INLINE void shuffle2_block_##vec(unsigned char *dst, size_t n, CEL_##vec *v) \
    { \
        const CEL_##vec order = in_lanes(ORDER2); \
        CEL_##vec a = op(shuffle_epi8)(v[0], order), b = op(shuffle_epi8)(v[1], order); \
        put(dst, op(unpacklo_epi64)(a, b)); \
        put(dst + n, op(unpackhi_epi64)(a, b)); \
    } \
    isa##_INLINE void shuffle4_block_##vec(unsigned char *dst, size_t n, CEL_##vec *v) \
    { \
        const CEL_##vec order = in_lanes(ORDER4); \
        CEL_##vec lo0, lo1, hi0, hi1; \
        for (int k = 0; k < 4; k++) \
            v[k] = op(shuffle_epi8)(v[k], order); \
        lo0 = op(unpacklo_epi32)(v[0], v[1]); \
        hi0 = op(unpackhi_epi32)(v[0], v[1]); \
        lo1 = op(unpacklo_epi32)(v[2], v[3]); \
        hi1 = op(unpackhi_epi32)(v[2], v[3]); \
        put(dst, op(unpacklo_epi64)(lo0, lo1)); \
        put(dst + n, op(unpackhi_epi64)(lo0, lo1)); \
        put(dst + 2 * n, op(unpacklo_epi64)(hi0, hi1)); \
        put(dst + 3 * n, op(unpackhi_epi64)(hi0, hi1)); \
    } \
    isa##_INLINE void shuffle8_block_##vec(unsigned char *dst, size_t n, CEL_##vec *v) \
    { \
        const CEL_##vec order = in_lanes(ORDER8); \
        CEL_##vec w[8]; \
        size_t k; \
        for (k = 0; k < 8; k++) \
            v[k] = op(shuffle_epi8)(v[k], order); \
        for (k = 0; k < 4; k++) { /* two planes of 4 elements in each half lane */ \
            w[k] = op(unpacklo_epi16)(v[2 * k], v[2 * k + 1]); \
            w[4 + k] = op(unpackhi_epi16)(v[2 * k], v[2 * k + 1]); \
        } \
        for (k = 0; k < 2; k++) { /* one plane of 8 elements in each half lane */ \
            v[4 * k] = op(unpacklo_epi32)(w[4 * k], w[4 * k + 1]); \
            v[4 * k + 1] = op(unpackhi_epi32)(w[4 * k], w[4 * k + 1]); \
            v[4 * k + 2] = op(unpacklo_epi32)(w[4 * k + 2], w[4 * k + 3]); \
            v[4 * k + 3] = op(unpackhi_epi32)(w[4 * k + 2], w[4 * k + 3]); \
        } \
        for (k = 0; k < 2; k++) { \
            put(dst + (4 * k) * n, op(unpacklo_epi64)(v[4 * k], v[4 * k + 2])); \
            put(dst + (4 * k + 1) * n, op(unpackhi_epi64)(v[4 * k], v[4 * k + 2])); \
            put(dst + (4 * k + 2) * n, op(unpacklo_epi64)(v[4 * k + 1], v[4 * k + 3])); \
            put(dst + (4 * k + 3) * n, op(unpackhi_epi64)(v[4 * k + 1], v[4 * k + 3])); \
        } \
    }

typedef __m256i CEL_avx2;
typedef __m512i CEL_avx512;
#define OP256(name) _mm256_##name
#define OP512(name) _mm512_##name
#define PUT256(dst, v) _mm256_storeu_si256((__m256i *)(dst), v)
#define PUT512(dst, v) _mm512_storeu_si512(dst, v)
SHUFFLE_BLOCKS(AVX2, avx2, _mm256_broadcastsi128_si256, OP256, PUT256)
SHUFFLE_BLOCKS(AVX512, avx512, _mm512_broadcast_i32x4, OP512, PUT512)
#undef OP256
#undef OP512
#undef PUT256
#undef PUT512
#undef ORDER2
#undef ORDER4
#undef ORDER8
#undef SHUFFLE_BLOCKS
#endif

#endif
