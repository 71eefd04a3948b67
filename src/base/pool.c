/* The pool: crews with waiting tasks in a ring that idle workers go round, so
 * that no call starves another. One lock guards everything here; tasks run
 * without it. Workers are made one by one while tasks wait and nobody is idle.
 * A thread that cannot be made means fewer workers: callers work too, so the
 * tasks always get done. After fork() the child starts with no workers.
 *
 * Whoever has nothing to do looks out for work for a moment before it sleeps: to be
 * woken takes as long as decoding a chunk where cores sleep deeply (virtual machines),
 * and the scheduler may put the one who is woken behind the one who wakes it. With
 * more threads than cores nobody does that. */
#include "pool.h"
#include "env.h"
#include "fork.h"
#include "status.h"
#include "thread.h"
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define POOL_MAX 1024
#define LOOK_OUT 100000 /* nanoseconds */

static struct cel_mutex lock = CEL_MUTEX_INIT;
static struct cel_cond work = CEL_COND_INIT; /* idle workers wait here */
static struct cel_crew *crews;               /* a ring of those with waiting tasks; NULL: none */
static int size;                             /* 0: not decided yet */
static int nthreads, nidle;
static int ncalled;                          /* of the idle ones, on their way to work */
static int most = POOL_MAX;                  /* fewer once a thread could not be made */
static int cores;                            /* 0: not asked yet */
static atomic_uint calls;                    /* for workers that look out; written under the lock */

/* --- fork -------------------------------------------------------------- */

static void start_anew(void)
{
    crews = NULL;
    nthreads = nidle = ncalled = 0;
    most = POOL_MAX;
    cel_cond_init(&work);
}

CEL_FORK_LOCK(CEL_FORK_POOL, &lock, false, start_anew);

/* --- looking out ----------------------------------------------------------- */

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    for (int i = 0; i < 16; i++)
        __builtin_ia32_pause();
#endif
}

/* Without the lock for a moment, until the count is no longer the one it is now. */
static void look_out(const atomic_uint *count)
{
    unsigned before = atomic_load(count);
    long long end;

    if (!cores)
        cores = cel_cores();
    if (size > cores)
        return;
    cel_unlock(&lock);
    for (end = now() + LOOK_OUT; atomic_load(count) == before && now() < end;)
        pause_a_little();
    cel_lock(&lock);
}

/* --- size, with the lock held -------------------------------------------- */

static int decide_size(void)
{
    if (!size)
        size = cel_env_threads();
    if (!size)
        size = cores = cel_cores();
    if (size > POOL_MAX)
        size = POOL_MAX;
    return size;
}

int cel_pool_size(void)
{
    int n;

    cel_lock(&lock);
    n = decide_size();
    cel_unlock(&lock);
    return n;
}

void cel_pool_set_size(int n)
{
    cel_lock(&lock);
    size = n < 0 ? 0 : n;
    decide_size();
    most = POOL_MAX;
    cel_cond_wake_all(&work); /* those too many go home */
    cel_unlock(&lock);
}

int cel_pool_threads(void)
{
    int n;

    cel_lock(&lock);
    n = nthreads;
    cel_unlock(&lock);
    return n;
}

/* --- crews, with the lock held ---------------------------------------------- */

static void list_crew(struct cel_crew *crew)
{
    if (!crews) {
        crew->prev = crew->next = crews = crew;
    } else {
        crew->next = crews;
        crew->prev = crews->prev;
        crews->prev->next = crew;
        crews->prev = crew;
    }
    crew->listed = true;
}

static void unlist_crew(struct cel_crew *crew)
{
    crew->prev->next = crew->next;
    crew->next->prev = crew->prev;
    if (crews == crew)
        crews = crew->next == crew ? NULL : crew->next;
    crew->listed = false;
}

static struct cel_task *take(struct cel_crew *crew)
{
    struct cel_task *task = crew->first;

    crew->first = task->next;
    if (!crew->first) {
        crew->last = NULL;
        if (crew->listed)
            unlist_crew(crew);
    }
    return task;
}

static void run_unlocked(struct cel_crew *crew, struct cel_task *task)
{
    cel_unlock(&lock);
    task->run(task);
    cel_lock(&lock);
    task->done = true;
    atomic_fetch_add(&crew->ndone, 1);
    if (crew->done)
        cel_cond_wake(crew->done);
}

/* --- warnings, with the lock held --------------------------------------------- */

static void leave_warning(struct cel_crew *crew)
{
    if (!cel_warning_text()[0])
        return;
    snprintf(crew->warning, sizeof crew->warning, "%s", cel_warning_text());
    cel_warning_clear();
}

static void take_warning(struct cel_crew *crew)
{
    if (crew->warning[0])
        cel_warning_adopt(crew->warning);
    crew->warning[0] = '\0';
}

/* --- workers --------------------------------------------------------------- */

static void *worker(void *unused)
{
    cel_lock(&lock);
    for (;;) {
        if (nthreads > size - 1)
            break;
        if (crews) {
            struct cel_crew *crew = crews;

            crews = crew->next;
            run_unlocked(crew, take(crew));
            leave_warning(crew);
        } else {
            nidle++;
            look_out(&calls);
            if (!crews && nthreads <= size - 1)
                cel_cond_wait(&work, &lock);
            nidle--;
            ncalled -= ncalled > 0;
        }
    }
    nthreads--;
    cel_unlock(&lock);
    return NULL;
}

/* Signals are for the program's own threads. */
static bool make_worker(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    bool made;

    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    made = pthread_create(&thread, &attr, worker, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return made;
}

static void call_worker(void)
{
    int want = decide_size() - 1 < most ? size - 1 : most;

    if (nidle > ncalled) {
        ncalled++;
        atomic_fetch_add(&calls, 1);
        cel_cond_wake(&work);
        return;
    }
    if (nthreads >= want)
        return;
    if (make_worker())
        nthreads++;
    else
        most = nthreads;
}

/* --- for callers -------------------------------------------------------------- */

void cel_crew_open(struct cel_crew *crew, bool alone)
{
    *crew = (struct cel_crew){.alone = alone};
}

void cel_crew_push(struct cel_crew *crew, struct cel_task *task, bool urgent)
{
    cel_lock(&lock);
    task->done = false;
    task->next = urgent ? crew->first : NULL;
    if (!crew->first)
        crew->first = crew->last = task;
    else if (urgent)
        crew->first = task;
    else
        crew->last = crew->last->next = task;
    if (!crew->alone && !crew->listed)
        list_crew(crew);
    if (!crew->alone && crew->first->next) /* a single one the opener does as well */
        call_worker();
    cel_unlock(&lock);
}

void cel_crew_finish(struct cel_crew *crew, struct cel_task *task)
{
    struct cel_cond done = CEL_COND_INIT;

    cel_lock(&lock);
    while (!task->done) {
        if (crew->first) {
            run_unlocked(crew, take(crew));
            continue;
        }
        look_out(&crew->ndone);
        if (task->done || crew->first)
            continue;
        crew->done = &done;
        cel_cond_wait(&done, &lock);
        crew->done = NULL;
    }
    take_warning(crew);
    cel_unlock(&lock);
    cel_cond_dispose(&done);
}

bool cel_task_done(struct cel_task *task)
{
    bool done;

    cel_lock(&lock);
    done = task->done;
    cel_unlock(&lock);
    return done;
}
