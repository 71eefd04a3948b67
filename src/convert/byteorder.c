/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte order: reverse the bytes of every element. Vector shuffles where the CPU
 * has them, chosen once per call; the portable loops are the reference. */
#include "byteorder.h"
#include "convert.h"
#include <stdint.h>
#include <string.h>

#define SWAP_WORDS(bits) \
    static void swap_##bits(unsigned char *d, const unsigned char *s, size_t n) \
    { \
        for (size_t i = 0; i < n; i++) { \
            uint##bits##_t v; \
            memcpy(&v, s + i * sizeof v, sizeof v); \
            v = __builtin_bswap##bits(v); \
            memcpy(d + i * sizeof v, &v, sizeof v); \
        } \
    }
SWAP_WORDS(16)
SWAP_WORDS(32)
SWAP_WORDS(64)

static void swap_any(unsigned char *d, const unsigned char *s, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++, d += size, s += size) {
        for (size_t a = 0, b = size - 1; a <= b && b < size; a++, b--) {
            unsigned char first = s[a];
            d[a] = s[b];
            d[b] = first;
        }
    }
}

void cel_swap_portable(void *dst, const void *src, size_t n, size_t size)
{
    switch (size) {
    case 2:
        swap_16(dst, src, n);
        break;
    case 4:
        swap_32(dst, src, n);
        break;
    case 8:
        swap_64(dst, src, n);
        break;
    default:
        swap_any(dst, src, n, size);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Which byte of its 16 goes where, for elements of 2, 4 and 8 bytes. */
static const unsigned char *pattern_of(size_t size)
{
    static const unsigned char patterns[3][16] = {
        {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
        {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
        {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
    };

    return patterns[size == 2 ? 0 : size == 4 ? 1 : 2];
}

__attribute__((target("ssse3"))) static size_t shuffle_ssse3(unsigned char *d, const unsigned char *s, size_t nbytes,
                                                             const unsigned char *pattern)
{
    __m128i p = _mm_loadu_si128((const __m128i *)pattern);
    size_t i = 0;

    for (; i + 16 <= nbytes; i += 16)
        _mm_storeu_si128((__m128i *)(d + i), _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(s + i)), p));
    return i;
}

__attribute__((target("avx2"))) static size_t shuffle_avx2(unsigned char *d, const unsigned char *s, size_t nbytes,
                                                           const unsigned char *pattern)
{
    __m256i p = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)pattern));
    size_t i = 0;

    for (; i + 64 <= nbytes; i += 64) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(s + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(s + i + 32));
        _mm256_storeu_si256((__m256i *)(d + i), _mm256_shuffle_epi8(a, p));
        _mm256_storeu_si256((__m256i *)(d + i + 32), _mm256_shuffle_epi8(b, p));
    }
    return i;
}

/* A vector loop does what it can; the rest is less than one step of it. */
static void swap_vector(void *dst, const void *src, size_t n, size_t size,
                        size_t shuffle(unsigned char *, const unsigned char *, size_t, const unsigned char *))
{
    size_t done = shuffle(dst, src, n * size, pattern_of(size));

    cel_swap_portable((char *)dst + done, (const char *)src + done, n - done / size, size);
}

bool cel_swap_ssse3(void *dst, const void *src, size_t n, size_t size)
{
    if (!__builtin_cpu_supports("ssse3"))
        return false;
    swap_vector(dst, src, n, size, shuffle_ssse3);
    return true;
}

bool cel_swap_avx2(void *dst, const void *src, size_t n, size_t size)
{
    if (!__builtin_cpu_supports("avx2"))
        return false;
    swap_vector(dst, src, n, size, shuffle_avx2);
    return true;
}

#else

bool cel_swap_ssse3(void *dst, const void *src, size_t n, size_t size)
{
    return false;
}

bool cel_swap_avx2(void *dst, const void *src, size_t n, size_t size)
{
    return false;
}

#endif

void cel_swap_bytes(void *dst, const void *src, size_t n, size_t size)
{
    bool fits_a_vector = size == 2 || size == 4 || size == 8;

    if (size == 1) {
        if (dst != src)
            memcpy(dst, src, n);
        return;
    }
    if (fits_a_vector && (cel_swap_avx2(dst, src, n, size) || cel_swap_ssse3(dst, src, n, size)))
        return;
    cel_swap_portable(dst, src, n, size);
}
