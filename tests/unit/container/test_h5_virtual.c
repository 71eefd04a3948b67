/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual datasets, links to other files and heaps with filters, read while each request for memory fails in turn: an error
 * and no leak, or the right values. */
#include "h5_int.h"
#include "h5_test.h"
#include "mem.h"
#include <netcdf.h>

enum { N = 12, MOST = 4000 };

static hid_t blocks(hsize_t length, hsize_t start, hsize_t stride, hsize_t count, hsize_t block)
{
    hsize_t most = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &length, &most);

    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &block) >= 0);
    return space;
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0);
    return type;
}

static void make_source(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = text_type(), space, data;
    const char *texts[N] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    hsize_t n = N;
    int values[N];

    for (int i = 0; i < N; i++)
        values[i] = 100 + i;
    space = H5Screate_simple(1, &n, NULL);
    data = H5Dcreate2(file, "numbers", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dclose(data) >= 0);
    data = H5Dcreate2(file, "texts", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    assert_true(H5Dclose(data) >= 0);
    H5Sclose(space);
    H5Tclose(type);
    assert_true(H5Fclose(file) >= 0);
}

/* Every second pair of elements is the source's. */
static void add_virtual(hid_t file, const char *name, hid_t type, hsize_t count)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), to = blocks(N, 0, 4, count, 2), from = blocks(N, 1, 2, count, 2),
          space = blocks(N, 0, 1, 1, N);

    assert_true(H5Pset_virtual(dcpl, to, "virtual_source.h5", name, from) >= 0);
    H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Sclose(to);
    H5Sclose(from);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void add_filtered(hid_t file)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), group;

    assert_true(H5Pset_link_phase_change(gcpl, 0, 0) >= 0 && H5Pset_deflate(gcpl, 6) >= 0);
    group = H5Gcreate2(file, "filtered", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    assert_true(H5Lcreate_soft("/numbers", group, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("virtual_source.h5", "/numbers", group, "linked", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Gclose(group);
    H5Pclose(gcpl);
}

static void make_main(const char *path)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), type = text_type(), file;

    assert_true(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    add_virtual(file, "numbers", H5T_NATIVE_INT, 3);
    add_virtual(file, "texts", type, H5S_UNLIMITED);
    add_filtered(file);
    H5Tclose(type);
    H5Pclose(fapl);
    assert_true(H5Fclose(file) >= 0);
}

static int read_numbers(int nc, const char *name, bool linked)
{
    int var, values[N], rc = nc_inq_varid(nc, name, &var);

    if (rc == NC_NOERR)
        rc = nc_get_var_int(nc, var, values);
    for (int i = 0; rc == NC_NOERR && i < N; i++)
        assert_int_equal(values[i], linked ? 100 + i : i % 4 < 2 ? 101 + i / 4 * 2 + i % 4 : 0);
    return rc;
}

static int read_texts(int nc)
{
    size_t start = 0, count = 6;
    char *texts[6];
    int var, rc = nc_inq_varid(nc, "texts", &var);

    if (rc == NC_NOERR)
        rc = nc_get_vara_string(nc, var, &start, &count, texts);
    if (rc != NC_NOERR)
        return rc;
    assert_string_equal(texts[0], "b");
    assert_string_equal(texts[5], "e");
    return nc_free_string(count, texts);
}

static int read_all(const char *path)
{
    int nc, group, rc = nc_open(path, NC_NOWRITE, &nc), rc2;

    if (rc != NC_NOERR)
        return rc;
    rc = read_numbers(nc, "numbers", false);
    if (rc == NC_NOERR)
        rc = read_texts(nc);
    if (rc == NC_NOERR)
        rc = nc_inq_ncid(nc, "filtered", &group);
    if (rc == NC_NOERR)
        rc = read_numbers(group, "soft", false);
    if (rc == NC_NOERR)
        rc = read_numbers(group, "linked", true);
    rc2 = nc_close(nc);
    return rc == NC_NOERR ? rc2 : rc;
}

static void memory_may_end_anywhere(void **state)
{
    const char *path = "virtual_main.h5";
    long n;
    int rc = NC_ENOMEM, failed = 0;

    (void)state;
    make_source("virtual_source.h5");
    make_main(path);
    assert_int_equal(read_all(path), NC_NOERR);
    for (n = 1; n < MOST; n++) {
        cel_mem_fail_at(n);
        rc = read_all(path);
        if (cel_mem_fail_at(0) > 0)
            break; /* it was never reached */
        failed += rc != NC_NOERR;
    }
    assert_int_equal(rc, NC_NOERR);
    assert_true(failed > n * 9 / 10 && n < MOST); /* some memory can be done without */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_end_anywhere)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
