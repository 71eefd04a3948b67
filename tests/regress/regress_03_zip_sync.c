/* SPDX-License-Identifier: BSD-3-Clause */
/* A zip archive is complete after each nc_sync: a writer that is killed loses nothing of what it had
 * acknowledged, and a close that fails leaves the archive of the last sync and says where the rest lies. */
#include "common/random.h"
#include "common/scratch.h"
#include <cellar.h>
#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { WIDTH = 5000, KILLS = 15, RECORDS_MAX = 400 };

static void define(const char *url, int *nc, int *v)
{
    size_t chunk[] = {1, WIDTH};
    int dim[2];

    MUST(nc_create(url, NC_NETCDF4 | NC_CLOBBER, nc) == NC_NOERR);
    MUST(nc_def_dim(*nc, "t", NC_UNLIMITED, &dim[0]) == NC_NOERR && nc_def_dim(*nc, "x", WIDTH, &dim[1]) == NC_NOERR);
    MUST(nc_def_var(*nc, "v", NC_INT, 2, dim, v) == NC_NOERR &&
         nc_def_var_chunking(*nc, *v, NC_CHUNKED, chunk) == NC_NOERR);
}

static int put_record(int nc, int v, int t)
{
    static int data[WIDTH];

    for (int i = 0; i < WIDTH; i++)
        data[i] = t * 100000 + i;
    return nc_put_vara_int(nc, v, (size_t[]){(size_t)t, 0}, (size_t[]){1, WIDTH}, data);
}

static void check_records(const char *path, int n)
{
    static int got[WIDTH];
    int nc, v;

    if (nc_open(path, NC_NOWRITE, &nc) != NC_NOERR)
        fprintf(stderr, "%s\n", cellar_error());
    MUST(nc_open(path, NC_NOWRITE, &nc) == NC_NOERR && nc_inq_varid(nc, "v", &v) == NC_NOERR);
    for (int t = 0; t < n; t++) {
        MUST(nc_get_vara_int(nc, v, (size_t[]){(size_t)t, 0}, (size_t[]){1, WIDTH}, got) == NC_NOERR);
        for (int i = 0; i < WIDTH; i++)
            MUST(got[i] == t * 100000 + i);
    }
    nc_close(nc);
}

/* Acknowledges each record once it is synchronised. */
static void write_forever(const char *url, int acknowledge)
{
    int nc, v;

    define(url, &nc, &v);
    for (int t = 0; t < RECORDS_MAX; t++) {
        if (put_record(nc, v, t) != NC_NOERR || nc_sync(nc) != NC_NOERR)
            _exit(1);
        if (write(acknowledge, "", 1) != 1)
            _exit(1);
    }
    pause();
}

static void kill_writer(int round, uint64_t *dice)
{
    int ends[2], records = 0, wanted = 1 + (int)(random_step(dice) % 12);
    char c;
    pid_t child;

    MUST(pipe(ends) == 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        write_forever(scratch_url("killed.zip", "zarr,zip"), ends[1]);
    }
    close(ends[1]);
    while (records < wanted && read(ends[0], &c, 1) == 1)
        records++;
    usleep((useconds_t)(random_step(dice) % 4000));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    while (read(ends[0], &c, 1) == 1)
        records++;
    close(ends[0]);
    MUST(records >= wanted);
    check_records(scratch("killed.zip"), records);
    (void)round;
}

/* No file may grow beyond three records: the scratch file keeps the new one, the archive of four is too large. */
static void fail_to_close(void)
{
    struct rlimit few = {3 * WIDTH * sizeof(int), RLIM_INFINITY}, old;
    char said[2000], command[3000], *rest;
    int nc, v, rc;

    define(scratch_url("full.zip", "zarr,zip"), &nc, &v);
    for (int t = 0; t < 2; t++)
        MUST(put_record(nc, v, t) == NC_NOERR);
    MUST(nc_sync(nc) == NC_NOERR);
    for (int t = 2; t < 4; t++)
        MUST(put_record(nc, v, t) == NC_NOERR);
    signal(SIGXFSZ, SIG_IGN);
    MUST(getrlimit(RLIMIT_FSIZE, &old) == 0);
    few.rlim_max = old.rlim_max;
    MUST(setrlimit(RLIMIT_FSIZE, &few) == 0);
    MUST(nc_sync(nc) != NC_NOERR);
    rc = nc_close(nc);
    snprintf(said, sizeof said, "%s", cellar_error());
    MUST(setrlimit(RLIMIT_FSIZE, &old) == 0);
    MUST(rc != NC_NOERR);
    check_records(scratch("full.zip"), 2);
    rest = strstr(said, scratch("full.zip.rest-"));
    if (!rest)
        fprintf(stderr, "%s\n", said);
    MUST(rest);
    rest[strcspn(rest, ",")] = '\0';
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c \"import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; "
             "import array; a = array.array('i', z.read('v/3.0')); assert a[7] == 300007\" '%s'",
             rest);
    MUST(system(command) == 0);
    MUST(nc_open(scratch("full.zip"), NC_WRITE, &nc) == NC_NOERR && nc_close(nc) == NC_NOERR);
    MUST(access(rest, F_OK) == 0); /* the next writer leaves it alone */
}

static void same_file(const char *a, const char *b)
{
    char command[3000];

    snprintf(command, sizeof command, "cmp '%s' '%s'", a, b);
    MUST(system(command) == 0);
}

/* However often it was synchronised, and chunks written again: at close the bytes are the same. */
static void sync_often(void)
{
    int nc, v;

    for (int often = 0; often < 2; often++) {
        define(scratch_url(often ? "often.zip" : "once.zip", "zarr,zip"), &nc, &v);
        for (int t = 0; t < 30; t++) {
            MUST(put_record(nc, v, t) == NC_NOERR);
            MUST(!often || t % 3 || (put_record(nc, v, t / 2) == NC_NOERR && nc_sync(nc) == NC_NOERR));
        }
        if (often)
            check_records(scratch("often.zip"), 28);
        MUST(nc_close(nc) == NC_NOERR);
    }
    same_file(scratch("often.zip"), scratch("once.zip"));
    check_records(scratch("often.zip"), 30);
}

int main(void)
{
    uint64_t dice = RANDOM_SEED;

    scratch_make();
    for (int i = 0; i < KILLS; i++)
        kill_writer(i, &dice);
    fail_to_close();
    sync_often();
    return 0;
}
