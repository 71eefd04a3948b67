/* SPDX-License-Identifier: BSD-3-Clause */
/* kill_nth CONTAINER [READER [COMPLETE]]: the process ends at the nth call that changes a file within one nc_sync, and
 * within one nc_close, for every n. Each time Cellar must find every record acknowledged before; what READER (records_read
 * over another library) does not find in that moment is counted, and must be there in a copy of the file after the program COMPLETE has had it. Prints one line. */
#include "common/scratch.h"
#include "container.h"
#include "faults.h"
#include "reader.h"
#include "records.h"
#include <sys/stat.h>
#include <sys/wait.h>

enum { NVARS = 2, BEFORE = 5, MORE = 6, DONE = 0, ENDED = 99, BROKEN = 3 };

struct sweep {
    const struct container *c;
    char folder[600], path[700];
    struct reader theirs;
    const char *complete;
    long cut, theirs_failed; /* runs that ended early; of these, those netCDF-C could not read */
};

/* Acknowledged records, then more of them under the fault. */
static int write_until(const struct sweep *s, long n, bool closing)
{
    struct faults faults = {
        .folder = s->folder, .kinds = FAULT_WRITE | FAULT_LENGTH | FAULT_NAME, .at = n, .half = true};
    struct dataset d;
    int rc = dataset_create(&d, s->c, s->path, NVARS);

    rc = rc ? rc : dataset_put_records(&d, 0, BEFORE);
    rc = rc ? rc : nc_sync(d.nc);
    rc = rc ? rc : dataset_put_records(&d, BEFORE, BEFORE + MORE);
    if (rc)
        return BROKEN;
    faults_set(&faults);
    rc = closing ? nc_close(d.nc) : nc_sync(d.nc);
    _exit(rc ? BROKEN : DONE);
}

static int run(int (*child)(const struct sweep *, long, bool), const struct sweep *s, long n, bool closing)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(child(s, n, closing));
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}

static int check(const struct sweep *s, long n, bool complete)
{
    const char *wrong = records_check(s->path, BEFORE + (complete ? MORE : 0), NVARS, NULL);

    if (wrong)
        fprintf(stderr, "%s: ended at call %ld: %s\n", s->c->name, n, wrong);
    return wrong ? BROKEN : DONE;
}

static int check_again(const struct sweep *s, long n, bool complete)
{
    struct dataset d;
    int rc = dataset_open(&d, s->path, NVARS);

    rc = rc ? rc : dataset_put_records(&d, BEFORE, BEFORE + 2 * MORE);
    rc = rc ? rc : nc_close(d.nc);
    if (rc)
        fprintf(stderr, "%s: ended at call %ld: writing again: %s\n", s->c->name, n, nc_strerror(rc));
    return rc ? BROKEN : check(s, n, true);
}

/* docs/formats/hdf5_journal.py: what a user does who has no Cellar. */
static bool is_completed(struct sweep *s, size_t n)
{
    char command[3000], path[800], copy[700];

    snprintf(copy, sizeof copy, "%s-copy", s->folder);
    snprintf(path, sizeof path, s->c->path, copy);
    snprintf(command, sizeof command, "rm -rf '%s' && cp -a '%s' '%s' && %s '%s'", copy, s->folder, copy, s->complete,
             path);
    return system(command) == 0 && !reader_check(&s->theirs, path, n, NVARS);
}

static bool one(struct sweep *s, long n, bool closing, bool *finished)
{
    bool ok, completed = true;
    int rc;

    remove_tree(s->folder);
    mkdir(s->folder, 0777);
    rc = run(write_until, s, n, closing);
    *finished = rc == DONE;
    if (rc == BROKEN)
        fprintf(stderr, "%s: call %ld: the writer failed\n", s->c->name, n);
    s->cut += rc == ENDED;
    if (rc == ENDED && reader_check(&s->theirs, s->path, BEFORE, NVARS)) {
        s->theirs_failed++;
        completed = !s->complete || is_completed(s, BEFORE);
        if (!completed)
            fprintf(stderr, "%s: ended at call %ld: the file could not be completed without Cellar\n", s->c->name, n);
    }
    ok = completed && rc != BROKEN && run(check, s, n, rc == DONE) == DONE && run(check_again, s, n, true) == DONE;
    return ok;
}

int main(int argc, char **argv)
{
    struct sweep s = {.c = argc > 1 ? container_named(argv[1]) : NULL};
    long failed = 0;

    if (!s.c)
        return 2;
    snprintf(s.folder, sizeof s.folder, "%s/now", scratch_make());
    snprintf(s.path, sizeof s.path, s.c->path, s.folder);
    s.theirs.command = argc > 2 && *argv[2] ? argv[2] : NULL;
    s.complete = argc > 3 && *argv[3] ? argv[3] : NULL;
    for (int closing = 0; closing < 2; closing++) {
        bool finished = false;

        for (long n = 1; !finished && n < 100000; n++)
            failed += !one(&s, n, closing, &finished);
    }
    printf("%s: ended at %ld calls of one nc_sync and one nc_close: %ld wrong with Cellar", s.c->name, s.cut, failed);
    if (s.theirs.command)
        printf(", the other library could not read %ld in that moment", s.theirs_failed);
    printf("\n");
    reader_end(&s.theirs);
    return failed != 0;
}
