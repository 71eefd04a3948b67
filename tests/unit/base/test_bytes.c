/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers have the bytes their order says, at any address and of any width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bytes.h"

static const unsigned char bytes[9] = {0xff, 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
#define AT (bytes + 1) /* not aligned */

static void words_are_read_in_both_orders(void **state)
{
    (void)state;
    assert_int_equal(cel_get_le16(AT), 0x9281);
    assert_int_equal(cel_get_be16(AT), 0x8192);
    assert_int_equal(cel_get_le32(AT), 0xb4a39281);
    assert_int_equal(cel_get_be32(AT), 0x8192a3b4);
    assert_true(cel_get_le64(AT) == 0xf8e7d6c5b4a39281);
    assert_true(cel_get_be64(AT) == 0x8192a3b4c5d6e7f8);
}

static void words_come_back(void **state)
{
    unsigned char to[9];

    (void)state;
#define COMES_BACK(order, bits) \
    memset(to, 0, sizeof to); \
    cel_put_##order##bits(to + 1, cel_get_##order##bits(AT)); \
    assert_memory_equal(to + 1, AT, bits / 8); \
    assert_int_equal(to[0], 0)
    COMES_BACK(le, 16);
    COMES_BACK(be, 16);
    COMES_BACK(le, 32);
    COMES_BACK(be, 32);
    COMES_BACK(le, 64);
    COMES_BACK(be, 64);
}

static void every_width_agrees_with_the_widest(void **state)
{
    unsigned char to[9];

    (void)state;
    for (size_t n = 1; n <= 8; n++) {
        uint64_t mask = n == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * n) - 1;

        assert_true(cel_get_le(AT, n) == (cel_get_le64(AT) & mask));
        assert_true(cel_get_be(AT, n) == cel_get_be64(AT) >> (64 - 8 * n));
        for (int big = 0; big <= 1; big++) {
            memset(to, 0x55, sizeof to);
            cel_put_word(to, cel_get_word(AT, n, big) | ~mask, n, big);
            assert_memory_equal(to, AT, n);
            assert_int_equal(to[n], 0x55);
        }
    }
    assert_int_equal(cel_get_le(AT, 0), 0);
    assert_int_equal(cel_get_be(AT, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read_in_both_orders),
        cmocka_unit_test(words_come_back),
        cmocka_unit_test(every_width_agrees_with_the_widest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
