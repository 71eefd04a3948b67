/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked sizes, and the hook that makes one allocation fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

static void sizes_that_do_not_fit_are_refused(void **state)
{
    size_t out;

    assert_true(cel_mul(3, 4, &out));
    assert_int_equal(out, 12);
    assert_false(cel_mul(SIZE_MAX / 2, 3, &out));
    assert_false(cel_add(SIZE_MAX, 1, &out));
    assert_null(cel_malloc_array(SIZE_MAX / 2, 3));
    assert_int_equal(cel_error_code(), NC_ENOMEM);
    assert_null(cel_realloc(NULL, SIZE_MAX / 2, 3));
    assert_null(cel_calloc(SIZE_MAX / 2, 3));
}

static void nothing_is_a_valid_pointer(void **state)
{
    void *p[] = {cel_malloc(0), cel_calloc(0, 0), cel_malloc_array(0, 8), cel_realloc(NULL, 0, 8), cel_memdup(NULL, 0)};

    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        assert_non_null(p[i]);
        free(p[i]);
    }
}

static void copies_are_copies(void **state)
{
    char *a = cel_strdup("dimension"), *b = cel_strndup("dimension", 3), *c = cel_memdup("\0x", 2);

    assert_string_equal(a, "dimension");
    assert_string_equal(b, "dim");
    assert_memory_equal(c, "\0x", 2);
    free(a);
    free(b);
    free(c);
}

static void the_nth_allocation_fails_once(void **state)
{
    void *p[4];

    cel_mem_fail_at(3);
    for (int i = 0; i < 4; i++)
        p[i] = cel_malloc(8);
    cel_mem_fail_at(0);
    assert_non_null(p[0]);
    assert_non_null(p[1]);
    assert_null(p[2]);
    assert_non_null(p[3]);
    assert_int_equal(cel_error_code(), NC_ENOMEM);
    assert_non_null(strstr(cel_error_text(), "8 bytes"));
    for (int i = 0; i < 4; i++)
        free(p[i]);
}

static void a_failed_realloc_leaves_the_block(void **state)
{
    char *p = cel_strdup("kept"), *q;

    cel_mem_fail_at(1);
    q = cel_realloc(p, 1000, 1);
    cel_mem_fail_at(0);
    assert_null(q);
    assert_string_equal(p, "kept");
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(nothing_is_a_valid_pointer),
        cmocka_unit_test(copies_are_copies),
        cmocka_unit_test(the_nth_allocation_fails_once),
        cmocka_unit_test(a_failed_realloc_leaves_the_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
