/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as wholes: what a failed create leaves, what is refused and how it is said,
 * memory, and files by other writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cellar.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *scratch(const char *name)
{
    static char path[4][256];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "h5_file_%d_%s", (int)getpid(), name);
    return path[turn];
}

static void write_one(int nc)
{
    int dim, var;

    assert_int_equal(nc_def_dim(nc, "x", 3, &dim), NC_NOERR);
    assert_int_equal(nc_def_var(nc, "v", NC_INT, 1, &dim, &var), NC_NOERR);
    assert_int_equal(nc_put_var_int(nc, var, (int[]){1, 2, 3}), NC_NOERR);
}

static void check_one(int nc)
{
    int back[3];

    assert_int_equal(nc_get_var_int(nc, 0, back), NC_NOERR);
    assert_memory_equal(back, ((int[]){1, 2, 3}), sizeof back);
}

static void noclobber_keeps_what_is_there(void **state)
{
    const char *path = scratch("there.nc");
    int nc;

    (void)state;
    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_create(path, NC_NETCDF4 | NC_NOCLOBBER, &nc), NC_EEXIST);
    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR);
    check_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    unlink(path);
}

static void a_file_open_here_is_not_emptied(void **state)
{
    const char *path = scratch("open.nc");
    int nc, nc2;

    (void)state;
    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_sync(nc), NC_NOERR);
    assert_int_not_equal(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc2), NC_NOERR);
    check_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR);
    check_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    unlink(path);
}

static void two_readers_and_either_may_go_first(void **state)
{
    const char *path = scratch("twice.nc");
    int nc, nc2;

    (void)state;
    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR);
    assert_int_equal(nc_open(path, 0, &nc2), NC_NOERR);
    check_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    check_one(nc2);
    assert_int_equal(nc_close(nc2), NC_NOERR);
    unlink(path);
}

static void abort_leaves_no_file(void **state)
{
    const char *path = scratch("abort.nc");
    int nc;

    (void)state;
    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    assert_int_equal(nc_abort(nc), NC_NOERR);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void refusals_say_why(void **state)
{
    int nc;

    (void)state;
    assert_int_not_equal(nc_create("/no/such/directory/x.nc", NC_NETCDF4, &nc), NC_NOERR);
    assert_non_null(strstr(cellar_error(), "No such file or directory"));
    assert_int_not_equal(nc_open("/no/such/file.nc", 0, &nc), NC_NOERR);
    assert_int_not_equal(cellar_error()[0], '\0');
}

static void a_truncated_file_says_so(void **state)
{
    const char *path = scratch("cut.nc");
    int nc;

    (void)state;
    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(truncate(path, 1000), 0);
    assert_int_equal(nc_open(path, 0, &nc), NC_EHDFERR);
    assert_non_null(strstr(cellar_error(), "truncated: it has 1000 of its "));
    unlink(path);
}

/* RLIMIT_FSIZE would do, /dev/full is no regular file: a tiny locked memory is a full disk. */
static void a_full_disk_is_an_error_with_a_reason(void **state)
{
    NC_memio memory = {.size = 0};
    int nc, var, dim, rc;
    static int values[100000];

    (void)state;
    assert_int_equal(nc_create_mem("full.nc", NC_NETCDF4, 4096, &nc), NC_NOERR);
    assert_int_equal(nc_def_dim(nc, "x", 100000, &dim), NC_NOERR);
    assert_int_equal(nc_def_var(nc, "v", NC_INT, 1, &dim, &var), NC_NOERR);
    assert_int_equal(nc_put_var_int(nc, var, values), NC_NOERR);
    assert_int_equal(nc_close_memio(nc, &memory), NC_NOERR);
    assert_true(memory.size >= sizeof values);
    memory.flags = NC_MEMIO_LOCKED;
    assert_int_equal(nc_open_memio("full.nc", NC_WRITE, &memory, &nc), NC_NOERR);
    assert_int_equal(nc_redef(nc), NC_NOERR);
    assert_int_equal(nc_def_var(nc, "w", NC_INT, 1, &dim, &var), NC_NOERR);
    rc = nc_enddef(nc);
    if (rc == NC_NOERR)
        rc = nc_put_var_int(nc, var, values);
    if (rc == NC_NOERR)
        rc = nc_sync(nc);
    assert_int_not_equal(rc, NC_NOERR);
    assert_non_null(strstr(cellar_error(), "No space left"));
    assert_int_equal(nc_close(nc), NC_EHDFERR); /* and libhdf5 must not crash at exit */
    assert_non_null(strstr(cellar_error(), "No space left"));
    free(memory.memory);
}

static void memory_files_go_round(void **state)
{
    NC_memio memory = {0};
    int nc;

    (void)state;
    assert_int_equal(nc_create_mem("m.nc", NC_NETCDF4, 0, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_close_memio(nc, &memory), NC_NOERR);
    assert_int_equal(nc_open_mem("m.nc", 0, memory.size, memory.memory, &nc), NC_NOERR);
    check_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    free(memory.memory);
}

static void memory_that_cannot_be_opened_stays_the_callers(void **state)
{
    NC_memio memory = {.size = 4096, .memory = calloc(1, 4096)};
    int nc;

    (void)state;
    memcpy(memory.memory, "\211HDF\r\n\032\n", 8);
    assert_int_not_equal(nc_open_memio("bad.nc", NC_WRITE, &memory, &nc), NC_NOERR);
    free(memory.memory); /* twice, if the library had taken it */
}

static void diskless_files_persist_when_asked(void **state)
{
    const char *path = scratch("diskless.nc");
    int nc;

    (void)state;
    assert_int_equal(nc_create(path, NC_NETCDF4 | NC_DISKLESS, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(nc_create(path, NC_NETCDF4 | NC_DISKLESS | NC_PERSIST, &nc), NC_NOERR);
    write_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_open(path, NC_DISKLESS, &nc), NC_NOERR);
    check_one(nc);
    assert_int_equal(nc_close(nc), NC_NOERR);
    unlink(path);
}

/* libhdf5 prints its error stack unless every thread is told not to. */
static void nothing_is_printed_and_the_callers_setting_stays(void **state)
{
    H5E_auto2_t before, after;
    void *data;
    int nc, saved = dup(2), pipes[2];
    char text[64];

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    dup2(pipes[1], 2);
    nc_open("/no/such/file.nc", 0, &nc);
    {
        FILE *f = fopen(scratch("junk.nc"), "wb");

        fwrite("\211HDF\r\n\032\njunk", 1, 12, f);
        fclose(f);
        assert_int_equal(nc_open(scratch("junk.nc"), 0, &nc), NC_EHDFERR);
        unlink(scratch("junk.nc"));
    }
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_ptr_equal(before, after);
    assert_int_equal(read(pipes[0], text, sizeof text), -1);
    close(pipes[0]);
    close(pipes[1]);
}

/* One value of each of many chunks: libhdf5 is asked for each, and fails each time, as none is there yet. */
static void *put_part_of_many_chunks(void *path)
{
    enum { N = 64 };
    const size_t chunk = 8, count = N;
    const ptrdiff_t stride = 8;
    float values[N] = {0};
    int nc, dim, var;

    for (int round = 0; round < 10; round++) {
        if (nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc) != NC_NOERR ||
            nc_def_dim(nc, "x", N * chunk, &dim) != NC_NOERR ||
            nc_def_var(nc, "v", NC_FLOAT, 1, &dim, &var) != NC_NOERR ||
            nc_def_var_chunking(nc, var, NC_CHUNKED, &chunk) != NC_NOERR ||
            nc_put_vars_float(nc, var, (size_t[]){0}, &count, &stride, values) != NC_NOERR || nc_close(nc) != NC_NOERR)
            return path;
    }
    return NULL;
}

/* Where libhdf5 is asked chunk by chunk it stays silent from one to the next; afterwards all is as before, in the program's threads
 * too, whether the setting is each thread's own or, in a libhdf5 that is not thread-safe, everybody's. */
static void rows_of_chunks_are_silent_too(void **state)
{
    H5E_auto2_t before, after;
    char path[2][256], text[64];
    int saved = dup(2), pipes[2];
    pthread_t other;
    void *data, *failed[2];

    (void)state;
    snprintf(path[0], sizeof path[0], "%s", scratch("silent_0.nc"));
    snprintf(path[1], sizeof path[1], "%s", scratch("silent_1.nc"));
    assert_int_equal(pipe(pipes), 0);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    assert_non_null(before);
    dup2(pipes[1], 2);
    assert_int_equal(pthread_create(&other, NULL, put_part_of_many_chunks, path[1]), 0);
    failed[0] = put_part_of_many_chunks(path[0]);
    pthread_join(other, &failed[1]);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    assert_null(failed[0]);
    assert_null(failed[1]);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_ptr_equal(before, after);
    assert_int_equal(read(pipes[0], text, sizeof text), -1);
    close(pipes[0]);
    close(pipes[1]);
    unlink(path[0]);
    unlink(path[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noclobber_keeps_what_is_there),
        cmocka_unit_test(a_file_open_here_is_not_emptied),
        cmocka_unit_test(two_readers_and_either_may_go_first),
        cmocka_unit_test(abort_leaves_no_file),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(a_truncated_file_says_so),
        cmocka_unit_test(a_full_disk_is_an_error_with_a_reason),
        cmocka_unit_test(memory_files_go_round),
        cmocka_unit_test(memory_that_cannot_be_opened_stays_the_callers),
        cmocka_unit_test(diskless_files_persist_when_asked),
        cmocka_unit_test(nothing_is_printed_and_the_callers_setting_stays),
        cmocka_unit_test(rows_of_chunks_are_silent_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
