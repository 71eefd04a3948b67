/* SPDX-License-Identifier: BSD-3-Clause */
/* The quantizing filters: what they note of a variable, and chunks of either byte order. */
#include "common/byte_order.h"
#include "codec.h"
#include "convert.h"
#include "quantize.h"
#include "status.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const unsigned ids[] = {32022, 32023, 32032};
enum { NIDS = 3, N = 1000 };

static struct cel_shape shape_of(size_t size, bool big_endian)
{
    struct cel_shape shape = {.elem_size = size,
                              .kind = CEL_KIND_FLOAT,
                              .big_endian = big_endian,
                              .rank = 1,
                              .dims = {N},
                              .nbytes = N * size};
    return shape;
}

static void run(const struct cel_codec *codec, const struct cel_words *words, const struct cel_shape *shape,
                const void *src, void *dst)
{
    struct cel_coding coding = {.codec = codec, .words = words, .shape = shape};
    unsigned char back[N * 8];
    size_t len = 0;

    assert_int_equal(codec->make_context(words, &coding.context), CEL_OK);
    assert_int_equal(codec->encode(&coding, src, shape->nbytes, dst, shape->nbytes, &len), CEL_OK);
    assert_int_equal(len, shape->nbytes);
    assert_int_equal(codec->decode(&coding, dst, len, back, sizeof back, &len), CEL_OK);
    assert_memory_equal(back, dst, shape->nbytes);
    codec->free_context(coding.context);
}

static void both_byte_orders_give_the_same_values(void **state)
{
    for (int i = 0; i < NIDS; i++) {
        for (size_t size = 4; size <= 8; size += 4) {
            const struct cel_codec *codec = cel_codec_by_id(ids[i]);
            struct cel_shape little = shape_of(size, false), big = shape_of(size, true);
            struct cel_words visible = {1, {5}}, words = visible;
            unsigned char in[N * 8], swapped[N * 8], out[N * 8], from_big[N * 8];

            for (size_t b = 0; b < sizeof in; b++)
                in[b] = (unsigned char)rand();
            little.has_fill = big.has_fill = true;
            memcpy(little.fill, in, size);
            cel_swap_bytes(big.fill, little.fill, 1, size);
            cel_swap_bytes(swapped, in, N, size);

            assert_int_equal(codec->prepare(codec, &visible, &little, &words), CEL_OK);
            run(codec, &words, &little, in, out);
            assert_memory_equal(out, in, size); /* the fill value */
            assert_memory_not_equal(out, in, N * size);
            words = visible;
            assert_int_equal(codec->prepare(codec, &visible, &big, &words), CEL_OK);
            run(codec, &words, &big, swapped, from_big);
            cel_swap_bytes(from_big, from_big, N, size);
            assert_memory_equal(from_big, out, N * size);
        }
    }
}

static void words_are_those_of_the_registered_plugins(void **state)
{
    const double fill = -1234.5678;
    uint64_t bits;

    memcpy(&bits, &fill, sizeof bits);
    for (int i = 0; i < NIDS; i++) {
        const struct cel_codec *codec = cel_codec_by_id(ids[i]);
        struct cel_shape shape = shape_of(8, HOST_IS_BIG);
        struct cel_words visible = {1, {4}}, words = visible, again;

        assert_int_equal(codec->prepare(codec, &visible, &shape, &words), CEL_OK);
        assert_int_equal(words.n, 5);
        assert_memory_equal(words.w, ((uint32_t[]){4, 8, 0, 0, 0}), 5 * sizeof(uint32_t));
        shape.has_fill = true;
        memcpy(shape.fill, &fill, sizeof fill);
        assert_int_equal(codec->prepare(codec, &visible, &shape, &words), CEL_OK);
        assert_memory_equal(words.w, ((uint32_t[]){4, 8, 1, (uint32_t)bits, (uint32_t)(bits >> 32)}),
                            5 * sizeof(uint32_t));
        again = words;
        assert_int_equal(codec->prepare(codec, &words, &shape, &again), CEL_OK);
        assert_memory_equal(again.w, words.w, 5 * sizeof(uint32_t));
        codec->reveal(&words, &visible);
        assert_int_equal(visible.n, 1);
        assert_int_equal(visible.w[0], 4);
    }
    assert_ptr_equal(cel_codec_by_id(37373), cel_codec_by_id(32032));
}

static void wrong_types_and_digits_are_refused(void **state)
{
    for (int i = 0; i < NIDS; i++) {
        const struct cel_codec *codec = cel_codec_by_id(ids[i]);
        struct cel_shape shape = shape_of(4, false);
        struct cel_words visible = {1, {24}}, words = visible;

        assert_int_equal(codec->prepare(codec, &visible, &shape, &words), NC_EFILTER);
        visible.w[0] = 3;
        shape.kind = CEL_KIND_INT;
        assert_int_equal(codec->prepare(codec, &visible, &shape, &words), NC_EFILTER);
        assert_non_null(strstr(cel_error_text(), codec->name));
    }
}

/* numcodecs.BitRound(keepbits=2) of these, computed by numcodecs 0.11. */
static void bitround_ties_to_even_as_numcodecs(void **state)
{
    static const float in[] = {1.125f, 1.375f, 1.625f, 1.875f, -1.125f, 3.14159f, 1e-40f, 0.1f};
    static const float want[] = {1.0f, 1.5f, 1.5f, 2.0f, -1.0f, 3.0f, 0x0p0f, 0.09375f};
    const struct cel_codec *codec = cel_codec_by_id(32032);
    struct cel_shape shape = {
        .elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {8}, .nbytes = sizeof in, .big_endian = HOST_IS_BIG};
    struct cel_words visible = {1, {2}}, words = visible;
    float out[8];

    assert_int_equal(codec->prepare(codec, &visible, &shape, &words), CEL_OK);
    run(codec, &words, &shape, in, out);
    assert_memory_equal(out, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_byte_orders_give_the_same_values),
        cmocka_unit_test(words_are_those_of_the_registered_plugins),
        cmocka_unit_test(wrong_types_and_digits_are_refused),
        cmocka_unit_test(bitround_ties_to_even_as_numcodecs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
