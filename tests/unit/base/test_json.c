/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: what is read, what is refused, and numbers that survive. */
#include "json.h"
#include "number.h"
#include <locale.h>
#include <math.h>
#include <netcdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct cel_json *parse(const char *text)
{
    struct cel_json *v = NULL;

    if (cel_json_parse(text, strlen(text), &v, NULL) != CEL_OK)
        fail_msg("%s: %s", text, cel_error_text());
    return v;
}

static void expect_print(const struct cel_json *v, int indent, const char *want)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 16);
    char *text;

    assert_int_equal(cel_json_print(v, indent, &b), CEL_OK);
    assert_int_equal(cel_buf_take_string(&b, &text), CEL_OK);
    assert_string_equal(text, want);
    free(text);
}

static void what_is_read_is_printed_again(void **state)
{
    static const char *const same[] = {
        "null",
        "true",
        "false",
        "0",
        "-1",
        "18446744073709551615",
        "-9223372036854775808",
        "1.5",
        "\"\"",
        "\"a/b\"",
        "\"\\u0001\\n\\\"\\\\\"",
        "\"\xc3\xa9\"",
        "[]",
        "{}",
        "[1, 2, [3]]",
        "{\"b\": 1, \"a\": {\"c\": null}}",
        "0.1234567890123",
        "1.10",
        "\"NaN\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct cel_json *v, *copy;

        v = parse(same[i]);
        expect_print(v, 0, same[i]);
        assert_int_equal(cel_json_copy(v, &copy), CEL_OK);
        cel_json_free(v);
        expect_print(copy, 0, same[i]);
        cel_json_free(copy);
    }
}

static void ascii_print_escapes_all_else(void **state)
{
    static const char *const same[][2] = {
        {"\"25 \xc2\xb0\x43\"", "\"25 \\u00b0C\""},
        {"{\"\xe6\x97\xa5\": [\"\xf0\x9f\x8c\x8a\"]}", "{\"\\u65e5\": [\"\\ud83c\\udf0a\"]}"},
        {"\"\\n\"", "\"\\n\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct cel_json *v = parse(same[i][0]), *back;
        struct cel_buf b = CEL_BUF_INIT(1 << 16);
        char *text;

        assert_int_equal(cel_json_print_ascii(v, 0, &b), CEL_OK);
        assert_int_equal(cel_buf_take_string(&b, &text), CEL_OK);
        assert_string_equal(text, same[i][1]);
        back = parse(text);
        expect_print(back, 0, same[i][0]);
        free(text);
        cel_json_free(back);
        cel_json_free(v);
    }
}

static void bad_text_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t at;
    } bad[] = {
        {"", 0},
        {" ", 1},
        {"{", 1},
        {"[1,]", 3},
        {"[1 2]", 3},
        {"{\"a\":1,}", 7},
        {"{'a':1}", 1},
        {"'a'", 0},
        {"01", 0},
        {"+1", 0},
        {"1.", 0},
        {".5", 0},
        {"nan", 0},
        {"infinity", 0},
        {"True", 0},
        {"tru", 0},
        {"1e400", 0},
        {"18446744073709551616", 0},
        {"-9223372036854775809", 0},
        {"[1] ]", 4},
        {"1 x", 2},
        {"/* c */ 1", 0},
        {"{\"a\":1,\"a\":2}", 0},
        {"{\"a\":{\"b\":1},\"a\":{}}", 0},
        {"{\"a\\u0000b\":1}", 1},
        {"\"abc", 0},
        {"\"\x80\"", 0},
        {"{\"a\" 1}", 5},
        {"[\n  1,\n  x]", 9},
        {"--1", 0},
        {"1-2", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cel_json *v = NULL;
        size_t at = 999;

        if (cel_json_parse(bad[i].text, strlen(bad[i].text), &v, &at) == CEL_OK)
            fail_msg("%s was accepted", bad[i].text);
        assert_true(at <= strlen(bad[i].text));
        if (bad[i].at != 0 && at != bad[i].at && at + 1 != bad[i].at)
            fail_msg("%s: the fault is said to be at %zu, not %zu", bad[i].text, at, bad[i].at);
    }
    {
        struct cel_json *v = NULL;

        assert_int_equal(cel_json_parse("[\n  1,\n  x]", 11, &v, NULL), NC_EINVAL);
        assert_non_null(strstr(cel_error_text(), "line 3, column 3"));
        assert_int_equal(cel_json_parse("1\0", 2, &v, NULL), NC_EINVAL);
    }
}

static void depth_is_limited(void **state)
{
    char text[200];
    struct cel_json *v = NULL;

    (void)state;
    memset(text, '[', 63);
    memset(text + 63, ']', 63);
    assert_int_equal(cel_json_parse(text, 126, &v, NULL), CEL_OK);
    cel_json_free(v);
    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    assert_int_equal(cel_json_parse(text, 200, &v, NULL), NC_EINVAL);
}

static void numbers_are_what_they_are(void **state)
{
    struct cel_json *v =
        parse("[18446744073709551615, -5, 5.0, 1.5, \"7\", \"NaN\", NaN, -Infinity, true, \"x\", \"+Infinity\"]");
    const struct cel_json *at[11];
    uint64_t u;
    int64_t i;
    double d;

    (void)state;
    for (size_t k = 0; k < 11; k++)
        at[k] = cel_json_item(v, k);
    assert_null(cel_json_item(v, 11));
    assert_true(cel_json_uint(at[0], false, &u) && u == UINT64_MAX);
    assert_false(cel_json_int(at[0], false, &i));
    assert_true(cel_json_int(at[1], false, &i) && i == -5);
    assert_false(cel_json_uint(at[1], false, &u));
    assert_true(cel_json_int(at[2], false, &i) && i == 5);
    assert_true(cel_json_uint(at[2], false, &u) && u == 5);
    assert_false(cel_json_int(at[3], false, &i));
    assert_false(cel_json_int(at[4], false, &i));
    assert_true(cel_json_int(at[4], true, &i) && i == 7);
    assert_true(cel_json_double(at[4], true, &d) && d == 7);
    assert_false(cel_json_double(at[4], false, &d));
    assert_true(cel_json_double(at[5], false, &d) && isnan(d));
    assert_true(cel_json_double(at[6], false, &d) && isnan(d));
    assert_true(cel_json_double(at[7], false, &d) && d == -INFINITY);
    assert_false(cel_json_double(at[8], true, &d));
    assert_false(cel_json_double(at[9], true, &d));
    assert_true(cel_json_double(at[10], false, &d) && d == INFINITY);
    assert_true(cel_json_bool(at[8]));
    expect_print(at[6], 0, "\"NaN\"");
    expect_print(at[7], 0, "\"-Infinity\"");
    cel_json_free(v);
}

static void objects_are_built_in_order(void **state)
{
    struct cel_json *o = cel_json_new_object(), *a = cel_json_new_array();
    const char *key;

    (void)state;
    assert_int_equal(cel_json_set(o, "z", cel_json_new_double(0.1)), CEL_OK);
    assert_int_equal(cel_json_set(o, "f", cel_json_new_float(0.1f)), CEL_OK);
    assert_int_equal(cel_json_set(o, "nan", cel_json_new_double(NAN)), CEL_OK);
    assert_int_equal(cel_json_set(o, "none", cel_json_new_null()), CEL_OK);
    assert_int_equal(cel_json_push(a, cel_json_new_uint(UINT64_MAX)), CEL_OK);
    assert_int_equal(cel_json_push(a, cel_json_new_string("a\0b", 3)), CEL_OK);
    assert_int_equal(cel_json_set(o, "list", a), CEL_OK);
    assert_int_equal(cel_json_set(o, "gone", cel_json_new_bool(true)), CEL_OK);
    cel_json_remove(o, "gone");
    assert_int_equal(cel_json_set(o, "x", NULL), NC_ENOMEM);
    expect_print(
        o, 0,
        "{\"z\": 0.1, \"f\": 0.1, \"nan\": \"NaN\", \"none\": null, \"list\": [18446744073709551615, \"a\\u0000b\"]}");
    expect_print(o, 2,
                 "{\n  \"z\": 0.1,\n  \"f\": 0.1,\n  \"nan\": \"NaN\",\n  \"none\": null,\n  \"list\": [\n"
                 "    18446744073709551615,\n    \"a\\u0000b\"\n  ]\n}");
    assert_int_equal(cel_json_count(o), 5);
    assert_non_null(cel_json_member(o, 3, &key));
    assert_string_equal(key, "none");
    assert_non_null(cel_json_get(o, "none"));
    assert_int_equal(cel_json_type(cel_json_get(o, "none")), CEL_JSON_NULL);
    assert_null(cel_json_get(o, "absent"));
    assert_null(cel_json_member(o, 5, &key));
    assert_null(cel_json_get(a, "none"));
    cel_json_free(o);
}

static void reals_are_short_and_exact(void **state)
{
    static const struct {
        double v;
        const char *text;
    } doubles[] = {{0.1, "0.1"},
                   {1, "1.0"},
                   {1e30, "1e+30"},
                   {9.969209968386869e36, "9.969209968386869e+36"},
                   {5e-324, "5e-324"},
                   {-0.0, "-0.0"},
                   {1.0 / 3, "0.3333333333333333"},
                   {123456789012345680.0, "1.2345678901234568e+17"},
                   {1.7976931348623157e308, "1.7976931348623157e+308"},
                   {0.1 + 0.2, "0.30000000000000004"}};
    char text[CEL_NUMBER_MAX];
    double back;

    (void)state;
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        cel_print_double(doubles[i].v, text);
        assert_string_equal(text, doubles[i].text);
        assert_true(cel_parse_double(text, strlen(text), &back) && back == doubles[i].v);
    }
    cel_print_float(9.9692099683868690e+36f, text);
    assert_string_equal(text, "9.96921e+36");
    cel_print_float(1e-45f, text);
    assert_string_equal(text, "1e-45");
    cel_print_float(16777216.0f, text);
    assert_string_equal(text, "16777216.0");
}

/* A program in a locale with a decimal comma reads and writes the same. */
static void the_locale_changes_nothing(void **state)
{
    char text[CEL_NUMBER_MAX];
    double v;

    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip();
    cel_print_double(1.5, text);
    assert_string_equal(text, "1.5");
    assert_true(cel_parse_double("2.5", 3, &v) && v == 2.5);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_printed_again),      cmocka_unit_test(ascii_print_escapes_all_else),
        cmocka_unit_test(bad_text_is_refused_with_its_place), cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(numbers_are_what_they_are),          cmocka_unit_test(objects_are_built_in_order),
        cmocka_unit_test(reals_are_short_and_exact),          cmocka_unit_test(the_locale_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
