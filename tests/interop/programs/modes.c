/* SPDX-License-Identifier: BSD-3-Clause */
/* netCDF-4 enters and leaves define mode by itself; files forgotten and aborted. */
#include "say.h"
#include <netcdf_mem.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int ncid, dim, var, var2, value = 3, back = 0, format, mode, fresh;
    double real = 0;
    char path[1024];
    size_t len;

    (void)argc;
    SAY(nc_create("aborted.nc", NC_NETCDF4, &ncid));
    SAY(nc_def_dim(ncid, "x", 2, &dim));
    SAY(nc_abort(ncid));
    printf("%s\n", access("aborted.nc", F_OK) ? "gone" : "there");
    DO(nc_create(argv[1], NC_NETCDF4, &ncid));
    SAY(nc_def_dim(ncid, "x", NC_UNLIMITED, &dim));
    SAY(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    SAY(nc_put_var1_int(ncid, var, &(size_t){2}, &value));
    SAY(nc_def_var(ncid, "w", NC_FLOAT, 1, &dim, &var2));
    SAY(nc_put_att_int(ncid, var2, "a", NC_INT, 1, &value));
    SAY(nc_get_var1_double(ncid, var2, &(size_t){1}, &real));
    printf("%g\n", real);
    SAY(nc_get_var1_int(ncid, var, &(size_t){0}, &back));
    printf("%d\n", back);
    SAY(nc_rename_var(ncid, var2, "much_longer_name"));
    SAY(nc_del_att(ncid, var2, "a"));
    SAY(nc_inq_dimlen(ncid, dim, &len));
    printf("%zu\n", len);
    SAY(nc_redef(ncid));
    SAY(nc_enddef(ncid));
    SAY(nc_inq_format(ncid, &format));
    SAY(nc_inq_format_extended(ncid, &fresh, &mode));
    printf("%d %d %#x\n", format, fresh, (unsigned)mode);
    DO(nc_close(ncid));
    DO(nc_open("file.nc", NC_WRITE, &ncid));
    SAY(nc_inq_path(ncid, &len, path));
    printf("%zu %s\n", len, path);
    SAY(nc_inq_format_extended(ncid, &fresh, &mode));
    printf("%d %#x\n", fresh, (unsigned)mode);
    SAY(nc_inq_varid(ncid, "much_longer_name", &var2));
    SAY(nc_put_var1_int(ncid, var2, &(size_t){4}, &value));
    SAY(nc_get_var1_int(ncid, var, &(size_t){4}, &back));
    printf("%d\n", back);
    SAY(nc_def_var(ncid, "third", NC_BYTE, 0, NULL, &fresh));
    SAY(nc_abort(ncid));
    printf("%s\n", access("file.nc", F_OK) ? "gone" : "there");
    DO(nc_open("file.nc", NC_NOWRITE, &ncid));
    SAY(nc_inq_varid(ncid, "third", &fresh));
    SAY(nc_get_var1_int(ncid, var2, &(size_t){4}, &back));
    printf("%d\n", back);
    DO(nc_close(ncid));
    return 0;
}
