/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that grow up to a maximum and keep what they had when they cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "buf.h"
#include "mem.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

static void bytes_are_appended(void **state)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);
    char *text;

    assert_int_equal(cel_buf_puts(&b, "t2m"), CEL_OK);
    assert_int_equal(cel_buf_add(&b, ": \0x", 2), CEL_OK);
    assert_int_equal(cel_buf_printf(&b, "%d of %s", 3, "ten"), CEL_OK);
    assert_int_equal(b.len, 13);
    assert_int_equal(cel_buf_take_string(&b, &text), CEL_OK);
    assert_string_equal(text, "t2m: 3 of ten");
    assert_null(b.data);
    assert_int_equal(b.len, 0);
    assert_int_equal(cel_buf_puts(&b, "again"), CEL_OK);
    cel_buf_dispose(&b);
    free(text);
}

static void the_maximum_holds(void **state)
{
    struct cel_buf b = CEL_BUF_INIT(100);
    char block[101] = {0};

    assert_int_equal(cel_buf_add(&b, block, 100), CEL_OK);
    assert_int_equal(cel_buf_add(&b, block, 1), NC_ENOMEM);
    assert_int_equal(cel_buf_add(&b, block, SIZE_MAX), NC_ENOMEM);
    assert_int_equal(b.len, 100);
    assert_int_equal(cel_buf_printf(&b, "x"), NC_ENOMEM);
    assert_int_equal(cel_buf_resize(&b, 101), NC_ENOMEM);
    assert_int_equal(cel_buf_resize(&b, 50), CEL_OK);
    assert_int_equal(b.len, 50);
    cel_buf_dispose(&b);
}

static void growth_keeps_the_bytes(void **state)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 24);

    for (int i = 0; i < 100000; i++)
        assert_int_equal(cel_buf_add(&b, &i, sizeof i), CEL_OK);
    for (int i = 0; i < 100000; i++)
        assert_memory_equal(b.data + i * (int)sizeof i, &i, sizeof i);
    cel_buf_dispose(&b);
}

static void no_memory_leaves_the_buffer(void **state)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);
    char *text = NULL;

    assert_int_equal(cel_buf_reserve(&b, 4), CEL_OK);
    assert_int_equal(cel_buf_resize(&b, b.cap), CEL_OK);
    memset(b.data, 'k', b.len);
    cel_mem_fail_at(1);
    assert_int_equal(cel_buf_take_string(&b, &text), NC_ENOMEM);
    cel_mem_fail_at(0);
    assert_null(text);
    assert_int_equal(b.data[0], 'k');
    cel_buf_dispose(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_appended),
        cmocka_unit_test(the_maximum_holds),
        cmocka_unit_test(growth_keeps_the_bytes),
        cmocka_unit_test(no_memory_leaves_the_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
