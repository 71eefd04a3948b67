/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAULTS_H
#define FAULTS_H

/* Calls made to fail, to do half, or to end the process at a chosen one. A program that links faults.c has its own open(),
 * pread(), pwrite(), rename(), fsync(), close() and so on, which the shared libraries it uses call too; only files below one
 * folder count. With faults_memory.c its malloc(), calloc() and realloc() count as well, whoever calls them. */

#include <stdbool.h>
#include <stddef.h>

enum fault_kind {
    FAULT_WRITE = 1,
    FAULT_LENGTH = 2, /* ftruncate, fallocate */
    FAULT_NAME = 4,   /* rename, unlink, mkdir */
    FAULT_SYNC = 8,
    FAULT_CLOSE = 16,
    FAULT_READ = 32,
    FAULT_OPEN = 64,
    FAULT_MEMORY = 128,
};

struct faults {
    const char *folder; /* NULL: no file counts */
    unsigned kinds;     /* of fault_kind */
    long at;            /* the call that is hit, from 1; 0: none */
    bool from_then_on;  /* ... and all after it */
    int error;          /* errno of the calls hit; 0: the process ends there, without a word */
    bool half;          /* a write does half of it first ... */
    size_t grain;       /* ... up to a multiple of so many bytes in the file; 0: any byte */
    bool brief;         /* no error: a read or write does half of it and says so */
};
void faults_set(const struct faults *f); /* counts from here */
long faults_count(void);                 /* calls since then */

/* For faults_memory.c. */
bool faults_hit(enum fault_kind kind);
int faults_fail(void); /* the answer of a call that is hit */

bool faults_memory_denied_libhdf5(void); /* some of the memory that was not to be had was for libhdf5 */

#endif
