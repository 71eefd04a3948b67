/* SPDX-License-Identifier: BSD-3-Clause */
/* fork() in a loop while other threads are inside the library, in every part of it that has a
 * lock: no child hangs, each can open, write and read files of its own, and what it inherited either
 * works or says why not. */
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define N 40000 /* values, in chunks of 1000 */
#define FORKS 60
#define PATIENCE 60 /* seconds until a child counts as hanging */

/* ThreadSanitizer lets a forked child make no threads; AddressSanitizer's allocator stays locked
 * in a child that is forked while a thread starts. */
#if defined(__SANITIZE_THREAD__)
#define CHILDS_THREADS 1
#else
#define CHILDS_THREADS 2
#endif

#define OK(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            fprintf(stderr, "%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, rc_, cellar_error()); \
            abort(); \
        } \
    } while (0)

static float values[N];
static atomic_bool stop;
static int shared; /* open for reading, in use by a thread and by the children */

static void write_file(const char *path, int mode)
{
    size_t chunk = 1000;
    int nc, dim, var;

    OK(nc_create(path, mode | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "x", N, &dim));
    OK(nc_def_var(nc, "v", NC_FLOAT, 1, &dim, &var));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, &chunk));
    OK(nc_def_var_deflate(nc, var, 1, 1, 1));
    OK(nc_put_var_float(nc, var, values));
    OK(nc_close(nc));
}

static void read_file(const char *path)
{
    static _Thread_local float back[N];
    int nc;

    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_get_var_float(nc, 0, back));
    if (memcmp(back, values, sizeof back) != 0)
        abort();
    OK(nc_close(nc));
}

/* --- what the other threads do until they are told to stop ---------------------------- */

static void write_again(void)
{
    write_file("fork_parent.nc", NC_NETCDF4);
}

static void write_zarr_again(void)
{
    write_file("file://fork_parent.zarr#mode=zarr,file", NC_NETCDF4);
}

static void use_shared(void)
{
    float some[5000];
    size_t start = 777, count = 5000;

    OK(nc_get_vara_float(shared, 0, &start, &count, some));
}

static void change_settings(void)
{
    char *value;

    OK(nc_set_chunk_cache(1 << 20, 100, 0.5f));
    OK(nc_rc_set("FORK.TEST", "value"));
    value = nc_rc_get("FORK.TEST");
    free(value);
    cellar_set_threads(2);
    cellar_set_threads(3);
    nc_inq_filter_avail(shared, 32099); /* nobody's: plugins are looked for */
}

static void *repeat(void *piece)
{
    while (!atomic_load(&stop))
        ((void (*)(void))piece)();
    return NULL;
}

/* --- what a child does ------------------------------------------------------------------ */

static void be_a_child(void)
{
    char path[64];
    float back[10];
    size_t start = 5, count = 10;
    int rc;

    alarm(PATIENCE);
    cellar_set_threads(CHILDS_THREADS);
    snprintf(path, sizeof path, "fork_child_%d.nc", (int)getpid());
    write_file(path, NC_NETCDF4);
    read_file(path);
    unlink(path);
    read_file("fork_shared.nc");
    rc = nc_get_vara_float(shared, 0, &start, &count, back);
    if (rc == NC_NOERR ? memcmp(back, values + start, sizeof back) != 0
                       : rc != NC_EPERM || !strstr(cellar_error(), "forked"))
        _exit(2);
    if (nc_close(shared) != rc)
        _exit(3);
    if (nc_set_chunk_cache(1 << 21, 100, 0.5f) != NC_NOERR || nc_rc_set("FORK.CHILD", "1") != NC_NOERR)
        _exit(4);
    _exit(0);
}

static void children_of_a_busy_process_work(void **state)
{
    void (*const pieces[])(void) = {write_again, write_zarr_again, use_shared, change_settings};
    pthread_t thread[sizeof pieces / sizeof *pieces];
    int status;

    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, repeat, (void *)pieces[i]), 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            be_a_child();
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("child %d ended with status 0x%x", i, (unsigned)status);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        pthread_join(thread[i], NULL);
    read_file("fork_parent.nc"); /* the children have left the parent's alone */
}

/* With nobody in it, an inherited dataset is read on in the child. */
static void an_idle_dataset_is_read_on(void **state)
{
    float back[10];
    size_t start = 5, count = 10;
    int status;
    pid_t pid;

    (void)state;
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        cellar_set_threads(CHILDS_THREADS);
        _exit(nc_get_vara_float(shared, 0, &start, &count, back) != NC_NOERR || nc_close(shared) != NC_NOERR);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_dataset_is_read_on),
        cmocka_unit_test(children_of_a_busy_process_work),
    };
    int failed;

    for (size_t i = 0; i < N; i++)
        values[i] = (float)i * 0.5f;
    write_file("fork_shared.nc", NC_NETCDF4);
    OK(nc_open("fork_shared.nc", NC_NOWRITE, &shared));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    OK(nc_close(shared));
    unlink("fork_shared.nc");
    unlink("fork_parent.nc");
    nc_delete("file://fork_parent.zarr#mode=zarr,file");
    return failed;
}
