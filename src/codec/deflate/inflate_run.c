/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot loops of inflate_run_of.h, compiled twice: in portable C, and for x86 processors with BMI2
 * and SSSE3, which cut out a field of bits, or repeat a short pattern, in one instruction. */
#include "inflate_run.h"
#include "kernels.h"
#include <string.h>
#ifdef CEL_X86
#include <immintrin.h>
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* The state that a hot loop leaves behind: the count without its upper bits, the word without the
 * bits above the count. */
static inline struct cel_inflate_bits bits_left(uint64_t bits, unsigned n, const uint8_t *next, const uint8_t *end)
{
    n &= 63;
    return (struct cel_inflate_bits){bits & (((uint64_t)1 << n) - 1), n, next, end};
}

/* Copies len bytes in steps of 32, two times 16. The source starts at least 16 bytes before `to`, or
 * lies elsewhere. Up to 32 bytes more than len are written. */
static inline void copy_apart(uint8_t *to, const uint8_t *from, size_t len)
{
    memcpy(to, from, 16);
    memcpy(to + 16, from + 16, 16);
    while (unlikely(len > 32)) {
        to += 32;
        from += 32;
        len -= 32;
        memcpy(to, from, 16);
        memcpy(to + 16, from + 16, 16);
    }
}

/* A literal's source, where it is copied as a match is: 32 bytes are read. */
static const uint8_t each_byte[256 + 32] = {
#define BYTES_4(b) b, b + 1, b + 2, b + 3
#define BYTES_16(b) BYTES_4(b), BYTES_4(b + 4), BYTES_4(b + 8), BYTES_4(b + 12)
#define BYTES_64(b) BYTES_16(b), BYTES_16(b + 16), BYTES_16(b + 32), BYTES_16(b + 48)
    BYTES_64(0), BYTES_64(64), BYTES_64(128), BYTES_64(192)};

#define TARGET
#define NAME(what) what##_portable
#define LOW_BITS(v, n) ((v) & (((uint64_t)1 << ((n)&63)) - 1))

/* A match whose distance is less than 16: the last `distance` bytes are repeated. The first 16 bytes
 * are copied one by one. From there on the pattern lies `back` bytes before, a multiple of the
 * distance that is at least 16, and can be copied 16 bytes at a time. */
static inline void copy_near_portable(uint8_t *to, size_t distance, size_t len)
{
    size_t back = (15 / distance + 1) * distance;
    uint8_t *end = to + len;

    for (int i = 0; i < 16; i++, to++)
        *to = *(to - distance);
    for (; to < end; to += 16)
        memcpy(to, to - back, 16);
}

#include "inflate_run_of.h"

#ifdef CEL_X86
#define TARGET __attribute__((target("bmi2,ssse3")))
#define NAME(what) what##_bmi2
#define LOW_BITS(v, n) _bzhi_u64(v, n)

/* repeated[d] makes 16 bytes of a pattern of d bytes; whole_times[d] is the largest multiple of d up
 * to 16, after which the same 16 bytes can be stored again. */
static const uint8_t repeated[16][16] = {
#define REPEATED(d) \
    { \
        0, 1 % d, 2 % d, 3 % d, 4 % d, 5 % d, 6 % d, 7 % d, 8 % d, 9 % d, 10 % d, 11 % d, 12 % d, 13 % d, 14 % d, \
            15 % d \
    }
    {0},         REPEATED(1), REPEATED(2),  REPEATED(3),  REPEATED(4),  REPEATED(5),  REPEATED(6),  REPEATED(7),
    REPEATED(8), REPEATED(9), REPEATED(10), REPEATED(11), REPEATED(12), REPEATED(13), REPEATED(14), REPEATED(15),
};
static const uint8_t whole_times[16] = {0, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15};

TARGET static inline void copy_near_bmi2(uint8_t *to, size_t distance, size_t len)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(to - distance));
    uint8_t *end = to + len;

    bytes = _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)repeated[distance]));
    for (; to < end; to += whole_times[distance])
        _mm_storeu_si128((__m128i *)to, bytes);
}

static bool has_bmi2(void)
{
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("ssse3");
}

#include "inflate_run_of.h"
#endif

const struct cel_inflate_kernel cel_inflate_kernels[] = {
#ifdef CEL_X86
    {"bmi2", has_bmi2, mixed_bmi2, usual_bmi2, even_bmi2, two_bmi2, put_bmi2},
#endif
    {"portable", cel_cpu_any, mixed_portable, usual_portable, even_portable, two_portable, put_portable},
    {0},
};
