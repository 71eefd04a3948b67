/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COUNTING_H
#define COUNTING_H

/* What this process reads and writes at offsets of files, which MPI itself does not: counted, writes also refused. */

#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

static size_t written; /* bytes that this process wrote at offsets */
static int refused;    /* writes fail */

#define COUNTING(type, name, offset) \
    __attribute__((visibility("default"))) type name(int fd, const void *bytes, size_t n, offset at) \
    { \
        static type (*real)(int, const void *, size_t, offset); \
\
        if (!real) \
            *(void **)&real = dlsym(RTLD_NEXT, #name); \
        if (refused) { \
            errno = EIO; \
            return -1; \
        } \
        written += n; \
        return real(fd, bytes, n, at); \
    }
COUNTING(ssize_t, pwrite, off_t)
COUNTING(ssize_t, pwrite64, off64_t)

static size_t fetched __attribute__((unused)); /* bytes that this process asked for at offsets */

#define COUNTING_READS(name, offset) \
    __attribute__((visibility("default"))) ssize_t name(int fd, void *bytes, size_t n, offset at) \
    { \
        static ssize_t (*real)(int, void *, size_t, offset); \
\
        if (!real) \
            *(void **)&real = dlsym(RTLD_NEXT, #name); \
        fetched += n; \
        return real(fd, bytes, n, at); \
    }
COUNTING_READS(pread, off_t)
COUNTING_READS(pread64, off64_t)

#endif
