/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CRASH_H
#define CRASH_H

/* Where a process crashed, told to the one that watches it. */

#include <stdbool.h>

struct crash {        /* in memory both of them see */
    int signal;       /* 0: it did not; -1: somebody called exit() */
    bool in_libhdf5;  /* the innermost function of any library but the C library is libhdf5's ... */
    bool by_libhdf5;  /* ... and libhdf5 had got no memory before */
    char stack[2048]; /* a line for each function */
};

/* From here on a crash, work of more than five minutes, or exit() before crash_watch_exit() ends this process and is
 * described there. */
void crash_watch(struct crash *out);
void crash_watch_exit(void);

#endif
