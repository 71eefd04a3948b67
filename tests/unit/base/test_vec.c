/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vec.h"

static void pointers_keep_their_order(void **state)
{
    struct cel_vec v = {0};
    static char at[1000];

    for (int i = 0; i < 1000; i++)
        assert_int_equal(cel_vec_add(&v, at + i), CEL_OK);
    cel_vec_remove(&v, 0);
    cel_vec_remove(&v, 998);
    cel_vec_remove(&v, 500);
    assert_int_equal(v.n, 997);
    assert_ptr_equal(v.at[0], at + 1);
    assert_ptr_equal(v.at[499], at + 500);
    assert_ptr_equal(v.at[500], at + 502);
    assert_ptr_equal(v.at[996], at + 998);
    cel_vec_dispose(&v);
    assert_int_equal(v.n, 0);
}

static void no_memory_leaves_the_list(void **state)
{
    struct cel_vec v = {0};
    int x;

    for (int i = 0; i < 8; i++)
        cel_vec_add(&v, &x);
    cel_mem_fail_at(1);
    assert_int_equal(cel_vec_add(&v, &x), NC_ENOMEM);
    cel_mem_fail_at(0);
    assert_int_equal(v.n, 8);
    cel_vec_dispose(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_keep_their_order),
        cmocka_unit_test(no_memory_leaves_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
