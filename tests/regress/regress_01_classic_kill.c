/* SPDX-License-Identifier: BSD-3-Clause */
/* What nc_sync() acknowledged in a classic file survives the end of the process at any later write: inside an
 * nc_enddef() that moves all data, and inside a later nc_sync(). The program's own pwrite(), ftruncate() and
 * fallocate() stand in front of the C library's, and end it at the nth call, before or in the middle of the write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "containers.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define IN_FRONT __attribute__((visibility("default")))
#define assert_ok(call) assert_int_equal(call, NC_NOERR)

static int ends_at;      /* the process ends at this write; 0: it does not */
static bool ends_within; /* half of it is done */
static int done;

static bool is_last(void)
{
    return ends_at && ++done == ends_at;
}

IN_FRONT ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    if (is_last()) {
        if (ends_within && n > 4096)
            real(fd, data, n / 2 / 4096 * 4096, at); /* the kernel writes whole pages */
        _exit(42);
    }
    return real(fd, data, n, at);
}

IN_FRONT ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    return pwrite64(fd, data, n, at);
}

IN_FRONT int ftruncate(int fd, off_t size)
{
    static int (*real)(int, off_t);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ftruncate");
    if (is_last())
        _exit(42);
    return real(fd, size);
}

IN_FRONT int fallocate(int fd, int mode, off_t at, off_t n)
{
    static int (*real)(int, int, off_t, off_t);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fallocate");
    if (is_last())
        _exit(42);
    return real(fd, mode, at, n);
}

enum { X = 30000, T = 5 };

static int value_at(int i)
{
    return i * 7 + 1;
}

static void put_record(int ncid, size_t t)
{
    static int values[X];

    for (int i = 0; i < X; i++)
        values[i] = value_at(i) + (int)t;
    if (nc_put_vara_int(ncid, 1, (size_t[]){t, 0}, (size_t[]){1, X}, values) != NC_NOERR)
        _exit(1);
}

static void make(int mode, const char *path)
{
    int ncid, dims[2], id, values[X];

    for (int i = 0; i < X; i++)
        values[i] = value_at(i);
    assert_ok(nc_create(path, NC_CLOBBER | mode, &ncid));
    assert_ok(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    assert_ok(nc_def_dim(ncid, "x", X, &dims[1]));
    assert_ok(nc_def_var(ncid, "fixed", NC_INT, 1, &dims[1], &id));
    assert_ok(nc_def_var(ncid, "record", NC_INT, 2, dims, &id));
    assert_ok(nc_def_var(ncid, "small", NC_SHORT, 1, dims, &id));
    assert_ok(nc_enddef(ncid));
    assert_ok(nc_put_var_int(ncid, 0, values));
    for (size_t t = 0; t < T; t++) {
        put_record(ncid, t);
        assert_ok(nc_put_var1_int(ncid, 2, &t, &(int){(int)t + 100}));
    }
    assert_ok(nc_close(ncid));
}

static void check(const char *path)
{
    static int values[X];
    size_t len;
    int ncid, one;

    assert_ok(nc_open(path, NC_NOWRITE, &ncid));
    assert_ok(nc_inq_dimlen(ncid, 0, &len));
    assert_in_range(len, T, T + 3);
    assert_ok(nc_get_var_int(ncid, 0, values));
    for (int i = 0; i < X; i++)
        assert_int_equal(values[i], value_at(i));
    for (size_t t = 0; t < T; t++) {
        assert_ok(nc_get_vara_int(ncid, 1, (size_t[]){t, 0}, (size_t[]){1, X}, values));
        for (int i = 0; i < X; i++)
            assert_int_equal(values[i], value_at(i) + (int)t);
        assert_ok(nc_get_var1_int(ncid, 2, &t, &one));
        assert_int_equal(one, (int)t + 100);
    }
    assert_ok(nc_close(ncid));
}

/* --- what is interrupted ------------------------------------------------------------ */

static int the_header_grows(int ncid)
{
    static char text[3000];

    memset(text, 'a', sizeof text);
    return nc_redef(ncid) || nc_put_att_text(ncid, NC_GLOBAL, "a", sizeof text, text) || nc_enddef(ncid);
}

static int a_fixed_variable_comes(int ncid)
{
    int dim = 1, id;

    return nc_redef(ncid) || nc_def_var(ncid, "new", NC_INT, 1, &dim, &id) || nc_enddef(ncid);
}

static int a_record_variable_comes(int ncid)
{
    int dim = 0, id;

    return nc_redef(ncid) || nc_def_var(ncid, "new", NC_INT, 1, &dim, &id) || nc_enddef(ncid);
}

static int records_come(int ncid)
{
    for (size_t t = T; t < T + 3; t++) {
        put_record(ncid, t);
        if (nc_put_var1_int(ncid, 2, &t, &(int){(int)t + 100}) != NC_NOERR || nc_sync(ncid) != NC_NOERR)
            return 1;
    }
    return 0;
}

static int (*const changes[])(int) = {the_header_grows, a_fixed_variable_comes, a_record_variable_comes, records_come};

/* True: it came to its end. */
static bool interrupted(const char *path, int (*change)(int), int nth, bool within)
{
    int status, ncid;
    pid_t child = fork();

    if (child == 0) {
        if (nc_open(path, NC_WRITE, &ncid) != NC_NOERR)
            _exit(1);
        ends_within = within;
        ends_at = nth;
        if (change(ncid) != 0)
            _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 42);
    return WEXITSTATUS(status) == 42;
}

static void every_write_in_turn(void **state)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};

    (void)state;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
            for (int within = 0; within < 2; within++) {
                int nth = 0;

                do {
                    make(modes[m], "kill.nc");
                    nth++;
                } while (interrupted("kill.nc", changes[c], nth, within) && (check("kill.nc"), true));
                check("kill.nc");
                assert_true(nth > 2);
                print_message("kind %zu, change %zu: %d writes\n", m, c, nth - 1);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_write_in_turn)};
    int failed;

    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
