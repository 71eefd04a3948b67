/* kill_fault CONTAINER FOLDER [READER]: the nth write of a session fails, once or from there on, for every n, and the
 * program carries on. Each time: no crash, also none at exit; every record acknowledged by nc_sync is there, for
 * Cellar and for READER (the same check with netCDF-C); when a put or a sync failed, so does nc_close; when nothing failed,
 * all is there. Prints one line. */
#include "container.h"
#include "faults.h"
#include "records.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NVARS = 2, RECORDS = 8, EVERY = 3, BROKEN = 3 };

static const struct kind {
    const char *name;
    struct faults faults;
} kinds[] = {
    {"full from there on", {.error = ENOSPC, .from_then_on = true, .half = true}},
    {"full once", {.error = ENOSPC}},
    {"broken once", {.error = EIO, .half = true}},
    {"broken from there on", {.error = EIO, .from_then_on = true}},
};

struct outcome { /* of a writer, in memory shared with it */
    size_t acked;
    bool hit, put_failed, sync_failed, lost_track;
    int closed;
};

struct sweep {
    const struct container *c;
    char folder[512], path[640];
    const char *reader;
    struct outcome *out;
    long runs, beside; /* beside: netCDF-C cannot read it, and the journal lies there */
};

static bool put_record(const struct dataset *d, size_t t)
{
    bool ok = true;

    for (int v = 0; v < d->nvars; v++)
        ok = dataset_put(d, v, t) == NC_NOERR && ok;
    return dataset_put_time(d, t) == NC_NOERR && ok;
}

static void write_on(const struct dataset *d, struct outcome *out)
{
    for (size_t t = 0; t < RECORDS; t++) {
        out->put_failed = !put_record(d, t) || out->put_failed;
        if (t % EVERY != EVERY - 1)
            continue;
        if (nc_sync(d->nc) != NC_NOERR)
            out->sync_failed = true;
        else if (!out->put_failed)
            out->acked = t + 1;
        else
            out->lost_track = true; /* a sync after a failed put must fail */
    }
    out->closed = nc_close(d->nc);
}

static void writer(const struct sweep *s, const struct kind *k, long n)
{
    struct faults faults = k->faults;
    struct dataset d;

    if (dataset_create(&d, s->c, s->path, NVARS) != NC_NOERR)
        _exit(BROKEN);
    faults.folder = s->folder;
    faults.kinds = FAULT_WRITE | FAULT_LENGTH;
    faults.at = n;
    faults_set(&faults);
    write_on(&d, s->out);
    s->out->hit = faults_count() >= n;
    faults_set(&(struct faults){0});
    exit(0); /* with all exit handlers */
}

static bool run_writer(const struct sweep *s, const struct kind *k, long n)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        writer(s, k, n);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ours_reads(const struct sweep *s, size_t n)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        const char *wrong = records_check(s->path, n, NVARS);

        if (wrong)
            fprintf(stderr, "%s\n", wrong);
        _exit(wrong != NULL);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool theirs_reads(struct sweep *s, size_t n)
{
    char command[2048];

    if (!s->reader)
        return true;
    snprintf(command, sizeof command, "'%s' '%s' %zu %d 2>/dev/null", s->reader, s->path, n, NVARS);
    if (system(command) == 0)
        return true;
    snprintf(command, sizeof command, "%s.cellar-journal", s->path);
    if (access(command, F_OK) != 0)
        return false;
    s->beside++;
    return true;
}

static const char *judge(struct sweep *s, const struct outcome *out)
{
    bool failed = out->put_failed || out->closed;

    if (out->lost_track)
        return "nc_sync said 0 after a put had failed";
    if (out->put_failed && !out->closed)
        return "nc_close said 0 after a put had failed";
    if (!ours_reads(s, failed ? out->acked : RECORDS))
        return "records are missing";
    return theirs_reads(s, failed ? out->acked : RECORDS) ? NULL : "records are missing for netCDF-C";
}

static void start_anew(const struct sweep *s)
{
    char command[1024];

    snprintf(command, sizeof command, "rm -rf '%s'", s->folder);
    if (system(command) != 0 || mkdir(s->folder, 0777) != 0)
        perror(s->folder);
    *s->out = (struct outcome){0};
}

static long sweep_kind(struct sweep *s, const struct kind *k)
{
    long failed = 0;

    for (long n = 1; n < 10000; n++) {
        const char *wrong;

        start_anew(s);
        wrong = run_writer(s, k, n) ? judge(s, s->out) : "the writer crashed";
        if (wrong)
            fprintf(stderr, "%s: %s at write %ld (acknowledged %zu, put %d, sync %d, close %d): %s\n", s->c->name, k->name, n,
                    s->out->acked, s->out->put_failed, s->out->sync_failed, s->out->closed, wrong);
        failed += wrong != NULL;
        if (!s->out->hit && !wrong)
            break;
        s->runs++;
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct sweep s = {.c = argc > 2 ? container_named(argv[1]) : NULL};
    long failed = 0;

    if (!s.c)
        return 2;
    snprintf(s.folder, sizeof s.folder, "%s/kill_fault_%s", argv[2], s.c->name);
    snprintf(s.path, sizeof s.path, s.c->path, s.folder);
    s.reader = argc > 3 ? argv[3] : NULL;
    s.out = mmap(NULL, sizeof *s.out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        failed += sweep_kind(&s, &kinds[k]);
    start_anew(&s);
    rmdir(s.folder);
    printf("%s: %ld sessions with a write that failed: %ld wrong, %ld for netCDF-C only with the journal's help\n", s.c->name,
           s.runs, failed, s.beside);
    return failed != 0;
}
