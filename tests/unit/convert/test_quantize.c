/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantizers against the arithmetic of netCDF-C written down plainly, one value at a
 * time. Debian's library itself is held against them in tests/interop/test_quantize_peer.c. */
#include "quantize_int.h"
#include "status.h"
#include "common/random.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t random_bits(void)
{
    static uint64_t state = RANDOM_SEED;

    return random_step(&state);
}

static size_t size_of(nc_type type)
{
    return type == NC_FLOAT ? 4 : 8;
}

static int mantissa_bits(nc_type type)
{
    return type == NC_FLOAT ? 23 : 52;
}

static double default_fill(nc_type type)
{
    return type == NC_FLOAT ? (double)NC_FILL_FLOAT : NC_FILL_DOUBLE;
}

static double value_of(nc_type type, uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float f;
    double d;

    memcpy(&f, &narrow, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return type == NC_FLOAT ? (double)f : d;
}

static uint64_t bits_of(nc_type type, double v)
{
    float f = (float)v;
    uint32_t narrow;
    uint64_t wide;

    memcpy(&narrow, &f, sizeof f);
    memcpy(&wide, &v, sizeof v);
    return type == NC_FLOAT ? narrow : wide;
}

static uint64_t load(nc_type type, const void *p, size_t i)
{
    uint64_t bits;
    uint32_t half;

    memcpy(&half, (const char *)p + i * size_of(type), sizeof half);
    if (type == NC_FLOAT)
        return half;
    memcpy(&bits, (const char *)p + i * size_of(type), sizeof bits);
    return bits;
}

static void store(nc_type type, void *p, size_t i, uint64_t bits)
{
    uint32_t half = (uint32_t)bits;

    memcpy((char *)p + i * size_of(type), type == NC_FLOAT ? (const void *)&half : (const void *)&bits, size_of(type));
}

/* Bits kept of one value. */
static int kept(const struct cel_quantize_setting *s, double v)
{
    const double per_digit = M_LN10 / M_LN2, per_bit = M_LN2 / M_LN10;
    int e, digits, unit;
    double m, l;

    if (s->mode == NC_QUANTIZE_BITROUND)
        return s->digits;
    if (s->mode == NC_QUANTIZE_BITGROOM)
        return (int)ceil(s->digits * per_digit) + 1;
    m = frexp(v, &e);
    l = log10(fabs(m));
    digits = (int)floor(e * per_bit + l) + 1;
    unit = (int)floor(per_digit * (digits - s->digits));
    return abs((int)floor(e - per_digit * l) - unit) - 1;
}

static uint64_t expected(const struct cel_quantize_setting *s, uint64_t bits, size_t index)
{
    double v = value_of(s->type, bits);
    uint64_t shave, set, half, now;
    int drop;

    if (!isfinite(v) || v == 0 || (s->fill && v == value_of(s->type, load(s->type, s->fill, 0))))
        return bits;
    drop = mantissa_bits(s->type) - kept(s, v);
    shave = ~(uint64_t)0 << drop;
    set = ~shave;
    half = set & shave >> 1;
    if (s->mode == NC_QUANTIZE_BITGROOM)
        now = index % 2 ? bits | set : bits & shave;
    else if (s->ties == CEL_TIES_EVEN && half && (bits & set) == half)
        now = bits & half << 1 ? bits + half : bits - half;
    else
        now = (bits + half) & shave;
    return isfinite(value_of(s->type, now)) ? now : bits;
}

/* Random bits, subnormals, powers of two and ten and their neighbours, exact ties. */
static void make_values(nc_type type, void *values, size_t n)
{
    int mant = mantissa_bits(type), most = type == NC_FLOAT ? 38 : 308;
    uint64_t mantissa = ((uint64_t)1 << mant) - 1;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = random_bits();
        switch (i % 11) {
        case 1:
            bits &= ~(mantissa ^ 4095);
            break;
        case 2:
            bits &= mantissa;
            break;
        case 3:
            bits = bits_of(type, pow(10, (int)(bits % (unsigned)(2 * most)) - most)) + random_bits() % 300 - 150;
            break;
        case 4:
            bits &= ~mantissa;
            break;
        case 5:
            bits &= mantissa >> random_bits() % (unsigned)mant;
            break;
        case 6:
            bits = (bits | 1) << random_bits() % (unsigned)mant;
            break;
        case 7:
            bits = bits_of(type, i % 2 ? 9.96921e36 : -1e-3 * (double)(bits % 100000));
            break;
        }
        store(type, values, i, bits);
    }
    for (size_t i = 0; i + 20 < n; i += n / 7) {
        store(type, values, i, bits_of(type, INFINITY));
        store(type, values, i + 3, bits_of(type, -INFINITY));
        store(type, values, i + 4, bits_of(type, NAN));
        store(type, values, i + 5, bits_of(type, -0.0));
        store(type, values, i + 7, bits_of(type, type == NC_FLOAT ? FLT_MAX : DBL_MAX));
        store(type, values, i + 8, bits_of(type, default_fill(type)));
    }
}

/* As most fields are: neighbours of like size, with gaps. Every stretch has a binade of its
 * own, some reach into the next one, some hold a power of ten. */
static void make_smooth_values(nc_type type, void *values, size_t n)
{
    int mant = mantissa_bits(type), most = type == NC_FLOAT ? 38 : 308;
    double scale = 1;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        if (i % 300 == 0)
            scale = i % 600 ? ldexp(1, (int)(random_bits() % (unsigned)(6 * most)) - 3 * most)
                            : pow(10, (int)(random_bits() % (unsigned)(2 * most)) - most);
        bits = bits_of(type, scale * (i % 1200 < 600 ? 1 : 0.9)) +
               (random_bits() % 2 ? random_bits() >> (64 - mant) : random_bits() % 5000);
        if (i % 900 < 450)
            bits |= (random_bits() & 1) << (type == NC_FLOAT ? 31 : 63);
        if (i % 2000 > 1700 && i % 3 == 0)
            bits = bits_of(type, i % 2 ? NAN : i % 4 ? 0.0 : default_fill(type));
        store(type, values, i, bits);
    }
}

static struct cel_quantizer *make(const struct cel_quantize_setting *s)
{
    struct cel_quantizer *q = NULL;

    assert_int_equal(cel_quantizer_make(s, &q), NC_NOERR);
    return q;
}

/* The errors made, from what each value must become. */
static struct cel_quantize_error check_values(const struct cel_quantize_setting *s, const void *in, const void *out,
                                              size_t n)
{
    struct cel_quantize_error made = {0};

    for (size_t i = 0; i < n; i++) {
        uint64_t was = load(s->type, in, i), now = load(s->type, out, i);
        double error = fabs(value_of(s->type, now) - value_of(s->type, was));
        if (now != expected(s, was, i))
            fail_msg("type %d mode %d digits %d ties %d: %.17g (%llx) became %.17g, not %.17g", s->type, s->mode,
                     s->digits, s->ties, value_of(s->type, was), (unsigned long long)was, value_of(s->type, now),
                     value_of(s->type, expected(s, was, i)));
        if (was != now) {
            made.max_abs = fmax(made.max_abs, error);
            made.max_rel = fmax(made.max_rel, error / fabs(value_of(s->type, was)));
        }
    }
    return made;
}

static void check_setting(const struct cel_quantize_setting *s, void make_data(nc_type, void *, size_t))
{
    enum { N = 30001 };
    static double in[N], out[N];
    struct cel_quantizer *q = make(s);

    make_data(s->type, in, N);
    for (int isa = CEL_QUANTIZE_PORTABLE; isa < CEL_QUANTIZE_NISAS; isa++) {
        struct cel_quantize_error noted = {0}, made;

        if (!cel_quantizer_use(q, s, isa))
            continue;
        cel_quantize(q, out, in, N, 0, &noted);
        made = check_values(s, in, out, N);
        assert_true(noted.max_abs == made.max_abs);
        assert_true(fabs(noted.max_rel - made.max_rel) <= made.max_rel * FLT_EPSILON);
    }
    cel_quantizer_free(q);
}

static void every_setting_gives_netcdf_s_bits(void **state)
{
    static const nc_type types[] = {NC_FLOAT, NC_DOUBLE};
    static const float float_fill = NC_FILL_FLOAT;
    static const double double_fill = NC_FILL_DOUBLE;

    for (int t = 0; t < 2; t++) {
        for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
            for (int digits = 1; digits <= cel_quantize_max(mode, types[t]); digits++) {
                struct cel_quantize_setting s = {mode, digits, types[t], CEL_TIES_AWAY, NULL};
                check_setting(&s, make_values);
                check_setting(&s, make_smooth_values);
                s.fill = types[t] == NC_FLOAT ? (const void *)&float_fill : (const void *)&double_fill;
                s.ties = mode == NC_QUANTIZE_BITROUND ? CEL_TIES_EVEN : CEL_TIES_AWAY;
                check_setting(&s, make_values);
                check_setting(&s, make_smooth_values);
            }
        }
    }
}

/* However a request is cut up, shifted in memory or quantized in place. */
static void pieces_give_what_the_whole_gives(void **state)
{
    enum { N = 5000 };
    static double in[N], want[N];
    static unsigned char place[N * sizeof(double) + 1], moved[N * sizeof(double) + 1];

    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
        for (int t = 0; t < 2; t++) {
            struct cel_quantize_setting s = {mode, 4, t ? NC_DOUBLE : NC_FLOAT, CEL_TIES_AWAY, NULL};
            size_t size = size_of(s.type);
            struct cel_quantizer *q = make(&s);
            make_values(s.type, in, N);
            cel_quantize(q, want, in, N, 0, NULL);

            memcpy(place + 1, in, N * size);
            for (size_t at = 0, n; at < N; at += n) {
                n = 1 + random_bits() % 700;
                n = n < N - at ? n : N - at;
                cel_quantize(q, place + 1 + at * size, place + 1 + at * size, n, at, NULL);
            }
            assert_memory_equal(place + 1, want, N * size);

            memcpy(moved + 1, in, N * size);
            cel_quantize(q, place, moved + 1, N, 0, NULL);
            assert_memory_equal(place, want, N * size);
            cel_quantize(q, place + 1, in, N, 0, NULL);
            assert_memory_equal(place + 1, want, N * size);
            cel_quantizer_free(q);
        }
    }
}

static void ties_go_where_asked(void **state)
{
    static const float in[] = {1.25f, 1.75f, -1.25f, -1.75f, 1.2500001f, FLT_MAX};
    static const float away[] = {1.5f, 2.0f, -1.5f, -2.0f, 1.5f, FLT_MAX};
    static const float even[] = {1.0f, 2.0f, -1.0f, -2.0f, 1.5f, FLT_MAX};
    struct cel_quantize_setting s = {NC_QUANTIZE_BITROUND, 1, NC_FLOAT, CEL_TIES_AWAY, NULL};
    struct cel_quantizer *q = make(&s);
    float out[6];

    cel_quantize(q, out, in, 6, 0, NULL);
    assert_memory_equal(out, away, sizeof out);
    cel_quantizer_free(q);
    s.ties = CEL_TIES_EVEN;
    q = make(&s);
    cel_quantize(q, out, in, 6, 0, NULL);
    assert_memory_equal(out, even, sizeof out);
    cel_quantizer_free(q);
}

static void a_fill_value_of_any_kind_stays(void **state)
{
    static const float fills[] = {-9999.25f, NAN, INFINITY, 0.0f, 1.1f, 1e-44f};

    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
            struct cel_quantize_setting s = {mode, 1, NC_FLOAT, CEL_TIES_AWAY, &fills[i]};
            struct cel_quantizer *q = make(&s);
            float in[2] = {fills[i], fills[i]}, out[2];
            cel_quantize(q, out, in, 2, 0, NULL);
            assert_memory_equal(out, in, sizeof out);
            cel_quantizer_free(q);
        }
    }
}

static void bad_settings_are_refused(void **state)
{
    static const struct cel_quantize_setting bad[] = {
        {NC_NOQUANTIZE, 3, NC_FLOAT, CEL_TIES_AWAY, NULL},
        {4, 3, NC_FLOAT, CEL_TIES_AWAY, NULL},
        {-1, 3, NC_FLOAT, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_BITGROOM, 0, NC_FLOAT, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_BITGROOM, 7, NC_FLOAT, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_GRANULARBR, 16, NC_DOUBLE, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_BITROUND, 24, NC_FLOAT, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_BITROUND, 53, NC_DOUBLE, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_BITROUND, 3, NC_INT, CEL_TIES_AWAY, NULL},
        {NC_QUANTIZE_BITROUND, -5, NC_FLOAT, CEL_TIES_AWAY, NULL},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cel_quantizer *q = NULL;
        assert_int_equal(cel_quantizer_make(&bad[i], &q), NC_EINVAL);
        assert_null(q);
        assert_non_null(strstr(cel_error_text(), "quantize: "));
    }
    cel_quantizer_free(NULL);
}

static void digits_become_bits(void **state)
{
    static const int bits[] = {0, 3, 6, 9, 13, 16, 19, 23};

    for (int nsd = 0; nsd <= 7; nsd++)
        assert_int_equal(cel_quantize_bits_for(nsd), bits[nsd]);
    assert_int_equal(cel_quantize_bits_for(15), 49);
    assert_int_equal(cel_quantize_bits_for(16), 0);
    assert_int_equal(cel_quantize_bits_for(-1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_gives_netcdf_s_bits),
        cmocka_unit_test(pieces_give_what_the_whole_gives),
        cmocka_unit_test(ties_go_where_asked),
        cmocka_unit_test(a_fill_value_of_any_kind_stays),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(digits_become_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
