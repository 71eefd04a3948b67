/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: the compound helper, equality between files, copies of nested data. */
#include "user_test.h"
#include <netcdf_aux.h>
#include <unistd.h>

struct mixed {
    signed char b;
    double d;
    short s[2][3];
    int i;
};

static nc_type define(int ncid, const char *name, int mode)
{
    int dims[2] = {2, 3};
    nc_type type;
    void *tag;

    assert_ok(ncaux_begin_compound(ncid, name, mode, &tag));
    assert_ok(ncaux_add_field(tag, "b", NC_BYTE, 0, NULL));
    assert_ok(ncaux_add_field(tag, "d", NC_DOUBLE, 0, NULL));
    assert_ok(ncaux_add_field(tag, "s", NC_SHORT, 2, dims));
    assert_ok(ncaux_add_field(tag, "i", NC_INT, 0, NULL));
    assert_ok(ncaux_end_compound(tag, &type));
    return type;
}

static size_t offset_of(int ncid, nc_type type, int field)
{
    size_t offset;

    assert_ok(nc_inq_compound_fieldoffset(ncid, type, field, &offset));
    return offset;
}

static void compounds_are_laid_out_as_in_c(void **state)
{
    nc_type type, nested;
    size_t size, align;
    void *tag;
    int ncid;

    (void)state;
    assert_ok(nc_create("layout.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    type = define(ncid, "mixed", NCAUX_ALIGN_C);
    assert_ok(nc_inq_compound_size(ncid, type, &size));
    assert_int_equal(size, sizeof(struct mixed));
    assert_int_equal(offset_of(ncid, type, 1), offsetof(struct mixed, d));
    assert_int_equal(offset_of(ncid, type, 2), offsetof(struct mixed, s));
    assert_int_equal(offset_of(ncid, type, 3), offsetof(struct mixed, i));
    assert_ok(ncaux_type_alignment(type, ncid, &align));
    assert_int_equal(align, _Alignof(struct mixed));

    assert_ok(ncaux_begin_compound(ncid, "nested", NCAUX_ALIGN_C, &tag));
    assert_ok(ncaux_add_field(tag, "c", NC_CHAR, 0, NULL));
    assert_ok(ncaux_add_field(tag, "m", type, 0, NULL));
    assert_int_equal(ncaux_add_field(tag, "x", 999, 0, NULL), NC_EBADTYPE);
    assert_int_equal(ncaux_add_field(tag, "x", NC_INT, 1, (int[]){0}), NC_EINVAL);
    assert_ok(ncaux_end_compound(tag, &nested));
    assert_int_equal(offset_of(ncid, nested, 1), _Alignof(struct mixed));

    type = define(ncid, "packed", NCAUX_ALIGN_UNIFORM);
    assert_ok(nc_inq_compound_size(ncid, type, &size));
    assert_int_equal(size, 1 + 8 + 12 + 4);

    assert_ok(ncaux_begin_compound(ncid, "given up", NCAUX_ALIGN_C, &tag));
    assert_ok(ncaux_add_field(tag, "c", NC_CHAR, 0, NULL));
    assert_ok(ncaux_abort_compound(tag));
    assert_int_equal(nc_inq_typeid(ncid, "given up", &type), NC_EBADTYPE);
    assert_int_equal(ncaux_end_compound(NULL, &type), NC_EINVAL);
    assert_ok(nc_close(ncid));
}

static void types_of_two_files_are_compared_by_their_parts(void **state)
{
    int a, b, equal;
    nc_type in_a, in_b, other;
    struct mixed value = {.b = 1, .d = 2.5, .s = {{3}}, .i = 4}, back;

    (void)state;
    assert_ok(nc_create("a.nc", NC_NETCDF4 | NC_DISKLESS, &a));
    assert_ok(nc_create("b.nc", NC_NETCDF4 | NC_DISKLESS, &b));
    in_a = define(a, "mixed", NCAUX_ALIGN_C);
    assert_ok(nc_put_att(a, NC_GLOBAL, "m", in_a, 1, &value));
    assert_int_equal(nc_copy_att(a, NC_GLOBAL, "m", b, NC_GLOBAL), NC_EBADTYPE);
    assert_non_null(strstr(cellar_error(), "mixed"));
    assert_ok(nc_def_opaque(b, 4, "other", &other));
    in_b = define(b, "mixed", NCAUX_ALIGN_C);
    assert_int_equal(nc_inq_type_equal(a, in_a, b, in_b, &equal), NC_EHDFERR); /* as netCDF-C, until both are saved */
    assert_ok(nc_enddef(a));
    assert_ok(nc_enddef(b));
    assert_ok(nc_inq_type_equal(a, in_a, b, in_b, &equal));
    assert_true(equal);
    assert_ok(nc_inq_type_equal(a, in_a, b, other, &equal));
    assert_false(equal);
    assert_ok(nc_inq_type_equal(a, in_a, b, NC_INT, &equal));
    assert_false(equal);
    assert_ok(nc_copy_att(a, NC_GLOBAL, "m", b, NC_GLOBAL));
    assert_ok(nc_get_att(b, NC_GLOBAL, "m", &back));
    assert_int_equal(back.b, 1);
    assert_true(back.d == 2.5);
    assert_int_equal(back.s[0][0], 3);
    assert_int_equal(back.i, 4);
    assert_ok(nc_close(a));
    assert_ok(nc_close(b));
}

struct words {
    char *name;
    nc_vlen_t numbers;
};

static void nested_data_is_copied_printed_and_freed(void **state)
{
    int ncid, numbers[] = {4, 5};
    struct words from[2] = {{"one", {2, numbers}}, {"two", {0, NULL}}}, to[2], *all;
    nc_type type, vlen;
    char *text;

    (void)state;
    assert_ok(nc_create("n.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    assert_ok(nc_def_vlen(ncid, "numbers", NC_INT, &vlen));
    assert_ok(nc_def_compound(ncid, sizeof(struct words), "words", &type));
    assert_ok(nc_insert_compound(ncid, type, "name", offsetof(struct words, name), NC_STRING));
    assert_ok(nc_insert_compound(ncid, type, "numbers", offsetof(struct words, numbers), vlen));
    assert_ok(nc_copy_data(ncid, type, from, 2, to));
    assert_string_equal(to[1].name, "two");
    assert_ptr_not_equal(to[0].numbers.p, numbers);
    assert_ok(nc_copy_data_all(ncid, type, to, 2, (void **)&all));
    assert_ok(nc_reclaim_data(ncid, type, to, 2));
    assert_int_equal(((int *)all[0].numbers.p)[1], 5);
    assert_ok(nc_dump_data(ncid, type, all, 2, &text));
    assert_string_equal(text, "{\"one\", {4 5}} {\"two\", {}}");
    free(text);
    assert_ok(nc_reclaim_data_all(ncid, type, all, 2));
    assert_int_equal(nc_reclaim_data(ncid, 999, from, 1), NC_EBADTYPE);
    assert_int_equal(nc_reclaim_data(ncid, type, NULL, 1), NC_EINVAL);
    assert_ok(nc_reclaim_data(0, NC_INT, numbers, 2)); /* nothing to do, no dataset needed */
    assert_ok(nc_close(ncid));
}

static void zero_of_an_enum_has_a_name(void **state)
{
    char name[NC_MAX_NAME + 1];
    nc_type type;
    int ncid, one = 1, minus = -1;

    (void)state;
    assert_ok(nc_create("e.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    assert_ok(nc_def_enum(ncid, NC_INT, "e", &type));
    assert_ok(nc_insert_enum(ncid, type, "ONE", &one));
    assert_ok(nc_insert_enum(ncid, type, "MINUS", &minus));
    assert_ok(nc_inq_enum_ident(ncid, type, -1, name));
    assert_string_equal(name, "MINUS");
    assert_ok(nc_inq_enum_ident(ncid, type, 0, name));
    assert_string_equal(name, "_UNDEFINED");
    assert_int_equal(nc_inq_enum_ident(ncid, type, 2, name), NC_EINVAL);
    assert_int_equal(nc_inq_vlen(ncid, type, name, NULL, NULL), NC_EBADTYPE);
    assert_ok(nc_close(ncid));
}

/* NC_EINVAL, and the type stays as it was: 32 dimensions are kept and read again. */
static void fields_have_at_most_32_dimensions(void **state)
{
    int ncid, varid, ndims, sizes[33], got[33];
    short in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    size_t nfields;
    nc_type type;
    void *tag;

    (void)state;
    for (int d = 0; d < 33; d++)
        sizes[d] = d == 0 ? 2 : d == 31 ? 3 : 1;
    assert_ok(nc_create("rank.nc", NC_NETCDF4, &ncid));
    assert_ok(nc_def_compound(ncid, sizeof in, "c", &type));
    assert_int_equal(nc_insert_array_compound(ncid, type, "f", 0, NC_SHORT, 33, sizes), NC_EINVAL);
    assert_non_null(strstr(cellar_error(), "c.f: 33 dimensions"));
    assert_int_equal(nc_insert_array_compound(ncid, type, "f", 0, NC_SHORT, -1, sizes), NC_EINVAL);
    assert_ok(nc_inq_compound_nfields(ncid, type, &nfields));
    assert_int_equal(nfields, 0);
    assert_ok(ncaux_begin_compound(ncid, "laid_out", 0, &tag));
    assert_int_equal(ncaux_add_field(tag, "f", NC_SHORT, 33, sizes), NC_EINVAL);
    assert_ok(ncaux_add_field(tag, "f", NC_SHORT, 32, sizes));
    assert_ok(ncaux_abort_compound(tag));
    assert_ok(nc_insert_array_compound(ncid, type, "f", 0, NC_SHORT, 32, sizes));
    assert_ok(nc_def_var(ncid, "v", type, 0, NULL, &varid));
    assert_ok(nc_put_var(ncid, varid, in));
    assert_ok(nc_close(ncid));

    assert_ok(nc_open("rank.nc", NC_NOWRITE, &ncid));
    assert_ok(nc_inq_typeid(ncid, "c", &type));
    assert_ok(nc_inq_compound_field(ncid, type, 0, NULL, NULL, NULL, &ndims, got));
    assert_int_equal(ndims, 32);
    assert_memory_equal(got, sizes, 32 * sizeof *got);
    assert_ok(nc_get_var(ncid, varid, out));
    assert_memory_equal(out, in, sizeof in);
    assert_ok(nc_close(ncid));
    remove("rank.nc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_at_most_32_dimensions),
        cmocka_unit_test(compounds_are_laid_out_as_in_c),
        cmocka_unit_test(types_of_two_files_are_compared_by_their_parts),
        cmocka_unit_test(nested_data_is_copied_printed_and_freed),
        cmocka_unit_test(zero_of_an_enum_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
