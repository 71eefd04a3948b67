/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions as netCDF-C makes and counts them. Two differences are meant (see
 * docs/differences.md): a real beyond an integer type takes the nearest end of its
 * range where netCDF-C stores what the CPU happens to give, and the powers of two just
 * beyond the range, which netCDF-C lets pass, are counted. */
#include "convert.h"
#include "peer_values.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const nc_type types[] = {NC_BYTE, NC_UBYTE, NC_SHORT,  NC_USHORT, NC_INT,
                                NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT,  NC_DOUBLE};
enum { NTYPES = sizeof types / sizeof *types, NVALUES = 400 };

static bool is_real(nc_type type)
{
    return type == NC_FLOAT || type == NC_DOUBLE;
}

static void make_value(nc_type type, int i, unsigned char *out)
{
    double real = (i % 2 ? -1 : 1) * (ldexp(1, i / 14) + (i / 2 % 7 - 3) * 0.5);
    float single;
    uint64_t whole = (uint64_t)(int64_t)(i % 2 ? -1 : 1) * (((uint64_t)1 << i / 6 % 64) + (uint64_t)(i / 2 % 3) - 1);
    static const double special[] = {INFINITY, -INFINITY, NAN, FLT_MAX, 3.40282355e38, 3.5e38, -1e300, 1e-300, -0.0};

    if (i >= NVALUES - 9)
        real = special[NVALUES - 1 - i];
    single = (float)real;
    memcpy(out,
           type == NC_DOUBLE  ? (void *)&real
           : type == NC_FLOAT ? (void *)&single
                              : (void *)&whole,
           cel_type_size(type));
}

static double real_of(nc_type type, const void *p)
{
    double out = 0;

    cel_converter(type, NC_DOUBLE)(&out, p, 1);
    return out;
}

/* The first power of two beyond an integer type, as netCDF-C compares them: it rounds the
 * largest value to the real type first. */
static bool is_let_pass(nc_type from, nc_type to, double v)
{
    return (to == NC_INT64 && v == 0x1p63) || (to == NC_UINT64 && v == 0x1p64) ||
           (to == NC_UINT && from == NC_FLOAT && v == 0x1p32);
}

static void compare(nc_type from, nc_type to, const unsigned char *in, int their_code, const unsigned char *theirs)
{
    unsigned char ours[8] = {0};
    size_t misfits = cel_converter(from, to)(ours, in, 1);
    double v = real_of(from, in);
    bool truncates_to_none = is_real(from) && !is_real(to) && (misfits || isnan(v));

    if (is_real(from) && is_let_pass(from, to, v)) {
        assert_int_equal(their_code, NC_NOERR);
        assert_int_equal(misfits, 1);
    } else if (their_code != (misfits ? NC_ERANGE : NC_NOERR)) {
        fail_msg("%s to %s: %.17g: netCDF-C says %d, we count %zu", cel_type_name(from), cel_type_name(to), v,
                 their_code, misfits);
    }
    if (!truncates_to_none && memcmp(ours, theirs, cel_type_size(to)) != 0)
        fail_msg("%s to %s: %.17g: netCDF-C stores %.17g, we %.17g", cel_type_name(from), cel_type_name(to), v,
                 real_of(to, theirs), real_of(to, ours));
}

static void every_pair_converts_as_in_netcdf_c(void **state)
{
    for (int f = 0; f < NTYPES; f++) {
        for (int t = 0; t < NTYPES; t++) {
            for (int i = 0; i < NVALUES; i++) {
                unsigned char in[8], theirs[8] = {0};
                int code;
                make_value(types[f], i, in);
                code = peer_put(types[f], types[t], 0, in, theirs);
                compare(types[f], types[t], in, code, theirs);
                code = peer_get(types[f], types[t], 0, in, theirs);
                compare(types[f], types[t], in, code, theirs);
            }
        }
    }
}

static void the_classic_model_has_bytes_without_sign(void **state)
{
    for (int i = 0; i < 256; i++) {
        unsigned char in = (unsigned char)i, theirs, ours;

        assert_int_equal(peer_put(NC_UBYTE, NC_BYTE, 1, &in, &theirs), NC_NOERR);
        assert_int_equal(cel_converter_classic(NC_UBYTE, NC_BYTE)(&ours, &in, 1), 0);
        assert_int_equal(ours, theirs);
        assert_int_equal(peer_get(NC_BYTE, NC_UBYTE, 1, &in, &theirs), NC_NOERR);
        assert_int_equal(cel_converter_classic(NC_BYTE, NC_UBYTE)(&ours, &in, 1), 0);
        assert_int_equal(ours, theirs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_converts_as_in_netcdf_c),
        cmocka_unit_test(the_classic_model_has_bytes_without_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
