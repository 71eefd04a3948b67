/* SPDX-License-Identifier: BSD-3-Clause */
/* User types: parts, limits, and when a type can no longer change. */
#include "model_test.h"

static void atomic_types_are_shared(void **state)
{
    struct cel_dataset *ds = dataset(0);

    for (nc_type id = NC_BYTE; id <= NC_STRING; id++) {
        assert_ptr_equal(cel_type_by_id(ds, id), cel_type_atomic(id));
        assert_ptr_equal(cel_type_find(ds->root, cel_type_atomic(id)->name), cel_type_atomic(id));
        assert_int_equal(cel_type_atomic(id)->varsized, id == NC_STRING);
    }
    assert_null(cel_type_atomic(NC_NAT));
    assert_null(cel_type_atomic(NC_STRING + 1));
    assert_null(cel_type_atomic(-5));
    assert_null(cel_type_by_id(ds, NC_FIRSTUSERTYPEID));
    cel_dataset_free(ds);
}

static void compounds_have_fields(void **state)
{
    struct cel_dataset *ds = dataset(0);
    const struct cel_type *ints = cel_type_atomic(NC_INT);
    const int dims[] = {2, 3}, bad_dims[] = {2, 0};
    struct cel_type *c;

    OK(cel_type_def_compound(ds->root, 64, "c", &c));
    assert_int_equal(c->id, NC_FIRSTUSERTYPEID);
    OK(cel_type_insert_field(c, "a", 0, ints, 0, NULL));
    OK(cel_type_insert_field(c, "m", 8, ints, 2, dims));
    assert_int_equal(c->field[1].n, 6);
    FAILS(cel_type_insert_field(c, "a", 40, ints, 0, NULL), NC_ENAMEINUSE);
    FAILS(cel_type_insert_field(c, "b/", 40, ints, 0, NULL), NC_EBADNAME);
    FAILS(cel_type_insert_field(c, "b", 61, ints, 0, NULL), NC_EINVAL);
    FAILS(cel_type_insert_field(c, "b", SIZE_MAX - 1, ints, 0, NULL), NC_EINVAL);
    FAILS(cel_type_insert_field(c, "b", 29, ints, 0, NULL), NC_EINVAL);
    FAILS(cel_type_insert_field(c, "b", 6, ints, 0, NULL), NC_EINVAL);
    FAILS(cel_type_insert_field(c, "b", 40, NULL, 0, NULL), NC_EBADTYPE);
    FAILS(cel_type_insert_field(c, "b", 40, c, 0, NULL), NC_EINVAL);
    FAILS(cel_type_insert_field(c, "b", 40, ints, 2, bad_dims), NC_EINVAL);
    FAILS(cel_type_insert_field(c, "b", 40, ints, -1, dims), NC_EINVAL);
    assert_int_equal(c->nfields, 2);
    assert_false(c->varsized);
    OK(cel_type_insert_field(c, "s", 40, cel_type_atomic(NC_STRING), 0, NULL));
    assert_true(c->varsized);
    FAILS(cel_type_def_compound(ds->root, 0, "z", &c), NC_EINVAL);
    cel_dataset_free(ds);
}

static void enums_have_members(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *e;
    const short one = 1, two = 2;

    OK(cel_type_def_enum(ds->root, NC_SHORT, "e", &e));
    assert_int_equal(e->size, 2);
    OK(cel_type_insert_member(e, "one", &one));
    OK(cel_type_insert_member(e, "two", &two));
    FAILS(cel_type_insert_member(e, "one", &two), NC_ENAMEINUSE);
    FAILS(cel_type_insert_member(e, "uno", &one), NC_EINVAL);
    FAILS(cel_type_insert_member(e, "uno", NULL), NC_EINVAL);
    FAILS(cel_type_insert_field(e, "f", 0, cel_type_atomic(NC_INT), 0, NULL), NC_EBADTYPE);
    FAILS(cel_type_def_enum(ds->root, NC_FLOAT, "f", &e), NC_EBADTYPE);
    FAILS(cel_type_def_enum(ds->root, NC_CHAR, "f", &e), NC_EBADTYPE);
    FAILS(cel_type_def_enum(ds->root, NC_STRING, "f", &e), NC_EBADTYPE);
    FAILS(cel_type_def_enum(ds->root, 99, "f", &e), NC_EBADTYPE);
    cel_dataset_free(ds);
}

static void a_type_in_use_cannot_change(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *inner, *outer, *e, *v;
    const struct cel_type *ints = cel_type_atomic(NC_INT);
    const int one = 1;

    OK(cel_type_def_compound(ds->root, 8, "inner", &inner));
    OK(cel_type_insert_field(inner, "a", 0, ints, 0, NULL));
    OK(cel_type_def_compound(ds->root, 8, "outer", &outer));
    OK(cel_type_insert_field(outer, "i", 0, inner, 0, NULL));
    FAILS(cel_type_insert_field(inner, "b", 4, ints, 0, NULL), NC_ETYPDEFINED);
    OK(cel_type_def_enum(ds->root, NC_INT, "e", &e));
    OK(cel_type_insert_member(e, "one", &one));
    OK(cel_att_put(ds->root, NULL, "att", e, 1, &one, NC_NAT));
    FAILS(cel_type_insert_member(e, "two", &one), NC_ETYPDEFINED);
    OK(cel_type_def_vlen(ds->root, "v", outer, &v));
    assert_true(v->varsized);
    saved(ds);
    FAILS(cel_type_insert_field(outer, "b", 4, ints, 0, NULL), NC_ETYPDEFINED);
    cel_dataset_free(ds);
}

static void empty_types_stop_enddef(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *type;

    OK(cel_type_def_compound(ds->root, 8, "c", &type));
    FAILS(cel_mode_check_enddef(ds), NC_EINVAL);
    OK(cel_type_insert_field(type, "a", 0, cel_type_atomic(NC_INT), 0, NULL));
    OK(cel_mode_check_enddef(ds));
    OK(cel_type_def_enum(ds->root, NC_INT, "e", &type));
    FAILS(cel_mode_check_enddef(ds), NC_EINVAL);
    cel_dataset_free(ds);
}

static struct cel_type *pair(struct cel_group *group, const char *name, const char *first, const char *second)
{
    struct cel_type *type;

    OK(cel_type_def_compound(group, 8, name, &type));
    OK(cel_type_insert_field(type, first, strcmp(first, "a") == 0 ? 0 : 4, cel_type_atomic(NC_INT), 0, NULL));
    OK(cel_type_insert_field(type, second, strcmp(second, "a") == 0 ? 0 : 4, cel_type_atomic(NC_INT), 0, NULL));
    return type;
}

static void types_are_equal_by_their_parts(void **state)
{
    struct cel_dataset *ds = dataset(0), *other = dataset(0);
    struct cel_type *c1 = pair(ds->root, "c1", "a", "b"), *c2 = pair(other->root, "c2", "a", "b");
    struct cel_type *c3 = pair(ds->root, "c3", "b", "a"), *c4 = pair(ds->root, "c4", "a", "c");
    struct cel_type *v1, *v2, *o;

    OK(cel_type_def_vlen(ds->root, "v1", c1, &v1));
    OK(cel_type_def_vlen(other->root, "v2", c2, &v2));
    OK(cel_type_def_opaque(ds->root, 8, "o", &o));
    assert_true(cel_type_equal(c1, c2));
    assert_true(cel_type_equal(v1, v2));
    assert_false(cel_type_equal(c1, c3)); /* order counts, as in netCDF-C */
    assert_false(cel_type_equal(c1, c4));
    assert_false(cel_type_equal(c1, o));
    assert_false(cel_type_equal(c1, cel_type_atomic(NC_INT64)));
    assert_true(cel_type_equal(cel_type_atomic(NC_INT), cel_type_atomic(NC_INT)));
    cel_dataset_free(ds);
    cel_dataset_free(other);
}

static void types_are_found_by_name_and_path(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g, *h;
    struct cel_type *t, *u;

    OK(cel_group_def(ds->root, "g", &g));
    OK(cel_group_def(ds->root, "h", &h));
    OK(cel_type_def_opaque(g, 4, "t", &t));
    OK(cel_type_def_opaque(ds->root, 4, "u", &u));
    assert_ptr_equal(cel_type_find(g, "t"), t);
    assert_ptr_equal(cel_type_find(g, "u"), u);
    assert_ptr_equal(cel_type_find(h, "t"), t); /* anywhere, as netCDF-C */
    assert_ptr_equal(cel_type_find(h, "/g/t"), t);
    assert_ptr_equal(cel_type_find(h, "/u"), u);
    assert_null(cel_type_find(h, "/t"));
    assert_null(cel_type_find(h, "/x/t"));
    assert_null(cel_type_find(h, "none"));
    cel_dataset_free(ds);
}

static void the_classic_model_has_six_types(void **state)
{
    struct cel_dataset *ds = dataset(NC_CLASSIC_MODEL);
    struct cel_type *type;
    struct cel_var *var;

    FAILS(cel_type_def_compound(ds->root, 0, "c", &type), NC_ESTRICTNC3);
    FAILS(cel_var_def(ds->root, "v", cel_type_atomic(NC_INT64), 0, NULL, &var), NC_ESTRICTNC3);
    FAILS(cel_var_def(ds->root, "v/", cel_type_atomic(NC_INT64), 0, NULL, &var), NC_EBADNAME);
    FAILS(cel_var_def(ds->root, "v", cel_type_atomic(NC_STRING), 0, NULL, &var), NC_ESTRICTNC3);
    OK(cel_var_def(ds->root, "v", cel_type_atomic(NC_DOUBLE), 0, NULL, &var));
    cel_dataset_free(ds);
}

static void zeros_are_as_long_as_the_type(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *small, *big;
    const char *zeros;

    OK(cel_type_def_opaque(ds->root, 4, "s", &small));
    OK(cel_type_def_opaque(ds->root, 100000, "b", &big));
    assert_memory_equal(cel_type_zeros(small), "\0\0\0\0", 4);
    zeros = cel_type_zeros(big);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(zeros[i], 0);
    assert_ptr_equal(cel_type_zeros(big), zeros);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomic_types_are_shared),
        cmocka_unit_test(compounds_have_fields),
        cmocka_unit_test(enums_have_members),
        cmocka_unit_test(a_type_in_use_cannot_change),
        cmocka_unit_test(empty_types_stop_enddef),
        cmocka_unit_test(types_are_equal_by_their_parts),
        cmocka_unit_test(types_are_found_by_name_and_path),
        cmocka_unit_test(the_classic_model_has_six_types),
        cmocka_unit_test(zeros_are_as_long_as_the_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
