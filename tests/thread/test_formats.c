/* SPDX-License-Identifier: BSD-3-Clause */
/* Five formats, each from several threads: on files of their own, on variables of one file, reading one file together, and
 * beside children that are forked meanwhile. Every value is checked. Meant for ThreadSanitizer too (make test-tsan). */
#include "common/scratch.h"
#include <cellar.h>
#include <netcdf.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <cmocka.h>

enum { NTHREADS = 4, NT = 6, NX = 2000, CHUNK = 250, FORKS = 8 };

static const struct format {
    const char *name, *mode; /* of a URL; NULL: a plain path */
    int flags;
    bool chunked, sharded;
} formats[] = {
    {"netcdf4", NULL, NC_NETCDF4, true, false},         {"classic", NULL, NC_64BIT_DATA, false, false},
    {"nczarr", "nczarr,file", NC_NETCDF4, true, false}, {"zarr3", "zarr,v3,file", NC_NETCDF4, true, true},
    {"zip", "nczarr,zip", NC_NETCDF4, true, false},
};

enum { NFORMATS = sizeof formats / sizeof *formats };

struct work {
    pthread_t thread;
    const struct format *format;
    int number, ncid, var;
};

#define OK(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            fprintf(stderr, "%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, rc_, cellar_error()); \
            abort(); \
        } \
    } while (0)

static void path_of(const struct format *f, const char *what, int number, char *out, size_t room)
{
    /* scratch() is for one thread */
    snprintf(out, room, "%s%s/%s-%s-%d%s%s", f->mode ? "file://" : "", scratch_folder, f->name, what, number,
             f->mode ? "#mode=" : "", f->mode ? f->mode : "");
}

static int value(int number, size_t t, size_t x)
{
    return number * 100000 + (int)t * 10000 + (int)x;
}

static void define(const struct format *f, int ncid, int nvars, int *vars)
{
    int dims[2];

    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", NX, &dims[1]));
    for (int i = 0; i < nvars; i++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", i);
        OK(nc_def_var(ncid, name, NC_INT, 2, dims, &vars[i]));
        if (!f->chunked)
            continue;
        OK(nc_def_var_chunking(ncid, vars[i], NC_CHUNKED, (size_t[]){2, CHUNK}));
        OK(nc_def_var_deflate(ncid, vars[i], 1, 1, 1));
        if (f->sharded)
            OK(cellar_def_var_shards(ncid, vars[i], (size_t[]){2, 4 * CHUNK}));
    }
    OK(nc_enddef(ncid));
}

static void put_all(int ncid, int var, int number)
{
    static _Thread_local int row[NX];

    for (size_t t = 0; t < NT; t++) {
        for (size_t x = 0; x < NX; x++)
            row[x] = value(number, t, x);
        OK(nc_put_vara_int(ncid, var, (size_t[]){t, 0}, (size_t[]){1, NX}, row));
    }
}

static void get_all(int ncid, int var, int number)
{
    static _Thread_local int rows[NT][NX];

    OK(nc_get_vara_int(ncid, var, (size_t[]){0, 0}, (size_t[]){NT, NX}, rows[0]));
    for (size_t t = 0; t < NT; t++)
        for (size_t x = 0; x < NX; x++)
            MUST(rows[t][x] == value(number, t, x));
}

static void *own_file(void *argument)
{
    struct work *w = argument;
    char path[1300];
    int ncid, var;

    path_of(w->format, "own", w->number, path, sizeof path);
    OK(nc_create(path, w->format->flags | NC_CLOBBER, &ncid));
    define(w->format, ncid, 1, &var);
    put_all(ncid, var, w->number);
    OK(nc_sync(ncid));
    get_all(ncid, var, w->number);
    OK(nc_close(ncid));
    OK(nc_open(path, NC_NOWRITE, &ncid));
    get_all(ncid, 0, w->number);
    OK(nc_close(ncid));
    return NULL;
}

static void *own_variable(void *argument)
{
    struct work *w = argument;

    put_all(w->ncid, w->var, w->number);
    get_all(w->ncid, w->var, w->number);
    return NULL;
}

static void *read_every(void *argument)
{
    struct work *w = argument;

    for (int i = 0; i < NTHREADS; i++)
        get_all(w->ncid, (i + w->number) % NTHREADS, (i + w->number) % NTHREADS);
    return NULL;
}

static void run(const struct format *f, void *(*job)(void *), int ncid)
{
    struct work work[NTHREADS];

    for (int i = 0; i < NTHREADS; i++) {
        work[i] = (struct work){.format = f, .number = i, .ncid = ncid, .var = i};
        assert_int_equal(pthread_create(&work[i].thread, NULL, job, &work[i]), 0);
    }
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(work[i].thread, NULL);
}

static void each_its_own_file(void **state)
{
    run(*state, own_file, -1);
}

static void each_its_own_variable(void **state)
{
    const struct format *f = *state;
    char path[1300];
    int ncid, vars[NTHREADS];

    path_of(f, "shared", 0, path, sizeof path);
    OK(nc_create(path, f->flags | NC_CLOBBER, &ncid));
    define(f, ncid, NTHREADS, vars);
    run(f, own_variable, ncid);
    OK(nc_close(ncid));
    OK(nc_open(path, NC_NOWRITE, &ncid));
    run(f, read_every, ncid);
    OK(nc_close(ncid));
}

/* --- fork ------------------------------------------------------------------------------ */

static atomic_bool stop;

static void *read_on(void *argument)
{
    while (!atomic_load(&stop))
        read_every(argument);
    return NULL;
}

/* ThreadSanitizer lets a forked child make no threads. */
static void child(const struct format *f, int number)
{
    struct work w = {.format = f, .number = number};

    cellar_set_threads(1);
    own_file(&w);
    _exit(0);
}

static void children_work_beside_threads(void **state)
{
    const struct format *f = *state;
    struct work w = {.format = f};
    char path[1300];

    path_of(f, "shared", 0, path, sizeof path);
    OK(nc_open(path, NC_NOWRITE, &w.ncid));
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&w.thread, NULL, read_on, &w), 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t pid = fork();
        int status = 1;

        if (pid == 0)
            child(f, 10 + i);
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(w.thread, NULL);
    OK(nc_close(w.ncid));
}

int main(int argc, char **argv)
{
    int failed = 0;

    (void)argv;
    scratch_make();
    cellar_set_threads(3);
    for (int i = 0; i < NFORMATS; i++) {
        void *format = (void *)&formats[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(each_its_own_file, format),
            cmocka_unit_test_prestate(each_its_own_variable, format),
            cmocka_unit_test_prestate(children_work_beside_threads, format),
        };

        print_message("%s\n", formats[i].name);
        failed += _cmocka_run_group_tests(formats[i].name, tests, argc > 1 ? 2 : 3, NULL, NULL);
    }
    return failed;
}
