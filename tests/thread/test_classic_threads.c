/* SPDX-License-Identifier: BSD-3-Clause */
/* One classic file from eight threads, each with a variable of its own: record
 * variables, whose records are interleaved and grow by turns, and fixed ones with
 * rows long enough for the pool, while one more thread keeps calling nc_sync(). Between
 * them single values, which are moved by a shorter way while nobody else is in the file.
 * Every value is checked, also by eight readers of the closed file. Meant for
 * ThreadSanitizer too (make test-tsan). */
#include <cellar.h>
#include <netcdf.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define NTHREADS 8
#define NT 6
#define NY 200
#define NX 300 /* the fixed variables have 1.4 MB: a long row */
#define STEP (NY * NX)
#define SINGLES 300

struct work {
    pthread_t thread;
    int number, ncid, varid;
    char failure[256]; /* "" when all went well */
};

#define OK(call) assert_int_equal(call, NC_NOERR)
#define TRY(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) \
            snprintf(w->failure, sizeof w->failure, "line %d: %d %.150s", __LINE__, rc_, cellar_error()); \
    } while (0)

static float value(int number, size_t i)
{
    return (float)number * 1000 + (float)(i / STEP) * 10 + (float)(i % 997) / 8;
}

static void check(struct work *w, const float *back, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (back[i] != value(w->number, first + i)) {
            snprintf(w->failure, sizeof w->failure, "value %zu of v%d is wrong", first + i, w->number);
            return;
        }
}

/* Of one step, in order, in halves: of the file's own type and of another. */
static void put_singles(struct work *w, size_t t)
{
    for (size_t i = 0; i < SINGLES; i++) {
        float f = value(w->number, t * STEP + i);
        double d = f;
        size_t at[3] = {t, i / NX, i % NX};

        TRY(i % 2 ? nc_put_var1_float(w->ncid, w->varid, at, &f) : nc_put_var1_double(w->ncid, w->varid, at, &d));
    }
}

static void check_singles(struct work *w, size_t t)
{
    for (size_t i = 0; i < SINGLES; i++) {
        float f = 0;
        double d = 0;
        size_t at[3] = {t, i / NX, i % NX};

        TRY(nc_get_var1_float(w->ncid, w->varid, at, &f));
        TRY(nc_get_var1_double(w->ncid, w->varid, at, &d));
        check(w, &f, t * STEP + i, 1);
        if (d != (double)f)
            snprintf(w->failure, sizeof w->failure, "value %zu of v%d differs as a double", i, w->number);
    }
}

/* Step by step with reads between, then everything in one call. */
static void *put_and_get(void *arg)
{
    struct work *w = arg;
    static const size_t one[3] = {1, NY, NX}, whole[3] = {NT, NY, NX}, origin[3] = {0};
    float *data = malloc(NT * STEP * sizeof *data), *back = malloc(NT * STEP * sizeof *back);

    for (size_t i = 0; i < NT * STEP; i++)
        data[i] = value(w->number, i);
    for (size_t t = 0; t < NT; t++) {
        TRY(nc_put_vara_float(w->ncid, w->varid, (size_t[3]){t, 0, 0}, one, data + t * STEP));
        TRY(nc_get_vara_float(w->ncid, w->varid, (size_t[3]){t / 2, 0, 0}, one, back));
        check(w, back, t / 2 * STEP, STEP);
        put_singles(w, t);
        check_singles(w, t);
    }
    TRY(nc_put_vara_float(w->ncid, w->varid, origin, whole, data));
    TRY(nc_get_vara_float(w->ncid, w->varid, origin, whole, back));
    check(w, back, 0, NT * STEP);
    free(data);
    free(back);
    return NULL;
}

static void *get_and_check(void *arg)
{
    struct work *w = arg;
    float *back = malloc(NT * STEP * sizeof *back);

    TRY(nc_get_var_float(w->ncid, w->varid, back));
    check(w, back, 0, NT * STEP);
    check_singles(w, NT - 1);
    free(back);
    return NULL;
}

static void *sync_often(void *arg)
{
    struct work *w = arg;

    for (int i = 0; i < 5; i++)
        TRY(nc_sync(w->ncid));
    return NULL;
}

static void run(struct work *works, int nc, const int *vars, void *(*body)(void *))
{
    for (int i = 0; i < NTHREADS; i++) {
        works[i] = (struct work){.number = i, .ncid = nc, .varid = vars[i]};
        assert_int_equal(pthread_create(&works[i].thread, NULL, body, &works[i]), 0);
    }
}

static void join(struct work *works, int n)
{
    for (int i = 0; i < n; i++)
        pthread_join(works[i].thread, NULL);
    for (int i = 0; i < n; i++)
        assert_string_equal(works[i].failure, "");
}

static void def_file(const char *path, int format, int *nc, int *vars)
{
    int dims[4];

    OK(nc_create(path, NC_CLOBBER | format, nc));
    OK(nc_def_dim(*nc, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(*nc, "n", NT, &dims[3]));
    OK(nc_def_dim(*nc, "y", NY, &dims[1]));
    OK(nc_def_dim(*nc, "x", NX, &dims[2]));
    for (int v = 0; v < NTHREADS; v++) {
        char name[8];

        snprintf(name, sizeof name, "v%d", v);
        OK(nc_def_var(*nc, name, NC_FLOAT, 3, (int[3]){dims[v % 2 ? 3 : 0], dims[1], dims[2]}, &vars[v]));
    }
    OK(nc_enddef(*nc));
}

static void use_from_all(const char *path, int format)
{
    struct work works[NTHREADS + 1];
    int nc, vars[NTHREADS];

    def_file(path, format, &nc, vars);
    run(works, nc, vars, put_and_get);
    works[NTHREADS] = (struct work){.ncid = nc};
    assert_int_equal(pthread_create(&works[NTHREADS].thread, NULL, sync_often, &works[NTHREADS]), 0);
    join(works, NTHREADS + 1);
    OK(nc_close(nc));
    OK(nc_open(path, NC_NOWRITE, &nc));
    run(works, nc, vars, get_and_check);
    join(works, NTHREADS);
    OK(nc_close(nc));
    unlink(path);
}

static void eight_threads_on_one_file(void **state)
{
    static const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};

    for (int pool = 1; pool <= 4; pool += 3)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            OK(cellar_set_threads(pool));
            use_from_all("threads_classic.nc", formats[f]);
        }
}

/* In memory the file moves when it grows. */
static void eight_threads_on_one_file_in_memory(void **state)
{
    struct work works[NTHREADS];
    int nc, vars[NTHREADS];

    OK(cellar_set_threads(4));
    def_file("threads_classic_memory.nc", NC_DISKLESS, &nc, vars);
    run(works, nc, vars, put_and_get);
    join(works, NTHREADS);
    run(works, nc, vars, get_and_check);
    join(works, NTHREADS);
    OK(nc_close(nc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_on_one_file),
        cmocka_unit_test(eight_threads_on_one_file_in_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
