/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters of a variable: their order, what forces chunks, what is refused. */
#include "model_test.h"

static int add(struct cel_var *var, unsigned id, size_t n, const unsigned *words)
{
    struct cel_step step;
    int rc = cel_step_make(id, n, words, &step);

    return rc == CEL_OK ? cel_var_add_filter(var, &step) : rc;
}

static void check_order(const struct cel_var *var, size_t n, const unsigned *ids)
{
    assert_int_equal(var->chain.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(var->chain.step[i].id, ids[i]);
}

static void checksum_and_shuffle_go_first(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 100);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 1, &x);

    OK(add(v, 1, 1, (unsigned[]){5}));
    assert_int_equal(v->layout.storage, CEL_CHUNKED);
    assert_int_equal(v->layout.chunk[0], 100);
    OK(add(v, 2, 0, NULL));
    OK(add(v, 32015, 1, (unsigned[]){3}));
    OK(add(v, 3, 0, NULL));
    check_order(v, 4, (unsigned[]){3, 2, 1, 32015});
    OK(add(v, 1, 1, (unsigned[]){9}));
    check_order(v, 4, (unsigned[]){3, 2, 1, 32015});
    assert_int_equal(v->chain.step[2].visible.w[0], 9);
    FAILS(cel_var_set_storage(v, NC_CONTIGUOUS, NULL), NC_EINVAL);
    cel_dataset_free(ds);
}

static void some_formats_keep_the_order_of_calls(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 100);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 1, &x);

    ds->features |= CEL_FILTERS_AS_CALLED;
    OK(add(v, 1, 1, (unsigned[]){5}));
    OK(add(v, 2, 0, NULL));
    OK(add(v, 3, 0, NULL));
    check_order(v, 3, (unsigned[]){1, 2, 3});
    cel_dataset_free(ds);
}

static void what_cannot_have_filters_is_refused(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 12);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 1, &x), *s = var_of(ds->root, "s", NC_INT, 0, NULL);

    FAILS(add(s, 1, 1, (unsigned[]){5}), NC_EINVAL);
    FAILS(add(v, 4, 2, (unsigned[]){32, 14}), NC_EINVAL);
    OK(add(v, 4, 2, (unsigned[]){32, 12}));
    FAILS(add(v, 1, 1, (unsigned[]){5}), NC_EINVAL);
    ds->features &= ~(unsigned)CEL_KEEPS_FILTERS;
    FAILS(add(v, 2, 0, NULL), NC_ENOTNC4);
    ds->features = CEL_KEEPS_ALL;
    saved(ds);
    FAILS(add(v, 2, 0, NULL), NC_ELATEDEF);
    ds->writable = false;
    FAILS(add(v, 2, 0, NULL), NC_EPERM);
    cel_dataset_free(ds);
}

static void filters_on_strings_are_recorded_with_a_warning(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 12);
    struct cel_var *v = var_of(ds->root, "v", NC_STRING, 1, &x);

    cel_warning_clear();
    OK(add(v, 1, 1, (unsigned[]){5}));
    assert_int_equal(v->chain.n, 1);
    assert_non_null(strstr(cel_warning_text(), "deflate"));
    setenv("CELLAR_STRICT", "1", 1);
    FAILS(add(v, 2, 0, NULL), NC_EFILTER);
    ds->features |= CEL_FILTERS_VARSIZED;
    OK(add(v, 2, 0, NULL));
    unsetenv("CELLAR_STRICT");
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_and_shuffle_go_first),
        cmocka_unit_test(some_formats_keep_the_order_of_calls),
        cmocka_unit_test(what_cannot_have_filters_is_refused),
        cmocka_unit_test(filters_on_strings_are_recorded_with_a_warning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
