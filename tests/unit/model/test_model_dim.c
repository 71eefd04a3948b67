/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions: lengths, unlimited ones, who sees them, renames. */
#include "model_test.h"

static void ids_are_unique_in_the_dataset(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g;
    struct cel_dim *x, *gx;

    OK(cel_group_def(ds->root, "g", &g));
    x = dim_of(ds->root, "x", 3);
    gx = dim_of(g, "x", 4);
    assert_int_equal(gx->id, 1);
    assert_ptr_equal(cel_dim_by_id(ds, 1), gx);
    assert_null(cel_dim_by_id(ds, 2));
    assert_null(cel_dim_by_id(ds, -1));
    assert_ptr_equal(cel_dim_find(g, "x"), gx);
    OK(cel_dim_rename(gx, "y"));
    assert_ptr_equal(cel_dim_find(g, "x"), x); /* inherited */
    assert_null(cel_dim_find(ds->root, "y"));
    cel_dataset_free(ds);
}

static void definitions_are_checked(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 3), *dim;

    FAILS(cel_dim_def(ds->root, "x", 3, false, &dim), NC_ENAMEINUSE);
    FAILS(cel_dim_def(ds->root, "x/", 3, false, &dim), NC_EBADNAME);
    dim_of(ds->root, "u", NC_UNLIMITED);
    dim_of(ds->root, "u2", NC_UNLIMITED);
    FAILS(cel_dim_rename(x, "x"), NC_ENAMEINUSE);
    FAILS(cel_dim_rename(x, "u"), NC_ENAMEINUSE);
    FAILS(cel_dim_rename(x, "q/"), NC_EBADNAME);
    FAILS(cel_dim_rename(x, NULL), NC_EINVAL);
    saved(ds);
    ds->writable = false;
    FAILS(cel_dim_def(ds->root, "x/", 3, false, &dim), NC_EPERM);
    FAILS(cel_dim_rename(x, "q/"), NC_EPERM);
    cel_dataset_free(ds);
}

static void the_classic_model_has_limits(void **state)
{
    struct cel_dataset *ds = dataset(NC_CLASSIC_MODEL);
    struct cel_dim *u = dim_of(ds->root, "u", NC_UNLIMITED), *dim;

    FAILS(cel_dim_def(ds->root, "u", 0, true, &dim), NC_EUNLIMIT);
    FAILS(cel_dim_def(ds->root, "b", (size_t)1 << 32, false, &dim), NC_EDIMSIZE);
    OK(cel_dim_def(ds->root, "b", ((size_t)1 << 32) - 1, false, &dim));
    saved(ds);
    FAILS(cel_dim_def(ds->root, "d/", 3, false, &dim), NC_ENOTINDEFINE);
    FAILS(cel_dim_def(ds->root, "v", 0, true, &dim), NC_EUNLIMIT);
    OK(cel_dim_rename(u, "longer"));
    cel_dataset_free(ds);
}

static void classic_formats_have_theirs(void **state)
{
    static const struct {
        int format;
        unsigned long long longest;
    } cases[] = {
        {NC_FORMAT_CLASSIC, 2147483644u},
        {NC_FORMAT_64BIT_OFFSET, 4294967292u},
        {NC_FORMAT_64BIT_DATA, 18446744073709551612u},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cel_dataset *ds = dataset(0);
        struct cel_dim *dim;
        ds->format = cases[i].format;
        OK(cel_dim_def(ds->root, "a", cases[i].longest, false, &dim));
        FAILS(cel_dim_def(ds->root, "b", cases[i].longest + 1, false, &dim), NC_EDIMSIZE);
        cel_dataset_free(ds);
    }
}

static void renames_make_and_break_coordinate_variables(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 3), *y = dim_of(ds->root, "y", 4);
    struct cel_var *vx = var_of(ds->root, "x", NC_INT, 1, &x);
    struct cel_var *w = var_of(ds->root, "w", NC_INT, 2, (struct cel_dim *[]){y, x});

    assert_ptr_equal(x->coord, vx);
    assert_null(y->coord);
    saved(ds);
    OK(cel_dim_rename(x, "z"));
    assert_null(x->coord);
    assert_int_equal(x->saved, CEL_CHANGED);
    assert_string_equal(x->saved_name, "x");
    assert_int_equal(vx->saved, CEL_CHANGED);
    OK(cel_dim_rename(y, "w"));
    assert_ptr_equal(y->coord, w);
    assert_int_equal(w->saved, CEL_CHANGED);
    OK(cel_var_rename(vx, "z"));
    assert_ptr_equal(x->coord, vx);
    assert_string_equal(vx->saved_name, "x");
    OK(cel_dim_rename(x, "x"));
    assert_null(x->saved_name);
    assert_null(x->coord);
    cel_dataset_free(ds);
}

static void a_dimension_may_take_the_name_of_a_variable(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL);
    struct cel_dim *dim;

    saved(ds);
    dim = dim_of(ds->root, "v", 3);
    assert_null(dim->coord);
    assert_int_equal(v->saved, CEL_CHANGED); /* it may need another name in the file */
    cel_dataset_free(ds);
}

static void ids_from_files_are_bounded(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *dim;

    OK(cel_dim_add(ds->root, "a", 3, false, 5, &dim));
    assert_null(cel_dim_by_id(ds, 4));
    FAILS(cel_dim_add(ds->root, "b", 3, false, 5, &dim), NC_EDIMMETA);
    FAILS(cel_dim_add(ds->root, "b", 3, false, 2000000000, &dim), NC_EMAXDIMS);
    FAILS(cel_dim_add(ds->root, "a", 3, false, -1, &dim), NC_ENAMEINUSE);
    OK(cel_dim_add(ds->root, "b", 3, true, -1, &dim));
    assert_int_equal(dim->id, 6);
    assert_int_equal(dim->saved, CEL_SAVED);
    assert_int_equal(dim->len, 3);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_unique_in_the_dataset),
        cmocka_unit_test(definitions_are_checked),
        cmocka_unit_test(the_classic_model_has_limits),
        cmocka_unit_test(classic_formats_have_theirs),
        cmocka_unit_test(renames_make_and_break_coordinate_variables),
        cmocka_unit_test(a_dimension_may_take_the_name_of_a_variable),
        cmocka_unit_test(ids_from_files_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
