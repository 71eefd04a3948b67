/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool: task groups with waiting tasks in a ring from which idle workers take tasks in turn, so
 * that no call starves another. One lock guards everything here; tasks run
 * without it. Workers are made one by one while tasks wait and no worker is idle.
 * A thread that cannot be made means fewer workers: callers work too, so the
 * tasks always get done. After fork() the child starts with no workers.
 *
 * A thread with nothing to do spins for a moment before it sleeps. Waking a thread takes
 * as long as decoding a chunk where cores sleep deeply (virtual machines), and the
 * scheduler may queue the woken thread behind the one that wakes it. With more threads
 * than cores no thread spins. */
#include "pool.h"
#include "env.h"
#include "fork.h"
#include "status.h"
#include "thread.h"
#include "trace.h"
#include <assert.h>
#include <stdio.h>
#include <time.h>

#define POOL_MAX 1024
#define SPIN_NS 100000

static struct cel_mutex lock = CEL_MUTEX_INIT;
static struct cel_cond work = CEL_COND_INIT;  /* idle workers wait here */
static struct cel_task_group *task_groups;    /* a ring of those with waiting tasks; NULL: none */
static struct cel_task_group *background;     /* the same, of background groups */
static struct cel_cond quiet = CEL_COND_INIT; /* a fork waits here for ... */
static int nbackground;                       /* ... tasks of these that workers run */
static int npauses;                           /* forks that are about to be made: workers begin no such task */
static int size;                              /* 0: not decided yet */
static int nthreads, nidle;
static int nwoken;                  /* of the idle ones, woken and not yet at work */
static int nthreads_max = POOL_MAX; /* fewer once a thread could not be made */
static int cores;                   /* 0: not asked yet */
static atomic_uint nwakes;          /* for workers that spin; written under the lock */

/* --- fork -------------------------------------------------------------- */

static void reset_in_child(void)
{
    task_groups = NULL;
    nthreads = nidle = nwoken = npauses = 0;
    nthreads_max = POOL_MAX;
    cel_cond_init(&work);
    cel_cond_init(&quiet);
}

CEL_FORK_LOCK(CEL_FORK_POOL, &lock, false, reset_in_child);

/* A background task may hold locks of its dataset, which no call is using: so it ends before the fork. */
static void pause_background(void)
{
    cel_lock(&lock);
    npauses++;
    while (nbackground)
        cel_cond_wait(&quiet, &lock);
    cel_unlock(&lock);
}

static void resume_background(void)
{
    cel_lock(&lock);
    if (--npauses == 0 && background)
        cel_cond_wake_all(&work);
    cel_unlock(&lock);
}

__attribute__((constructor)) static void register_pause(void)
{
    cel_fork_pause(pause_background, resume_background);
}

/* --- spinning ----------------------------------------------------------- */

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    for (int i = 0; i < 16; i++)
        __builtin_ia32_pause();
#endif
}

/* Without the lock for a moment, until the count is no longer the one it is now. */
static void spin(const atomic_uint *count)
{
    unsigned before = atomic_load(count);
    long long end;

    if (!cores)
        cores = cel_cores();
    if (size > cores)
        return;
    cel_unlock(&lock);
    for (end = now() + SPIN_NS; atomic_load(count) == before && now() < end;)
        pause_core();
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
    nthreads_max = POOL_MAX;
    cel_cond_wake_all(&work); /* those too many end */
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

/* --- task groups, with the lock held ---------------------------------------------- */

static struct cel_task_group **ring_of(const struct cel_task_group *group)
{
    return group->background ? &background : &task_groups;
}

static void list_group(struct cel_task_group *group)
{
    struct cel_task_group **ring = ring_of(group);

    if (!*ring) {
        group->prev = group->next = *ring = group;
    } else {
        group->next = *ring;
        group->prev = (*ring)->prev;
        (*ring)->prev->next = group;
        (*ring)->prev = group;
    }
    group->listed = true;
}

static void unlist_group(struct cel_task_group *group)
{
    struct cel_task_group **ring = ring_of(group);

    group->prev->next = group->next;
    group->next->prev = group->prev;
    if (*ring == group)
        *ring = group->next == group ? NULL : group->next;
    group->listed = false;
}

static struct cel_task *take_first(struct cel_task_group *group)
{
    struct cel_task *task = group->first;

    assert(task && !task->done);
    group->first = task->next;
    if (!group->first) {
        group->last = NULL;
        if (group->listed)
            unlist_group(group);
    }
    return task;
}

static void run_unlocked(struct cel_task_group *group, struct cel_task *task)
{
    cel_unlock(&lock);
    task->run(task);
    cel_lock(&lock);
    task->done = true;
    atomic_fetch_add(&group->ndone, 1);
    if (group->done)
        cel_cond_wake(group->done);
}

/* --- warnings, with the lock held --------------------------------------------- */

static void leave_warning(struct cel_task_group *group)
{
    if (!cel_warning_text()[0])
        return;
    snprintf(group->warning, sizeof group->warning, "%s", cel_warning_text());
    cel_warning_clear();
}

static void take_warning(struct cel_task_group *group)
{
    if (group->warning[0])
        cel_warning_adopt(group->warning);
    group->warning[0] = '\0';
}

/* --- workers --------------------------------------------------------------- */

static bool has_work(void)
{
    return task_groups || (background && !npauses);
}

/* A task of the next group of the ring. */
static void work_on(struct cel_task_group **ring)
{
    struct cel_task_group *group = *ring;

    *ring = group->next;
    run_unlocked(group, take_first(group));
    leave_warning(group);
}

static void work_in_background(void)
{
    nbackground++;
    work_on(&background);
    if (--nbackground == 0 && npauses)
        cel_cond_wake_all(&quiet);
}

static void *worker(void *unused)
{
    cel_trace_name_thread("worker");
    cel_lock(&lock);
    for (;;) {
        assert(nwoken <= nidle && nidle <= nthreads);
        if (nthreads > size - 1)
            break;
        if (task_groups) {
            work_on(&task_groups);
        } else if (has_work()) {
            work_in_background();
        } else {
            nidle++;
            spin(&nwakes);
            if (!has_work() && nthreads <= size - 1)
                cel_cond_wait(&work, &lock);
            nidle--;
            nwoken -= nwoken > 0;
        }
    }
    nthreads--;
    cel_unlock(&lock);
    return NULL;
}

static void wake_worker(void)
{
    int want = decide_size() - 1 < nthreads_max ? size - 1 : nthreads_max;

    if (nidle > nwoken) {
        nwoken++;
        atomic_fetch_add(&nwakes, 1);
        cel_cond_wake(&work);
        return;
    }
    if (nthreads >= want)
        return;
    if (cel_thread_start(worker))
        nthreads++;
    else
        nthreads_max = nthreads;
}

/* --- for callers -------------------------------------------------------------- */

static _Thread_local char self; /* its address tells threads apart */

void cel_task_group_open(struct cel_task_group *group, bool serial)
{
    *group = (struct cel_task_group){.serial = serial, .opener = &self};
}

void cel_task_group_open_background(struct cel_task_group *group)
{
    *group = (struct cel_task_group){.background = true, .opener = &self};
}

void cel_task_group_adopt(struct cel_task_group *group)
{
    group->opener = &self;
}

void cel_task_group_cancel(struct cel_task_group *group)
{
    assert(cel_task_group_is_own(group));
    cel_lock(&lock);
    while (group->first)
        take_first(group)->done = true;
    cel_unlock(&lock);
}

bool cel_task_group_is_own(const struct cel_task_group *group)
{
    return group->opener == &self;
}

void cel_task_group_push(struct cel_task_group *group, struct cel_task *task, bool urgent)
{
    assert(cel_task_group_is_own(group));
    cel_lock(&lock);
    task->done = false;
    task->next = urgent ? group->first : NULL;
    if (!group->first)
        group->first = group->last = task;
    else if (urgent)
        group->first = task;
    else
        group->last = group->last->next = task;
    if (!group->serial && !group->listed)
        list_group(group);
    if (group->background || (!group->serial && group->first->next)) /* a single one the opener does as well */
        wake_worker();
    cel_unlock(&lock);
}

/* How long this thread waited, noted without the lock. */
static void trace_wait(uint64_t since)
{
    const struct cel_trace_span span = {.since = since, .stage = CEL_TRACE_WAIT_THREADS};

    if (!since)
        return;
    cel_unlock(&lock);
    cel_trace_record(&span);
    cel_lock(&lock);
}

/* Until a task of the group has been run by others. With the lock held, which is let go meanwhile. */
static void await_others(struct cel_task_group *group, const struct cel_task *task, struct cel_cond *done)
{
    uint64_t since = CEL_TRACE_IS_ON ? cel_trace_now() : 0;

    spin(&group->ndone);
    if (!task->done && !group->first) {
        group->done = done;
        cel_cond_wait(done, &lock);
        group->done = NULL;
    }
    trace_wait(since);
}

void cel_task_group_finish(struct cel_task_group *group, struct cel_task *task)
{
    struct cel_cond done = CEL_COND_INIT;

    assert(cel_task_group_is_own(group));
    cel_lock(&lock);
    while (!task->done) {
        if (group->first) {
            run_unlocked(group, take_first(group));
            continue;
        }
        await_others(group, task, &done);
    }
    take_warning(group);
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
