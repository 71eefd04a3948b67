/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI itself fails, or has ended: where the program has asked for codes (MPI_ERRORS_RETURN), every call of the library gives
 * an error and none waits. Each collective call of MPI that a session makes fails in turn, on all ranks. Then ranks see other
 * files at the same path, and at last the program forgets to close. broken FOLDER */
#include "check.h"
#include "patience.h"
#include <sys/stat.h>
#include <unistd.h>

enum { NX = 24, CX = 5 };

static int wrong;
static int until_failure; /* collective calls of MPI; 0: none fails */
static char what[200] = "broken";

#define EXPECT(is) \
    do { \
        if (!(is)) { \
            fprintf(stderr, "%s: rank %d, line %d: not so: %s: %s\n", what, rank, __LINE__, #is, cellar_error()); \
            wrong++; \
        } \
    } while (0)

static int must_fail(void)
{
    return until_failure && --until_failure == 0;
}

#define FAILING(name, parameters, arguments) \
    int name parameters \
    { \
        return must_fail() ? MPI_ERR_OTHER : P##name arguments; \
    }
FAILING(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *out), (comm, out))
FAILING(MPI_Iallreduce,
        (const void *mine, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
        (mine, all, n, type, op, comm, request))
FAILING(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
FAILING(MPI_Ibcast, (void *at, int n, MPI_Datatype type, int from, MPI_Comm comm, MPI_Request *request),
        (at, n, type, from, comm, request))
FAILING(MPI_Igather,
        (const void *mine, int n, MPI_Datatype type, void *all, int m, MPI_Datatype to, int root, MPI_Comm comm,
         MPI_Request *request),
        (mine, n, type, all, m, to, root, comm, request))
FAILING(MPI_Iscatter,
        (const void *all, int n, MPI_Datatype type, void *mine, int m, MPI_Datatype to, int root, MPI_Comm comm,
         MPI_Request *request),
        (all, n, type, mine, m, to, root, comm, request))

static int define(const char *path, int chunk, int *ncid, int *var)
{
    int dims[2], rc = nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, ncid);
    size_t chunks[2] = {1, (size_t)chunk};

    if (rc)
        return rc;
    CHECK(nc_def_dim(*ncid, "t", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(*ncid, "x", NX, &dims[1]));
    CHECK(nc_def_var(*ncid, "v", NC_INT, 2, dims, var));
    CHECK(nc_def_var_chunking(*ncid, *var, NC_CHUNKED, chunks));
    CHECK(nc_def_var_deflate(*ncid, *var, 1, 1, 1));
    return nc_enddef(*ncid);
}

static int put(int ncid, int var, size_t t)
{
    size_t from = (size_t)rank * NX / (size_t)size, to = (size_t)(rank + 1) * NX / (size_t)size;
    size_t start[2] = {t, from}, count[2] = {1, to - from};
    int values[NX];

    for (size_t x = from; x < to; x++)
        values[x - from] = (int)(t * 100 + x);
    return nc_put_vara_int(ncid, var, start, count, values);
}

static int get(int ncid, int var)
{
    int values[2][NX], rc = nc_get_var_int(ncid, var, &values[0][0]);

    for (int x = 0; !rc && x < NX; x++)
        EXPECT(values[0][x] == x && values[1][x] == 100 + x);
    return rc;
}

/* The errors of a session; after the first there is nothing but errors, and an end. */
static int count_errors(const char *path)
{
    int ncid = -1, var = 0, n = define(path, CX, &ncid, &var) != NC_NOERR;

    if (ncid >= 0) {
        n += n || put(ncid, var, 0) ? 1 : 0;
        n += put(ncid, var, 1) != NC_NOERR;
        n += get(ncid, var) != NC_NOERR;
        n += nc_sync(ncid) != NC_NOERR;
        n += nc_close(ncid) != NC_NOERR;
    }
    ncid = -1;
    if (!n && nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid))
        return 1;
    if (n || nc_var_par_access(ncid, var, NC_COLLECTIVE))
        n++;
    n += !n && get(ncid, var) ? 1 : 0;
    n += ncid >= 0 && nc_close(ncid) ? 1 : 0;
    return n;
}

static int fail_in_turn(const char *path)
{
    int n = 0, left;

    do {
        int errors;

        until_failure = ++n;
        snprintf(what, sizeof what, "collective call %d of MPI", n);
        patience_begin(what);
        errors = count_errors(path);
        EXPECT(!patience_end());
        left = until_failure;
        until_failure = 0;
        EXPECT(left || errors > 0);
        EXPECT(!left || errors == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    } while (!left);
    return n - 1;
}

/* As where a path is on each machine's own disk: that is found out before ranks wait for each other's chunks. */
static void read_other_files(void)
{
    char folder[50];
    int ncid, var, dims[2], value;

    snprintf(folder, sizeof folder, "own-%d", rank);
    mkdir(folder, 0700);
    if (chdir(folder) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    CHECK(nc_create("x.nc", NC_NETCDF4 | NC_CLOBBER, &ncid));
    CHECK(nc_def_dim(ncid, "t", 1, &dims[0]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[1]));
    CHECK(nc_def_var(ncid, "v", NC_INT, 2, dims, &var));
    CHECK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (size_t[]){1, CX + (size_t)(rank > 0)}));
    if (rank != 1)
        CHECK(nc_def_var_deflate(ncid, var, 1, 1, 1));
    CHECK(nc_put_var1_int(ncid, var, (size_t[]){0, 1}, &(int){7}));
    CHECK(nc_close(ncid));
    CHECK(nc_open_par("x.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    EXPECT(nc_var_par_access(ncid, var, NC_COLLECTIVE) == NC_EINVAL);
    EXPECT(strstr(cellar_error(), "all ranks must see the same file"));
    CHECK(nc_get_var1_int(ncid, var, (size_t[]){0, 1}, &value));
    EXPECT(value == 7); /* alone */
    CHECK(nc_close(ncid));
}

int main(int argc, char **argv)
{
    char path[4096];
    double slowest;
    int ncid, var, n, values[NX];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || size < 2)
        return 2;
    snprintf(path, sizeof path, "%s/broken.nc", argv[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = fail_in_turn(path);
    EXPECT(n > 30);
    snprintf(what, sizeof what, "other files");
    read_other_files();
    if (chdir("..") != 0)
        return 1;
    snprintf(what, sizeof what, "after MPI_Finalize");
    CHECK(define(path, CX, &ncid, &var));
    CHECK(put(ncid, var, 0));
    CHECK(nc_sync(ncid));
    CHECK(put(ncid, var, 1));
    slowest = patience_worst();
    MPI_Finalize();
    EXPECT(put(ncid, var, 2) == NC_EINVAL);
    EXPECT(strstr(cellar_error(), "call nc_close before MPI_Finalize"));
    EXPECT(nc_close(ncid) == NC_EINVAL);
    EXPECT(nc_close(ncid) == NC_EBADID);
    EXPECT(nc_create_par(path, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) == NC_EINVAL);
    if (rank == 0) {
        EXPECT(nc_open(path, NC_NOWRITE, &ncid) == NC_NOERR);
        EXPECT(nc_get_vara_int(ncid, var, (size_t[]){0, 0}, (size_t[]){1, NX}, values) == NC_NOERR);
        for (int x = 0; x < NX; x++)
            EXPECT(values[x] == x);
        nc_close(ncid);
        printf("broken: %d ranks, %d calls of MPI failed, the slowest session %.2f s: %s\n", size, n, slowest,
               wrong ? "FAILED" : "errors everywhere");
    }
    return wrong != 0;
}
