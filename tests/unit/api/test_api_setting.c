/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for the whole process. */
#include "api_test.h"
#include "env.h"
#include <netcdf_aux.h>
#include <netcdf_f.h>
#include <netcdf_filter.h>
#include <netcdf_par.h>

static void cache_defaults_are_netcdfs(void **state)
{
    size_t size, nelems;
    float preemption;
    int ints[3];

    (void)state;
    assert_ok(nc_get_chunk_cache(&size, &nelems, &preemption));
    assert_int_equal(size, 67108864);
    assert_int_equal(nelems, 1000);
    assert_float_equal(preemption, 0.75f, 0);
    assert_ok(nc_get_chunk_cache_ints(&ints[0], &ints[1], &ints[2]));
    assert_int_equal(ints[2], 75);
    assert_int_equal(nc_set_chunk_cache(1, 1, 1.1f), NC_EINVAL);
    assert_int_equal(nc_set_chunk_cache(1, 1, -0.1f), NC_EINVAL);
    assert_int_equal(nc_set_chunk_cache_ints(0, 1, 50), NC_EINVAL);
    assert_ok(nc_set_chunk_cache(4096, 7, 0.5f));
    assert_ok(nc_get_chunk_cache(&size, NULL, NULL));
    assert_int_equal(size, 4096);
    assert_ok(nc_set_chunk_cache(67108864, 1000, 0.75f));
}

static void the_default_format_is_checked(void **state)
{
    int old;

    (void)state;
    assert_int_equal(nc_set_default_format(0, &old), NC_EINVAL);
    assert_int_equal(nc_set_default_format(6, NULL), NC_EINVAL);
    assert_ok(nc_set_default_format(NC_FORMAT_NETCDF4, &old));
    assert_int_equal(old, NC_FORMAT_CLASSIC);
    assert_ok(nc_set_default_format(NC_FORMAT_CLASSIC, &old));
    assert_int_equal(old, NC_FORMAT_NETCDF4);
}

static void rc_values_are_kept_and_replaced(void **state)
{
    char *value;

    (void)state;
    assert_null(nc_rc_get("HTTP.X"));
    assert_ok(nc_rc_set("HTTP.X", "1"));
    assert_ok(nc_rc_set("HTTP.Y", "2"));
    assert_ok(nc_rc_set("HTTP.X", "3"));
    value = nc_rc_get("HTTP.X");
    assert_string_equal(value, "3");
    free(value);
    assert_int_equal(nc_rc_set("HTTP.X", NULL), NC_EINVAL);
    assert_ok(nc_finalize());
    assert_null(nc_rc_get("HTTP.X"));
}

static void the_program_overrides_the_environment(void **state)
{
    (void)state;
    setenv("CELLAR_STRICT", "1", 1);
    assert_true(cel_env_strict());
    assert_ok(cellar_set_strict(0));
    assert_false(cel_env_strict());
    assert_ok(cellar_set_strict(-1));
    assert_true(cel_env_strict());
    assert_int_equal(cellar_set_strict(2), NC_EINVAL);
    assert_ok(cellar_prefer_plugins(1));
    assert_true(cel_env_prefer_plugins());
    assert_ok(cellar_prefer_plugins(-1));
    assert_false(cel_env_prefer_plugins());
    unsetenv("CELLAR_STRICT");
}

static void threads_are_set_and_reset(void **state)
{
    int before = cellar_get_threads();

    (void)state;
    assert_ok(cellar_set_threads(3));
    assert_int_equal(cellar_get_threads(), 3);
    assert_int_equal(cellar_set_threads(-1), NC_EINVAL);
    assert_int_equal(cellar_set_threads(1025), NC_EINVAL);
    assert_ok(cellar_set_threads(0));
    assert_int_equal(cellar_get_threads(), before);
}

static void atomic_types_need_no_dataset(void **state)
{
    char name[NC_MAX_NAME + 1];
    size_t size, align;
    int equal, klass;

    (void)state;
    assert_ok(nc_inq_type(-5, NC_USHORT, name, &size));
    assert_string_equal(name, "ushort");
    assert_int_equal(size, 2);
    assert_int_equal(nc_inq_type(-5, 40, name, &size), NC_EBADTYPE);
    assert_int_equal(nc_inq_type(-5, NC_NAT, name, &size), NC_EBADTYPE);
    assert_ok(nc_inq_type_equal(0, NC_INT, 0, NC_INT, &equal));
    assert_true(equal);
    assert_ok(nc_inq_type_equal(0, NC_INT, 0, NC_UINT, &equal));
    assert_false(equal);
    assert_int_equal(nc_inq_type_equal(0, NC_NAT, 0, NC_INT, &equal), NC_EINVAL);
    assert_ok(ncaux_inq_any_type(0, NC_STRING, name, &size, NULL, NULL, &klass));
    assert_int_equal(klass, NC_STRING);
    assert_ok(ncaux_type_alignment(NC_DOUBLE, 0, &align));
    assert_int_equal(align, _Alignof(double));
    assert_int_equal(ncaux_class_alignment(NC_COMPOUND, &align), NC_EINVAL);
}

static void values_are_printed(void **state)
{
    static const struct {
        nc_type type;
        const char *text;
    } cases[] = {{NC_BYTE, "-1 2"}, {NC_UBYTE, "255 2"}};
    signed char bytes[] = {-1, 2};
    float floats[] = {0.1f, -2};
    char *strings[] = {"a\"b", NULL}, *text;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(ncaux_dump_data(0, cases[i].type, bytes, 2, &text));
        assert_string_equal(text, cases[i].text);
        free(text);
    }
    assert_ok(nc_dump_data(0, NC_FLOAT, floats, 2, &text));
    assert_string_equal(text, "0.1 -2.0");
    free(text);
    assert_ok(nc_dump_data(0, NC_STRING, strings, 2, &text));
    assert_string_equal(text, "\"a\\\"b\" NIL");
    free(text);
}

static void whole_files_go_and_come(void **state)
{
    char bytes[] = "a\0b\n";
    void *back;
    size_t n;

    (void)state;
    assert_ok(ncaux_writefile("whole.bin", sizeof bytes, bytes));
    assert_ok(ncaux_readfile("whole.bin", &n, &back));
    assert_int_equal(n, sizeof bytes);
    assert_memory_equal(back, bytes, n);
    free(back);
    assert_int_equal(ncaux_readfile("no/such", &n, &back), 2);
    remove("whole.bin");
}

/* Metadata of a file in large blocks: the file is larger by about one, and its data is the same. */
static long size_with_blocks(size_t block)
{
    int ncid, dim, varid, value = 0;
    FILE *f;
    long size;

    assert_ok(nc_set_meta_block_size(block));
    assert_ok(nc_create("blocks.nc", NC_NETCDF4 | NC_CLOBBER, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 3, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    assert_ok(nc_put_var_int(ncid, varid, (int[]){1, 2, 3}));
    assert_ok(nc_close(ncid));
    assert_ok(nc_open("blocks.nc", NC_NOWRITE, &ncid));
    assert_ok(nc_get_var1_int(ncid, varid, &(size_t){2}, &value));
    assert_ok(nc_close(ncid));
    assert_int_equal(value, 3);
    f = fopen("blocks.nc", "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    fclose(f);
    remove("blocks.nc");
    return size;
}

static void metadata_goes_in_blocks(void **state)
{
    size_t size = 9;

    (void)state;
    assert_ok(nc_get_meta_block_size(&size));
    assert_int_equal(size, 0);
    assert_true(size_with_blocks((size_t)1 << 20) >= size_with_blocks(0));
    assert_ok(nc_set_meta_block_size(4096));
    assert_ok(nc_get_meta_block_size(&size));
    assert_int_equal(size, 4096);
    assert_ok(nc_set_meta_block_size(0));
}

static void the_library_is_serial(void **state)
{
    int ncid = -7;

    (void)state;
    assert_int_equal(nc_create_par("par.nc", NC_NETCDF4, 0, 0, &ncid), NC_ENOPAR);
    assert_int_equal(nc_open_par("par.nc", NC_NOWRITE, 0, 0, &ncid), NC_ENOPAR);
    assert_int_equal(nc_create_par_fortran("par.nc", NC_NETCDF4, 0, 0, &ncid), NC_ENOPAR);
    assert_int_equal(nc_open_par_fortran("par.nc", NC_NOWRITE, 0, 0, &ncid), NC_ENOPAR);
    assert_int_equal(nc_var_par_access(1, 1, NC_COLLECTIVE), NC_ENOPAR);
    assert_int_equal(ncid, -7);
}

static void fortran_counts_from_1_and_turns_dimensions_round(void **state)
{
    int ncid, dim, varid, ids[2], n = 0, sizes[2] = {2, 3}, back[2] = {0};
    nc_type type;

    (void)state;
    assert_ok(nc_create("fortran.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 3, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    assert_ok(nc_inq_varids_f(ncid, &n, ids));
    assert_int_equal(n, 1);
    assert_int_equal(ids[0], varid + 1);
    assert_ok(nc_inq_dimids_f(ncid, &n, ids, 0));
    assert_int_equal(ids[0], dim + 1);
    assert_ok(nc_def_compound(ncid, 24, "c", &type));
    assert_ok(nc_insert_array_compound_f(ncid, type, "f", 0, NC_INT, 2, sizes));
    assert_ok(nc_inq_compound_field(ncid, type, 0, NULL, NULL, NULL, &n, back));
    assert_int_equal(back[0], 3);
    assert_ok(nc_inq_compound_field_f(ncid, type, 0, NULL, NULL, NULL, &n, back));
    assert_int_equal(back[0], 2);
    assert_int_equal(nc_filter_path_query(33333), NC_ENOFILTER);
    assert_ok(nc_filter_path_query(1));
    assert_ok(nc_close(ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_defaults_are_netcdfs),
        cmocka_unit_test(the_default_format_is_checked),
        cmocka_unit_test(rc_values_are_kept_and_replaced),
        cmocka_unit_test(the_program_overrides_the_environment),
        cmocka_unit_test(threads_are_set_and_reset),
        cmocka_unit_test(atomic_types_need_no_dataset),
        cmocka_unit_test(values_are_printed),
        cmocka_unit_test(whole_files_go_and_come),
        cmocka_unit_test(metadata_goes_in_blocks),
        cmocka_unit_test(the_library_is_serial),
        cmocka_unit_test(fortran_counts_from_1_and_turns_dimensions_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
