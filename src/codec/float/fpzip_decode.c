/* SPDX-License-Identifier: BSD-3-Clause */
/* A decoder for fpzip streams that survives any input. libfpzip's own decoder uses every number it
 * decodes as an index without a check: of all single-bit changes of a small stream, 71 % make it write
 * outside its memory (docs/formats/fpzip.md). This one checks each number against its range, reads
 * nothing behind the end, and needs one row of zeros as memory. On sound streams it gives the same
 * bits as libfpzip.
 *
 * What a stream holds, value by value in C order:
 *
 *   1. Prediction. Each value is predicted from the seven neighbours towards the origin (0 outside the
 *      array), in the arithmetic of its own type. It is the Lorenzo predictor: exact, but for rounding,
 *      where the field is a sum of functions of two coordinates each.
 *
 *            plane z - 1                     plane z
 *            back_up[1]  back_up[0]          up[1]    up[0]           row y - 1
 *            back[1]     back[0]             here[1]  value           row y
 *
 *            prediction = here[1] - back_up[0] + up[0] - back[1] + back[0] - up[1] + back_up[1]
 *
 *   2. Order. Prediction and value become integers of `bits` bits in the order of the reals (turn):
 *
 *            real        its bits            its integer
 *            negative    1 magnitude         0 ~magnitude         larger magnitude, smaller number
 *            positive    0 magnitude         1  magnitude
 *
 *      Precision below the type's own drops the low bits here.
 *   3. Difference of the two integers, modulo 2^bits. Up to 8 bits of precision it is one symbol. Above,
 *      the symbol is its sign and length k, and k lower bits follow as they are:
 *
 *            symbol    0 ... bits-1         bits      bits+1 ... 2*bits
 *            means   -2^k - lower bits        0        2^k + lower bits      k = distance from `bits`, less 1
 *
 *   4. Range coder. A symbol of frequency f out of 65536 narrows an interval of 32 bits to its part of it:
 *
 *            low                  code                          low + range
 *             |---------|----------*-----------|--------|---------|
 *                  s=0         s=1                 s=2       s=3
 *
 *      The decoder finds the part its code lies in. Leading bytes on which both ends agree are settled:
 *      they are shifted out, and new ones read (refill).
 *   5. Model. Frequencies follow the data. They are counted anew during a period of up to 1024 symbols,
 *      and used from its end on (renew). The encoder does the same, so both have equal tables.
 *
 * Why it is safe: the invariants below hold for any input; where a stream would break one, is_bad is
 * set and a harmless number takes its place.
 *   - range >= 2^16 after refill, so range / 65536 is never 0 and never divides by 0 (asserted)
 *   - find_part gives a number below `parts`, so symbols stay below model.n
 *   - below[0] = 0, below[n] = 65536 and below[] does not fall, so the search for a symbol ends
 *   - bytes behind the end are read as 0 and make the stream bad
 *
 * Why it is the encoder's prediction: floating-point sums depend on their order. The sum in predict is
 * written in libfpzip's order, and NaN, whose bits compilers may choose, are added by rule (add).
 *
 * What would break it: contraction to fused operations, or excess precision, in predict. */
#include "fpzip_decode.h"
#include "mem.h"
#include "status.h"
#include <assert.h>
#include <math.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NARROW 8 /* bits of precision that one symbol can say */
#define SYMBOLS_MAX (2 * (1 << NARROW) - 1)
#define TOTAL 65536u /* of all frequencies */
#define PERIOD 1024  /* symbols between two renewals, at most */
#define SLOTS 128    /* of the table that finds symbols */

/* --- the range coder ------------------------------------------------------------------ */

/* The interval low .. low + range, and the number in it that the stream stands for. In a sound stream
 * code - low < range. */
struct reader {
    const unsigned char *at, *end;
    uint32_t code, low, range;
    bool is_bad;
};

static void read_bytes(struct reader *r, int n)
{
    for (; n > 0; n--) {
        r->is_bad |= r->at == r->end;
        r->code = r->code << 8 | (r->at < r->end ? *r->at++ : 0);
        r->low <<= 8;
    }
}

/* Shifts out the leading bytes on which both ends of the interval agree. An interval that has become
 * small while its ends still differ in the first byte lies around a carry; it is cut there, as the
 * encoder did, so that the carry need never be resolved. */
static void refill(struct reader *r)
{
    while (((r->low ^ (r->low + r->range)) >> 24) == 0) {
        read_bytes(r, 1);
        r->range <<= 8;
        if (r->range == 0) {
            r->is_bad = true;
            r->range = UINT32_MAX;
        }
    }
    if (r->range >> 16 == 0) {
        read_bytes(r, 2);
        r->range = -r->low;
        if (r->range >> 16 == 0) {
            r->is_bad = true;
            r->range = UINT32_MAX;
        }
    }
}

/* Which of `parts` equal parts of the range the code lies in. */
static uint32_t find_part(struct reader *r, uint32_t parts)
{
    uint32_t part;

    assert(r->range != 0);
    part = (r->code - r->low) / r->range;
    if (part < parts)
        return part;
    r->is_bad = true;
    return 0;
}

static uint64_t read_bits(struct reader *r, unsigned n)
{
    uint64_t v = 0;
    unsigned at = 0, step;
    uint32_t part;

    do {
        step = n - at < 16 ? n - at : 16;
        r->range >>= step;
        part = find_part(r, UINT32_C(1) << step);
        r->low += r->range * part;
        refill(r);
        v |= (uint64_t)part << at;
        at += step;
    } while (at < n);
    return v;
}

/* --- frequencies that follow the data --------------------------------------------------- */

struct model {
    uint32_t n;                      /* symbols */
    uint32_t next[SYMBOLS_MAX];      /* frequencies being counted */
    uint32_t below[SYMBOLS_MAX + 1]; /* frequencies in use: the sum of those of the symbols before this one */
    uint16_t slot[SLOTS + 1];        /* the symbol at slot * TOTAL / SLOTS */
    uint32_t period;                 /* symbols between two renewals */
    uint32_t left;                   /* symbols still to come that gain `step` */
    uint32_t later;                  /* symbols after those, until the renewal, that gain step + 1 */
    uint32_t step;                   /* what a symbol's next frequency gains each time it occurs */
};

static void index_symbols(struct model *m)
{
    uint16_t s = 0;

    for (uint32_t i = 0; i <= SLOTS; i++) {
        while (s + 1u < m->n && m->below[s + 1] <= i * (TOTAL / SLOTS))
            s++;
        m->slot[i] = s;
    }
}

/* The counted frequencies are used from now on. Half of each is where counting starts again, and what
 * these are short of the total is given out during the next period, `step` per symbol. So the sum is
 * the total again when the period ends: below[0] is 0. */
static void renew(struct model *m)
{
    uint32_t sum = TOTAL, missing = TOTAL;

    if (m->later) {
        m->left = m->later;
        m->later = 0;
        m->step++;
        return;
    }
    m->period = 2 * m->period < PERIOD ? 2 * m->period : PERIOD;
    for (uint32_t s = m->n; s-- > 0;) {
        sum -= m->next[s];
        m->below[s] = sum;
        m->next[s] = m->next[s] >> 1 | 1;
        missing -= m->next[s];
    }
    assert(sum == 0);
    m->step = missing / m->period;
    m->later = missing % m->period;
    m->left = m->period - m->later;
    index_symbols(m);
}

static void start_model(struct model *m, uint32_t n)
{
    m->n = n;
    m->below[n] = TOTAL;
    m->period = n >> 4 | 2;
    m->later = 0;
    for (uint32_t s = 0; s < n; s++)
        m->next[s] = TOTAL / n + (s < TOTAL % n);
    renew(m);
}

static uint32_t read_symbol(struct reader *r, struct model *m)
{
    uint32_t at, s, lowest;

    r->range /= TOTAL;
    at = find_part(r, TOTAL);
    s = m->slot[at / (TOTAL / SLOTS)];
    while (m->below[s + 1] <= at)
        s++;
    lowest = m->below[s];
    r->low += r->range * lowest;
    r->range *= m->below[s + 1] - lowest;
    if (m->left == 0)
        renew(m);
    m->left--;
    m->next[s] += m->step;
    refill(r);
    return s;
}

/* --- values ------------------------------------------------------------------------------ */

/* Step 3: the difference as a number in two's complement. It may exceed the precision; the caller lets
 * it wrap. */
static uint64_t read_difference(struct reader *r, struct model *m, unsigned bits)
{
    uint32_t zero = bits > NARROW ? bits : (1u << bits) - 1, s = read_symbol(r, m), k;

    if (bits <= NARROW)
        return (uint64_t)s - zero;
    if (s == zero)
        return 0;
    k = s > zero ? s - zero - 1 : zero - 1 - s;
    return s > zero ? (UINT64_C(1) << k) + read_bits(r, k) : -((UINT64_C(1) << k) + read_bits(r, k));
}

#define REAL float
#define WORD uint32_t
#define QUIET UINT32_C(0x00400000)
#define NO_NUMBER UINT32_C(0xffc00000)
#define NAME(x) x##_float
#include "fpzip_decode_of.h"
#define REAL double
#define WORD uint64_t
#define QUIET UINT64_C(0x0008000000000000)
#define NO_NUMBER UINT64_C(0xfff8000000000000)
#define NAME(x) x##_double
#include "fpzip_decode_of.h"

int cel_fpzip_decode(const struct cel_fpzip *what, const void *src, size_t n, void *dst)
{
    struct reader r = {.at = src, .end = (const unsigned char *)src + n, .range = UINT32_MAX};
    size_t size = what->is_double ? 8 : 4;
    struct model m;
    void *zeros = cel_calloc(what->axes[2], size);

    if (!zeros)
        return cel_fail_in(NC_ENOMEM, "fpzip");
    start_model(&m, what->bits > NARROW ? 2 * what->bits + 1 : 2 * (1u << what->bits) - 1);
    read_bytes(&r, 4);
    if (what->is_double)
        decode_double(what, &r, &m, zeros, dst);
    else
        decode_float(what, &r, &m, zeros, dst);
    free(zeros);
    if (r.is_bad || r.at != r.end)
        return cel_fail(NC_EFILTER,
                        r.is_bad ? "fpzip: the chunk is damaged or cut short" : "fpzip: bytes follow the stream");
    return CEL_OK;
}
