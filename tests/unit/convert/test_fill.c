/* SPDX-License-Identifier: BSD-3-Clause */
#include "convert.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void fills_any_size_and_count(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000, 5001};
    unsigned char value[40];

    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (unsigned char)(i * 3 + 1);
    for (size_t size = 1; size <= sizeof value; size++) {
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            unsigned char *d = malloc(size * counts[k] + 1);
            cel_fill(d, value, size, counts[k]);
            for (size_t i = 0; i < counts[k]; i++)
                assert_memory_equal(d + i * size, value, size);
            free(d);
        }
    }
}

static void fills_elements_larger_than_a_block(void **state)
{
    enum { SIZE = 20001, COUNT = 5 };
    unsigned char *value = malloc(SIZE), *d = malloc((size_t)SIZE * COUNT);

    for (size_t i = 0; i < SIZE; i++)
        value[i] = (unsigned char)(i % 251);
    cel_fill(d, value, SIZE, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(d + i * SIZE, value, SIZE);
    free(value);
    free(d);
}

static void defaults_are_netcdf_s(void **state)
{
    assert_true(*(const float *)cel_default_fill(NC_FLOAT) == NC_FILL_FLOAT);
    assert_true(*(const double *)cel_default_fill(NC_DOUBLE) == NC_FILL_DOUBLE);
    assert_true(*(const signed char *)cel_default_fill(NC_BYTE) == NC_FILL_BYTE);
    assert_true(*(const unsigned long long *)cel_default_fill(NC_UINT64) == NC_FILL_UINT64);
    assert_int_equal(*(const char *)cel_default_fill(NC_CHAR), 0);
    assert_string_equal(*(const char *const *)cel_default_fill(NC_STRING), "");
    assert_null(cel_default_fill(NC_NAT));
    assert_null(cel_default_fill(NC_COMPOUND));
    assert_null(cel_default_fill(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_any_size_and_count),
        cmocka_unit_test(fills_elements_larger_than_a_block),
        cmocka_unit_test(defaults_are_netcdf_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
