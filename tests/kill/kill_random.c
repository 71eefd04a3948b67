/* kill_random CONTAINER FOLDER KILLS LEAST OURS [THEIRS]: a writer with a thread for each variable acknowledges records after
 * nc_sync and nc_close, and is killed at a random moment, KILLS times and at least LEAST times each inside a put, a sync and a
 * close. After every kill OURS (records_read with Cellar) must find each acknowledged record, and the next writer goes on with the
 * file. What THEIRS (the same with netCDF-C) does not find is counted. Prints one line. */
#include "container.h"
#include "records.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NVARS = 3, RECORDS_MOST = 60, BROKEN = 3 };
enum phase { OTHER, PUT, SYNC, CLOSE, NPHASES };
static const char *const phase_names[] = {"elsewhere", "a put", "a sync", "a close"};

struct shared { /* with the writer; what is here outlives it */
    atomic_size_t acked;
    atomic_int phase;
};

struct bench {
    const struct container *c;
    char folder[512], path[640];
    const char *ours, *theirs;
    struct shared *shared;
    long kills[NPHASES], theirs_failed, wrong;
    uint64_t random;
};

static uint64_t next_random(struct bench *b)
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return b->random >> 33;
}

/* --- the writer -------------------------------------------------------------------- */

struct work {
    const struct dataset *d;
    int var;
    size_t t;
    int rc;
};

static void *put_one(void *arg)
{
    struct work *w = arg;

    w->rc = dataset_put(w->d, w->var, w->t);
    return NULL;
}

static int put_record(const struct dataset *d, size_t t)
{
    struct work work[NVARS];
    pthread_t thread[NVARS];
    int rc = dataset_put_time(d, t);

    for (int v = 0; v < NVARS; v++) {
        work[v] = (struct work){d, v, t, 0};
        pthread_create(&thread[v], NULL, put_one, &work[v]);
    }
    for (int v = 0; v < NVARS; v++) {
        pthread_join(thread[v], NULL);
        rc = rc ? rc : work[v].rc;
    }
    return rc;
}

static int acknowledge(struct shared *s, enum phase phase, int (*call)(int), int nc, size_t n)
{
    int rc;

    atomic_store(&s->phase, phase);
    rc = call(nc);
    if (!rc)
        atomic_store(&s->acked, n);
    atomic_store(&s->phase, OTHER);
    return rc;
}

/* Puts, a sync after every second record, a close after every sixth. */
static int write_records(struct bench *b, struct dataset *d)
{
    struct shared *s = b->shared;
    int rc = 0;

    for (size_t t = atomic_load(&s->acked); !rc && t < RECORDS_MOST; t++) {
        atomic_store(&s->phase, PUT);
        rc = put_record(d, t);
        atomic_store(&s->phase, OTHER);
        if (!rc && t % 6 == 5) {
            rc = acknowledge(s, CLOSE, nc_close, d->nc, t + 1);
            rc = rc ? rc : dataset_open(d, b->path, NVARS);
        } else if (!rc && t % 2) {
            rc = acknowledge(s, SYNC, nc_sync, d->nc, t + 1);
        }
    }
    return rc ? rc : acknowledge(s, CLOSE, nc_close, d->nc, RECORDS_MOST);
}

static int writer(struct bench *b)
{
    struct dataset d;
    int rc = atomic_load(&b->shared->acked) ? dataset_open(&d, b->path, NVARS) : dataset_create(&d, b->c, b->path, NVARS);

    rc = rc ? rc : write_records(b, &d);
    if (rc)
        fprintf(stderr, "%s: the writer: %s\n", b->c->name, nc_strerror(rc));
    return rc ? BROKEN : 0;
}

/* --- the bench ------------------------------------------------------------------------ */

static void nap(uint64_t nanoseconds)
{
    struct timespec t = {.tv_nsec = (long)(nanoseconds % 1000000000u)};

    nanosleep(&t, NULL);
}

/* Wait until the writer is in this phase for the nth time or has ended, then a little longer. */
static void wait_for(struct bench *b, pid_t pid, enum phase phase, uint64_t nth, int *status, bool *ended)
{
    int last = -1;

    for (*ended = false; !*ended;) {
        int now = atomic_load(&b->shared->phase);

        if (now == (int)phase && now != last && nth-- == 0)
            break;
        last = now;
        *ended = waitpid(pid, status, WNOHANG) == pid;
    }
    if (!*ended)
        nap(next_random(b) % 400000);
}

static bool reads(const char *reader, const struct bench *b, size_t n)
{
    char command[2048];

    snprintf(command, sizeof command, "'%s' '%s' %zu %d%s", reader, b->path, n, NVARS, reader == b->ours ? "" : " 2>/dev/null");
    return system(command) == 0;
}

static void start_anew(struct bench *b)
{
    char command[1024];

    snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
    if (system(command) != 0 || mkdir(b->folder, 0777) != 0)
        perror(b->folder);
    atomic_store(&b->shared->acked, 0);
}

static void one(struct bench *b, enum phase target)
{
    size_t acked;
    int status = 0;
    bool ended;
    pid_t pid;

    if (atomic_load(&b->shared->acked) >= RECORDS_MOST)
        start_anew(b);
    atomic_store(&b->shared->phase, OTHER);
    pid = fork();
    if (pid == 0)
        _exit(writer(b));
    wait_for(b, pid, target, next_random(b) % 3, &status, &ended);
    if (!ended) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    acked = atomic_load(&b->shared->acked);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        b->kills[atomic_load(&b->shared->phase)]++;
    else
        b->wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (!reads(b->ours, b, acked)) {
        fprintf(stderr, "%s: killed inside %s, %zu records acknowledged: some are missing\n", b->c->name,
                phase_names[atomic_load(&b->shared->phase)], acked);
        b->wrong++;
        start_anew(b); /* the next is judged by itself */
    } else if (b->theirs && !reads(b->theirs, b, acked)) {
        b->theirs_failed++;
    }
}

static bool is_enough(const struct bench *b, long kills, long least)
{
    long all = 0;
    bool each = true;

    for (int p = 0; p < NPHASES; p++) {
        all += b->kills[p];
        each = each && (p == OTHER || b->kills[p] >= least);
    }
    return each && all >= kills;
}

int main(int argc, char **argv)
{
    struct bench b = {.c = argc > 5 ? container_named(argv[1]) : NULL, .random = 20};
    long kills = argc > 5 ? atol(argv[3]) : 0, least = argc > 5 ? atol(argv[4]) : 0;

    if (!b.c)
        return 2;
    snprintf(b.folder, sizeof b.folder, "%s/kill_random_%s", argv[2], b.c->name);
    snprintf(b.path, sizeof b.path, b.c->path, b.folder);
    b.ours = argv[5];
    b.theirs = argc > 6 ? argv[6] : NULL;
    b.shared = mmap(NULL, sizeof *b.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    start_anew(&b);
    for (long i = 0; i < 20 * kills && b.wrong < 20 && !is_enough(&b, kills, least); i++)
        one(&b, PUT + (enum phase)(i % 3));
    start_anew(&b);
    rmdir(b.folder);
    printf("%s: killed inside a put %ld, a sync %ld, a close %ld, elsewhere %ld times: %ld wrong with Cellar", b.c->name, b.kills[PUT],
           b.kills[SYNC], b.kills[CLOSE], b.kills[OTHER], b.wrong);
    if (b.theirs)
        printf(", netCDF-C could not read %ld in that moment", b.theirs_failed);
    printf("\n");
    return b.wrong || !is_enough(&b, kills, least);
}
