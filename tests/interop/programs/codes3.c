/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes of wrong calls on classic files, each in the mode it belongs to. */
#include "say.h"

static int ncid, dim, unlim, var, scalar, text, id;

static void define(void)
{
    int dims[2], value = 300, two[2] = {1, 2};

    SAY(nc_def_dim(ncid, "d", 4, &dim));
    SAY(nc_def_dim(ncid, "d", 4, &id));
    SAY(nc_def_dim(ncid, "u", NC_UNLIMITED, &unlim));
    SAY(nc_def_dim(ncid, "u2", NC_UNLIMITED, &id));
    SAY(nc_def_dim(ncid, "a/b", 4, &id));
    SAY(nc_rename_dim(ncid, dim, "u"));
    SAY(nc_rename_dim(ncid, dim, "longer"));
    SAY(nc_inq_dimid(ncid, "d", &id));
    dims[0] = unlim, dims[1] = dim;
    SAY(nc_def_var(ncid, "v", NC_INT, 2, dims, &var));
    SAY(nc_def_var(ncid, "v", NC_INT, 2, dims, &id));
    dims[0] = dim, dims[1] = unlim;
    SAY(nc_def_var(ncid, "w", NC_INT, 2, dims, &id));
    SAY(nc_def_var(ncid, "w", NC_STRING, 1, &dim, &id));
    SAY(nc_def_var(ncid, "w", 99, 1, &dim, &id));
    SAY(nc_def_var(ncid, "w", NC_INT, 1, &(int){99}, &id));
    SAY(nc_def_var(ncid, "s", NC_DOUBLE, 0, NULL, &scalar));
    SAY(nc_def_var(ncid, "t", NC_CHAR, 1, &dim, &text));
    SAY(nc_def_grp(ncid, "g", &id));
    SAY(nc_def_var_deflate(ncid, var, 1, 1, 1));
    SAY(nc_def_var_fletcher32(ncid, var, 1));
    SAY(nc_put_att_int(ncid, var, "i", NC_BYTE, 1, &value));
    SAY(nc_put_att_int(ncid, var, "two", NC_SHORT, 2, two));
    SAY(nc_put_att_int(ncid, var, "i64", NC_INT64, 1, &value));
    SAY(nc_put_att_text(ncid, var, "text", 3, "abc"));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "title", 3, "abc"));
    SAY(nc_put_att_text(ncid, var, "CLASS", 3, "abc"));
    SAY(nc_redef(ncid));
    SAY(nc_sync(ncid));
    SAY(nc_put_var1_double(ncid, scalar, NULL, &(double){1}));
    SAY(nc_enddef(ncid));
    SAY(nc_enddef(ncid));
}

static void inquire(void)
{
    int ndims, nvars, natts, unlimited, ids[4], format, n;
    char name[NC_MAX_NAME + 1];
    size_t len;
    nc_type type;

    SAY(nc_inq(ncid, &ndims, &nvars, &natts, &unlimited));
    printf("%d %d %d %d\n", ndims, nvars, natts, unlimited);
    SAY(nc_inq_unlimdims(ncid, &n, ids));
    printf("%d %d\n", n, ids[0]);
    SAY(nc_inq_varids(ncid, &n, ids));
    SAY(nc_inq_dimids(ncid, &n, ids, 0));
    SAY(nc_inq_format(ncid, &format));
    printf("%d\n", format);
    SAY(nc_inq_format_extended(ncid, &format, &n));
    printf("%d %#x\n", format, (unsigned)n);
    SAY(nc_inq_var_deflate(ncid, var, &ndims, &nvars, &natts));
    SAY(nc_inq_var_chunking(ncid, var, &n, NULL));
    printf("%d\n", n);
    SAY(nc_inq_var_fletcher32(ncid, var, &n));
    SAY(nc_inq_atttype(ncid, var, "two", &type));
    SAY(nc_inq_attlen(ncid, var, "two", &len));
    printf("%d %zu\n", type, len);
    SAY(nc_inq_attname(ncid, var, 0, name));
    SAY(nc_inq_attname(ncid, var, 9, name));
    SAY(nc_inq_att(ncid, NC_GLOBAL, "_NCProperties", &type, &len));
    SAY(nc_inq_varnatts(ncid, 99, &n));
    SAY(nc_inq_dimlen(ncid, unlim, &len));
    printf("%zu\n", len);
    SAY(nc_inq_grpname(ncid, name));
    printf("%s\n", name);
    SAY(nc_inq_type(ncid, NC_INT64, name, &len));
}

static void data(void)
{
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    size_t start[2] = {0, 0}, count[2] = {2, 4};
    ptrdiff_t stride[2] = {1, 2}, none[2] = {1, 0};
    signed char byte;
    char chars[5] = "abcd";

    SAY(nc_put_vara_int(ncid, var, start, count, values));
    SAY(nc_put_vara_text(ncid, var, start, count, chars));
    SAY(nc_put_var_int(ncid, text, values));
    SAY(nc_put_var_text(ncid, text, chars));
    SAY(nc_get_var_int(ncid, text, back));
    count[1] = 5;
    SAY(nc_put_vara_int(ncid, var, start, count, values));
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    count[0] = 3, count[1] = 4;
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    start[1] = 4, count[0] = 1, count[1] = 1;
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    start[0] = 0, start[1] = 0, count[0] = 2, count[1] = 2;
    SAY(nc_get_vars_int(ncid, var, start, count, stride, back));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SAY(nc_get_vars_int(ncid, var, start, count, none, back));
    start[0] = 5;
    SAY(nc_put_var1_int(ncid, var, start, values));
    SAY(nc_put_var1_double(ncid, scalar, NULL, &(double){1e10}));
    SAY(nc_get_var1_schar(ncid, scalar, NULL, &byte));
    SAY(nc_def_dim(ncid, "late", 1, &id));
    SAY(nc_def_var(ncid, "late", NC_INT, 0, NULL, &id));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "new", 3, "abc"));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "title", 3, "def"));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "title", 9, "much more"));
    SAY(nc_del_att(ncid, NC_GLOBAL, "title"));
    SAY(nc_rename_att(ncid, NC_GLOBAL, "title", "tit"));
    SAY(nc_rename_att(ncid, NC_GLOBAL, "tit", "longer"));
    SAY(nc_rename_var(ncid, var, "longer"));
    SAY(nc_rename_var(ncid, var, "x"));
    SAY(nc_rename_dim(ncid, dim, "even_longer"));
    SAY(nc_rename_dim(ncid, dim, "short"));
    SAY(nc_set_fill(ncid, NC_NOFILL, &id));
    SAY(nc_sync(ncid));
}

static void again(void)
{
    SAY(nc_redef(ncid));
    SAY(nc_def_var(ncid, "second", NC_SHORT, 1, &unlim, &id));
    SAY(nc_put_att_int(ncid, id, "_FillValue", NC_SHORT, 1, &(int){-5}));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "a longer title", 20, "twenty characters---"));
    SAY(nc_del_att(ncid, var, "two"));
    SAY(nc_close(ncid));
    SAY(nc_open("file.nc", NC_NOWRITE, &ncid));
    SAY(nc_put_var_text(ncid, text, "wxyz"));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "new", 3, "abc"));
    SAY(nc_rename_var(ncid, var, "y"));
    SAY(nc_redef(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_sync(ncid));
    SAY(nc_close(ncid));
}

int main(int argc, char **argv)
{
    (void)argc;
    DO(nc_create(argv[1], FORMAT, &ncid));
    define();
    inquire();
    data();
    again();
    return 0;
}
