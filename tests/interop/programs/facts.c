/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes that are not listed, and copies between files. */
#include "say.h"

static void hidden(int ncid)
{
    static const char *const names[] = {"_NCProperties", "_IsNetcdf4",          "_SuperblockVersion", "_Format",
                                        "_nc3_strict",   "_Netcdf4Coordinates", "_Netcdf4Dimid",      "CLASS",
                                        "NAME",          "DIMENSION_LIST",      "REFERENCE_LIST"};
    nc_type type;
    size_t len;
    int natts, value = -7, id = -7;

    DO(nc_inq_natts(ncid, &natts));
    printf("%d attributes\n", natts);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        type = -7;
        printf("%s: %d", names[i], nc_inq_att(ncid, NC_GLOBAL, names[i], &type, &len));
        printf(" %d", nc_inq_att(ncid, 0, names[i], &(nc_type){0}, &len));
        printf(" %d, type %d\n", nc_inq_attid(ncid, NC_GLOBAL, names[i], &id), type);
    }
    SAY(nc_get_att_int(ncid, NC_GLOBAL, "_IsNetcdf4", &value));
    printf("%d\n", value);
    SAY(nc_get_att_int(ncid, NC_GLOBAL, "_SuperblockVersion", &value));
    printf("%d\n", value);
}

static void copies(int from)
{
    int to, dim, id;

    DO(nc_create("copy.nc", FORMAT, &to));
    SAY(nc_copy_var(from, 0, to));
    DO(nc_def_dim(to, "x", 3, &dim));
    SAY(nc_copy_var(from, 0, to));
    SAY(nc_copy_var(from, 0, to));
    SAY(nc_copy_var(from, 99, to));
    SAY(nc_inq_varid(to, "v", &id));
    SAY(nc_copy_att(from, NC_GLOBAL, "pair", to, NC_GLOBAL));
    SAY(nc_copy_att(from, 0, "units", to, NC_GLOBAL));
    DO(nc_close(to));
}

int main(int argc, char **argv)
{
    int ncid, dim, var, values[3] = {1, 2, 3};
    nc_type type;

    (void)argc;
    DO(nc_create(argv[1], FORMAT, &ncid));
    DO(nc_def_dim(ncid, "x", 3, &dim));
    DO(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    DO(nc_put_att_text(ncid, var, "units", 1, "m"));
    DO(nc_def_compound(ncid, 8, "pair", &type));
    DO(nc_insert_compound(ncid, type, "a", 0, NC_INT));
    DO(nc_insert_compound(ncid, type, "b", 4, NC_INT));
    DO(nc_put_att(ncid, NC_GLOBAL, "pair", type, 1, values));
    DO(nc_put_var_int(ncid, var, values));
    hidden(ncid);
    DO(nc_close(ncid));
    DO(nc_open("file.nc", NC_NOWRITE, &ncid));
    hidden(ncid);
    copies(ncid);
    DO(nc_close(ncid));
    return 0;
}
