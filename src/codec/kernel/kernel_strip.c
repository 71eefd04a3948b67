/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of cells in tiles: a vector from each of as many streams as pieces fit in it becomes,
 * transposed in registers, a vector of each of as many cells; and back. Portable C for every
 * size of a piece; SSE2, NEON, AVX2 and AVX-512 for pieces of 4 to 64 bytes. */
#include "nd_strip.h"
#include "vec16.h"
#include <stdint.h>
#include <string.h>

/* --- any processor, any piece ----------------------------------------------------------- */

/* Two moves that overlap: no call for the usual sizes. */
static inline void move_piece(char *to, const char *from, size_t n)
{
    char a[32], b[32];

    if (n > 64 || n < 4) {
        for (size_t i = 0; n < 4 && i < n; i++)
            to[i] = from[i];
        if (n > 64)
            memcpy(to, from, n);
        return;
    }
#define TWICE(k) memcpy(a, from, k), memcpy(b, from + n - (k), k), memcpy(to, a, k), memcpy(to + n - (k), b, k)
    if (n > 32)
        TWICE(32);
    else if (n > 16)
        TWICE(16);
    else if (n > 8)
        TWICE(8);
    else
        TWICE(4);
#undef TWICE
}

static inline void gather_pieces(const struct cel_strip *s, const char *array, char *cells, size_t unit, size_t first)
{
    cells += first * s->nstreams * unit;
    for (size_t g = first; g < s->ncells; g++)
        for (size_t r = 0; r < s->nstreams; r++, cells += unit)
            move_piece(cells, array + s->offset[r] + g * unit, unit);
}

static inline void scatter_pieces(const struct cel_strip *s, const char *cells, char *array, size_t unit, size_t first)
{
    cells += first * s->nstreams * unit;
    for (size_t g = first; g < s->ncells; g++)
        for (size_t r = 0; r < s->nstreams; r++, cells += unit)
            move_piece(array + s->offset[r] + g * unit, cells, unit);
}

static bool gather_portable(const struct cel_strip *s, const char *array, char *cells)
{
    switch (s->unit) {
    case 1:
        gather_pieces(s, array, cells, 1, 0);
        break;
    case 2:
        gather_pieces(s, array, cells, 2, 0);
        break;
    case 4:
        gather_pieces(s, array, cells, 4, 0);
        break;
    case 8:
        gather_pieces(s, array, cells, 8, 0);
        break;
    case 16:
        gather_pieces(s, array, cells, 16, 0);
        break;
    case 32:
        gather_pieces(s, array, cells, 32, 0);
        break;
    case 64:
        gather_pieces(s, array, cells, 64, 0);
        break;
    default:
        gather_pieces(s, array, cells, s->unit, 0);
    }
    return true;
}

static bool scatter_portable(const struct cel_strip *s, const char *cells, char *array)
{
    switch (s->unit) {
    case 1:
        scatter_pieces(s, cells, array, 1, 0);
        break;
    case 2:
        scatter_pieces(s, cells, array, 2, 0);
        break;
    case 4:
        scatter_pieces(s, cells, array, 4, 0);
        break;
    case 8:
        scatter_pieces(s, cells, array, 8, 0);
        break;
    case 16:
        scatter_pieces(s, cells, array, 16, 0);
        break;
    case 32:
        scatter_pieces(s, cells, array, 32, 0);
        break;
    case 64:
        scatter_pieces(s, cells, array, 64, 0);
        break;
    default:
        scatter_pieces(s, cells, array, s->unit, 0);
    }
    return true;
}

#ifdef CEL_VEC16
/* --- tiles --------------------------------------------------------------------------------
 * tile_W_U: W / U vectors of W bytes, at src + from[i], to vectors at dst + to[i]: piece j of
 * the first kind's vector i is piece i of the second kind's vector j. TARGET is empty for the
 * instructions that every processor of its kind has. */

#define TARGET(isa) __attribute__((target(isa)))
#define INLINE(target) target __attribute__((always_inline)) static inline
typedef void tile_fn(const char *src, const size_t *from, char *dst, const size_t *to, bool around);

INLINE() void put16(char *to, vec16 v, bool around)
{
    if (around)
        stream16(to, v);
    else
        store16(to, v);
}

INLINE() void tile_16_16(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    put16(dst + to[0], load16(src + from[0]), around);
}

INLINE() void tile_16_8(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    vec16 a = load16(src + from[0]), b = load16(src + from[1]);

    put16(dst + to[0], zip_low64(a, b), around);
    put16(dst + to[1], zip_high64(a, b), around);
}

INLINE() void tile_16_4(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    vec16 a = load16(src + from[0]), b = load16(src + from[1]), c = load16(src + from[2]), d = load16(src + from[3]);
    vec16 ab = zip_low32(a, b), AB = zip_high32(a, b), cd = zip_low32(c, d), CD = zip_high32(c, d);

    put16(dst + to[0], zip_low64(ab, cd), around);
    put16(dst + to[1], zip_high64(ab, cd), around);
    put16(dst + to[2], zip_low64(AB, CD), around);
    put16(dst + to[3], zip_high64(AB, CD), around);
}

#ifdef CEL_X86
#define AVX2 TARGET("avx2")

INLINE(AVX2) void put32(char *to, __m256i v, bool around)
{
    if (around)
        _mm256_stream_si256((__m256i *)to, v);
    else
        _mm256_storeu_si256((__m256i *)to, v);
}

INLINE(AVX2) __m256i get32(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* Lane i of a and of b, side by side. */
#define LANES(a, b, i) _mm256_permute2x128_si256(a, b, (i) ? 0x31 : 0x20)

INLINE(AVX2) void tile_32_32(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    put32(dst + to[0], get32(src + from[0]), around);
}

INLINE(AVX2) void tile_32_16(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m256i a = get32(src + from[0]), b = get32(src + from[1]);

    put32(dst + to[0], LANES(a, b, 0), around);
    put32(dst + to[1], LANES(a, b, 1), around);
}

INLINE(AVX2) void tile_32_8(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m256i a = get32(src + from[0]), b = get32(src + from[1]), c = get32(src + from[2]), d = get32(src + from[3]);
    __m256i ab = _mm256_unpacklo_epi64(a, b), AB = _mm256_unpackhi_epi64(a, b), cd = _mm256_unpacklo_epi64(c, d),
            CD = _mm256_unpackhi_epi64(c, d);

    put32(dst + to[0], LANES(ab, cd, 0), around);
    put32(dst + to[1], LANES(AB, CD, 0), around);
    put32(dst + to[2], LANES(ab, cd, 1), around);
    put32(dst + to[3], LANES(AB, CD, 1), around);
}

/* Four vectors as 4 x 4 pieces of 4 bytes in every lane. */
INLINE(AVX2) void turn_lanes32(__m256i *v)
{
    __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]),
            c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);

    v[0] = _mm256_unpacklo_epi64(a, c);
    v[1] = _mm256_unpackhi_epi64(a, c);
    v[2] = _mm256_unpacklo_epi64(b, d);
    v[3] = _mm256_unpackhi_epi64(b, d);
}

INLINE(AVX2) void tile_32_4(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m256i v[8];

    for (int i = 0; i < 8; i++)
        v[i] = get32(src + from[i]);
    turn_lanes32(v);
    turn_lanes32(v + 4);
    for (int q = 0; q < 4; q++) {
        put32(dst + to[q], LANES(v[q], v[4 + q], 0), around);
        put32(dst + to[4 + q], LANES(v[q], v[4 + q], 1), around);
    }
}
#undef LANES

#define AVX512 TARGET("avx512f,avx512bw,avx512vl,avx512dq")

INLINE(AVX512) void put64(char *to, __m512i v, bool around)
{
    if (around)
        _mm512_stream_si512((__m512i *)to, v);
    else
        _mm512_storeu_si512((__m512i *)to, v);
}

INLINE(AVX512) __m512i get64(const char *p)
{
    return _mm512_loadu_si512((const __m512i *)p);
}

/* Four vectors as 4 x 4 lanes. */
INLINE(AVX512) void turn_lanes(__m512i *v)
{
    __m512i a = _mm512_shuffle_i64x2(v[0], v[1], 0x44), b = _mm512_shuffle_i64x2(v[0], v[1], 0xee),
            c = _mm512_shuffle_i64x2(v[2], v[3], 0x44), d = _mm512_shuffle_i64x2(v[2], v[3], 0xee);

    v[0] = _mm512_shuffle_i64x2(a, c, 0x88);
    v[1] = _mm512_shuffle_i64x2(a, c, 0xdd);
    v[2] = _mm512_shuffle_i64x2(b, d, 0x88);
    v[3] = _mm512_shuffle_i64x2(b, d, 0xdd);
}

INLINE(AVX512) void turn_in_lanes(__m512i *v)
{
    __m512i a = _mm512_unpacklo_epi32(v[0], v[1]), b = _mm512_unpackhi_epi32(v[0], v[1]),
            c = _mm512_unpacklo_epi32(v[2], v[3]), d = _mm512_unpackhi_epi32(v[2], v[3]);

    v[0] = _mm512_unpacklo_epi64(a, c);
    v[1] = _mm512_unpackhi_epi64(a, c);
    v[2] = _mm512_unpacklo_epi64(b, d);
    v[3] = _mm512_unpackhi_epi64(b, d);
}

INLINE(AVX512) void tile_64_64(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    put64(dst + to[0], get64(src + from[0]), around);
}

INLINE(AVX512) void tile_64_32(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m512i a = get64(src + from[0]), b = get64(src + from[1]);

    put64(dst + to[0], _mm512_shuffle_i64x2(a, b, 0x44), around);
    put64(dst + to[1], _mm512_shuffle_i64x2(a, b, 0xee), around);
}

INLINE(AVX512) void tile_64_16(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m512i v[4] = {get64(src + from[0]), get64(src + from[1]), get64(src + from[2]), get64(src + from[3])};

    turn_lanes(v);
    for (int i = 0; i < 4; i++)
        put64(dst + to[i], v[i], around);
}

INLINE(AVX512) void tile_64_8(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m512i even[4], odd[4];

    for (int k = 0; k < 4; k++) {
        __m512i a = get64(src + from[2 * k]), b = get64(src + from[2 * k + 1]);
        even[k] = _mm512_unpacklo_epi64(a, b);
        odd[k] = _mm512_unpackhi_epi64(a, b);
    }
    turn_lanes(even);
    turn_lanes(odd);
    for (int l = 0; l < 4; l++) {
        put64(dst + to[2 * l], even[l], around);
        put64(dst + to[2 * l + 1], odd[l], around);
    }
}

INLINE(AVX512) void tile_64_4(const char *src, const size_t *from, char *dst, const size_t *to, bool around)
{
    __m512i v[4][4], w[4];

    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++)
            v[k][i] = get64(src + from[4 * k + i]);
        turn_in_lanes(v[k]);
    }
    for (int q = 0; q < 4; q++) {
        for (int k = 0; k < 4; k++)
            w[k] = v[k][q];
        turn_lanes(w);
        for (int l = 0; l < 4; l++)
            put64(dst + to[4 * l + q], w[l], around);
    }
}
#endif

/* --- strips of tiles -------------------------------------------------------------------- */

/* Bytes of a stream taken in one go, where a vector is a whole line: with more, the lines of
 * many streams push each other out. */
enum { PANEL = 256, AHEAD = 512 };

/* Offsets of as many cells as a tile has. */
static inline void cell_offsets(size_t *to, size_t n, size_t cell)
{
    for (size_t i = 0; i < n; i++)
        to[i] = i * cell;
}

#define GATHER(target, W, U) \
    INLINE(target) void gather_##W##_##U##_by(const struct cel_strip *s, const char *array, char *cells, bool around) \
    { \
        enum { T = W / U, LONG = W == 64 ? PANEL / U : T }; \
        size_t cell = s->nstreams * U, to[T], g = 0, end = s->ncells / T * T, stop; \
        cell_offsets(to, T, cell); \
        for (; g < end; g = stop) { \
            stop = end - g > LONG ? g + LONG : end; \
            for (size_t r = 0; r < s->nstreams; r += T) { \
                for (size_t i = 0; around && i < T; i++) \
                    for (size_t k = 0; k < LONG * U; k += 64) \
                        __builtin_prefetch(array + s->offset[r + i] + g * U + AHEAD + k, 0, 3); \
                for (size_t h = g; h < stop; h += T) \
                    tile_##W##_##U(array + h * U, s->offset + r, cells + h * cell + r * U, to, around); \
            } \
        } \
        gather_pieces(s, array, cells, U, end); \
    } \
    target static void gather_##W##_##U(const struct cel_strip *s, const char *src, char *dst) \
    { \
        if (s->streaming && ((uintptr_t)dst | (s->nstreams * U)) % W == 0) \
            gather_##W##_##U##_by(s, src, dst, true); \
        else \
            gather_##W##_##U##_by(s, src, dst, false); \
    }

#define SCATTER(target, W, U) \
    INLINE(target) void scatter_##W##_##U##_by(const struct cel_strip *s, const char *cells, char *array, bool around) \
    { \
        enum { T = W / U, LONG = PANEL / U }; \
        size_t cell = s->nstreams * U, from[T], g = 0, end = s->ncells / T * T, stop; \
        size_t most = s->streaming ? LONG : T; /* in the caches cells are best read in order */ \
        cell_offsets(from, T, cell); \
        for (; g < end; g = stop) { \
            stop = end - g > most ? g + most : end; \
            for (size_t r = 0; r < s->nstreams; r += T) \
                for (size_t h = g; h < stop; h += T) { \
                    for (size_t i = 0; around && i < T; i++) \
                        __builtin_prefetch(cells + (h + i + LONG) * cell + r * U, 0, 3); \
                    tile_##W##_##U(cells + h * cell + r * U, from, array + h * U, s->offset + r, around); \
                } \
        } \
        scatter_pieces(s, cells, array, U, end); \
    } \
    target static void scatter_##W##_##U(const struct cel_strip *s, const char *src, char *dst) \
    { \
        if (W > 32 && s->streaming && streams_begin_at(s, dst, W)) \
            scatter_##W##_##U##_by(s, src, dst, true); \
        else \
            scatter_##W##_##U##_by(s, src, dst, false); \
    }

/* Whether every stream begins at a multiple of `width`. */
static bool streams_begin_at(const struct cel_strip *s, const char *array, size_t width)
{
    for (size_t r = 0; r < s->nstreams; r++)
        if (((uintptr_t)array + s->offset[r]) % width)
            return false;
    return true;
}

#define BOTH(target, W, U) GATHER(target, W, U) SCATTER(target, W, U)
BOTH(, 16, 4)
BOTH(, 16, 8)
BOTH(, 16, 16)
#ifdef CEL_X86
BOTH(AVX2, 32, 4)
BOTH(AVX2, 32, 8)
BOTH(AVX2, 32, 16)
BOTH(AVX2, 32, 32)
BOTH(AVX512, 64, 4)
BOTH(AVX512, 64, 8)
BOTH(AVX512, 64, 16)
BOTH(AVX512, 64, 32)
BOTH(AVX512, 64, 64)
#endif

/* Widest first. */
static const struct form {
    size_t width, unit;
    void (*gather)(const struct cel_strip *s, const char *src, char *dst);
    void (*scatter)(const struct cel_strip *s, const char *src, char *dst);
} forms[] = {
#define FORM(W, U) \
    { \
        W, U, gather_##W##_##U, scatter_##W##_##U \
    }
#ifdef CEL_X86
    FORM(64, 4), FORM(64, 8), FORM(64, 16), FORM(64, 32), FORM(64, 64),
    FORM(32, 4), FORM(32, 8), FORM(32, 16), FORM(32, 32),
#endif
    FORM(16, 4), FORM(16, 8), FORM(16, 16),
};

/* The widest form whose tiles fill the strip from stream to stream. */
static const struct form *form_for(const struct cel_strip *s, size_t widest)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = forms[i].width / forms[i].unit;
        if (forms[i].width <= widest && forms[i].unit == s->unit && s->nstreams % n == 0 && s->ncells >= n)
            return &forms[i];
    }
    return NULL;
}

static bool gather_tiles(const struct cel_strip *s, const char *src, char *dst, size_t widest)
{
    const struct form *f = form_for(s, widest);

    if (f)
        f->gather(s, src, dst);
    return f;
}

static bool scatter_tiles(const struct cel_strip *s, const char *src, char *dst, size_t widest)
{
    const struct form *f = form_for(s, widest);

    if (f)
        f->scatter(s, src, dst);
    return f;
}

#define KERNEL(isa, widest) \
    static bool gather_##isa(const struct cel_strip *s, const char *src, char *dst) \
    { \
        return gather_tiles(s, src, dst, widest); \
    } \
    static bool scatter_##isa(const struct cel_strip *s, const char *src, char *dst) \
    { \
        return scatter_tiles(s, src, dst, widest); \
    }
#ifdef CEL_X86
KERNEL(avx512, 64)
KERNEL(avx2, 32)
#endif
KERNEL(vec16, 16)
#endif

const struct cel_strip_kernel cel_strip_kernels[] = {
#ifdef CEL_X86
    {"avx512", cel_cpu_avx512, gather_avx512, scatter_avx512, cel_planes_avx512},
    {"avx2", cel_cpu_avx2, gather_avx2, scatter_avx2, cel_planes_avx2},
#endif
#ifdef CEL_VEC16
    {CEL_VEC16_NAME, cel_cpu_any, gather_vec16, scatter_vec16, NULL},
#endif
    {"portable", cel_cpu_any, gather_portable, scatter_portable, NULL},
    {0},
};
