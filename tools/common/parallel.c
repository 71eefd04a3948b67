/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that take the next number until there is none. */

#include "parallel.h"
#include "text.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct work {
    void (*fn)(void *arg, size_t i);
    void *arg;
    size_t n;
    _Atomic size_t next;
};

static void *run(void *arg)
{
    struct work *w = arg;

    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->n;)
        w->fn(w->arg, i);
    return NULL;
}

void parallel_for(size_t threads, size_t n, void (*fn)(void *arg, size_t i), void *arg)
{
    struct work w = {.fn = fn, .arg = arg, .n = n};
    size_t started = 0, wanted = (threads < n ? threads : n);
    pthread_t *thread = tool_alloc(wanted + 1, sizeof *thread);

    while (started + 1 < wanted && pthread_create(&thread[started], NULL, run, &w) == 0)
        started++;
    run(&w);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(thread);
}
