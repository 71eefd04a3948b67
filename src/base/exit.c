/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps what upper folders do at exit, so that lower folders can call it without knowing them. */
#include "exit.h"
#include "trace.h"
#include <stdatomic.h>
#include <stddef.h>

static void (*_Atomic to_flush)(void);
static void (*_Atomic to_close)(const void *kind);
static void (*_Atomic at_last)(void);

void cel_exit_set(void (*flush)(void), void (*close)(const void *kind))
{
    atomic_store(&to_flush, flush);
    atomic_store(&to_close, close);
}

void cel_exit_flush(void)
{
    void (*flush)(void) = atomic_load(&to_flush);

    if (flush)
        flush();
}

void cel_exit_close(const void *kind)
{
    void (*close)(const void *) = atomic_load(&to_close);

    if (close)
        close(kind);
}

void cel_exit_last(void (*run)(void))
{
    atomic_store(&at_last, run);
}

/* Runs after every exit handler of the program, and before the destructors of the libraries below; with this
 * priority after those of a program that has the library linked in. */
__attribute__((destructor(101))) static void library_goes(void)
{
    void (*last)(void) = atomic_load(&at_last);

    cel_exit_close(NULL);
    if (last)
        last();
    cel_trace_save();
}
