/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups, define mode, and what a format cannot keep. */
#include "model_test.h"

static void paths_lead_to_groups(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *a, *b, *found;
    struct cel_buf path = CEL_BUF_INIT(1000);
    char *text;

    OK(cel_group_def(ds->root, "a", &a));
    OK(cel_group_def(a, "b", &b));
    assert_int_equal(b->id, 2);
    assert_ptr_equal(cel_dataset_group(ds, 2), b);
    assert_null(cel_dataset_group(ds, 3));
    assert_null(cel_dataset_group(ds, -1));
    OK(cel_group_path(b, &path));
    OK(cel_buf_take_string(&path, &text));
    assert_string_equal(text, "/a/b");
    free(text);
    OK(cel_group_by_path(b, "/a/b", &found));
    assert_ptr_equal(found, b);
    OK(cel_group_by_path(a, "b/", &found));
    assert_ptr_equal(found, b);
    OK(cel_group_by_path(b, "/", &found));
    assert_ptr_equal(found, ds->root);
    FAILS(cel_group_by_path(b, "/a/c", &found), NC_ENOGRP);
    FAILS(cel_group_by_path(b, "b", &found), NC_ENOGRP);
    OK(cel_group_path(ds->root, &path));
    OK(cel_buf_take_string(&path, &text));
    assert_string_equal(text, "/");
    free(text);
    cel_dataset_free(ds);
}

static void groups_variables_and_types_share_names(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g, *h;
    struct cel_type *type;
    struct cel_var *var;
    const struct cel_type *ints = cel_type_atomic(NC_INT);

    OK(cel_group_def(ds->root, "g", &g));
    FAILS(cel_group_def(ds->root, "g", &h), NC_ENAMEINUSE);
    FAILS(cel_var_def(ds->root, "g", ints, 0, NULL, &var), NC_ENAMEINUSE);
    FAILS(cel_type_def_opaque(ds->root, 4, "g", &type), NC_ENAMEINUSE);
    OK(cel_var_def(ds->root, "v", ints, 0, NULL, &var));
    FAILS(cel_group_def(ds->root, "v", &h), NC_ENAMEINUSE);
    FAILS(cel_group_rename(g, "v"), NC_ENAMEINUSE);
    FAILS(cel_var_rename(var, "g"), NC_ENAMEINUSE);
    dim_of(ds->root, "d", 3);
    OK(cel_group_def(ds->root, "d", &h)); /* dimensions have names of their own */
    cel_dataset_free(ds);
}

static void some_formats_have_one_namespace(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g;
    struct cel_type *type;
    struct cel_dim *dim;

    ds->features |= CEL_ONE_NAMESPACE;
    dim = dim_of(ds->root, "d", 3);
    FAILS(cel_group_def(ds->root, "d", &g), NC_ENAMEINUSE);
    FAILS(cel_type_def_opaque(ds->root, 4, "d", &type), NC_ENAMEINUSE);
    var_of(ds->root, "d", NC_INT, 0, NULL);
    OK(cel_group_def(ds->root, "g", &g));
    OK(cel_type_def_opaque(ds->root, 4, "t", &type));
    FAILS(cel_dim_def(ds->root, "g", 3, false, &dim), NC_ENAMEINUSE);
    FAILS(cel_dim_rename(dim, "t"), NC_ENAMEINUSE);
    FAILS(cel_group_rename(g, "d"), NC_ENAMEINUSE);
    cel_dataset_free(ds);
}

static void a_group_is_renamed(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g;

    OK(cel_group_def(ds->root, "g", &g));
    saved(ds);
    OK(cel_group_rename(g, "h"));
    assert_int_equal(g->saved, CEL_CHANGED);
    assert_string_equal(g->saved_name, "g");
    assert_ptr_equal(cel_group_find(ds->root, "h"), g);
    assert_null(cel_group_find(ds->root, "g"));
    OK(cel_group_rename(g, "i"));
    assert_string_equal(g->saved_name, "g");
    OK(cel_group_rename(g, "g"));
    assert_null(g->saved_name);
    FAILS(cel_group_rename(ds->root, "x"), NC_EBADGRPID);
    FAILS(cel_group_rename(g, "a/b"), NC_EBADNAME);
    ds->writable = false;
    FAILS(cel_group_rename(g, "a/b"), NC_EPERM);
    cel_dataset_free(ds);
}

static void the_classic_model_has_no_groups(void **state)
{
    struct cel_dataset *ds = dataset(NC_CLASSIC_MODEL);
    struct cel_group *g;

    FAILS(cel_group_def(ds->root, "g/", &g), NC_EBADNAME);
    FAILS(cel_group_def(ds->root, "g", &g), NC_ESTRICTNC3);
    cel_dataset_free(ds);
}

static void modes_change_by_themselves_or_not(void **state)
{
    struct cel_dataset *ds = dataset(0), *strict = dataset(NC_CLASSIC_MODEL);

    OK(cel_mode_redef(ds));
    FAILS(cel_mode_redef(strict), NC_EINDEFINE);
    saved(ds);
    saved(strict);
    FAILS(cel_mode_check_enddef(ds), NC_ENOTINDEFINE);
    OK(cel_mode_define(ds));
    assert_true(ds->defining);
    FAILS(cel_mode_define(strict), NC_ENOTINDEFINE);
    OK(cel_mode_redef(strict));
    OK(cel_mode_define(strict));
    ds->writable = false;
    ds->defining = false;
    FAILS(cel_mode_define(ds), NC_EPERM);
    FAILS(cel_mode_redef(ds), NC_EPERM);
    FAILS(cel_mode_write(ds), NC_EPERM);
    cel_dataset_free(ds);
    cel_dataset_free(strict);
}

static void what_a_format_cannot_keep_is_refused(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g;
    struct cel_type *type;
    struct cel_var *var;
    struct cel_dim *x = dim_of(ds->root, "x", 10), *u = dim_of(ds->root, "u", NC_UNLIMITED), *dim;
    size_t one = 1;

    ds->features = CEL_KEEPS_CONTIGUOUS;
    FAILS(cel_group_def(ds->root, "g", &g), NC_ENOTNC4);
    FAILS(cel_type_def_opaque(ds->root, 4, "o", &type), NC_EBADTYPE);
    FAILS(cel_var_def(ds->root, "v", cel_type_atomic(NC_STRING), 0, NULL, &var), NC_EBADTYPE);
    assert_non_null(strstr(cel_error_text(), "string"));
    FAILS(cel_var_def(ds->root, "v", cel_type_atomic(NC_UINT64), 0, NULL, &var), NC_EBADTYPE);
    FAILS(cel_att_put(ds->root, NULL, "a", cel_type_atomic(NC_UBYTE), 1, "x", NC_UBYTE), NC_EBADTYPE);
    FAILS(cel_dim_def(ds->root, "w", 0, true, &dim), NC_ENOTNC4);
    var = var_of(ds->root, "v", NC_INT, 1, (struct cel_dim *[]){u});
    assert_int_equal(var->layout.storage, CEL_UNKNOWN_STORAGE);
    OK(cel_var_settle(var));
    assert_int_equal(var->layout.storage, CEL_CONTIGUOUS);
    var = var_of(ds->root, "w", NC_INT, 1, (struct cel_dim *[]){x});
    FAILS(cel_var_def(ds->root, "late", cel_type_atomic(NC_INT), 2, (struct cel_dim *[]){x, u}, &var), NC_EUNLIMPOS);
    FAILS(cel_var_set_storage(var, NC_CHUNKED, &one), NC_ENOTNC4);
    FAILS(cel_var_set_storage(var, NC_COMPACT, NULL), NC_ENOTNC4);
    FAILS(cel_var_set_endian(var, NC_ENDIAN_BIG), NC_ENOTNC4);
    OK(cel_var_set_endian(var, NC_ENDIAN_NATIVE));
    ds->features = CEL_KEEPS_CHUNKS;
    FAILS(cel_var_set_storage(var, NC_CONTIGUOUS, NULL), NC_ENOTNC4);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_to_groups),
        cmocka_unit_test(groups_variables_and_types_share_names),
        cmocka_unit_test(some_formats_have_one_namespace),
        cmocka_unit_test(a_group_is_renamed),
        cmocka_unit_test(the_classic_model_has_no_groups),
        cmocka_unit_test(modes_change_by_themselves_or_not),
        cmocka_unit_test(what_a_format_cannot_keep_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
