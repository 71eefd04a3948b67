/* SPDX-License-Identifier: BSD-3-Clause */
/* The fork handlers, one set for the whole library: see fork.h. */
#include "fork.h"
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

static const struct cel_fork_lock *locks[CEL_FORK_RANKS]; /* written while the library is loaded */

static void (*first_of_all)(void);
static void (*pause_others)(void), (*resume_others)(void);

/* --- which process this is ------------------------------------------------------------ */

/* Of a page that the system clears in a child, however that was made: not every way of it calls the handlers below. */
static _Atomic pid_t *process; /* NULL: there is no such page. 0 in it: not asked yet */

pid_t cel_process(void)
{
    pid_t id = process ? atomic_load_explicit(process, memory_order_relaxed) : 0;

    if (id)
        return id;
    id = getpid();
    if (process)
        atomic_store_explicit(process, id, memory_order_relaxed);
    return id;
}

/* qemu-user says that it will clear the page, and does not. */
static void forget_process(void)
{
    if (process)
        atomic_store_explicit(process, 0, memory_order_relaxed);
}

/* --- handlers ----------------------------------------------------------------------------- */

static void hold_all(void)
{
    if (first_of_all)
        first_of_all();
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
    forget_process();
    let_go_of_all();
    for (int i = 0; i < CEL_FORK_RANKS; i++)
        if (locks[i])
            (locks[i]->recursive ? cel_mutex_init_recursive : cel_mutex_init)(locks[i]->lock);
    for (int i = 0; i < CEL_FORK_RANKS; i++)
        if (locks[i] && locks[i]->anew)
            locks[i]->anew();
}

static void add_handlers(void)
{
    static bool added; /* while the library is loaded, by one thread */

    if (!added)
        added = pthread_atfork(hold_all, go_on, start_anew) == 0;
}

void cel_fork_register(enum cel_fork_rank rank, const struct cel_fork_lock *lock)
{
    add_handlers();
    locks[rank] = lock;
}

__attribute__((constructor)) static void make_page(void)
{
#ifdef MADV_WIPEONFORK
    size_t n = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    add_handlers();
    if (page == MAP_FAILED)
        return;
    if (madvise(page, n, MADV_WIPEONFORK) == 0)
        process = page;
    else
        munmap(page, n);
#endif
}

void cel_fork_before(void (*run)(void))
{
    first_of_all = run;
}

void cel_fork_pause(void (*pause)(void), void (*resume)(void))
{
    pause_others = pause;
    resume_others = resume;
}
