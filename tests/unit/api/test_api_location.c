/* SPDX-License-Identifier: BSD-3-Clause */
/* What a path means, and what a file that is no dataset is said to be. */
#include "api_test.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static void urls_have_fragments_and_paths_do_not(void **state)
{
    static const struct {
        const char *given, *path, *fragment;
        bool is_url;
    } cases[] = {
        {"a#b.nc", "a#b.nc", "", false},
        {"  x.nc", "x.nc", "", false},
        {"C:/x.nc", "C:/x.nc", "", false},
        {"file:///tmp/x.zarr#mode=zarr,file", "/tmp/x.zarr", "mode=zarr,file", true},
        {"file://rel/x.zarr", "rel/x.zarr", "", true},
        {"https://host/x#bytes", "https://host/x", "bytes", true},
        {"s3://bucket/key", "s3://bucket/key", "", true},
        {"://x", "://x", "", false},
        {"1://x", "1://x", "", false},
    };
    struct cel_where where;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(cel_where_init(cases[i].given, &where));
        assert_string_equal(where.at.path, cases[i].path);
        assert_string_equal(where.at.fragment, cases[i].fragment);
        assert_int_equal(where.at.is_url, cases[i].is_url);
        cel_where_dispose(&where);
    }
    assert_int_equal(cel_where_init(NULL, &where), NC_EINVAL);
    assert_int_equal(cel_where_init("  ", &where), NC_EDAPURL);
}

static void opendap_addresses_are_refused_with_a_sentence(void **state)
{
    static const char *const given[] = {"http://host/x.nc#mode=dap2", "HTTPS://host/x.nc#mode=dap4", "dods://host/x",
                                        "dap4://host/x"};
    int ncid;

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        assert_int_equal(nc_open(given[i], NC_NOWRITE, &ncid), NC_ENOTBUILT);
        assert_non_null(strstr(cellar_error(), "OPeNDAP"));
    }
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(name, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void strangers_are_named(void **state)
{
    static char tar[300];
    static const struct {
        const char *bytes;
        size_t n;
        int code;
        const char *says;
    } cases[] = {
        {"", 0, NC_ENOTNC, "empty"},
        {"\037\213\010\0", 4, NC_ENOTNC, "gunzip"},
        {"<!DOCTYPE HTML><p>404", 21, NC_ENOTNC, "HTML"},
        {"\n <html>", 8, NC_ENOTNC, "HTML"},
        {"GRIB\0\0\0\2", 8, NC_ENOTNC, "GRIB"},
        {"netcdf x {\n}\n", 13, NC_ENOTNC, "ncgen"},
        {tar, sizeof tar, NC_ENOTNC, "tar archive"},
        {"abcdefgh", 8, NC_ENOTNC, "neither netCDF"},
        {"CDF\1\0\0\0\0", 8, 0, "classic"},
    };
    int ncid;

    (void)state;
    memcpy(tar + 257, "ustar", 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rc;

        write_file("stranger.nc", cases[i].bytes, cases[i].n);
        rc = nc_open("stranger.nc", NC_NOWRITE, &ncid);
        if (cases[i].code) { /* the classic one depends on the build */
            assert_int_equal(rc, cases[i].code);
            assert_non_null(strstr(cellar_error(), cases[i].says));
            assert_memory_equal(cellar_error(), "stranger.nc: ", 13);
        }
        assert_int_not_equal(rc, NC_NOERR);
    }
    unlink("stranger.nc");
}

static void what_is_not_there_is_said_to_be_missing(void **state)
{
    int ncid, rc;

    (void)state;
    assert_int_equal(nc_open("no/such/file.nc", NC_NOWRITE, &ncid), ENOENT);
    assert_non_null(strstr(cellar_error(), "no such file"));
    assert_int_equal(nc_open("/dev/null/x.nc", NC_NOWRITE, &ncid), ENOTDIR);
    assert_int_equal(nc_open(NULL, NC_NOWRITE, &ncid), NC_EINVAL);
    assert_int_equal(nc_open("x.nc", NC_NOWRITE, NULL), NC_EINVAL);
    mkdir("a_directory", 0777);
    assert_int_equal(nc_open("a_directory", NC_NOWRITE, &ncid), NC_ENOTNC);
    assert_non_null(strstr(cellar_error(), "directory"));
    rmdir("a_directory");
    rc = nc_open("https://127.0.0.1:1/x.nc", NC_NOWRITE, &ncid); /* without libcurl no URL is opened */
    assert_true(rc == NC_ECURL || rc == NC_ENOTBUILT);
    assert_int_equal(nc_delete("no such file"), ENOENT);
}

static void modes_that_exclude_each_other_are_refused(void **state)
{
    int ncid;
    char bytes[16] = "CDF";

    (void)state;
    assert_int_equal(nc_create("x.nc", NC_NETCDF4 | NC_64BIT_OFFSET, &ncid), NC_EINVAL);
    assert_int_equal(nc_create("x.nc", NC_64BIT_DATA | NC_64BIT_OFFSET, &ncid), NC_EINVAL);
    assert_int_equal(nc_create("x.nc", NC_NETCDF4 | NC_DISKLESS | NC_INMEMORY, &ncid), NC_EDISKLESS);
    assert_int_equal(nc_create("x.nc", NC_NETCDF4 | NC_MMAP, &ncid), NC_EINVAL);
    assert_int_equal(nc_create("x.nc", NC_NETCDF4, NULL), NC_EINVAL);
    assert_int_equal(nc_open_mem("x.nc", NC_WRITE, sizeof bytes, bytes, &ncid), NC_EINVAL);
    assert_int_equal(nc_open_mem("x.nc", NC_NOWRITE, 3, bytes, &ncid), NC_EINVAL);
    assert_int_equal(nc_open_mem("x.nc", NC_NOWRITE, sizeof bytes, NULL, &ncid), NC_EINVAL);
}

static void only_folders_that_are_stores_are_deleted(void **state)
{
    int ncid;

    (void)state;
    assert_ok(nc_create("file://gone.zarr#mode=zarr,file", NC_NETCDF4, &ncid));
    assert_ok(nc_close(ncid));
    assert_ok(nc_delete("gone.zarr"));
    assert_int_not_equal(access("gone.zarr", F_OK), 0);
    mkdir("a_directory", 0777);
    write_file("a_directory/precious", "abc", 3);
    assert_int_equal(nc_delete("a_directory"), EISDIR);
    assert_non_null(strstr(cellar_error(), "no Zarr store"));
    assert_int_equal(nc_delete("file://a_directory#mode=zarr,file"), EISDIR);
    assert_int_equal(access("a_directory/precious", F_OK), 0);
    unlink("a_directory/precious");
    rmdir("a_directory");
}

static void files_are_not_clobbered_when_asked(void **state)
{
    int ncid;

    (void)state;
    write_file("precious.nc", "abc", 3);
    assert_int_equal(nc_create("precious.nc", NC_NETCDF4 | NC_NOCLOBBER, &ncid), NC_EEXIST);
    assert_ok(nc_delete("precious.nc"));
    assert_int_not_equal(access("precious.nc", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_have_fragments_and_paths_do_not),
        cmocka_unit_test(opendap_addresses_are_refused_with_a_sentence),
        cmocka_unit_test(strangers_are_named),
        cmocka_unit_test(what_is_not_there_is_said_to_be_missing),
        cmocka_unit_test(modes_that_exclude_each_other_are_refused),
        cmocka_unit_test(only_folders_that_are_stores_are_deleted),
        cmocka_unit_test(files_are_not_clobbered_when_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
