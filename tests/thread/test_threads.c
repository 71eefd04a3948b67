/* SPDX-License-Identifier: BSD-3-Clause */
/* The library from several threads: each on its own file, each on its own variable
 * of one file, and readers beside writers. Every value is checked. Meant for
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
#define NT 12
#define NY 80
#define NX 100 /* enough for the pool to be worth waking */

static const size_t chunks[3] = {4, 16, 20};

struct work {
    pthread_t thread;
    int number;
    int ncid; /* shared file, or -1 */
    int varid;
    char path[64];
    char failure[256]; /* "" when all went well */
};

#define TRY(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            snprintf(w->failure, sizeof w->failure, "line %d: %d %s: %.150s", __LINE__, rc_, nc_strerror(rc_), \
                     cellar_error()); \
            return NULL; \
        } \
    } while (0)

static float value(int number, size_t t, size_t i)
{
    return (float)number * 1000 + (float)t * 10 + (float)(i % 997) / 7;
}

static int def_var(int nc, const char *name, const int *dims, int number, int *var)
{
    int rc = nc_def_var(nc, name, NC_FLOAT, 3, dims, var);

    if (rc == NC_NOERR)
        rc = nc_def_var_chunking(nc, *var, NC_CHUNKED, chunks);
    if (rc == NC_NOERR && number % 4)
        rc = nc_def_var_deflate(nc, *var, number % 2, 1, number % 4);
    if (rc == NC_NOERR && number % 3 == 0)
        rc = nc_def_var_fletcher32(nc, *var, NC_FLETCHER32);
    return rc;
}

static int def_file(const char *path, int nvars, int *nc, int *vars)
{
    int dims[3];
    char name[16];
    int rc = nc_create(path, NC_NETCDF4 | NC_CLOBBER, nc);

    if (rc == NC_NOERR)
        rc = nc_def_dim(*nc, "t", NC_UNLIMITED, &dims[0]);
    if (rc == NC_NOERR)
        rc = nc_def_dim(*nc, "y", NY, &dims[1]);
    if (rc == NC_NOERR)
        rc = nc_def_dim(*nc, "x", NX, &dims[2]);
    for (int v = 0; rc == NC_NOERR && v < nvars; v++) {
        snprintf(name, sizeof name, "v%d", v);
        rc = def_var(*nc, name, dims, v, &vars[v]);
    }
    return rc == NC_NOERR ? nc_enddef(*nc) : rc;
}

/* Put step by step, then everything again in one call; read between, and back. */
static void *put_and_get(void *arg)
{
    struct work *w = arg;
    static const size_t whole[3] = {NT, NY, NX}, one[3] = {1, NY, NX}, origin[3] = {0};
    float *data = malloc(NT * NY * NX * sizeof *data), *back = malloc(NT * NY * NX * sizeof *back);
    int nc = w->ncid, var = w->varid;

    if (nc < 0)
        TRY(def_file(w->path, 1, &nc, &var));
    for (size_t i = 0; i < NT * NY * NX; i++)
        data[i] = value(w->number, i / (NY * NX), i % (NY * NX));
    for (size_t t = 0; t < NT; t++) {
        TRY(nc_put_vara_float(nc, var, (size_t[3]){t, 0, 0}, one, data + t * NY * NX));
        TRY(nc_get_vara_float(nc, var, (size_t[3]){t / 2, 0, 0}, one, back));
        if (memcmp(back, data + t / 2 * NY * NX, NY * NX * sizeof *data) != 0)
            snprintf(w->failure, sizeof w->failure, "step %zu reads back wrong", t / 2);
    }
    TRY(nc_put_vara_float(nc, var, origin, whole, data));
    TRY(nc_get_vara_float(nc, var, origin, whole, back));
    if (memcmp(back, data, NT * NY * NX * sizeof *data) != 0)
        snprintf(w->failure, sizeof w->failure, "the field reads back wrong");
    if (w->ncid < 0)
        TRY(nc_close(nc));
    free(data);
    free(back);
    return NULL;
}

static void *reopen_and_check(void *arg)
{
    struct work *w = arg;
    float *back = malloc(NT * NY * NX * sizeof *back);
    int nc = w->ncid, var = w->varid;

    if (nc < 0) {
        TRY(nc_open(w->path, NC_NOWRITE, &nc));
        TRY(nc_inq_varid(nc, "v0", &var));
    }
    TRY(nc_get_var_float(nc, var, back));
    for (size_t i = 0; i < NT * NY * NX; i++)
        if (back[i] != value(w->number, i / (NY * NX), i % (NY * NX)))
            snprintf(w->failure, sizeof w->failure, "value %zu is wrong in the file", i);
    if (w->ncid < 0)
        TRY(nc_close(nc));
    free(back);
    return NULL;
}

static void run(struct work *works, int n, void *(*body)(void *))
{
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&works[i].thread, NULL, body, &works[i]), 0);
    for (int i = 0; i < n; i++)
        pthread_join(works[i].thread, NULL);
    for (int i = 0; i < n; i++)
        assert_string_equal(works[i].failure, "");
}

static void eight_threads_on_eight_files(void **state)
{
    struct work works[NTHREADS] = {0};

    for (int pool = 1; pool <= 4; pool += 3) {
        assert_int_equal(cellar_set_threads(pool), NC_NOERR);
        for (int i = 0; i < NTHREADS; i++) {
            works[i].number = i;
            works[i].ncid = -1;
            snprintf(works[i].path, sizeof works[i].path, "threads_%d_%d.nc", pool, i);
        }
        run(works, NTHREADS, put_and_get);
        run(works, NTHREADS, reopen_and_check);
        for (int i = 0; i < NTHREADS; i++)
            unlink(works[i].path);
    }
}

static void eight_threads_on_eight_variables(void **state)
{
    static const char path[] = "threads_vars.nc";
    struct work works[NTHREADS] = {0};
    int nc, vars[NTHREADS];

    for (int pool = 1; pool <= 4; pool += 3) {
        assert_int_equal(cellar_set_threads(pool), NC_NOERR);
        assert_int_equal(def_file(path, NTHREADS, &nc, vars), NC_NOERR);
        for (int i = 0; i < NTHREADS; i++) {
            works[i].number = i;
            works[i].ncid = nc;
            works[i].varid = vars[i];
        }
        run(works, NTHREADS, put_and_get);
        assert_int_equal(nc_close(nc), NC_NOERR);
        assert_int_equal(nc_open(path, NC_NOWRITE, &nc), NC_NOERR);
        for (int i = 0; i < NTHREADS; i++)
            works[i].ncid = nc;
        run(works, NTHREADS, reopen_and_check);
        assert_int_equal(nc_close(nc), NC_NOERR);
        unlink(path);
    }
}

/* Several threads read one variable; one more keeps opening and closing the file. */
static void *open_and_close(void *arg)
{
    struct work *w = arg;
    int nc;

    for (int i = 0; i < 20; i++) {
        TRY(nc_open(w->path, NC_NOWRITE, &nc));
        TRY(nc_close(nc));
    }
    return NULL;
}

static void readers_share_a_variable(void **state)
{
    static const char path[] = "threads_shared.nc";
    struct work works[NTHREADS] = {0};
    int nc, var;

    assert_int_equal(cellar_set_threads(4), NC_NOERR);
    strcpy(works[0].path, path);
    works[0].ncid = -1;
    run(works, 1, put_and_get);
    assert_int_equal(nc_open(path, NC_NOWRITE, &nc), NC_NOERR);
    assert_int_equal(nc_inq_varid(nc, "v0", &var), NC_NOERR);
    for (int i = 0; i < NTHREADS; i++) {
        strcpy(works[i].path, path);
        works[i].ncid = nc;
        works[i].varid = var;
        works[i].number = 0;
    }
    for (int i = 0; i < NTHREADS; i++)
        assert_int_equal(pthread_create(&works[i].thread, NULL, i % 2 ? open_and_close : reopen_and_check, &works[i]),
                         0);
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(works[i].thread, NULL);
    for (int i = 0; i < NTHREADS; i++)
        assert_string_equal(works[i].failure, "");
    assert_int_equal(nc_close(nc), NC_NOERR);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_on_eight_files),
        cmocka_unit_test(eight_threads_on_eight_variables),
        cmocka_unit_test(readers_share_a_variable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
