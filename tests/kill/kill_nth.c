/* kill_nth CONTAINER FOLDER [READER]: the process ends at the nth call that changes a file within one nc_sync, and
 * within one nc_close, for every n. Each time Cellar must find every record acknowledged before; what READER (the same check
 * with netCDF-C) does not find in that moment is counted. Prints one line. */
#include "container.h"
#include "faults.h"
#include "records.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NVARS = 2, BEFORE = 5, MORE = 6, DONE = 0, ENDED = 99, BROKEN = 3 };

struct sweep {
    const struct container *c;
    char folder[512], path[640];
    const char *reader;
    long cut, theirs_failed; /* runs that ended early; of these, those netCDF-C could not read */
};

static int put_records(const struct dataset *d, size_t from, size_t to)
{
    int rc = 0;

    for (size_t t = from; !rc && t < to; t++) {
        for (int v = 0; !rc && v < d->nvars; v++)
            rc = dataset_put(d, v, t);
        rc = rc ? rc : dataset_put_time(d, t);
    }
    return rc;
}

/* Acknowledged records, then more of them under the fault. */
static int write_until(const struct sweep *s, long n, bool closing)
{
    struct faults faults = {.folder = s->folder, .kinds = FAULT_WRITE | FAULT_LENGTH | FAULT_NAME, .at = n, .half = true};
    struct dataset d;
    int rc = dataset_create(&d, s->c, s->path, NVARS);

    rc = rc ? rc : put_records(&d, 0, BEFORE);
    rc = rc ? rc : nc_sync(d.nc);
    rc = rc ? rc : put_records(&d, BEFORE, BEFORE + MORE);
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
    const char *wrong = records_check(s->path, BEFORE + (complete ? MORE : 0), NVARS);

    if (wrong)
        fprintf(stderr, "%s: ended at call %ld: %s\n", s->c->name, n, wrong);
    return wrong ? BROKEN : DONE;
}

static int check_again(const struct sweep *s, long n, bool complete)
{
    struct dataset d;
    int rc = dataset_open(&d, s->path, NVARS);

    rc = rc ? rc : put_records(&d, BEFORE, BEFORE + 2 * MORE);
    rc = rc ? rc : nc_close(d.nc);
    if (rc)
        fprintf(stderr, "%s: ended at call %ld: writing again: %s\n", s->c->name, n, nc_strerror(rc));
    return rc ? BROKEN : check(s, n, true);
}

static bool theirs_reads(const struct sweep *s, size_t n)
{
    char command[2048];

    snprintf(command, sizeof command, "'%s' '%s' %zu %d 2>/dev/null", s->reader, s->path, n, NVARS);
    return system(command) == 0;
}

static void remove_all(const char *folder)
{
    char command[1024];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        perror(folder);
}

static bool one(struct sweep *s, long n, bool closing, bool *finished)
{
    int rc;
    bool ok;

    remove_all(s->folder);
    mkdir(s->folder, 0777);
    rc = run(write_until, s, n, closing);
    *finished = rc == DONE;
    if (rc == BROKEN)
        fprintf(stderr, "%s: call %ld: the writer failed\n", s->c->name, n);
    s->cut += rc == ENDED;
    if (rc == ENDED && s->reader && !theirs_reads(s, BEFORE))
        s->theirs_failed++;
    ok = rc != BROKEN && run(check, s, n, rc == DONE) == DONE && run(check_again, s, n, true) == DONE;
    return ok;
}

int main(int argc, char **argv)
{
    struct sweep s = {.c = argc > 2 ? container_named(argv[1]) : NULL};
    long failed = 0;

    if (!s.c)
        return 2;
    snprintf(s.folder, sizeof s.folder, "%s/kill_nth_%s", argv[2], s.c->name);
    snprintf(s.path, sizeof s.path, s.c->path, s.folder);
    s.reader = argc > 3 ? argv[3] : NULL;
    for (int closing = 0; closing < 2; closing++) {
        bool finished = false;

        for (long n = 1; !finished && n < 100000; n++)
            failed += !one(&s, n, closing, &finished);
    }
    remove_all(s.folder);
    printf("%s: ended at %ld calls of one nc_sync and one nc_close: %ld wrong with Cellar", s.c->name, s.cut, failed);
    if (s.reader)
        printf(", netCDF-C could not read %ld in that moment", s.theirs_failed);
    printf("\n");
    return failed != 0;
}
