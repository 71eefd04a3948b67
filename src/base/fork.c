/* The fork handlers, one set for the whole library: see fork.h. */
#include "fork.h"
#include <stddef.h>

static const struct cel_fork_lock *locks[CEL_FORK_RANKS]; /* written while the library is loaded */

static void (*pause_others)(void), (*resume_others)(void);

static void hold_all(void)
{
    if (pause_others)
        pause_others();
    for (int i = 0; i < CEL_FORK_RANKS; i++)
        if (locks[i])
            cel_lock(locks[i]->lock);
}

static void let_go_of_all(void)
{
    for (int i = CEL_FORK_RANKS - 1; i >= 0; i--)
        if (locks[i])
            cel_unlock(locks[i]->lock);
}

static void go_on(void)
{
    let_go_of_all();
    if (resume_others)
        resume_others();
}

/* A recursive lock names its holder by a number that the child's thread no longer has, so letting go
 * does not do for it; it does for those who watch locks (ThreadSanitizer). */
static void start_anew(void)
{
    let_go_of_all();
    for (int i = 0; i < CEL_FORK_RANKS; i++)
        if (locks[i])
            (locks[i]->recursive ? cel_mutex_init_recursive : cel_mutex_init)(locks[i]->lock);
    for (int i = 0; i < CEL_FORK_RANKS; i++)
        if (locks[i] && locks[i]->anew)
            locks[i]->anew();
}

void cel_fork_register(enum cel_fork_rank rank, const struct cel_fork_lock *lock)
{
    static bool hooked;

    if (!hooked)
        hooked = pthread_atfork(hold_all, go_on, start_anew) == 0;
    locks[rank] = lock;
}

void cel_fork_pause(void (*pause)(void), void (*resume)(void))
{
    pause_others = pause;
    resume_others = resume;
}
