/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of cells straight into byte planes: ndcell and shuffle at once, without a copy of the cells.
 *
 * Idea: a shuffle takes 32 elements as 2 * size parts of 16 bytes, and nothing asks that these lie one after the other.
 * A piece of a cell is one stream's; so the parts are loaded from where the pieces lie in the array, and what is left
 * is the work of a shuffle.
 *
 *        streams in the array              32 elements of 4 bytes, cells of 4 x 4
 *        a0 a1 a2 a3 ...   16 bytes each   a0 b0 c0 d0 a1 b1 c1 d1  ->  32 bytes of each of 4 planes
 *        b0 b1 b2 b3 ...
 *
 * Pieces are taken in units of 8, 16, 32 or 64 bytes; a longer piece counts as several streams. What one load takes of a
 * stream may be pieces of several cells, which then are done side by side (`whole`; `part`: the streams of a cell fill one
 * lane of the registers). Else, where the streams of one cell do not fill the registers, several cells count as one
 * (`together`). The few cells that are left over are the caller's. Many streams are read for PANEL bytes each at a time,
 * as in kernel_strip.c, or for less where the planes of so many cells would not stay in the first cache (CELLS). What
 * is divided by is a power of two: dividing would take longer than moving a short row of cells. */
#include "nd_strip.h"
#include "shuffle_blocks.h"

#ifdef CEL_X86
enum { PANEL = 256, CELLS = 32 << 10, AHEAD = 512, STREAMS = 256 };

/* Cells as the loops take them. */
struct pieces {
    const size_t *offset;
    size_t nstreams, ncells, stride;
    size_t panel; /* cells */
    bool ahead;   /* fetch what comes next: the array is larger than the caches */
};
typedef void planes_fn(const struct pieces *p, const char *array, unsigned char *dst, size_t n);

AVX2_INLINE __m256i get32(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* Lane i of a and of b, side by side. */
#define LANES(a, b, i) _mm256_permute2x128_si256(a, b, (i) ? 0x31 : 0x20)

/* --- the lanes of one cell, or of what counts as one ------------------------------------------- */

/* Part k: two pieces of 8 bytes, or a piece of 16. */
#define PART_8(k) \
    _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(at + from[2 * (k)]))), \
                                  (const __m64 *)(at + from[2 * (k) + 1])))
#define PART_16(k) _mm_loadu_si128((const __m128i *)(at + from[k]))
#define BY_PARTS(S, U) \
    AVX2_INLINE void load_##S##_##U(__m256i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) \
            v[0][k] = _mm256_inserti128_si256(_mm256_castsi128_si256(PART_##U(k)), PART_##U(S + k), 1); \
    }
/* Parts 2k and 2k + 1 are one load. */
#define PAIR(U, k) get32(at + from[32 * (k) / U] + 32 * (k) % U)
#define BY_PAIRS(S, U) \
    AVX2_INLINE void load_##S##_##U(__m256i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S / 2; k++) { \
            __m256i a = PAIR(U, k), b = PAIR(U, S / 2 + k); \
            v[0][2 * k] = LANES(a, b, 0); \
            v[0][2 * k + 1] = LANES(a, b, 1); \
        } \
    }

/* --- of several cells side by side ------------- */

#define SIDE_BY_SIDE_16(S) \
    AVX2_INLINE void load_##S##_16_whole(__m256i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) { \
            __m256i a = get32(at + from[k]), b = get32(at + from[S + k]); \
            v[0][k] = LANES(a, b, 0); \
            v[1][k] = LANES(a, b, 1); \
        } \
    } \
    AVX2_INLINE void load_##S##_16_part(__m256i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) \
            v[0][k] = get32(at + from[k]); \
    }
/* Two streams of four cells: part k of cells 0 and 2, and of 1 and 3. */
#define EVEN_ODD(even, odd, k) \
    __m256i even##1 = get32(at + from[2 * (k)]), even##2 = get32(at + from[2 * (k) + 1]), \
            even = _mm256_unpacklo_epi64(even##1, even##2), odd = _mm256_unpackhi_epi64(even##1, even##2)
#define SIDE_BY_SIDE_8(S) \
    AVX2_INLINE void load_##S##_8_whole(__m256i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) { \
            EVEN_ODD(a, b, k); \
            EVEN_ODD(c, d, S + k); \
            v[0][k] = LANES(a, c, 0); \
            v[1][k] = LANES(b, d, 0); \
            v[2][k] = LANES(a, c, 1); \
            v[3][k] = LANES(b, d, 1); \
        } \
    } \
    AVX2_INLINE void load_##S##_8_part(__m256i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) { \
            EVEN_ODD(a, b, k); \
            v[0][k] = LANES(a, b, 0); \
            v[1][k] = LANES(a, b, 1); \
        } \
    }

static inline void fetch_ahead(const char *at, const size_t *from, size_t nstreams, size_t nbytes)
{
    for (size_t i = 0; i < nstreams; i++)
        for (size_t k = 0; k < nbytes; k += 64)
            __builtin_prefetch(at + from[i] + AHEAD + k, 0, 3);
}

/* --- the same with AVX-512: 64 elements, four lanes ---------------------------------------------- */

#define LANES_OF(a, b, order) _mm512_shuffle_i64x2(a, b, order)

AVX512_INLINE __m512i get64(const char *p)
{
    return _mm512_loadu_si512(p);
}

/* Four registers as 4 x 4 lanes. */
AVX512_INLINE void turn_lanes(__m512i a, __m512i b, __m512i c, __m512i d, __m512i *v, size_t apart)
{
    __m512i ab = LANES_OF(a, b, 0x44), AB = LANES_OF(a, b, 0xee), cd = LANES_OF(c, d, 0x44), CD = LANES_OF(c, d, 0xee);

    v[0] = LANES_OF(ab, cd, 0x88);
    v[apart] = LANES_OF(ab, cd, 0xdd);
    v[2 * apart] = LANES_OF(AB, CD, 0x88);
    v[3 * apart] = LANES_OF(AB, CD, 0xdd);
}

/* Part 2k, and 2k + 1, of the 16 elements of each lane. */
#define TWO_PAIRS(a, b) _mm512_inserti64x4(_mm512_castsi256_si512(get32(at + from[a])), get32(at + from[b]), 1)
#define BY_PAIRS_512(S) \
    AVX512_INLINE void load_##S##_32_512(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S / 2; k++) { \
            __m512i a = TWO_PAIRS(k, S / 2 + k), b = TWO_PAIRS(S + k, S / 2 * 3 + k); \
            v[0][2 * k] = LANES_OF(a, b, 0x88); \
            v[0][2 * k + 1] = LANES_OF(a, b, 0xdd); \
        } \
    }
/* Four parts in one load. */
#define BY_FOURS_512(S) \
    AVX512_INLINE void load_##S##_64_512(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k += 4) \
            turn_lanes(get64(at + from[k / 4]), get64(at + from[(S + k) / 4]), get64(at + from[(2 * S + k) / 4]), \
                       get64(at + from[(3 * S + k) / 4]), v[0] + k, 1); \
    }
AVX512_INLINE void load_2_64_512(__m512i (*v)[2], const char *at, const size_t *from)
{
    __m512i a = get64(at + from[0]), b = get64(at + from[1]);

    v[0][0] = LANES_OF(a, b, 0x88);
    v[0][1] = LANES_OF(a, b, 0xdd);
}

#define SIDE_BY_SIDE_16_512(S) \
    AVX512_INLINE void load_##S##_16_512_whole(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) \
            turn_lanes(get64(at + from[k]), get64(at + from[S + k]), get64(at + from[2 * S + k]), \
                       get64(at + from[3 * S + k]), v[0] + k, S); \
    } \
    AVX512_INLINE void load_##S##_16_512_part(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) \
            v[0][k] = get64(at + from[k]); \
    }
#define SIDE_BY_SIDE_32_512(S) \
    AVX512_INLINE void load_##S##_32_512_whole(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S / 2; k++) { \
            __m512i w[4]; \
            turn_lanes(get64(at + from[k]), get64(at + from[S / 2 + k]), get64(at + from[S + k]), \
                       get64(at + from[S / 2 * 3 + k]), w, 1); \
            for (size_t i = 0; i < 4; i++) \
                v[i / 2][2 * k + i % 2] = w[i]; \
        } \
    }
/* Two streams of eight cells: part k of cells 0, 2, 4 and 6, and of 1, 3, 5 and 7. */
AVX512_INLINE void even_odd(const char *at, const size_t *from, __m512i *even, __m512i *odd)
{
    __m512i a = get64(at + from[0]), b = get64(at + from[1]);

    *even = _mm512_unpacklo_epi64(a, b);
    *odd = _mm512_unpackhi_epi64(a, b);
}

#define SIDE_BY_SIDE_8_512(S) \
    AVX512_INLINE void load_##S##_8_512_whole(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        for (size_t k = 0; k < S; k++) { \
            __m512i even[4], odd[4]; \
            for (size_t l = 0; l < 4; l++) \
                even_odd(at, from + 2 * (l * S + k), &even[l], &odd[l]); \
            turn_lanes(even[0], even[1], even[2], even[3], v[0] + k, 2 * S); \
            turn_lanes(odd[0], odd[1], odd[2], odd[3], v[1] + k, 2 * S); \
        } \
    } \
    AVX512_INLINE void load_##S##_8_512_part(__m512i(*v)[S], const char *at, const size_t *from) \
    { \
        const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), \
                      second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15); \
        for (size_t k = 0; k < S; k++) { \
            __m512i even, odd; \
            even_odd(at, from + 2 * k, &even, &odd); \
            v[0][k] = _mm512_permutex2var_epi64(even, first, odd); \
            v[1][k] = _mm512_permutex2var_epi64(even, second, odd); \
        } \
    }

/* --- loops --------------------------------------------------------------------------------- */

/* Streams T at a time, cells C at a time, of which a load gives V times as many elements as the registers take. */
#define LOOP(isa, vec, S, U, suffix, T, C, V) \
    isa static void planes_##S##_##U##suffix(const struct pieces *p, const char *array, unsigned char *dst, size_t n) \
    { \
        const size_t nstreams = p->nstreams, stride = p->stride, apart = C / V * nstreams * (U / S); \
        CEL_##vec v[V][S]; \
        for (size_t g = 0, stop; g < p->ncells; g = stop) { \
            stop = p->ncells - g > p->panel ? g + p->panel : p->ncells; \
            for (size_t r = 0; r < nstreams; r += T) { \
                const size_t *from = p->offset + r; \
                const char *at = array + g * stride; \
                unsigned char *to = dst + (g * nstreams + r) * (U / S); \
                if (p->ahead) \
                    fetch_ahead(at, from, T, p->panel *stride); \
                for (size_t h = g; h < stop; h += C, at += C * stride) { \
                    load_##S##_##U##suffix(v, at, from); \
                    for (size_t i = 0; i < V; i++, to += apart) \
                        shuffle##S##_block_##vec(to, n, v[i]); \
                } \
            } \
        } \
    }
#define PLANES(S) \
    BY_PARTS(S, 8) \
    BY_PARTS(S, 16) \
    BY_PAIRS(S, 32) \
    BY_PAIRS(S, 64) \
    SIDE_BY_SIDE_8(S) \
    SIDE_BY_SIDE_16(S) \
    BY_PAIRS_512(S) \
    SIDE_BY_SIDE_8_512(S) \
    SIDE_BY_SIDE_16_512(S) \
    SIDE_BY_SIDE_32_512(S) \
    LOOP(AVX2, avx2, S, 8, , 32 * S / 8, 1, 1) \
    LOOP(AVX2, avx2, S, 16, , 32 * S / 16, 1, 1) \
    LOOP(AVX2, avx2, S, 32, , 32 * S / 32, 1, 1) \
    LOOP(AVX2, avx2, S, 64, , 32 * S / 64, 1, 1) \
    LOOP(AVX2, avx2, S, 8, _whole, 32 * S / 8, 4, 4) \
    LOOP(AVX2, avx2, S, 8, _part, 16 * S / 8, 4, 2) \
    LOOP(AVX2, avx2, S, 16, _whole, 32 * S / 16, 2, 2) \
    LOOP(AVX2, avx2, S, 16, _part, 16 * S / 16, 2, 1) \
    LOOP(AVX512, avx512, S, 32, _512, 64 * S / 32, 1, 1) \
    LOOP(AVX512, avx512, S, 64, _512, 64 * S / 64, 1, 1) \
    LOOP(AVX512, avx512, S, 32, _512_whole, 64 * S / 32, 2, 2) \
    LOOP(AVX512, avx512, S, 8, _512_whole, 64 * S / 8, 8, 8) \
    LOOP(AVX512, avx512, S, 8, _512_part, 16 * S / 8, 8, 2) \
    LOOP(AVX512, avx512, S, 16, _512_whole, 64 * S / 16, 4, 4) \
    LOOP(AVX512, avx512, S, 16, _512_part, 16 * S / 16, 4, 1)
BY_FOURS_512(4)
BY_FOURS_512(8)
PLANES(2)
PLANES(4)
PLANES(8)

static const struct form {
    size_t size, unit, streams; /* so many streams fill the registers */
    size_t side_by_side;        /* cells that `whole` and `part` take; they may be NULL */
    planes_fn *any, *whole;     /* any: NULL where only cells side by side are done */
    planes_fn *part;            /* streams that fill one lane */
} forms_avx2[3][4] =
    {
#define NARROW(S, U) \
    { \
        S, U, 32 * S / U, 32 / U, planes_##S##_##U, planes_##S##_##U##_whole, planes_##S##_##U##_part \
    }
#define WIDE(S, U) \
    { \
        S, U, 32 * S / U, 1, planes_##S##_##U, NULL, NULL \
    }
#define FORMS(S) \
    { \
        NARROW(S, 8), NARROW(S, 16), WIDE(S, 32), WIDE(S, 64) \
    }
        FORMS(2), FORMS(4), FORMS(8)},
  forms_avx512[3][4] = {
#undef NARROW
#undef WIDE
#define NARROW(S, U) \
    { \
        S, U, 64 * S / U, 64 / U, NULL, planes_##S##_##U##_512_whole, planes_##S##_##U##_512_part \
    }
#define WIDE(S, U) \
    { \
        S, U, 64 * S / U, 64 / U, planes_##S##_##U##_512, WHOLE_##U(S), NULL \
    }
#define WHOLE_32(S) planes_##S##_32_512_whole
#define WHOLE_64(S) NULL
      FORMS(2), FORMS(4), FORMS(8)};

/* The one of the largest unit that makes up a piece. */
static const struct form *form_for(const struct form (*forms)[4], size_t unit, size_t size)
{
    int log = __builtin_ctzl(unit | 64);

    return log >= 3 && (size == 2 || size == 4 || size == 8) ? &forms[size / 4][log - 3] : NULL;
}

/* Every unit of `together` cells as a stream of its own. */
static void list_units(const struct cel_strip *s, size_t unit, size_t together, size_t *offset)
{
    for (size_t g = 0; g < together; g++)
        for (size_t r = 0; r < s->nstreams; r++)
            for (size_t at = 0; at < s->unit; at += unit)
                *offset++ = s->offset[r] + g * s->unit + at;
}

/* Of the cells and their streams, how many are taken at a time. */
static void run(const struct form *f, planes_fn *fn, const struct cel_strip *s, struct pieces *p, const char *array,
                unsigned char *dst, size_t n)
{
    p->panel = p->nstreams <= f->streams ? p->ncells : PANEL / f->unit;
    while (p->nstreams > f->streams && p->panel > f->side_by_side && p->panel * p->nstreams * f->unit > CELLS)
        p->panel /= 2;
    p->ahead = s->streaming;
    fn(p, array, dst, n);
}

static planes_fn *fn_side_by_side(const struct form *f, const struct cel_strip *s)
{
    if (s->unit != f->unit || s->ncells < f->side_by_side)
        return NULL;
    return (s->nstreams & (f->streams - 1)) == 0 ? f->whole : s->nstreams * f->unit == 16 * f->size ? f->part : NULL;
}

/* How many cells must count as one for their streams to fill the registers, as a power of two. */
static int together(const struct form *f, size_t nstreams)
{
    int need = __builtin_ctzl(f->streams), has = __builtin_ctzl(nstreams);

    return need > has ? need - has : 0;
}

static size_t planes(const struct form *f, const struct cel_strip *s, const char *array, unsigned char *dst, size_t n)
{
    struct pieces p = {.offset = s->offset, .nstreams = s->nstreams, .stride = s->unit};
    planes_fn *fn = fn_side_by_side(f, s);
    size_t offset[STREAMS];
    int shift;

    if (fn) {
        p.ncells = s->ncells & ~(f->side_by_side - 1);
        run(f, fn, s, &p, array, dst, n);
        return p.ncells;
    }
    if (!f->any)
        return 0;
    if (s->unit != f->unit)
        p.nstreams *= s->unit / f->unit;
    shift = together(f, p.nstreams);
    p.nstreams <<= shift;
    p.stride <<= shift;
    p.ncells = s->ncells >> shift;
    if (shift || s->unit != f->unit) {
        if (p.nstreams > STREAMS || !p.ncells)
            return 0;
        list_units(s, f->unit, (size_t)1 << shift, offset);
        p.offset = offset;
    }
    run(f, f->any, s, &p, array, dst, n);
    return p.ncells << shift;
}

size_t cel_planes_avx2(const struct cel_strip *s, const char *array, unsigned char *dst, size_t n, size_t size)
{
    const struct form *f = form_for(forms_avx2, s->unit, size);

    return f ? planes(f, s, array, dst, n) : 0;
}

size_t cel_planes_avx512(const struct cel_strip *s, const char *array, unsigned char *dst, size_t n, size_t size)
{
    const struct form *f = form_for(forms_avx512, s->unit, size);
    size_t ncells = f ? planes(f, s, array, dst, n) : 0;

    return ncells ? ncells : cel_planes_avx2(s, array, dst, n, size);
}
#endif
