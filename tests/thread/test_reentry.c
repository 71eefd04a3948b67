/* SPDX-License-Identifier: BSD-3-Clause */
/* A filter from outside may call the API while it works on a chunk, from the
 * calling thread and from the pool's. A deadlock shows as the test's timeout. */
#include <cellar.h>
#include <netcdf_filter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define N 262144 /* enough for the pool to be worth waking */
#define ID 40321

static void round_trip(int threads)
{
    static int field[N], back[N];
    size_t chunk = N / 16;
    int nc, dim, var;

    for (int i = 0; i < N; i++)
        field[i] = i * 17;
    assert_int_equal(cellar_set_threads(threads), NC_NOERR);
    assert_int_equal(nc_create("reentry.nc", NC_NETCDF4 | NC_CLOBBER, &nc), NC_NOERR);
    assert_int_equal(nc_def_dim(nc, "x", N, &dim), NC_NOERR);
    assert_int_equal(nc_def_var(nc, "v", NC_INT, 1, &dim, &var), NC_NOERR);
    assert_int_equal(nc_def_var_chunking(nc, var, NC_CHUNKED, &chunk), NC_NOERR);
    assert_int_equal(nc_def_var_filter(nc, var, ID, 0, NULL), NC_NOERR);
    assert_int_equal(nc_put_var_int(nc, var, field), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(nc_open("reentry.nc", NC_NOWRITE, &nc), NC_NOERR);
    assert_int_equal(nc_get_var_int(nc, 0, back), NC_NOERR);
    assert_memory_equal(field, back, sizeof field);
    assert_int_equal(nc_close(nc), NC_NOERR);
    unlink("reentry.nc");
}

static void filters_may_call_the_api(void **state)
{
    round_trip(1);
    round_trip(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters_may_call_the_api)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
