/* SPDX-License-Identifier: BSD-3-Clause */
/* Deep copies of values: strings, nested variable-length values, compounds with
 * arrays; and the same with every single allocation failing once. */
#include "model_test.h"

struct record {
    int n;
    char *name[2];
    nc_vlen_t rows; /* of a vlen of strings */
    double x;
};

static struct cel_type *record_type(struct cel_dataset *ds)
{
    struct cel_type *row, *rows, *record;

    OK(cel_type_def_vlen(ds->root, "row", cel_type_atomic(NC_STRING), &row));
    OK(cel_type_def_vlen(ds->root, "rows", row, &rows));
    OK(cel_type_def_compound(ds->root, sizeof(struct record), "record", &record));
    OK(cel_type_insert_field(record, "n", offsetof(struct record, n), cel_type_atomic(NC_INT), 0, NULL));
    OK(cel_type_insert_field(record, "name", offsetof(struct record, name), cel_type_atomic(NC_STRING), 1, (int[]){2}));
    OK(cel_type_insert_field(record, "rows", offsetof(struct record, rows), rows, 0, NULL));
    OK(cel_type_insert_field(record, "x", offsetof(struct record, x), cel_type_atomic(NC_DOUBLE), 0, NULL));
    return record;
}

static char *row0[] = {"a", "bb"}, *row1[] = {"ccc"};
static nc_vlen_t table[] = {{2, row0}, {1, row1}, {0, NULL}};
static const struct record source[2] = {{7, {"x", NULL}, {3, table}, 1.5}, {8, {"", "y"}, {0, NULL}, 2.5}};

static void check_copy(const struct record *copy)
{
    const nc_vlen_t *rows = copy[0].rows.p;

    assert_int_equal(copy[0].n, 7);
    assert_string_equal(copy[0].name[0], "x");
    assert_ptr_not_equal(copy[0].name[0], source[0].name[0]);
    assert_null(copy[0].name[1]);
    assert_int_equal(rows[0].len, 2);
    assert_string_equal(((char **)rows[0].p)[1], "bb");
    assert_string_equal(((char **)rows[1].p)[0], "ccc");
    assert_int_equal(rows[2].len, 0);
    assert_string_equal(copy[1].name[0], "");
    assert_int_equal(copy[1].rows.len, 0);
    assert_true(copy[1].x == 2.5);
}

static void copies_are_deep(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *type = record_type(ds);
    struct record copy[2];

    OK(cel_value_copy(type, source, 2, copy));
    check_copy(copy);
    cel_value_reclaim(type, copy, 2);
    cel_dataset_free(ds);
}

static void failing_copies_leave_nothing(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *type = record_type(ds);
    int rc = NC_ENOMEM, nth;

    for (nth = 1; rc == NC_ENOMEM; nth++) {
        struct record copy[2];
        cel_mem_fail_at(nth);
        rc = cel_value_copy(type, source, 2, copy);
        cel_mem_fail_at(0);
        if (rc == CEL_OK)
            cel_value_reclaim(type, copy, 2);
    }
    assert_int_equal(rc, CEL_OK);
    assert_true(nth > 8);
    cel_dataset_free(ds);
}

static void values_need_not_be_aligned(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *type = record_type(ds);
    char from[sizeof source + 1], to[sizeof source + 3];
    struct record copy[2];

    memcpy(from + 1, source, sizeof source);
    OK(cel_value_copy(type, from + 1, 2, to + 3));
    memcpy(copy, to + 3, sizeof copy);
    check_copy(copy);
    cel_value_reclaim(type, to + 3, 2);
    cel_dataset_free(ds);
}

static void a_length_without_data_is_refused(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *type;
    nc_vlen_t bad = {5, NULL}, out;

    OK(cel_type_def_vlen(ds->root, "v", cel_type_atomic(NC_INT), &type));
    FAILS(cel_value_copy(type, &bad, 1, &out), NC_EINVAL);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_deep),
        cmocka_unit_test(failing_copies_leave_nothing),
        cmocka_unit_test(values_need_not_be_aligned),
        cmocka_unit_test(a_length_without_data_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
