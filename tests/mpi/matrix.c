/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank errs in one step of a session: all ranks have an error from the same collective call, or what was asked for is
 * done all the same (rank 0 writes what another rank's disk refused); nobody waits, and what a sync acknowledged stays
 * readable. matrix FILE FORMAT RUNS FIRST: runs numbered from FIRST; each number means one step, fault and rank. */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <cellar.h>
#include "patience.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NY = 64, CHUNK = 4 };

enum fault { FAULT_EIO, FAULT_ENOSPC, FAULT_INDEX, FAULT_SHAPE, NFAULTS };
static const char *const fault_names[] = {"EIO", "ENOSPC", "a wrong index", "another shape"};

static int rank, size, bad;
static int nrefused;   /* writes that were refused so far */
static int disk_fault; /* errno that this rank's writes to files have now; 0: none */

/* --- a disk that refuses: MPI itself writes to no file at an offset ---------------------------- */

#define REFUSING(type, name, parameters, arguments) \
    __attribute__((visibility("default"))) type name parameters \
    { \
        static type(*real) parameters; \
\
        if (!real) \
            *(void **)&real = dlsym(RTLD_NEXT, #name); \
        if (!disk_fault) \
            return real arguments; \
        nrefused++; \
        errno = disk_fault; \
        return -1; \
    }
REFUSING(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at))
REFUSING(ssize_t, pwrite64, (int fd, const void *bytes, size_t n, off64_t at), (fd, bytes, n, at))
REFUSING(ssize_t, pwritev, (int fd, const struct iovec *part, int n, off_t at), (fd, part, n, at))
REFUSING(ssize_t, pwritev64, (int fd, const struct iovec *part, int n, off64_t at), (fd, part, n, at))
REFUSING(int, ftruncate, (int fd, off_t n), (fd, n))
REFUSING(int, ftruncate64, (int fd, off64_t n), (fd, n))

/* --- steps ------------------------------------------------------------------------------------------ */

struct session {
    const char *path;
    int mode;
    int ncid, dim[2], var;
    int err; /* the fault of this rank in this step; NFAULTS: none */
};

static int create(struct session *s)
{
    const char *path = s->err == FAULT_INDEX ? "/nowhere/at/all.nc" : s->path;

    return nc_create_par(path, s->mode | NC_CLOBBER | (s->err == FAULT_SHAPE ? NC_NOCLOBBER : 0), MPI_COMM_WORLD,
                         MPI_INFO_NULL, &s->ncid);
}

static int def_dim(struct session *s)
{
    int rc = nc_def_dim(s->ncid, "time", NC_UNLIMITED, &s->dim[0]);

    return rc ? rc
              : nc_def_dim(s->err == FAULT_INDEX ? -1 : s->ncid, "y", s->err == FAULT_SHAPE ? NY + 1 : NY, &s->dim[1]);
}

static int def_var(struct session *s)
{
    int dims[2] = {s->dim[0], s->err == FAULT_INDEX ? 77 : s->dim[1]};
    size_t chunks[2] = {1, CHUNK};
    int rc = nc_def_var(s->ncid, "v", s->err == FAULT_SHAPE ? NC_DOUBLE : NC_INT, 2, dims, &s->var);

    if (!rc && s->mode & NC_NETCDF4)
        rc = nc_def_var_chunking(s->ncid, s->var, NC_CHUNKED, chunks);
    return !rc && s->mode & NC_NETCDF4 ? nc_def_var_deflate(s->ncid, s->var, 1, 1, 1) : rc;
}

static int enddef(struct session *s)
{
    return s->err == FAULT_SHAPE ? nc_sync(s->ncid) : nc_enddef(s->err == FAULT_INDEX ? -1 : s->ncid);
}

static int access_together(struct session *s)
{
    return nc_var_par_access(s->ncid, s->err == FAULT_INDEX ? 9 : s->var,
                             s->err == FAULT_SHAPE ? NC_INDEPENDENT : NC_COLLECTIVE);
}

static int put_record(struct session *s, size_t record)
{
    int values[NY];
    size_t from = (size_t)rank * (NY / CHUNK) / (size_t)size * CHUNK;
    size_t to = (size_t)(rank + 1) * (NY / CHUNK) / (size_t)size * CHUNK;
    size_t start[2] = {record, s->err == FAULT_INDEX ? NY + 5 : from};
    size_t count[2] = {1, s->err == FAULT_SHAPE ? NY + 1 : to - from};

    for (size_t y = from; y < to; y++)
        values[y - from] = (int)(record * 1000 + y);
    return nc_put_vara_int(s->ncid, s->var, start, count, values);
}

static int put(struct session *s)
{
    return put_record(s, 0);
}

static int extend(struct session *s)
{
    return put_record(s, 1);
}

static int get(struct session *s)
{
    int values[NY + 1];
    size_t start[2] = {0, 0}, count[2] = {1, s->err == FAULT_SHAPE ? NY + 1 : NY};
    int rc = nc_get_vara_int(s->ncid, s->err == FAULT_INDEX ? 9 : s->var, start, count, values);

    for (int y = 0; !rc && y < NY; y++)
        bad |= values[y] != y;
    return rc;
}

static int synchronise(struct session *s)
{
    return s->err == FAULT_SHAPE ? put(s) : nc_sync(s->err == FAULT_INDEX ? -1 : s->ncid);
}

static int end(struct session *s)
{
    int rc = s->err == FAULT_SHAPE ? nc_sync(s->ncid) : nc_close(s->err == FAULT_INDEX ? -1 : s->ncid);

    if (s->err != FAULT_SHAPE && s->err != FAULT_INDEX)
        s->ncid = -1;
    return rc;
}

static const struct step {
    const char *name;
    int (*run)(struct session *s);
    int alone; /* its failure may be one rank's, until ranks meet */
} steps[] = {
    {"create", create, 0},
    {"def_dim", def_dim, 1},
    {"def_var", def_var, 1},
    {"enddef", enddef, 0},
    {"access", access_together, 0},
    {"put", put, 0},
    {"sync", synchronise, 0},
    {"extend", extend, 0},
    {"get", get, 0},
    {"sync again", synchronise, 0},
    {"close", end, 0},
};
#define NSTEPS ((int)(sizeof steps / sizeof *steps))
enum { FIRST_SYNC = 6 };

/* --- a run ---------------------------------------------------------------------------------------------- */

static char what[200];

static int all_or(int value)
{
    int all;

    MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void complain(const char *why)
{
    fprintf(stderr, "%s: rank %d: %s: %s\n", what, rank, why, cellar_error());
    bad = 1;
}

/* A rank that is refused alone gives the dataset up, so that the others are not left in their call. */
static int run_step(struct session *s, const struct step *step, int err)
{
    int rc, alone;

    s->err = err;
    disk_fault = err == FAULT_EIO ? EIO : err == FAULT_ENOSPC ? ENOSPC : 0;
    patience_begin(what);
    rc = step->run(s);
    if (patience_end())
        complain("it had to wait longer than 10 s");
    patience_begin(what); /* for the others */
    alone = rc == NC_EBADID && !step->alone;
    if (alone) {
        disk_fault = 0;
        nc_abort(s->ncid);
        s->ncid = -1;
    }
    disk_fault = 0;
    if (all_or(rc != NC_NOERR) && rc == NC_NOERR && !step->alone)
        complain("it has no error where another rank has one");
    rc = all_or(rc != NC_NOERR);
    patience_end();
    return rc;
}

static void check_acknowledged(const char *path)
{
    int ncid, var, values[NY], rc = nc_open(path, NC_NOWRITE, &ncid);
    size_t start[2] = {0, 0}, count[2] = {1, NY};

    if (rc == NC_NOERR)
        rc = nc_inq_varid(ncid, "v", &var);
    if (rc == NC_NOERR)
        rc = nc_get_vara_int(ncid, var, start, count, values);
    for (int y = 0; rc == NC_NOERR && y < NY; y++)
        if (values[y] != y)
            rc = NC_EIO;
    if (rc != NC_NOERR)
        complain("what a sync acknowledged cannot be read");
    else
        nc_close(ncid);
}

static void run(const char *path, int mode, int number)
{
    int at = number % NSTEPS, fault = number / NSTEPS % NFAULTS, who = number / NSTEPS / NFAULTS % size;
    struct session s = {.path = path, .mode = mode, .ncid = -1};
    int failed = 0, failed_alone = 0, synced = 0;

    snprintf(what, sizeof what, "run %d: rank %d of %d, %s in %s", number, who, size, fault_names[fault],
             steps[at].name);
    for (int i = 0; i < NSTEPS && !failed; i++) {
        failed = run_step(&s, &steps[i], i == at && rank == who ? fault : NFAULTS);
        if (failed && steps[i].alone) {
            failed_alone = 1;
            failed = 0;
        } else if (!failed && failed_alone && !steps[i].alone) {
            complain("ranks that disagree have no error from nc_enddef");
        }
        synced |= !failed && i == FIRST_SYNC;
    }
    if (!failed && !failed_alone && fault >= FAULT_INDEX)
        complain("nothing failed");
    patience_begin(what);
    if (s.ncid >= 0)
        nc_abort(s.ncid);
    MPI_Barrier(MPI_COMM_WORLD);
    if (synced && rank == 0)
        check_acknowledged(path);
    MPI_Barrier(MPI_COMM_WORLD);
    patience_end();
}

int main(int argc, char **argv)
{
    double slowest;
    int mode;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 5)
        return 2;
    mode = strncmp(argv[2], "cdf", 3) == 0 ? 0 : NC_NETCDF4;
    for (int i = 0; i < atoi(argv[3]); i++)
        run(argv[1], mode, atoi(argv[4]) + i);
    bad = all_or(bad);
    if (!all_or(nrefused) && atoi(argv[3]) >= NSTEPS * NFAULTS) {
        bad = 1;
        if (rank == 0)
            fprintf(stderr, "matrix %s: no write was refused: the library's calls do not come here\n", argv[2]);
    }
    slowest = patience_worst();
    if (rank == 0)
        printf("matrix %s: %d ranks, %s runs, the slowest call %.2f s: %s\n", argv[2], size, argv[3], slowest,
               bad ? "FAILED" : "passed");
    MPI_Finalize();
    return bad;
}
