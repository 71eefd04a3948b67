/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of our own: nobody waits for their end, and signals are for the program's own threads. */
#include "thread.h"
#include <sched.h>
#include <signal.h>

/* Moves a new thread away from the core that its maker runs on, and lets it go anywhere again. The system may queue it
 * there, behind its maker, although another core is idle: it would begin milliseconds later, which is as long as a whole
 * read of 10 MB takes. A thread that runs on another core already stays there. */
static void move_to_other_core(pthread_t thread)
{
#ifdef __linux__
    cpu_set_t all, others;
    int own = sched_getcpu();

    if (own < 0 || own >= CPU_SETSIZE || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR((size_t)own, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0)
        pthread_setaffinity_np(thread, sizeof all, &all);
#endif
}

bool cel_thread_start(void *(*run)(void *))
{
    pthread_t thread;
    sigset_t all, old;
    bool made;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    made = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (made) {
        move_to_other_core(thread);
        pthread_detach(thread);
    }
    return made;
}
