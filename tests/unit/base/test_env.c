/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: what is set and makes no sense counts as not set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "env.h"
#include <stdlib.h>

static void threads_are_a_number_from_1_to_1024(void **state)
{
    static const struct {
        const char *text;
        int n;
    } cases[] = {
        {"1", 1},  {"8", 8},    {"1024", 1024},
        {"0", 0},  {"1025", 0}, {"-3", 0},
        {"4x", 0}, {"", 0},     {"99999999999999999999", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CELLAR_NUM_THREADS", cases[i].text, 1);
        assert_int_equal(cel_env_threads(), cases[i].n);
    }
    unsetenv("CELLAR_NUM_THREADS");
    assert_int_equal(cel_env_threads(), 0);
}

static void switches_read_as_people_write_them(void **state)
{
    static const struct {
        const char *text;
        int on;
    } cases[] = {
        {"1", 1}, {"yes", 1}, {"true", 1}, {"0", 0}, {"no", 0}, {"FALSE", 0}, {"", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CELLAR_STRICT", cases[i].text, 1);
        assert_int_equal(cel_env_strict(), cases[i].on);
    }
    unsetenv("CELLAR_STRICT");
    assert_false(cel_env_strict());
}

static void logging_is_off_unless_asked(void **state)
{
    unsetenv("NETCDF_LOG_LEVEL");
    unsetenv("NCLOGGING");
    assert_int_equal(cel_env_log_level(), -1);
    setenv("NCLOGGING", "1", 1);
    assert_int_equal(cel_env_log_level(), 0);
    setenv("NETCDF_LOG_LEVEL", "3", 1);
    assert_int_equal(cel_env_log_level(), 3);
    setenv("NETCDF_LOG_LEVEL", "loud", 1);
    assert_int_equal(cel_env_log_level(), 0);
    unsetenv("NETCDF_LOG_LEVEL");
    unsetenv("NCLOGGING");
}

static void plugins_and_locks(void **state)
{
    unsetenv("CELLAR_PLUGINS");
    assert_false(cel_env_prefer_plugins());
    setenv("CELLAR_PLUGINS", "prefer", 1);
    assert_true(cel_env_prefer_plugins());
    unsetenv("CELLAR_PLUGINS");
    setenv("HDF5_PLUGIN_PATH", "/a:/b", 1);
    assert_string_equal(cel_env_plugin_path(), "/a:/b");
    unsetenv("HDF5_PLUGIN_PATH");
    assert_null(cel_env_plugin_path());
    unsetenv("HDF5_PLUGIN_PRELOAD");
    assert_false(cel_env_no_plugins());
    setenv("HDF5_PLUGIN_PRELOAD", "::", 1);
    assert_true(cel_env_no_plugins());
    unsetenv("HDF5_PLUGIN_PRELOAD");
    unsetenv("HDF5_USE_FILE_LOCKING");
    assert_true(cel_env_file_locking());
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_false(cel_env_file_locking());
    unsetenv("HDF5_USE_FILE_LOCKING");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_a_number_from_1_to_1024),
        cmocka_unit_test(switches_read_as_people_write_them),
        cmocka_unit_test(logging_is_off_unless_asked),
        cmocka_unit_test(plugins_and_locks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
