/* SPDX-License-Identifier: BSD-3-Clause */
/* close() of the file failing is an error of nc_close in every container, and the id is gone. nc_sync and nc_close call fsync exactly
 * when CELLAR_FSYNC is set: on the file, and on the folder of one that was made. */
#include "kill/container.c"
#include "kill/faults.c"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static char folder[PATH_MAX];

static void make(const char *name, struct dataset *d)
{
    const struct container *c = container_named(name);
    char path[PATH_MAX + 64];

    snprintf(path, sizeof path, c->path, folder);
    assert_int_equal(dataset_create(d, c, path, 1), NC_NOERR);
    assert_int_equal(dataset_put(d, 0, 0), NC_NOERR);
}

static void tidy(void)
{
    char command[PATH_MAX + 32];

    faults_set(&(struct faults){0});
    snprintf(command, sizeof command, "rm -rf '%s'/f.*", folder);
    assert_int_equal(system(command), 0);
}

static void a_failed_close_is_an_error(void **state)
{
    static const char *const names[] = {"netcdf4", "classic"};
    const struct faults faults = {.folder = folder, .kinds = FAULT_CLOSE, .at = 1, .from_then_on = true, .error = EIO};
    struct dataset d;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make(names[i], &d);
        faults_set(&faults);
        assert_int_not_equal(nc_close(d.nc), NC_NOERR);
        assert_int_equal(nc_close(d.nc), NC_EBADID);
        tidy();
    }
}

static long syncs_of(int (*call)(int), int nc)
{
    const struct faults faults = {.folder = folder, .kinds = FAULT_SYNC};

    faults_set(&faults);
    assert_int_equal(call(nc), NC_NOERR);
    return faults_count();
}

static void fsync_is_called_when_asked_for(void **state)
{
    static const char *const names[] = {"netcdf4", "classic"};
    struct dataset d;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv("CELLAR_FSYNC");
        make(names[i], &d);
        assert_int_equal(syncs_of(nc_sync, d.nc), 0);
        setenv("CELLAR_FSYNC", "1", 1);
        assert_int_equal(dataset_put(&d, 0, 1), NC_NOERR);
        assert_true(syncs_of(nc_sync, d.nc) >= 2);
        assert_true(syncs_of(nc_close, d.nc) >= 1);
        tidy();
    }
    unsetenv("CELLAR_FSYNC");
}

static void a_failed_fsync_is_an_error(void **state)
{
    static const char *const names[] = {"netcdf4", "classic"};
    const struct faults faults = {.folder = folder, .kinds = FAULT_SYNC, .at = 1, .from_then_on = true, .error = EIO};
    struct dataset d;

    (void)state;
    setenv("CELLAR_FSYNC", "1", 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make(names[i], &d);
        faults_set(&faults);
        assert_int_not_equal(nc_sync(d.nc), NC_NOERR);
        assert_int_not_equal(nc_close(d.nc), NC_NOERR);
        tidy();
    }
    unsetenv("CELLAR_FSYNC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_close_is_an_error),
        cmocka_unit_test(fsync_is_called_when_asked_for),
        cmocka_unit_test(a_failed_fsync_is_an_error),
    };
    char here[PATH_MAX], name[] = "regress_05-XXXXXX";
    int failed;

    if (!mkdtemp(name) || !getcwd(here, sizeof here))
        return 1;
    snprintf(folder, sizeof folder, "%.3000s/%s", here, name);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) != 0 ? 1 : failed;
}
