/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal form C, and what is not UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem.h"
#include "status.h"
#include "utf8.h"
#include <netcdf.h>
#include <stdlib.h>

static const struct {
    const char *from, *to;
} forms[] = {
    {"plain", "plain"},
    {"", ""},
    {"A\xcc\x8a", "\xc3\x85"},                                /* A, ring above */
    {"\xe2\x84\xab", "\xc3\x85"},                             /* Angstrom sign */
    {"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c"}, /* Hangul */
    {"q\xcc\x87\xcc\xa3", "q\xcc\xa3\xcc\x87"},               /* marks in canonical order */
    {"\xf0\x9f\x8c\x8a", "\xf0\x9f\x8c\x8a"},
};

static void names_are_composed(void **state)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *out = NULL;
        assert_int_equal(cel_utf8_normal(forms[i].from, &out), CEL_OK);
        assert_string_equal(out, forms[i].to);
        free(out);
    }
}

static void bad_bytes_are_refused(void **state)
{
    static const char *const bad[] = {"a\xff", "\xc3",    "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "x\x80", "\xe2\x82"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *out = NULL;
        assert_false(cel_utf8_valid(bad[i]));
        assert_int_equal(cel_utf8_normal(bad[i], &out), NC_EBADNAME);
        assert_null(out);
    }
    assert_true(cel_utf8_valid("\xed\x95\x9c"));
    assert_true(cel_utf8_is_ascii("ascii"));
    assert_false(cel_utf8_is_ascii("\xc3\x85"));
}

static void no_memory_is_said(void **state)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *out = NULL;
        cel_mem_fail_at(1);
        assert_int_equal(cel_utf8_normal(forms[i].from, &out), NC_ENOMEM);
        cel_mem_fail_at(0);
        assert_null(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_composed),
        cmocka_unit_test(bad_bytes_are_refused),
        cmocka_unit_test(no_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
