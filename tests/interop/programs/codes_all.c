/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes of wrong calls in every format: unknown types and ids, names that are too long, user types and groups in classic
 * files, definitions on a file opened for reading, files that cannot be created. docs/differences.md has what is left out. */
#include "say.h"
#include <netcdf_filter.h>
#include <sys/stat.h>

static int ncid, dim, var, id, other, value = 1;
static char name[NC_MAX_NAME + 1], longer[NC_MAX_NAME + 100], full[4 * NC_MAX_NAME];
static size_t len, more;
static nc_type type;

static void unknown_type(void)
{
    SAY(nc_put_att_int(ncid, var, "a", 99, 1, &value));
    SAY(nc_put_att(ncid, var, "b", 99, 1, &value));
}

static void attributes(void)
{
    long long big = 1;

    SAY(nc_put_att_int(ncid, var, "a", NC_NAT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "a", NC_CHAR, 1, &value));
    SAY(nc_put_att(ncid, var, "b", NC_INT64, 1, &big));
    SAY(nc_put_att_longlong(ncid, var, "b", NC_UINT, 1, &big));
    SAY(nc_put_att_int(ncid, var, longer, NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, 77, "a", NC_INT, 1, &value));
    SAY(nc_inq_att(ncid, var, longer, NULL, NULL));
    SAY(nc_inq_attid(ncid, var, longer, &id));
    SAY(nc_get_att_int(ncid, var, longer, &id));
    SAY(nc_del_att(ncid, var, longer));
    SAY(nc_rename_att(ncid, var, longer, "q"));
    SAY(nc_rename_att(ncid, var, "nothing", longer));
}

static void definitions(void)
{
    SAY(nc_def_var(ncid, "w", 99, 1, &dim, &id));
    SAY(nc_def_var(ncid, "w", NC_NAT, 1, &dim, &id));
    SAY(nc_def_var(ncid, "w", NC_INT, -1, &dim, &id));
    SAY(nc_def_var(ncid, longer, NC_INT, 1, &dim, &id));
    SAY(nc_def_dim(ncid, longer, 3, &id));
    SAY(nc_def_dim(ncid, "d", NC_MAX_UINT, &id));
    SAY(nc_inq_dimid(ncid, longer, &id));
    SAY(nc_inq_varid(ncid, longer, &id));
    SAY(nc_rename_dim(ncid, dim, longer));
    SAY(nc_rename_var(ncid, var, longer));
    SAY(nc_def_var_fill(ncid, 99, NC_FILL, &value));
    SAY(nc_set_var_chunk_cache(ncid, var, 100, 100, 2.0f));
    SAY(nc_set_var_chunk_cache(ncid, var, 100, 100, .5f));
    SAY(nc_set_var_chunk_cache(ncid, 99, 100, 100, .5f));
}

static void types(void)
{
    int equal = 9;

    SAY(nc_inq_typeid(ncid, "int", &type));
    SAY(nc_inq_typeid(ncid, "string", &type));
    SAY(nc_inq_typeid(ncid, "nothing", &type));
    SAY(nc_inq_typeid(ncid, "nothing/here", &type));
    SAY(nc_inq_typeid(ncid, "/nothing/here", &type));
    SAY(nc_inq_typeid(ncid, "/int", &type));
    SAY(nc_inq_typeid(ncid, longer, &type));
    SAY(nc_inq_type(ncid, 99, name, &len));
    SAY(nc_inq_type(ncid, NC_STRING, name, &len));
    SAY(nc_inq_user_type(ncid, 99, name, &len, &type, &more, &other));
    SAY(nc_inq_user_type(ncid, NC_INT, name, &len, &type, &more, &other));
    SAY(nc_inq_compound(ncid, 99, name, &len, &more));
    SAY(nc_inq_enum(ncid, NC_INT, name, &type, &len, &more));
    SAY(nc_inq_vlen(ncid, 99, name, &len, &type));
    SAY(nc_inq_opaque(ncid, 99, name, &len));
    SAY(nc_inq_compound_field(ncid, 99, 0, name, &len, &type, &other, &other));
    SAY(nc_inq_compound_fieldindex(ncid, 99, "f", &other));
    SAY(nc_inq_enum_member(ncid, 99, 0, name, &value));
    SAY(nc_inq_enum_ident(ncid, 99, 0, name));
    SAY(nc_insert_compound(ncid, 99, "f", 0, NC_INT));
    SAY(nc_insert_enum(ncid, 99, "f", &value));
    SAY(nc_inq_type_equal(ncid, 99, ncid, 98, &equal));
    SAY(nc_inq_type_equal(ncid, NC_INT, ncid, 98, &equal));
    printf("%d\n", equal);
}

static void groups(void)
{
    SAY(nc_inq_grp_full_ncid(ncid, "/nothing", &id));
    SAY(nc_inq_grp_parent(ncid, &id));
    SAY(nc_rename_grp(ncid, "z"));
    SAY(nc_inq_grpname_full(ncid, &len, full));
    SAY(nc_def_grp(ncid, "", &id));
    SAY(nc_def_grp(ncid, longer, &id));
    SAY(nc_set_fill(ncid, 77, &id));
}

static void user_types(void)
{
    SAY(nc_def_compound(ncid, 4, "c", &type));
    SAY(nc_def_enum(ncid, NC_INT, "e", &type));
    SAY(nc_def_opaque(ncid, 4, "o", &type));
    SAY(nc_def_vlen(ncid, "l", NC_INT, &type));
    SAY(nc_def_vlen(ncid, "l", 99, &type));
}

static void read_only(void)
{
    SAY(nc_redef(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_def_dim(ncid, "q", 3, &id));
    SAY(nc_def_var(ncid, "q", NC_INT, 1, &dim, &id));
    SAY(nc_put_att_int(ncid, var, "q", NC_INT, 1, &value));
    SAY(nc_del_att(ncid, var, "a"));
    SAY(nc_rename_att(ncid, var, "a", "z"));
    SAY(nc_rename_dim(ncid, dim, "z"));
    SAY(nc_rename_var(ncid, var, "z"));
    SAY(nc_def_var_fill(ncid, var, NC_FILL, &value));
    SAY(nc_def_var_deflate(ncid, var, 1, 1, 1));
    SAY(nc_def_grp(ncid, "g", &id));
    SAY(nc_set_fill(ncid, NC_NOFILL, &id));
}

static void files(int mode)
{
    SAY(nc_create("no/such/x.nc", mode, &ncid));
    SAY(nc_create("folder", mode, &ncid));
    SAY(nc_create("file.nc", mode | NC_NOCLOBBER, &ncid));
    SAY(nc_create("file.nc/b.nc", mode, &ncid));
    SAY(nc_create("", mode, &ncid));
    SAY(nc_create("/proc/x.nc", mode, &ncid));
    SAY(nc_create("x.nc", mode | NC_MPIIO, &ncid));
    SAY(nc_close(ncid));
}

/* nc_close() refuses an enum without members, and the file stays open to be mended. */
static void close_in_vain(void)
{
    SAY(nc_create("file.nc", NC_NETCDF4, &ncid));
    SAY(nc_def_enum(ncid, NC_INT, "e", &type));
    SAY(nc_close(ncid));
    SAY(nc_insert_enum(ncid, type, "one", &value));
    SAY(nc_close(ncid));
    SAY(nc_close(ncid));
}

int main(int argc, char **argv)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL};

    (void)argc;
    memset(longer, 'a', sizeof longer - 1);
    DO(mkdir("folder", 0777));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        printf("mode %#x\n", (unsigned)modes[i]);
        DO(nc_create(argv[1], modes[i], &ncid));
        DO(nc_def_dim(ncid, "d", 3, &dim));
        DO(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
        if (modes[i] != NC_NETCDF4) /* there it costs netCDF-C the file */
            unknown_type();
        attributes();
        definitions();
        types();
        groups();
        if (!(modes[i] & NC_NETCDF4) || modes[i] & NC_CLASSIC_MODEL)
            user_types();
        SAY(nc_close(ncid));
        DO(nc_open(argv[1], NC_NOWRITE, &ncid));
        read_only();
        SAY(nc_close(ncid));
        files(modes[i]);
    }
    close_in_vain();
    return 0;
}
