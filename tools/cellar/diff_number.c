/* SPDX-License-Identifier: BSD-3-Clause */
/* Values against each other: equal, within the tolerance, or by how much not. */

#include "cdl_value.h"
#include "diff.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 64 }; /* values looked at one by one before many are tried again */

/* --- one pair of numbers -------------------------------------------------------------------- */

struct gap {
    double abs, rel;
    unsigned long long ulps; /* 0 for whole numbers */
    bool nan;                /* on one side */
};

static double share(double gap, double a, double b)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

    return gap == 0 ? 0 : larger > 0 ? gap / larger : INFINITY;
}

/* Neighbouring floats have neighbouring numbers, from the lowest to the highest. */
static int64_t order_of_double(double v)
{
    int64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static int64_t order_of_float(float v)
{
    int32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static unsigned long long distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static void real_gap(double a, double b, int64_t order_a, int64_t order_b, struct gap *out)
{
    if (a == b) /* infinities too, whose difference is no number */
        return;
    if (isnan(a) || isnan(b)) {
        out->nan = !isnan(a) || !isnan(b);
        out->abs = out->rel = NAN;
        return;
    }
    out->abs = fabs(a - b);
    out->rel = isinf(a) || isinf(b) ? INFINITY : share(out->abs, a, b);
    out->ulps = distance(order_a, order_b);
}

#define SIGNED(name, type) \
    static void name(const char *x, const char *y, struct gap *out) \
    { \
        type a, b; \
        memcpy(&a, x, sizeof a); \
        memcpy(&b, y, sizeof b); \
        out->abs = (double)(a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a); \
        out->rel = share(out->abs, (double)a, (double)b); \
    }
SIGNED(gap_byte, signed char)
SIGNED(gap_ubyte, unsigned char)
SIGNED(gap_short, short)
SIGNED(gap_ushort, unsigned short)
SIGNED(gap_int, int)
SIGNED(gap_uint, unsigned)
SIGNED(gap_int64, long long)
SIGNED(gap_uint64, unsigned long long)

static void gap_float(const char *x, const char *y, struct gap *out)
{
    float a, b;

    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    real_gap(a, b, order_of_float(a), order_of_float(b), out);
}

static void gap_double(const char *x, const char *y, struct gap *out)
{
    double a, b;

    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    real_gap(a, b, order_of_double(a), order_of_double(b), out);
}

typedef void gap_fn(const char *x, const char *y, struct gap *out);
static gap_fn *const gap_of[] = {
    [NC_BYTE] = gap_byte,     [NC_SHORT] = gap_short,  [NC_INT] = gap_int,       [NC_FLOAT] = gap_float,
    [NC_DOUBLE] = gap_double, [NC_UBYTE] = gap_ubyte,  [NC_USHORT] = gap_ushort, [NC_UINT] = gap_uint,
    [NC_INT64] = gap_int64,   [NC_UINT64] = gap_uint64};

/* --- many ---------------------------------------------------------------------------------------- */

/* Equal as numbers: -0 is 0, and NaN as the request says. The gap of unequal numbers is known then. */
static bool is_equal(const struct diff_request *req, const struct type *t, const char *a, const char *b,
                     struct gap *gap)
{
    if (t->kind == NC_FLOAT || t->kind == NC_DOUBLE) {
        gap_of[t->kind](a, b, gap);
        return isnan(gap->abs) ? !gap->nan && !req->nan_differs : gap->abs == 0 && gap->rel == 0;
    }
    return type_equal(t, a, b);
}

static bool is_tolerated(const struct diff_request *req, const struct gap *gap)
{
    if (isnan(gap->abs))
        return false;
    return (req->abs >= 0 && gap->abs <= req->abs) || (req->rel >= 0 && gap->rel <= req->rel) ||
           (req->ulps >= 0 && gap->ulps && gap->ulps <= (unsigned long long)req->ulps);
}

static void add_gap(struct diff_stats *s, const struct gap *gap)
{
    s->nan += gap->nan;
    if (isnan(gap->abs))
        return;
    s->max_abs = gap->abs > s->max_abs ? gap->abs : s->max_abs;
    s->max_rel = gap->rel > s->max_rel ? gap->rel : s->max_rel;
    s->max_ulps = gap->ulps > s->max_ulps ? gap->ulps : s->max_ulps;
    s->sum_squares += gap->abs * gap->abs;
}

static char *text_of(const struct type *t, const char *value)
{
    static const struct cdl_digits digits = {9, 17};
    struct text out = {0};

    cdl_put_value(&out, t, value, &digits);
    return text_take(&out);
}

static void keep_first(const struct diff_request *req, const struct type *t, const char *a, const char *b, size_t at,
                       struct diff_stats *s)
{
    if (s->nfirst >= req->first)
        return;
    s->first = tool_push(s->first, s->nfirst, sizeof *s->first);
    s->first[s->nfirst++] = (struct diff_value){at, text_of(t, a), text_of(t, b)};
}

static void compare_each(const struct diff_request *req, const struct type *type, const char *a, const char *b,
                         size_t n, size_t at, struct diff_stats *out)
{
    size_t size = type->size;
    bool real = type->kind == NC_FLOAT || type->kind == NC_DOUBLE;
    bool number = type->kind > 0 && (size_t)type->kind < sizeof gap_of / sizeof *gap_of && gap_of[type->kind];

    out->values += n;
    for (size_t i = 0; i < n; i++) {
        const char *x = a + i * size, *y = b + i * size;
        struct gap gap = {0};
        bool tolerated = false;

        if (is_equal(req, type, x, y, &gap))
            continue;
        out->unequal++;
        if (number) {
            if (!real)
                gap_of[type->kind](x, y, &gap);
            add_gap(out, &gap);
            tolerated = is_tolerated(req, &gap);
        }
        if (!tolerated) {
            out->differing++;
            keep_first(req, type, x, y, at + i, out);
        }
    }
}

void diff_compare(const struct diff_request *req, const struct type *type, const char *a, const char *b, size_t n,
                  size_t at, struct diff_stats *out)
{
    bool tolerant = req->abs >= 0 || req->rel >= 0 || req->ulps >= 0;
    size_t most = tolerant ? DIFF_BLOCK : FEW;

    for (size_t i = 0; i < n;) {
        size_t from = i * type->size, few = n - i < most ? n - i : most;
        size_t many = diff_compare_many(req, type, a + from, b + from, n - i, out);

        if (!many)
            compare_each(req, type, a + from, b + from, few, at + i, out);
        i += many ? many : few;
    }
}

void diff_stats_merge(const struct diff_request *req, struct diff_stats *into, struct diff_stats *from)
{
    into->values += from->values;
    into->differing += from->differing;
    into->unequal += from->unequal;
    into->nan += from->nan;
    into->max_abs = from->max_abs > into->max_abs ? from->max_abs : into->max_abs;
    into->max_rel = from->max_rel > into->max_rel ? from->max_rel : into->max_rel;
    into->max_ulps = from->max_ulps > into->max_ulps ? from->max_ulps : into->max_ulps;
    into->sum_squares += from->sum_squares;
    for (size_t i = 0; i < from->nfirst && into->nfirst < req->first; i++) {
        into->first = tool_push(into->first, into->nfirst, sizeof *into->first);
        into->first[into->nfirst++] = from->first[i];
        from->first[i] = (struct diff_value){0};
    }
    diff_stats_free(from);
}

void diff_stats_free(struct diff_stats *s)
{
    for (size_t i = 0; i < s->nfirst; i++) {
        free(s->first[i].a);
        free(s->first[i].b);
    }
    free(s->first);
    *s = (struct diff_stats){0};
}
