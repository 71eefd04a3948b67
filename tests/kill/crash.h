#ifndef CRASH_H
#define CRASH_H

/* Where a process crashed, told to the one that watches it. */

#include <stdbool.h>

struct crash { /* in memory both of them see */
    int signal;        /* 0: it did not */
    bool in_libhdf5;   /* the innermost function of any library but the C library is libhdf5's ... */
    bool by_libhdf5;   /* ... and it was libhdf5 that did not get memory first */
    char stack[2048];  /* a line for each function */
};

/* From here on a crash, or work of more than five minutes, ends this process and is described there. */
void crash_watch(struct crash *out);

#endif
