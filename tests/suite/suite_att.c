/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: every atomic type, lengths, renames, removal, conversions. */
#include "container_suite.h"

static bool has_type(nc_type type)
{
    return type <= NC_DOUBLE || (type == NC_STRING ? keeps(STRINGS) : keeps(WIDE_INTEGERS));
}

/* Three values of each numeric type, set as doubles. */
static const double numbers[] = {1, 100, 3};

static void put_one_of_each(int nc, int v)
{
    char name[16];

    for (nc_type type = NC_BYTE; type <= NC_UINT64; type++) {
        if (!has_type(type) || type == NC_CHAR)
            continue;
        for (size_t n = 0; n < 4; n++) {
            snprintf(name, sizeof name, "a%d_%zu", type, n);
            OK(nc_put_att_double(nc, v, name, type, n, numbers));
        }
    }
    OK(nc_put_att_text(nc, v, "text", 5, "hello"));
    OK(nc_put_att_text(nc, v, "empty", 0, ""));
    OK(nc_put_att_text(nc, v, "nul", 4, "a\0b"));
}

static void check_one_of_each(int nc, int v)
{
    char name[16], text[16] = "";
    double got[4];
    nc_type is;
    size_t len;

    for (nc_type type = NC_BYTE; type <= NC_UINT64; type++) {
        if (!has_type(type) || type == NC_CHAR)
            continue;
        for (size_t n = 0; n < 4; n++) {
            snprintf(name, sizeof name, "a%d_%zu", type, n);
            OK(nc_inq_att(nc, v, name, &is, &len));
            assert_int_equal(is, type);
            assert_int_equal(len, n);
            OK(nc_get_att_double(nc, v, name, got));
            for (size_t i = 0; i < n; i++)
                assert_true(got[i] == numbers[i]);
        }
    }
    OK(nc_inq_att(nc, v, "text", &is, &len));
    assert_int_equal(is, NC_CHAR);
    assert_int_equal(len, 5);
    OK(nc_get_att_text(nc, v, "text", text));
    assert_memory_equal(text, "hello", 5);
    OK(nc_inq_attlen(nc, v, "empty", &len));
    assert_int_equal(len, 0);
    OK(nc_get_att_text(nc, v, "nul", text));
    assert_memory_equal(text, "a\0b", 3);
}

static void all_types_are_kept(void **state)
{
    int nc = fresh(), v = def_var(nc, "v", NC_INT, 0, NULL);

    put_one_of_each(nc, v);
    put_one_of_each(nc, NC_GLOBAL);
    check_one_of_each(nc, v);
    nc = reopened(nc, NC_NOWRITE);
    check_one_of_each(nc, v);
    check_one_of_each(nc, NC_GLOBAL);
    done(nc);
}

static void strings_are_kept(void **state)
{
    int nc = fresh();
    const char *words[] = {"sea", "", "l\xc3\xa4nd and more"};
    char *got[3];
    size_t len;

    OK(nc_put_att_string(nc, NC_GLOBAL, "words", 3, words));
    OK(nc_put_att_string(nc, NC_GLOBAL, "one", 1, words));
    OK(nc_put_att_string(nc, NC_GLOBAL, "none", 0, NULL));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_attlen(nc, NC_GLOBAL, "words", &len));
    assert_int_equal(len, 3);
    OK(nc_get_att_string(nc, NC_GLOBAL, "words", got));
    for (int i = 0; i < 3; i++)
        assert_string_equal(got[i], words[i]);
    OK(nc_free_string(3, got));
    FAILS(nc_get_att_text(nc, NC_GLOBAL, "words", (char[99]){0}), NC_ECHAR);
    OK(nc_inq_attlen(nc, NC_GLOBAL, "none", &len));
    assert_int_equal(len, 0);
    done(nc);
}

static void values_are_converted(void **state)
{
    int nc = fresh(), got;
    const double big = 1e30;
    signed char small;
    short back;

    OK(nc_put_att_int(nc, NC_GLOBAL, "i", NC_SHORT, 1, (int[]){300}));
    OK(nc_get_att_short(nc, NC_GLOBAL, "i", &back));
    assert_int_equal(back, 300);
    FAILS(nc_get_att_schar(nc, NC_GLOBAL, "i", &small), NC_ERANGE);
    FAILS(nc_put_att_double(nc, NC_GLOBAL, "r", NC_INT, 1, &big), NC_ERANGE);
    OK(nc_inq_attid(nc, NC_GLOBAL, "r", &got)); /* stored all the same */
    FAILS(nc_put_att_int(nc, NC_GLOBAL, "c", NC_CHAR, 1, &got), NC_ECHAR);
    OK(nc_put_att_text(nc, NC_GLOBAL, "t", 2, "ab"));
    FAILS(nc_get_att_int(nc, NC_GLOBAL, "t", &got), NC_ECHAR);
    FAILS(nc_get_att_text(nc, NC_GLOBAL, "i", (char[9]){0}), NC_ECHAR);
    done(nc);
}

static void attributes_change_after_reopening(void **state)
{
    int nc = fresh(), v = def_var(nc, "v", NC_INT, 0, NULL), one = 1, n, got[3];
    char text[16] = "";
    size_t len;

    OK(nc_put_att_int(nc, v, "a", NC_INT, 1, &one));
    OK(nc_put_att_text(nc, v, "b", 3, "abc"));
    OK(nc_put_att_text(nc, v, "c", 3, "cde"));
    OK(nc_put_att_text(nc, v, "d", 3, "fgh"));
    nc = reopened(nc, NC_WRITE);
    define_again(nc);
    OK(nc_del_att(nc, v, "a"));
    OK(nc_rename_att(nc, v, "b", "longer"));
    OK(nc_put_att_int(nc, v, "c", NC_INT, 3, (int[]){1, 2, 3})); /* another type */
    OK(nc_put_att_text(nc, v, "d", 9, "fgh grown"));
    FAILS(nc_del_att(nc, v, "a"), NC_ENOTATT);
    FAILS(nc_rename_att(nc, v, "c", "d"), NC_ENAMEINUSE);
    FAILS(nc_rename_att(nc, v, "none", "x"), NC_ENOTATT);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_varnatts(nc, v, &n));
    assert_int_equal(n, 3);
    FAILS(nc_inq_attid(nc, v, "a", &n), NC_ENOTATT);
    FAILS(nc_inq_attid(nc, v, "b", &n), NC_ENOTATT);
    OK(nc_get_att_text(nc, v, "longer", text));
    assert_memory_equal(text, "abc", 3);
    OK(nc_get_att_int(nc, v, "c", got));
    assert_int_equal(got[2], 3);
    OK(nc_inq_attlen(nc, v, "d", &len));
    assert_int_equal(len, 9);
    done(nc);
}

static void names_are_exchanged_and_used_again(void **state)
{
    int nc = fresh(), got;

    OK(nc_put_att_int(nc, NC_GLOBAL, "a", NC_INT, 1, (int[]){1}));
    OK(nc_put_att_int(nc, NC_GLOBAL, "b", NC_INT, 1, (int[]){2}));
    OK(nc_put_att_int(nc, NC_GLOBAL, "c", NC_INT, 1, (int[]){3}));
    nc = reopened(nc, NC_WRITE);
    define_again(nc);
    OK(nc_rename_att(nc, NC_GLOBAL, "a", "t"));
    OK(nc_rename_att(nc, NC_GLOBAL, "b", "a"));
    OK(nc_rename_att(nc, NC_GLOBAL, "t", "b"));
    OK(nc_del_att(nc, NC_GLOBAL, "c"));
    OK(nc_put_att_int(nc, NC_GLOBAL, "c", NC_INT, 1, (int[]){4}));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_att_int(nc, NC_GLOBAL, "a", &got));
    assert_int_equal(got, 2);
    OK(nc_get_att_int(nc, NC_GLOBAL, "b", &got));
    assert_int_equal(got, 1);
    OK(nc_get_att_int(nc, NC_GLOBAL, "c", &got));
    assert_int_equal(got, 4);
    done(nc);
}

static void order_is_kept(void **state)
{
    static const char *const names[] = {"z", "a", "m"};
    int nc = fresh(), n, id;
    char name[NC_MAX_NAME + 1];

    for (int i = 0; i < 3; i++)
        OK(nc_put_att_int(nc, NC_GLOBAL, names[i], NC_INT, 1, &i));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_natts(nc, &n));
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++) {
        OK(nc_inq_attname(nc, NC_GLOBAL, i, name));
        assert_string_equal(name, names[i]);
        OK(nc_inq_attid(nc, NC_GLOBAL, names[i], &id));
        assert_int_equal(id, i);
    }
    FAILS(nc_inq_attname(nc, NC_GLOBAL, 3, name), NC_ENOTATT);
    done(nc);
}

static void groups_have_their_own(void **state)
{
    int nc = fresh(), g, v, got;

    OK(nc_def_grp(nc, "g", &g));
    v = def_var(g, "v", NC_INT, 0, NULL);
    OK(nc_put_att_int(nc, NC_GLOBAL, "a", NC_INT, 1, (int[]){1}));
    OK(nc_put_att_int(g, NC_GLOBAL, "a", NC_INT, 1, (int[]){2}));
    OK(nc_put_att_int(g, v, "a", NC_INT, 1, (int[]){3}));
    nc = reopened(nc, NC_NOWRITE);
    g = group_named(nc, "g");
    OK(nc_get_att_int(nc, NC_GLOBAL, "a", &got));
    assert_int_equal(got, 1);
    OK(nc_get_att_int(g, NC_GLOBAL, "a", &got));
    assert_int_equal(got, 2);
    OK(nc_get_att_int(g, v, "a", &got));
    assert_int_equal(got, 3);
    done(nc);
}

static void reserved_names_are_refused(void **state)
{
    int nc = fresh(), one = 1;

    FAILS(nc_put_att_int(nc, NC_GLOBAL, "_NCProperties", NC_INT, 1, &one), NC_ENAMEINUSE);
    FAILS(nc_put_att_int(nc, NC_GLOBAL, "_IsNetcdf4", NC_INT, 1, &one), NC_ENAMEINUSE);
    FAILS(nc_put_att_int(nc, NC_GLOBAL, "", NC_INT, 1, &one), NC_EBADNAME);
    done(nc);
}

static void many_large_attributes(void **state)
{
    int nc = fresh(), n = 20000, got;
    int *values = malloc((size_t)n * sizeof *values), *back = malloc((size_t)n * sizeof *back);
    char name[16];

    for (int i = 0; i < n; i++)
        values[i] = i * 7;
    OK(nc_put_att_int(nc, NC_GLOBAL, "large", NC_INT, (size_t)n, values)); /* above HDF5's 64 KiB */
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "a%d", i);
        OK(nc_put_att_int(nc, NC_GLOBAL, name, NC_INT, 1, &i));
    }
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_att_int(nc, NC_GLOBAL, "large", back));
    assert_memory_equal(back, values, (size_t)n * sizeof *values);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "a%d", i);
        OK(nc_get_att_int(nc, NC_GLOBAL, name, &got));
        assert_int_equal(got, i);
    }
    free(values);
    free(back);
    done(nc);
}

const struct CMUnitTest att_tests[] = {
    cmocka_unit_test(all_types_are_kept),
    NEEDS(STRINGS, strings_are_kept),
    cmocka_unit_test(values_are_converted),
    cmocka_unit_test(attributes_change_after_reopening),
    cmocka_unit_test(names_are_exchanged_and_used_again),
    cmocka_unit_test(order_is_kept),
    NEEDS(GROUPS, groups_have_their_own),
    NEEDS(ATT_RULES, reserved_names_are_refused),
    cmocka_unit_test(many_large_attributes),
};
END_PART(att);
