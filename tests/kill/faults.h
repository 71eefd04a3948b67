#ifndef FAULTS_H
#define FAULTS_H

/* Calls that change files, made to fail or to end the process at a chosen one. A program that links faults.c has
 * its own write(), pwrite(), ftruncate(), rename(), unlink(), fsync(), close() and so on, which the shared libraries it uses call too.
 * Only files below one folder count. */

#include <stdbool.h>

enum fault_kind { FAULT_WRITE = 1, FAULT_LENGTH = 2, FAULT_NAME = 4, FAULT_SYNC = 8, FAULT_CLOSE = 16 };

struct faults {
    const char *folder;  /* NULL: nothing counts */
    unsigned kinds;      /* of fault_kind */
    long at;             /* the call that is hit, from 1; 0: none */
    bool from_then_on;   /* ... and all after it */
    int error;           /* errno of the calls hit; 0: the process ends there, without a word */
    bool half;           /* a write does half of it first */
};
void faults_set(const struct faults *f); /* counts from here */
long faults_count(void);                 /* calls since then */

#endif
