/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte shuffle and its inverse.
 *
 * Problem: n elements of `size` bytes become `size` planes of n bytes: a transposition of an n x size
 * matrix of bytes. Byte by byte it costs a load and a store for each, to addresses n apart.
 *
 * Idea: transpose blocks in registers. An instruction "unpack" interleaves two registers: bytes of a and b
 * become a0 b0 a1 b1 ... Interleaving is half of a transposition: done log2 times with units that double,
 * it collects first pairs, then fours, then eights of bytes of the same plane. For size 4, four registers
 * with 16 elements of four bytes (A, B, C, D name the planes, the number is the element):
 *
 *   load        A0B0C0D0 A1B1C1D1 A2B2C2D2 A3B3C3D3        and three more registers
 *   shuffle     A0A1A2A3 B0B1B2B3 C0C1C2C3 D0D1D2D3        within each register
 *   unpack 32   A0..A3A4..A7  B0..B7                       of registers 0 and 1 (and 2 and 3)
 *   unpack 64   A0 ......... A15                           one full store per plane
 *
 * The inverse unpacks planes with each other: bytes of A and B, of C and D, then pairs of both.
 *
 * AVX2 registers have two lanes of 16 bytes, and unpack works within a lane. So the forward loops load
 * elements 0-15 into the low lanes and 16-31 into the high ones, which makes the result come out in order;
 * the inverse exchanges lanes at the end (put_lanes). Sizes 2, 4 and 8 have AVX2 loops of their own. Any
 * other size goes in tiles of 16 x 16 bytes with SSE2 or NEON: four rounds of unpacking, row k with row k + 8,
 * are a full transposition. The few elements at the end are done by the portable loop or, in unshuffle_some,
 * as part of a block that overlaps the last whole one.
 *
 * NEON loads and stores that take apart, or join, two or four interleaved runs are the loops for sizes 2 and 4;
 * for size 8 one more unpacking joins planes j and j + 4, which such a load has in the same register.
 *
 * Storing around the caches (`nontemporal`): the result of a read is often not looked at soon, and an
 * ordinary store would first fetch the line from memory. It needs addresses on 32 bytes; the first
 * elements up to a cache line are therefore done separately.
 *
 * Correctness is checked against the portable form, for all sizes and alignments (test_kernels). What
 * would break it: src and dst that overlap (asserted). */
#include "kernels.h"
#include "shuffle_blocks.h"
#include "vec16.h"
#include <assert.h>
#include <string.h>

/* Elements from `at` to `count`; planes are n long in either case. */
static void shuffle_tail(unsigned char *dst, const unsigned char *src, size_t at, size_t count, size_t n, size_t size)
{
    size_t i, j;

    for (j = 0; j < size; j++)
        for (i = at; i < count; i++)
            dst[j * n + i] = src[i * size + j];
}

static void unshuffle_tail(unsigned char *dst, const unsigned char *src, size_t plane, size_t at, size_t n, size_t size)
{
    size_t i, j;

    for (j = 0; j < size; j++)
        for (i = at; i < n; i++)
            dst[i * size + j] = src[j * plane + i];
}

/* Elements of a run that stays in the first cache while its planes are written. */
#define RUN 512

static void shuffle_portable(void *dst, const void *src, size_t count, size_t n, size_t size)
{
    for (size_t at = 0, end; at < count; at = end) {
        end = count - at > RUN ? at + RUN : count;
        shuffle_tail(dst, src, at, end, n, size);
    }
}

static void unshuffle_portable(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal)
{
    for (size_t at = 0, end; at < n; at = end) {
        end = n - at > RUN ? at + RUN : n;
        unshuffle_tail(dst, src, plane, at, end, size);
    }
}

#ifdef CEL_VEC16
/* Rows of 16 bytes become columns. */
static inline void transpose16(vec16 v[16])
{
    vec16 w[16];
    int k;

    for (k = 0; k < 8; k++) {
        w[2 * k] = zip_low8(v[k], v[k + 8]);
        w[2 * k + 1] = zip_high8(v[k], v[k + 8]);
    }
    for (k = 0; k < 8; k++) {
        v[2 * k] = zip_low8(w[k], w[k + 8]);
        v[2 * k + 1] = zip_high8(w[k], w[k + 8]);
    }
    for (k = 0; k < 8; k++) {
        w[2 * k] = zip_low8(v[k], v[k + 8]);
        w[2 * k + 1] = zip_high8(v[k], v[k + 8]);
    }
    for (k = 0; k < 8; k++) {
        v[2 * k] = zip_low8(w[k], w[k + 8]);
        v[2 * k + 1] = zip_high8(w[k], w[k + 8]);
    }
}

/* How many elements (a multiple of 16) may be read or written 16 bytes at a time from any of their columns
 * without leaving the array: all but the last few. */
static size_t elements_with_margin(size_t n, size_t size)
{
    size_t kept_back = (15 + size - 1) / size;

    return n > kept_back ? (n - kept_back) / 16 * 16 : 0;
}

static size_t shuffle_tiles(unsigned char *dst, const unsigned char *src, size_t count, size_t n, size_t size)
{
    size_t end = elements_with_margin(count, size), at, column;
    vec16 v[16];
    size_t k;

    for (at = 0; at < end; at += 16)
        for (column = 0; column < size; column += 16) {
            for (k = 0; k < 16; k++)
                v[k] = load16(src + (at + k) * size + column);
            transpose16(v);
            for (k = 0; k < 16 && column + k < size; k++)
                store16(dst + (column + k) * n + at, v[k]);
        }
    return end;
}

/* The last tile of an element is stored in full, over the start of the next element. So tiles go from the
 * last column to the first and elements upwards: every byte that was overwritten is written again. */
static size_t unshuffle_tiles(unsigned char *dst, const unsigned char *src, size_t plane, size_t n, size_t size)
{
    size_t end = elements_with_margin(n, size), at, tile;
    vec16 v[16];
    size_t k;

    for (at = 0; at < end; at += 16)
        for (tile = (size + 15) / 16; tile > 0; tile--) {
            size_t column = (tile - 1) * 16;

            for (k = 0; k < 16; k++)
                v[k] = column + k < size ? load16(src + (column + k) * plane + at) : zero16();
            transpose16(v);
            for (k = 0; k < 16; k++)
                store16(dst + (at + k) * size + column, v[k]);
        }
    return end;
}
#endif

#ifdef CEL_X86
static void shuffle_sse2(void *dst, const void *src, size_t count, size_t n, size_t size)
{
    shuffle_tail(dst, src, shuffle_tiles(dst, src, count, n, size), count, n, size);
}

static void unshuffle_sse2(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal)
{
    unshuffle_tail(dst, src, plane, unshuffle_tiles(dst, src, plane, n, size), n, size);
}

AVX2_INLINE __m256i load(const unsigned char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

AVX2_INLINE void store(unsigned char *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}

/* Stores the low lanes of a and b at `low`, their high lanes at `high`. With `nontemporal` both addresses
 * are multiples of 32. */
AVX2_INLINE void put_lanes(unsigned char *low, unsigned char *high, __m256i a, __m256i b, bool nontemporal)
{
    __m256i first = _mm256_permute2x128_si256(a, b, 0x20), second = _mm256_permute2x128_si256(a, b, 0x31);

    if (nontemporal) {
        _mm256_stream_si256((__m256i *)low, first);
        _mm256_stream_si256((__m256i *)high, second);
    } else {
        store(low, first);
        store(high, second);
    }
}

/* 16 bytes from each of two addresses, one per lane. */
AVX2_INLINE __m256i load_lanes(const unsigned char *low, const unsigned char *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

/* 32 elements of `size` bytes: the lanes that a block takes. */
AVX2_INLINE void load_run(__m256i *v, const unsigned char *src, size_t size)
{
    for (size_t k = 0; k < size; k++)
        v[k] = load_lanes(src + 16 * k, src + 16 * (size + k));
}

/* The forward loops, 32 elements at a time. Each returns how many elements it has done. */
AVX2 static size_t shuffle2_avx2(unsigned char *dst, const unsigned char *src, size_t count, size_t n)
{
    __m256i v[2];
    size_t at;

    for (at = 0; at + 32 <= count; at += 32) {
        load_run(v, src + at * 2, 2);
        shuffle2_block_avx2(dst + at, n, v);
    }
    return at;
}

/* The inverse of one block: 32 elements from their planes. */
AVX2_INLINE void unshuffle2_block(unsigned char *dst, const unsigned char *src, size_t plane, bool nontemporal)
{
    __m256i a = load(src), b = load(src + plane);

    put_lanes(dst, dst + 32, _mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b), nontemporal);
}

AVX2 static size_t shuffle4_avx2(unsigned char *dst, const unsigned char *src, size_t count, size_t n)
{
    __m256i v[4];
    size_t at;

    for (at = 0; at + 32 <= count; at += 32) {
        load_run(v, src + at * 4, 4);
        shuffle4_block_avx2(dst + at, n, v);
    }
    return at;
}

AVX2_INLINE void unshuffle4_block(unsigned char *dst, const unsigned char *src, size_t plane, bool nontemporal)
{
    __m256i a = load(src), b = load(src + plane), c = load(src + 2 * plane), d = load(src + 3 * plane);
    __m256i ab0 = _mm256_unpacklo_epi8(a, b), ab1 = _mm256_unpackhi_epi8(a, b);
    __m256i cd0 = _mm256_unpacklo_epi8(c, d), cd1 = _mm256_unpackhi_epi8(c, d);

    put_lanes(dst, dst + 64, _mm256_unpacklo_epi16(ab0, cd0), _mm256_unpackhi_epi16(ab0, cd0), nontemporal);
    put_lanes(dst + 32, dst + 96, _mm256_unpacklo_epi16(ab1, cd1), _mm256_unpackhi_epi16(ab1, cd1), nontemporal);
}

AVX2 static size_t shuffle8_avx2(unsigned char *dst, const unsigned char *src, size_t count, size_t n)
{
    __m256i v[8];
    size_t at;

    for (at = 0; at + 32 <= count; at += 32) {
        load_run(v, src + at * 8, 8);
        shuffle8_block_avx2(dst + at, n, v);
    }
    return at;
}

AVX2_INLINE void unshuffle8_block(unsigned char *dst, const unsigned char *src, size_t plane, bool nontemporal)
{
    __m256i v[8], w[8];
    size_t k;

    for (k = 0; k < 4; k++) { /* bytes of planes 2k and 2k+1 side by side */
        __m256i a = load(src + 2 * k * plane), b = load(src + (2 * k + 1) * plane);

        v[k] = _mm256_unpacklo_epi8(a, b);
        v[4 + k] = _mm256_unpackhi_epi8(a, b);
    }
    for (k = 0; k < 2; k++) { /* halves of elements: planes 0-3, planes 4-7 */
        w[4 * k] = _mm256_unpacklo_epi16(v[4 * k], v[4 * k + 1]);
        w[4 * k + 1] = _mm256_unpackhi_epi16(v[4 * k], v[4 * k + 1]);
        w[4 * k + 2] = _mm256_unpacklo_epi16(v[4 * k + 2], v[4 * k + 3]);
        w[4 * k + 3] = _mm256_unpackhi_epi16(v[4 * k + 2], v[4 * k + 3]);
    }
    for (k = 0; k < 4; k++) {
        __m256i low = w[k < 2 ? k : k + 2], high = w[k < 2 ? k + 2 : k + 4];

        put_lanes(dst + 32 * k, dst + 128 + 32 * k, _mm256_unpacklo_epi32(low, high), _mm256_unpackhi_epi32(low, high),
                  nontemporal);
    }
}

#define BLOCK 32
#define LINE 64

typedef void unshuffle_block(unsigned char *dst, const unsigned char *src, size_t plane, bool nontemporal);

/* Elements from..to-1, fewer than a block: a whole block is done in memory of our own, and they are copied
 * from there. */
AVX2_INLINE void unshuffle_some(unsigned char *dst, const unsigned char *src, size_t plane, size_t from, size_t to,
                                size_t n, size_t size, unshuffle_block *block)
{
    unsigned char whole[BLOCK * 8];
    size_t first = from + BLOCK <= n ? from : n - BLOCK;

    block(whole, src + first, plane, false);
    memcpy(dst + from * size, whole + (from - first) * size, (to - from) * size);
}

/* `nontemporal`: whole lines of the destination are stored around the caches. */
AVX2_INLINE void unshuffle_blocks(unsigned char *dst, const unsigned char *src, size_t plane, size_t n, size_t size,
                                  bool nontemporal, unshuffle_block *block)
{
    size_t at = 0;

    if (n < BLOCK) {
        unshuffle_tail(dst, src, plane, 0, n, size);
        return;
    }
    if (nontemporal && n >= 4 * BLOCK && (uintptr_t)dst % size == 0) {
        at = -(uintptr_t)dst % LINE / size;
        if (at)
            unshuffle_some(dst, src, plane, 0, at, n, size, block);
        for (; at + BLOCK <= n; at += BLOCK)
            block(dst + at * size, src + at, plane, true);
    } else {
        for (; at + BLOCK <= n; at += BLOCK)
            block(dst + at * size, src + at, plane, false);
    }
    if (at < n)
        unshuffle_some(dst, src, plane, at, n, n, size, block);
}

AVX2 static void unshuffle2_avx2(unsigned char *dst, const unsigned char *src, size_t plane, size_t n, bool nontemporal)
{
    unshuffle_blocks(dst, src, plane, n, 2, nontemporal, unshuffle2_block);
}

AVX2 static void unshuffle4_avx2(unsigned char *dst, const unsigned char *src, size_t plane, size_t n, bool nontemporal)
{
    unshuffle_blocks(dst, src, plane, n, 4, nontemporal, unshuffle4_block);
}

AVX2 static void unshuffle8_avx2(unsigned char *dst, const unsigned char *src, size_t plane, size_t n, bool nontemporal)
{
    unshuffle_blocks(dst, src, plane, n, 8, nontemporal, unshuffle8_block);
}

static void shuffle_avx2(void *dst, const void *src, size_t count, size_t n, size_t size)
{
    size_t done = size == 2   ? shuffle2_avx2(dst, src, count, n)
                  : size == 4 ? shuffle4_avx2(dst, src, count, n)
                  : size == 8 ? shuffle8_avx2(dst, src, count, n)
                              : shuffle_tiles(dst, src, count, n, size);

    shuffle_tail(dst, src, done, count, n, size);
}

static void unshuffle_avx2(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal)
{
    if (size == 2)
        unshuffle2_avx2(dst, src, plane, n, nontemporal);
    else if (size == 4)
        unshuffle4_avx2(dst, src, plane, n, nontemporal);
    else if (size == 8)
        unshuffle8_avx2(dst, src, plane, n, nontemporal);
    else
        unshuffle_sse2(dst, src, plane, n, size, nontemporal);
}
#endif

#ifdef CEL_NEON
/* The forward loops, 16 elements at a time. Each returns how many elements it has done. */
static size_t shuffle2_neon(unsigned char *dst, const unsigned char *src, size_t count, size_t n)
{
    size_t at;

    for (at = 0; at + 16 <= count; at += 16) {
        uint8x16x2_t v = vld2q_u8(src + at * 2);

        vst1q_u8(dst + at, v.val[0]);
        vst1q_u8(dst + n + at, v.val[1]);
    }
    return at;
}

static size_t shuffle4_neon(unsigned char *dst, const unsigned char *src, size_t count, size_t n)
{
    size_t at;

    for (at = 0; at + 16 <= count; at += 16) {
        uint8x16x4_t v = vld4q_u8(src + at * 4);

        for (size_t j = 0; j < 4; j++)
            vst1q_u8(dst + j * n + at, v.val[j]);
    }
    return at;
}

static size_t shuffle8_neon(unsigned char *dst, const unsigned char *src, size_t count, size_t n)
{
    size_t at;

    for (at = 0; at + 16 <= count; at += 16) {
        uint8x16x4_t v = vld4q_u8(src + at * 8), w = vld4q_u8(src + at * 8 + 64);

        for (size_t j = 0; j < 4; j++) {
            vst1q_u8(dst + j * n + at, vuzp1q_u8(v.val[j], w.val[j]));
            vst1q_u8(dst + (j + 4) * n + at, vuzp2q_u8(v.val[j], w.val[j]));
        }
    }
    return at;
}

/* Their inverses. */
static size_t unshuffle2_neon(unsigned char *dst, const unsigned char *src, size_t plane, size_t n)
{
    size_t at;

    for (at = 0; at + 16 <= n; at += 16) {
        uint8x16x2_t v = {{vld1q_u8(src + at), vld1q_u8(src + plane + at)}};

        vst2q_u8(dst + at * 2, v);
    }
    return at;
}

static size_t unshuffle4_neon(unsigned char *dst, const unsigned char *src, size_t plane, size_t n)
{
    uint8x16x4_t v;
    size_t at;

    for (at = 0; at + 16 <= n; at += 16) {
        for (size_t j = 0; j < 4; j++)
            v.val[j] = vld1q_u8(src + j * plane + at);
        vst4q_u8(dst + at * 4, v);
    }
    return at;
}

static size_t unshuffle8_neon(unsigned char *dst, const unsigned char *src, size_t plane, size_t n)
{
    uint8x16x4_t v, w;
    size_t at;

    for (at = 0; at + 16 <= n; at += 16) {
        for (size_t j = 0; j < 4; j++) {
            uint8x16_t low = vld1q_u8(src + j * plane + at), high = vld1q_u8(src + (j + 4) * plane + at);

            v.val[j] = vzip1q_u8(low, high);
            w.val[j] = vzip2q_u8(low, high);
        }
        vst4q_u8(dst + at * 8, v);
        vst4q_u8(dst + at * 8 + 64, w);
    }
    return at;
}

static void shuffle_neon(void *dst, const void *src, size_t count, size_t n, size_t size)
{
    size_t done = size == 2   ? shuffle2_neon(dst, src, count, n)
                  : size == 4 ? shuffle4_neon(dst, src, count, n)
                  : size == 8 ? shuffle8_neon(dst, src, count, n)
                              : shuffle_tiles(dst, src, count, n, size);

    shuffle_tail(dst, src, done, count, n, size);
}

static void unshuffle_neon(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal)
{
    size_t done = size == 2   ? unshuffle2_neon(dst, src, plane, n)
                  : size == 4 ? unshuffle4_neon(dst, src, plane, n)
                  : size == 8 ? unshuffle8_neon(dst, src, plane, n)
                              : unshuffle_tiles(dst, src, plane, n, size);

    unshuffle_tail(dst, src, plane, done, n, size);
}
#endif

const struct cel_shuffle_kernel cel_shuffle_kernels[] = {
#ifdef CEL_X86
    {"avx2", cel_cpu_avx2, shuffle_avx2, unshuffle_avx2},
    {"sse2", cel_cpu_any, shuffle_sse2, unshuffle_sse2},
#endif
#ifdef CEL_NEON
    {"neon", cel_cpu_any, shuffle_neon, unshuffle_neon},
#endif
    {"portable", cel_cpu_any, shuffle_portable, unshuffle_portable},
    {0},
};

#ifndef NDEBUG
static bool is_apart(const void *a, const void *b, size_t nbytes)
{
    uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;

    return p + nbytes <= q || q + nbytes <= p;
}
#endif

static const struct cel_shuffle_kernel *best(void)
{
    const struct cel_shuffle_kernel *k = cel_shuffle_kernels;

    while (!k->usable())
        k++;
    return k;
}

void cel_shuffle(void *dst, const void *src, size_t n, size_t size)
{
    assert(is_apart(dst, src, n * size));
    best()->shuffle(dst, src, n, n, size);
}

void cel_shuffle_part(void *dst, const void *src, size_t count, size_t n, size_t size)
{
    assert(count <= n);
    best()->shuffle(dst, src, count, n, size);
}

void cel_unshuffle(void *dst, const void *src, size_t n, size_t size)
{
    assert(is_apart(dst, src, n * size));
    best()->unshuffle(dst, src, n, n, size, false);
}

void cel_unshuffle_part(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal)
{
    assert(n <= plane);
    best()->unshuffle(dst, src, plane, n, size, nontemporal);
}
