/* SPDX-License-Identifier: BSD-3-Clause */
/* The filter API on real files: codes and their order, redefinition, order of
 * filters, two-call inquiries, and what other formats and types answer. */
#include "api_test.h"
#include <unistd.h>
#include "common/scratch.h"
#include "spec.h"
#include <netcdf_aux.h>
#include <netcdf_filter.h>
#include <netcdf_meta.h>

static char path[600];

/* A file with x(100), a variable v(x), a scalar s and a string t(x). */
struct file {
    int ncid, dim, v, s, t;
};

static void make(struct file *f)
{
    snprintf(path, sizeof path, "%s", scratch("f.nc"));
    assert_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &f->ncid));
    assert_ok(nc_def_dim(f->ncid, "x", 100, &f->dim));
    assert_ok(nc_def_var(f->ncid, "v", NC_FLOAT, 1, &f->dim, &f->v));
    assert_ok(nc_def_var(f->ncid, "s", NC_FLOAT, 0, NULL, &f->s));
    assert_ok(nc_def_var(f->ncid, "t", NC_STRING, 1, &f->dim, &f->t));
}

static void drop(struct file *f)
{
    assert_ok(nc_close(f->ncid));
    unlink(path);
}

static void expect_chain(int ncid, int varid, const char *want)
{
    char *text;

    assert_ok(cellar_inq_var_chain(ncid, varid, CELLAR_IDS, &text));
    assert_string_equal(text, want);
    cellar_free(text);
}

static const unsigned nine[] = {9}, szip[] = {32, 16};

static void codes_and_their_order(void **state)
{
    struct file f;
    const unsigned ten[] = {10}, minus[] = {(unsigned)-1}, odd[] = {32, 7}, large[] = {32, 34};

    (void)state;
    make(&f);
    assert_int_equal(nc_def_var_filter(99999, f.v, 307, 1, nine), NC_EBADID);
    assert_int_equal(nc_def_var_filter(f.ncid, 77, 307, 1, nine), NC_ENOTVAR);
    assert_int_equal(nc_def_var_filter(f.ncid, NC_GLOBAL, 307, 1, nine), NC_ENOTVAR);
    assert_int_equal(nc_def_var_filter(f.ncid, f.s, 307, 1, nine), NC_EINVAL);
    assert_int_equal(nc_def_var_filter(f.ncid, f.s, 33333, 0, NULL), NC_EINVAL); /* scalar before unknown */
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 0, 0, NULL), NC_EBADID);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 65536, 0, NULL), NC_EBADID);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 33333, 1, NULL), NC_EINVAL);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 33333, 0, NULL), NC_ENOFILTER);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 1, 0, NULL), NC_EFILTER);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 1, 1, ten), NC_EINVAL);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 1, 1, minus), NC_EINVAL);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 4, 1, szip), NC_EFILTER);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 4, 2, odd), NC_EINVAL);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 4, 2, large), NC_EINVAL);
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 307, 1, ten), NC_EINVAL);
    assert_int_equal(nc_def_var_bzip2(f.ncid, f.v, 0), NC_EINVAL);
    assert_int_equal(nc_def_var_zstandard(f.ncid, f.v, 23), NC_EINVAL);
    assert_int_equal(nc_def_var_zstandard(f.ncid, f.v, -131073), NC_EINVAL);
    assert_int_equal(nc_def_var_blosc(f.ncid, f.v, 6, 5, 0, 1), NC_EINVAL);
    assert_int_equal(nc_def_var_blosc(f.ncid, f.v, 1, 5, 0, 3), NC_EINVAL);
    assert_int_equal(nc_def_var_deflate(f.ncid, f.v, 0, 1, 10), NC_EINVAL);
    assert_int_equal(nc_def_var_deflate(f.ncid, f.s, 0, 1, 5), NC_EINVAL);
    assert_int_equal(nc_def_var_fletcher32(f.ncid, f.s, 1), NC_EINVAL);
    assert_int_equal(nc_def_var_szip(f.ncid, f.s, 32, 16), NC_EINVAL);
    assert_ok(nc_def_var_deflate(f.ncid, f.s, 0, 0, 0));
    expect_chain(f.ncid, f.v, ""); /* nothing of all that changed anything */
    drop(&f);
}

static void after_the_file_is_defined(void **state)
{
    struct file f;

    (void)state;
    make(&f);
    assert_ok(nc_enddef(f.ncid));
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 307, 1, nine), NC_EINDEFINE);
    assert_int_equal(nc_def_var_szip(f.ncid, f.v, 32, 16), NC_EINDEFINE);
    assert_int_equal(cellar_def_var_chain(f.ncid, f.v, "zstd"), NC_EINDEFINE);
    assert_int_equal(nc_def_var_deflate(f.ncid, f.v, 0, 1, 5), NC_ELATEDEF);
    assert_int_equal(nc_def_var_fletcher32(f.ncid, f.v, 1), NC_ELATEDEF);
    assert_int_equal(nc_def_var_shuffle(f.ncid, f.v, 1), NC_ELATEDEF);
    assert_ok(nc_redef(f.ncid));
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 307, 1, nine), NC_ELATEDEF);
    assert_int_equal(nc_def_var_deflate(f.ncid, f.v, 0, 1, 5), NC_ELATEDEF);
    assert_ok(nc_close(f.ncid));
    assert_ok(nc_open(path, NC_NOWRITE, &f.ncid));
    assert_int_equal(nc_def_var_filter(f.ncid, f.v, 307, 1, nine), NC_EINDEFINE);
    assert_int_equal(nc_def_var_deflate(f.ncid, f.v, 0, 1, 5), NC_EPERM);
    assert_int_equal(nc_def_var_fletcher32(f.ncid, f.v, 1), NC_EPERM);
    drop(&f);
}

static void filters_go_where_netcdf_puts_them(void **state)
{
    struct file f;
    const unsigned three[] = {3};

    (void)state;
    make(&f);
    assert_ok(nc_def_var_filter(f.ncid, f.v, 307, 1, nine));
    assert_ok(nc_def_var_deflate(f.ncid, f.v, 1, 1, 5));
    assert_ok(nc_def_var_fletcher32(f.ncid, f.v, 1));
    expect_chain(f.ncid, f.v, "3|2|307,9|1,5");
    assert_ok(nc_def_var_filter(f.ncid, f.v, 307, 1, three)); /* again: same place, last parameters */
    assert_ok(nc_def_var_deflate(f.ncid, f.v, 0, 1, 7));
    expect_chain(f.ncid, f.v, "3|2|307,3|1,7");
    assert_ok(nc_def_var_filter(f.ncid, f.v, 1, 1, three));
    expect_chain(f.ncid, f.v, "3|2|307,3|1,3");
    assert_ok(nc_def_var_deflate(f.ncid, f.v, 0, 0, 0)); /* nothing is taken out again */
    assert_ok(nc_def_var_fletcher32(f.ncid, f.v, 0));
    expect_chain(f.ncid, f.v, "3|2|307,3|1,3");
    assert_int_equal(nc_def_var_szip(f.ncid, f.v, 32, 16), NC_EINVAL); /* not with deflate */
    assert_ok(nc_def_var_shuffle(f.ncid, f.v, 0));                     /* but shuffle */
    expect_chain(f.ncid, f.v, "3|307,3|1,3");
    assert_ok(nc_def_var_shuffle(f.ncid, f.v, 1));
    expect_chain(f.ncid, f.v, "3|2|307,3|1,3");
    assert_int_equal(nc_def_var_chunking(f.ncid, f.v, NC_CONTIGUOUS, NULL), NC_EINVAL);
    drop(&f);
}

static void szip_and_deflate_exclude_each_other(void **state)
{
    struct file f;
    int mask, pixels;

    (void)state;
    make(&f);
    assert_ok(nc_inq_var_szip(f.ncid, f.v, &mask, &pixels));
    assert_int_equal(mask, 0);
    assert_int_equal(pixels, 0);
    assert_ok(nc_def_var_szip(f.ncid, f.v, 32, 16));
    assert_int_equal(nc_def_var_deflate(f.ncid, f.v, 0, 1, 5), NC_EINVAL);
    assert_ok(nc_inq_var_szip(f.ncid, f.v, &mask, &pixels));
    assert_int_equal(mask, 32);
    assert_int_equal(pixels, 16);
    assert_ok(nc_close(f.ncid));
    assert_ok(nc_open(path, NC_NOWRITE, &f.ncid));
    expect_chain(f.ncid, f.v, "4,32,16"); /* HDF5 stores two more words, and more bits */
    {
        size_t n = 99;
        unsigned id, words[8];

        assert_ok(nc_inq_var_filter(f.ncid, f.v, &id, &n, words)); /* as given */
        assert_int_equal(id, 4);
        assert_int_equal(n, 2);
        assert_int_equal(words[0], 32);
        assert_int_equal(words[1], 16);
    }
    drop(&f);
}

static void level_0_is_no_compression(void **state)
{
    struct file f;
    int shuffle, deflate, level;

    (void)state;
    make(&f);
    assert_ok(nc_def_var_deflate(f.ncid, f.v, 1, 1, 0));
    assert_ok(nc_inq_var_deflate(f.ncid, f.v, &shuffle, &deflate, &level));
    assert_int_equal(shuffle, 1);
    assert_int_equal(deflate, 0);
    assert_int_equal(level, 0);
    expect_chain(f.ncid, f.v, "2");
    drop(&f);
}

static void inquiries_take_two_calls_or_none(void **state)
{
    struct file f;
    size_t n = 77;
    unsigned id = 77, ids[4], words[8];
    int has, level = -99, storage;

    (void)state;
    make(&f);
    assert_ok(nc_inq_var_filter(f.ncid, f.v, &id, &n, words));
    assert_int_equal(id, 0);
    assert_int_equal(n, 77); /* untouched */
    assert_ok(nc_inq_var_filter_ids(f.ncid, f.v, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(nc_inq_var_bzip2(f.ncid, f.v, &has, &level));
    assert_int_equal(has, 0);
    assert_int_equal(level, -99);
    assert_int_equal(nc_inq_var_filter_info(f.ncid, f.v, 307, &n, NULL), NC_ENOFILTER);
    assert_int_equal(nc_inq_var_filter_ids(f.ncid, NC_GLOBAL, &n, NULL), NC_ENOTVAR);
    assert_int_equal(nc_inq_var_filter_ids(99999, f.v, &n, NULL), NC_EBADID);

    assert_ok(nc_def_var_zstandard(f.ncid, f.v, -5));
    assert_ok(nc_def_var_filter(f.ncid, f.v, 307, 1, nine));
    assert_ok(nc_inq_var_filter_ids(f.ncid, f.v, &n, ids));
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], 32015);
    assert_ok(nc_inq_var_filter_info(f.ncid, f.v, 32015, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(nc_inq_var_filter_info(f.ncid, f.v, 32015, NULL, words));
    assert_int_equal(words[0], 4294967291u);
    assert_ok(nc_inq_var_zstandard(f.ncid, f.v, &has, &level));
    assert_int_equal(has, 1);
    assert_int_equal(level, -5);
    assert_ok(nc_inq_var_filter(f.ncid, f.v, NULL, NULL, NULL));
    assert_ok(nc_inq_var_filter_ids(f.ncid, f.v, NULL, NULL));
    assert_ok(nc_inq_var_filter_info(f.ncid, f.v, 307, NULL, NULL));
    assert_ok(nc_inq_var_deflate(f.ncid, f.v, NULL, NULL, NULL));
    assert_ok(nc_inq_var_chunking(f.ncid, f.v, &storage, NULL)); /* a filter forces chunks */
    assert_int_equal(storage, NC_CHUNKED);
    drop(&f);
}

static void blosc_has_seven_words(void **state)
{
    struct file f;
    unsigned sub, level, block, shuffle, words[8];
    size_t n;
    int has;

    (void)state;
    make(&f);
    assert_ok(nc_def_var_blosc(f.ncid, f.v, BLOSC_LZ4, 6, 0, BLOSC_BITSHUFFLE));
    assert_ok(nc_inq_var_filter_info(f.ncid, f.v, 32001, &n, words));
    assert_int_equal(n, 7);
    assert_int_equal(words[4], 6);
    assert_ok(nc_inq_var_blosc(f.ncid, f.v, &has, &sub, &level, &block, &shuffle));
    assert_int_equal(has, 1);
    assert_int_equal(sub, BLOSC_LZ4);
    assert_int_equal(level, 6);
    assert_int_equal(shuffle, BLOSC_BITSHUFFLE);
    drop(&f);
}

/* --- variable-sized types ------------------------------------------------------------- */

static void expect_recorded(int ncid, int varid)
{
    assert_ok(nc_def_var_filter(ncid, varid, 307, 1, nine));
    assert_true(strstr(cellar_warning(), "recorded but not applied") != NULL);
    expect_chain(ncid, varid, "307,9");
    cellar_set_strict(1);
    assert_int_equal(nc_def_var_zstandard(ncid, varid, 3), NC_EFILTER);
    cellar_set_strict(-1);
}

static void variable_sized_types_keep_their_filters_unused(void **state)
{
    struct file f;
    int vlen, inner, outer, a, b, c;

    (void)state;
    make(&f);
    assert_ok(nc_def_vlen(f.ncid, "vlen_t", NC_INT, &vlen));
    assert_ok(nc_def_compound(f.ncid, sizeof(nc_vlen_t), "inner_t", &inner));
    assert_ok(nc_insert_compound(f.ncid, inner, "v", 0, vlen));
    assert_ok(nc_def_compound(f.ncid, sizeof(nc_vlen_t) + 8, "outer_t", &outer));
    assert_ok(nc_insert_compound(f.ncid, outer, "d", 0, NC_DOUBLE));
    assert_ok(nc_insert_compound(f.ncid, outer, "i", 8, inner));
    assert_ok(nc_def_var(f.ncid, "a", vlen, 1, &f.dim, &a));
    assert_ok(nc_def_var(f.ncid, "b", inner, 1, &f.dim, &b));
    assert_ok(nc_def_var(f.ncid, "c", outer, 1, &f.dim, &c));
    expect_recorded(f.ncid, f.t);
    expect_recorded(f.ncid, a);
    expect_recorded(f.ncid, b);
    expect_recorded(f.ncid, c);
    drop(&f);
}

static void check_strings(const char *file, int nfilters)
{
    char *text[4] = {NULL};
    unsigned ids[4] = {0};
    size_t n = 9;
    int ncid, varid;

    assert_ok(nc_open(file, NC_NOWRITE, &ncid));
    assert_ok(nc_inq_varid(ncid, "s", &varid));
    assert_ok(nc_inq_var_filter_ids(ncid, varid, &n, ids));
    assert_int_equal(n, nfilters);
    assert_ok(nc_get_var_string(ncid, varid, text));
    assert_string_equal(text[0], "one");
    assert_string_equal(text[3], "four");
    assert_ok(nc_free_string(4, text));
    assert_ok(nc_close(ncid));
}

static void filters_of_strings_are_the_same_after_reopening(void **state)
{
    const char *text[] = {"one", "two", "", "four"};
    int ncid, dim, varid, shuffle, deflate, level;
    size_t n = 9;

    (void)state;
    assert_ok(nc_create("strings.nc", NC_NETCDF4 | NC_CLOBBER, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 4, &dim));
    assert_ok(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &varid));
    assert_ok(nc_def_var_deflate(ncid, varid, 1, 1, 5));
    assert_ok(nc_def_var_fletcher32(ncid, varid, NC_FLETCHER32)); /* libhdf5 has none for them */
    assert_non_null(strstr(cellar_warning(), "left out"));
    assert_ok(nc_inq_var_filter_ids(ncid, varid, &n, NULL));
    assert_int_equal(n, 2);
    assert_ok(nc_put_var_string(ncid, varid, text));
    assert_ok(nc_inq_var_deflate(ncid, varid, &shuffle, &deflate, &level));
    assert_int_equal(level, 5);
    assert_ok(nc_close(ncid));
    check_strings("strings.nc", 2);
    unlink("strings.nc");
}

/* --- chains as text -------------------------------------------------------------------------- */

static void chains_are_taken_as_written(void **state)
{
    struct file f;
    char *text;

    (void)state;
    make(&f);
    assert_ok(nc_def_var_filter(f.ncid, f.v, 307, 1, nine));
    assert_ok(cellar_def_var_chain(f.ncid, f.v, "zstd,level=3|shuffle|3"));
    expect_chain(f.ncid, f.v, "32015,3|2|3");
    assert_ok(cellar_def_var_chain(f.ncid, f.v, "[{\"id\": \"shuffle\"}, {\"id\": \"zlib\", \"level\": 5}]"));
    expect_chain(f.ncid, f.v, "2|1,5");
    assert_ok(cellar_def_var_chain(f.ncid, f.v, "[{\"name\": \"zstd\", \"configuration\": {\"level\": 1}}]"));
    assert_ok(cellar_inq_var_chain(f.ncid, f.v, CELLAR_NAMES, &text));
    assert_string_equal(text, "zstd,level=1");
    cellar_free(text);
    assert_ok(cellar_def_var_chain(f.ncid, f.v, "shuffle|deflate,level=4"));
    assert_ok(cellar_inq_var_chain(f.ncid, f.v, CELLAR_JSON, &text));
    assert_string_equal(text, "[{\"id\": \"shuffle\", \"elementsize\": 4}, {\"id\": \"zlib\", \"level\": 4}]");
    cellar_free(text);
    assert_int_equal(cellar_def_var_chain(f.ncid, f.v, "zstd,lvel=3"), NC_EINVAL);
    assert_non_null(strstr(cellar_error(), "column 6"));
    assert_non_null(strstr(cellar_error(), "did you mean level?"));
    assert_int_equal(cellar_def_var_chain(f.ncid, f.v, "{\"id\": \"nosuch\"}"), NC_ENOFILTER);
    assert_int_equal(cellar_def_var_chain(f.ncid, f.v, "33333"), NC_ENOFILTER);
    assert_int_equal(cellar_def_var_chain(f.ncid, f.v, NULL), NC_EINVAL);
    assert_int_equal(cellar_def_var_chain(f.ncid, f.s, "zstd"), NC_EINVAL);
    assert_ok(cellar_def_var_chain(f.ncid, f.v, "")); /* none */
    expect_chain(f.ncid, f.v, "");
    assert_int_equal(cellar_inq_var_chain(f.ncid, f.v, (enum cellar_spelling)9, &text), NC_EINVAL);
    assert_int_equal(cellar_inq_var_chain(f.ncid, f.v, CELLAR_IDS, NULL), NC_EINVAL);
    drop(&f);
}

/* --- other formats ------------------------------------------------------------------------------ */

static void classic_files_answer_empty(void **state)
{
    int ncid, dim, v, shuffle = 9, deflate = 9, level = 9;
    unsigned id = 9;
    size_t n = 9;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("f.nc"));
    if (nc_create(path, NC_CLOBBER, &ncid) != NC_NOERR)
        skip(); /* a build without classic files */
    assert_ok(nc_def_dim(ncid, "x", 10, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &v));
    assert_int_equal(nc_def_var_filter(ncid, v, 307, 1, nine), NC_ENOTNC4);
    assert_int_equal(nc_def_var_deflate(ncid, v, 0, 1, 5), NC_ENOTNC4);
    assert_int_equal(nc_inq_filter_avail(ncid, 1), NC_ENOFILTER);
    assert_ok(nc_inq_var_filter(ncid, v, &id, &n, NULL));
    assert_int_equal(id, 0);
    assert_ok(nc_inq_var_filter_ids(ncid, v, &n, NULL));
    assert_int_equal(n, 0);
    assert_int_equal(nc_inq_var_filter_info(ncid, v, 1, &n, NULL), NC_ENOFILTER);
    assert_ok(nc_inq_var_deflate(ncid, v, &shuffle, &deflate, &level));
    assert_int_equal(shuffle + deflate + level, 0);
    assert_ok(nc_close(ncid));
    unlink(path);
}

/* bzip2 leaves lengths that szip cannot take. HDF5 then leaves szip out for that
 * chunk; Zarr has no way to say so. */
static void zarr_refuses_what_needs_a_mask(void **state)
{
    int ncid, dim, v;

    (void)state;
    assert_ok(nc_create(scratch_url("f.zarr", "zarr,file"), NC_NETCDF4 | NC_CLOBBER, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 1000, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &v));
    assert_ok(cellar_def_var_chain(ncid, v, "307,9|4,32,32"));
    assert_int_equal(nc_enddef(ncid), NC_EFILTER);
    assert_non_null(strstr(cellar_error(), "cannot come after bzip2"));
    assert_ok(cellar_def_var_chain(ncid, v, "4,32,32|307,9"));
    assert_ok(nc_enddef(ncid));
    assert_ok(nc_abort(ncid));
    remove_tree(scratch("f.zarr"));
}

static void netcdf_meta_agrees_with_what_is_there(void **state)
{
    struct file f;

    (void)state;
    make(&f);
    assert_int_equal(nc_inq_filter_avail(f.ncid, 32015) == NC_NOERR, NC_HAS_ZSTD);
    assert_int_equal(nc_inq_filter_avail(f.ncid, 307) == NC_NOERR, NC_HAS_BZ2);
    assert_int_equal(nc_inq_filter_avail(f.ncid, 32001) == NC_NOERR, NC_HAS_BLOSC);
    assert_int_equal(nc_inq_filter_avail(f.ncid, 4) == NC_NOERR, NC_HAS_SZIP);
    assert_int_equal(NC_HAS_MULTIFILTERS, 1);
    for (unsigned id = 1; id <= 6; id++)
        if (id != 4)
            assert_ok(nc_inq_filter_avail(f.ncid, id));
    assert_int_equal(nc_inq_filter_avail(f.ncid, 33333), NC_ENOFILTER);
    assert_int_equal(nc_inq_filter_avail(99999, 1), NC_EBADID);
    drop(&f);
}

/* --- netcdf_aux.h ----------------------------------------------------------------------------------- */

static void specs_are_taken_apart(void **state)
{
    struct NC_H5_Filterspec **list = NULL;
    unsigned id, *params, words[2];
    size_t n;
    int format = 9;

    (void)state;
    assert_ok(ncaux_h5filterspec_parse("32768, -17b, 1.5d", &id, &n, &params));
    assert_int_equal(id, 32768);
    assert_int_equal(n, 3);
    assert_int_equal(params[0], 4294967279u);
    free(params);
    assert_ok(ncaux_h5filterspec_parse("307", &id, &n, &params));
    assert_int_equal(n, 0);
    assert_null(params);
    assert_ok(ncaux_h5filterspec_parse("zstd,level=3", &id, NULL, NULL));
    assert_int_equal(id, 32015);
    assert_int_equal(ncaux_h5filterspec_parse("307,9|1", &id, &n, &params), NC_EINVAL);
    assert_int_equal(ncaux_h5filterspec_parse("", &id, &n, &params), NC_EINVAL);
    assert_int_equal(ncaux_h5filterspec_parse(NULL, &id, &n, &params), NC_EINVAL);
    assert_ok(ncaux_h5filterspec_parselist("307,9|4,32,32", &format, &n, &list));
    assert_int_equal(format, 0);
    assert_int_equal(n, 2);
    assert_int_equal(list[1]->filterid, 4);
    assert_int_equal(list[1]->nparams, 2);
    assert_int_equal(list[1]->params[1], 32);
    for (size_t i = 0; i < n; i++)
        ncaux_h5filterspec_free(list[i]);
    free(list);
    assert_ok(ncaux_h5filterspec_parselist("", NULL, &n, &list));
    assert_int_equal(n, 0);
    assert_null(list);
    assert_int_equal(ncaux_h5filterspec_parselist("307|", NULL, &n, &list), NC_EINVAL);
    assert_ok(ncaux_h5filterspec_parse_parameter("-9223372036854775807L", &n, words));
    assert_int_equal(n, 2);
    assert_int_equal(words[1], 2147483648u);
    assert_int_equal(ncaux_h5filterspec_parse_parameter("9x", &n, words), NC_EINVAL);
    ncaux_h5filterspec_free(NULL);
}

static void eight_bytes_are_two_words_low_first(void **state)
{
    unsigned char big[8] = {1, 2, 3, 4, 5, 6, 7, 8}; /* as a big-endian machine has it */
    const unsigned char words[8] = {5, 6, 7, 8, 1, 2, 3, 4};
    double v = 1.5, same = v;

    (void)state;
    cel_spec_fix8(big, false);
    assert_int_equal(big[0], 1);
    cel_spec_fix8(big, true);
    assert_memory_equal(big, words, 8);
    cel_spec_fix8(big, true);
    assert_int_equal(big[0], 1);
    ncaux_h5filterspec_fix8((unsigned char *)&v, 0);
    ncaux_h5filterspec_fix8((unsigned char *)&v, 1);
    assert_true(v == same);
}

/* --- the plugin path --------------------------------------------------------------------------------- */

static void the_plugin_path_is_kept(void **state)
{
    NCPluginList list = {0}, got = {0};
    char *text, fortran[64];
    size_t n;

    (void)state;
    assert_ok(ncaux_plugin_path_parse("/a;/b", ';', &list));
    assert_ok(ncaux_plugin_path_append(&list, "/c"));
    assert_ok(ncaux_plugin_path_prepend(&list, "/0"));
    assert_int_equal(list.ndirs, 4);
    assert_ok(ncaux_plugin_path_tostring(&list, 0, &text));
    assert_string_equal(text, "/0:/a:/b:/c");
    free(text);
    assert_ok(nc_plugin_path_set(&list));
    assert_ok(nc_plugin_path_ndirs(&n));
    assert_int_equal(n, 4);
    assert_ok(nc_plugin_path_get(&got));
    assert_int_equal(got.ndirs, 4);
    assert_string_equal(got.dirs[3], "/c");
    assert_int_equal(ncaux_plugin_path_stringlen(), 11);
    assert_ok(ncaux_plugin_path_stringget(64, fortran));
    assert_string_equal(fortran, "/0;/a;/b;/c");
    assert_int_equal(ncaux_plugin_path_stringget(0, fortran), NC_EINVAL);
    assert_ok(ncaux_plugin_path_stringset(5, "/x;/y"));
    assert_ok(nc_plugin_path_ndirs(&n));
    assert_int_equal(n, 2);
    assert_ok(ncaux_plugin_path_clear(&list));
    assert_ok(ncaux_plugin_path_clear(&got));
    assert_ok(nc_plugin_path_set(&list)); /* none */
    assert_ok(nc_plugin_path_ndirs(&n));
    assert_int_equal(n, 0);
    assert_int_equal(nc_plugin_path_set(NULL), NC_EINVAL);
    assert_int_equal(nc_plugin_path_get(NULL), NC_EINVAL);
    {
        NCPluginList *heap = calloc(1, sizeof *heap);

        assert_ok(ncaux_plugin_path_parsen(4, "/a:/bcd", 0, heap));
        assert_int_equal(heap->ndirs, 2);
        assert_string_equal(heap->dirs[1], "/");
        assert_ok(ncaux_plugin_path_reclaim(heap));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_and_their_order),
        cmocka_unit_test(after_the_file_is_defined),
        cmocka_unit_test(filters_go_where_netcdf_puts_them),
        cmocka_unit_test(szip_and_deflate_exclude_each_other),
        cmocka_unit_test(level_0_is_no_compression),
        cmocka_unit_test(inquiries_take_two_calls_or_none),
        cmocka_unit_test(blosc_has_seven_words),
        cmocka_unit_test(variable_sized_types_keep_their_filters_unused),
        cmocka_unit_test(filters_of_strings_are_the_same_after_reopening),
        cmocka_unit_test(chains_are_taken_as_written),
        cmocka_unit_test(classic_files_answer_empty),
        cmocka_unit_test(zarr_refuses_what_needs_a_mask),
        cmocka_unit_test(netcdf_meta_agrees_with_what_is_there),
        cmocka_unit_test(specs_are_taken_apart),
        cmocka_unit_test(eight_bytes_are_two_words_low_first),
        cmocka_unit_test(the_plugin_path_is_kept),
    };

    scratch_make();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
