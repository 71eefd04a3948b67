/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request for memory within nc_enddef in turn fails, for Zarr stores with and without shards: a put that comes all the
 * same does not crash (it divided by a number of chunks that was never set), and once there is memory again, the same
 * calls write everything. */
#include "mem.h"
#include <cellar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "containers.h"

#define OK(call) assert_int_equal((call), NC_NOERR)

enum { N = 12 };

static const struct kind {
    const char *mode;
    bool sharded;
    const char *chain;
} kinds[] = {
    {"zarr,v3", true, "zstd,level=1"},          {"nczarr,v3", true, "shuffle|deflate,level=1"},
    {"zarr,v3,zip", true, "zstd,level=1"},      {"zarr,v3", false, "delta|zstd,level=1"},
    {"zarr", false, "shuffle|deflate,level=1"}, {"nczarr,consolidated", false, "fletcher32"},
};

static void url_of(const struct kind *k, char *url, size_t room)
{
    char here[2048];

    snprintf(url, room, "file://%s/s.%s#mode=%s", getcwd(here, sizeof here) ? here : ".",
             strstr(k->mode, "zip") ? "zip" : "zarr", k->mode);
}

static void define(const struct kind *k, int ncid, int *var)
{
    int dim[2], fill = -5, list[] = {1, 2, 3};

    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim[0]));
    OK(nc_def_dim(ncid, "x", N, &dim[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dim, var));
    OK(nc_def_var_chunking(ncid, *var, NC_CHUNKED, (size_t[]){1, 3}));
    OK(nc_def_var_fill(ncid, *var, NC_FILL, &fill));
    OK(cellar_def_var_chain(ncid, *var, k->chain));
    if (k->sharded)
        OK(cellar_def_var_shards(ncid, *var, (size_t[]){2, 6}));
    OK(nc_put_att_int(ncid, *var, "list", NC_INT, 3, list));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "title"));
}

static void put(int ncid, int var, int add, bool must)
{
    int values[2 * N], rc;

    for (int i = 0; i < 2 * N; i++)
        values[i] = i + add;
    rc = nc_put_vara_int(ncid, var, (size_t[]){0, 0}, (size_t[]){2, N}, values);
    if (must)
        assert_int_equal(rc, NC_NOERR);
}

static void check(const char *url, int add)
{
    int ncid, var, got[2 * N];

    OK(nc_open(url, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &var));
    OK(nc_get_var_int(ncid, var, got));
    for (int i = 0; i < 2 * N; i++)
        assert_int_equal(got[i], i + add);
    OK(nc_close(ncid));
}

/* Whether the nth request was made. */
static bool fail_once(const struct kind *k, long n)
{
    char url[4096];
    int ncid, var, rc;
    long left;

    url_of(k, url, sizeof url);
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &ncid));
    define(k, ncid, &var);
    cel_mem_fail_at(n);
    rc = nc_enddef(ncid);
    left = cel_mem_fail_at(0);
    if (rc) {
        put(ncid, var, 1000, false);
        rc = nc_enddef(ncid);
        assert_true(rc == NC_NOERR || rc == NC_ENOTINDEFINE); /* the put has ended it */
    }
    put(ncid, var, 5, true);
    if (nc_close(ncid) != NC_NOERR)
        fail_msg("%s, request %ld: %s", k->mode, n, cellar_error());
    check(url, 5);
    return left <= 0;
}

static void a_failed_enddef_can_be_repeated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        long n = 1;

        while (fail_once(&kinds[i], n))
            n++;
        print_message("%s: %ld requests\n", kinds[i].mode, n - 1);
        assert_true(n > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_failed_enddef_can_be_repeated)};
    int failed;

    setenv("TMPDIR", "/dev/shm", 0); /* thousands of stores: none need wait for a disk */
    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
