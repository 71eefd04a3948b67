/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: means of cells for elements of type REAL (bits: BITS). Included by nd_mean.c
 * once for float and once for double. Cells along the last axis are summed together, each
 * with an accumulator of its own, so that the additions of one cell stay in order and those
 * of different cells overlap. */

typedef BITS __attribute__((aligned(1), may_alias)) NAME(loose); /* as chunks may lie */

static inline REAL NAME(value)(BITS b, bool swapped)
{
    REAL v;

    b = swapped ? SWAP(b) : b;
    memcpy(&v, &b, sizeof v);
    return v;
}

static inline BITS NAME(bits)(REAL v, bool swapped)
{
    BITS b;

    memcpy(&b, &v, sizeof b);
    return swapped ? SWAP(b) : b;
}

/* Sums of TOGETHER cells of rows of `per` elements, the first at `cell`. */
static inline void NAME(sums)(const struct cel_strip *s, const char *cell, size_t per, bool swapped, REAL *sum)
{
    REAL a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;

    for (size_t r = 0; r < s->nstreams; r++) {
        const NAME(loose) *row = (const NAME(loose) *)(cell + s->offset[r]);
        for (size_t i = 0; i < per; i++, row++) {
            a = a + NAME(value)(row[0], swapped), b = b + NAME(value)(row[per], swapped);
            c = c + NAME(value)(row[2 * per], swapped), d = d + NAME(value)(row[3 * per], swapped);
            e = e + NAME(value)(row[4 * per], swapped), f = f + NAME(value)(row[5 * per], swapped);
            g = g + NAME(value)(row[6 * per], swapped), h = h + NAME(value)(row[7 * per], swapped);
        }
    }
    sum[0] = a, sum[1] = b, sum[2] = c, sum[3] = d, sum[4] = e, sum[5] = f, sum[6] = g, sum[7] = h;
}

static REAL NAME(sum_of_one)(const struct cel_strip *s, const char *cell, size_t per, bool swapped)
{
    REAL sum = 0;

    for (size_t r = 0; r < s->nstreams; r++) {
        const NAME(loose) *row = (const NAME(loose) *)(cell + s->offset[r]);
        for (size_t i = 0; i < per; i++)
            sum = sum + NAME(value)(row[i], swapped);
    }
    return sum;
}

static bool NAME(holds)(const struct cel_strip *s, const char *cell, size_t per, BITS fill)
{
    BITS seen = 0;

    for (size_t r = 0; r < s->nstreams; r++) {
        const NAME(loose) *row = (const NAME(loose) *)(cell + s->offset[r]);
        for (size_t i = 0; i < per; i++)
            seen |= row[i] == fill;
    }
    return seen;
}

static void NAME(spread)(char *out, BITS value, size_t n, bool around)
{
#if defined(__SSE2__)
    if (around && ((uintptr_t)out | n * sizeof value) % 16 == 0) {
        __m128i v = sizeof value == 4 ? _mm_set1_epi32((int)value) : _mm_set1_epi64x((long long)value);
        for (size_t i = 0; i < n * sizeof value; i += 16)
            _mm_stream_si128((__m128i *)(out + i), v);
        return;
    }
#endif
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * sizeof value, &value, sizeof value);
}

/* One cell's elements become its mean; a special one's stay. */
static void NAME(put_cell)(const struct cel_mean *m, const struct cel_strip *s, const char *cell, size_t per, REAL sum,
                           char *out)
{
    size_t n = s->nstreams * per;
    REAL mean = sum / (REAL)n;
    BITS fill = 0;

    if (m->fill)
        memcpy(&fill, m->fill, sizeof fill);
    if (m->keeps_special && (!isfinite(sum) || (m->fill && NAME(holds)(s, cell, per, fill)))) {
        for (size_t r = 0; r < s->nstreams; r++)
            memcpy(out + r * per * sizeof(REAL), cell + s->offset[r], per * sizeof(REAL));
        return;
    }
    NAME(spread)(out, NAME(bits)(mean, m->swapped), n, s->streaming);
}

static void NAME(mean_of_strip)(const struct cel_mean *m, const struct cel_strip *s, const char *array, char *cells)
{
    size_t per = s->unit / sizeof(REAL), cell = s->nstreams * s->unit, g = 0;
    REAL sum[TOGETHER];

    for (; g + TOGETHER <= s->ncells; g += TOGETHER) {
        const char *first = array + g * s->unit;
        if (m->swapped)
            NAME(sums)(s, first, per, true, sum);
        else if (per == 4)
            NAME(sums)(s, first, 4, false, sum);
        else if (per == 8)
            NAME(sums)(s, first, 8, false, sum);
        else
            NAME(sums)(s, first, per, false, sum);
        for (size_t k = 0; k < TOGETHER; k++)
            NAME(put_cell)(m, s, first + k * s->unit, per, sum[k], cells + (g + k) * cell);
    }
    for (; g < s->ncells; g++)
        NAME(put_cell)
    (m, s, array + g * s->unit, per, NAME(sum_of_one)(s, array + g * s->unit, per, m->swapped), cells + g * cell);
    per = s->rest / sizeof(REAL);
    if (per > 0)
        NAME(put_cell)
    (m, s, array + g * s->unit, per, NAME(sum_of_one)(s, array + g * s->unit, per, m->swapped), cells + g * cell);
}
