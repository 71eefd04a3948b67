/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_POOL_H
#define CEL_POOL_H

/* One pool of threads per process, made on first need. A calling thread pushes
 * its tasks to a task group and works on them itself; idle workers help. A pool of
 * size 1 never makes a thread. All calls are safe from any thread; a task may
 * itself open a task group. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct cel_cond;

/* One piece of work, part of a larger struct of its owner. */
struct cel_task {
    void (*run)(struct cel_task *task);
    struct cel_task *next;
    bool done; /* guarded by the pool's lock: ask cel_task_done() */
};

/* The tasks of one call. Only the thread that opened it pushes and finishes. */
struct cel_task_group {
    struct cel_task *first, *last;      /* waiting to be run */
    struct cel_task_group *prev, *next; /* other task groups with waiting tasks */
    const void *opener;                 /* the thread that opened it */
    bool listed;
    bool serial;           /* too little work to wake others for */
    bool background;       /* workers take its tasks only while no other group has some */
    struct cel_cond *done; /* the opener waits here for a running task; else NULL */
    atomic_uint ndone;     /* tasks that others have run; written under the pool's lock */
    char warning[512];     /* the last that others were given: the opener's once it has finished a task */
};

void cel_task_group_open(struct cel_task_group *group, bool serial);

/* One that outlives a call: its tasks are run by workers that have nothing else to do, and by whoever waits for one. Threads
 * take turns with it under a lock of their own: before any other call each adopts it. A fork waits until workers are through
 * with such tasks; those that wait are the child's too. */
void cel_task_group_open_background(struct cel_task_group *group);
void cel_task_group_adopt(struct cel_task_group *group);
void cel_task_group_cancel(struct cel_task_group *group); /* tasks that wait count as done, and are not run */

/* Is this the thread that opened or adopted the group? For assertions. */
bool cel_task_group_is_own(const struct cel_task_group *group);

/* Let the task be run by any thread; urgent: before those already waiting. */
void cel_task_group_push(struct cel_task_group *group, struct cel_task *task, bool urgent);

/* Come back once this task has been run; meanwhile run waiting tasks of the group. */
void cel_task_group_finish(struct cel_task_group *group, struct cel_task *task);
bool cel_task_done(struct cel_task *task);

/* Threads that work together, the calling one included: what was set, else
 * CELLAR_NUM_THREADS, else the cores this process may use. */
int cel_pool_size(void);
void cel_pool_set_size(int n); /* 0: back to the default; more than 1024 counts as 1024 */

/* Threads alive now beside the callers. */
int cel_pool_threads(void);

/* Cores this process may use: its affinity and its cgroup's limit. At least 1. */
int cel_cores(void);

#endif
