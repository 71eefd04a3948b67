/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers against each other, a block of them at a time: how many are unequal, and by how much at most. All differences are taken
 * in double, which holds every type here. What needs a division, the largest relative difference, is asked for by
 * multiplications first: only blocks that have a larger one than was known are gone through again. */

#include "diff.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MULTIPLE = 8 }; /* of which the number of values in a block is one */

struct sums {
    double abs, squares; /* infinite: an infinity met something else */
    uint64_t unequal, nan, ulps;
    bool beyond; /* a relative difference above the one that is known */
};

/* diff_lanes.h takes away VECTOR, TARGET and NAME. */
#define REAL float
#define BITS int32_t
#define UBITS uint32_t
#define TOP 0x80000000u
#define VECTOR 16
#define TARGET
#define NAME(x) float_##x
#include "diff_lanes.h"
#if defined(__x86_64__)
#define VECTOR 32
#define TARGET __attribute__((target("avx2")))
#define NAME(x) float_##x##_avx2
#include "diff_lanes.h"
#endif
#undef REAL
#undef BITS
#undef UBITS
#undef TOP

#define REAL double
#define BITS int64_t
#define UBITS uint64_t
#define TOP 0x8000000000000000u
#define VECTOR 16
#define TARGET
#define NAME(x) double_##x
#include "diff_lanes.h"
#if defined(__x86_64__)
#define VECTOR 32
#define TARGET __attribute__((target("avx2")))
#define NAME(x) double_##x##_avx2
#include "diff_lanes.h"
#endif

typedef void sum_fn(const char *a, const char *b, size_t n, double known, struct sums *out);

static sum_fn *loop_for(bool is_float)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return is_float ? float_sum_avx2 : double_sum_avx2;
#endif
    return is_float ? float_sum : double_sum;
}

/* --- whole numbers, as doubles --------------------------------------------------------------------- */

typedef void widen_fn(const char *values, size_t n, double *out);

#define WIDEN(name, type) \
    static void name(const char *values, size_t n, double *out) \
    { \
        for (size_t i = 0; i < n; i++) { \
            type v; \
            memcpy(&v, values + i * sizeof v, sizeof v); \
            out[i] = v; \
        } \
    }
WIDEN(widen_byte, signed char)
WIDEN(widen_ubyte, unsigned char)
WIDEN(widen_short, short)
WIDEN(widen_ushort, unsigned short)
WIDEN(widen_int, int)
WIDEN(widen_uint, unsigned)

static widen_fn *const widen_of[] = {
    [NC_BYTE] = widen_byte,     [NC_SHORT] = widen_short, [NC_INT] = widen_int, [NC_UBYTE] = widen_ubyte,
    [NC_USHORT] = widen_ushort, [NC_UINT] = widen_uint,   [NC_UINT64] = NULL};

static widen_fn *widen_for(const struct type *type)
{
    return type->kind > 0 && (size_t)type->kind < sizeof widen_of / sizeof *widen_of ? widen_of[type->kind] : NULL;
}

/* --- a block --------------------------------------------------------------------------------------- */

static double real_at(const struct type *type, const char *values, size_t i)
{
    float f;
    double d;

    if (type->kind == NC_FLOAT) {
        memcpy(&f, values + i * sizeof f, sizeof f);
        return f;
    }
    memcpy(&d, values + i * sizeof d, sizeof d);
    return d;
}

static double largest_relative(const struct type *type, const char *a, const char *b, size_t n, double known)
{
    for (size_t i = 0; i < n; i++) {
        double x = real_at(type, a, i), y = real_at(type, b, i), gap = fabs(x - y);
        double larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);

        if (gap > larger * known && gap / larger > known)
            known = gap / larger;
    }
    return known;
}

/* Are all the differences of a block within what may be? */
static bool is_tolerated(const struct diff_request *req, const struct sums *s, double rel)
{
    if (s->nan)
        return false;
    return (req->abs >= 0 && s->abs <= req->abs) || (req->rel >= 0 && rel <= req->rel) ||
           (req->ulps >= 0 && s->ulps && s->ulps <= (unsigned long long)req->ulps);
}

static bool compare_reals(const struct diff_request *req, const struct type *type, const char *a, const char *b,
                          size_t n, struct diff_stats *out)
{
    double rel = req->rel >= 0 && req->rel < out->max_rel ? req->rel : out->max_rel;
    struct sums s;
    bool same;

    loop_for(type->kind == NC_FLOAT)(a, b, n, rel, &s);
    if (isinf(s.abs))
        return false;
    if (s.beyond)
        rel = largest_relative(type, a, b, n, rel);
    same = s.unequal + s.nan == 0 || is_tolerated(req, &s, rel);
    if (!same && (out->nfirst < req->first || req->abs >= 0 || req->rel >= 0 || req->ulps >= 0))
        return false;
    out->values += n;
    out->unequal += s.unequal + s.nan;
    out->differing += same ? 0 : s.unequal + s.nan;
    out->nan += s.nan;
    out->max_abs = s.abs > out->max_abs ? s.abs : out->max_abs;
    out->max_rel = rel > out->max_rel ? rel : out->max_rel;
    out->sum_squares += s.squares;
    out->max_ulps = s.ulps > out->max_ulps ? s.ulps : out->max_ulps;
    return true;
}

static bool compare_widened(const struct diff_request *req, widen_fn *widen, const char *a, const char *b, size_t n,
                            struct diff_stats *out)
{
    unsigned long long ulps = out->max_ulps;
    double x[DIFF_BLOCK], y[DIFF_BLOCK];
    struct diff_request without = *req;

    without.ulps = -1; /* which whole numbers have none of */
    widen(a, n, x);
    widen(b, n, y);
    if (!compare_reals(&without, types_atomic(NC_DOUBLE), (const char *)x, (const char *)y, n, out))
        return false;
    out->max_ulps = ulps;
    return true;
}

size_t diff_compare_many(const struct diff_request *req, const struct type *type, const char *a, const char *b,
                         size_t n, struct diff_stats *out)
{
    widen_fn *widen = widen_for(type);
    bool done = false;

    n = n < DIFF_BLOCK ? n : DIFF_BLOCK;
    if (!type->has_pointers && !req->nan_differs && memcmp(a, b, n * type->size) == 0) {
        out->values += n;
        return n;
    }
    n = n / MULTIPLE * MULTIPLE;
    if (n == 0 || req->nan_differs)
        return 0;
    if (type->kind == NC_FLOAT || type->kind == NC_DOUBLE)
        done = compare_reals(req, type, a, b, n, out);
    else if (widen)
        done = compare_widened(req, widen, a, b, n, out);
    return done ? n : 0;
}
