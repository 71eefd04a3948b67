/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of every wrong call one can think of. */
#include "say.h"

static int ncid, dim, unlim, var, scalar, text, str, id;
static size_t start[3], count[3];

static void dimensions(void)
{
    char name[NC_MAX_NAME + 2], long_name[NC_MAX_NAME + 10];
    size_t len;

    memset(long_name, 'a', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    SAY(nc_def_dim(ncid, "d", 4, &dim));
    SAY(nc_def_dim(ncid, "d", 4, &id));
    SAY(nc_def_dim(ncid, "", 4, &id));
    SAY(nc_def_dim(ncid, "a/b", 4, &id));
    SAY(nc_def_dim(ncid, "ends with blank ", 4, &id));
    SAY(nc_def_dim(ncid, " starts", 4, &id));
    SAY(nc_def_dim(ncid, long_name, 4, &id));
    SAY(nc_def_dim(ncid, "u", NC_UNLIMITED, &unlim));
    SAY(nc_def_dim(ncid + 99, "x", 4, &id));
    SAY(nc_inq_dim(ncid, 99, name, &len));
    SAY(nc_inq_dim(ncid, -1, name, &len));
    SAY(nc_inq_dimid(ncid, "nothing", &id));
    SAY(nc_rename_dim(ncid, dim, "u"));
    SAY(nc_rename_dim(ncid, 99, "x"));
    SAY(nc_rename_dim(ncid, dim, "d"));
    SAY(nc_rename_dim(ncid, dim, "a/b"));
}

static void variables(void)
{
    int dims[2] = {unlim, dim}, bad[1] = {99}, n;
    nc_type type;

    SAY(nc_def_var(ncid, "v", NC_INT, 2, dims, &var));
    SAY(nc_def_var(ncid, "v", NC_INT, 2, dims, &id));
    SAY(nc_def_var(ncid, "s", NC_DOUBLE, 0, NULL, &scalar));
    SAY(nc_def_var(ncid, "t", NC_CHAR, 1, &dim, &text));
    SAY(nc_def_var(ncid, "str", NC_STRING, 1, &dim, &str));
    SAY(nc_def_var(ncid, "x", 99, 1, &dim, &id));
    SAY(nc_def_var(ncid, "x", NC_NAT, 1, &dim, &id));
    SAY(nc_def_var(ncid, "x", NC_INT, 1, bad, &id));
    SAY(nc_def_var(ncid, "x", NC_INT, -1, dims, &id));
    SAY(nc_def_var(ncid, "x/y", NC_INT, 1, &dim, &id));
    SAY(nc_inq_varid(ncid, "nothing", &id));
    SAY(nc_inq_var(ncid, 99, NULL, &type, NULL, NULL, NULL));
    SAY(nc_inq_var(ncid, NC_GLOBAL, NULL, &type, NULL, NULL, NULL));
    SAY(nc_inq_varnatts(ncid, NC_GLOBAL, &n));
    SAY(nc_inq_varndims(ncid, -3, &n));
    SAY(nc_rename_var(ncid, var, "s"));
    SAY(nc_rename_var(ncid, 99, "s"));
    SAY(nc_rename_var(ncid, var, "v"));
}

static void properties(void)
{
    size_t chunks[2] = {1, 2}, large[2] = {1, 100}, back[2];
    int storage, endian, no_fill, fill = 5, dims1[1] = {dim}, extra;
    double dfill;

    SAY(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunks));
    SAY(nc_def_var_chunking(ncid, var, NC_CHUNKED, large));
    SAY(nc_def_var_chunking(ncid, var, NC_CONTIGUOUS, NULL));
    SAY(nc_def_var_chunking(ncid, var, NC_COMPACT, NULL));
    SAY(nc_def_var_chunking(ncid, scalar, NC_CHUNKED, chunks));
    SAY(nc_def_var_chunking(ncid, scalar, NC_CONTIGUOUS, NULL));
    SAY(nc_def_var_chunking(ncid, 99, NC_CHUNKED, chunks));
    SAY(nc_inq_var_chunking(ncid, var, &storage, back));
    printf("%d %zu %zu\n", storage, back[0], back[1]);
    SAY(nc_inq_var_chunking(ncid, text, &storage, NULL));
    printf("%d\n", storage);
    SAY(nc_def_var(ncid, "compact", NC_INT, 1, dims1, &extra));
    SAY(nc_def_var_chunking(ncid, extra, NC_COMPACT, NULL));
    SAY(nc_inq_var_chunking(ncid, extra, &storage, NULL));
    printf("%d\n", storage);
    SAY(nc_def_var_endian(ncid, extra, NC_ENDIAN_BIG));
    SAY(nc_inq_var_endian(ncid, extra, &endian));
    printf("%d\n", endian);
    SAY(nc_def_var_fill(ncid, extra, 0, &fill));
    SAY(nc_inq_var_fill(ncid, extra, &no_fill, &fill));
    printf("%d %d\n", no_fill, fill);
    SAY(nc_inq_var_fill(ncid, scalar, &no_fill, &dfill));
    printf("%d %g\n", no_fill, dfill);
    SAY(nc_def_var_fill(ncid, extra, 1, NULL));
    SAY(nc_inq_var_fill(ncid, extra, &no_fill, NULL));
    printf("%d\n", no_fill);
    SAY(nc_def_var_fill(ncid, NC_GLOBAL, 0, &fill));
    SAY(nc_def_var_fill(ncid, str, 1, NULL));
    SAY(nc_set_fill(ncid, 77, &fill));
    SAY(nc_set_fill(ncid, NC_NOFILL, &fill));
    SAY(nc_set_fill(ncid, NC_FILL, &fill));
    printf("%d\n", fill);
}

static void attributes(void)
{
    int value = 70000, back[2], two[2] = {1, 2};
    short small;
    char name[NC_MAX_NAME + 1], chars[16];
    nc_type type;
    size_t len;

    SAY(nc_put_att_int(ncid, var, "a", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "a", NC_SHORT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "a", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "two", NC_BYTE, 2, two));
    SAY(nc_put_att_int(ncid, var, "c", NC_CHAR, 1, &value));
    SAY(nc_put_att_text(ncid, var, "text", 3, "abc"));
    SAY(nc_put_att_text(ncid, var, "empty", 0, NULL));
    SAY(nc_put_att_int(ncid, var, "none", NC_INT, 0, NULL));
    SAY(nc_put_att_int(ncid, var, "a/b", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, 99, "a", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "_FillValue", NC_FLOAT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "_FillValue", NC_INT, 2, two));
    SAY(nc_put_att_int(ncid, var, "_FillValue", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, NC_GLOBAL, "_FillValue", NC_INT, 1, &value));
    SAY(nc_put_att_text(ncid, NC_GLOBAL, "_NCProperties", 3, "abc"));
    SAY(nc_put_att_int(ncid, NC_GLOBAL, "_IsNetcdf4", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "_Netcdf4Dimid", NC_INT, 1, &value));
    SAY(nc_put_att_text(ncid, var, "CLASS", 3, "abc"));
    SAY(nc_get_att_short(ncid, var, "a", &small));
    SAY(nc_get_att_text(ncid, var, "a", chars));
    SAY(nc_get_att_int(ncid, var, "text", back));
    SAY(nc_get_att_int(ncid, var, "nothing", back));
    SAY(nc_get_att_int(ncid, var, "two", back));
    printf("%d %d\n", back[0], back[1]);
    SAY(nc_inq_att(ncid, var, "empty", &type, &len));
    printf("%d %zu\n", type, len);
    SAY(nc_inq_attname(ncid, var, 1, name));
    printf("%s\n", name);
    SAY(nc_inq_attname(ncid, var, 99, name));
    SAY(nc_inq_attname(ncid, var, -1, name));
    SAY(nc_inq_attid(ncid, var, "text", &id));
    printf("%d\n", id);
    SAY(nc_inq_attid(ncid, var, "nothing", &id));
    SAY(nc_rename_att(ncid, var, "a", "text"));
    SAY(nc_rename_att(ncid, var, "nothing", "x"));
    SAY(nc_rename_att(ncid, var, "a", "b"));
    SAY(nc_rename_att(ncid, var, "b", "x/y"));
    SAY(nc_del_att(ncid, var, "nothing"));
    SAY(nc_del_att(ncid, var, "two"));
    SAY(nc_inq_varnatts(ncid, var, &id));
    printf("%d\n", id);
    SAY(nc_copy_att(ncid, var, "text", ncid, NC_GLOBAL));
    SAY(nc_copy_att(ncid, var, "nothing", ncid, NC_GLOBAL));
    SAY(nc_copy_att(ncid, var, "text", ncid, var));
}

static void data(void)
{
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
    signed char bytes[8] = {0};
    char chars[4] = "abc";
    double real = 1e40;
    float single;
    ptrdiff_t stride[2] = {1, 2}, bad_stride[2] = {1, 0}, map[2] = {1, 2};

    count[0] = 2, count[1] = 4;
    SAY(nc_put_vara_int(ncid, var, start, count, values));
    SAY(nc_put_vara_text(ncid, var, start, count, chars));
    SAY(nc_get_vara_text(ncid, var, start, count, chars));
    SAY(nc_put_var_int(ncid, text, values));
    SAY(nc_put_var_text(ncid, text, chars));
    SAY(nc_get_var_int(ncid, text, back));
    SAY(nc_put_var_int(ncid, str, values));
    count[1] = 5;
    SAY(nc_put_vara_int(ncid, var, start, count, values));
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    count[0] = 3, count[1] = 4;
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    start[1] = 4, count[1] = 1;
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    start[1] = 4, count[0] = 2, count[1] = 0;
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    start[1] = 5, count[1] = 0;
    SAY(nc_get_vara_int(ncid, var, start, count, back));
    start[1] = 0, count[0] = 2, count[1] = 2;
    SAY(nc_get_vars_int(ncid, var, start, count, stride, back));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SAY(nc_get_vars_int(ncid, var, start, count, bad_stride, back));
    count[1] = 3;
    SAY(nc_get_vars_int(ncid, var, start, count, stride, back));
    count[1] = 2;
    SAY(nc_get_varm_int(ncid, var, start, count, stride, map, back));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SAY(nc_get_vara_int(ncid, var, NULL, count, back));
    SAY(nc_get_vara_int(ncid, var, start, NULL, back));
    SAY(nc_get_vara_int(ncid, 99, start, count, back));
    SAY(nc_get_var_schar(ncid, var, bytes));
    SAY(nc_put_var_double(ncid, scalar, &real));
    SAY(nc_get_var_float(ncid, scalar, &single));
    SAY(nc_get_var_int(ncid, scalar, back));
    back[0] = 11; /* what did not fit an int is for the compiler to say */
    start[0] = 9, start[1] = 0;
    SAY(nc_get_var1_int(ncid, var, start, back));
    SAY(nc_put_var1_int(ncid, var, start, back));
    start[0] = 0, start[1] = 9;
    SAY(nc_put_var1_int(ncid, var, start, back));
    SAY(nc_get_var1_int(ncid, scalar, NULL, back));
}

static void late(void)
{
    size_t chunks[2] = {1, 2}, len;
    int fill = 3;

    SAY(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunks));
    SAY(nc_def_var_fill(ncid, var, 0, &fill));
    SAY(nc_def_var_endian(ncid, var, NC_ENDIAN_BIG));
    SAY(nc_def_var_deflate(ncid, var, 1, 1, 1));
    SAY(nc_def_var_fletcher32(ncid, var, 1));
    SAY(nc_put_att_int(ncid, var, "_FillValue", NC_INT, 1, &fill));
    SAY(nc_enddef(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_redef(ncid));
    SAY(nc_redef(ncid));
    SAY(nc_sync(ncid));
    SAY(nc_inq_dimlen(ncid, unlim, &len));
    printf("%zu\n", len);
}

static void read_only(const char *path)
{
    int value = 1;

    SAY(nc_open(path, NC_NOWRITE, &ncid));
    SAY(nc_def_dim(ncid, "new", 1, &id));
    SAY(nc_def_var(ncid, "new", NC_INT, 0, NULL, &id));
    SAY(nc_put_att_int(ncid, NC_GLOBAL, "new", NC_INT, 1, &value));
    SAY(nc_del_att(ncid, var, "text"));
    SAY(nc_rename_att(ncid, var, "text", "x"));
    SAY(nc_rename_var(ncid, var, "x"));
    SAY(nc_rename_dim(ncid, dim, "x"));
    SAY(nc_set_fill(ncid, NC_NOFILL, &id));
    SAY(nc_redef(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_sync(ncid));
    SAY(nc_def_var_deflate(ncid, var, 1, 1, 1));
    SAY(nc_def_var_chunking(ncid, var, NC_CHUNKED, NULL));
    SAY(nc_def_var_fill(ncid, var, 0, &value));
    SAY(nc_def_var_endian(ncid, var, NC_ENDIAN_BIG));
    SAY(nc_close(ncid));
    SAY(nc_close(ncid));
    SAY(nc_create(path, FORMAT | NC_NOCLOBBER, &ncid));
    SAY(nc_open("/no/such/file.nc", NC_NOWRITE, &ncid));
}

int main(int argc, char **argv)
{
    (void)argc;
    DO(nc_create(argv[1], FORMAT, &ncid));
    dimensions();
    variables();
    properties();
    attributes();
    data();
    late();
    DO(nc_close(ncid));
    argv[1] = "file.nc"; /* the same text for both */
    read_only(argv[1]);
    return 0;
}
