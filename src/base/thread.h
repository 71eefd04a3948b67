/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_THREAD_H
#define CEL_THREAD_H

/* Locks and threads, as thin as can be, so that another platform is one other file. */

#include <pthread.h>
#include <stdbool.h>

struct cel_mutex {
    pthread_mutex_t m;
};
#define CEL_MUTEX_INIT \
    { \
        PTHREAD_MUTEX_INITIALIZER \
    }

static inline void cel_mutex_init(struct cel_mutex *m)
{
    pthread_mutex_init(&m->m, 0);
}

/* One that its holder may take again. */
#define CEL_MUTEX_INIT_RECURSIVE \
    { \
        PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP \
    }

static inline void cel_mutex_init_recursive(struct cel_mutex *m)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m->m, &attr);
    pthread_mutexattr_destroy(&attr);
}

static inline void cel_mutex_dispose(struct cel_mutex *m)
{
    pthread_mutex_destroy(&m->m);
}

static inline void cel_lock(struct cel_mutex *m)
{
    pthread_mutex_lock(&m->m);
}

static inline bool cel_try_lock(struct cel_mutex *m) /* false: somebody has it */
{
    return pthread_mutex_trylock(&m->m) == 0;
}

static inline void cel_unlock(struct cel_mutex *m)
{
    pthread_mutex_unlock(&m->m);
}

struct cel_cond {
    pthread_cond_t c;
};
#define CEL_COND_INIT \
    { \
        PTHREAD_COND_INITIALIZER \
    }

static inline void cel_cond_init(struct cel_cond *c)
{
    pthread_cond_init(&c->c, 0);
}

static inline void cel_cond_dispose(struct cel_cond *c)
{
    pthread_cond_destroy(&c->c);
}

static inline void cel_cond_wait(struct cel_cond *c, struct cel_mutex *m)
{
    pthread_cond_wait(&c->c, &m->m);
}

static inline void cel_cond_wake(struct cel_cond *c)
{
    pthread_cond_signal(&c->c);
}

static inline void cel_cond_wake_all(struct cel_cond *c)
{
    pthread_cond_broadcast(&c->c);
}

/* A thread that nobody waits for. false: there is none. */
bool cel_thread_start(void *(*run)(void *));

#endif
