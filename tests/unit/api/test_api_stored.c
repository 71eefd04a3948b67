/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks as they are stored: their size, and copies that are not decoded. */
#include <cellar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const from[] = {"test_api_stored.nc", "file://test_api_stored.zarr#mode=nczarr,file"};
static const char *const to[] = {"test_api_stored_to.nc", "file://test_api_stored_to.zarr#mode=nczarr,file"};
enum { NPLACES = 2, T = 3, X = 1000, CHUNK = 250 };

#define OK(call) assert_int_equal((call), NC_NOERR)

/* An int variable (t unlimited, x) of T records; fill is a value no one wrote. */
static void make(const char *place, const char *chain, size_t chunk, int fill, int *ncid, int *varid)
{
    size_t chunks[] = {1, chunk};
    int dim[2];

    OK(nc_create(place, NC_NETCDF4 | NC_CLOBBER, ncid));
    OK(nc_def_dim(*ncid, "t", NC_UNLIMITED, &dim[0]));
    OK(nc_def_dim(*ncid, "x", X, &dim[1]));
    OK(nc_def_var(*ncid, "v", NC_INT, 2, dim, varid));
    OK(nc_def_var_chunking(*ncid, *varid, NC_CHUNKED, chunks));
    OK(nc_def_var_fill(*ncid, *varid, NC_FILL, &fill));
    OK(cellar_def_var_chain(*ncid, *varid, chain));
    OK(nc_enddef(*ncid));
}

/* Record 1 is never written. */
static void write_values(int ncid, int varid)
{
    static int values[X];

    for (size_t t = 0; t < T; t += 2) {
        size_t start[] = {t, 0}, count[] = {1, X};
        for (int i = 0; i < X; i++)
            values[i] = (int)t * 7 + i / 9;
        OK(nc_put_vara_int(ncid, varid, start, count, values));
    }
}

static void assert_same_values(int a, int va, int b, int vb)
{
    static int x[T * X], y[T * X];
    size_t n;

    OK(nc_inq_dimlen(b, 0, &n));
    assert_int_equal(n, T);
    OK(nc_get_var_int(a, va, x));
    OK(nc_get_var_int(b, vb, y));
    assert_memory_equal(x, y, sizeof x);
}

static void sizes_are_of_encoded_chunks(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        unsigned long long plain, small;
        int ncid, varid;

        make(from[p], "", CHUNK, -1, &ncid, &varid);
        write_values(ncid, varid);
        OK(cellar_inq_var_stored(ncid, varid, &plain));
        assert_int_equal(plain, 2 * X * sizeof(int)); /* the record that was never written takes nothing */
        OK(nc_close(ncid));
        make(from[p], "shuffle|deflate,level=5", CHUNK, -1, &ncid, &varid);
        write_values(ncid, varid);
        OK(cellar_inq_var_stored(ncid, varid, &small));
        assert_true(small > 0 && small < plain / 4);
        assert_int_equal(cellar_inq_var_stored(ncid, 99, &small), NC_ENOTVAR);
        OK(nc_close(ncid));
    }
}

/* Bytes of a file, from an offset on. */
static void read_at(const char *path, unsigned long long at, void *out, size_t n)
{
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
    assert_int_equal(fread(out, 1, n, f), n);
    fclose(f);
}

/* What lies at the address is the chunk: there are no filters. */
static void chunks_lie_where_they_are_said_to(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        size_t index[] = {2, 3}, absent[] = {1, 0}, outside[] = {0, X / CHUNK};
        unsigned long long address, size;
        int ncid, varid, stored[CHUNK];
        unsigned skipped = 1;
        char *key, *at, path[200];
        size_t nbytes;
        void *bytes;
        int n;

        make(from[p], "", CHUNK, -1, &ncid, &varid);
        write_values(ncid, varid);
        OK(cellar_inq_chunk(ncid, varid, index, &address, &size, &skipped, &key));
        assert_int_equal(size, sizeof stored);
        assert_int_equal(skipped, 0);
        assert_string_equal(key, p ? "v/2.3" : "");
        OK(nc_sync(ncid));
        snprintf(path, sizeof path, p ? "test_api_stored.zarr/%s" : "%s", p ? key : from[p]);
        cellar_free(key);
        read_at(path, address, stored, sizeof stored);
        for (int i = 0; i < CHUNK; i++)
            assert_int_equal(stored[i], 2 * 7 + (3 * CHUNK + i) / 9);
        OK(cellar_inq_keys(ncid, &key));
        snprintf(path, sizeof path, "%s", key);
        assert_string_equal(path, p ? ".zattrs" : "");
        for (n = 0, at = key; *at; at += strlen(at) + 1)
            n += strncmp(at, "v/2.", 4) == 0;
        assert_int_equal(n, p ? X / CHUNK : 0);
        cellar_free(key);
        OK(cellar_get_chunk(ncid, varid, index, &nbytes, &skipped, &bytes));
        assert_int_equal(nbytes, sizeof stored);
        assert_memory_equal(bytes, stored, sizeof stored);
        cellar_free(bytes);
        OK(cellar_get_chunk(ncid, varid, absent, &nbytes, NULL, &bytes));
        assert_true(!bytes && nbytes == 0);
        assert_int_equal(cellar_get_chunk(ncid, varid, outside, NULL, NULL, &bytes), NC_EINVALCOORDS);
        OK(cellar_inq_chunk(ncid, varid, absent, &address, &size, NULL, NULL));
        assert_int_equal(size, 0);
        assert_true(address == CELLAR_NO_ADDRESS);
        assert_int_equal(cellar_inq_chunk(ncid, varid, outside, NULL, NULL, NULL, NULL), NC_EINVALCOORDS);
        assert_int_equal(cellar_inq_chunk(ncid, varid, NULL, NULL, NULL, NULL, NULL), NC_EINVAL);
        assert_int_equal(cellar_inq_chunk(ncid, 99, index, NULL, NULL, NULL, NULL), NC_ENOTVAR);
        OK(nc_close(ncid));
    }
}

/* Without chunks: all values in one piece, and in classic files a piece in each record. */
static void pieces_of_unchunked_variables_lie_where_they_are_said_to(void **state)
{
    static const char *const path = "test_api_stored_pieces.nc";

    for (int p = 0; p < 2; p++) {
        int ncid, dim[2], fixed, record, values[3] = {1, 2, 3}, one = 1, native = *(char *)&one;
        size_t start[] = {1, 0}, count[] = {1, 3}, index[] = {1, 0}, zero[] = {0, 0};
        unsigned long long address, size;
        unsigned char stored[12];

        OK(nc_create(path, NC_CLOBBER | (p ? NC_NETCDF4 : 0), &ncid));
        OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim[0]));
        OK(nc_def_dim(ncid, "x", 3, &dim[1]));
        OK(nc_def_var(ncid, "fixed", NC_INT, 1, &dim[1], &fixed));
        OK(nc_def_var(ncid, "record", NC_INT, 2, dim, &record));
        OK(nc_enddef(ncid));
        OK(nc_put_var_int(ncid, fixed, values));
        OK(nc_put_vara_int(ncid, record, start, count, values));
        OK(nc_close(ncid));
        OK(nc_open(path, NC_NOWRITE, &ncid));
        for (int v = fixed; v <= (p ? fixed : record); v++) {
            OK(cellar_inq_chunk(ncid, v, v == fixed ? zero : index, &address, &size, NULL, NULL));
            assert_int_equal(size, sizeof stored);
            read_at(path, address, stored, sizeof stored);
            for (int i = 0; i < 3; i++)
                assert_int_equal(stored[4 * i + (p && native ? 0 : 3)], values[i]);
        }
        index[0] = 2;
        assert_int_equal(cellar_inq_chunk(ncid, p ? fixed : record, index, NULL, NULL, NULL, NULL), NC_EINVALCOORDS);
        OK(nc_close(ncid));
    }
}

/* Other variables have more records: the chunks of those are absent, and no error. */
static void records_of_others_are_absent(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        size_t index[] = {T - 1, 0}, beyond[] = {T, 0};
        unsigned long long address, size = 1;
        int ncid, written, empty, dim[2] = {0, 1};
        void *bytes;

        make(from[p], "shuffle|deflate,level=5", CHUNK, -1, &ncid, &written);
        OK(nc_redef(ncid));
        OK(nc_def_var(ncid, "empty", NC_INT, 2, dim, &empty));
        OK(nc_def_var_chunking(ncid, empty, NC_CHUNKED, (size_t[]){1, CHUNK}));
        OK(nc_enddef(ncid));
        write_values(ncid, written);
        OK(nc_close(ncid));
        OK(nc_open(from[p], NC_NOWRITE, &ncid));
        OK(cellar_inq_chunk(ncid, empty, index, &address, &size, NULL, NULL));
        assert_int_equal(size, 0);
        assert_true(address == CELLAR_NO_ADDRESS);
        OK(cellar_get_chunk(ncid, empty, index, NULL, NULL, &bytes));
        assert_null(bytes);
        assert_int_equal(cellar_inq_chunk(ncid, empty, beyond, NULL, NULL, NULL, NULL), NC_EINVALCOORDS);
        OK(nc_close(ncid));
    }
}

static void equal_variables_are_copied_as_stored(void **state)
{
    for (int pair = 0; pair < NPLACES * NPLACES; pair++) {
        int a, b, va, vb, as_stored = 0, p = pair / NPLACES; /* also between formats */

        make(from[pair % NPLACES], "shuffle|deflate,level=5", CHUNK, -1, &a, &va);
        write_values(a, va);
        make(to[p], "shuffle|deflate,level=5", CHUNK, -1, &b, &vb);
        OK(cellar_copy_var_chunks(a, va, b, vb, &as_stored));
        assert_int_equal(as_stored, 1);
        assert_same_values(a, va, b, vb);
        OK(nc_close(b));
        OK(nc_open(to[p], NC_NOWRITE, &b));
        assert_same_values(a, va, b, vb);
        assert_int_equal(cellar_copy_var_chunks(a, va, b, vb, &as_stored), NC_EPERM);
        OK(nc_close(b));
        OK(nc_close(a));
    }
}

static void unequal_variables_are_left_alone(void **state)
{
    static const struct {
        const char *chain;
        size_t chunk;
        int fill;
    } other[] = {{"shuffle|deflate,level=4", CHUNK, -1},
                 {"deflate,level=5", CHUNK, -1},
                 {"", CHUNK, -1},
                 {"shuffle|deflate,level=5", CHUNK / 2, -1},
                 {"shuffle|deflate,level=5", CHUNK, -2}};

    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        int a, b, va, vb, as_stored = 1;
        size_t n;

        make(from[0], "shuffle|deflate,level=5", CHUNK, -1, &a, &va);
        write_values(a, va);
        make(to[0], other[i].chain, other[i].chunk, other[i].fill, &b, &vb);
        OK(cellar_copy_var_chunks(a, va, b, vb, &as_stored));
        assert_int_equal(as_stored, 0);
        OK(nc_inq_dimlen(b, 0, &n));
        assert_int_equal(n, 0);
        OK(nc_close(b));
        OK(nc_close(a));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_of_encoded_chunks),
        cmocka_unit_test(chunks_lie_where_they_are_said_to),
        cmocka_unit_test(pieces_of_unchunked_variables_lie_where_they_are_said_to),
        cmocka_unit_test(records_of_others_are_absent),
        cmocka_unit_test(equal_variables_are_copied_as_stored),
        cmocka_unit_test(unequal_variables_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
