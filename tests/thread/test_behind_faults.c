/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that are encoded and stored after their puts, while the nth write fails, all from the nth on fail, or the process
 * ends there, for many n: what nc_sync had acknowledged is there. If all calls say 0, so is all. */
#define RECORDS_ROWS 512 /* enough that threads are worth it */
#include "kill/container.c"
#include "kill/faults.c"
#include "kill/records_check.c"
#include <cellar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { RECORDS = 8, EVERY = 5, NVARS = 2, SAMPLED = 6 };

static char folder[PATH_MAX];
static char path[PATH_MAX + 64];

static struct outcome {
    size_t acked;
    long calls;
    bool told; /* some call failed */
} * out;

static void note(int rc)
{
    out->told = out->told || rc != NC_NOERR;
}

static void write_records(const struct dataset *d)
{
    bool ok = true;

    for (size_t t = 0; t < RECORDS; t++) {
        for (int v = 0; v < NVARS; v++) {
            int rc = dataset_put(d, v, t);

            note(rc);
            ok = ok && rc == NC_NOERR;
        }
        ok = dataset_put_time(d, t) == NC_NOERR && ok;
        if (t % EVERY != EVERY - 1)
            continue;
        if (nc_sync(d->nc) != NC_NOERR)
            note(NC_EIO);
        else if (!out->told && ok)
            out->acked = t + 1;
        else
            note(NC_EIO);
    }
}

static void session(const struct container *c, const struct faults *faults)
{
    struct dataset d;
    int rc;

    cellar_set_threads(4);
    faults_set(faults);
    rc = dataset_create(&d, c, path, NVARS);
    note(rc);
    if (rc == NC_NOERR) {
        write_records(&d);
        rc = nc_close(d.nc);
        note(rc);
        if (!out->told)
            out->acked = RECORDS;
    }
    out->calls = faults_count();
    exit(0);
}

static void clear(void)
{
    char command[PATH_MAX + 32];

    snprintf(command, sizeof command, "rm -rf '%.3000s'/f.*", folder);
    assert_int_equal(system(command), 0);
}

static void run(const struct container *c, const struct faults *faults)
{
    const char *wrong;
    int status;
    pid_t pid;

    *out = (struct outcome){0};
    pid = fork();
    if (pid == 0)
        session(c, faults);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("%s: fault %ld: signal %d", c->name, faults->at, WTERMSIG(status));
    wrong = out->acked ? records_check(path, out->acked, NVARS, NULL) : NULL;
    if (wrong)
        fail_msg("%s: fault %ld: %s", c->name, faults->at, wrong);
    clear();
}

/* Every nth, so that about SAMPLED are tried, and always the last ones: a sync, and the close. */
static void sweep(const char *name, int error, bool from_then_on)
{
    long calls, step;
    const struct container *c = container_named(name);
    struct faults faults = {.folder = folder,
                            .kinds = FAULT_WRITE | FAULT_LENGTH | FAULT_NAME,
                            .from_then_on = from_then_on,
                            .error = error};

    snprintf(path, sizeof path, c->path, folder);
    run(c, &faults);
    assert_int_equal(out->acked, RECORDS); /* without faults */
    calls = out->calls;
    step = calls / SAMPLED + 1;
    for (faults.at = 1; faults.at <= calls; faults.at += faults.at + 3 < calls ? step : 1)
        run(c, &faults);
}

static void of_all(int error, bool from_then_on)
{
    sweep("netcdf4-by-record", error, from_then_on);
    sweep("nczarr-by-record", error, from_then_on);
    sweep("shards-by-record", error, from_then_on);
}

static void one_write_fails(void **state)
{
    (void)state;
    of_all(EIO, false);
}

static void the_disk_is_full_from_then_on(void **state)
{
    (void)state;
    of_all(ENOSPC, true);
}

static void the_process_ends(void **state)
{
    (void)state;
    of_all(0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_write_fails),
        cmocka_unit_test(the_disk_is_full_from_then_on),
        cmocka_unit_test(the_process_ends),
    };
    char here[PATH_MAX], name[] = "behind_faults-XXXXXX";
    int failed;

    cellar_set_threads(1); /* here: ThreadSanitizer lets the children of a process with threads make none */
    out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(name) || !getcwd(here, sizeof here))
        return 1;
    snprintf(folder, sizeof folder, "%.3000s/%s", here, name);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) != 0 ? 1 : failed;
}
