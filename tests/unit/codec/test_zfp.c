/* SPDX-License-Identifier: BSD-3-Clause */
/* zfp's accuracy: the bound holds for every value of every chunk, or the chunk is left
 * out (HDF5) or exact (Zarr, and zfpy): beside fill values, NaN and infinities, at
 * tolerances near what the type can hold, in both byte orders. */
#include "common/byte_order.h"
#include "codec.h"
#include "convert.h"
#include "status.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 16 * 16 * 4 };

static struct cel_shape shape_of(size_t size, int rank, bool big_endian)
{
    static const size_t dims[4][3] = {{0}, {N}, {16, N / 16}, {4, 16, 16}};
    struct cel_shape shape = {
        .elem_size = size, .kind = CEL_KIND_FLOAT, .big_endian = big_endian, .rank = rank, .nbytes = N * size};

    memcpy(shape.dims, dims[rank], (size_t)rank * sizeof *dims[rank]);
    return shape;
}

static void set_accuracy(struct cel_words *w, double accuracy)
{
    uint64_t bits;

    memcpy(&bits, &accuracy, sizeof bits);
    *w = (struct cel_words){4, {3, 0, (uint32_t)bits, (uint32_t)(bits >> 32)}};
}

static void store(unsigned char *out, const double *values, const struct cel_shape *shape)
{
    for (size_t i = 0; i < N; i++) {
        float f = (float)values[i];

        memcpy(out + i * shape->elem_size, shape->elem_size == 4 ? (const void *)&f : (const void *)&values[i],
               shape->elem_size);
    }
    if (shape->big_endian != HOST_IS_BIG)
        cel_swap_bytes(out, out, N, shape->elem_size);
}

static double value_at(const unsigned char *p, const struct cel_shape *shape, size_t i)
{
    unsigned char element[8];
    double d;
    float f;

    memcpy(element, p + i * shape->elem_size, shape->elem_size);
    if (shape->big_endian != HOST_IS_BIG)
        cel_swap_bytes(element, element, 1, shape->elem_size);
    memcpy(&f, element, sizeof f);
    memcpy(&d, element, sizeof d);
    return shape->elem_size == 4 ? f : d;
}

static void expect_bound(const unsigned char *was, const unsigned char *is, const struct cel_shape *shape, double bound)
{
    for (size_t i = 0; i < N; i++) {
        double a = value_at(was, shape, i), b = value_at(is, shape, i);

        if (!(fabs(a - b) <= bound) && memcmp(was + i * shape->elem_size, is + i * shape->elem_size, shape->elem_size))
            fail_msg("value %zu, %g, came back as %g: off by more than %g", i, a, b, bound);
    }
}

/* True when the chunk was left out. */
static bool round_trip(const char *name, const struct cel_shape *shape, const double *values, double accuracy,
                       bool maskless)
{
    const struct cel_codec *codec = cel_codec_by_name(name, strlen(name));
    static unsigned char was[N * 8], is[N * 8], encoded[4 * N * 8 + 4096];
    struct cel_words visible, words;
    struct cel_coding coding = {.codec = codec, .words = &words, .shape = shape, .maskless = maskless};
    size_t len = 0, cap;
    int rc;

    set_accuracy(&visible, accuracy);
    words = visible;
    assert_int_equal(codec->prepare(codec, &visible, shape, &words), CEL_OK);
    assert_int_equal(codec->make_context(&words, &coding.context), CEL_OK);
    store(was, values, shape);
    cap = codec->bound(&coding, shape->nbytes);
    assert_true(cap <= sizeof encoded);
    rc = codec->encode(&coding, was, shape->nbytes, encoded, cap, &len);
    if (rc != CEL_SKIP) {
        assert_int_equal(rc, CEL_OK);
        assert_int_equal(codec->decode(&coding, encoded, len, is, sizeof is, &len), CEL_OK);
        assert_int_equal(len, shape->nbytes);
        expect_bound(was, is, shape, accuracy);
    }
    codec->free_context(coding.context);
    return rc == CEL_SKIP;
}

static void each_way(const double *values, double accuracy, bool expect_skip)
{
    for (int rank = 1; rank <= 3; rank++)
        for (size_t size = 4; size <= 8; size += 4)
            for (int big = 0; big < 2; big++) {
                struct cel_shape shape = shape_of(size, rank, big);

                assert_int_equal(round_trip("zfp", &shape, values, accuracy, false), expect_skip);
                assert_false(round_trip("zfp", &shape, values, accuracy, true));
                if (!big)
                    assert_false(round_trip("zfpy", &shape, values, accuracy, false));
            }
}

static void kelvin(double *values)
{
    for (size_t i = 0; i < N; i++)
        values[i] = 280 + 20 * sin((double)i / 50) + (double)(i % 7) / 10;
}

static void plain_fields_are_compressed(void **state)
{
    double values[N];

    kelvin(values);
    each_way(values, 0.01, false);
}

static void a_fill_value_beside_the_data_breaks_no_bound(void **state)
{
    double values[N];

    kelvin(values);
    values[77] = 9.969209968386869e36;
    each_way(values, 0.01, true);
    kelvin(values);
    values[N - 1] = -1e20;
    each_way(values, 0.01, true);
}

static void blocks_of_nothing_but_fill_are_compressed(void **state)
{
    double values[N];

    for (size_t i = 0; i < N; i++)
        values[i] = 9.969209968386869e36;
    each_way(values, 0.01, false);
}

static void values_that_are_not_finite_are_kept(void **state)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    double values[N];

    for (size_t k = 0; k < 3; k++) {
        kelvin(values);
        values[5] = odd[k];
        each_way(values, 0.01, true);
    }
}

static double random_real(void)
{
    return (double)rand() / RAND_MAX * 2 - 1;
}

/* Magnitudes and tolerances that meet around the last bit plane: where zfp's own
 * promise ends, ours goes on. */
static void bounds_hold_at_the_edge_of_the_type(void **state)
{
    int left_out = 0, tried = 0;
    double values[N];

    srand(9);
    for (int round = 0; round < 3000; round++) {
        int spread = rand() % 20, gap = 14 + rand() % 50;
        struct cel_shape shape = shape_of(rand() % 2 ? 4 : 8, 1 + rand() % 3, false);
        double scale = ldexp(1, rand() % 40 - 20);

        for (size_t i = 0; i < N; i++)
            values[i] = scale * ldexp(random_real(), spread ? -(rand() % spread) : 0);
        left_out += round_trip("zfp", &shape, values, scale * ldexp(1, -gap), false);
        round_trip("zfp", &shape, values, scale * ldexp(1, -gap), true);
        tried++;
    }
    assert_true(left_out > 0 && left_out < tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_fields_are_compressed),
        cmocka_unit_test(a_fill_value_beside_the_data_breaks_no_bound),
        cmocka_unit_test(blocks_of_nothing_but_fill_are_compressed),
        cmocka_unit_test(values_that_are_not_finite_are_kept),
        cmocka_unit_test(bounds_hold_at_the_edge_of_the_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
