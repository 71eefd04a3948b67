/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks put and get random regions, whole chunks and parts of them, collectively and alone; then every rank reads the file
 * alone and compares it with an array in memory. ranks FILE FORMAT FILTER SEED */
#include "check.h"
#include <math.h>
#include <unistd.h>

#define NY 40
#define NX 30
#define CY 8
#define CX 10
#define STEPS 6

static float value(int step, size_t y, size_t x)
{
    return (float)(step * 100000) + (float)(y * NX + x) + 0.25f * (float)((y * 7 + x) % 4);
}

/* One call, in which each rank has a slab that cuts through chunks. */
static void put_slabs(int ncid, int var, int step)
{
    size_t y0 = (size_t)rank * NY / (size_t)size, y1 = (size_t)(rank + 1) * NY / (size_t)size;
    size_t start[3] = {(size_t)step, y0, 0}, count[3] = {1, y1 - y0, NX};
    float *rows = malloc(sizeof(float) * NY * NX);

    for (size_t y = y0; y < y1; y++)
        for (size_t x = 0; x < NX; x++)
            rows[(y - y0) * NX + x] = value(step, y, x);
    CHECK(nc_put_vara_float(ncid, var, start, count, rows));
    free(rows);
}

/* The same part for any number of ranks: rows of chunks, dealt out. */
static void put_step(int ncid, int var, int step)
{
    size_t nparts = NY / CY, y0, y1, at;
    float *rows = malloc(sizeof(float) * NY * NX);

    for (size_t round = 0; round * (size_t)size < nparts; round++) {
        size_t part = round * (size_t)size + (size_t)rank, start[3] = {(size_t)step, 0, 0}, count[3] = {1, 0, NX};

        y0 = part < nparts ? part * NY / nparts : 0;
        y1 = part < nparts ? (part + 1) * NY / nparts : 0;
        start[1] = y0;
        count[1] = y1 - y0;
        count[0] = count[1] ? 1 : 0;
        at = 0;
        for (size_t y = y0; y < y1; y++)
            for (size_t x = 0; x < NX; x++)
                rows[at++] = value(step, y, x);
        CHECK(nc_put_vara_float(ncid, var, start, count, rows));
    }
    free(rows);
}

static int count_wrong(int ncid, int var, int step)
{
    float *rows = malloc(sizeof(float) * NY * NX);
    size_t start[3] = {(size_t)step, 0, 0}, count[3] = {1, NY, NX};
    int wrong = 0;

    CHECK(nc_get_vara_float(ncid, var, start, count, rows));
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            wrong += rows[y * NX + x] != value(step, y, x);
    free(rows);
    return wrong;
}

static void define(int ncid, int netcdf4, const char *filter, int *var, int *fixed)
{
    int dims[3];
    size_t chunks[3] = {1, CY, CX};

    CHECK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[2]));
    CHECK(nc_def_var(ncid, "t2m", NC_FLOAT, 3, dims, var));
    CHECK(nc_def_var(ncid, "orog", NC_INT, 2, dims + 1, fixed));
    CHECK(nc_put_att_text(ncid, *var, "units", 1, "K"));
    if (netcdf4)
        CHECK(nc_def_var_chunking(ncid, *var, NC_CHUNKED, chunks));
    if (netcdf4 && strcmp(filter, "none") != 0)
        CHECK(cellar_def_var_chain(ncid, *var, filter));
    CHECK(nc_enddef(ncid));
}

static void put_fixed(int ncid, int fixed)
{
    for (size_t y = (size_t)rank; y < NY; y += (size_t)size) {
        int row[NX];
        size_t start[2] = {y, 0}, count[2] = {1, NX};

        for (int x = 0; x < NX; x++)
            row[x] = (int)y * 1000 + x;
        CHECK(nc_put_vara_int(ncid, fixed, start, count, row));
    }
}

static int wrong_fixed(int ncid, int fixed)
{
    static int all[NY][NX];
    int wrong = 0;

    CHECK(nc_get_var_int(ncid, fixed, &all[0][0]));
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            wrong += all[y][x] != y * 1000 + x;
    return wrong;
}

int main(int argc, char **argv)
{
    int ncid, var, fixed, wrong = 0, all, mode, netcdf4;
    size_t len;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        return 2;
    netcdf4 = strncmp(argv[2], "cdf", 3) != 0;
    mode = strcmp(argv[2], "cdf5") == 0   ? NC_64BIT_DATA
           : strcmp(argv[2], "cdf2") == 0 ? NC_64BIT_OFFSET
           : netcdf4                      ? NC_NETCDF4
                                          : 0;
    CHECK(nc_create_par(argv[1], mode | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    define(ncid, netcdf4, argv[3], &var, &fixed);
    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    for (int step = 0; step < STEPS; step++)
        if (step % 2)
            put_slabs(ncid, var, step);
        else
            put_step(ncid, var, step);
    wrong += count_wrong(ncid, var, 2); /* while it is written */
    put_fixed(ncid, fixed);             /* alone */
    CHECK(nc_sync(ncid));
    wrong += wrong_fixed(ncid, fixed);
    CHECK(nc_inq_dimlen(ncid, 0, &len));
    wrong += len != STEPS;
    CHECK(nc_close(ncid));

    CHECK(nc_open_par(argv[1], NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_inq_varid(ncid, "t2m", &var));
    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    put_slabs(ncid, var, STEPS);
    CHECK(nc_close(ncid));

    CHECK(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_inq_varid(ncid, "t2m", &var));
    CHECK(nc_inq_varid(ncid, "orog", &fixed));
    for (int step = 0; step <= STEPS; step++)
        wrong += count_wrong(ncid, var, step);
    wrong += wrong_fixed(ncid, fixed);
    CHECK(nc_close(ncid));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %s: %d ranks, %d wrong\n", argv[2], argv[3], size, all);
    MPI_Finalize();
    return all != 0;
}
