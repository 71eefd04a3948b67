/* SPDX-License-Identifier: BSD-3-Clause */
/* In a program with more rights than its user (set-uid, capabilities) the environment names no plugins and lifts no limit.
 * Being such a program takes root; what the library asks is seen by answering in the C library's place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "env.h"
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static bool privileged;

char *secure_getenv(const char *name)
{
    return privileged ? NULL : getenv(name);
}

unsigned long getauxval(unsigned long type)
{
    return type == AT_SECURE ? privileged : 0;
}

static void set_all(void)
{
    setenv("HDF5_PLUGIN_PATH", "/of/a/stranger", 1);
    setenv("CELLAR_PLUGINS", "prefer", 1);
    setenv("CELLAR_MAX_DECODED", "900G", 1);
    setenv("CELLAR_FOLLOW_LINKS", "1", 1);
    setenv("CELLAR_TRACE", "/of/a/stranger", 1);
}

static void one_s_own_environment_counts(void **state)
{
    (void)state;
    privileged = false;
    set_all();
    assert_string_equal(cel_env_plugin_path(), "/of/a/stranger");
    assert_true(cel_env_prefer_plugins());
    assert_true(cel_env_follow_links());
    assert_string_equal(cel_env_trace(), "/of/a/stranger");
    assert_true(cel_env_max_decoded(1) == (size_t)900 << 30);
    assert_false(cel_env_no_plugins());
}

static void that_of_a_stranger_does_not(void **state)
{
    (void)state;
    privileged = true;
    set_all();
    assert_null(cel_env_plugin_path());
    assert_false(cel_env_prefer_plugins());
    assert_false(cel_env_follow_links());
    assert_null(cel_env_trace());
    assert_true(cel_env_max_decoded(1) == 1);
    assert_true(cel_env_no_plugins());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_s_own_environment_counts),
                                       cmocka_unit_test(that_of_a_stranger_does_not)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
