/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of our own: nobody waits for their end, and signals are for the program's own threads. */
#include "thread.h"
#include <signal.h>

bool cel_thread_start(void *(*run)(void *))
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
    made = pthread_create(&thread, &attr, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return made;
}
