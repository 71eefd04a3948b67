/* SPDX-License-Identifier: BSD-3-Clause */
/* The n-dimensional filters in files: lossless ones in HDF5, Zarr 2 and Zarr 3; ndmean's
 * error, its fill values, and padding that does not leak into a mean. */
#include "api_test.h"
#include "common/scratch.h"
#include <math.h>

enum { ROWS = 45, COLS = 61 };
static const char *const kinds[] = {"%s/f.nc", "file://%s/f.zarr#mode=zarr,file", "file://%s/f.zarr#mode=zarr,v3"};
static char path[600];

static void remove_files(void)
{
    remove_tree(scratch("f.nc"));
    remove_tree(scratch("f.zarr"));
}

/* Chunks of 16 x 16, so that edge chunks are padded. */
static int define(size_t kind, nc_type type, const char *chain, int *ncid)
{
    static const size_t chunks[] = {16, 16};
    int dims[2], v;

    snprintf(path, sizeof path, kinds[kind], scratch_folder);
    assert_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, ncid));
    assert_ok(nc_def_dim(*ncid, "y", ROWS, &dims[0]));
    assert_ok(nc_def_dim(*ncid, "x", COLS, &dims[1]));
    assert_ok(nc_def_var(*ncid, "v", type, 2, dims, &v));
    assert_ok(nc_def_var_chunking(*ncid, v, NC_CHUNKED, chunks));
    assert_ok(cellar_def_var_chain(*ncid, v, chain));
    return v;
}

static void read_again(float *values)
{
    int ncid, v;

    assert_ok(nc_open(path, NC_NOWRITE, &ncid));
    assert_ok(nc_inq_varid(ncid, "v", &v));
    assert_ok(nc_get_var_float(ncid, v, values));
    assert_ok(nc_close(ncid));
}

static void lossless_ones_come_back(void **state)
{
    static const char *const chains[] = {"ndcell,cell=4", "ndcell,cell=3|shuffle|deflate,level=1",
                                         "ndcell,cell=4|shuffle", "ndlorenzo|shuffle|deflate,level=1",
                                         "ndcell,cell=255|shuffle"};
    float was[ROWS * COLS], is[ROWS * COLS];

    (void)state;
    for (int i = 0; i < ROWS * COLS; i++)
        was[i] = (float)(i % 7) * sinf((float)i / 50) - (i % 11 == 0 ? INFINITY : 0);
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
            int ncid, v = define(kind, NC_FLOAT, chains[c], &ncid);
            assert_ok(nc_put_var_float(ncid, v, was));
            assert_ok(nc_close(ncid));
            read_again(is);
            assert_memory_equal(is, was, sizeof was);
            remove_files();
        }
}

static void the_error_of_means_can_be_asked_for(void **state)
{
    float was[ROWS * COLS], is[ROWS * COLS], largest;
    double most, share;

    (void)state;
    for (size_t kind = 0; kind < 3; kind++) {
        int ncid, v = define(kind, NC_FLOAT, "ndmean,cell=4|deflate,level=1", &ncid);
        float fill = -999;
        assert_ok(nc_def_var_fill(ncid, v, 0, &fill));
        assert_ok(cellar_watch_var_loss(ncid, v, 1));
        assert_ok(nc_enddef(ncid));
        for (int i = 0; i < ROWS * COLS; i++)
            was[i] = i % 97 == 0 ? fill : 280 + 5 * sinf((float)(i % COLS) / 6) + (float)(i / COLS) / 10;
        assert_ok(nc_put_var_float(ncid, v, was));
        assert_ok(nc_sync(ncid));
        assert_ok(cellar_inq_var_loss(ncid, v, &most, &share));
        assert_ok(nc_close(ncid));
        read_again(is);
        largest = 0;
        for (int i = 0; i < ROWS * COLS; i++) {
            largest = fmaxf(largest, fabsf(was[i] - is[i]));
            assert_true(was[i] != fill || is[i] == fill);
        }
        assert_true(largest > 0.1 && fabs(most - (double)largest) < 1e-6 * most);
        assert_true(share > 0 && share < 0.05);
        remove_files();
    }
}

/* Every mean of a field of one value is that value, also beside the padding of edge chunks. */
static void padding_does_not_leak(void **state)
{
    float was[ROWS * COLS], is[ROWS * COLS];

    (void)state;
    for (int i = 0; i < ROWS * COLS; i++)
        was[i] = 1000;
    for (size_t kind = 0; kind < 3; kind++)
        for (int no_fill = 0; no_fill < 2; no_fill++) {
            int ncid, v = define(kind, NC_FLOAT, "ndmean,cell=5|shuffle|deflate,level=1", &ncid);
            assert_ok(nc_def_var_fill(ncid, v, no_fill, NULL));
            assert_ok(nc_put_var_float(ncid, v, was));
            assert_ok(nc_close(ncid));
            read_again(is);
            for (int i = 0; i < ROWS * COLS; i++)
                if (is[i] != 1000)
                    fail_msg("%s, no fill %d: value %d is %g", kinds[kind], no_fill, i, is[i]);
            remove_files();
        }
}

static void integers_have_no_mean(void **state)
{
    int ncid, v = define(0, NC_INT, "", &ncid), rc;

    (void)state;
    rc = cellar_def_var_chain(ncid, v, "ndmean,cell=4");
    if (rc == NC_NOERR)
        rc = nc_enddef(ncid);
    assert_int_equal(rc, NC_EFILTER);
    assert_non_null(strstr(cellar_error(), "float and double only"));
    nc_abort(ncid);
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless_ones_come_back),
        cmocka_unit_test(the_error_of_means_can_be_asked_for),
        cmocka_unit_test(padding_does_not_leak),
        cmocka_unit_test(integers_have_no_mean),
    };

    scratch_make();
    return cmocka_run_group_tests_name("api_nd", tests, NULL, NULL);
}
