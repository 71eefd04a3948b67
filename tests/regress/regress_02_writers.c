/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers in several containers and plain ones, on disjoint chunks of one store, and of its
 * shards: every put that said 0 is there, whatever the others do. A container is a PID
 * namespace, in which all writers have the same process id; where none may be made the test says so, and getpid()
 * gives them the same one. Each writer opens the store anew again and again, which is when it looks for what dead
 * writers left. Argument: puts per writer (60). */
#include "common/scratch.h"
#include <cellar.h>
#include <netcdf.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { WRITERS = 6, CONTAINERS = 4, WIDTH = 2000, PUTS_PER_OPEN = 10 };

static bool has_namespaces;
static bool same_pid; /* set in a writer where there are no namespaces */

/* Seen by the library, too. */
__attribute__((visibility("default"))) pid_t getpid(void)
{
    return same_pid ? 1 : (pid_t)syscall(SYS_getpid);
}

static int value_at(int row, int i)
{
    return row * 10000 + i;
}

static void create(const char *url, int rows, bool shards)
{
    size_t chunk[] = {1, WIDTH}, shard[] = {WRITERS, WIDTH};
    int nc, dim[2], v;

    MUST(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &nc) == NC_NOERR);
    MUST(nc_def_dim(nc, "y", (size_t)rows, &dim[0]) == NC_NOERR && nc_def_dim(nc, "x", WIDTH, &dim[1]) == NC_NOERR);
    MUST(nc_def_var(nc, "v", NC_INT, 2, dim, &v) == NC_NOERR);
    MUST(nc_def_var_chunking(nc, v, NC_CHUNKED, chunk) == NC_NOERR);
    if (shards)
        MUST(cellar_def_var_shards(nc, v, shard) == NC_NOERR);
    MUST(nc_close(nc) == NC_NOERR);
}

static int check_row(int nc, int v, int row)
{
    static int got[WIDTH];
    int rc = nc_get_vara_int(nc, v, (size_t[]){(size_t)row, 0}, (size_t[]){1, WIDTH}, got);

    if (rc != NC_NOERR) {
        fprintf(stderr, "row %d: put said 0, reading says: %s\n", row, cellar_error());
        return 1;
    }
    for (int i = 0; i < WIDTH; i++)
        if (got[i] != value_at(row, i)) {
            fprintf(stderr, "row %d: put said 0, value %d is %d and should be %d\n", row, i, got[i], value_at(row, i));
            return 1;
        }
    return 0;
}

static int put_row(int nc, int v, int row)
{
    static int data[WIDTH];

    for (int i = 0; i < WIDTH; i++)
        data[i] = value_at(row, i);
    if (nc_put_vara_int(nc, v, (size_t[]){(size_t)row, 0}, (size_t[]){1, WIDTH}, data) == NC_NOERR)
        return 0;
    fprintf(stderr, "row %d: put: %s\n", row, cellar_error());
    return 1;
}

/* Writer k has every WRITERS-th row, so that all of them have a chunk in each shard. */
static int write_some(const char *url, int k, int from, int to)
{
    int nc, v, bad = 0;

    if (nc_open(url, NC_WRITE, &nc) != NC_NOERR || nc_inq_varid(nc, "v", &v) != NC_NOERR) {
        fprintf(stderr, "writer %d: open: %s\n", k, cellar_error());
        return 1;
    }
    bad += nc_put_att_text(nc, NC_GLOBAL, "title", 4, "same") != NC_NOERR; /* a document all of them write */
    for (int i = from; i < to; i++)
        bad += put_row(nc, v, i * WRITERS + k);
    if (nc_close(nc) != NC_NOERR) {
        fprintf(stderr, "writer %d: close: %s\n", k, cellar_error());
        return 1;
    }
    if (nc_open(url, NC_NOWRITE, &nc) != NC_NOERR)
        return 1;
    for (int i = from; i < to; i++)
        bad += check_row(nc, v, i * WRITERS + k);
    nc_close(nc);
    return bad;
}

static int write_all(const char *url, int k, int puts)
{
    int bad = 0;

    for (int i = 0; i < puts; i += PUTS_PER_OPEN)
        bad += write_some(url, k, i, i + PUTS_PER_OPEN < puts ? i + PUTS_PER_OPEN : puts);
    return bad != 0;
}

static bool enter_namespace(void)
{
    return unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
}

static bool may_enter_namespace(void)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(!enter_namespace());
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* In a namespace of its own the writer is process 1. */
static int write_in_container(const char *url, int k, int puts)
{
    int status;
    pid_t child;

    if (!has_namespaces) {
        same_pid = true;
        return write_all(url, k, puts);
    }
    if (!enter_namespace())
        return 1;
    child = fork();
    if (child == 0)
        _exit(write_all(url, k, puts));
    return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status);
}

static void run_writers(const char *url, int puts)
{
    int status, failed = 0, nc, v, bad = 0;

    for (int k = 0; k < WRITERS; k++) {
        pid_t child = fork();
        MUST(child >= 0);
        if (child == 0)
            _exit(k < CONTAINERS ? write_in_container(url, k, puts) : write_all(url, k, puts));
    }
    for (int k = 0; k < WRITERS; k++)
        failed += wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status);
    MUST(failed == 0);
    MUST(nc_open(url, NC_NOWRITE, &nc) == NC_NOERR && nc_inq_varid(nc, "v", &v) == NC_NOERR);
    for (int row = 0; row < puts * WRITERS; row++)
        bad += check_row(nc, v, row);
    nc_close(nc);
    MUST(bad == 0);
}

int main(int argc, char **argv)
{
    int puts = argc > 1 ? atoi(argv[1]) : 60;

    setenv("CELLAR_NUM_THREADS", "1", 1);
    scratch_make();
    has_namespaces = may_enter_namespace();
    if (!has_namespaces)
        printf("NOT RUN: writers in PID namespaces, which may not be made here; equal process ids instead\n");
    for (int shards = 0; shards <= 1; shards++) {
        const char *url = shards ? scratch_url("shards.zarr", "zarr,v3") : scratch_url("chunks.zarr", "zarr,file");
        create(url, puts * WRITERS, shards);
        run_writers(url, puts);
        printf("%d writers of %d puts each, %d of them in PID namespaces, %s: every value right\n", WRITERS, puts,
               has_namespaces ? CONTAINERS : 0, shards ? "shards" : "chunks");
    }
    return 0;
}
