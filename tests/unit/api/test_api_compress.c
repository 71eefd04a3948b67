/* SPDX-License-Identifier: BSD-3-Clause */
/* nc_def_var_compress: names, blocks, codes, and every method in 1 to 6
 * dimensions, in HDF5 files and Zarr stores. */
#include "api_test.h"
#include "common/scratch.h"
#include <math.h>
#include <nc4compress.h>

static char path[1200];

static int make_file(bool zarr)
{
    int ncid;

    snprintf(path, sizeof path, "%s", zarr ? scratch_url("f.zarr", "zarr,file") : scratch("f.nc"));
    assert_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    return ncid;
}

static void remove_files(void)
{
    remove_tree(scratch("f.nc"));
    remove_tree(scratch("f.zarr"));
}

static int make_var(int ncid, nc_type type, const char *name)
{
    int dim, v;

    if (nc_inq_dimid(ncid, "x", &dim) != NC_NOERR)
        assert_ok(nc_def_dim(ncid, "x", 100, &dim));
    assert_ok(nc_def_var(ncid, name, type, 1, &dim, &v));
    return v;
}

static void expect_refused(int ncid, int varid, const char *method, int n, unsigned *params, const char *why)
{
    assert_int_equal(nc_def_var_compress(ncid, varid, method, n, params), NC_ECOMPRESS);
    if (!strstr(cellar_error(), why))
        fail_msg("expected \"%s\", said is \"%s\"", why, cellar_error());
}

static void names_and_counts(void **state)
{
    int ncid = make_file(false), v = make_var(ncid, NC_FLOAT, "v"), s;
    char name[200];
    unsigned five[] = {5, 5, 5}, ten[] = {10};
    nc_compression_t c;

    (void)state;
    assert_ok(nc_def_var(ncid, "s", NC_FLOAT, 0, NULL, &s));
    memset(name, 'x', sizeof name);
    name[199] = '\0';
    expect_refused(ncid, v, NULL, 1, five, "no compression method");
    expect_refused(ncid, v, "", 1, five, "no compression method");
    expect_refused(ncid, v, name, 1, five, "there is no compression method");
    expect_refused(ncid, v, "zipp", 1, five, "did you mean zip?");
    expect_refused(ncid, v, "zfpp", 1, five, "did you mean zfp?");
    expect_refused(ncid, v, "zip", -1, five, "-1 parameters");
    expect_refused(ncid, v, "zip", 1, NULL, "no list");
    expect_refused(ncid, v, "zip", 0, NULL, "takes 1 parameters, not 0");
    expect_refused(ncid, v, "zip", 2, five, "takes 1 parameters, not 2");
    expect_refused(ncid, v, "zip", 1, ten, "level is 10");
    expect_refused(ncid, v, "szip", 1, five, "takes 2 parameters");
    expect_refused(ncid, v, "szip", 2, five, "szip");
    expect_refused(ncid, v, "zstd", 3, five, "at most 2");
    expect_refused(ncid, v, "zfp", 99, c.params, "make no block");
    expect_refused(ncid, v, "fpzip", 5, memset(&c, 0, sizeof c), "make no block");
    assert_int_equal(nc_def_var_compress(ncid, s, "zip", 1, five), NC_EINVAL);
    assert_int_equal(nc_def_var_compress(99999, v, "zip", 1, five), NC_EBADID);
    assert_int_equal(nc_def_var_compress(ncid, 99, "zip", 1, five), NC_ENOTVAR);
    assert_ok(nc_def_var_compress(ncid, v, "zip", 1, five));
    five[0] = 7;
    assert_ok(nc_def_var_compress(ncid, v, "zip", 1, five)); /* the same again: new parameters */
    expect_refused(ncid, v, "bzip2", 1, five, "compressed by zip already");
    assert_ok(nc_enddef(ncid));
    assert_int_equal(nc_def_var_compress(ncid, v, "zip", 1, five), NC_ELATEDEF);
    assert_ok(nc_close(ncid));
    remove_files();
}

static void expect_method(int ncid, int v, const char *method, int n, const unsigned *params)
{
    unsigned got[NC_COMPRESSION_MAX_PARAMS];
    char *name;
    int ngot;

    assert_ok(nc_inq_var_compress(ncid, v, &name, &ngot, got));
    assert_string_equal(name, method);
    assert_int_equal(ngot, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(got[i], params[i]);
}

static void inquiry_gives_the_last_compressor(void **state)
{
    int ncid = make_file(false), v = make_var(ncid, NC_FLOAT, "v"), w = make_var(ncid, NC_FLOAT, "w"), n = 9;
    unsigned level[] = {4}, nine[] = {9};
    char *name;

    (void)state;
    assert_ok(nc_inq_var_compress(ncid, v, &name, &n, NULL));
    assert_string_equal(name, "");
    assert_int_equal(n, 0);
    assert_ok(nc_inq_var_compress(ncid, v, NULL, NULL, NULL));
    assert_ok(nc_def_var_shuffle(ncid, v, 1));
    assert_ok(nc_inq_var_compress(ncid, v, &name, &n, NULL)); /* shuffle compresses nothing */
    assert_string_equal(name, "");
    assert_ok(nc_def_var_compress(ncid, v, "zip", 1, level));
    expect_method(ncid, v, "zip", 1, level);
    assert_ok(nc_def_var_filter(ncid, v, 307, 1, nine)); /* more than one: the last */
    expect_method(ncid, v, "bzip2", 1, nine);
    assert_ok(nc_def_var_compress(ncid, w, "zstd", 1, level)); /* any codec by its name */
    expect_method(ncid, w, "zstd", 1, level);
    assert_ok(nc_close(ncid));
    remove_files();
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void zfp_blocks(void **state)
{
    int ncid = make_file(false), f = make_var(ncid, NC_FLOAT, "f"), d = make_var(ncid, NC_DOUBLE, "d"),
        i = make_var(ncid, NC_INT, "i"), b = make_var(ncid, NC_BYTE, "b"), s = make_var(ncid, NC_SHORT, "s");
    nc_compression_t c, got;
    char *name;
    int n;

    (void)state;
    expect_refused(ncid, b, "zfp", 0, NULL, "32 and 64 bits");
    expect_refused(ncid, s, "zfp", 0, NULL, "32 and 64 bits");
    n = nc_compress_zfp(&c, 3, 8, 0);
    expect_refused(ncid, f, "zfp", n, c.params, "only one of rate, tolerance and prec");
    n = nc_compress_zfp(&c, 0, -1, 0);
    expect_refused(ncid, f, "zfp", n, c.params, "rate is -1");
    n = nc_compress_zfp(&c, 0, 0, NAN);
    expect_refused(ncid, f, "zfp", n, c.params, "tolerance is");
    n = nc_compress_zfp(&c, -2, 0, 0);
    expect_refused(ncid, f, "zfp", n, c.params, "prec is -2");
    n = nc_compress_zfp(&c, 0, 0, 0.01);
    expect_refused(ncid, i, "zfp", n, c.params, "a tolerance is for float and double");
    c.zfp.isdouble = 1;
    expect_refused(ncid, f, "zfp", n, c.params, "isdouble is set");
    c.zfp.isdouble = 0;
    c.zfp.rank = 2;
    expect_refused(ncid, f, "zfp", n, c.params, "rank is 2");
    c.zfp.rank = 1;
    c.zfp.chunksizes[0] = 77;
    expect_refused(ncid, f, "zfp", n, c.params, "chunk length 0 is 77");
    assert_ok(nc_inq_var_compress(ncid, f, &name, NULL, NULL));
    assert_string_equal(name, ""); /* nothing stayed behind */
    c.zfp.chunksizes[0] = 100;
    assert_ok(nc_def_var_compress(ncid, f, "zfp", n, c.params));
    assert_ok(nc_inq_var_compress(ncid, f, &name, &n, got.params));
    assert_string_equal(name, "zfp");
    assert_int_equal(n, NC_NELEMS_ZFP);
    assert_true(got.zfp.tolerance == 0.01 && got.zfp.rate == 0 && got.zfp.prec == 0);
    assert_int_equal(got.zfp.rank, 1);
    assert_int_equal(got.zfp.chunksizes[0], 100);

    n = nc_compress_zfp(&c, 0, 1.0 / 3 + 8, 0);                  /* bit-exact */
    assert_ok(nc_def_var_compress(ncid, d, "zfp", 4, c.params)); /* leading members only */
    assert_ok(nc_inq_var_compress(ncid, d, NULL, NULL, got.params));
    assert_true(got.zfp.rate == 1.0 / 3 + 8 && got.zfp.isdouble == 1);
    assert_ok(nc_def_var_compress(ncid, i, "zfp", 0, NULL)); /* reversible */
    assert_ok(nc_inq_var_compress(ncid, i, NULL, NULL, got.params));
    assert_true(got.zfp.rate == 0 && got.zfp.tolerance == 0 && got.zfp.prec == 0 && got.zfp.isdouble == 0);
    assert_ok(nc_close(ncid));

    assert_ok(nc_open(path, NC_NOWRITE, &ncid)); /* the file says the same */
    assert_ok(nc_inq_var_compress(ncid, f, &name, &n, got.params));
    assert_string_equal(name, "zfp");
    assert_true(got.zfp.tolerance > 0 && got.zfp.tolerance <= 0.01); /* zfp keeps powers of two */
    assert_ok(nc_close(ncid));
    remove_files();
}

static void fpzip_blocks(void **state)
{
    int ncid = make_file(false), f = make_var(ncid, NC_FLOAT, "f"), i = make_var(ncid, NC_INT, "i");
    nc_compression_t c, got;
    char *name;
    int n = nc_compress_fpzip(&c, 20);

    (void)state;
    expect_refused(ncid, i, "fpzip", n, c.params, "fpzip is for float and double");
    c.fpzip.prec = 33;
    expect_refused(ncid, f, "fpzip", n, c.params, "prec is 33");
    c.fpzip.prec = 20;
    assert_ok(nc_def_var_compress(ncid, f, "fpzip", n, c.params));
    assert_ok(nc_inq_var_compress(ncid, f, &name, &n, got.params));
    assert_string_equal(name, "fpzip");
    assert_int_equal(n, NC_NELEMS_FPZIP);
    assert_int_equal(got.fpzip.prec, 20);
    assert_int_equal(got.fpzip.chunksizes[0], 100);
    assert_ok(nc_def_var_compress(ncid, f, "fpzip", 0, NULL)); /* lossless */
    assert_ok(nc_close(ncid));
    remove_files();
}

/* A block from a 32-bit machine: chunk lengths of one word, without padding. */
static void both_layouts_read_alike(void **state)
{
    int ncid = make_file(false), a = make_var(ncid, NC_FLOAT, "a"), b = make_var(ncid, NC_FLOAT, "b");
    const double tolerance = 0.125;
    const uint64_t length = 100;
    unsigned narrow[23] = {0}, wide[40] = {0};
    nc_compression_t got;

    (void)state;
    memcpy(narrow + 4, &tolerance, 8);
    memcpy(wide + 4, &tolerance, 8);
    narrow[6] = wide[6] = 1;
    narrow[7] = 100;
    memcpy(wide + 8, &length, 8);
    assert_ok(nc_def_var_compress(ncid, a, "zfp", 23, narrow));
    assert_ok(nc_def_var_compress(ncid, b, "zfp", 40, wide));
    for (int v = a; v <= b; v++) {
        assert_ok(nc_inq_var_compress(ncid, v, NULL, NULL, got.params));
        assert_true(got.zfp.tolerance == tolerance);
    }
    narrow[7] = 99;
    expect_refused(ncid, a, "zfp", 23, narrow, "chunk length 0 is 99");
    expect_refused(ncid, a, "zfp", 8, narrow, "chunk length 0 is 99"); /* rank lengths are enough */
    assert_ok(nc_close(ncid));
    remove_files();
}

/* --- every method in every number of dimensions ------------------------------------------------- */

struct method {
    const char *name;
    int n;
    double bound; /* of the error; 0: exact, -1: only finite */
    nc_compression_t c;
};

static size_t list_methods(struct method *out)
{
    size_t n = 0;

#define METHOD(method, most, call) (out[n].name = (method), out[n].bound = (most), out[n].n = call, n++)
    METHOD("zip", 0, nc_compress_zip(&out[n].c, 5));
    METHOD("szip", 0, nc_compress_szip(&out[n].c, 32, 4));
    METHOD("bzip2", 0, nc_compress_bzip2(&out[n].c, 9));
    METHOD("fpzip", 0, nc_compress_fpzip(&out[n].c, 0));
    METHOD("fpzip", 0.5, nc_compress_fpzip(&out[n].c, 20));
    METHOD("zfp", 0, nc_compress_zfp(&out[n].c, 0, 0, 0));
    METHOD("zfp", 0.01, nc_compress_zfp(&out[n].c, 0, 0, 0.01));
    METHOD("zfp", -1, nc_compress_zfp(&out[n].c, 0, 16, 0));
    METHOD("zfp", -1, nc_compress_zfp(&out[n].c, 20, 0, 0));
    METHOD("zstd", 0, 0);
    return n;
}

static bool is_legal(const struct method *m, nc_type type)
{
    bool integer = type == NC_INT || type == NC_INT64;

    return !integer || (strcmp(m->name, "fpzip") != 0 && m->bound == 0);
}

static void name_of(const struct method *m, nc_type type, int ndims, int v, char *out)
{
    snprintf(out, NC_MAX_NAME, "%s_%d_%d_%d", m->name, (int)type, ndims, v);
}

/* Lengths 5 with chunks of 3 and 2 by turns: edge chunks everywhere. */
static void define(int ncid, const struct method *m, nc_type type, int ndims, int *v)
{
    int dims[6];
    size_t chunks[6];
    char name[NC_MAX_NAME];

    for (int d = 0; d < ndims; d++) {
        snprintf(name, sizeof name, "d%d", d);
        if (nc_inq_dimid(ncid, name, &dims[d]) != NC_NOERR)
            assert_ok(nc_def_dim(ncid, name, d ? 5 : 13, &dims[d]));
        chunks[d] = d ? (size_t)(3 - d % 2) : 8;
    }
    name_of(m, type, ndims, *v, name);
    assert_ok(nc_def_var(ncid, name, type, ndims, dims, v));
    assert_ok(nc_def_var_chunking(ncid, *v, NC_CHUNKED, chunks));
    if (nc_def_var_compress(ncid, *v, m->name, m->n, (unsigned *)m->c.params) != NC_NOERR)
        fail_msg("%s: %s", name, cellar_error());
}

static size_t size_of(int ndims)
{
    size_t n = 13;

    for (int d = 1; d < ndims; d++)
        n *= 5;
    return n;
}

static double value_at(size_t i)
{
    return (double)(i % 13) * 4 + (double)(i % 7); /* whole numbers, for integers too */
}

static void check_values(const struct method *m, const char *name, const double *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double error = fabs(data[i] - value_at(i));

        if (!isfinite(data[i]) || (m->bound >= 0 && error > m->bound))
            fail_msg("%s: value %zu is off by %g", name, i, error);
    }
}

static void round_trip(bool zarr)
{
    static const nc_type types[] = {NC_FLOAT, NC_DOUBLE, NC_INT, NC_INT64};
    static double data[13 * 5 * 5 * 5 * 5 * 5];
    struct method methods[16];
    size_t nmethods = list_methods(methods);
    int ncid = make_file(zarr), first = 0, nvars;

    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] = value_at(i);
    for (int pass = 0; pass < 3; pass++) { /* define, write, read */
        int v = first;

        if (pass == 2) {
            assert_ok(nc_close(ncid));
            assert_ok(nc_open(path, NC_NOWRITE, &ncid));
        }
        for (size_t k = 0; k < nmethods; k++)
            for (size_t t = 0; t < 4; t++)
                for (int ndims = 1; ndims <= 6; ndims++) {
                    char name[NC_MAX_NAME + 1];

                    if (!is_legal(&methods[k], types[t]))
                        continue;
                    if (pass == 0) {
                        int made = v;

                        define(ncid, &methods[k], types[t], ndims, &made);
                        assert_int_equal(made, v);
                    } else if (pass == 1) {
                        if (nc_put_var_double(ncid, v, data) != NC_NOERR)
                            fail_msg("%s", cellar_error());
                    } else {
                        int found; /* Zarr has no order of variables */

                        name_of(&methods[k], types[t], ndims, v, name);
                        assert_ok(nc_inq_varid(ncid, name, &found));
                        memset(data, 0xff, size_of(ndims) * sizeof *data);
                        if (nc_get_var_double(ncid, found, data) != NC_NOERR)
                            fail_msg("%s", cellar_error());
                        check_values(&methods[k], name, data, size_of(ndims));
                    }
                    v++;
                }
        assert_ok(nc_inq_nvars(ncid, &nvars));
        assert_int_equal(nvars, v);
    }
    assert_ok(nc_close(ncid));
    remove_files();
}

static void every_method_in_hdf5(void **state)
{
    (void)state;
    round_trip(false);
}

static void every_method_in_zarr(void **state)
{
    (void)state;
    round_trip(true);
}

/* --- values that zfp's lossy modes cannot keep -------------------------------------------------- */

enum { SIDE = 37, SEA = 5 }; /* chunks of 16: edge chunks too */

static float masked_at(size_t i)
{
    return i / SIDE % SEA == 0 && i % SEA == 0 ? NC_FILL_FLOAT : i == 700 ? NAN : 280 + (float)(i % SIDE) / 8;
}

static double written_error(int ncid, int v)
{
    double most = -1;

    assert_ok(nc_sync(ncid));
    assert_ok(cellar_inq_var_loss(ncid, v, &most, NULL));
    return most;
}

static void masked_field(bool zarr, double tolerance)
{
    float was[SIDE * SIDE], is[SIDE * SIDE];
    size_t chunks[] = {16, 16};
    nc_compression_t c;
    int ncid = make_file(zarr), dims[2], v;

    for (size_t i = 0; i < SIDE * SIDE; i++)
        was[i] = masked_at(i);
    assert_ok(nc_def_dim(ncid, "y", NC_UNLIMITED, &dims[0]));
    assert_ok(nc_def_dim(ncid, "x", SIDE, &dims[1]));
    assert_ok(nc_def_var(ncid, "v", NC_FLOAT, 2, dims, &v));
    assert_ok(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    assert_ok(nc_def_var_compress(ncid, v, "zfp", nc_compress_zfp(&c, 0, 0, tolerance), c.params));
    assert_ok(cellar_watch_var_loss(ncid, v, 1));
    for (size_t y = 0; y < SIDE; y++) { /* record by record: what is not written yet is fill */
        size_t start[] = {y, 0}, count[] = {1, SIDE};
        assert_ok(nc_put_vara_float(ncid, v, start, count, was + y * SIDE));
        if (y % 7 == 0)
            assert_ok(nc_sync(ncid));
    }
    assert_true(written_error(ncid, v) <= tolerance);
    assert_ok(nc_close(ncid));
    assert_ok(nc_open(path, NC_NOWRITE, &ncid));
    assert_ok(nc_inq_varid(ncid, "v", &v));
    assert_ok(nc_get_var_float(ncid, v, is));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        if (isnan(was[i]) ? !isnan(is[i])
                          : !(fabs((double)was[i] - is[i]) <= 7 * tolerance)) /* encoded up to 6 times */
            fail_msg("value %zu: %g came back as %g", i, was[i], is[i]);
    assert_ok(nc_close(ncid));
    remove_files();
}

static void the_tolerance_holds_beside_fill_values(void **state)
{
    (void)state;
    for (int zarr = 0; zarr < 2; zarr++) {
        masked_field(zarr, 0.01);
        masked_field(zarr, 1e-4);
    }
}

static void the_error_reached_can_be_asked_for(void **state)
{
    static const struct {
        int prec;
        double rate, tolerance;
    } ways[] = {{12, 0, 0}, {0, 10, 0}, {0, 0, 0.5}, {0, 0, 0}};
    int ncid = make_file(false), dims[2], v[4];
    float was[SIDE * SIDE], is[SIDE * SIDE];
    nc_compression_t c;

    (void)state;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        was[i] = (float)(100 * sin((double)i / 9));
    assert_ok(nc_def_dim(ncid, "y", SIDE, &dims[0]));
    assert_ok(nc_def_dim(ncid, "x", SIDE, &dims[1]));
    for (int k = 0; k < 4; k++) {
        char name[8];
        double most = 0, largest = 0;

        snprintf(name, sizeof name, "v%d", k);
        if (k)
            assert_ok(nc_redef(ncid));
        assert_ok(nc_def_var(ncid, name, NC_FLOAT, 2, dims, &v[k]));
        assert_ok(nc_def_var_compress(ncid, v[k], "zfp",
                                      nc_compress_zfp(&c, ways[k].prec, ways[k].rate, ways[k].tolerance), c.params));
        assert_ok(cellar_watch_var_loss(ncid, v[k], 1));
        assert_ok(nc_enddef(ncid));
        assert_ok(nc_put_var_float(ncid, v[k], was));
        most = written_error(ncid, v[k]);
        assert_ok(nc_get_var_float(ncid, v[k], is));
        for (size_t i = 0; i < SIDE * SIDE; i++)
            largest = fmax(largest, fabs((double)was[i] - is[i]));
        assert_true(largest <= most && (k == 3 ? most == 0 : most > 0 && most < 10));
    }
    assert_ok(nc_close(ncid));
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_counts),
        cmocka_unit_test(inquiry_gives_the_last_compressor),
        cmocka_unit_test(zfp_blocks),
        cmocka_unit_test(fpzip_blocks),
        cmocka_unit_test(both_layouts_read_alike),
        cmocka_unit_test(every_method_in_hdf5),
        cmocka_unit_test(every_method_in_zarr),
        cmocka_unit_test(the_tolerance_holds_beside_fill_values),
        cmocka_unit_test(the_error_reached_can_be_asked_for),
    };

    scratch_make();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
