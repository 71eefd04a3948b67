/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks put and get alone what does not go by chunks: blocks, columns, every third element and single values, side by side in
 * the same variables, converted or not, while other ranks do the same. Each rank reads back what it put without any
 * collective call; after nc_sync all read all. Ranks other than 0 must have written themselves. What does go by chunks
 * waits, and more than is kept is refused. alone FILE MODE FILL (mode: netcdf4, cdf1, cdf2, cdf5, or chunks; fill: 0, 1) */
#include "check.h"
#include "counting.h"

enum { NREC = 3, NY = 48, NX = 300 };

static int wrong;

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "rank %d, line %d: not so: %s: %s\n", rank, __LINE__, #what, cellar_error()); \
            wrong++; \
        } \
    } while (0)

static int value(int round, size_t y, size_t x)
{
    return (int)((size_t)round * 1000003 + y * 5003 + x);
}

/* Elements that are this rank's: a box with strides in the last two dimensions. */
struct mine {
    size_t start[2], count[2];
    ptrdiff_t stride[2];
};

static struct mine rows(void)
{
    size_t from = (size_t)rank * NY / (size_t)size, to = (size_t)(rank + 1) * NY / (size_t)size;

    return (struct mine){{from, 0}, {to - from, NX}, {1, 1}};
}

static struct mine columns(void)
{
    size_t from = (size_t)rank * NX / (size_t)size, to = (size_t)(rank + 1) * NX / (size_t)size;

    return (struct mine){{0, from}, {NY, to - from}, {1, 1}};
}

static struct mine every_nth(void)
{
    return (struct mine){{0, (size_t)rank}, {NY, (NX - (size_t)rank + (size_t)size - 1) / (size_t)size}, {1, size}};
}

static void put_and_get(int ncid, int var, int round, const size_t *record, struct mine m)
{
    int d = record ? 1 : 0;
    size_t start[3] = {record ? *record : 0}, count[3] = {1}, n = m.count[0] * m.count[1], at = 0;
    ptrdiff_t stride[3] = {1};
    double *values = malloc((n + 1) * sizeof *values), *back = malloc((n + 1) * sizeof *back);

    memcpy(start + d, m.start, sizeof m.start);
    memcpy(count + d, m.count, sizeof m.count);
    memcpy(stride + d, m.stride, sizeof m.stride);
    for (size_t y = 0; y < m.count[0]; y++)
        for (size_t x = 0; x < m.count[1]; x++)
            values[at++] = value(round, m.start[0] + y, m.start[1] + x * (size_t)m.stride[1]);
    CHECK(nc_put_vars_double(ncid, var, start, count, stride, values));
    CHECK(nc_get_vars_double(ncid, var, start, count, stride, back));
    EXPECT(memcmp(values, back, n * sizeof *values) == 0);
    free(values);
    free(back);
}

static void check(int ncid, int var, int round, const size_t *record)
{
    size_t start[3] = {record ? *record : 0}, count[3] = {1};
    int d = record ? 1 : 0, *got = malloc(sizeof(int) * NY * NX), bad = 0;

    count[d] = NY, count[d + 1] = NX;
    CHECK(nc_get_vara_int(ncid, var, start, count, got));
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            bad += got[y * NX + x] != value(round, y, x);
    EXPECT(bad == 0);
    free(got);
}

enum { ROWS, COLUMNS, EVERY, SINGLE, DOUBLES, RECORDS, MOST };

static void define(int ncid, int nvars, int *var)
{
    static const char *const names[] = {"rows", "columns", "every", "single", "doubles", "records"};
    int dims[3];

    CHECK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[2]));
    for (int v = 0; v < nvars; v++) {
        int records = v == RECORDS;

        CHECK(nc_def_var(ncid, names[v], v == DOUBLES ? NC_DOUBLE : NC_INT, 2 + records, dims + !records, &var[v]));
        CHECK(nc_put_att_int(ncid, var[v], "_FillValue", v == DOUBLES ? NC_DOUBLE : NC_INT, 1, &(int){-7 - v}));
    }
    CHECK(nc_enddef(ncid));
}

/* Records grow together, and are then anybody's. */
static void grow(int ncid, int var)
{
    size_t start[3] = {NREC - 1}, count[3] = {rank == 0, 1, 1};

    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    CHECK(nc_put_vara_int(ncid, var, start, count, &(int){1}));
    CHECK(nc_var_par_access(ncid, var, NC_INDEPENDENT));
}

static void put_all(int ncid, const int *var, int nvars, int round)
{
    put_and_get(ncid, var[ROWS], round, NULL, rows());
    put_and_get(ncid, var[COLUMNS], round, NULL, columns());
    put_and_get(ncid, var[EVERY], round, NULL, every_nth());
    put_and_get(ncid, var[DOUBLES], round, NULL, columns());
    for (size_t y = (size_t)rank; y < NY; y += (size_t)size)
        for (size_t x = 0; x < NX; x += 97)
            put_and_get(ncid, var[SINGLE], round, NULL, (struct mine){{y, x}, {1, 1}, {1, 1}});
    for (size_t t = 0; nvars == MOST && t < NREC; t++)
        put_and_get(ncid, var[RECORDS], round + (int)t, &t, columns());
}

static void check_single(int ncid, int var, int round, int filled)
{
    int *got = malloc(sizeof(int) * NY * NX), bad = 0;

    CHECK(nc_get_var_int(ncid, var, got));
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            if (x % 97 == 0)
                bad += got[y * NX + x] != value(round, y, x);
            else if (filled)
                bad += got[y * NX + x] != -7 - SINGLE;
    EXPECT(bad == 0);
    free(got);
}

static void check_all(int ncid, const int *var, int nvars, int round, int filled)
{
    for (int v = ROWS; v <= EVERY; v++)
        check(ncid, var[v], round, NULL);
    check(ncid, var[DOUBLES], round, NULL);
    check_single(ncid, var[SINGLE], round, filled);
    for (size_t t = 0; nvars == MOST && t < NREC; t++)
        check(ncid, var[RECORDS], round + (int)t, &t);
}

static void share(const char *path, int mode, int filled)
{
    int ncid, var[MOST], old, nvars = mode == NC_NETCDF4 ? RECORDS : MOST;
    size_t before;

    CHECK(nc_create_par(path, mode | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_set_fill(ncid, filled ? NC_FILL : NC_NOFILL, &old));
    define(ncid, nvars, var);
    if (nvars == MOST)
        grow(ncid, var[RECORDS]);
    before = written;
    put_all(ncid, var, nvars, 1);
    EXPECT(rank == 0 || size == 1 || written - before >= 3 * sizeof(int) * NY * NX / (size_t)size);
    CHECK(nc_sync(ncid));
    check_all(ncid, var, nvars, 1, filled);
    MPI_Barrier(MPI_COMM_WORLD);
    put_all(ncid, var, nvars, 2);
    if (rank == size - 1) { /* a disk that refuses: rank 0 puts it when all meet */
        refused = 1;
        CHECK(nc_put_var1_int(ncid, var[SINGLE], (size_t[]){1, 97}, &(int){-1}));
        refused = 0;
        CHECK(nc_put_var1_int(ncid, var[SINGLE], (size_t[]){1, 97}, &(int){value(2, 1, 97)}));
    }
    CHECK(nc_redef(ncid));
    CHECK(nc_put_att_text(ncid, NC_GLOBAL, "history", 2000, (char[2000]){"moves what follows in a classic file"}));
    CHECK(nc_enddef(ncid));
    check_all(ncid, var, nvars, 2, filled);
    MPI_Barrier(MPI_COMM_WORLD);
    put_all(ncid, var, nvars, 3);
    CHECK(nc_close(ncid));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(nc_open(path, NC_NOWRITE, &ncid));
    check_all(ncid, var, nvars, 3, filled);
    CHECK(nc_close(ncid));
}

/* Chunks: what a rank other than 0 puts alone is kept, up to a limit. */
static void wait_and_refuse(const char *path)
{
    enum { MB = 1 << 18 };
    int ncid, dims[2], var, rc = NC_NOERR, *row = malloc(sizeof(int) * 16 * MB), n = 0;
    size_t chunks[2] = {1, 16 * MB}, count[2] = {1, 16 * MB};

    CHECK(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_def_dim(ncid, "y", 18, &dims[0]));
    CHECK(nc_def_dim(ncid, "x", 16 * MB, &dims[1]));
    CHECK(nc_def_var(ncid, "v", NC_INT, 2, dims, &var));
    CHECK(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunks));
    CHECK(nc_enddef(ncid));
    for (; rank == 1 && rc == NC_NOERR && n < 18; n += rc == NC_NOERR) {
        for (int i = 0; i < 16 * MB; i++)
            row[i] = n;
        rc = nc_put_vara_int(ncid, var, (size_t[]){(size_t)n, 0}, count, row);
    }
    EXPECT(rank != 1 || (n == 16 && rc == NC_ENOMEM && strstr(cellar_error(), "call nc_sync on all ranks")));
    CHECK(nc_sync(ncid));
    if (rank == 1)
        CHECK(nc_put_vara_int(ncid, var, (size_t[]){16, 0}, count, row));
    CHECK(nc_sync(ncid));
    for (size_t y = 0; y < 17; y++) {
        int got;

        CHECK(nc_get_var1_int(ncid, var, (size_t[]){y, 16 * MB - 1}, &got));
        EXPECT(size == 1 || got == (int)y);
    }
    CHECK(nc_close(ncid));
    free(row);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        return 2;
    if (strcmp(argv[2], "chunks") == 0)
        wait_and_refuse(argv[1]);
    else
        share(argv[1],
              strcmp(argv[2], "cdf5") == 0      ? NC_64BIT_DATA
              : strcmp(argv[2], "cdf2") == 0    ? NC_64BIT_OFFSET
              : strcmp(argv[2], "netcdf4") == 0 ? NC_NETCDF4
                                                : 0,
              atoi(argv[3]));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("alone %s, fill %s: %d ranks, %d wrong\n", argv[2], argv[3], size, all);
    MPI_Finalize();
    return all != 0;
}
