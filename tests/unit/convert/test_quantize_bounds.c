/* SPDX-License-Identifier: BSD-3-Clause */
/* How large the errors really get: over every normal float, and over millions of doubles
 * and subnormals. The figures of the specification and those measured here are in
 * docs/differences.md. */
#include "quantize.h"
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

enum { N = 1 << 16 };

static struct cel_quantizer *make(int mode, int digits, nc_type type)
{
    struct cel_quantize_setting s = {mode, digits, type, CEL_TIES_AWAY, NULL};
    struct cel_quantizer *q = NULL;

    assert_int_equal(cel_quantizer_make(&s, &q), NC_NOERR);
    return q;
}

/* The largest error over the floats with these bits, each at even and at odd places. */
static struct cel_quantize_error worst_over(int mode, int digits, uint32_t from, uint32_t to)
{
    static uint32_t in[N], out[N];
    struct cel_quantize_error worst = {0};
    struct cel_quantizer *q = make(mode, digits, NC_FLOAT);

    for (uint64_t at = from; at <= to; at += N) {
        size_t n = to - at < N ? (size_t)(to - at + 1) : N;
        for (size_t i = 0; i < n; i++)
            in[i] = (uint32_t)(at + i);
        cel_quantize(q, out, in, n, 0, &worst);
        if (mode == NC_QUANTIZE_BITGROOM)
            cel_quantize(q, out, in, n, 1, &worst);
    }
    cel_quantizer_free(q);
    return worst;
}

enum { FIRST_NORMAL = 0x00800000, LAST_NORMAL = 0x7f7fffff };

static void bitgroom_keeps_the_specified_margin(void **state)
{
    static const double margin[] = {3.1e-2, 3.9e-3, 4.9e-4, 3.1e-5, 3.8e-6, 4.7e-7};

    for (int nsd = 1; nsd <= 6; nsd++) {
        double share = worst_over(NC_QUANTIZE_BITGROOM, nsd, FIRST_NORMAL, LAST_NORMAL).max_rel / margin[nsd - 1];
        print_message("BitGroom %d: %.3g of the specified margin %.2g\n", nsd, share, margin[nsd - 1]);
        assert_true(share >= 0.75 && share <= 1.01);
    }
}

static void granular_bitround_errs_as_netcdf_does(void **state)
{
    static const double most[] = {0.34, 0.048, 5.0e-3, 5.0e-4, 5.0e-5, 5.0e-6};

    for (int nsd = 1; nsd <= 6; nsd++) {
        double worst = worst_over(NC_QUANTIZE_GRANULARBR, nsd, FIRST_NORMAL, LAST_NORMAL).max_rel;
        print_message("Granular BitRound %d: %.4g\n", nsd, worst);
        assert_true(worst <= most[nsd - 1] && worst >= most[nsd - 1] / 4);
    }
}

static void bitround_keeps_half_a_unit(void **state)
{
    for (int nsd = 1; nsd <= 6; nsd++) {
        int nsb = cel_quantize_bits_for(nsd);
        double worst = worst_over(NC_QUANTIZE_BITROUND, nsb, FIRST_NORMAL, LAST_NORMAL).max_rel;
        print_message("BitRound %d: %.6g\n", nsb, worst);
        assert_true(worst <= ldexp(1, -nsb - 1) && worst > 0.9 * ldexp(1, -nsb - 1));
    }
}

static void subnormal_floats_err_by_a_share_of_the_smallest_normal(void **state)
{
    for (int nsb = 1; nsb <= 23; nsb++) {
        double worst = worst_over(NC_QUANTIZE_BITROUND, nsb, 1, FIRST_NORMAL - 1).max_abs;
        assert_true(worst <= ldexp(1, -127 - nsb));
    }
}

static uint64_t random_bits(void)
{
    static uint64_t state = RANDOM_SEED;

    return random_step(&state);
}

static struct cel_quantize_error worst_over_doubles(int nsb, uint64_t mask, uint64_t low)
{
    static uint64_t in[N], out[N];
    struct cel_quantize_error worst = {0};
    struct cel_quantizer *q = make(NC_QUANTIZE_BITROUND, nsb, NC_DOUBLE);

    for (int round = 0; round < 16; round++) {
        for (size_t i = 0; i < N; i++)
            in[i] = (random_bits() & mask) + low;
        cel_quantize(q, out, in, N, 0, &worst);
    }
    cel_quantizer_free(q);
    return worst;
}

static void doubles_keep_the_same_promises(void **state)
{
    for (int nsb = 1; nsb <= 52; nsb++) {
        struct cel_quantize_error normal = worst_over_doubles(nsb, 0x7fdfffffffffffff, (uint64_t)1 << 52);
        struct cel_quantize_error tiny = worst_over_doubles(nsb, 0x000fffffffffffff, 0);
        assert_true(normal.max_rel <= ldexp(1, -nsb - 1));
        assert_true(tiny.max_abs <= ldexp(1, -1023 - nsb));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bitgroom_keeps_the_specified_margin),
        cmocka_unit_test(granular_bitround_errs_as_netcdf_does),
        cmocka_unit_test(bitround_keeps_half_a_unit),
        cmocka_unit_test(subnormal_floats_err_by_a_share_of_the_smallest_normal),
        cmocka_unit_test(doubles_keep_the_same_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
