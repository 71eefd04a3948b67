/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks put whole chunks alone, with filters and without, of several variables in an order of their own, some of them twice,
 * and while a time grows between. What does not fit, and parts of chunks with filters, are errors of that put. When ranks
 * meet, each writes its own chunks. kept FILE FORMAT FILTER (format: netcdf4, shards, or another store) */
#include "check.h"
#include "counting.h"

enum { NT = 3, NY = 37, NX = 50, CY = 8, CX = 16, GY = (NY + CY - 1) / CY, GX = (NX + CX - 1) / CX };

static int wrong;

#define EXPECT(is) \
    do { \
        if (!(is)) { \
            fprintf(stderr, "rank %d, line %d: not so: %s: %s\n", rank, __LINE__, #is, cellar_error()); \
            wrong++; \
        } \
    } while (0)

enum { FILTERED, PLAIN, BYTES, NVARS };

static int value(int var, size_t t, size_t y, size_t x)
{
    return (int)((t * 7 + y * 3 + x + (size_t)var) % 100);
}

static void define(int ncid, const char *format, const char *filter, int *var)
{
    size_t shards[3] = {1, 2 * CY, 3 * CX};
    static const char *const names[NVARS] = {"filtered", "plain", "bytes"};
    size_t chunks[3] = {1, CY, CX};
    int dims[3];

    CHECK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[2]));
    for (int v = 0; v < NVARS; v++) {
        CHECK(nc_def_var(ncid, names[v], v == BYTES ? NC_BYTE : NC_INT, 3, dims, &var[v]));
        CHECK(nc_def_var_chunking(ncid, var[v], NC_CHUNKED, chunks));
        if (strcmp(format, "shards") == 0)
            CHECK(cellar_def_var_shards(ncid, var[v], shards));
        if (v != PLAIN)
            CHECK(cellar_def_var_chain(ncid, var[v], filter));
    }
    CHECK(nc_enddef(ncid));
    for (int v = 0; v < NVARS; v++)
        CHECK(nc_var_par_access(ncid, var[v], CELLAR_WHOLE_CHUNKS));
}

/* Independent puts find the time as long as it will be. */
static void grow(int ncid, int var, size_t t)
{
    size_t start[3] = {t}, count[3] = {rank == 0, rank == 0, rank == 0};
    int one = value(PLAIN, t, 0, 0);

    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    CHECK(nc_put_vara_int(ncid, var, start, count, &one));
    CHECK(nc_var_par_access(ncid, var, NC_INDEPENDENT));
}

static void put_chunk(int ncid, const int *var, int v, size_t t, size_t nth, int add, int badly)
{
    size_t start[3] = {t, nth / GX * CY, nth % GX * CX};
    size_t count[3] = {1, start[1] + CY < NY ? CY : NY - start[1], start[2] + CX < NX ? CX : NX - start[2]};
    int values[CY * CX], n = 0, rc;

    for (size_t y = 0; y < count[1]; y++)
        for (size_t x = 0; x < count[2]; x++)
            values[n++] = value(v, t, start[1] + y, start[2] + x) + add;
    if (badly)
        values[n / 2] = 1000;
    rc = nc_put_vara_int(ncid, var[v], start, count, values);
    EXPECT(rc == (badly ? NC_ERANGE : NC_NOERR));
    EXPECT(!badly || strstr(cellar_error(), "did not fit"));
}

static int is_mine(size_t nth, int v)
{
    return (int)(nth + (size_t)v) % size == rank;
}

static void put_all(int ncid, const int *var, size_t t)
{
    for (size_t i = 0; i < GY * GX; i++) { /* an order of its own */
        size_t nth = rank % 2 ? i : GY * GX - 1 - i;

        for (int v = 0; v < NVARS; v++)
            if (is_mine(nth, v) && nth % 3 == 0)
                put_chunk(ncid, var, v, t, nth, 1, v == BYTES && nth % 2);
        for (int v = NVARS; v-- > 0;)
            if (is_mine(nth, v))
                put_chunk(ncid, var, v, t, nth, 0, 0); /* the last counts */
    }
}

static void refuse_parts(int ncid, const int *var)
{
    int values[CY * CX] = {0};

    EXPECT(nc_put_vara_int(ncid, var[FILTERED], (size_t[]){0, 1, 0}, (size_t[]){1, CY, CX}, values) == NC_EINVAL);
    EXPECT(strstr(cellar_error(), "whole chunks"));
    EXPECT(nc_put_vara_int(ncid, var[FILTERED], (size_t[]){NT, 0, 0}, (size_t[]){1, CY, CX}, values) == NC_ECANTEXTEND);
}

/* A part of a chunk without filters, over a whole one that waits. Then a whole one over that part. */
static void put_over(int ncid, const int *var)
{
    if (rank != size - 1)
        return;
    put_chunk(ncid, var, PLAIN, 0, 1, 5, 0);
    EXPECT(nc_put_var1_int(ncid, var[PLAIN], (size_t[]){0, 1, CX}, &(int){77}) == NC_NOERR);
    put_chunk(ncid, var, PLAIN, 0, 2, 5, 0);
    put_chunk(ncid, var, PLAIN, 0, 2, 0, 0);
    EXPECT(nc_put_var1_int(ncid, var[PLAIN], (size_t[]){0, 2, CX}, &(int){78}) == NC_NOERR);
    put_chunk(ncid, var, PLAIN, 0, 1, 0, 0);
    EXPECT(nc_put_var1_int(ncid, var[PLAIN], (size_t[]){0, 3, CX}, &(int){value(PLAIN, 0, 3, CX)}) == NC_NOERR);
    put_chunk(ncid, var, PLAIN, 0, 1, 0, 0);
}

static void check(int ncid, const int *var, int line)
{
    static int got[NT][NY][NX];
    int before = wrong;

    for (int v = 0; v < NVARS; v++) {
        CHECK(nc_get_var_int(ncid, var[v], &got[0][0][0]));
        for (size_t t = 0; t < NT; t++)
            for (size_t y = 0; y < NY; y++)
                for (size_t x = 0; x < NX; x++)
                    wrong += got[t][y][x] != value(v, t, y, x);
        if (wrong > before)
            fprintf(stderr, "rank %d, line %d: variable %d: %d wrong\n", rank, line, v, wrong - before);
    }
}

int main(int argc, char **argv)
{
    int ncid, var[NVARS], all;
    size_t before;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        return 2;
    CHECK(nc_create_par(argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    define(ncid, argv[2], argv[3], var);
    for (size_t t = 0; t < NT; t++) {
        for (int v = 0; v < NVARS; v++)
            grow(ncid, var[PLAIN], t);
        put_all(ncid, var, t);
    }
    refuse_parts(ncid, var);
    before = written;
    CHECK(nc_sync(ncid));
    EXPECT(rank == 0 || strcmp(argv[2], "netcdf4") != 0 || written > before);
    check(ncid, var, __LINE__);
    MPI_Barrier(MPI_COMM_WORLD);
    put_over(ncid, var);
    put_all(ncid, var, 1); /* over what was acknowledged */
    CHECK(nc_close(ncid));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(nc_open(argv[1], NC_NOWRITE, &ncid));
    check(ncid, var, __LINE__);
    CHECK(nc_close(ncid));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("kept %s %s: %d ranks, %d wrong\n", argv[2], argv[3], size, all);
    MPI_Finalize();
    return all != 0;
}
