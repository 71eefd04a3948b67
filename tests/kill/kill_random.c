/* SPDX-License-Identifier: BSD-3-Clause */
/* kill_random CONTAINER KILLS LEAST OURS [THEIRS]: a writer with a thread for each variable acknowledges records after
 * nc_sync and nc_close, and is killed at a random moment, KILLS times and at least LEAST times each inside a put, a sync and a
 * close. After every kill OURS (records_read with Cellar) must find each acknowledged record, and the next writer goes on with the
 * file. What THEIRS (the same over another library) does not find is counted. Prints one line. */
#include "common/scratch.h"
#include "container.h"
#include "reader.h"
#include "records.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { NVARS = 3, RECORDS_MOST = 60, BROKEN = 3 };
enum phase { OTHER, PUT, SYNC, CLOSE, NPHASES };
static const char *const phase_names[] = {"elsewhere", "a put", "a sync", "a close"};

struct shared { /* with the writer; what is here outlives it */
    atomic_size_t acked;
    atomic_int phase;
};

struct bench {
    const struct container *c;
    char folder[600], path[700];
    struct reader ours, theirs;
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
    int rc =
        atomic_load(&b->shared->acked) ? dataset_open(&d, b->path, NVARS) : dataset_create(&d, b->c, b->path, NVARS);

    rc = rc ? rc : write_records(b, &d);
    if (rc)
        fprintf(stderr, "%s: the writer: %s\n", b->c->name, nc_strerror(rc));
    return rc ? BROKEN : 0;
}

/* --- the bench ------------------------------------------------------------------------ */

/* Some calls take microseconds, others milliseconds: short waits are as likely as long ones. Sleeping takes too long for that. */
static void linger(struct bench *b)
{
    uint64_t most = (uint64_t)1 << next_random(b) % 20, wait = next_random(b) % most, passed;
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (uint64_t)(now.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec - (uint64_t)start.tv_nsec;
    } while (passed < wait);
}

/* Wait until the writer is in this phase for the nth time or has ended, then a little longer. */
static void wait_for(struct bench *b, pid_t pid, enum phase phase, uint64_t nth, int *status, bool *ended)
{
    int last = -1;

    *ended = false;
    for (unsigned turn = 1; !*ended; turn++) {
        int now = atomic_load(&b->shared->phase);

        if (now == (int)phase && now != last && nth-- == 0)
            break;
        last = now;
        if (turn % 1024 == 0) /* asking takes as long as a short nc_sync */
            *ended = waitpid(pid, status, WNOHANG) == pid;
    }
    if (!*ended)
        linger(b);
}

static void start_anew(struct bench *b)
{
    remove_tree(b->folder);
    if (mkdir(b->folder, 0777) != 0)
        perror(b->folder);
    atomic_store(&b->shared->acked, 0);
}

static void one(struct bench *b, enum phase target)
{
    const char *wrong;
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
    wrong = reader_check(&b->ours, b->path, acked, NVARS);
    if (wrong) {
        fprintf(stderr, "%s: killed inside %s, %zu records acknowledged: %s\n", b->c->name,
                phase_names[atomic_load(&b->shared->phase)], acked, wrong);
        b->wrong++;
        start_anew(b); /* the next is judged by itself */
    } else if (reader_check(&b->theirs, b->path, acked, NVARS)) {
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
    struct bench b = {.c = argc > 4 ? container_named(argv[1]) : NULL, .random = 20};
    long kills = argc > 4 ? atol(argv[2]) : 0, least = argc > 4 ? atol(argv[3]) : 0;

    if (!b.c)
        return 2;
    snprintf(b.folder, sizeof b.folder, "%s/now", scratch_make());
    snprintf(b.path, sizeof b.path, b.c->path, b.folder);
    b.ours.command = argv[4];
    b.theirs.command = argc > 5 && *argv[5] ? argv[5] : NULL;
    b.shared = mmap(NULL, sizeof *b.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    start_anew(&b);
    for (long i = 0; i < 200 * kills && b.wrong < 20 && !is_enough(&b, kills, least); i++)
        one(&b, PUT + (enum phase)(i % 3));
    printf("%s: killed inside a put %ld, a sync %ld, a close %ld, elsewhere %ld times: %ld wrong with Cellar",
           b.c->name, b.kills[PUT], b.kills[SYNC], b.kills[CLOSE], b.kills[OTHER], b.wrong);
    if (b.theirs.command)
        printf(", the other library could not read %ld in that moment", b.theirs_failed);
    printf("\n");
    reader_end(&b.ours);
    reader_end(&b.theirs);
    return b.wrong || !is_enough(&b, kills, least);
}
