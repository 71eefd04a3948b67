/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables without chunks, and classic files: ranks put rows, blocks and every second row, converted or not, over fill values
 * and over what a sync acknowledged, with and without fill; every rank reads all of it back, and ranks other than 0 must
 * have written to the file themselves. values FILE MODE (netcdf4, cdf1, cdf2, cdf5) */
#include "check.h"
#include "counting.h"

enum { NY = 32, NX = 4096, STEPS = 3, ODD = 1501 };

static int wrong;

static int value(int round, size_t y, size_t x)
{
    return (int)((size_t)round * 1000003 + y * 5003 + x);
}

/* Rows [from, to) of this rank, the same in all for any number of ranks. */
static void rows_of(int who, size_t *from, size_t *to)
{
    *from = (size_t)who * NY / (size_t)size;
    *to = (size_t)(who + 1) * NY / (size_t)size;
}

static int *make_rows(int round, size_t y0, size_t ny, size_t step, size_t x0, size_t nx)
{
    int *rows = malloc((ny * nx + 1) * sizeof *rows);

    for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++)
            rows[y * nx + x] = value(round, y0 + y * step, x0 + x);
    return rows;
}

static void put(int ncid, int var, int round, const size_t *record, size_t y0, size_t ny, size_t step, size_t x0,
                size_t nx)
{
    int d = record ? 1 : 0;
    size_t start[3] = {record ? *record : 0}, count[3] = {1};
    ptrdiff_t stride[3] = {1, 1, 1};
    int *rows = make_rows(round, y0, ny, step, x0, nx);

    start[d] = y0, start[d + 1] = x0, count[d] = ny, count[d + 1] = nx, stride[d] = (ptrdiff_t)step;
    if (record && !(ny && nx))
        count[0] = 0;
    CHECK(nc_put_vars_int(ncid, var, start, count, stride, rows));
    free(rows);
}

/* Of a fixed variable, or of a record. */
static void put_slab(int ncid, int var, int round, const size_t *record)
{
    size_t from, to;

    rows_of(rank, &from, &to);
    put(ncid, var, round, record, from, to - from, 1, 0, NX);
}

static void put_blocks(int ncid, int var, int round)
{
    size_t across = size > 1 ? 2 : 1, column = (size_t)rank % across, row = (size_t)rank / across;
    size_t down = (size_t)size / across, y0 = row * NY / down, y1 = (row + 1) * NY / down;

    put(ncid, var, round, NULL, y0, y1 - y0, 1, column * (NX / across), NX / across);
}

/* Odd rows by the last rank, then even rows by the first. */
static void put_every_second(int ncid, int var, int round)
{
    put(ncid, var, round, NULL, 1, rank == size - 1 ? NY / 2 : 0, 2, 0, NX);
    put(ncid, var, round, NULL, 0, rank == 0 ? NY / 2 : 0, 2, 0, NX);
}

/* All ranks put the same rows: those of the highest count. */
static void put_over_each_other(int ncid, int var, int round)
{
    put(ncid, var, rank == size - 1 ? round : 77 + rank, NULL, 0, NY, 1, 0, NX);
}

static void check(int ncid, int var, int round, const size_t *record)
{
    size_t start[3] = {record ? *record : 0}, count[3] = {1};
    int d = record ? 1 : 0, *rows = malloc(sizeof(int) * NY * NX);

    count[d] = NY, count[d + 1] = NX;
    CHECK(nc_get_vara_int(ncid, var, start, count, rows));
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            wrong += rows[y * NX + x] != value(round, y, x);
    free(rows);
}

/* One rank puts a few of the values: all others are fill. */
static void put_few(int ncid, int var)
{
    size_t start[2] = {7, 11}, count[2] = {1, rank == size / 2 ? 2048 : 0};
    int *row = make_rows(9, 7, 1, 1, 11, 2048);

    CHECK(nc_put_vara_int(ncid, var, start, count, row));
    free(row);
}

static void check_few(int ncid, int var)
{
    int *rows = malloc(sizeof(int) * NY * NX);

    CHECK(nc_get_var_int(ncid, var, rows));
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            wrong += rows[y * NX + x] != (y == 7 && x >= 11 && x < 11 + 2048 ? value(9, y, x) : NC_FILL_INT);
    free(rows);
}

enum { SLAB, BLOCKS, SECOND, OVER, DOUBLES, FEW, RECORDS, SHORTS, MOST };
static int nvars = MOST; /* records are in chunks in netCDF-4: mpi_ranks has those */

static void define(int ncid, int classic, int *var)
{
    static const char *const names[] = {"slab", "blocks", "second", "over", "doubles", "few", "records", "shorts"};
    int dims[3], odd[2];

    CHECK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[2]));
    CHECK(nc_def_dim(ncid, "odd", ODD, &odd[1]));
    odd[0] = dims[0];
    for (int v = 0; v < nvars; v++) {
        if (v == SHORTS)
            CHECK(nc_def_var(ncid, names[v], NC_SHORT, 2, odd, &var[v]));
        else if (v == RECORDS)
            CHECK(nc_def_var(ncid, names[v], NC_INT, 3, dims, &var[v]));
        else
            CHECK(nc_def_var(ncid, names[v], v == DOUBLES ? NC_DOUBLE : NC_INT, 2, dims + 1, &var[v]));
        if (v == SLAB && !classic)
            CHECK(nc_def_var_endian(ncid, var[v], NC_ENDIAN_BIG));
        if (v == BLOCKS)
            CHECK(nc_def_var_fill(ncid, var[v], 1, NULL));
    }
    CHECK(nc_enddef(ncid));
    for (int v = 0; v < nvars; v++)
        CHECK(nc_var_par_access(ncid, var[v], NC_COLLECTIVE));
}

static void put_shorts(int ncid, int var, size_t record)
{
    size_t from = (size_t)rank * ODD / (size_t)size, to = (size_t)(rank + 1) * ODD / (size_t)size;
    size_t start[2] = {record, from}, count[2] = {1, to - from};
    short row[ODD];

    for (size_t i = from; i < to; i++)
        row[i - from] = (short)(record * 1000 + i);
    CHECK(nc_put_vara_short(ncid, var, start, count, row));
}

static void check_shorts(int ncid, int var, size_t record)
{
    size_t start[2] = {record, 0}, count[2] = {1, ODD};
    short row[ODD];

    CHECK(nc_get_vara_short(ncid, var, start, count, row));
    for (size_t i = 0; i < ODD; i++)
        wrong += row[i] != (short)(record * 1000 + i);
}

static void check_all(int ncid, const int *var, int round)
{
    for (int v = SLAB; v <= DOUBLES; v++)
        check(ncid, var[v], round, NULL);
    check_few(ncid, var[FEW]);
    for (size_t t = 0; t < STEPS && nvars == MOST; t++) {
        check(ncid, var[RECORDS], (int)t, &t);
        check_shorts(ncid, var[SHORTS], t);
    }
}

static void put_all(int ncid, const int *var, int round)
{
    put_slab(ncid, var[SLAB], round, NULL);
    put_blocks(ncid, var[BLOCKS], round);
    put_every_second(ncid, var[SECOND], round);
    put_over_each_other(ncid, var[OVER], round);
    put_slab(ncid, var[DOUBLES], round, NULL);
}

/* Values that fit no int on the last rank alone: it alone is told, and all others are there. */
static void put_out_of_range(int ncid, int var)
{
    size_t from, to, start[2] = {0, 0}, count[2] = {0, NX};
    double *rows = malloc(sizeof *rows * NY * NX);
    int rc;

    rows_of(rank, &from, &to);
    start[0] = from;
    count[0] = to - from;
    for (size_t i = 0; i < count[0] * NX; i++)
        rows[i] = value(2, from + i / NX, i % NX);
    if (rank == size - 1)
        rows[5] = 1e300;
    rc = nc_put_vara_double(ncid, var, start, count, rows);
    wrong += rc != (rank == size - 1 ? NC_ERANGE : NC_NOERR);
    free(rows);
}

/* A disk that refuses the last rank's writes: rank 0 writes for it. */
static void put_refused(int ncid, int var)
{
    refused = size > 1 && rank == size - 1;
    put_slab(ncid, var, 2, NULL);
    refused = 0;
}

int main(int argc, char **argv)
{
    int ncid, var[MOST], mode, all, old;
    size_t before, direct;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3)
        return 2;
    mode = strcmp(argv[2], "cdf5") == 0      ? NC_64BIT_DATA
           : strcmp(argv[2], "cdf2") == 0    ? NC_64BIT_OFFSET
           : strcmp(argv[2], "netcdf4") == 0 ? NC_NETCDF4
                                             : 0;
    nvars = mode == NC_NETCDF4 ? RECORDS : MOST;
    CHECK(nc_create_par(argv[1], mode | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    define(ncid, mode != NC_NETCDF4, var);
    put_few(ncid, var[FEW]);
    before = written;
    put_all(ncid, var, 0);
    direct = written - before;
    for (size_t t = 0; t < STEPS && nvars == MOST; t++) {
        put_slab(ncid, var[RECORDS], (int)t, &t);
        put_shorts(ncid, var[SHORTS], t);
    }
    check_all(ncid, var, 0); /* while it is written */
    CHECK(nc_sync(ncid));
    put_all(ncid, var, 1); /* over what was acknowledged */
    check_all(ncid, var, 1);
    CHECK(nc_close(ncid));

    CHECK(nc_open_par(argv[1], NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_set_fill(ncid, NC_NOFILL, &old));
    for (int v = 0; v < nvars; v++)
        CHECK(nc_var_par_access(ncid, var[v], NC_COLLECTIVE));
    put_all(ncid, var, 2);
    put_out_of_range(ncid, var[SECOND]);
    put_refused(ncid, var[SECOND]);
    CHECK(nc_close(ncid));

    CHECK(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    check_all(ncid, var, 2);
    CHECK(nc_close(ncid));
    if (size > 1 && rank > 0 && direct < sizeof(int) * NY * NX / (size_t)size) {
        fprintf(stderr, "rank %d wrote %zu bytes by itself\n", rank, direct);
        wrong++;
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("values %s: %d ranks, %d wrong\n", argv[2], size, all);
    MPI_Finalize();
    return all != 0;
}
