/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: the Lorenzo predictor on elements of type BITS (unsigned), with SIGNED of the same size, for the
 * processor that TARGET names. nd_lorenzo.c includes it for each size and processor, and explains it.
 * All arithmetic wraps. */

typedef BITS __attribute__((aligned(1), may_alias)) NAME(loose); /* as chunks may lie */

/* The bits of a real as a number in the order of the reals: those of negative ones are inverted, those of
 * others get the highest bit set. */
TARGET static inline BITS NAME(ordered)(BITS v)
{
    BITS sign = (BITS)((BITS)1 << (8 * sizeof v - 1)), is_negative = (BITS)((SIGNED)v >> (8 * sizeof v - 1));

    return (BITS)(v ^ (is_negative | sign));
}

TARGET static inline BITS NAME(unordered)(BITS v)
{
    BITS sign = (BITS)((BITS)1 << (8 * sizeof v - 1)), was_positive = (BITS)((SIGNED)v >> (8 * sizeof v - 1));

    return (BITS)(v ^ (BITS)(~was_positive | sign));
}

TARGET static inline BITS NAME(swap)(BITS v)
{
    return sizeof v == 1   ? v
           : sizeof v == 2 ? (BITS)__builtin_bswap16((uint16_t)v)
           : sizeof v == 4 ? (BITS)__builtin_bswap32((uint32_t)v)
                           : (BITS)__builtin_bswap64((uint64_t)v);
}

TARGET static inline BITS NAME(folded)(BITS d)
{
    return (BITS)((BITS)(d << 1) ^ (BITS)((SIGNED)d >> (8 * sizeof d - 1)));
}

TARGET static inline BITS NAME(unfolded)(BITS z)
{
    return (BITS)((z >> 1) ^ (BITS) - (BITS)(z & 1));
}

/* Loads a row: in the machine's byte order, reals as ordered numbers. */
TARGET static void NAME(load)(const struct plan *p, BITS *restrict x, const NAME(loose) *restrict src)
{
    if (!p->turned && p->reals) {
        for (size_t i = 0; i < p->row; i++)
            x[i] = NAME(ordered)(src[i]);
        return;
    }
    memcpy(x, src, p->row * sizeof *x);
    for (size_t i = 0; p->turned && i < p->row; i++)
        x[i] = NAME(swap)(x[i]);
    for (size_t i = 0; p->reals && i < p->row; i++)
        x[i] = NAME(ordered)(x[i]);
}

TARGET static void NAME(store)(const struct plan *p, NAME(loose) *restrict dst, BITS *restrict x)
{
    if (!p->turned && p->reals) {
        for (size_t i = 0; i < p->row; i++)
            dst[i] = NAME(unordered)(x[i]);
        return;
    }
    for (size_t i = 0; p->reals && i < p->row; i++)
        x[i] = NAME(unordered)(x[i]);
    for (size_t i = 0; p->turned && i < p->row; i++)
        x[i] = NAME(swap)(x[i]);
    memcpy(dst, x, p->row * sizeof *x);
}

/* x becomes its difference to the slab, which takes over the old x. */
TARGET static void NAME(difference)(BITS *restrict x, BITS *restrict kept, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        BITS before = kept[i];
        kept[i] = x[i];
        x[i] = (BITS)(x[i] - before);
    }
}

TARGET static void NAME(sum)(BITS *restrict x, BITS *restrict kept, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kept[i] = x[i] = (BITS)(x[i] + kept[i]);
}

/* Differences along the row, folded: small ones of either sign become small numbers. */
TARGET static void NAME(fold)(const struct plan *p, NAME(loose) *restrict out, const BITS *restrict x)
{
    out[0] = NAME(folded)(x[0]);
    for (size_t i = 1; i < p->row; i++)
        out[i] = NAME(folded)((BITS)(x[i] - x[i - 1]));
    for (size_t i = 0; p->turned && i < p->row; i++)
        out[i] = NAME(swap)(out[i]);
}

#ifdef FAST_SUMS
/* Prefix sums of elements of 1, 2 or 4 bytes, 16 bytes at a time, in log2(lanes) steps:
 *
 *      v                      a     b     c     d
 *      + v one lane up        a     ab    bc    cd
 *      + that two lanes up    a     ab    abc   abcd         then + the last total, in all lanes
 *
 * Returns how many elements are done. */
TARGET static size_t NAME(sum_vectors)(BITS *x, size_t n, BITS *total)
{
    enum { LANES = 16 / sizeof(BITS) };
    const __m128i last = sizeof(BITS) == 1   ? _mm_set1_epi8(15)
                         : sizeof(BITS) == 2 ? _mm_set1_epi16(0x0f0e)
                                             : _mm_set1_epi32(0x0f0e0d0c);
    __m128i before = _mm_setzero_si128(), v;
    size_t i = 0;

    if (sizeof(BITS) == 8)
        return 0;
#define ADD(a, b) \
    (sizeof(BITS) == 1 ? _mm_add_epi8(a, b) : sizeof(BITS) == 2 ? _mm_add_epi16(a, b) : _mm_add_epi32(a, b))
    for (; i + LANES <= n; i += LANES) {
        v = _mm_loadu_si128((const __m128i *)(x + i));
        if (sizeof(BITS) == 1)
            v = ADD(v, _mm_slli_si128(v, 1));
        if (sizeof(BITS) <= 2)
            v = ADD(v, _mm_slli_si128(v, 2));
        v = ADD(v, _mm_slli_si128(v, 4));
        v = ADD(v, _mm_slli_si128(v, 8));
        v = ADD(v, before);
        before = _mm_shuffle_epi8(v, last);
        _mm_storeu_si128((__m128i *)(x + i), v);
    }
#undef ADD
    *total = i ? x[i - 1] : 0;
    return i;
}
#endif

TARGET static void NAME(unfold)(const struct plan *p, BITS *restrict x, const NAME(loose) *restrict in)
{
    BITS total = 0;
    size_t i = 0;

    if (p->turned)
        for (size_t k = 0; k < p->row; k++)
            x[k] = NAME(unfolded)(NAME(swap)(in[k]));
    else
        for (size_t k = 0; k < p->row; k++)
            x[k] = NAME(unfolded)(in[k]);
#ifdef FAST_SUMS
    i = NAME(sum_vectors)(x, p->row, &total);
#endif
    for (; i < p->row; i++)
        x[i] = total = (BITS)(total + x[i]);
}

typedef void NAME(row_fn)(const struct plan *p, size_t r, const size_t *at, BITS *x, const NAME(loose) * in,
                          NAME(loose) * out);

TARGET static void NAME(forward_row)(const struct plan *p, size_t r, const size_t *at, BITS *x, const NAME(loose) * in,
                                     NAME(loose) * out)
{
    BITS *kept = x + p->row;

    NAME(load)(p, x, in);
    for (int d = 0; d < p->rank - 1; kept += p->slab[d++]) {
        BITS *mine = kept + r * p->row % p->slab[d];
        if (at[d])
            NAME(difference)(x, mine, p->row);
        else
            memcpy(mine, x, p->row * sizeof *x);
    }
    NAME(fold)(p, out, x);
}

TARGET static void NAME(backward_row)(const struct plan *p, size_t r, const size_t *at, BITS *x, const NAME(loose) * in,
                                      NAME(loose) * out)
{
    BITS *kept = x + p->memory;

    NAME(unfold)(p, x, in);
    for (int d = p->rank - 1; d-- > 0;) {
        BITS *mine = (kept -= p->slab[d]) + r * p->row % p->slab[d];
        if (at[d])
            NAME(sum)(x, mine, p->row);
        else
            memcpy(mine, x, p->row * sizeof *x);
    }
    NAME(store)(p, out, x);
}

/* Calls do_row for one row after the other, with memory for the row and the slabs. */
TARGET static bool NAME(walk)(const struct cel_shape *shape, const void *src, void *dst, NAME(row_fn) * do_row)
{
    const NAME(loose) *in = src;
    NAME(loose) *out = dst;
    size_t at[CEL_RANK_MAX] = {0};
    struct plan p;
    BITS *x;

    plan_rows(shape, &p);
    x = cel_malloc(p.memory * sizeof *x);
    if (!x)
        return false;
    for (size_t r = 0; r < p.nrows; r++, in += p.row, out += p.row) {
        do_row(&p, r, at, x, in, out);
        next_row(&p, at);
    }
    free(x);
    return true;
}

TARGET static bool NAME(forward)(const struct cel_shape *shape, const void *src, void *dst)
{
    return NAME(walk)(shape, src, dst, NAME(forward_row));
}

TARGET static bool NAME(backward)(const struct cel_shape *shape, const void *src, void *dst)
{
    return NAME(walk)(shape, src, dst, NAME(backward_row));
}
#undef BITS
#undef SIGNED
#undef NAME
