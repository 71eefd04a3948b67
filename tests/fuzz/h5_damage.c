/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged HDF5 files: each sample is truncated or gets bits flipped, and is opened and
 * read whole in a child process. Our code must not crash, hang or leak; when libhdf5
 * does, its function is named (docs/hdf5-crashes.md lists them).
 *   h5_damage ROUNDS FILE...   damage each file so many times; the same number, the same damages
 *   h5_damage show SEED FILE   write the damaged file to standard output */
#include "common/random.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <hdf5.h>
#include <netcdf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#define SECONDS 60        /* a read that takes longer hangs */
#define MOST_VALUES 65536 /* read of one variable: a damaged length may claim any number */
#define NAMES_MAX 64

/* --- reading all there is ------------------------------------------------------------------- */

static void read_att(int nc, int var, int i)
{
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n, size;
    void *data;

    if (nc_inq_attname(nc, var, i, name) || nc_inq_att(nc, var, name, &type, &n) || nc_inq_type(nc, type, NULL, &size))
        return;
    if (size && n > ((size_t)1 << 26) / size)
        return;
    data = calloc(n + 1, size + 1);
    if (data && nc_get_att(nc, var, name, data) == NC_NOERR)
        nc_reclaim_data(nc, type, data, n);
    free(data);
}

static void read_var(int nc, int var)
{
    int ndims, dims[NC_MAX_VAR_DIMS], natts, d;
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], n = 1, size;
    nc_type type;
    void *data;

    if (nc_inq_var(nc, var, NULL, &type, &ndims, dims, &natts) || nc_inq_type(nc, type, NULL, &size))
        return;
    for (d = 0; d < natts; d++)
        read_att(nc, var, d);
    for (d = 0; d < ndims; d++) {
        if (nc_inq_dimlen(nc, dims[d], &count[d]))
            return;
        if (count[d] > MOST_VALUES / n)
            count[d] = MOST_VALUES / n;
        n *= count[d];
    }
    if (size > 65536)
        return;
    data = calloc(n + 1, size + 1);
    if (data && nc_get_vara(nc, var, start, count, data) == NC_NOERR)
        nc_reclaim_data(nc, type, data, n);
    free(data);
}

static void read_group(int nc, int depth)
{
    int nvars = 0, natts = 0, ngroups = 0, ntypes = 0, *groups, i;

    if (depth > 20)
        return;
    nc_inq_natts(nc, &natts);
    nc_inq_typeids(nc, &ntypes, NULL);
    nc_inq_nvars(nc, &nvars);
    for (i = 0; i < natts; i++)
        read_att(nc, NC_GLOBAL, i);
    for (i = 0; i < nvars; i++)
        read_var(nc, i);
    if (nc_inq_grps(nc, &ngroups, NULL) || ngroups > 1000)
        return;
    groups = calloc((size_t)ngroups + 1, sizeof *groups);
    if (groups && nc_inq_grps(nc, NULL, groups) == NC_NOERR)
        for (i = 0; i < ngroups; i++)
            read_group(groups[i], depth + 1);
    free(groups);
}

/* --- where it happened ------------------------------------------------------------------------- */

static int report_fd;

static void report(const char *what);

/* This program, which may hold the sanitizer (clang's) and reads only through libcellar, or the system. */
static bool is_system(const Dl_info *info)
{
    static const char *const names[] = {"libc.so", "libasan", "libubsan", "ld-linux"};
    Dl_info own;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(info->dli_fname, names[i]))
            return true;
    return dladdr((void *)(uintptr_t)report, &own) && own.dli_fbase == info->dli_fbase;
}

/* It happened in the first function on the stack that is a library's. */
static void report(const char *what)
{
    void *frame[64];
    int i, n = backtrace(frame, 64), at;
    char line[256];
    Dl_info info;

    at = snprintf(line, sizeof line, "ours %s (no stack)", what);
    for (i = 0; i < n; i++) {
        if (!dladdr(frame[i], &info) || !info.dli_fname || is_system(&info))
            continue;
        at = snprintf(line, sizeof line, "%s %s %s", strstr(info.dli_fname, "libhdf5") ? "libhdf5" : "ours", what,
                      info.dli_sname ? info.dli_sname : "?");
        break;
    }
    if (write(report_fd, line, (size_t)at) < 0)
        _exit(98);
}

static void on_signal(int signal)
{
    report(signal == SIGALRM ? "hang" : "crash");
    _exit(99);
}

#if defined(__SANITIZE_ADDRESS__)
static void on_death(void)
{
    report("bad access");
}
#endif

static void watch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    static char stack[1 << 16];
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    void *frame[4];
    size_t i;

    backtrace(frame, 4); /* loads what it needs now, not in the handler */
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(on_death);
#endif
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &act, NULL);
    alarm(SECONDS);
}

/* Handles of libhdf5 that nobody closed: they keep the file open and make libhdf5
 * complain at exit. */
static void expect_no_handles(void)
{
    ssize_t n = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR);
    char line[80];

    if (n <= 0)
        return;
    n = snprintf(line, sizeof line, "ours: %ld handles are left open", (long)n);
    _exit(write(report_fd, line, (size_t)n) < 0 ? 98 : 97);
}

/* The child: exits with 0 whatever the library answered, with 23 on a leak. */
static void read_file(const char *path)
{
    int nc;

#if !defined(__SANITIZE_ADDRESS__)
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)3 << 30, (rlim_t)3 << 30});
#endif
    watch();
    if (nc_open(path, NC_NOWRITE, &nc) == NC_NOERR) {
        read_group(nc, 0);
        nc_close(nc);
    }
    expect_no_handles();
    exit(0);
}

/* --- damage --------------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    return random_step(&state) % below;
}

static size_t damage(unsigned char *bytes, size_t n, uint64_t seed)
{
    uint64_t flips;

    state = seed * 0x9e3779b97f4a7c15u + 1;
    draw(2);
    if (seed % 4 == 0)
        return (size_t)draw(n);
    for (flips = 1 + draw(seed % 4 == 1 ? 1 : 8); flips > 0; flips--)
        bytes[draw(n)] ^= (unsigned char)(1u << draw(8));
    return n;
}

/* --- counting --------------------------------------------------------------------------------------- */

struct tally {
    char name[NAMES_MAX][160];
    int count[NAMES_MAX], n;
    long runs, bad;
};

static void note(struct tally *t, const char *what)
{
    int i;

    for (i = 0; i < t->n && strcmp(t->name[i], what) != 0; i++)
        ;
    if (i == NAMES_MAX)
        return;
    if (i == t->n)
        snprintf(t->name[t->n++], sizeof t->name[0], "%s", what);
    t->count[i]++;
}

/* A crash of libhdf5 counts as known; anything of ours fails the test. */
static void judge(struct tally *t, const char *sample, uint64_t seed, int status, const char *line)
{
    char text[160];

    t->runs++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (strncmp(line, "libhdf5 ", 8) == 0) {
        note(t, line);
        return;
    }
    snprintf(text, sizeof text, "%s", line[0] ? line : WIFEXITED(status) ? "leak or sanitizer report" : "killed");
    note(t, text);
    t->bad++;
    printf("%s, seed %llu: %s (status %x)\n", sample, (unsigned long long)seed, text, (unsigned)status);
}

static void run_one(struct tally *t, const char *sample, const unsigned char *good, size_t n, const char *scratch,
                    uint64_t seed)
{
    unsigned char *bytes = malloc(n ? n : 1);
    char line[256] = "";
    int fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC, 0600), pipes[2], status = 0;
    pid_t pid;

    memcpy(bytes, good, n);
    n = damage(bytes, n, seed);
    if (fd < 0 || pipe(pipes) != 0 || write(fd, bytes, n) != (ssize_t)n) {
        perror(scratch);
        exit(2);
    }
    close(fd);
    free(bytes);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        report_fd = pipes[1];
        read_file(scratch);
    }
    close(pipes[1]);
    if (read(pipes[0], line, sizeof line - 1) < 0)
        perror("pipe");
    close(pipes[0]);
    waitpid(pid, &status, 0);
    judge(t, sample, seed, status, line);
}

static unsigned char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = malloc(1 << 22);

    if (!f || !bytes) {
        perror(path);
        exit(2);
    }
    *n = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    return bytes;
}

static int show(uint64_t seed, const char *path)
{
    size_t n;
    unsigned char *bytes = slurp(path, &n);

    n = damage(bytes, n, seed);
    return fwrite(bytes, 1, n, stdout) != n;
}

int main(int argc, char **argv)
{
    static struct tally t;
    char scratch[64];
    long i, rounds = argc > 2 ? atol(argv[1]) : 0;
    int file, k;

    if (argc == 4 && strcmp(argv[1], "show") == 0)
        return show(strtoull(argv[2], NULL, 10), argv[3]);
    snprintf(scratch, sizeof scratch, "%s/h5_damage.%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".",
             (int)getpid());
    for (file = 2; file < argc; file++) {
        size_t n;
        unsigned char *good = slurp(argv[file], &n);

        for (i = 0; i < rounds; i++)
            run_one(&t, argv[file], good, n, scratch, (uint64_t)file * 1000003u + (uint64_t)i);
        free(good);
    }
    unlink(scratch);
    printf("%ld damaged files read\n", t.runs);
    for (k = 0; k < t.n; k++)
        printf("%6d  %s\n", t.count[k], t.name[k]);
    return t.bad > 0 || t.runs == 0;
}
