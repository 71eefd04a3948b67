/* The one thing to be done at exit, known to whoever has to have it done early. */
#include "exit.h"
#include <stdatomic.h>
#include <stddef.h>

static void (*_Atomic at_exit)(void);

void cel_exit_set(void (*run)(void))
{
    atomic_store(&at_exit, run);
}

void cel_exit_run(void)
{
    void (*run)(void) = atomic_load(&at_exit);

    if (run)
        run();
}
