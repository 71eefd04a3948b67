/* SPDX-License-Identifier: BSD-3-Clause */
/* The same values through Cellar and through Debian's netCDF-C, in every mode and setting
 * both accept: the same bits, but for what docs/differences.md says. An argument gives the
 * number of values. */
#include "peer_values.h"
#include "common/random.h"
#include <cellar.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static size_t nvalues = 100000;

static const struct limit {
    nc_type type;
    size_t size;
    int digits, bits, least_exponent;
} limits[] = {
    {NC_FLOAT, sizeof(float), NC_QUANTIZE_MAX_FLOAT_NSD, NC_QUANTIZE_MAX_FLOAT_NSB, -38},
    {NC_DOUBLE, sizeof(double), NC_QUANTIZE_MAX_DOUBLE_NSD, NC_QUANTIZE_MAX_DOUBLE_NSB, -308},
};

static uint64_t random_bits(void)
{
    static uint64_t state = RANDOM_SEED;

    return random_step(&state);
}

static void store(const struct limit *l, void *values, size_t i, uint64_t bits)
{
    memcpy((char *)values + i * l->size, &bits, l->size);
}

static uint64_t load(const struct limit *l, const void *values, size_t i)
{
    uint64_t bits = 0;

    memcpy(&bits, (const char *)values + i * l->size, l->size);
    return bits;
}

static uint64_t bits_of(const struct limit *l, double v)
{
    float f = (float)v;
    uint64_t bits = 0;

    memcpy(&bits, l->type == NC_FLOAT ? (void *)&f : (void *)&v, l->size);
    return bits;
}

static double value_of(const struct limit *l, uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    double wide;
    float f;

    memcpy(&f, &narrow, sizeof f);
    memcpy(&wide, &bits, sizeof wide);
    return l->type == NC_FLOAT ? (double)f : wide;
}

/* Random bits, a smooth field, subnormals, neighbours of powers of ten and of two, NaN,
 * infinities, zeros and fill values. */
static void make_values(const struct limit *l, void *values, size_t n)
{
    uint64_t mantissa = ((uint64_t)1 << l->bits) - 1;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = random_bits();
        int power = l->least_exponent + (int)(random_bits() % (unsigned)(-2 * l->least_exponent));

        switch (i % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            bits = bits_of(l, 280 + 30 * sin(1e-3 * (double)i) + 1e-4 * (double)(bits % 1000));
            break;
        case 5:
            bits &= mantissa | (uint64_t)1 << (8 * l->size - 1);
            break;
        case 6:
            bits = bits_of(l, pow(10, power)) + bits % 300 - 150;
            break;
        case 7:
            bits &= ~mantissa | 4095;
            break;
        case 8:
            bits = bits_of(l, l->type == NC_FLOAT ? (double)NC_FILL_FLOAT : NC_FILL_DOUBLE);
            break;
        case 9:
            bits = bits_of(l, i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY);
            break;
        case 10:
            bits = bits_of(l, i % 3 ? 0.0 : -0.0);
            break;
        }
        store(l, values, i, bits);
    }
}

/* Through a chunked variable, in one call; twice as many chunks as the cache would hold. */
static void ours(const struct limit *l, int mode, int digits, const void *fill, const void *in, void *out, size_t n)
{
    int ncid, dimid, varid;
    size_t chunk = n / 7 + 1;

    assert_int_equal(nc_create("test_quantize_peer.nc", NC_NETCDF4 | NC_CLOBBER | NC_DISKLESS, &ncid), NC_NOERR);
    assert_int_equal(nc_def_dim(ncid, "x", n, &dimid), NC_NOERR);
    assert_int_equal(nc_def_var(ncid, "v", l->type, 1, &dimid, &varid), NC_NOERR);
    assert_int_equal(nc_def_var_chunking(ncid, varid, NC_CHUNKED, &chunk), NC_NOERR);
    if (fill)
        assert_int_equal(nc_def_var_fill(ncid, varid, NC_FILL, fill), NC_NOERR);
    assert_int_equal(nc_def_var_quantize(ncid, varid, mode, digits), NC_NOERR);
    assert_int_equal(nc_put_var(ncid, varid, in), NC_NOERR);
    assert_int_equal(nc_get_var(ncid, varid, out), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
}

static void compare(const struct limit *l, int mode, int digits, const void *in, const void *us, const void *them,
                    size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t was = load(l, in, i), our = load(l, us, i), their = load(l, them, i);
        double v = value_of(l, was);
        bool meant = !isfinite(v) || v == 0 || !isfinite(value_of(l, their));

        if (our != (meant ? was : their))
            fail_msg("type %d mode %d digits %d place %zu: %.17g (%llx): netCDF-C makes it %.17g, we %.17g", l->type,
                     mode, digits, i, v, (unsigned long long)was, value_of(l, their), value_of(l, our));
    }
}

static void every_setting_gives_the_same_bits(void **state)
{
    for (int t = 0; t < 2; t++) {
        const struct limit *l = &limits[t];
        void *in = malloc(nvalues * l->size), *us = malloc(nvalues * l->size), *them = malloc(nvalues * l->size);

        make_values(l, in, nvalues);
        for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
            for (int digits = 1; digits <= (mode == NC_QUANTIZE_BITROUND ? l->bits : l->digits); digits++) {
                ours(l, mode, digits, NULL, in, us, nvalues);
                assert_int_equal(peer_quantize(l->size, mode, digits, NULL, in, them, nvalues), NC_NOERR);
                compare(l, mode, digits, in, us, them, nvalues);
            }
        }
        free(in);
        free(us);
        free(them);
    }
}

/* A fill value of the user's own is left alone, and the default one then is not. */
static void own_fill_values_stay(void **state)
{
    enum { COUNT = 3000 };

    for (int t = 0; t < 2; t++) {
        const struct limit *l = &limits[t];
        uint64_t fill = bits_of(l, -9999.123);
        double in[COUNT], us[COUNT], them[COUNT];

        make_values(l, in, COUNT);
        for (size_t i = 0; i < COUNT; i += 7)
            store(l, in, i, fill);
        for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
            ours(l, mode, 2, &fill, in, us, COUNT);
            assert_int_equal(peer_quantize(l->size, mode, 2, &fill, in, them, COUNT), NC_NOERR);
            compare(l, mode, 2, in, us, them, COUNT);
            assert_true(load(l, us, 7) == fill && load(l, us, 14) == fill);
        }
    }
}

/* Their file, more put into it by us, then asked about by them: one setting throughout. */
static void files_go_back_and_forth(void **state)
{
    enum { COUNT = 500 };
    static const char path[] = "test_quantize_exchange.nc";
    float in[2 * COUNT], ours[2 * COUNT], whole[2 * COUNT];

    make_values(&limits[0], in, 2 * COUNT);
    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
        int ncid, varid, got_mode = -1, digits = -1;
        size_t start = COUNT, count = COUNT;

        assert_int_equal(peer_make_quantized(path, mode, 5, in, COUNT), NC_NOERR);
        assert_int_equal(nc_open(path, NC_WRITE, &ncid), NC_NOERR);
        assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
        assert_int_equal(nc_inq_var_quantize(ncid, varid, &got_mode, &digits), NC_NOERR);
        assert_int_equal(got_mode, mode);
        assert_int_equal(digits, 5);
        assert_int_equal(nc_put_vara_float(ncid, varid, &start, &count, in + start), NC_NOERR);
        assert_int_equal(nc_get_var_float(ncid, varid, ours), NC_NOERR);
        assert_int_equal(nc_close(ncid), NC_NOERR);

        got_mode = digits = -1;
        assert_int_equal(peer_inq_quantize(path, &got_mode, &digits), NC_NOERR);
        assert_int_equal(got_mode, mode);
        assert_int_equal(digits, 5);
        assert_int_equal(peer_quantize(sizeof *in, mode, 5, NULL, in, whole, 2 * COUNT), NC_NOERR);
        assert_memory_equal(ours, whole, COUNT * sizeof *ours);
        compare(&limits[0], mode, 5, in + COUNT, ours + COUNT, whole + COUNT, COUNT);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_fill_values_stay),
        cmocka_unit_test(files_go_back_and_forth),
        cmocka_unit_test(every_setting_gives_the_same_bits),
    };

    if (argc > 1)
        nvalues = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
