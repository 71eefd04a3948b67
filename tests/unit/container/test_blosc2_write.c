/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of Blosc2 that are written: what a sync acknowledged is there, whatever happens afterwards, and what failed or was
 * killed leaves no file behind. */
#include "mem.h"
#include <cellar.h>
#include <dirent.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ROWS = 20, COLUMNS = 30, CHUNK_ROWS = 4, CHUNK_COLUMNS = 7 };
static const char path[] = "array.b2nd";
static const float fill = -9;

static float value_at(size_t row, size_t column)
{
    return (float)(row * 100 + column);
}

/* --- a file with one variable ------------------------------------------------------------------ */

static int define(const char *where, size_t rows, int *ncid)
{
    int dims[2], var, rc = nc_create(where, NC_NETCDF4, ncid);

    if (rc != NC_NOERR)
        return rc;
    rc = nc_def_dim(*ncid, "row", rows, &dims[0]);
    if (rc == NC_NOERR)
        rc = nc_def_dim(*ncid, "column", COLUMNS, &dims[1]);
    if (rc == NC_NOERR)
        rc = nc_def_var(*ncid, "t", NC_FLOAT, 2, dims, &var);
    if (rc == NC_NOERR)
        rc = nc_def_var_fill(*ncid, 0, NC_FILL, &fill);
    if (rc == NC_NOERR)
        rc = nc_put_att_text(*ncid, 0, "units", 1, "K");
    if (rc == NC_NOERR)
        rc = nc_put_att_text(*ncid, NC_GLOBAL, "title", 4, "some");
    if (rc == NC_NOERR)
        rc = nc_def_var_chunking(*ncid, 0, NC_CHUNKED, (size_t[]){CHUNK_ROWS, CHUNK_COLUMNS});
    return rc == NC_NOERR ? nc_enddef(*ncid) : rc;
}

static int put_rows(int ncid, size_t first, size_t n)
{
    float values[ROWS * COLUMNS];

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            values[i * COLUMNS + k] = value_at(first + i, k);
    return nc_put_vara_float(ncid, 0, (size_t[]){first, 0}, (size_t[]){n, COLUMNS}, values);
}

static int close_whatever(int ncid, int rc)
{
    int at_close = nc_close(ncid);

    if (at_close != NC_NOERR && nc_inq(ncid, NULL, NULL, NULL, NULL) == NC_NOERR)
        nc_abort(ncid);
    return rc == NC_NOERR ? at_close : rc;
}

/* Rows below `written` have their values, others the fill value. */
static int check(const char *where, size_t rows, size_t written)
{
    float values[ROWS * COLUMNS];
    int ncid, rc = nc_open(where, NC_NOWRITE, &ncid);

    if (rc != NC_NOERR)
        return rc;
    rc = nc_get_vara_float(ncid, 0, (size_t[]){0, 0}, (size_t[]){rows, COLUMNS}, values);
    for (size_t i = 0; rc == NC_NOERR && i < rows * COLUMNS; i++)
        if (values[i] != (i / COLUMNS < written ? value_at(i / COLUMNS, i % COLUMNS) : fill))
            rc = NC_ERANGE;
    return close_whatever(ncid, rc);
}

/* Names in the folder, those of scratch files and others. */
static size_t count_files(bool scratch)
{
    DIR *dir = opendir(".");
    const struct dirent *entry;
    size_t n = 0;

    while ((entry = readdir(dir)))
        n += (strncmp(entry->d_name, ".cellar-tmp-", 12) == 0) == scratch && strcmp(entry->d_name, ".") != 0 &&
             strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static int start_empty(void **state)
{
    unlink(path);
    assert_int_equal(count_files(true), 0);
    return 0;
}

/* --- what is acknowledged is there ------------------------------------------------------------ */

static void test_sync(void **state)
{
    int ncid;

    assert_int_equal(define(path, ROWS, &ncid), NC_NOERR);
    assert_int_equal(put_rows(ncid, 0, 6), NC_NOERR);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(nc_sync(ncid), NC_NOERR);
    assert_int_equal(check(path, ROWS, 6), NC_NOERR);
    assert_int_equal(put_rows(ncid, 6, 10), NC_NOERR);
    assert_int_equal(check(path, ROWS, 6), NC_NOERR);
    assert_int_equal(nc_sync(ncid), NC_NOERR);
    assert_int_equal(check(path, ROWS, 16), NC_NOERR);
    assert_int_equal(put_rows(ncid, 16, 4), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(check(path, ROWS, ROWS), NC_NOERR);
}

static void test_growing(void **state)
{
    size_t rows;
    int ncid;

    assert_int_equal(define(path, NC_UNLIMITED, &ncid), NC_NOERR);
    for (size_t i = 0; i < ROWS; i++) { /* each chunk is written several times */
        assert_int_equal(put_rows(ncid, i, 1), NC_NOERR);
        assert_int_equal(nc_sync(ncid), NC_NOERR);
        assert_int_equal(check(path, i + 1, i + 1), NC_NOERR);
    }
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_dimlen(ncid, 0, &rows), NC_NOERR);
    assert_int_equal(rows, ROWS);
    nc_close(ncid);
}

/* In a child: rows are put, `synced` of them acknowledged, and it is killed. */
static void be_killed(size_t synced)
{
    int status, ncid;
    pid_t child = fork();

    if (child == 0) {
        if (define(path, ROWS, &ncid) != NC_NOERR || put_rows(ncid, 0, synced) != NC_NOERR ||
            (synced && nc_sync(ncid) != NC_NOERR) || put_rows(ncid, synced, ROWS - synced) != NC_NOERR)
            _exit(1);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count_files(true), 1);
}

static void test_killed(void **state)
{
    int ncid;

    be_killed(0);
    assert_int_not_equal(access(path, F_OK), 0);
    be_killed(7); /* it removes what the first one left */
    assert_int_equal(check(path, ROWS, 7), NC_NOERR);
    assert_int_equal(nc_create(path, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(count_files(true), 1);
    assert_int_equal(nc_abort(ncid), NC_NOERR);
    assert_int_equal(check(path, ROWS, 7), NC_NOERR); /* the old one is still there */
}

static void test_disk_full(void **state)
{
    struct rlimit old, small;
    size_t i;
    int ncid;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (i = 0; i < 4000; i += 50) { /* at a chunk, at the offsets, at the trailer */
        int rc;

        assert_int_equal(define(path, ROWS, &ncid), NC_NOERR);
        small = (struct rlimit){i, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        rc = put_rows(ncid, 0, ROWS);
        rc = close_whatever(ncid, rc);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        if (rc == NC_NOERR)
            break;
        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_equal(count_files(true), 0);
    }
    assert_in_range(i, 500, 3999);
    assert_int_equal(check(path, ROWS, ROWS), NC_NOERR);
}

static void test_two_writers(void **state)
{
    int first, second;

    assert_int_equal(define(path, ROWS, &first), NC_NOERR);
    assert_int_equal(nc_create(path, NC_NETCDF4, &second), NC_EPERM);
    assert_int_equal(put_rows(first, 0, ROWS), NC_NOERR);
    assert_int_equal(nc_close(first), NC_NOERR);
    assert_int_equal(check(path, ROWS, ROWS), NC_NOERR);
    assert_int_equal(count_files(true), 0);
}

/* --- what such a file cannot hold ------------------------------------------------------------- */

static void test_refused(void **state)
{
    static const struct {
        nc_type type;
        int ndims, dims[2], vars;
        unsigned filter;
        const char *what;
    } cases[] = {
        {NC_FLOAT, 1, {0}, 2, 0, "holds one variable"}, {NC_STRING, 1, {0}, 1, 0, "strings"},
        {NC_FLOAT, 0, {0}, 1, 0, "1 to 16 dimensions"}, {NC_FLOAT, 2, {0, 1}, 1, 0, "only the first dimension"},
        {NC_FLOAT, 1, {0}, 1, 3, "fletcher32"},         {NC_FLOAT, 1, {0}, 0, 0, "needs a variable"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int ncid, var, rc;

        assert_int_equal(nc_create("file://array.b2nd#mode=b2nd", NC_NETCDF4, &ncid), NC_NOERR);
        nc_def_dim(ncid, "x", 10, &var);
        nc_def_dim(ncid, "t", NC_UNLIMITED, &var);
        for (int v = 0; v < cases[i].vars; v++)
            assert_int_equal(nc_def_var(ncid, v ? "b" : "a", cases[i].type, cases[i].ndims, cases[i].dims, &var),
                             NC_NOERR);
        if (cases[i].filter)
            assert_int_equal(nc_def_var_fletcher32(ncid, var, NC_FLETCHER32), NC_NOERR);
        rc = nc_close(ncid);
        assert_int_not_equal(rc, NC_NOERR);
        assert_non_null(strstr(cellar_error(), cases[i].what));
        nc_abort(ncid);
        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_equal(count_files(true), 0);
    }
}

static void test_not_changed(void **state)
{
    int ncid;

    assert_int_equal(define(path, ROWS, &ncid), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(nc_open(path, NC_WRITE, &ncid), NC_EPERM);
    assert_int_equal(check(path, ROWS, 0), NC_NOERR);
}

/* --- memory ------------------------------------------------------------------------------------- */

static int script(void)
{
    int ncid, rc = define(path, ROWS, &ncid);

    if (rc == NC_NOERR)
        rc = put_rows(ncid, 0, 6);
    if (rc == NC_NOERR)
        rc = nc_sync(ncid);
    if (rc == NC_NOERR)
        rc = put_rows(ncid, 6, 14);
    if (ncid >= 0)
        rc = close_whatever(ncid, rc);
    return rc == NC_NOERR ? check(path, ROWS, ROWS) : rc;
}

static void test_out_of_memory(void **state)
{
    long nth, left = 0;

    assert_int_equal(script(), NC_NOERR);
    for (nth = 1; left <= 0; nth++) {
        int rc;

        cel_mem_fail_at(nth);
        rc = script();
        left = cel_mem_fail_at(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_int_equal(count_files(true), 0);
    }
    assert_true(nth > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_sync, start_empty),        cmocka_unit_test_setup(test_growing, start_empty),
        cmocka_unit_test_setup(test_killed, start_empty),      cmocka_unit_test_setup(test_disk_full, start_empty),
        cmocka_unit_test_setup(test_two_writers, start_empty), cmocka_unit_test_setup(test_refused, start_empty),
        cmocka_unit_test_setup(test_not_changed, start_empty), cmocka_unit_test_setup(test_out_of_memory, start_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
