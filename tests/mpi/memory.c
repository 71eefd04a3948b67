/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank gets no memory, in each request for it of each step in turn: all ranks have an error from the same collective
 * call, or what was asked for is done all the same; nobody waits. What all calls said was done is then in the file.
 * memory FOLDER EVERY: of the requests every EVERYth, or
 * memory FOLDER EVERY STEP NTH RANK: that one. */
#include "check.h"
#include "mem.h"
#include "patience.h"
#include <unistd.h>

enum { NY = 30, NX = 40, CY = 8, CX = 10, NREC = 2 };

static int bad;
static char what[200];

struct session {
    char path[4096];
    int ncid, fields, other, plain;
    int values[NREC * NY * NX];
};

static int value(size_t t, size_t y, size_t x)
{
    return (int)(t * 10007 + y * 101 + x);
}

static int make(struct session *s)
{
    int dims[3], rc = nc_create_par(s->path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &s->ncid);
    size_t chunks[3] = {1, CY, CX};

    if (rc)
        return rc;
    CHECK(nc_def_dim(s->ncid, "time", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(s->ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(s->ncid, "x", NX, &dims[2]));
    CHECK(nc_def_var(s->ncid, "fields", NC_INT, 3, dims, &s->fields));
    CHECK(nc_def_var_chunking(s->ncid, s->fields, NC_CHUNKED, chunks));
    CHECK(nc_def_var_deflate(s->ncid, s->fields, 1, 1, 1));
    CHECK(nc_def_var(s->ncid, "other", NC_INT, 3, dims, &s->other));
    CHECK(nc_def_var_chunking(s->ncid, s->other, NC_CHUNKED, chunks));
    CHECK(nc_def_var(s->ncid, "plain", NC_INT, 2, dims + 1, &s->plain));
    return NC_NOERR;
}

static int end_definitions(struct session *s)
{
    return nc_enddef(s->ncid);
}

static int make_collective(struct session *s)
{
    return nc_var_par_access(s->ncid, s->other, NC_COLLECTIVE);
}

/* Rows of this rank, cut through chunks; more of them than its own where `over` says so. */
static int put(struct session *s, int var, size_t t, size_t over)
{
    size_t from = (size_t)rank * NY / (size_t)size, to = (size_t)(rank + 1) * NY / (size_t)size + over, at = 0;
    size_t start[3] = {t, from, 0}, count[3] = {1, (to < NY ? to : NY) - from, NX};

    for (size_t y = from; y < from + count[1]; y++)
        for (size_t x = 0; x < NX; x++)
            s->values[at++] = value(t, y, x);
    return nc_put_vara_int(s->ncid, var, start, count, s->values);
}

static int put_parts(struct session *s)
{
    return put(s, s->fields, 0, 0);
}

static int put_overlapping(struct session *s)
{
    return put(s, s->fields, 1, 2);
}

static int put_raw(struct session *s)
{
    int rc = put(s, s->other, 0, 0);

    return rc ? rc : put(s, s->other, 1, 0);
}

static int check_values(struct session *s, int var)
{
    size_t at = 0;
    int rc = nc_get_var_int(s->ncid, var, s->values);

    for (size_t t = 0; !rc && t < NREC; t++)
        for (size_t y = 0; y < NY; y++)
            for (size_t x = 0; x < NX; x++)
                if (s->values[at++] != value(t, y, x) && !bad) {
                    fprintf(stderr, "%s: rank %d has wrong values\n", what, rank);
                    bad = 1;
                }
    return rc;
}

static int get_both(struct session *s)
{
    int rc = check_values(s, s->fields);

    return rc ? rc : check_values(s, s->other);
}

static int get_fields(struct session *s)
{
    return check_values(s, s->fields);
}

static int close_it(struct session *s)
{
    int rc = nc_close(s->ncid);

    s->ncid = -1;
    return rc;
}

static int open_again(struct session *s)
{
    return nc_open_par(s->path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &s->ncid);
}

static int make_fields_alone(struct session *s)
{
    return nc_var_par_access(s->ncid, s->fields, CELLAR_WHOLE_CHUNKS);
}

/* Chunks of a row of them, if it is this rank's; an error here is this rank's alone. */
static int put_chunks(struct session *s)
{
    for (size_t i = 0; i * CY < NY; i++) {
        size_t start[3] = {0, i * CY, 0}, count[3] = {1, (i + 1) * CY < NY ? CY : NY - i * CY, NX}, at = 0;
        int rc;

        if ((int)i % size != rank)
            continue;
        for (size_t y = 0; y < count[1]; y++)
            for (size_t x = 0; x < NX; x++)
                s->values[at++] = value(0, start[1] + y, x);
        rc = nc_put_vara_int(s->ncid, s->fields, start, count, s->values);
        if (rc)
            return rc;
    }
    return NC_NOERR;
}

static int synchronise(struct session *s)
{
    return nc_sync(s->ncid);
}

static int make_fields_collective(struct session *s)
{
    return nc_var_par_access(s->ncid, s->fields, NC_COLLECTIVE);
}

static const struct {
    const char *name;
    int (*run)(struct session *s);
    int counts; /* its requests fail */
    int alone;  /* one rank's failure is its own */
} steps[] = {
    {"create", make, 0, 0},
    {"enddef", end_definitions, 1, 0},
    {"access", make_collective, 1, 0},
    {"put of parts", put_parts, 1, 0},
    {"put that overlaps", put_overlapping, 1, 0},
    {"put without filters", put_raw, 1, 0},
    {"get while written", get_both, 1, 0},
    {"sync", synchronise, 1, 0},
    {"access alone", make_fields_alone, 1, 0},
    {"put alone", put_chunks, 1, 1},
    {"sync of these", synchronise, 1, 0},
    {"close", close_it, 1, 0},
    {"open", open_again, 1, 0},
    {"access to read", make_fields_collective, 1, 0},
    {"get", get_fields, 1, 0},
    {"close after reading", close_it, 1, 0},
};
#define NSTEPS (sizeof steps / sizeof *steps)

static int most(int value)
{
    int all;

    MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* false: the request that was to fail did not come. */
static int run(const char *folder, size_t at, int nth, int who)
{
    static struct session s;
    int failed = 0, came = 0;

    s.ncid = -1;
    snprintf(s.path, sizeof s.path, "%s/memory-%d.nc", folder, size);
    snprintf(what, sizeof what, "request %d of rank %d of %d in %s", nth, who, size, steps[at].name);
    patience_begin(what);
    for (size_t i = 0; i < NSTEPS && !failed; i++) {
        int rc;

        if (i == at && rank == who)
            cel_mem_fail_at(nth);
        rc = steps[i].run(&s);
        if (i == at && rank == who)
            came = cel_mem_fail_at(0) <= 0;
        failed = most(rc != NC_NOERR);
        if (failed && rc == NC_NOERR && !steps[i].alone) {
            fprintf(stderr, "%s: rank %d has no error from %s, where another rank has one\n", what, rank,
                    steps[i].name);
            bad = 1;
        }
        if (failed && i < at) {
            fprintf(stderr, "%s: rank %d: %s failed before: %s\n", what, rank, steps[i].name, cellar_error());
            bad = 1;
        }
    }
    if (s.ncid >= 0)
        nc_close(s.ncid);
    bad |= patience_end();
    return most(came);
}

int main(int argc, char **argv)
{
    double slowest;
    int n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3)
        return 2;
    for (size_t i = 0; argc > 5 && i < NSTEPS; i++) /* one alone */
        if (strcmp(steps[i].name, argv[3]) == 0)
            run(argv[1], i, atoi(argv[4]), atoi(argv[5]));
    for (size_t i = 0; argc < 6 && i < NSTEPS; i++)
        for (int who = 0; who < size && steps[i].counts; who += size > 1 ? size - 1 : 1)
            for (int nth = 1; run(argv[1], i, nth, who); nth += atoi(argv[2]))
                n++;
    bad = most(bad);
    slowest = patience_worst();
    if (rank == 0)
        printf("memory: %d ranks, %d requests failed, the slowest session %.2f s: %s\n", size, n, slowest,
               bad ? "FAILED" : "passed");
    MPI_Finalize();
    return bad;
}
