/* SPDX-License-Identifier: BSD-3-Clause */
/* Renames that change more than a name: a variable becomes the coordinate variable of a
 * dimension or stops being one, and objects exchange names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <netcdf.h>
#include <stdio.h>
#include <unistd.h>

static const char *scratch(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "h5_rename_%d_%s", (int)getpid(), name);
    return path;
}

/* Dimensions x and y; variables `first` (x) and `second` (x, y), numbered 0 and 1. */
static void make_file(const char *path, const char *first, const char *second)
{
    int nc, d[2], var;

    assert_int_equal(nc_create(path, NC_NETCDF4, &nc), NC_NOERR);
    assert_int_equal(nc_def_dim(nc, "x", 2, &d[0]), NC_NOERR);
    assert_int_equal(nc_def_dim(nc, "y", 3, &d[1]), NC_NOERR);
    assert_int_equal(nc_def_var(nc, first, NC_INT, 1, d, &var), NC_NOERR);
    assert_int_equal(nc_def_var(nc, second, NC_INT, 2, d, &var), NC_NOERR);
    assert_int_equal(nc_put_var_int(nc, 0, (int[]){1, 2}), NC_NOERR);
    assert_int_equal(nc_put_var_int(nc, 1, (int[]){1, 2, 3, 4, 5, 6}), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
}

static int edit(const char *path)
{
    int nc;

    assert_int_equal(nc_open(path, NC_WRITE, &nc), NC_NOERR);
    assert_int_equal(nc_redef(nc), NC_NOERR);
    return nc;
}

/* Names, dimensions and values of the two variables are as expected. */
static void check(const char *path, const char *first, const char *second)
{
    char name[NC_MAX_NAME + 1];
    int nc, d[2], back[6], ndims;

    assert_int_equal(nc_open(path, 0, &nc), NC_NOERR);
    assert_int_equal(nc_inq_ndims(nc, &ndims), NC_NOERR);
    assert_int_equal(ndims, 2);
    assert_int_equal(nc_inq_varname(nc, 0, name), NC_NOERR);
    assert_string_equal(name, first);
    assert_int_equal(nc_inq_varname(nc, 1, name), NC_NOERR);
    assert_string_equal(name, second);
    assert_int_equal(nc_inq_vardimid(nc, 1, d), NC_NOERR);
    assert_int_equal(d[0], 0);
    assert_int_equal(d[1], 1);
    assert_int_equal(nc_get_var_int(nc, 0, back), NC_NOERR);
    assert_int_equal(back[1], 2);
    assert_int_equal(nc_get_var_int(nc, 1, back), NC_NOERR);
    assert_int_equal(back[5], 6);
    assert_int_equal(nc_close(nc), NC_NOERR);
}

/* The dataset that stands for dimension x: a scale, with values or without. */
static void check_scale(const char *path, const char *link, int has_values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, link, H5P_DEFAULT);

    assert_true(H5Aexists(set, "CLASS") > 0);
    assert_true(H5Aexists(set, "REFERENCE_LIST") > 0);
    assert_true(H5Aexists(set, "DIMENSION_LIST") == 0);
    assert_int_equal(H5Aexists(set, "_Netcdf4Coordinates") > 0, has_values);
    H5Dclose(set);
    H5Fclose(file);
}

static void a_variable_becomes_a_coordinate_variable(void **state)
{
    const char *path = scratch("to.nc");
    int nc;

    (void)state;
    make_file(path, "first", "second");
    check_scale(path, "x", 0);
    nc = edit(path);
    assert_int_equal(nc_rename_var(nc, 0, "x"), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
    check(path, "x", "second");
    check_scale(path, "x", 1);
    unlink(path);
}

static void a_variable_stops_being_a_coordinate_variable(void **state)
{
    const char *path = scratch("from.nc");
    int nc;

    (void)state;
    make_file(path, "x", "second");
    check_scale(path, "x", 1);
    nc = edit(path);
    assert_int_equal(nc_rename_var(nc, 0, "other"), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
    check(path, "other", "second");
    check_scale(path, "x", 0);
    unlink(path);
}

static void a_renamed_dimension_leaves_its_variable_behind(void **state)
{
    const char *path = scratch("dim.nc");
    int nc;

    (void)state;
    make_file(path, "x", "second");
    nc = edit(path);
    assert_int_equal(nc_rename_dim(nc, 0, "ex"), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
    check(path, "x", "second");
    check_scale(path, "ex", 0);
    unlink(path);
}

static void dimension_and_variable_renamed_together_stay_together(void **state)
{
    const char *path = scratch("both.nc");
    int nc;

    (void)state;
    make_file(path, "x", "second");
    nc = edit(path);
    assert_int_equal(nc_rename_dim(nc, 0, "longitude"), NC_NOERR);
    assert_int_equal(nc_rename_var(nc, 0, "longitude"), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
    check(path, "longitude", "second");
    check_scale(path, "longitude", 1);
    unlink(path);
}

static void variables_exchange_their_names(void **state)
{
    const char *path = scratch("exchange.nc");
    int nc;

    (void)state;
    make_file(path, "first", "second");
    nc = edit(path);
    assert_int_equal(nc_rename_var(nc, 0, "third"), NC_NOERR);
    assert_int_equal(nc_rename_var(nc, 1, "first"), NC_NOERR);
    assert_int_equal(nc_rename_var(nc, 0, "second"), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
    check(path, "second", "first");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_becomes_a_coordinate_variable),
        cmocka_unit_test(a_variable_stops_being_a_coordinate_variable),
        cmocka_unit_test(a_renamed_dimension_leaves_its_variable_behind),
        cmocka_unit_test(dimension_and_variable_renamed_together_stay_together),
        cmocka_unit_test(variables_exchange_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
