/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank errs: every rank has an error from the same collective call, and nobody waits for ever. failures FILE */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <cellar.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static int rank, size, failed;

/* Every rank must be here, and each with an error whose text has these words. */
static void expect_failure(int line, int rc, const char *words)
{
    if (rc != NC_NOERR && (!words || strstr(cellar_error(), words)))
        return;
    fprintf(stderr, "rank %d, line %d: expected a failure with \"%s\", got %d: %s\n", rank, line, words ? words : "",
            rc, cellar_error());
    failed = 1;
}

static void expect_success(int line, int rc)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "rank %d, line %d: %d: %s\n", rank, line, rc, cellar_error());
    failed = 1;
}
#define FAILS(call, words) expect_failure(__LINE__, (call), (words))
#define WORKS(call) expect_success(__LINE__, (call))

static int last(void)
{
    return rank == size - 1;
}

static int create(const char *path)
{
    int ncid = -1;

    WORKS(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    return ncid;
}

static void other_arguments(const char *path)
{
    int ncid;

    FAILS(nc_create_par(last() ? "/nowhere/at/all.nc" : path, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid),
          "path");
    FAILS(nc_create_par("/nowhere/at/all.nc", NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid), NULL);
    FAILS(nc_open_par("/nowhere/at/all.nc", NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid), NULL);
}

static void other_definitions(const char *path)
{
    int ncid = create(path), dim, var;

    WORKS(nc_def_dim(ncid, "x", last() ? 11 : 10, &dim));
    FAILS(nc_enddef(ncid), "dimension x of length 11");
    WORKS(nc_abort(ncid));

    ncid = create(path);
    WORKS(nc_def_dim(ncid, "x", 10, &dim));
    WORKS(nc_def_var(ncid, "v", last() ? NC_INT : NC_FLOAT, 1, &dim, &var));
    FAILS(nc_enddef(ncid), "variable v of type int");
    WORKS(nc_abort(ncid));

    ncid = create(path);
    if (!last()) /* one rank's definition failed, so it has none */
        WORKS(nc_def_dim(ncid, "x", 10, &dim));
    FAILS(nc_close(ncid), "rank 0 has \"dimension x");
}

static void wrong_data(const char *path)
{
    int ncid = create(path), dim, v[2], one = 1;
    size_t start = (size_t)rank, count = 1;

    WORKS(nc_def_dim(ncid, "x", (size_t)size, &dim));
    WORKS(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v[0]));
    WORKS(nc_def_var(ncid, "w", NC_INT, 1, &dim, &v[1]));
    WORKS(nc_enddef(ncid));
    FAILS(nc_var_par_access(ncid, v[0], last() ? 7 : NC_COLLECTIVE), NULL);
    WORKS(nc_var_par_access(ncid, v[0], NC_COLLECTIVE));
    WORKS(nc_var_par_access(ncid, v[1], NC_COLLECTIVE));
    start = last() ? 1000 : start;
    FAILS(nc_put_vara_int(ncid, v[0], &start, &count, &one), NULL);
    FAILS(nc_get_vara_int(ncid, v[0], &start, &count, &one), NULL);
    start = (size_t)rank;
    FAILS(nc_put_vara_int(ncid, v[last()], &start, &count, &one), "different variables");
    FAILS(last() ? nc_sync(ncid) : nc_put_vara_int(ncid, v[0], &start, &count, &one), "different calls");
    WORKS(nc_put_vara_int(ncid, v[0], &start, &count, &one));
    one = 0;
    WORKS(nc_get_vara_int(ncid, v[0], &start, &count, &one));
    failed |= one != 1;
    WORKS(nc_close(ncid));
}

/* Rank 0 can write no more: all learn of it, in the put or at the latest when they close. */
static void full_disk(const char *path)
{
    static int values[100000];
    struct rlimit limit, before;
    int ncid = create(path), dim, var, rc, rc2;
    size_t start = (size_t)rank * 100000, count = 100000;

    WORKS(nc_def_dim(ncid, "x", (size_t)size * 100000, &dim));
    WORKS(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    WORKS(nc_def_var_chunking(ncid, var, NC_CHUNKED, &count));
    WORKS(nc_enddef(ncid));
    WORKS(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 100000;
    if (rank == 0)
        setrlimit(RLIMIT_FSIZE, &limit);
    rc = nc_put_vara_int(ncid, var, &start, &count, values);
    rc2 = nc_close(ncid);
    FAILS(rc != NC_NOERR ? rc : rc2, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2 || size < 2)
        return 2;
    for (int i = 0; i < 5; i++) {
        other_arguments(argv[1]);
        other_definitions(argv[1]);
        wrong_data(argv[1]);
        full_disk(argv[1]);
    }
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("failures: %d ranks: %s\n", size, all ? "FAILED" : "all had them");
    MPI_Finalize();
    return all;
}
