/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
/* Ranks write and read one float variable of 96 MB, each a slab of whole chunks; seconds of the slowest rank, as JSON.
 * Compiled by run_mpi.py with mpicc against each library. bench_mpi FOLDER ROUNDS netcdf4|zarr|classic */
#ifdef BENCH_PNETCDF
#include "pnetcdf_as_netcdf.h"
#else
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#endif
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, NY = 2048, NX = 2048, CY = 128, CX = 512 };

static int rank, size;
static float *slab;
static size_t rows;

#define CHECK(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            fprintf(stderr, "rank %d: %s: %s\n", rank, #call, nc_strerror(rc_)); \
            MPI_Abort(MPI_COMM_WORLD, 1); \
        } \
    } while (0)

static const struct kind {
    const char *family, *name;
    int mode, chunked, filtered;
} kinds[] = {
    {"netcdf4", "filtered chunks", NC_NETCDF4, 1, 1}, {"netcdf4", "chunks", NC_NETCDF4, 1, 0},
    {"netcdf4", "contiguous", NC_NETCDF4, 0, 0},      {"zarr", "filtered chunks", NC_NETCDF4, 1, 1},
    {"classic", "CDF-5", NC_64BIT_DATA, 0, 0},
};

static void make_slab(void)
{
    rows = NY / (size_t)size;
    slab = malloc(rows * NX * sizeof *slab);
    for (size_t i = 0; i < rows * NX; i++) {
        size_t y = i / NX + rows * (size_t)rank, x = i % NX;

        slab[i] = 280.0f + (float)((y * 31 + x * 17) % 64) * 0.125f + (float)(y / 64) * 0.5f;
    }
}

static double slowest(double since)
{
    double mine = MPI_Wtime() - since, all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* What an earlier run left is not to be removed within the time of this one. */
static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void remove_old(const char *path)
{
    if (rank == 0)
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static double begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

static double write_file(const char *path, const struct kind *kind)
{
    int ncid, dims[3], var, old;
    size_t chunks[3] = {1, CY, CX};
    double since = begin();

    CHECK(nc_create_par(path, kind->mode | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_set_fill(ncid, NC_NOFILL, &old));
    CHECK(nc_def_dim(ncid, "t", STEPS, &dims[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[2]));
    CHECK(nc_def_var(ncid, "v", NC_FLOAT, 3, dims, &var));
    if (kind->chunked)
        CHECK(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunks));
    if (kind->filtered)
        CHECK(nc_def_var_deflate(ncid, var, 1, 1, 1));
    CHECK(nc_enddef(ncid));
    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    for (size_t step = 0; step < STEPS; step++) {
        size_t start[3] = {step, rows * (size_t)rank, 0}, count[3] = {1, rows, NX};

        CHECK(nc_put_vara_float(ncid, var, start, count, slab));
    }
    CHECK(nc_close(ncid));
    return slowest(since);
}

static double read_file(const char *path)
{
    int ncid, var;
    float *back = malloc(rows * NX * sizeof *back);
    double since = begin();

    CHECK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_inq_varid(ncid, "v", &var));
    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    for (size_t step = 0; step < STEPS; step++) {
        size_t start[3] = {step, rows * (size_t)rank, 0}, count[3] = {1, rows, NX};

        CHECK(nc_get_vara_float(ncid, var, start, count, back));
        if (memcmp(back, slab, rows * NX * sizeof *back) != 0)
            CHECK(NC_EIO);
    }
    CHECK(nc_close(ncid));
    free(back);
    return slowest(since);
}

/* A library that loads others when it first needs them has them now, as one that the system loads with the program has. */
static void load_all(const char *path, int mode)
{
    int ncid;

    CHECK(nc_create_par(path, mode | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_close(ncid));
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *comma = "{";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        return 2;
    make_slab();
    snprintf(path, sizeof path, "%s/first.nc", argv[1]);
    load_all(path, strcmp(argv[3], "classic") == 0 ? NC_64BIT_DATA : NC_NETCDF4);
    for (int round = 0; round < atoi(argv[2]); round++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            double wrote, got;

            if (strcmp(kinds[k].family, argv[3]) != 0)
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[1], strcmp(argv[3], "zarr") == 0 ? "bench.zarr" : "bench.nc");
            remove_old(path);
            if (strcmp(argv[3], "zarr") == 0)
                snprintf(path, sizeof path, "file://%s/bench.zarr#mode=zarr", argv[1]);
            wrote = write_file(path, &kinds[k]);
            got = read_file(path);
            if (rank == 0)
                printf("%s\"write %s\": %.6f, \"read %s\": %.6f", comma, kinds[k].name, wrote, kinds[k].name, got);
            comma = ", ";
        }
    if (rank == 0)
        printf("}\n");
    MPI_Finalize();
    return 0;
}
