/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantization as a user meets it, in every format that keeps it. */
#include <cellar.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const places[] = {
    "test_api_quantize.nc",
    "file://test_api_quantize.zarr#mode=nczarr,file",
    "file://test_api_quantize_v3.zarr#mode=zarr,v3,file",
};
enum { NPLACES = sizeof places / sizeof *places, N = 5000 };

#define OK(call) assert_int_equal((call), NC_NOERR)

static float values[N];

static void make_values(void)
{
    for (size_t i = 0; i < N; i++)
        values[i] = (float)(280 + 20 * sin(0.01 * (double)i) + 1e-3 * (rand() % 1000));
}

/* A file with one float variable of N values, in define mode. */
static void create(const char *place, size_t chunk, int *ncid, int *varid)
{
    int dimid;

    OK(nc_create(place, NC_NETCDF4 | NC_CLOBBER, ncid));
    OK(nc_def_dim(*ncid, "x", N, &dimid));
    OK(nc_def_var(*ncid, "v", NC_FLOAT, 1, &dimid, varid));
    if (chunk)
        OK(nc_def_var_chunking(*ncid, *varid, NC_CHUNKED, &chunk));
}

static void refusals_are_netcdf_s(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        int ncid, f, i, scalar, mode, nsd;

        create(places[p], 0, &ncid, &f);
        OK(nc_def_var(ncid, "i", NC_INT, 0, NULL, &i));
        OK(nc_def_var(ncid, "s", NC_DOUBLE, 0, NULL, &scalar));
        assert_int_equal(nc_def_var_quantize(-1, f, NC_QUANTIZE_BITGROOM, 3), NC_EBADID);
        assert_int_equal(nc_def_var_quantize(ncid, NC_GLOBAL, 9, 3), NC_EGLOBAL);
        assert_int_equal(nc_def_var_quantize(ncid, 77, 9, 3), NC_ENOTVAR);
        assert_int_equal(nc_def_var_quantize(ncid, i, NC_QUANTIZE_BITGROOM, 3), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, f, -1, 3), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, f, 4, 3), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, f, NC_QUANTIZE_BITGROOM, 0), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, f, NC_QUANTIZE_GRANULARBR, -1), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, f, NC_QUANTIZE_BITGROOM, 7), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, f, NC_QUANTIZE_BITROUND, 24), NC_EINVAL);
        assert_int_equal(nc_def_var_quantize(ncid, scalar, NC_QUANTIZE_BITROUND, 53), NC_EINVAL);
        assert_non_null(strstr(cellar_error(), "1 to 52"));
        OK(nc_def_var_quantize(ncid, scalar, NC_QUANTIZE_BITROUND, 52));
        OK(nc_def_var_quantize(ncid, i, NC_NOQUANTIZE, 99));
        OK(nc_def_var_quantize(ncid, f, NC_QUANTIZE_BITGROOM, 6));
        OK(nc_def_var_quantize(ncid, f, NC_NOQUANTIZE, 99));
        OK(nc_inq_var_quantize(ncid, f, &mode, &nsd));
        assert_int_equal(mode, NC_NOQUANTIZE);
        assert_int_equal(nsd, 0);
        OK(nc_def_var_quantize(ncid, f, NC_QUANTIZE_GRANULARBR, 3));
        OK(nc_inq_var_quantize(ncid, f, NULL, NULL));
        assert_int_equal(nc_inq_var_quantize(ncid, NC_GLOBAL, &mode, &nsd), NC_EGLOBAL);
        assert_int_equal(nc_inq_var_quantize(ncid, 77, &mode, &nsd), NC_ENOTVAR);
        OK(nc_enddef(ncid));
        assert_int_equal(nc_def_var_quantize(ncid, f, NC_QUANTIZE_BITGROOM, 3), NC_ELATEDEF);
        OK(nc_redef(ncid));
        assert_int_equal(nc_def_var_quantize(ncid, f, 9, 3), NC_ELATEDEF);
        OK(nc_close(ncid));
        OK(nc_open(places[p], NC_NOWRITE, &ncid));
        assert_int_equal(nc_def_var_quantize(ncid, 77, NC_QUANTIZE_BITGROOM, 3), NC_EPERM);
        OK(nc_close(ncid));
    }
}

static void the_setting_lives_in_an_attribute(void **state)
{
    static const char *const names[] = {NULL, NC_QUANTIZE_BITGROOM_ATT_NAME, NC_QUANTIZE_GRANULARBR_ATT_NAME,
                                        NC_QUANTIZE_BITROUND_ATT_NAME};

    for (int p = 0; p < NPLACES; p++) {
        for (int m = NC_QUANTIZE_BITGROOM; m <= NC_QUANTIZE_BITROUND; m++) {
            int ncid, varid, mode, nsd, natts, value;
            nc_type type;
            size_t len;

            create(places[p], 0, &ncid, &varid);
            OK(nc_put_att_text(ncid, varid, "units", 1, "K"));
            OK(nc_def_var_quantize(ncid, varid, m, 4));
            assert_int_equal(nc_inq_att(ncid, varid, names[m], &type, &len), NC_ENOTATT);
            OK(nc_enddef(ncid));
            OK(nc_inq_varnatts(ncid, varid, &natts));
            assert_int_equal(natts, 2);
            OK(nc_close(ncid));

            OK(nc_open(places[p], NC_NOWRITE, &ncid));
            OK(nc_inq_var_quantize(ncid, varid, &mode, &nsd));
            assert_int_equal(mode, m);
            assert_int_equal(nsd, 4);
            OK(nc_inq_att(ncid, varid, names[m], &type, &len));
            assert_int_equal(type, NC_INT);
            assert_int_equal(len, 1);
            OK(nc_get_att_int(ncid, varid, names[m], &value));
            assert_int_equal(value, 4);
            OK(nc_close(ncid));
        }
    }
}

static void expect_bitround(const float *got, size_t n, int bits)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t want, have, half = (uint32_t)1 << (22 - bits);
        memcpy(&want, &values[i], sizeof want);
        memcpy(&have, &got[i], sizeof have);
        assert_int_equal(have, (want + half) & ~(2 * half - 1));
    }
}

static void appending_keeps_quantizing(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        int ncid, varid;
        size_t start = 0, count = N / 2;
        static float got[N];

        create(places[p], 700, &ncid, &varid);
        OK(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_BITROUND, 7));
        OK(nc_put_vara_float(ncid, varid, &start, &count, values));
        OK(nc_close(ncid));
        OK(nc_open(places[p], NC_WRITE, &ncid));
        start = count;
        OK(nc_put_vara_float(ncid, varid, &start, &count, values + start));
        OK(nc_close(ncid));
        OK(nc_open(places[p], NC_NOWRITE, &ncid));
        OK(nc_get_var_float(ncid, varid, got));
        expect_bitround(got, N, 7);
        OK(nc_close(ncid));
    }
}

/* BitGroom goes by the place in the request, whatever the chunks and threads: even ones
 * are cut, odd ones filled up, beginning anew with each call. */
static void chunks_and_threads_change_nothing(void **state)
{
    static const size_t chunks[] = {0, 1, 7, 64, 1001, N};
    static float first[N], got[N];

    for (int p = 0; p < NPLACES; p++) {
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            for (int threads = 1; threads <= 8; threads *= 2) {
                int ncid, varid;
                size_t start[2] = {0, 1777}, count[2] = {1777, N - 1777};
                uint32_t odd;

                if (chunks[c] == 1 && p > 0)
                    continue; /* five thousand files */
                OK(cellar_set_threads(threads));
                create(places[p], chunks[c], &ncid, &varid);
                OK(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_BITGROOM, 3));
                for (int i = 0; i < 2; i++)
                    OK(nc_put_vara_float(ncid, varid, &start[i], &count[i], values + start[i]));
                OK(nc_get_var_float(ncid, varid, got));
                OK(nc_close(ncid));
                if (p + c == 0 && threads == 1) {
                    memcpy(first, got, sizeof got);
                    memcpy(&odd, &got[1778], sizeof odd);
                    assert_int_equal(odd & 0xfff, 0xfff);
                    memcpy(&odd, &got[1777], sizeof odd);
                    assert_int_equal(odd & 0xfff, 0);
                }
                assert_memory_equal(got, first, sizeof got);
            }
        }
    }
    OK(cellar_set_threads(0));
}

/* Scalars and, in HDF5, variables kept within the header or in one piece. */
static void every_storage_is_quantized(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        int ncid, dimid, scalar, compact;
        float one = 1.1111111f, got[4];
        double wide = 1.1111111111;
        uint32_t bits;

        OK(nc_create(places[p], NC_NETCDF4 | NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 4, &dimid));
        OK(nc_def_var(ncid, "s", NC_FLOAT, 0, NULL, &scalar));
        OK(nc_def_var(ncid, "c", NC_FLOAT, 1, &dimid, &compact));
        if (p == 0)
            OK(nc_def_var_chunking(ncid, compact, NC_COMPACT, NULL));
        OK(nc_def_var_quantize(ncid, scalar, NC_QUANTIZE_BITROUND, 5));
        OK(nc_def_var_quantize(ncid, compact, NC_QUANTIZE_BITROUND, 5));
        OK(nc_put_var_float(ncid, scalar, &one));
        OK(nc_put_var_double(ncid, compact, (double[]){wide, 2, 3, 4})); /* converted first */
        OK(nc_get_var_float(ncid, scalar, got));
        memcpy(&bits, got, sizeof bits);
        assert_int_equal(bits, 0x3f900000);
        OK(nc_get_var_float(ncid, compact, got));
        memcpy(&bits, got, sizeof bits);
        assert_int_equal(bits, 0x3f900000);
        OK(nc_close(ncid));
    }
}

/* Columns of a table, every other row, and memory in another order: the n-th value given
 * is the n-th, wherever it goes. */
static void strides_and_maps_keep_the_count(void **state)
{
    enum { ROWS = 12, COLS = 10 };
    int ncid, varid, dims[2];
    size_t start[2] = {1, 2}, count[2] = {5, 3}, chunk[2] = {4, 3};
    ptrdiff_t stride[2] = {2, 3}, imap[2] = {1, 5};
    float given[15], got[15];

    for (int i = 0; i < 15; i++)
        given[i] = values[i];
    OK(nc_create(places[0], NC_NETCDF4 | NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", ROWS, &dims[0]));
    OK(nc_def_dim(ncid, "x", COLS, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 2, dims, &varid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunk));
    OK(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_BITGROOM, 3));
    OK(nc_put_vars_float(ncid, varid, start, count, stride, given));
    OK(nc_get_vars_float(ncid, varid, start, count, stride, got));
    for (uint32_t i = 0, bits; i < 15; i++) {
        memcpy(&bits, &got[i], sizeof bits);
        assert_int_equal(bits & 0xfff, i % 2 ? 0xfff : 0);
    }
    /* netCDF-C writes mapped memory value by value: each is a first one */
    OK(nc_put_varm_float(ncid, varid, start, count, stride, imap, given));
    OK(nc_get_varm_float(ncid, varid, start, count, stride, imap, got));
    for (uint32_t i = 0, bits; i < 15; i++) {
        memcpy(&bits, &got[i], sizeof bits);
        assert_int_equal(bits & 0xfff, 0);
    }
    OK(nc_close(ncid));
}

static void bad_attributes_are_ignored_with_a_warning(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        int ncid, varid, mode = -1, nsd = -1, bad = 7, good = 5, two[2] = {3, 3};
        double real = 3;

        create(places[p], 0, &ncid, &varid);
        OK(nc_put_att_int(ncid, varid, NC_QUANTIZE_BITGROOM_ATT_NAME, NC_INT, 1, &bad));
        OK(nc_put_att_double(ncid, varid, NC_QUANTIZE_GRANULARBR_ATT_NAME, NC_DOUBLE, 1, &real));
        OK(nc_put_att_int(ncid, varid, NC_QUANTIZE_BITROUND_ATT_NAME, NC_INT, 2, two));
        OK(nc_close(ncid));
        OK(nc_open(places[p], NC_WRITE, &ncid));
        OK(nc_inq_var_quantize(ncid, varid, &mode, &nsd));
        assert_int_equal(mode, NC_NOQUANTIZE);
        assert_int_equal(nsd, 0);
        assert_non_null(strstr(cellar_warning(), "_Quantize"));
        OK(nc_put_att_int(ncid, varid, NC_QUANTIZE_BITROUND_ATT_NAME, NC_INT, 1, &good));
        OK(nc_close(ncid));
        OK(nc_open(places[p], NC_NOWRITE, &ncid));
        OK(nc_inq_var_quantize(ncid, varid, &mode, &nsd));
        assert_int_equal(mode, NC_QUANTIZE_BITROUND);
        assert_int_equal(nsd, 5);
        OK(nc_close(ncid));
    }
}

static void the_errors_made_can_be_asked_for(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        int ncid, varid;
        double max_abs = -1, max_rel = -1, want_abs = 0, want_rel = 0;
        static float got[N];

        create(places[p], 300, &ncid, &varid);
        OK(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_BITROUND, 6));
        OK(cellar_inq_var_loss(ncid, varid, &max_abs, &max_rel));
        assert_true(max_abs == 0 && max_rel == 0);
        OK(nc_put_var_float(ncid, varid, values));
        OK(nc_get_var_float(ncid, varid, got));
        for (int i = 0; i < N; i++) {
            double off = fabs((double)got[i] - values[i]), share = off / fabs((double)values[i]);

            want_abs = off > want_abs ? off : want_abs;
            want_rel = share > want_rel ? share : want_rel;
        }
        OK(cellar_inq_var_loss(ncid, varid, &max_abs, &max_rel));
        assert_true(max_abs == want_abs && fabs(max_rel - want_rel) <= 1e-6 * want_rel);
        assert_true(max_rel <= ldexp(1, -7));
        OK(cellar_inq_var_loss(ncid, varid, NULL, NULL));
        assert_int_equal(cellar_inq_var_loss(ncid, NC_GLOBAL, &max_abs, &max_rel), NC_EGLOBAL);
        assert_int_equal(cellar_inq_var_loss(ncid, 5, &max_abs, &max_rel), NC_ENOTVAR);
        OK(nc_close(ncid));
    }
    assert_int_equal(cellar_bits_for_digits(3), 9);
}

/* Plain Zarr keeps no order of variables. */
static void open_again(const char *place, int mode, int *ncid, int *a, int *b, int *c)
{
    OK(nc_open(place, mode, ncid));
    OK(nc_inq_varid(*ncid, "v", a));
    OK(nc_inq_varid(*ncid, "b", b));
    OK(nc_inq_varid(*ncid, "c", c));
}

static void expect_text(int ncid, int varid, const char *name, const char *want)
{
    char text[100] = "";

    OK(nc_get_att_text(ncid, varid, name, text));
    assert_int_equal(strncmp(text, want, strlen(want)), 0);
}

/* CF-1.12, section 8.4. */
static void cf_attributes_come_on_request(void **state)
{
    for (int p = 0; p < NPLACES; p++) {
        int ncid, a, b, c, info, dimid, value;
        double error, max_abs, max_rel;
        size_t len;
        nc_type type;

        create(places[p], 300, &ncid, &a);
        OK(nc_inq_dimid(ncid, "x", &dimid));
        OK(nc_def_var(ncid, "b", NC_FLOAT, 1, &dimid, &b));
        OK(nc_def_var(ncid, "c", NC_DOUBLE, 1, &dimid, &c));
        OK(nc_def_var_quantize(ncid, a, NC_QUANTIZE_BITROUND, 9));
        OK(nc_def_var_quantize(ncid, b, NC_QUANTIZE_GRANULARBR, 3));
        OK(nc_def_var_quantize(ncid, c, NC_QUANTIZE_BITROUND, 12));
        OK(cellar_set_cf_quantization(ncid, 1));
        OK(nc_enddef(ncid));
        OK(nc_put_var_float(ncid, a, values));
        OK(nc_put_var_float(ncid, b, values));
        OK(cellar_inq_var_loss(ncid, a, &max_abs, &max_rel));
        OK(nc_close(ncid));

        open_again(places[p], NC_WRITE, &ncid, &a, &b, &c);
        OK(nc_inq_varid(ncid, "quantization_info", &info));
        OK(nc_inq_vartype(ncid, info, &type));
        if (p != 2) /* plain Zarr has no characters */
            assert_int_equal(type, NC_CHAR);
        expect_text(ncid, info, "algorithm", "bitround");
        expect_text(ncid, info, "implementation", "libcellar ");
        expect_text(ncid, a, "quantization", "quantization_info");
        expect_text(ncid, c, "quantization", "quantization_info");
        OK(nc_get_att_int(ncid, a, "quantization_nsb", &value));
        assert_int_equal(value, 9);
        OK(nc_get_att_double(ncid, a, "quantization_maximum_relative_error", &error));
        assert_true(error == max_rel && error > 0);
        assert_int_equal(nc_inq_att(ncid, c, "quantization_maximum_relative_error", &type, &len), NC_ENOTATT);
        OK(nc_inq_varid(ncid, "quantization_info_2", &info));
        expect_text(ncid, info, "algorithm", "granular_bitround");
        expect_text(ncid, b, "quantization", "quantization_info_2");
        OK(nc_get_att_int(ncid, b, "quantization_nsd", &value));
        assert_int_equal(value, 3);

        /* a smaller error leaves the larger one standing, a larger one replaces it */
        OK(nc_put_var1_float(ncid, a, &(size_t){0}, &(float){1.0f}));
        OK(nc_put_var1_float(ncid, b, &(size_t){0}, &(float){9.4999f}));
        OK(cellar_inq_var_loss(ncid, b, &max_abs, &max_rel));
        OK(nc_close(ncid));
        open_again(places[p], NC_NOWRITE, &ncid, &a, &b, &c);
        OK(nc_get_att_double(ncid, a, "quantization_maximum_relative_error", &max_abs));
        assert_true(max_abs == error);
        OK(nc_get_att_double(ncid, b, "quantization_maximum_relative_error", &max_abs));
        assert_true(max_abs >= max_rel);
        assert_int_equal(cellar_set_cf_quantization(ncid, 1), NC_EPERM);
        OK(nc_close(ncid));
    }
}

static int setup(void **state)
{
    make_values();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_are_netcdf_s),
        cmocka_unit_test(the_setting_lives_in_an_attribute),
        cmocka_unit_test(appending_keeps_quantizing),
        cmocka_unit_test(chunks_and_threads_change_nothing),
        cmocka_unit_test(every_storage_is_quantized),
        cmocka_unit_test(strides_and_maps_keep_the_count),
        cmocka_unit_test(bad_attributes_are_ignored_with_a_warning),
        cmocka_unit_test(the_errors_made_can_be_asked_for),
        cmocka_unit_test(cf_attributes_come_on_request),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
