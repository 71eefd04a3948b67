/* SPDX-License-Identifier: BSD-3-Clause */
/* Legal names, normal form, and the codes for the others: as netCDF-C answers. */
#include "model_test.h"

static void names_have_rules(void **state)
{
    static const struct {
        const char *name;
        int code;
    } cases[] = {
        {"temperature", 0},
        {"9a", 0},
        {"_x", 0},
        {"a b", 0},
        {"a-b.c@d+e", 0},
        {"\xc3\xa9t\xc3\xa9", 0},
        {"", NC_EBADNAME},
        {"a/b", NC_EBADNAME},
        {"a ", NC_EBADNAME},
        {" a", NC_EBADNAME},
        {"-a", NC_EBADNAME},
        {"a\tb", NC_EBADNAME},
        {"a\x7f", NC_EBADNAME},
        {"a\xff", NC_EBADNAME},
        {NULL, NC_EINVAL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *normal = NULL;
        assert_int_equal(cel_name_check(cases[i].name, &normal), cases[i].code);
        if (cases[i].code)
            assert_null(normal);
        free(normal);
    }
}

static void names_have_a_longest_length(void **state)
{
    char text[NC_MAX_NAME + 2], *normal = NULL;

    memset(text, 'a', sizeof text);
    text[NC_MAX_NAME + 1] = '\0';
    FAILS(cel_name_check(text, &normal), NC_EMAXNAME);
    text[NC_MAX_NAME] = '\0';
    OK(cel_name_check(text, &normal));
    free(normal);
}

static void look_ups_take_any_form(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *dim = dim_of(ds->root, "A\xcc\x8a", 3), *other;

    assert_string_equal(dim->name, "\xc3\x85");
    assert_ptr_equal(cel_dim_find(ds->root, "A\xcc\x8a"), dim);
    assert_ptr_equal(cel_dim_find(ds->root, "\xc3\x85"), dim);
    assert_null(cel_dim_find(ds->root, "A"));
    assert_null(cel_dim_find(ds->root, "\xff"));
    FAILS(cel_dim_def(ds->root, "\xe2\x84\xab", 3, false, &other), NC_ENAMEINUSE);
    cel_dataset_free(ds);
}

static void names_from_files_are_found_as_they_are(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *var;

    OK(cel_var_add(ds->root, "latin\xe9", 0, &var));
    assert_ptr_equal(cel_var_find(ds->root, "latin\xe9"), var);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_rules),
        cmocka_unit_test(names_have_a_longest_length),
        cmocka_unit_test(look_ups_take_any_form),
        cmocka_unit_test(names_from_files_are_found_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
