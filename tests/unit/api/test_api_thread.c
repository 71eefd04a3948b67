/* SPDX-License-Identifier: BSD-3-Clause */
/* The API from several threads at once: on one file, on many, and while another
 * thread closes. */
#include "user_test.h"
#include <pthread.h>
#include <unistd.h>

enum { NTHREADS = 8, NVARS = 8, N = 4000, ROUNDS = 20 };

static int shared;

static void make(const char *path)
{
    int ncid, dim, varid, values[N];
    size_t chunk = 128;
    char name[16];

    assert_ok(nc_create(path, NC_NETCDF4, &ncid));
    assert_ok(nc_def_dim(ncid, "x", N, &dim));
    for (int v = 0; v < NVARS; v++) {
        snprintf(name, sizeof name, "v%d", v);
        assert_ok(nc_def_var(ncid, name, NC_INT, 1, &dim, &varid));
        assert_ok(nc_def_var_chunking(ncid, varid, NC_CHUNKED, &chunk));
        assert_ok(nc_def_var_deflate(ncid, varid, 1, 1, 1));
        for (int i = 0; i < N; i++)
            values[i] = v * N + i;
        assert_ok(nc_put_var_int(ncid, varid, values));
    }
    assert_ok(nc_close(ncid));
}

static void run(void *(*work)(void *))
{
    pthread_t threads[NTHREADS];
    void *failures;

    for (intptr_t t = 0; t < NTHREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, work, (void *)t), 0);
    for (int t = 0; t < NTHREADS; t++) {
        pthread_join(threads[t], &failures);
        assert_null(failures);
    }
}

static void *read_shared(void *arg)
{
    intptr_t failures = 0, me = (intptr_t)arg;
    int values[N], varid, natts;
    char name[16];

    for (int round = 0; round < ROUNDS; round++) {
        int v = (int)(me + round) % NVARS;

        snprintf(name, sizeof name, "v%d", v);
        failures += nc_inq_varid(shared, name, &varid) != 0 || varid != v;
        failures += nc_inq_varnatts(shared, varid, &natts) != 0;
        failures += nc_get_var_int(shared, varid, values) != 0;
        for (int i = 0; i < N; i++)
            failures += values[i] != v * N + i;
        failures += nc_get_var1_int(shared, varid, &(size_t){N}, values) != NC_EINVALCOORDS;
        failures += strcmp(cellar_error_part(CELLAR_VARIABLE), name) != 0; /* this thread's error */
    }
    return (void *)failures;
}

static void one_file_is_read_by_all(void **state)
{
    (void)state;
    make("shared.nc");
    assert_ok(nc_open("shared.nc", NC_NOWRITE, &shared));
    run(read_shared);
    assert_ok(nc_close(shared));
    unlink("shared.nc");
}

static void *write_shared(void *arg)
{
    int me = (int)(intptr_t)arg, values[N / 4];
    intptr_t failures = 0;

    for (size_t start = 0; start < N; start += N / 4) {
        for (size_t i = 0; i < N / 4; i++)
            values[i] = me * N + (int)(start + i);
        failures += nc_put_vara_int(shared, me, &start, &(size_t){N / 4}, values) != 0;
    }
    return (void *)failures;
}

static void one_file_is_written_by_all(void **state)
{
    int dim, varid;
    size_t chunk = 300;
    char name[16];

    (void)state;
    assert_ok(nc_create("written.nc", NC_NETCDF4, &shared));
    assert_ok(nc_def_dim(shared, "x", N, &dim));
    for (int v = 0; v < NVARS; v++) {
        snprintf(name, sizeof name, "v%d", v);
        assert_ok(nc_def_var(shared, name, NC_INT, 1, &dim, &varid));
        assert_ok(nc_def_var_chunking(shared, varid, NC_CHUNKED, &chunk));
        assert_ok(nc_def_var_deflate(shared, varid, 1, 1, 1));
    }
    run(write_shared); /* the first of them leaves define mode for all */
    assert_ok(nc_close(shared));
    assert_ok(nc_open("written.nc", NC_NOWRITE, &shared));
    run(read_shared);
    assert_ok(nc_close(shared));
    unlink("written.nc");
}

static void *own_files(void *arg)
{
    intptr_t failures = 0;
    char path[32];
    int ncid, varid, value;

    snprintf(path, sizeof path, "own_%d.nc", (int)(intptr_t)arg);
    for (int round = 0; round < 5; round++) {
        value = (int)(intptr_t)arg * 100 + round;
        failures += nc_create(path, NC_NETCDF4, &ncid) != 0;
        failures += nc_def_var(ncid, "v", NC_INT, 0, NULL, &varid) != 0;
        failures += nc_put_var_int(ncid, varid, &value) != 0;
        failures += nc_close(ncid) != 0;
        value = 0;
        failures += nc_open(path, NC_NOWRITE, &ncid) != 0;
        failures += nc_get_var_int(ncid, 0, &value) != 0 || value != (int)(intptr_t)arg * 100 + round;
        failures += nc_close(ncid) != 0;
    }
    unlink(path);
    return (void *)failures;
}

static void every_thread_has_files_of_its_own(void **state)
{
    (void)state;
    run(own_files);
}

static void *read_until_closed(void *arg)
{
    int values[N], rc = 0;

    while (rc == 0)
        rc = arg ? nc_get_var_int(shared, (int)(intptr_t)arg, values) : (usleep(5000), nc_close(shared));
    return (void *)(intptr_t)(rc != NC_EBADID);
}

static void closing_waits_for_readers(void **state)
{
    (void)state;
    make("closing.nc");
    assert_ok(nc_open("closing.nc", NC_NOWRITE, &shared));
    run(read_until_closed); /* the closer's second nc_close() is NC_EBADID too */
    unlink("closing.nc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_file_is_read_by_all),
        cmocka_unit_test(one_file_is_written_by_all),
        cmocka_unit_test(every_thread_has_files_of_its_own),
        cmocka_unit_test(closing_waits_for_readers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
