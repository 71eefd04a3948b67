/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that end without nc_close, and processes that fork while a file is open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 40000

static const char *scratch(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "h5_process_%d_%s", (int)getpid(), name);
    return path;
}

static void fill(int *values, int n, int from)
{
    int i;

    for (i = 0; i < n; i++)
        values[i] = from + i;
}

static int begin(const char *path, int *var)
{
    int nc, dim;
    size_t chunk = 1000;

    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    assert_int_equal(nc_def_dim(nc, "x", NC_UNLIMITED, &dim), NC_NOERR);
    assert_int_equal(nc_def_var(nc, "v", NC_INT, 1, &dim, var), NC_NOERR);
    assert_int_equal(nc_def_var_chunking(nc, *var, NC_CHUNKED, &chunk), NC_NOERR);
    assert_int_equal(nc_def_var_deflate(nc, *var, 1, 1, 1), NC_NOERR);
    return nc;
}

static void check(const char *path, size_t n)
{
    static int back[N];
    int nc, var, dim;
    size_t len, i;

    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR);
    assert_int_equal(nc_inq_dimid(nc, "x", &dim), NC_NOERR);
    assert_int_equal(nc_inq_dimlen(nc, dim, &len), NC_NOERR);
    assert_int_equal(len, n);
    assert_int_equal(nc_inq_varid(nc, "v", &var), NC_NOERR);
    assert_int_equal(nc_get_var_int(nc, var, back), NC_NOERR);
    for (i = 0; i < n; i++)
        assert_int_equal(back[i], (int)i);
    assert_int_equal(nc_close(nc), NC_NOERR);
}

/* Run in a child of its own, so that exit handlers run: gives its exit status. */
static int in_child(void (*body)(const char *path), const char *path)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        body(path);
        exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static void forget_close(const char *path)
{
    static int values[N];
    size_t start = 0, count = N - 3; /* the last chunk stays dirty in the cache */
    int var, nc = begin(path, &var);

    fill(values, N, 0);
    if (nc_put_vara_int(nc, var, &start, &count, values) != NC_NOERR)
        _exit(1);
}

static void exit_without_close_keeps_the_data(void **state)
{
    const char *path = scratch("exit.nc");

    (void)state;
    assert_int_equal(in_child(forget_close, path), 0);
    check(path, N - 3);
    unlink(path);
}

static int open_nc, open_var;

static void just_exit(const char *path)
{
    (void)path;
}

static void try_to_write(const char *path)
{
    size_t start = 0, count = 1;
    int value = -1, rc = nc_put_vara_int(open_nc, open_var, &start, &count, &value);

    (void)path;
    if (rc == NC_NOERR)
        rc = nc_close(open_nc);
    _exit(rc == NC_EPERM && strstr(cellar_error(), "fork") ? 0 : 1);
}

static void close_in_child(const char *path)
{
    (void)path;
    nc_close(open_nc);
}

/* Half is written before the fork, half after the child is gone. */
static void survive(void (*child)(const char *path))
{
    static int values[N];
    const char *path = scratch("fork.nc");
    size_t start = 0, count = N / 2;

    fill(values, N, 0);
    open_nc = begin(path, &open_var);
    assert_int_equal(nc_put_vara_int(open_nc, open_var, &start, &count, values), NC_NOERR);
    assert_int_equal(in_child(child, path), 0);
    start = N / 2;
    assert_int_equal(nc_put_vara_int(open_nc, open_var, &start, &count, values + N / 2), NC_NOERR);
    assert_int_equal(nc_close(open_nc), NC_NOERR);
    check(path, N);
    unlink(path);
}

static void a_child_that_exits_leaves_the_file_alone(void **state)
{
    (void)state;
    survive(just_exit);
}

static void a_child_that_closes_leaves_the_file_alone(void **state)
{
    (void)state;
    survive(close_in_child);
}

static void a_child_that_writes_is_told(void **state)
{
    (void)state;
    survive(try_to_write);
}

static void read_in_child(const char *path)
{
    static int back[N];

    (void)path;
    _exit(nc_get_var_int(open_nc, open_var, back) == NC_NOERR && back[N - 1] == N - 1 ? 0 : 1);
}

static void a_child_may_read_what_is_open_for_reading(void **state)
{
    static int values[N];
    const char *path = scratch("read.nc");
    size_t start = 0, count = N;

    (void)state;
    fill(values, N, 0);
    open_nc = begin(path, &open_var);
    assert_int_equal(nc_put_vara_int(open_nc, open_var, &start, &count, values), NC_NOERR);
    assert_int_equal(nc_close(open_nc), NC_NOERR);
    assert_int_equal(nc_open(path, 0, &open_nc), NC_NOERR);
    assert_int_equal(in_child(read_in_child, path), 0);
    assert_int_equal(nc_close(open_nc), NC_NOERR);
    unlink(path);
}

/* The child opens the file by itself while we write it, and then while we read it. */
static void open_to_read(const char *path)
{
    int nc, rc = nc_open(path, 0, &nc);

    _exit(rc == NC_NOERR ? 10 : strstr(cellar_error(), "another process has it open") ? 11 : 12);
}

static void open_to_write(const char *path)
{
    int nc, rc = nc_open(path, NC_WRITE, &nc);

    _exit(rc == NC_NOERR ? 10 : strstr(cellar_error(), "another process has it open") ? 11 : 12);
}

static void create_over(const char *path)
{
    int nc, rc = nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc);

    _exit(rc == NC_NOERR ? 10 : strstr(cellar_error(), "another process has it open") ? 11 : 12);
}

static void files_are_locked_between_processes(void **state)
{
    const char *path = scratch("locked.nc");
    int var, nc = begin(path, &var);

    (void)state;
    assert_int_equal(nc_enddef(nc), NC_NOERR);
    assert_int_equal(in_child(open_to_read, path), 11);
    assert_int_equal(in_child(create_over, path), 11);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR);
    assert_int_equal(in_child(open_to_read, path), 10);
    assert_int_equal(in_child(open_to_write, path), 11);
    assert_int_equal(in_child(create_over, path), 11);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR); /* nothing was emptied */
    assert_int_equal(nc_close(nc), NC_NOERR);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_without_close_keeps_the_data),
        cmocka_unit_test(a_child_that_exits_leaves_the_file_alone),
        cmocka_unit_test(a_child_that_closes_leaves_the_file_alone),
        cmocka_unit_test(a_child_that_writes_is_told),
        cmocka_unit_test(a_child_may_read_what_is_open_for_reading),
        cmocka_unit_test(files_are_locked_between_processes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
