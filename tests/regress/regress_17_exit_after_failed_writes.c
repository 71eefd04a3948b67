/* SPDX-License-Identifier: BSD-3-Clause */
/* All writes fail from the nth on, for every n, and the program carries on to its end, with and without nc_close: libhdf5
 * must not crash at exit, and what nc_sync had acknowledged is there. */
#include "kill/container.c"
#include "kill/faults.c"
#include "kill/records_check.c"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { RECORDS = 8, NVARS = 1 };

static char folder[PATH_MAX];
static char path[PATH_MAX + 16];

static struct outcome {
    size_t acked;
    long calls;
} * out;

static void write_records(const struct dataset *d)
{
    bool ok = true;

    for (size_t t = 0; t < RECORDS; t++) {
        ok = dataset_put(d, 0, t) == NC_NOERR && ok;
        ok = dataset_put_time(d, t) == NC_NOERR && ok;
        if (t % 3 == 2 && nc_sync(d->nc) == NC_NOERR && ok)
            out->acked = t + 1;
    }
}

static void session(const struct container *c, long n, bool closes)
{
    struct faults faults = {
        .folder = folder, .kinds = FAULT_WRITE | FAULT_LENGTH, .at = n, .from_then_on = true, .error = EIO};
    struct dataset d;

    faults_set(&faults);
    if (dataset_create(&d, c, path, NVARS) == NC_NOERR) {
        write_records(&d);
        if (closes)
            nc_close(d.nc);
    }
    out->calls = faults_count();
    exit(0);
}

static void run(const struct container *c, long n, bool closes)
{
    const char *wrong;
    int status;
    pid_t pid = fork();

    if (pid == 0)
        session(c, n, closes);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("%s: writes fail from the %ldth on: signal %d", c->name, n, WTERMSIG(status));
    wrong = records_check(path, out->acked, NVARS, NULL);
    if (wrong)
        fail_msg("%s: writes fail from the %ldth on: %s", c->name, n, wrong);
    unlink(path);
    snprintf(path + strlen(path), 16, ".cellar-journal");
    unlink(path);
    path[strlen(path) - 15] = '\0';
}

static void sweep(const char *name, bool closes)
{
    long n = 0;

    do {
        *out = (struct outcome){0, 0};
        run(container_named(name), ++n, closes);
    } while (out->calls >= n);
}

static void nothing_crashes_when_closed(void **state)
{
    (void)state;
    sweep("netcdf4", true);
    sweep("netcdf4-deflate", true);
}

static void nothing_crashes_when_left_open(void **state)
{
    (void)state;
    sweep("netcdf4", false);
    sweep("netcdf4-deflate", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_crashes_when_closed),
        cmocka_unit_test(nothing_crashes_when_left_open),
    };
    char here[PATH_MAX], name[] = "regress_17-XXXXXX";
    int failed;

    out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(name) || !getcwd(here, sizeof here))
        return 1;
    snprintf(folder, sizeof folder, "%.3000s/%s", here, name);
    snprintf(path, sizeof path, "%s/f.nc", folder);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) != 0 ? 1 : failed;
}
