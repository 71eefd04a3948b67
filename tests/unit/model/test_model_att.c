/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: conversion, fill values, modes, reserved names, renames, removal. */
#include "model_test.h"

static int put_int(struct cel_dataset *ds, struct cel_var *var, const char *name, nc_type type, int value)
{
    return cel_att_put(ds->root, var, name, cel_type_by_id(ds, type), 1, &value, NC_INT);
}

static int put_text(struct cel_dataset *ds, struct cel_var *var, const char *name, const char *text)
{
    return cel_att_put(ds->root, var, name, cel_type_atomic(NC_CHAR), strlen(text), text, NC_CHAR);
}

static void values_are_converted(void **state)
{
    struct cel_dataset *ds = dataset(0);
    const struct cel_att *att;
    const double big = 1e30;
    int back = 0;
    double wide;
    char text[8] = "";

    OK(put_int(ds, NULL, "i", NC_SHORT, 300));
    att = cel_att_find(&ds->root->atts, "i");
    assert_int_equal(*(short *)att->data, 300);
    OK(cel_att_get(ds, att, &wide, NC_DOUBLE));
    assert_true(wide == 300);
    FAILS(cel_att_get(ds, att, &back, NC_BYTE), NC_ERANGE);
    FAILS(cel_att_get(ds, att, text, NC_CHAR), NC_ECHAR);
    FAILS(cel_att_get(ds, att, &back, NC_STRING), NC_EBADTYPE);
    FAILS(cel_att_put(ds->root, NULL, "e", cel_type_atomic(NC_INT), 1, &big, NC_DOUBLE), NC_ERANGE);
    assert_non_null(cel_att_find(&ds->root->atts, "e")); /* stored all the same */
    FAILS(put_int(ds, NULL, "c", NC_CHAR, 1), NC_ECHAR);
    FAILS(put_int(ds, NULL, "c", NC_STRING, 1), NC_ECHAR);
    FAILS(put_int(ds, NULL, "c", 99, 1), NC_EBADTYPID);
    FAILS(cel_att_put(ds->root, NULL, "c", cel_type_atomic(NC_INT), 1, NULL, NC_INT), NC_EINVAL);
    FAILS(cel_att_put(ds->root, NULL, "c", cel_type_atomic(NC_INT), SIZE_MAX, &back, NC_INT), NC_EINVAL);
    assert_null(cel_att_find(&ds->root->atts, "c"));
    OK(put_text(ds, NULL, "t", "abc"));
    OK(cel_att_get(ds, cel_att_find(&ds->root->atts, "t"), text, NC_CHAR));
    assert_string_equal(text, "abc");
    FAILS(cel_att_get(ds, cel_att_find(&ds->root->atts, "t"), &back, NC_INT), NC_ECHAR);
    OK(cel_att_put(ds->root, NULL, "none", cel_type_atomic(NC_INT), 0, NULL, NC_INT));
    assert_int_equal(cel_att_find(&ds->root->atts, "none")->n, 0);
    cel_dataset_free(ds);
}

static void strings_and_enums(void **state)
{
    struct cel_dataset *ds = dataset(0);
    const char *words[] = {"sea", NULL, "land"};
    char *back[3];
    struct cel_type *e;
    const signed char two = 2;
    int number;

    OK(cel_att_put(ds->root, NULL, "s", cel_type_atomic(NC_STRING), 3, words, NC_STRING));
    OK(cel_att_get(ds, cel_att_find(&ds->root->atts, "s"), back, NC_STRING));
    assert_string_equal(back[0], "sea");
    assert_null(back[1]);
    assert_string_equal(back[2], "land");
    cel_value_reclaim(cel_type_atomic(NC_STRING), back, 3);
    FAILS(cel_att_get(ds, cel_att_find(&ds->root->atts, "s"), back, NC_INT), NC_EBADTYPE);
    OK(cel_type_def_enum(ds->root, NC_BYTE, "e", &e));
    OK(cel_type_insert_member(e, "two", &two));
    OK(put_int(ds, NULL, "en", e->id, 2));
    OK(cel_att_get(ds, cel_att_find(&ds->root->atts, "en"), &number, NC_INT));
    assert_int_equal(number, 2);
    cel_dataset_free(ds);
}

static void fill_values_have_rules(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL);
    struct cel_var *s = var_of(ds->root, "s", NC_STRING, 0, NULL);
    const int two[] = {1, 2};
    const char *text = "none";

    FAILS(cel_att_put(ds->root, v, "_FillValue", cel_type_atomic(NC_INT), 2, two, NC_INT), NC_EINVAL);
    FAILS(cel_att_put(ds->root, v, "_FillValue", cel_type_atomic(NC_FLOAT), 2, two, NC_INT), NC_EINVAL);
    FAILS(put_int(ds, v, "_FillValue", NC_FLOAT, 5), NC_EBADTYPE);
    FAILS(put_text(ds, v, "_FillValue", "a"), NC_EBADTYPE);
    assert_int_equal(*(const int *)cel_var_fill_value(v), NC_FILL_INT);
    OK(put_int(ds, v, "_FillValue", NC_INT, 5));
    assert_int_equal(*(const int *)cel_var_fill_value(v), 5);
    OK(cel_att_del(ds->root, v, "_FillValue"));
    assert_int_equal(*(const int *)cel_var_fill_value(v), 5);
    OK(cel_att_put(ds->root, NULL, "_FillValue", cel_type_atomic(NC_INT), 2, two, NC_INT));
    OK(cel_att_put(ds->root, s, "_FillValue", cel_type_atomic(NC_STRING), 1, &text, NC_STRING));
    assert_string_equal(*(char *const *)cel_var_fill_value(s), "none");
    saved(ds);
    OK(put_int(ds, v, "_FillValue", NC_INT, 5)); /* the variable has no data yet */
    cel_mode_settle_fill(ds->root);
    FAILS(put_int(ds, v, "_FillValue", NC_INT, 5), NC_ELATEFILL);
    cel_dataset_free(ds);
}

static void the_fill_value_of_a_variable_without_data_may_change(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL);

    v->saved = CEL_SAVED;
    OK(put_int(ds, v, "_FillValue", NC_INT, 5));
    assert_true(v->fill.changed);
    assert_int_equal(v->saved, CEL_CHANGED);
    cel_dataset_free(ds);
}

static void reserved_names_are_refused(void **state)
{
    static const char *const names[] = {"_NCProperties", "CLASS", "NAME", "DIMENSION_LIST", "_Netcdf4Dimid", "_Format"};
    struct cel_dataset *ds = dataset(0);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL);

    OK(put_int(ds, NULL, "plain", NC_INT, 1));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        FAILS(put_int(ds, NULL, names[i], NC_INT, 1), NC_ENAMEINUSE);
        FAILS(put_int(ds, v, names[i], NC_INT, 1), NC_ENAMEINUSE);
        FAILS(cel_att_rename(ds->root, NULL, "plain", names[i]), NC_ENAMEINUSE);
    }
    cel_dataset_free(ds);
}

static void the_classic_model_defines_in_define_mode(void **state)
{
    struct cel_dataset *ds = dataset(NC_CLASSIC_MODEL);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL);

    FAILS(put_int(ds, v, "a", NC_INT64, 1), NC_ESTRICTNC3);
    FAILS(put_int(ds, v, "_FillValue", NC_INT64, 1), NC_ESTRICTNC3);
    OK(put_int(ds, v, "a", NC_INT, 1));
    OK(put_text(ds, v, "t", "abc"));
    saved(ds);
    FAILS(cel_att_rename(ds->root, v, "a", "aa"), NC_ENOTINDEFINE);
    OK(cel_att_rename(ds->root, v, "a", "b"));
    FAILS(cel_att_rename(ds->root, v, "none", "t"), NC_ENAMEINUSE);
    FAILS(cel_att_rename(ds->root, v, "none", "u"), NC_ENOTATT);
    FAILS(cel_att_rename(ds->root, v, "b", "b"), NC_ENAMEINUSE);
    FAILS(cel_att_del(ds->root, v, "none"), NC_ENOTINDEFINE);
    FAILS(put_text(ds, v, "t", "abcd"), NC_ENOTINDEFINE);
    OK(put_text(ds, v, "t", "abd"));
    OK(put_text(ds, v, "t", "ab"));
    FAILS(put_text(ds, v, "t", "abd"), NC_ENOTINDEFINE);
    FAILS(put_int(ds, v, "t", NC_INT, 1), NC_ENOTINDEFINE);
    FAILS(put_int(ds, v, "n", NC_INT64, 1), NC_ENOTINDEFINE);
    FAILS(put_text(ds, v, "n/", "x"), NC_EBADNAME);
    FAILS(put_text(ds, v, "_NCProperties", "x"), NC_ENAMEINUSE);
    cel_dataset_free(ds);
}

static void netcdf4_enters_define_mode_when_needed(void **state)
{
    struct cel_dataset *ds = dataset(0);

    OK(put_text(ds, NULL, "t", "abc"));
    saved(ds);
    OK(put_text(ds, NULL, "t", "abd"));
    assert_false(ds->defining);
    OK(put_text(ds, NULL, "t", "abde"));
    assert_true(ds->defining);
    ds->writable = false;
    FAILS(put_text(ds, NULL, "q/", "abde"), NC_EPERM);
    FAILS(cel_att_rename(ds->root, NULL, "t", "r/"), NC_EPERM);
    FAILS(cel_att_del(ds->root, NULL, "none"), NC_EPERM);
    cel_dataset_free(ds);
}

static void the_container_learns_what_to_drop(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_atts *atts = &ds->root->atts;

    OK(put_int(ds, NULL, "a", NC_INT, 1));
    OK(put_int(ds, NULL, "b", NC_INT, 2));
    OK(put_int(ds, NULL, "c", NC_INT, 3));
    saved(ds);
    OK(put_int(ds, NULL, "new", NC_INT, 4));
    OK(cel_att_del(ds->root, NULL, "new"));
    assert_int_equal(atts->removed.n, 0);
    OK(cel_att_rename(ds->root, NULL, "a", "z"));
    assert_string_equal(cel_att_find(atts, "z")->saved_name, "a");
    OK(cel_att_del(ds->root, NULL, "z"));
    OK(cel_att_del(ds->root, NULL, "b"));
    assert_int_equal(atts->removed.n, 2);
    assert_string_equal(atts->removed.at[0], "a");
    assert_string_equal(atts->removed.at[1], "b");
    assert_int_equal(atts->list.n, 1);
    assert_null(cel_att_find(atts, "b"));
    assert_null(cel_att_find(atts, "z"));
    FAILS(cel_att_del(ds->root, NULL, "b"), NC_ENOTATT);
    OK(put_int(ds, NULL, "b", NC_INT, 5));
    assert_int_equal(cel_att_find(atts, "b")->saved, CEL_NEW);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_converted),
        cmocka_unit_test(strings_and_enums),
        cmocka_unit_test(fill_values_have_rules),
        cmocka_unit_test(the_fill_value_of_a_variable_without_data_may_change),
        cmocka_unit_test(reserved_names_are_refused),
        cmocka_unit_test(the_classic_model_defines_in_define_mode),
        cmocka_unit_test(netcdf4_enters_define_mode_when_needed),
        cmocka_unit_test(the_container_learns_what_to_drop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
