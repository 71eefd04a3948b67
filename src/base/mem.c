/* SPDX-License-Identifier: BSD-3-Clause */
/* All memory is allocated here, so that the fault tests can make any single request fail. */
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PREFAULT_MIN 65536 /* bytes: fewer are not worth a call */

static _Atomic long until_failure;

long cel_mem_fail_at(long nth)
{
    return atomic_exchange(&until_failure, nth);
}

static bool must_fail(void)
{
    return atomic_load_explicit(&until_failure, memory_order_relaxed) > 0 && atomic_fetch_sub(&until_failure, 1) == 1;
}

bool cel_mul(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool cel_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static void *checked(void *p, size_t nbytes)
{
    if (!p)
        cel_fail(NC_ENOMEM, "no memory for %zu bytes", nbytes);
    return p;
}

void *cel_malloc(size_t nbytes)
{
    return checked(must_fail() ? NULL : malloc(nbytes ? nbytes : 1), nbytes);
}

void *cel_malloc_array(size_t n, size_t size)
{
    size_t nbytes;

    if (!cel_mul(n, size, &nbytes))
        return checked(NULL, (size_t)-1);
    return cel_malloc(nbytes);
}

void *cel_calloc(size_t n, size_t size)
{
    size_t nbytes;

    if (!cel_mul(n, size, &nbytes))
        return checked(NULL, (size_t)-1);
    return checked(must_fail() ? NULL : calloc(n ? n : 1, size ? size : 1), nbytes);
}

void *cel_realloc(void *p, size_t n, size_t size)
{
    size_t nbytes;

    if (!cel_mul(n, size, &nbytes))
        return checked(NULL, (size_t)-1);
    return checked(must_fail() ? NULL : realloc(p, nbytes ? nbytes : 1), nbytes);
}

/* Where the system cannot do it, the pages come one by one as ever. */
void cel_mem_prefault(void *p, size_t nbytes)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = ((uintptr_t)p + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)p + nbytes) / page * page;

    if (nbytes >= PREFAULT_MIN)
        (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
    (void)p, (void)nbytes;
#endif
}

void *cel_memdup(const void *p, size_t nbytes)
{
    void *copy = cel_malloc(nbytes);

    if (copy && nbytes)
        memcpy(copy, p, nbytes);
    return copy;
}

char *cel_strdup(const char *text)
{
    return cel_memdup(text, strlen(text) + 1);
}

char *cel_strndup(const char *text, size_t len)
{
    char *copy = cel_malloc(len + 1);

    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}
