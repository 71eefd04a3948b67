/* A decoder for fpzip streams that survives any input. libfpzip's own trusts every
 * number it decodes and indexes tables with it; this one checks each against its range,
 * reads nothing beyond the end, and needs one row of zeros as memory.
 *
 * The stream: each value is predicted from its seven neighbours towards the origin (0
 * outside the array; the Lorenzo predictor, in the arithmetic of the values' own type),
 * prediction and value are mapped to integers that keep their order, and the difference
 * goes through a range coder. Up to 8 bits of precision it is one symbol; beyond, the
 * symbol is sign and length of the difference, whose lower bits follow as they are. The
 * frequencies of the symbols follow the data, renewed at most every 1024 symbols. */
#include "fpzip_decode.h"
#include "mem.h"
#include "status.h"
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

/* code - low < range, as long as the stream is sound. */
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

/* Leading bytes that are settled make room for new ones. A range that has become small
 * around a carry is cut there, so that it need never be resolved. */
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
    uint32_t part = (r->code - r->low) / r->range;

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
    uint32_t below[SYMBOLS_MAX + 1]; /* in use: how often symbols before this one */
    uint16_t slot[SLOTS + 1];        /* the symbol at slot * TOTAL / SLOTS */
    uint32_t period;                 /* symbols until the next renewal */
    uint32_t left;                   /* ... still to come with this step */
    uint32_t later;                  /* ... and then with a step that is 1 more */
    uint32_t step;                   /* what a symbol's frequency gains */
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

/* Counted frequencies are used from now on; half of each is kept, and what is missing to
 * the total is given out during the next period. */
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

/* As a number in two's complement; what is beyond the precision wraps. */
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
