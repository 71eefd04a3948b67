/* SPDX-License-Identifier: BSD-3-Clause */
/* The name map against a plain list, over thousands of random adds and removes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem.h"
#include "names.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

#define N 3000

static char names[N][16];

static void fill_names(void)
{
    for (int i = 0; i < N; i++)
        snprintf(names[i], sizeof names[i], "name%d", i * 7919 % 100003);
}

static void it_agrees_with_a_list(void **state)
{
    struct cel_names m = {0};
    static char in[N];
    size_t used = 0;
    unsigned seed = 1;

    fill_names();
    for (int step = 0; step < 40000; step++) {
        int i = (int)((seed = seed * 1103515245u + 12345u) >> 8) % N;
        if (in[i]) {
            cel_names_remove(&m, names[i]);
            used--;
        } else {
            assert_int_equal(cel_names_add(&m, names[i], names[i]), CEL_OK);
            used++;
        }
        in[i] = !in[i];
        assert_int_equal(m.used, used);
        if (step % 997 == 0)
            for (int j = 0; j < N; j++)
                assert_ptr_equal(cel_names_find(&m, names[j]), in[j] ? names[j] : NULL);
    }
    cel_names_dispose(&m);
    assert_null(cel_names_find(&m, names[0]));
}

static void an_empty_map_finds_nothing(void **state)
{
    struct cel_names m = {0};

    assert_null(cel_names_find(&m, "x"));
    cel_names_remove(&m, "x");
    assert_int_equal(cel_names_add(&m, "", &m), CEL_OK);
    assert_ptr_equal(cel_names_find(&m, ""), &m);
    cel_names_remove(&m, "x");
    assert_int_equal(m.used, 1);
    cel_names_dispose(&m);
}

static void the_same_name_replaces(void **state)
{
    struct cel_names m = {0};
    int a, b;

    cel_names_add(&m, "x", &a);
    cel_names_add(&m, "x", &b);
    assert_int_equal(m.used, 1);
    assert_ptr_equal(cel_names_find(&m, "x"), &b);
    cel_names_dispose(&m);
}

static void no_memory_leaves_the_map(void **state)
{
    struct cel_names m = {0};
    int i;

    fill_names();
    for (i = 0; i < 4; i++)
        cel_names_add(&m, names[i], names[i]);
    cel_mem_fail_at(1);
    assert_int_equal(cel_names_add(&m, names[4], names[4]), NC_ENOMEM);
    cel_mem_fail_at(0);
    for (i = 0; i < 4; i++)
        assert_ptr_equal(cel_names_find(&m, names[i]), names[i]);
    assert_null(cel_names_find(&m, names[4]));
    cel_names_dispose(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_a_list),
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(the_same_name_replaces),
        cmocka_unit_test(no_memory_leaves_the_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
