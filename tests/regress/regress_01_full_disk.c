/* SPDX-License-Identifier: BSD-3-Clause */
/* A disk that is full: the put that fails says so, and so do every later nc_sync and nc_close, with the variable's name; what
 * nc_sync had acknowledged is there. Once there is room and the put is made again, all is well. The disk is a limit on
 * the size of files, and, where the system lets us mount one, a small file system in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cellar.h>
#include <netcdf.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FULL_DISK_SIDE /* test_behind_full_disk.c has larger chunks */
#define FULL_DISK_SIDE 64
#endif
enum { SIDE = FULL_DISK_SIDE, VALUES = SIDE * SIDE, RECORDS = 40, EVERY = 4, LIMIT = 49 * VALUES, SKIPPED = 77 };

static const struct container {
    const char *name, *path;
    int mode, deflate;
} containers[] = {
    {"netcdf4", "f.nc", NC_NETCDF4, 0},
    {"netcdf4-deflate", "f.nc", NC_NETCDF4, 1},
    {"classic", "f.nc", 0, 0},
    {"nczarr", "file://f.zarr#mode=nczarr,file", NC_NETCDF4, 0},
    {"nczarr-deflate", "file://f.zarr#mode=nczarr,file", NC_NETCDF4, 1},
};

/* Noise, so that compressed chunks take room as well. */
static float value(size_t t, size_t i)
{
    return (float)((t * VALUES + i) * 2654435761u % 16777213u);
}

static int put(int nc, int var, size_t t)
{
    size_t start[3] = {t, 0, 0}, count[3] = {1, SIDE, SIDE};
    static float values[VALUES];

    for (size_t i = 0; i < VALUES; i++)
        values[i] = value(t, i);
    return nc_put_vara_float(nc, var, start, count, values);
}

static int define(const struct container *c, int *nc, int *var)
{
    size_t chunk[3] = {1, SIDE, SIDE};
    int dim[3], rc = nc_create(c->path, NC_CLOBBER | c->mode, nc);

    rc = rc ? rc : nc_def_dim(*nc, "t", NC_UNLIMITED, &dim[0]);
    rc = rc ? rc : nc_def_dim(*nc, "y", SIDE, &dim[1]);
    rc = rc ? rc : nc_def_dim(*nc, "x", SIDE, &dim[2]);
    rc = rc ? rc : nc_def_var(*nc, "field", NC_FLOAT, 3, dim, var);
    if (!rc && c->mode)
        rc = nc_def_var_chunking(*nc, *var, NC_CHUNKED, chunk);
    if (!rc && c->deflate)
        rc = nc_def_var_deflate(*nc, *var, 0, 1, c->deflate);
    return rc ? rc : nc_enddef(*nc);
}

static const char *check(const struct container *c, size_t n)
{
    static float values[VALUES];
    static char text[200];
    const char *wrong = NULL;
    int nc, var, rc = nc_open(c->path, NC_NOWRITE, &nc);

    if (rc)
        return cellar_error();
    rc = nc_inq_varid(nc, "field", &var);
    for (size_t t = 0; !rc && !wrong && t < n; t++) {
        size_t start[3] = {t, 0, 0}, count[3] = {1, SIDE, SIDE};

        rc = nc_get_vara_float(nc, var, start, count, values);
        for (size_t i = 0; !rc && i < VALUES; i++)
            if (values[i] != value(t, i))
                wrong = "a value is wrong";
    }
    if (rc)
        wrong = strcpy(text, nc_strerror(rc));
    nc_close(nc);
    return wrong;
}

/* Records until one fails, with a sync now and then; how many were acknowledged, and which one failed. */
static const char *fill(int nc, int var, size_t *acked, size_t *failed)
{
    size_t t;

    *acked = 0;
    for (t = 0; t < RECORDS && put(nc, var, t) == NC_NOERR; t++)
        if (t % EVERY == EVERY - 1 && nc_sync(nc) == NC_NOERR)
            *acked = t + 1;
        else if (t % EVERY == EVERY - 1)
            break;
    *failed = t;
    return t == RECORDS ? "the disk was not full" : NULL;
}

static const char *stays_failed(int nc)
{
    for (int i = 0; i < 2; i++) {
        if (nc_sync(nc) == NC_NOERR)
            return "nc_sync said 0 after a put had failed";
        if (!strstr(cellar_error(), "field"))
            return "the error does not name the variable";
    }
    return NULL;
}

static const char *on_full_disk(const struct container *c)
{
    size_t acked, failed;
    int nc, var;
    const char *wrong = define(c, &nc, &var) == NC_NOERR ? fill(nc, var, &acked, &failed) : "no file";

    if (wrong)
        return wrong;
    wrong = stays_failed(nc);
    if (nc_close(nc) == NC_NOERR)
        return "nc_close said 0 after a put had failed";
    if (nc_sync(nc) != NC_EBADID)
        return "nc_close kept the id";
    return wrong ? wrong : check(c, acked);
}

static void limit_files(rlim_t most)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = most;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static const char *until_there_is_room(const struct container *c)
{
    size_t acked, failed;
    int nc, var;
    const char *wrong;

    signal(SIGXFSZ, SIG_IGN);
    limit_files(LIMIT);
    wrong = define(c, &nc, &var) == NC_NOERR ? fill(nc, var, &acked, &failed) : "no file";
    if (wrong)
        return wrong;
    limit_files(RLIM_INFINITY);
    for (size_t t = failed < acked ? failed : acked; t < RECORDS; t++)
        if (put(nc, var, t) != NC_NOERR)
            return cellar_error();
    if (nc_sync(nc) != NC_NOERR || nc_close(nc) != NC_NOERR)
        return cellar_error();
    return check(c, RECORDS);
}

static const char *under_a_limit(const struct container *c)
{
    signal(SIGXFSZ, SIG_IGN);
    limit_files(LIMIT);
    return on_full_disk(c);
}

static bool write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) >= 0;

    return f && fclose(f) == 0 && ok;
}

/* Mounts of this process alone; who is not root is so in a user namespace, where user and group must both be known before
 * a file can be made. */
static bool own_mounts(void)
{
    char user[40], group[40];

    if (geteuid() == 0)
        return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    snprintf(user, sizeof user, "0 %u 1", (unsigned)geteuid());
    snprintf(group, sizeof group, "0 %u 1", (unsigned)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_text("/proc/self/uid_map", user) &&
           write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/gid_map", group);
}

static const char *on_small_disk(const struct container *c)
{
    char here[] = "disk-XXXXXX", size[32];

    snprintf(size, sizeof size, "size=%dk", 55 * VALUES / 1024);
    if (!own_mounts() || !mkdtemp(here) || mount("none", here, "tmpfs", 0, size) != 0 || chdir(here) != 0) {
        rmdir(here);
        exit(SKIPPED);
    }
    return on_full_disk(c);
}

/* In a process of its own: limits and mounts stay there, and a crash at exit is seen. */
static int run(const char *(*test)(const struct container *), const struct container *c)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        const char *wrong = test(c);

        if (wrong)
            fprintf(stderr, "%s: %s\n", c->name, wrong);
        exit(wrong != NULL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (system("rm -rf f.nc* f.zarr disk-*") != 0)
        perror("rm");
    assert_false(WIFSIGNALED(status));
    return WEXITSTATUS(status);
}

static void a_limit_is_a_full_disk(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) /* files of a folder have a limit each */
        assert_int_equal(run(under_a_limit, &containers[i]), 0);
}

static void a_small_disk_is_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        int rc = run(on_small_disk, &containers[i]);

        if (rc == SKIPPED) {
            fprintf(stderr, "NOT RUN: no file system can be mounted here\n");
            skip();
        }
        assert_int_equal(rc, 0);
    }
}

static void putting_again_makes_it_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(run(until_there_is_room, &containers[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_a_full_disk),
        cmocka_unit_test(a_small_disk_is_full),
        cmocka_unit_test(putting_again_makes_it_good),
    };
    char folder[] = "regress_01-XXXXXX";
    int failed;

    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return chdir("..") != 0 || rmdir(folder) != 0 ? 1 : failed;
}
