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

static _Atomic(const void *) asker;

const void *faults_memory_asker(void)
{
    return atomic_load(&asker);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static bool is_system(const char *file)
{
    return strstr(file, "/libc.") || strstr(file, "/ld-linux");
}

/* The innermost function that is neither here nor in the C library, whose strdup() and others ask for somebody else. */
static const void *who_asks(void)
{
    void *frame[16];
    int n = backtrace(frame, 16);
    Dl_info where, self = {0};

    dladdr((void *)who_asks, &self);
    for (int i = 1; i < n; i++)
        if (dladdr(frame[i], &where) && where.dli_fbase != self.dli_fbase && !is_system(where.dli_fname))
            return frame[i];
    return NULL;
}

static bool is_hit(void)
{
    if (!faults_hit(FAULT_MEMORY))
        return false;
    atomic_store(&asker, who_asks());
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
