/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is not to be had, for every library of the process: Cellar, libhdf5, the compressors, the C library itself. Not in
 * builds with a sanitizer, which has an allocator of its own. */
#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool libhdf5_asked;

bool faults_memory_denied_libhdf5(void)
{
    return atomic_load(&libhdf5_asked);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static bool is_system(const char *file)
{
    return strstr(file, "/libc.") || strstr(file, "/ld-linux");
}

/* By the innermost function that is neither here nor in the C library, whose strdup() and others ask for somebody else. */
static bool libhdf5_asks(void)
{
    void *frame[16];
    int n = backtrace(frame, 16);
    Dl_info where, self = {0};

    dladdr((void *)libhdf5_asks, &self);
    for (int i = 1; i < n; i++)
        if (dladdr(frame[i], &where) && where.dli_fbase != self.dli_fbase && !is_system(where.dli_fname))
            return strstr(where.dli_fname, "/libhdf5") != NULL;
    return false;
}

static bool is_hit(void)
{
    if (!faults_hit(FAULT_MEMORY))
        return false;
    if (libhdf5_asks())
        atomic_store(&libhdf5_asked, true);
    errno = ENOMEM;
    return true;
}

#pragma GCC visibility push(default)
void *malloc(size_t n)
{
    return is_hit() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return is_hit() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return is_hit() ? NULL : __libc_realloc(p, n);
}
#pragma GCC visibility pop
#endif
