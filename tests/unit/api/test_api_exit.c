/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that forget nc_close(), and programs that fork: each case is a child
 * process, and the file it leaves is what counts. */
#include "user_test.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000 };

static int start(const char *path)
{
    int ncid, dim, varid, values[N];
    size_t chunk = 100;

    if (nc_create(path, NC_NETCDF4, &ncid) || nc_def_dim(ncid, "x", N, &dim) ||
        nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid) || nc_def_var_chunking(ncid, varid, NC_CHUNKED, &chunk) ||
        nc_def_var_deflate(ncid, varid, 1, 1, 1))
        _exit(9);
    for (int i = 0; i < N; i++)
        values[i] = i;
    /* In part, so that chunks stay in the cache. */
    if (nc_put_vara_int(ncid, varid, &(size_t){50}, &(size_t){N - 50}, values + 50))
        _exit(8);
    return ncid;
}

static void check(const char *path, int first)
{
    int ncid, values[N];

    assert_ok(nc_open(path, NC_NOWRITE, &ncid));
    assert_ok(nc_get_var_int(ncid, 0, values));
    assert_int_equal(values[0], first);
    for (int i = 50; i < N; i++)
        assert_int_equal(values[i], i);
    assert_ok(nc_close(ncid));
    unlink(path);
}

static int status_of(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void exit_keeps_what_was_written(void **state)
{
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        start("forgotten.nc");
        exit(0);
    }
    assert_int_equal(status_of(child), 0);
    check("forgotten.nc", NC_FILL_INT);
}

static void exit_ends_define_mode(void **state)
{
    pid_t child = fork();
    int ncid, nvars;

    (void)state;
    if (child == 0) {
        int id;

        if (nc_create("defining.nc", NC_NETCDF4, &ncid) || nc_def_var(ncid, "v", NC_INT, 0, NULL, &id))
            _exit(9);
        exit(0);
    }
    assert_int_equal(status_of(child), 0);
    assert_ok(nc_open("defining.nc", NC_NOWRITE, &ncid));
    assert_ok(nc_inq_nvars(ncid, &nvars));
    assert_int_equal(nvars, 1);
    assert_ok(nc_close(ncid));
    unlink("defining.nc");
}

static void a_forked_child_does_not_finish_its_parents_file(void **state)
{
    pid_t child, grandchild;
    int status;

    (void)state;
    child = fork();
    if (child == 0) {
        int ncid = start("parent.nc"), value = 77;

        grandchild = fork();
        if (grandchild == 0)
            exit(0); /* runs its exit handlers with the parent's dataset open */
        if (waitpid(grandchild, &status, 0) != grandchild || status != 0)
            _exit(7);
        if (nc_put_var1_int(ncid, 0, &(size_t){0}, &value) || nc_close(ncid))
            _exit(6);
        exit(0);
    }
    assert_int_equal(status_of(child), 0);
    check("parent.nc", 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_keeps_what_was_written),
        cmocka_unit_test(exit_ends_define_mode),
        cmocka_unit_test(a_forked_child_does_not_finish_its_parents_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
