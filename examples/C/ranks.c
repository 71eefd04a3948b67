/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks write one variable together: each has some rows. mpirun -n 4 ranks_example */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 32 /* of each rank */
#define COLUMNS 256

static void check(int rc)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "%s\n", nc_strerror(rc));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static float mine[ROWS][COLUMNS];
    size_t chunks[2] = {ROWS, COLUMNS}, start[2] = {0, 0}, count[2] = {ROWS, COLUMNS};
    int rank, size, ncid, dims[2], varid;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
            mine[y][x] = (float)(rank * ROWS + y) + (float)x / COLUMNS;

    check(nc_create_par("ranks.nc", NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    check(nc_def_dim(ncid, "y", (size_t)size * ROWS, &dims[0]));
    check(nc_def_dim(ncid, "x", COLUMNS, &dims[1]));
    check(nc_def_var(ncid, "field", NC_FLOAT, 2, dims, &varid));
    check(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunks));
    check(nc_def_var_deflate(ncid, varid, 1, 1, 1));
    check(nc_enddef(ncid));
    check(nc_var_par_access(ncid, varid, NC_COLLECTIVE));
    start[0] = (size_t)rank * ROWS;
    check(nc_put_vara_float(ncid, varid, start, count, &mine[0][0]));
    check(nc_close(ncid));
    if (rank == 0)
        printf("ranks.nc: %d rows of %d ranks\n", size * ROWS, size);
    MPI_Finalize();
    return 0;
}
