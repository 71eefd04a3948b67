/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request for memory in turn fails while Zarr stores of every kind are written and read: nothing
 * crashes, some call says so, and what is left is absent or valid; where no call failed, it is complete.
 * Without a sanitizer all requests of the process count, those of other libraries too. */
#include "common/tree.h"
#include "mem.h"
#include <cellar.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* --- which request fails ----------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

static void fail_at(long n)
{
    cel_mem_fail_at(n);
}

static long left(void)
{
    return cel_mem_fail_at(0);
}

#else

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static long until_failure;

static void fail_at(long n)
{
    __atomic_store_n(&until_failure, n, __ATOMIC_SEQ_CST);
}

static long left(void)
{
    return __atomic_exchange_n(&until_failure, 0, __ATOMIC_SEQ_CST);
}

static int must_fail(void)
{
    if (__atomic_load_n(&until_failure, __ATOMIC_RELAXED) <= 0 ||
        __atomic_fetch_sub(&until_failure, 1, __ATOMIC_SEQ_CST) != 1)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n)
{
    return must_fail() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return must_fail() ? NULL : __libc_realloc(p, n);
}

#endif

/* --- the stores ---------------------------------------------------------------- */

enum { T = 3, X = 40 };

static char scratch[] = "/dev/shm/regress_04_XXXXXX"; /* nc_sync need not wait for a disk */
static const struct kind {
    const char *mode;
    int zip, sharded;
    const char *chain, *text_chain;
} kinds[] = {
    {"zarr", 0, 0, "shuffle|deflate,level=1", "[{\"id\":\"vlen-utf8\"},{\"id\":\"zlib\",\"level\":1}]"},
    {"nczarr,consolidated", 0, 0, "delta|zstd,level=1", "[{\"id\":\"json2\"}]"},
    {"zarr,v3", 0, 0,
     "[{\"name\":\"numcodecs.astype\",\"configuration\":{\"encode_dtype\":\"<i8\",\"decode_dtype\":\"<i4\"}}]", ""},
    {"nczarr,v3", 0, 1, "zstd,level=1", ""},
    {"zarr,v3,zip", 1, 1, "shuffle|zstd,level=1", ""},
    {"nczarr,zip", 1, 0, "fletcher32", "[{\"id\":\"vlen-bytes\"}]"},
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static void url_of(const struct kind *k, char *path, char *url)
{
    sprintf(path, "%s/s.%s", scratch, k->zip ? "zip" : "zarr");
    sprintf(url, "file://%s#mode=%s", path, k->mode);
}

/* The first code that is not 0 is kept; all calls are made whatever the others said. */
#define TRY(call) keep(first, (call))

static int keep(int *first, int rc)
{
    *first = *first ? *first : rc;
    return rc;
}

static void define(const struct kind *k, int ncid, int *var, int *first)
{
    int dim[2] = {-1, -1}, group = -1, one[] = {1, 2, 3}, fill = -5;
    const char *words[] = {"a", "bc"};
    float real = 1.5f;

    TRY(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim[0]));
    TRY(nc_def_dim(ncid, "x", X, &dim[1]));
    TRY(nc_def_var(ncid, "v", NC_INT, 2, dim, &var[0]));
    TRY(nc_def_var_chunking(ncid, var[0], NC_CHUNKED, (size_t[]){1, 10}));
    TRY(nc_def_var_fill(ncid, var[0], NC_FILL, &fill));
    TRY(cellar_def_var_chain(ncid, var[0], k->chain));
    if (k->sharded)
        TRY(cellar_def_var_shards(ncid, var[0], (size_t[]){2, 20}));
    TRY(nc_put_att_int(ncid, var[0], "ints", NC_INT, 3, one));
    TRY(nc_put_att_float(ncid, var[0], "real", NC_FLOAT, 1, &real));
    TRY(nc_def_grp(ncid, "g", &group));
    TRY(nc_def_var(group, "s", NC_STRING, 1, &dim[1], &var[1]));
    TRY(nc_def_var_chunking(group, var[1], NC_CHUNKED, (size_t[]){20}));
    if (*k->text_chain)
        TRY(cellar_def_var_chain(group, var[1], k->text_chain));
    TRY(nc_put_att_string(group, var[1], "words", 2, words));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "title"));
}

static int write_store(const struct kind *k, int *first)
{
    static const char *text[X];
    char path[64], url[160];
    int values[T][X], ncid, group, var[2] = {-1, -1};

    for (int i = 0; i < T * X; i++)
        values[i / X][i % X] = i * 7;
    for (int i = 0; i < X; i++)
        text[i] = i % 2 ? "odd" : "";
    url_of(k, path, url);
    *first = 0;
    if (TRY(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &ncid)))
        return *first;
    define(k, ncid, var, first);
    TRY(nc_enddef(ncid));
    TRY(nc_put_vara_int(ncid, var[0], (size_t[]){0, 0}, (size_t[]){T, X}, values[0]));
    if (nc_inq_ncid(ncid, "g", &group) == NC_NOERR)
        TRY(nc_put_var_string(group, var[1], text));
    TRY(nc_sync(ncid));
    TRY(nc_put_vara_int(ncid, var[0], (size_t[]){1, 3}, (size_t[]){1, 1}, (int[]){-1}));
    if (TRY(nc_close(ncid)))
        nc_abort(ncid); /* what could be defined was not whole, and the store is still open */
    return *first;
}

/* Every call that says 0 gives what was written. */
static int read_open(int ncid, int *first)
{
    char *text[X] = {NULL}, *name, *reason, title[6] = "";
    int values[T][X], group = -1, var = -1, n = 0;

    if (TRY(nc_inq_varid(ncid, "v", &var)) == NC_NOERR && TRY(nc_get_var_int(ncid, var, values[0])) == NC_NOERR)
        for (int i = 0; i < T * X; i++)
            assert_int_equal(values[i / X][i % X], i == X + 3 ? -1 : i * 7);
    if (TRY(nc_get_att_text(ncid, NC_GLOBAL, "title", title)) == NC_NOERR)
        assert_string_equal(title, "title");
    if (TRY(nc_inq_ncid(ncid, "g", &group)) == NC_NOERR) {
        var = 0;
        if (TRY(nc_get_var_string(group, var, text)) == NC_NOERR) {
            for (int i = 0; i < X; i++)
                assert_string_equal(text[i], i % 2 ? "odd" : "");
            nc_free_string(X, text);
        }
    }
    if (TRY(cellar_inq_nunreadable(ncid, &n)) == NC_NOERR && n) {
        if (cellar_inq_unreadable(ncid, 0, &name, &reason) == NC_NOERR)
            fail_msg("%s cannot be read: %s", name, reason);
    }
    return *first;
}

static int read_store(const char *url, int *first)
{
    int ncid;

    *first = 0;
    if (TRY(nc_open(url, NC_NOWRITE, &ncid)))
        return *first;
    read_open(ncid, first);
    TRY(nc_close(ncid));
    return *first;
}

/* A store that a failed writer left: it is absent, or each object in it is valid. */
static void check_valid(const char *path, const char *url, long n)
{
    int ncid, count, rc;
    char *name, *reason;

    if (access(path, F_OK) != 0)
        return;
    rc = nc_open(url, NC_NOWRITE, &ncid);
    if (rc == NC_ENOTZARR)
        return; /* no document was written yet */
    if (rc)
        fail_msg("request %ld: what is left does not open: %s", n, cellar_error());
    assert_int_equal(cellar_inq_nunreadable(ncid, &count), NC_NOERR);
    if (count && cellar_inq_unreadable(ncid, 0, &name, &reason) == NC_NOERR)
        fail_msg("request %ld: %s is left unreadable: %s", n, name, reason);
    assert_int_equal(nc_close(ncid), NC_NOERR);
}

static void writers_say_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < NKINDS; i++) {
        char path[64], url[160];
        long n = 0, rest, failed = 0;

        url_of(&kinds[i], path, url);
        do {
            int first, ignored;

            remove_tree(path);
            fail_at(++n);
            write_store(&kinds[i], &first);
            rest = left();
            if (first)
                failed++;
            if (first)
                check_valid(path, url, n);
            else if (read_store(url, &ignored))
                fail_msg("%s, request %ld: no call failed, but: %s", kinds[i].mode, n, cellar_error());
        } while (rest == 0);
        print_message("%s: %ld requests, %ld made a call fail\n", kinds[i].mode, n - 1, failed);
        assert_true(failed > n / 2);
        remove_tree(path);
    }
}

static void readers_say_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < NKINDS; i++) {
        char path[64], url[160];
        long n = 0, rest, failed = 0;
        int first;

        url_of(&kinds[i], path, url);
        assert_int_equal(write_store(&kinds[i], &first), NC_NOERR);
        do {
            fail_at(++n);
            failed += read_store(url, &first) != 0;
            rest = left();
        } while (rest == 0);
        assert_int_equal(first, NC_NOERR);
        print_message("%s: %ld requests, %ld made a call fail\n", kinds[i].mode, n - 1, failed);
        assert_true(failed > n / 2);
        remove_tree(path);
    }
}

static int set_up(void **state)
{
    (void)state;
    cellar_set_threads(1); /* the same requests in the same order */
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_tree(scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_say_so),
        cmocka_unit_test(readers_say_so),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
