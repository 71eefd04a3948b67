/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar_check_vara(): it answers as nc_get_vara() does, for whole and damaged chunks of every way to store values. */
#include <cellar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { Y = 60, X = 1000, CHUNK_Y = 8, CHUNK_X = 300, NCHUNKS = 8 * 4 };

#define OK(call) assert_int_equal((call), NC_NOERR)

/* How a variable of numbers is stored. storage: of nc_def_var_chunking. */
static const struct way {
    const char *path;
    int mode, storage;
    const char *chain;
} ways[] = {
    {"test_api_check.nc", NC_NETCDF4, NC_CHUNKED, "shuffle|deflate,level=1"},
    {"test_api_check.nc", NC_NETCDF4, NC_CHUNKED, "deflate,level=1|fletcher32"},
    {"test_api_check.nc", NC_NETCDF4, NC_CHUNKED, "ndlorenzo|bitshuffle|lz4"},
    {"test_api_check.nc", NC_NETCDF4, NC_CHUNKED, "fletcher32"},
    {"test_api_check.nc", NC_NETCDF4, NC_CHUNKED, ""},
    {"test_api_check.nc", NC_NETCDF4, NC_CONTIGUOUS, NULL},
    {"test_api_check.nc", 0, NC_CONTIGUOUS, NULL},
    {"file://test_api_check.zarr#mode=zarr", NC_NETCDF4, NC_CHUNKED, "shuffle|deflate,level=1"},
    {"file://test_api_check.zarr#mode=nczarr,file", NC_NETCDF4, NC_CHUNKED, "crc32"},
};
enum { NWAYS = sizeof ways / sizeof *ways };

static const size_t zero[] = {0, 0}, all[] = {Y, X};

static void fill_values(double *values)
{
    for (int i = 0; i < Y * X; i++)
        values[i] = i / 7 + (i * 2654435761u >> 20) / 4096.0;
}

static void make(const struct way *w, int *ncid, int *varid)
{
    static double values[Y * X];
    size_t chunk[] = {CHUNK_Y, CHUNK_X};
    int dim[2];

    OK(nc_create(w->path, w->mode | NC_CLOBBER, ncid));
    OK(nc_def_dim(*ncid, "y", Y, &dim[0]));
    OK(nc_def_dim(*ncid, "x", X, &dim[1]));
    OK(nc_def_var(*ncid, "v", NC_DOUBLE, 2, dim, varid));
    if (w->storage == NC_CHUNKED) {
        OK(nc_def_var_chunking(*ncid, *varid, NC_CHUNKED, chunk));
        OK(cellar_def_var_chain(*ncid, *varid, w->chain));
    }
    OK(nc_enddef(*ncid));
    fill_values(values);
    OK(nc_put_var_double(*ncid, *varid, values));
}

/* Also before the values are in the file. */
static void whole_variables_pass(void **state)
{
    (void)state;
    for (int i = 0; i < NWAYS; i++) {
        size_t start[] = {5, 299}, count[] = {7, 402}, none[] = {0, 0}, beyond[] = {Y - 6, 299};
        int ncid, varid;

        make(&ways[i], &ncid, &varid);
        OK(cellar_check_vara(ncid, varid, zero, all));
        OK(nc_close(ncid));
        OK(nc_open(ways[i].path, NC_NOWRITE, &ncid));
        OK(cellar_check_vara(ncid, varid, zero, all));
        OK(cellar_check_vara(ncid, varid, start, count));
        OK(cellar_check_vara(ncid, varid, start, none));
        assert_int_equal(cellar_check_vara(ncid, varid, beyond, count), NC_EEDGE);
        assert_int_equal(cellar_check_vara(ncid, varid, all, count), NC_EINVALCOORDS);
        assert_int_equal(cellar_check_vara(ncid, varid, NULL, count), NC_EINVALCOORDS);
        assert_int_equal(cellar_check_vara(ncid, 7, zero, all), NC_ENOTVAR);
        OK(nc_close(ncid));
    }
}

static void chunk_box(int n, size_t *start, size_t *count)
{
    start[0] = (size_t)(n / 4) * CHUNK_Y;
    start[1] = (size_t)(n % 4) * CHUNK_X;
    count[0] = start[0] + CHUNK_Y > Y ? Y - start[0] : CHUNK_Y;
    count[1] = start[1] + CHUNK_X > X ? X - start[1] : CHUNK_X;
}

static void flip(const char *path, unsigned long long at)
{
    FILE *f = fopen(path, "r+b");
    int byte;

    assert_non_null(f);
    OK(fseek(f, (long)at, SEEK_SET));
    byte = fgetc(f);
    OK(fseek(f, (long)at, SEEK_SET));
    assert_int_not_equal(fputc(byte ^ 0x55, f), EOF);
    OK(fclose(f));
}

static char *error_copy(void)
{
    char *text = strdup(cellar_error());

    assert_non_null(text);
    return text;
}

/* The same code and words as those of a get, chunk by chunk; and the first of them for all. */
static void damage_is_told_as_a_get_tells_it(void **state)
{
    static double values[Y * X];

    (void)state;
    for (int i = 0; i < 4; i++) {
        size_t start[2], count[2];
        char *first = NULL;
        int ncid, varid;

        make(&ways[i], &ncid, &varid);
        OK(nc_close(ncid));
        for (int n = 9; n <= 23; n += 7) {
            size_t index[] = {(size_t)n / 4, (size_t)n % 4};
            unsigned long long address, size;

            OK(nc_open(ways[i].path, NC_NOWRITE, &ncid));
            OK(cellar_inq_chunk(ncid, varid, index, &address, &size, NULL, NULL));
            OK(nc_close(ncid));
            for (unsigned at = 1; at < 20; at++)
                flip(ways[i].path, address + size * at / 20);
        }
        OK(nc_open(ways[i].path, NC_NOWRITE, &ncid));
        for (int n = 0; n < NCHUNKS; n++) {
            int expected, found;
            char *words;

            chunk_box(n, start, count);
            expected = nc_get_vara(ncid, varid, start, count, values);
            words = error_copy();
            found = cellar_check_vara(ncid, varid, start, count);
            assert_int_equal(found, expected);
            if (ways[i].chain[0] != 'n') /* lz4 has no checksum */
                assert_int_equal(found != NC_NOERR, n == 9 || n == 16 || n == 23);
            assert_string_equal(cellar_error(), words);
            if (found && !first)
                first = words;
            else
                free(words);
        }
        assert_int_equal(cellar_check_vara(ncid, varid, zero, all) != NC_NOERR, first != NULL);
        if (first)
            assert_string_equal(cellar_error(), first);
        free(first);
        OK(nc_close(ncid));
    }
}

/* Text and lists are made and dropped: the leak checker sees whether all of it. */
static void values_that_own_memory_pass(void **state)
{
    static const char *const path[] = {"test_api_check.nc", "file://test_api_check.zarr#mode=zarr"};

    (void)state;
    for (int p = 0; p < 2; p++) {
        const char *text[] = {"one", "", "three and more than a few bytes"};
        int numbers[] = {1, 2, 3}, ncid, dim, words, lists, list_type;
        nc_vlen_t list[] = {{3, numbers}, {0, NULL}, {1, numbers}};
        size_t start = 0, count = 3, chunk = 2;

        OK(nc_create(path[p], NC_NETCDF4 | NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "n", 3, &dim));
        OK(nc_def_var(ncid, "words", NC_STRING, 1, &dim, &words));
        OK(nc_def_var_chunking(ncid, words, NC_CHUNKED, &chunk));
        OK(nc_put_var_string(ncid, words, text));
        if (p == 0) {
            OK(nc_def_vlen(ncid, "list", NC_INT, &list_type));
            OK(nc_def_var(ncid, "lists", list_type, 1, &dim, &lists));
            OK(nc_put_var(ncid, lists, list));
        }
        OK(nc_close(ncid));
        OK(nc_open(path[p], NC_NOWRITE, &ncid));
        OK(cellar_check_vara(ncid, words, &start, &count));
        if (p == 0)
            OK(cellar_check_vara(ncid, lists, &start, &count));
        OK(nc_close(ncid));
    }
}

/* Chunks that were never written are nothing to be checked. Neither is what others have made the dimension longer by. */
static void absent_chunks_pass(void **state)
{
    size_t start[] = {0, 0}, count[] = {40, X}, one[] = {1, X}, chunk[] = {1, X};
    static double values[X];
    int ncid, dim[2], v, w;

    (void)state;
    OK(nc_create("test_api_check.nc", NC_NETCDF4 | NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim[0]));
    OK(nc_def_dim(ncid, "x", X, &dim[1]));
    OK(nc_def_var(ncid, "v", NC_DOUBLE, 2, dim, &v));
    OK(nc_def_var(ncid, "w", NC_DOUBLE, 2, dim, &w));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunk));
    OK(nc_def_var_chunking(ncid, w, NC_CHUNKED, chunk));
    start[0] = 39;
    OK(nc_put_vara_double(ncid, v, start, one, values));
    start[0] = 1;
    OK(nc_put_vara_double(ncid, w, start, one, values));
    OK(nc_close(ncid));
    OK(nc_open("test_api_check.nc", NC_NOWRITE, &ncid));
    start[0] = 0;
    OK(cellar_check_vara(ncid, v, start, count));
    OK(cellar_check_vara(ncid, w, start, count));
    OK(nc_close(ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_variables_pass),
        cmocka_unit_test(damage_is_told_as_a_get_tells_it),
        cmocka_unit_test(values_that_own_memory_pass),
        cmocka_unit_test(absent_chunks_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
