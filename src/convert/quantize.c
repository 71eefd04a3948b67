/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantizers: checks settings, prepares masks and tables, and chooses the loops for this processor. The
 * loops are in quantize_real.h, which explains the modes. */
#include "quantize.h"
#include "mem.h"
#include "quantize_int.h"
#include "status.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct loops {
    cel_quantize_fn *groom, *round_away, *round_even, *granular;
};

/* Binary digits per decimal digit, and the inverse, computed as netCDF-C does: results depend on the last
 * bit of both. */
#define BITS_PER_DIGIT (M_LN10 / M_LN2)
#define DIGITS_PER_BIT (M_LN2 / M_LN10)

/* Decimal digits before the point of m * 2^e, m in 0.5 .. 1. */
static int decimal_digits(double m, int e)
{
    return (int)floor(e * DIGITS_PER_BIT + log10(m)) + 1;
}

static unsigned drop_for(int digits, int exponent, int nsd, int mantissa_bits)
{
    int unit = (int)floor(BITS_PER_DIGIT * (digits - nsd)); /* binary exponent of the last digit kept */

    return (unsigned)(mantissa_bits - (abs(exponent - unit) - 1));
}

/* Granular BitRound by its formula: how many low bits of v to drop. */
static unsigned granular_drop(double v, int nsd, int mantissa_bits)
{
    int e;
    double m = frexp(fabs(v), &e);
    int exponent = (int)floor(e - BITS_PER_DIGIT * log10(m)); /* e, and e + 1 near powers of two */

    return drop_for(decimal_digits(m, e), exponent, nsd, mantissa_bits);
}

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2")))
#if defined(__clang__) /* which uses all of a vector without being told */
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#else
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")))
#endif
#endif

/* The caller's reals are looked at as integers. */
typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));

#define REAL float
#define UINT word32
#define INT int32_t
#define MANT 23
#define FIELD 255
#define EPSILON FLT_EPSILON
#define NAME(x) x##_float
#define TARGET
#include "quantize_real.h"
#if defined(AVX2)
#define NAME(x) x##_float_avx2
#define TARGET AVX2
#include "quantize_real.h"
#define NAME(x) x##_float_avx512
#define TARGET AVX512
#include "quantize_real.h"
#endif
#define TABLE(x) x##_float_table
#include "quantize_table.h"
#undef REAL
#undef UINT
#undef INT
#undef MANT
#undef FIELD
#undef EPSILON

#define REAL double
#define UINT word64
#define INT int64_t
#define MANT 52
#define FIELD 2047
#define EPSILON DBL_EPSILON
#define NAME(x) x##_double
#define TARGET
#include "quantize_real.h"
#if defined(AVX2)
#define NAME(x) x##_double_avx2
#define TARGET AVX2
#include "quantize_real.h"
#define NAME(x) x##_double_avx512
#define TARGET AVX512
#include "quantize_real.h"
#endif
#define TABLE(x) x##_double_table
#include "quantize_table.h"

/* By enum cel_quantize_isa; NULL: this CPU, or this build, has it not. */
static const struct loops *loops_for(enum cel_quantize_isa isa, nc_type type)
{
#if defined(AVX2)
    if (isa == CEL_QUANTIZE_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return type == NC_FLOAT ? &loops_float_avx512 : &loops_double_avx512;
    if (isa == CEL_QUANTIZE_AVX2 && __builtin_cpu_supports("avx2"))
        return type == NC_FLOAT ? &loops_float_avx2 : &loops_double_avx2;
#endif
    if (isa == CEL_QUANTIZE_PORTABLE)
        return type == NC_FLOAT ? &loops_float : &loops_double;
    return NULL;
}

static const struct loops *best_loops(nc_type type)
{
    const struct loops *loops = loops_for(CEL_QUANTIZE_AVX512, type);

    if (!loops)
        loops = loops_for(CEL_QUANTIZE_AVX2, type);
    return loops ? loops : loops_for(CEL_QUANTIZE_PORTABLE, type);
}

static cel_quantize_fn *choose(const struct loops *loops, const struct cel_quantize_setting *s)
{
    switch (s->mode) {
    case NC_QUANTIZE_BITGROOM:
        return loops->groom;
    case NC_QUANTIZE_GRANULARBR:
        return loops->granular;
    default:
        return s->ties == CEL_TIES_EVEN ? loops->round_even : loops->round_away;
    }
}

static int mantissa_bits(nc_type type)
{
    return type == NC_FLOAT ? NC_QUANTIZE_MAX_FLOAT_NSB : NC_QUANTIZE_MAX_DOUBLE_NSB;
}

/* BitGroom keeps one bit more than the digits need. */
static unsigned bits_kept(const struct cel_quantize_setting *s)
{
    return s->mode == NC_QUANTIZE_BITGROOM ? (unsigned)ceil(s->digits * BITS_PER_DIGIT) + 1 : (unsigned)s->digits;
}

int cel_quantize_max(int mode, nc_type type)
{
    if (type != NC_FLOAT && type != NC_DOUBLE)
        return 0;
    if (mode == NC_QUANTIZE_BITROUND)
        return mantissa_bits(type);
    if (mode == NC_QUANTIZE_BITGROOM || mode == NC_QUANTIZE_GRANULARBR)
        return type == NC_FLOAT ? NC_QUANTIZE_MAX_FLOAT_NSD : NC_QUANTIZE_MAX_DOUBLE_NSD;
    return 0;
}

int cel_quantize_check(const struct cel_quantize_setting *s)
{
    int most = cel_quantize_max(s->mode, s->type);
    int least = s->ties == CEL_TIES_EVEN ? 0 : 1;

    if (s->type != NC_FLOAT && s->type != NC_DOUBLE)
        return cel_fail(NC_EINVAL, "quantize: only float and double values can be quantized");
    if (most == 0)
        return cel_fail(NC_EINVAL,
                        "quantize: there is no mode %d; use 1 (BitGroom), 2 (Granular BitRound) or 3 "
                        "(BitRound)",
                        s->mode);
    if (s->digits < least || s->digits > most)
        return cel_fail(NC_EINVAL, "quantize: %d significant %s asked for; %d to %d are possible here", s->digits,
                        s->mode == NC_QUANTIZE_BITROUND ? "bits" : "digits", least, most);
    return CEL_OK;
}

static uint64_t bits_of(const void *value, nc_type type)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;

    if (type == NC_FLOAT)
        memcpy(&narrow, value, sizeof narrow);
    else
        memcpy(&wide, value, sizeof wide);
    return narrow | wide;
}

static void *make_table(const struct cel_quantize_setting *s)
{
    return s->type == NC_FLOAT ? (void *)make_float_table(s->digits) : (void *)make_double_table(s->digits);
}

int cel_quantizer_make(const struct cel_quantize_setting *s, struct cel_quantizer **out)
{
    bool is_granular = s->mode == NC_QUANTIZE_GRANULARBR;
    struct cel_quantizer *q;
    int rc = cel_quantize_check(s);

    if (rc != CEL_OK)
        return rc;
    q = cel_calloc(1, sizeof *q);
    if (!q)
        return NC_ENOMEM;
    q->run = choose(best_loops(s->type), s);
    q->fill = s->fill ? bits_of(s->fill, s->type) : 0;
    q->drop = is_granular ? 0 : (unsigned)mantissa_bits(s->type) - bits_kept(s);
    q->nsd = s->digits;
    q->one = 1;
    q->table = is_granular ? make_table(s) : NULL;
    if (is_granular && !q->table) {
        cel_quantizer_free(q);
        return NC_ENOMEM;
    }
    *out = q;
    return CEL_OK;
}

void cel_quantizer_free(struct cel_quantizer *q)
{
    if (!q)
        return;
    free(q->table);
    free(q);
}

bool cel_quantizer_use(struct cel_quantizer *q, const struct cel_quantize_setting *setting, enum cel_quantize_isa isa)
{
    const struct loops *loops = loops_for(isa, setting->type);

    if (loops)
        q->run = choose(loops, setting);
    return loops != NULL;
}

void cel_quantize(const struct cel_quantizer *q, void *dst, const void *src, size_t n, size_t first,
                  struct cel_quantize_error *worst)
{
    q->run(q, dst, src, n, first, worst);
}

void cel_quantize_error_join(struct cel_quantize_error *total, const struct cel_quantize_error *part)
{
    if (part->max_abs > total->max_abs)
        total->max_abs = part->max_abs;
    if (part->max_rel > total->max_rel)
        total->max_rel = part->max_rel;
}

int cel_quantize_bits_for(int nsd)
{
    return nsd < 1 || nsd > NC_QUANTIZE_MAX_DOUBLE_NSD ? 0 : (int)ceil(nsd * BITS_PER_DIGIT) - 1;
}
