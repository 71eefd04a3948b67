/* SPDX-License-Identifier: BSD-3-Clause */
/* A netCDF-4 file of the classic model: modes are strict, and the enhanced model
 * is refused. */
#include "say.h"

int main(int argc, char **argv)
{
    int ncid, dim, dim2, var, id, value = 3, format, mode;
    nc_type type;
    const char *word = "w";
    size_t len;

    (void)argc;
    DO(nc_create(argv[1], NC_NETCDF4 | NC_CLASSIC_MODEL, &ncid));
    SAY(nc_redef(ncid));
    SAY(nc_def_dim(ncid, "u", NC_UNLIMITED, &dim));
    SAY(nc_def_dim(ncid, "u2", NC_UNLIMITED, &id));
    SAY(nc_def_dim(ncid, "x", 2, &dim2));
    SAY(nc_def_grp(ncid, "g", &id));
    SAY(nc_def_compound(ncid, 8, "c", &type));
    SAY(nc_def_var(ncid, "bad", NC_UINT, 1, &dim, &id));
    SAY(nc_def_var(ncid, "bad", NC_STRING, 1, &dim, &id));
    SAY(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    SAY(nc_put_att_string(ncid, NC_GLOBAL, "s", 1, &word));
    SAY(nc_put_att_int(ncid, NC_GLOBAL, "i", NC_INT64, 1, &value));
    SAY(nc_put_att_int(ncid, var, "i", NC_INT, 1, &value));
    SAY(nc_put_var1_int(ncid, var, &(size_t){0}, &value));
    SAY(nc_get_var1_int(ncid, var, &(size_t){0}, &value));
    SAY(nc_sync(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_put_var1_int(ncid, var, &(size_t){0}, &value));
    SAY(nc_def_dim(ncid, "y", 2, &id));
    SAY(nc_def_var(ncid, "w", NC_INT, 0, NULL, &id));
    SAY(nc_put_att_int(ncid, var, "new", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "i", NC_INT, 1, &value));
    SAY(nc_put_att_int(ncid, var, "i", NC_DOUBLE, 1, &value));
    SAY(nc_del_att(ncid, var, "i"));
    SAY(nc_rename_att(ncid, var, "i", "longer"));
    SAY(nc_rename_var(ncid, var, "longer"));
    SAY(nc_rename_var(ncid, var, "w"));
    SAY(nc_rename_dim(ncid, dim2, "longer"));
    SAY(nc_rename_dim(ncid, dim2, "y"));
    SAY(nc_redef(ncid));
    SAY(nc_redef(ncid));
    SAY(nc_put_att_int(ncid, var, "new", NC_INT, 1, &value));
    SAY(nc_close(ncid));
    SAY(nc_open(argv[1] ? "file.nc" : "", NC_WRITE, &ncid));
    SAY(nc_inq_format(ncid, &format));
    SAY(nc_inq_format_extended(ncid, &id, &mode));
    printf("%d %d %#x\n", format, id, (unsigned)mode);
    SAY(nc_def_dim(ncid, "z", 2, &id));
    SAY(nc_redef(ncid));
    SAY(nc_def_dim(ncid, "z", 2, &id));
    SAY(nc_def_grp(ncid, "g", &id));
    SAY(nc_inq_path(ncid, &len, NULL));
    SAY(nc_abort(ncid));
    return 0;
}
