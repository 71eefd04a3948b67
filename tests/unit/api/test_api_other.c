/* SPDX-License-Identifier: BSD-3-Clause */
/* What netCDF-C does otherwise: the rows of docs/differences.md about the API. */
#include "user_test.h"
#include <errno.h>
#include <netcdf_mem.h>
#include <unistd.h>

static int make(const char *path, int *varid)
{
    int ncid, dim;

    assert_ok(nc_create(path, NC_NETCDF4, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 4, &dim));
    assert_ok(nc_def_var(ncid, "x", NC_INT, 1, &dim, varid));
    assert_ok(nc_put_att_text(ncid, *varid, "units", 1, "m"));
    assert_ok(nc_put_var_int(ncid, *varid, (int[]){1, 2, 3, 4}));
    return ncid;
}

static void wrong_arguments_change_nothing(void **state)
{
    int varid, ncid = make("other.nc", &varid), natts, value = 1;
    nc_type type;

    (void)state;
    assert_ok(nc_redef(ncid));
    assert_int_equal(nc_put_att_int(ncid, varid, "bad", 99, 1, &value), NC_EBADTYPID);
    assert_ok(nc_inq_varnatts(ncid, varid, &natts));
    assert_int_equal(natts, 1);
    assert_ok(nc_def_enum(ncid, NC_INT, "e", &type));
    assert_ok(nc_insert_enum(ncid, type, "A", &value));
    value = 2;
    assert_int_equal(nc_insert_enum(ncid, type, "A", &value), NC_ENAMEINUSE);
    assert_ok(nc_def_var(ncid, "new", NC_INT, 0, NULL, &varid));
    assert_int_equal(nc_def_var_endian(ncid, varid, 7), NC_EINVAL);
    assert_ok(nc_close(ncid));
    assert_ok(nc_open("other.nc", NC_NOWRITE, &ncid));
    assert_int_equal(nc_put_var_int(ncid, varid, &value), NC_EPERM);
    assert_ok(nc_close(ncid));
    unlink("other.nc");
}

static void renames_keep_data_and_order(void **state)
{
    int varid, ncid = make("renamed.nc", &varid), values[4];
    char name[NC_MAX_NAME + 1];

    (void)state;
    assert_ok(nc_put_att_text(ncid, varid, "second", 1, "2"));
    assert_ok(nc_enddef(ncid));
    assert_ok(nc_rename_att(ncid, varid, "units", "unit"));
    assert_ok(nc_rename_dim(ncid, 0, "longitude"));
    assert_ok(nc_rename_var(ncid, varid, "longitude"));
    assert_ok(nc_close(ncid));
    assert_ok(nc_open("renamed.nc", NC_NOWRITE, &ncid));
    assert_ok(nc_inq_varid(ncid, "longitude", &varid));
    assert_ok(nc_get_var_int(ncid, varid, values));
    assert_int_equal(values[3], 4);
    assert_int_equal(nc_inq_att(ncid, varid, "units", NULL, NULL), NC_ENOTATT);
    assert_ok(nc_inq_attname(ncid, varid, 0, name));
    assert_string_equal(name, "unit");
    assert_ok(nc_close(ncid));
    unlink("renamed.nc");
}

static void unlisted_attributes_convert(void **state)
{
    int varid, ncid = make("facts.nc", &varid), value;
    double real = -1;

    (void)state;
    assert_ok(nc_get_att_double(ncid, NC_GLOBAL, "_IsNetcdf4", &real));
    assert_true(real == 1);
    assert_int_equal(nc_get_att_int(ncid, NC_GLOBAL, "_NCProperties", &value), NC_ECHAR);
    assert_ok(nc_close(ncid));
    unlink("facts.nc");
}

static void vlen_elements_of_any_size_are_copied(void **state)
{
    double values[3] = {1, 2, 3}, back[3] = {0};
    nc_vlen_t vlen;
    nc_type type;
    size_t len;
    int ncid;

    (void)state;
    assert_ok(nc_create("vlen.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    assert_ok(nc_def_vlen(ncid, "v", NC_DOUBLE, &type));
    assert_ok(nc_put_vlen_element(ncid, type, &vlen, 3, values));
    assert_ok(nc_get_vlen_element(ncid, type, &vlen, &len, back));
    assert_int_equal(len, 3);
    assert_memory_equal(back, values, sizeof values);
    assert_ok(nc_close(ncid));
}

static void default_chunks_do_not_follow_the_present_length(void **state)
{
    int ncid, dim, first, later, storage;
    size_t chunk, len;

    (void)state;
    assert_ok(nc_create("chunks.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    assert_ok(nc_def_dim(ncid, "u", NC_UNLIMITED, &dim));
    assert_ok(nc_def_var(ncid, "first", NC_INT, 1, &dim, &first));
    assert_ok(nc_put_var1_int(ncid, first, &(size_t){4}, &(int){1}));
    assert_ok(nc_inq_dimlen(ncid, dim, &len));
    assert_int_equal(len, 5);
    assert_ok(nc_def_var(ncid, "later", NC_INT, 1, &dim, &later));
    assert_ok(nc_inq_var_chunking(ncid, later, &storage, &chunk));
    assert_int_equal(chunk, 1024);
    assert_ok(nc_close(ncid));
}

static void no_fill_is_one(void **state)
{
    int ncid, dim, varid, old, no_fill;
    nc_type type;

    (void)state;
    assert_ok(nc_create("nofill.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    assert_ok(nc_set_fill(ncid, NC_NOFILL, &old));
    assert_ok(nc_def_dim(ncid, "x", 2, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    assert_ok(nc_inq_var_fill(ncid, varid, &no_fill, NULL));
    assert_int_equal(no_fill, 1);
    assert_ok(nc_def_opaque(ncid, 3, "o", &type));
    assert_ok(nc_def_var(ncid, "o3", type, 1, &dim, &varid));
    assert_ok(nc_inq_var_fill(ncid, varid, &no_fill, NULL)); /* not for user types: here both agree */
    assert_int_equal(no_fill, 0);
    assert_ok(nc_close(ncid));
}

static void a_missing_folder_is_said(void **state)
{
    int ncid;

    (void)state;
    assert_int_equal(nc_create("no/such/folder/x.nc", NC_NETCDF4, &ncid), EACCES); /* netCDF-C's code, our reason */
    assert_non_null(strstr(cellar_error(), "No such file or directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_change_nothing),
        cmocka_unit_test(renames_keep_data_and_order),
        cmocka_unit_test(unlisted_attributes_convert),
        cmocka_unit_test(vlen_elements_of_any_size_are_copied),
        cmocka_unit_test(default_chunks_do_not_follow_the_present_length),
        cmocka_unit_test(no_fill_is_one),
        cmocka_unit_test(a_missing_folder_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
