/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_VEC16_H
#define CEL_VEC16_H

/* Sixteen bytes in a register, where every processor of a kind has such registers: SSE2 on x86-64, NEON on aarch64.
 * What the loops in tiles need of them, so that they are written once: zip_low8(a, b) is a0 b0 a1 b1 ... of the first
 * halves, zip_high8 of the second ones; 32 and 64 do it with units of so many bits. */

#include "kernels.h"
#ifdef CEL_X86
#include <immintrin.h>
#define CEL_VEC16 1
#define CEL_VEC16_NAME "sse2"

typedef __m128i vec16;

static inline vec16 load16(const void *p)
{
    return _mm_loadu_si128(p);
}

static inline void store16(void *p, vec16 v)
{
    _mm_storeu_si128(p, v);
}

/* Around the caches, where there is an instruction for it; p is a multiple of 16. */
static inline void stream16(void *p, vec16 v)
{
    _mm_stream_si128(p, v);
}

static inline vec16 zero16(void)
{
    return _mm_setzero_si128();
}

#define CEL_ZIP(bits) \
    static inline vec16 zip_low##bits(vec16 a, vec16 b) \
    { \
        return _mm_unpacklo_epi##bits(a, b); \
    } \
    static inline vec16 zip_high##bits(vec16 a, vec16 b) \
    { \
        return _mm_unpackhi_epi##bits(a, b); \
    }
#endif

#ifdef CEL_NEON
#include <arm_neon.h>
#define CEL_VEC16 1
#define CEL_VEC16_NAME "neon"

typedef uint8x16_t vec16;

static inline vec16 load16(const void *p)
{
    return vld1q_u8(p);
}

static inline void store16(void *p, vec16 v)
{
    vst1q_u8(p, v);
}

static inline void stream16(void *p, vec16 v)
{
    vst1q_u8(p, v);
}

static inline vec16 zero16(void)
{
    return vdupq_n_u8(0);
}

#define CEL_ZIP(bits) \
    static inline vec16 zip_low##bits(vec16 a, vec16 b) \
    { \
        return vreinterpretq_u8_u##bits(vzip1q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b))); \
    } \
    static inline vec16 zip_high##bits(vec16 a, vec16 b) \
    { \
        return vreinterpretq_u8_u##bits(vzip2q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b))); \
    }
#define vreinterpretq_u8_u8(v) (v)
#endif

#ifdef CEL_VEC16
CEL_ZIP(8)
CEL_ZIP(32)
CEL_ZIP(64)
#endif
#undef CEL_ZIP
#undef vreinterpretq_u8_u8

#endif
