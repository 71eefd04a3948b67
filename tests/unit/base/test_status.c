/* SPDX-License-Identifier: BSD-3-Clause */
/* Error text: set at the fault, widened on the way up, one record per thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "status.h"
#include <netcdf.h>
#include <pthread.h>
#include <string.h>

static void failing_keeps_code_and_text(void **state)
{
    assert_int_equal(cel_fail(NC_EINVAL, "level %d", 99), NC_EINVAL);
    assert_int_equal(cel_error_code(), NC_EINVAL);
    assert_string_equal(cel_error_text(), "level 99");
    cel_error_clear();
    assert_string_equal(cel_error_text(), "");
    assert_int_equal(cel_error_code(), 0);
}

static void text_is_widened_from_inside_out(void **state)
{
    cel_fail(NC_EFILTER, "checksum does not match");
    cel_fail_at(NC_EFILTER, CEL_IN_FILTER, "fletcher32");
    cel_fail_at(NC_EFILTER, CEL_IN_CHUNK, "chunk (3,0,1)");
    assert_int_equal(cel_fail_at(NC_EFILTER, CEL_IN_VARIABLE, "%s", "t2m"), NC_EFILTER);
    assert_string_equal(cel_error_text(), "t2m: chunk (3,0,1): fletcher32: checksum does not match");
    assert_string_equal(cel_error_part(CEL_IN_FILTER), "fletcher32");
    assert_string_equal(cel_error_part(CEL_IN_VARIABLE), "t2m");
    assert_string_equal(cel_error_part(CEL_IN_FILE), "");
}

static void a_known_part_adds_no_second_prefix(void **state)
{
    cel_fail(NC_EINVAL, "no");
    cel_fail_at(NC_EINVAL, CEL_IN_VARIABLE, "inner");
    cel_fail_at(NC_EINVAL, CEL_IN_VARIABLE, "outer");
    assert_string_equal(cel_error_text(), "inner: no");
    cel_fail_in(NC_EINVAL, "reading");
    assert_string_equal(cel_error_text(), "reading: inner: no");
}

static void a_name_is_not_said_twice(void **state)
{
    cel_fail(NC_ECURL, "https://host/a.nc: no answer");
    cel_fail_at(NC_ECURL, CEL_IN_FILE, "https://host/a.nc");
    assert_string_equal(cel_error_text(), "https://host/a.nc: no answer");
    assert_string_equal(cel_error_part(CEL_IN_FILE), "https://host/a.nc");
    cel_fail(NC_ECURL, "https://host/a.nc.2: no answer");
    cel_fail_at(NC_ECURL, CEL_IN_FILE, "https://host/a.nc");
    assert_string_equal(cel_error_text(), "https://host/a.nc: https://host/a.nc.2: no answer");
}

static void a_new_failure_forgets_the_old_parts(void **state)
{
    cel_fail(NC_EINVAL, "one");
    cel_fail_at(NC_EINVAL, CEL_IN_FILE, "a.nc");
    cel_fail(NC_ENOMEM, "two");
    assert_string_equal(cel_error_part(CEL_IN_FILE), "");
    assert_string_equal(cel_error_text(), "two");
}

static void the_old_text_may_be_an_argument(void **state)
{
    cel_fail(NC_EINVAL, "inner");
    cel_fail(NC_EHDFERR, "outer: %s", cel_error_text());
    assert_string_equal(cel_error_text(), "outer: inner");
}

static void text_without_a_fault_is_the_prefix_alone(void **state)
{
    cel_error_clear();
    cel_fail_in(NC_EINVAL, "reading");
    assert_string_equal(cel_error_text(), "reading");
}

static void long_text_is_cut_not_overrun(void **state)
{
    char text[5000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cel_fail(NC_EINVAL, "%s", text);
    assert_int_equal(strlen(cel_error_text()), sizeof((struct cel_status *)0)->text - 1);
    cel_fail_at(NC_EINVAL, CEL_IN_FILE, "%s", text);
    assert_int_equal(strlen(cel_error_part(CEL_IN_FILE)), sizeof((struct cel_status *)0)->part[0] - 1);
    cel_fail_in(NC_EINVAL, "%s", text);
    assert_int_equal(strlen(cel_error_text()), sizeof((struct cel_status *)0)->text - 1);
    cel_warn("%s", text);
    assert_true(strlen(cel_warning_text()) < sizeof text - 1);
    cel_warning_clear();
}

static void *other_thread(void *saved)
{
    if (cel_error_text()[0])
        return (void *)1;
    cel_fail(NC_ENOMEM, "worker");
    cel_fail_at(NC_ENOMEM, CEL_IN_CHUNK, "chunk (1)");
    cel_status_save(saved);
    return NULL;
}

static void an_error_moves_between_threads(void **state)
{
    struct cel_status saved;
    pthread_t thread;
    void *result;

    cel_fail(NC_EINVAL, "mine");
    pthread_create(&thread, NULL, other_thread, &saved);
    pthread_join(thread, &result);
    assert_null(result);
    assert_string_equal(cel_error_text(), "mine");
    cel_status_restore(&saved);
    assert_string_equal(cel_error_text(), "chunk (1): worker");
    assert_int_equal(cel_error_code(), NC_ENOMEM);
    assert_string_equal(cel_error_part(CEL_IN_CHUNK), "chunk (1)");
}

static void the_last_warning_stays_until_cleared(void **state)
{
    cel_set_log_level(-1);
    cel_warn("recorded but not applied: %s", "zstd");
    assert_string_equal(cel_warning_text(), "recorded but not applied: zstd");
    cel_warning_clear();
    assert_string_equal(cel_warning_text(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_keeps_code_and_text),
        cmocka_unit_test(text_is_widened_from_inside_out),
        cmocka_unit_test(a_known_part_adds_no_second_prefix),
        cmocka_unit_test(a_name_is_not_said_twice),
        cmocka_unit_test(a_new_failure_forgets_the_old_parts),
        cmocka_unit_test(the_old_text_may_be_an_argument),
        cmocka_unit_test(text_without_a_fault_is_the_prefix_alone),
        cmocka_unit_test(long_text_is_cut_not_overrun),
        cmocka_unit_test(an_error_moves_between_threads),
        cmocka_unit_test(the_last_warning_stays_until_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
