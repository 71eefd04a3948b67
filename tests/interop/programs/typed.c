/* SPDX-License-Identifier: BSD-3-Clause */
/* Every typed put and get, on variables and attributes of every number type. */
#include "say.h"

enum { NX = 3, NY = 4 };
static int ncid, dims[2], var;

/* Values of both signs, small enough for a signed byte and too large for it; of one
 * sign between reals and unsigned integers, where C leaves the rest open. */
static int value(int i, int real)
{
    return i % 2 ? i * 11 : real ? i : -i;
}

#define TRY(tag, ctype) \
    static void try_##tag(const char *on, nc_type xtype) \
    { \
        size_t start[2] = {1, 0}, count[2] = {2, 2}, one[2] = {0, 3}; \
        ptrdiff_t stride[2] = {1, 3}, map[2] = {1, 2}; \
        ctype data[NX * NY], back[NX * NY] = {0}; \
        for (int i = 0; i < NX * NY; i++) \
            data[i] = (ctype)value(i, xtype == NC_FLOAT || xtype == NC_DOUBLE || (ctype)0.5 != 0); \
        printf("%s as %s: %d", on, #tag, nc_put_var_##tag(ncid, var, data)); \
        printf(" %d", nc_put_vara_##tag(ncid, var, start, count, data + 3)); \
        printf(" %d", nc_put_vars_##tag(ncid, var, start, count, stride, data + 5)); \
        printf(" %d", nc_put_varm_##tag(ncid, var, start, count, stride, map, data + 7)); \
        printf(" %d", nc_put_var1_##tag(ncid, var, one, data + 1)); \
        printf(" / %d", nc_get_var_##tag(ncid, var, back)); \
        for (int i = 0; i < NX * NY; i++) \
            printf(" %g", (double)back[i]); \
        printf(" / %d", nc_get_vara_##tag(ncid, var, start, count, back)); \
        printf(" %d", nc_get_vars_##tag(ncid, var, start, count, stride, back + 4)); \
        printf(" %d", nc_get_varm_##tag(ncid, var, start, count, stride, map, back + 8)); \
        printf(" %d", nc_get_var1_##tag(ncid, var, one, back)); \
        for (int i = 0; i < NX * NY; i++) \
            printf(" %g", (double)back[i]); \
        printf(" / %d", nc_put_att_##tag(ncid, var, #tag, xtype, 5, data)); \
        printf(" %d", nc_get_att_##tag(ncid, var, #tag, back)); \
        for (int i = 0; i < 5; i++) \
            printf(" %g", (double)back[i]); \
        printf("\n"); \
    }

TRY(schar, signed char)
TRY(uchar, unsigned char)
TRY(ubyte, unsigned char)
TRY(short, short)
TRY(ushort, unsigned short)
TRY(int, int)
TRY(uint, unsigned)
TRY(long, long)
TRY(longlong, long long)
TRY(ulonglong, unsigned long long)
TRY(float, float)
TRY(double, double)

/* As large as they will be, so that putting them again needs no define mode. */
static void make_atts(nc_type t)
{
    static const char *const tags[] = {"schar", "uchar", "ubyte",    "short",     "ushort", "int",
                                       "uint",  "long",  "longlong", "ulonglong", "float",  "double"};
    int zeros[5] = {0};

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        DO(nc_put_att_int(ncid, var, tags[i], t, 5, zeros));
}

static void text(void)
{
    size_t start[2] = {1, 0}, count[2] = {2, 2}, one[2] = {0, 3};
    ptrdiff_t stride[2] = {1, 3}, map[2] = {1, 2};
    char back[NX * NY + 1] = "";

    nc_redef(ncid);
    DO(nc_def_var(ncid, "text", NC_CHAR, 2, dims, &var));
    nc_enddef(ncid);
    SAY(nc_put_var_text(ncid, var, "abcdefghijkl"));
    SAY(nc_put_vara_text(ncid, var, start, count, "ABCD"));
    SAY(nc_put_vars_text(ncid, var, start, count, stride, "EFGH"));
    SAY(nc_put_varm_text(ncid, var, start, count, stride, map, "IJKL"));
    SAY(nc_put_var1_text(ncid, var, one, "M"));
    SAY(nc_get_var_text(ncid, var, back));
    printf("%s\n", back);
    SAY(nc_get_varm_text(ncid, var, start, count, stride, map, back));
    SAY(nc_get_vars_text(ncid, var, start, count, stride, back + 4));
    SAY(nc_get_vara_text(ncid, var, start, count, back + 8));
    SAY(nc_get_var1_text(ncid, var, one, back));
    printf("%s\n", back);
}

static void strings(void)
{
    size_t start[2] = {1, 0}, count[2] = {2, 2}, one[2] = {0, 3};
    ptrdiff_t stride[2] = {1, 3};
    const char *words[NX * NY] = {"a", "bb", "", "dddd", "e", "f", "g", "h", "i", "j", "k", "a longer one"};
    char *back[NX * NY];

    DO(nc_def_var(ncid, "strings", NC_STRING, 2, dims, &var));
    SAY(nc_put_var_string(ncid, var, words));
    SAY(nc_put_vara_string(ncid, var, start, count, words + 3));
    SAY(nc_put_vars_string(ncid, var, start, count, stride, words + 8));
    SAY(nc_put_var1_string(ncid, var, one, words + 11));
    SAY(nc_get_var_string(ncid, var, back));
    for (int i = 0; i < NX * NY; i++)
        printf("%s,", back[i]);
    printf("\n");
    DO(nc_free_string(NX * NY, back));
    SAY(nc_get_vars_string(ncid, var, start, count, stride, back));
    for (int i = 0; i < 4; i++)
        printf("%s,", back[i]);
    printf("\n");
    DO(nc_free_string(4, back));
    SAY(nc_get_var1_string(ncid, var, one, back));
    printf("%s\n", back[0]);
    DO(nc_free_string(1, back));
    SAY(nc_put_att_string(ncid, var, "words", 2, words));
    SAY(nc_get_att_string(ncid, var, "words", back));
    printf("%s,%s\n", back[0], back[1]);
    DO(nc_free_string(2, back));
}

int main(int argc, char **argv)
{
    static const nc_type types[] = {NC_BYTE, NC_UBYTE, NC_SHORT,  NC_USHORT, NC_INT,
                                    NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT,  NC_DOUBLE};

    (void)argc;
    DO(nc_create(argv[1], FORMAT, &ncid));
    DO(nc_def_dim(ncid, "x", NX, &dims[0]));
    DO(nc_def_dim(ncid, "y", NY, &dims[1]));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char name[NC_MAX_NAME + 1];
        nc_type t = types[i];

        DO(nc_inq_type(ncid, t, name, NULL));
        nc_redef(ncid);
        if (nc_def_var(ncid, name, t, 2, dims, &var) != NC_NOERR) {
            printf("no %s here\n", name);
            continue;
        }
        make_atts(t);
        DO(nc_enddef(ncid));
        if (FORMAT != NC_64BIT_DATA || t != NC_UINT) /* netCDF-C leaves misfits unwritten there */
            try_schar(name, t);
        try_uchar(name, t), try_ubyte(name, t), try_short(name, t), try_ushort(name, t);
        try_int(name, t), try_uint(name, t), try_long(name, t), try_longlong(name, t), try_ulonglong(name, t);
        try_float(name, t), try_double(name, t);
    }
    text();
    if (FORMAT == NC_NETCDF4)
        strings();
    DO(nc_close(ncid));
    return 0;
}
