/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and values that libhdf5 1.10 cannot write, or no longer does: by their bytes. */
#include "h5_read_int.h"
#include "h5_test.h"
#include <math.h>

static struct cel_h5r_datatype *decode(const unsigned char *p, size_t n)
{
    struct cel_h5r_datatype *t = NULL;

    assert_int_equal(cel_h5r_datatype_decode(p, n, &t), CEL_OK);
    return t;
}

/* A float: position and size of exponent and mantissa, bias, sign and normalisation. */
#define FLOAT(version, size, sign, norm, ex_at, ex_n, man_at, man_n, bias, precision) \
    (version) << 4 | 1, (norm) << 4, (sign), 0, (size), 0, 0, 0, 0, 0, (precision), 0, (ex_at), (ex_n), (man_at), \
        (man_n), (bias)&255, (bias) >> 8 & 255, 0, 0
#define BFLOAT16 FLOAT(5, 2, 15, 2, 7, 8, 0, 7, 127, 16)
#define DOUBLE FLOAT(1, 8, 63, 2, 52, 11, 0, 52, 1023, 64)
#define X87 FLOAT(1, 16, 79, 0, 64, 15, 0, 64, 16383, 80)

static double value_of(const unsigned char *type, size_t ntype, const unsigned char *bytes, size_t n)
{
    struct cel_h5r_datatype *t = decode(type, ntype);
    const struct cel_type *to = cel_type_atomic(NC_DOUBLE);
    double v = 0;

    assert_int_equal(cel_h5r_values_read(NULL, t, to, (struct cel_h5_bytes){.p = bytes, .n = n}, 1, NULL, &v), CEL_OK);
    cel_h5r_datatype_free(t);
    return v;
}

static void floats_of_any_form_are_read(void **state)
{
    static const unsigned char bfloat[] = {BFLOAT16}, x87[] = {X87};

    (void)state;
#define BF(...) value_of(bfloat, sizeof bfloat, (const unsigned char[]){__VA_ARGS__}, 2)
    assert_true(BF(0x80, 0x3f) == 1.0);
    assert_true(BF(0x20, 0xc0) == -2.5);
    assert_true(BF(0x80, 0x7f) == INFINITY);
    assert_true(BF(0x80, 0xff) == -INFINITY);
    assert_true(isnan(BF(0xc0, 0x7f)));
    assert_true(BF(0x01, 0x00) == ldexp(1, -133));
    assert_true(BF(0x00, 0x80) == 0 && signbit(BF(0x00, 0x80)));
#define LD(...) value_of(x87, sizeof x87, (const unsigned char[16]){__VA_ARGS__}, 16)
    assert_true(LD(0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f) == 1.0);
    assert_true(LD(0, 0, 0, 0, 0, 0, 0, 0xc0, 0x00, 0xc0) == -3.0);
    assert_true(LD(0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x7f) == INFINITY);
    assert_true(isnan(LD(0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x7f)));
    assert_true(LD(0xab, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xfd, 0x3f) == 1.0 / 3);
}

static void complex_numbers_are_a_compound(void **state)
{
    static const unsigned char message[] = {5 << 4 | 11, 1, 0, 0, 16, 0, 0, 0, DOUBLE};
    struct cel_h5r_datatype *t = decode(message, sizeof message);

    (void)state;
    assert_int_equal(t->klass, CEL_H5R_COMPOUND);
    assert_int_equal(t->nparts, 2);
    assert_string_equal(t->part[0].name, "r");
    assert_string_equal(t->part[1].name, "i");
    assert_int_equal(t->part[1].offset, 8);
    assert_int_equal(t->part[1].type->klass, CEL_H5R_FLOAT);
    cel_h5r_datatype_free(t);
}

/* Version 1 has no arrays of its own: a member of a compound says that it is one. */
static void the_oldest_compounds_have_arrays(void **state)
{
    static const unsigned char message[] = {
        1 << 4 | 6, 2, 0, 0, 26, 0, 0, 0,
        /* name, offset, rank, permutation and lengths, type: int16[2][3] */
        'a', 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 1 << 4, 8, 0, 0, 2, 0, 0, 0, 0, 0, 16, 0,
        /* a name of 8 bytes takes 16 with its end: int8 */
        'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 0, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 4, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0};
    struct cel_h5r_datatype *t = decode(message, sizeof message);

    (void)state;
    assert_int_equal(t->nparts, 2);
    assert_int_equal(t->part[0].type->klass, CEL_H5R_ARRAY);
    assert_int_equal(t->part[0].type->ndims, 2);
    assert_int_equal(t->part[0].type->dims[1], 3);
    assert_int_equal(cel_h5r_array_length(t->part[0].type), 6);
    assert_string_equal(t->part[1].name, "bcdefghi");
    assert_int_equal(t->part[1].offset, 25);
    assert_true(cel_h5r_datatype_equal(t, t));
    cel_h5r_datatype_free(t);
}

/* Cut at any byte, and with any byte changed: an answer, and no more memory than that takes. */
static void damaged_messages_are_no_types(void **state)
{
    static const unsigned char good[] = {3 << 4 | 6, 2, 0, 0,  24, 0, 0, 0,      'c', 0, 0,  5 << 4 | 11,
                                         1,          0, 0, 16, 0,  0, 0, DOUBLE, 'e', 0, 16, 3 << 4 | 8,
                                         1,          0, 0, 1,  0,  0, 0, 3 << 4, 8,   0, 0,  1,
                                         0,          0, 0, 0,  0,  8, 0, 'o',    'n', 0, 1};
    unsigned char bad[sizeof good];
    struct cel_h5r_datatype *t = decode(good, sizeof good);

    (void)state;
    cel_h5r_datatype_free(t);
    for (size_t n = 0; n < sizeof good; n++) {
        assert_int_equal(cel_h5r_datatype_decode(good, n, &t), NC_EHDFERR);
        assert_null(t);
    }
    for (size_t i = 0; i < sizeof good; i++)
        for (unsigned flip = 1; flip < 256; flip++) {
            memcpy(bad, good, sizeof good);
            bad[i] ^= (unsigned char)flip;
            if (cel_h5r_datatype_decode(bad, sizeof bad, &t) == CEL_OK)
                cel_h5r_datatype_free(t);
        }
}

/* Variable-length types of variable-length types, and so on. */
static void depth_has_an_end(void **state)
{
    unsigned char message[8 * 40];
    struct cel_h5r_datatype *t;

    (void)state;
    for (size_t i = 0; i < sizeof message; i += 8)
        memcpy(message + i, (const unsigned char[8]){1 << 4 | 9, 0, 0, 0, 16, 0, 0, 0}, 8);
    assert_int_equal(cel_h5r_datatype_decode(message, sizeof message, &t), CEL_ASK_LIBHDF5);
    assert_null(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_of_any_form_are_read),
        cmocka_unit_test(complex_numbers_are_a_compound),
        cmocka_unit_test(the_oldest_compounds_have_arrays),
        cmocka_unit_test(damaged_messages_are_no_types),
        cmocka_unit_test(depth_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
