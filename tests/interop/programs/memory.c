/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in memory: made there, read there, kept or not. */
#include "say.h"
#include <netcdf_mem.h>
#include <unistd.h>

static void fill(int ncid)
{
    int dim, var, values[3] = {7, 8, 9};

    DO(nc_def_dim(ncid, "x", 3, &dim));
    DO(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    DO(nc_put_var_int(ncid, var, values));
}

static void show(int ncid)
{
    int values[3] = {0};

    SAY(nc_get_var_int(ncid, 0, values));
    printf("%d %d %d\n", values[0], values[1], values[2]);
}

int main(int argc, char **argv)
{
    int ncid;
    NC_memio memory;

    (void)argc;
    DO(nc_create(argv[1], NC_NETCDF4 | NC_DISKLESS | NC_PERSIST, &ncid));
    fill(ncid);
    show(ncid);
    SAY(nc_close(ncid));
    SAY(nc_create("ghost.nc", NC_NETCDF4 | NC_DISKLESS, &ncid));
    fill(ncid);
    SAY(nc_close(ncid));
    printf("%s\n", access("ghost.nc", F_OK) ? "gone" : "there");

    SAY(nc_create_mem("memory.nc", NC_NETCDF4, 4096, &ncid));
    fill(ncid);
    SAY(nc_close_memio(ncid, &memory));
    printf("%d\n", memory.size > 0 && memory.memory);
    printf("%s\n", access("memory.nc", F_OK) ? "gone" : "there");
    SAY(nc_open_mem("memory.nc", NC_NOWRITE, memory.size, memory.memory, &ncid));
    show(ncid);
    SAY(nc_close(ncid));
    SAY(nc_open_mem("memory.nc", NC_NOWRITE, 3, memory.memory, &ncid));
    free(memory.memory);

    SAY(nc_open("file.nc", NC_DISKLESS, &ncid));
    show(ncid);
    SAY(nc_close(ncid));
    return 0;
}
