/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_FORK_H
#define CEL_FORK_H

/* fork() while other threads are inside the library. Every lock of the process (not those of a
 * dataset or a variable) is registered here when the library is loaded. Before a fork all of them are taken, so that
 * what they guard is consistent, in the order in which they nest everywhere else. Afterwards the parent unlocks them;
 * the child initialises them again, since the thread that holds them has another id there. Datasets that threads of
 * the parent were using are the id table's affair (api_id.c). */

#include "thread.h"
#include <stdbool.h>
#include <sys/types.h>

/* The lock order, outermost first. */
enum cel_fork_rank {
    CEL_FORK_BEHIND,  /* queues of chunks that are stored later */
    CEL_FORK_FILTER,  /* held while a filter of others runs, which may call the API */
    CEL_FORK_HDF5,    /* libhdf5; the same */
    CEL_FORK_FILES,   /* HDF5 files of the process */
    CEL_FORK_PLUGINS, /* what was loaded */
    CEL_FORK_PATH,    /* where it is looked for */
    CEL_FORK_RC,
    CEL_FORK_SETTINGS,
    CEL_FORK_FIRST_USE,
    CEL_FORK_IDS, /* open datasets */
    CEL_FORK_WORKSPACES,
    CEL_FORK_POOL,
    CEL_FORK_CACHE, /* of values on servers, on disk */
    CEL_FORK_CREDENTIALS,
    CEL_FORK_NET,   /* requests; nothing but the next is taken under it */
    CEL_FORK_TRACE, /* the file of a timeline: taken under any of them, nothing under it */
    CEL_FORK_RANKS
};

struct cel_fork_lock {
    struct cel_mutex *lock;
    bool recursive;
    void (*anew)(void); /* in the child, once all locks are new; NULL: nothing more to do */
};

/* As getpid(), without a call of the system each time: what belongs to a process is asked for its owner once a chunk. */
pid_t cel_process(void);

/* Called by CEL_FORK_LOCK before main(). */
void cel_fork_register(enum cel_fork_rank rank, const struct cel_fork_lock *lock);

/* Called before all that follows, to end what a child must not end. Only one. */
void cel_fork_before(void (*run)(void));

/* Called before the first lock is taken, and in the parent once all are free again: what runs beside the callers, where no
 * dataset knows of it, is over by then. Only one such pair. */
void cel_fork_pause(void (*pause)(void), void (*resume)(void));

/* Beside a lock: CEL_FORK_LOCK(CEL_FORK_POOL, &lock, false, start_anew); once in a file. */
#define CEL_FORK_LOCK(rank, ...) \
    __attribute__((constructor)) static void register_for_fork(void) \
    { \
        static const struct cel_fork_lock for_fork = {__VA_ARGS__}; \
\
        cel_fork_register(rank, &for_fork); \
    } \
    struct cel_fork_lock /* for the semicolon */

#endif
