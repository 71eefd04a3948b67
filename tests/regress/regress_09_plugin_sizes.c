/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that decodes to more bytes than the chunk has: the first chunk's worth is read, with a warning, and nothing
 * that comes back in another size than it went in is written. The plugin is plugin_more.c. */
#include <cellar.h>
#include <netcdf_filter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "containers.h"

#define OK(call) assert_int_equal((call), NC_NOERR)

enum { ID = 40109, N = 64, CHUNK = 16 };
static int sent[N];

/* The last code that is no success; text: what it said. */
static int write_file(const char *path, char *text, size_t room)
{
    unsigned id = ID;
    size_t chunk = CHUNK;
    int ncid, dim, var, rc, closed;

    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", N, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, &chunk));
    OK(nc_def_var_filter(ncid, var, id, 0, NULL));
    OK(nc_enddef(ncid));
    rc = nc_put_var_int(ncid, var, sent);
    snprintf(text, room, "%s", cellar_error());
    closed = nc_close(ncid);
    if (!rc && closed)
        snprintf(text, room, "%s", cellar_error());
    return rc ? rc : closed;
}

static int read_file(const char *path, int *got)
{
    int ncid, var, rc;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &var));
    rc = nc_get_var_int(ncid, var, got);
    OK(nc_close(ncid));
    return rc;
}

static void the_first_of_too_many_bytes_are_read(void **state)
{
    static const char *const more[] = {"1", "100", "60000"}; /* within what a chunk may grow to */
    char text[1024];
    int got[N];

    (void)state;
    unsetenv("CEL_TEST_MORE");
    OK(write_file("honest.nc", text, sizeof text));
    OK(read_file("honest.nc", got));
    assert_memory_equal(got, sent, sizeof sent);
    assert_string_equal(cellar_warning(), "");
    for (int threads = 1; threads <= 4; threads += 3)
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            cellar_set_threads(threads);
            setenv("CEL_TEST_MORE", more[i], 1);
            memset(got, 0, sizeof got);
            OK(read_file("honest.nc", got));
            assert_memory_equal(got, sent, sizeof sent);
            assert_non_null(strstr(cellar_warning(), "the rest is left out"));
        }
}

static void far_too_many_are_refused(void **state)
{
    int got[N];

    (void)state;
    setenv("CEL_TEST_MORE", "100000000", 1);
    assert_int_equal(read_file("honest.nc", got), NC_EFILTER);
}

static void strict_refuses_one(void **state)
{
    int got[N];

    (void)state;
    setenv("CEL_TEST_MORE", "1", 1);
    OK(cellar_set_strict(1));
    assert_int_equal(read_file("honest.nc", got), NC_EFILTER);
    OK(cellar_set_strict(-1));
}

static void what_does_not_come_back_is_not_written(void **state)
{
    char text[1024];

    (void)state;
    setenv("CEL_TEST_MORE", "100", 1);
    assert_int_equal(write_file("false.nc", text, sizeof text), NC_EFILTER);
    assert_non_null(strstr(text, "decodes"));
    assert_non_null(strstr(text, "64"));
    assert_non_null(strstr(text, "164"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_too_many_bytes_are_read),
        cmocka_unit_test(far_too_many_are_refused),
        cmocka_unit_test(strict_refuses_one),
        cmocka_unit_test(what_does_not_come_back_is_not_written),
    };
    int failed;

    for (int i = 0; i < N; i++)
        sent[i] = 1000 * i;
    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
