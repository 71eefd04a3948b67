/* SPDX-License-Identifier: BSD-3-Clause */
/* Under AddressSanitizer a block above some 100 kB is a mapping of its own, and its map of valid bytes is filled twice and
 * dropped again: liblzma, which wants 8 to 600 MB for each chunk of 260 bytes, spends its time in the kernel. Here such
 * blocks are kept when they are freed and handed out again for requests of the same size. They are ASan's own blocks, with its
 * fences around them; while nobody has them their ends are poisoned, so that a use after free() is seen.
 * Built without sanitizers: the first calls come before ASan is ready. */
#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((size_t)1 << 20)
#define END 4096 /* bytes at each end that are poisoned; a page */
#define NBLOCKS 64

#pragma GCC visibility push(default) /* liblzma's calls are to come here */

void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t n, size_t size);
void *__interceptor_realloc(void *p, size_t size);
void __interceptor_free(void *p);

static struct {
    void *p; /* NULL: the row is free */
    size_t size;
    int idle;
} block[NBLOCKS];
static volatile char taken; /* liblzma's callers may be threads */

static void enter(void)
{
    while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE))
        ;
}

static void leave(void)
{
    __atomic_clear(&taken, __ATOMIC_RELEASE);
}

static void poison_ends(void *p, size_t size)
{
    __asan_poison_memory_region(p, END);
    __asan_poison_memory_region((char *)p + size / END * END - END, END);
}

static void *take_idle(size_t size)
{
    void *p = NULL;

    enter();
    for (int i = 0; !p && i < NBLOCKS; i++)
        if (block[i].idle && block[i].size == size) {
            block[i].idle = 0;
            p = block[i].p;
        }
    leave();
    if (p) {
        __asan_unpoison_memory_region(p, END);
        __asan_unpoison_memory_region((char *)p + size / END * END - END, END);
    }
    return p;
}

static void note(void *p, size_t size)
{
    enter();
    for (int i = 0; i < NBLOCKS; i++)
        if (!block[i].p) {
            block[i].p = p;
            block[i].size = size;
            break;
        }
    leave();
}

/* Is it one of the noted ones? Then it is idle now. */
static int keep(void *p)
{
    size_t size = 0;

    enter();
    for (int i = 0; !size && i < NBLOCKS; i++)
        if (block[i].p == p) {
            if (block[i].idle)
                abort(); /* freed twice */
            block[i].idle = 1;
            size = block[i].size;
        }
    leave();
    if (size)
        poison_ends(p, size);
    return size != 0;
}

static void forget(const void *p)
{
    enter();
    for (int i = 0; i < NBLOCKS; i++)
        if (p && block[i].p == p)
            block[i].p = NULL;
    leave();
}

/* Before the search for leaks, which would read all that these blocks hold. */
static void release(void)
{
    for (int i = 0; i < NBLOCKS; i++)
        if (block[i].p && block[i].idle) {
            __interceptor_free(block[i].p);
            block[i].p = NULL;
            block[i].idle = 0;
        }
}

__attribute__((constructor)) static void release_at_exit(void)
{
    atexit(release);
}

void *malloc(size_t size)
{
    void *p = size >= LARGE ? take_idle(size) : NULL;

    if (p)
        return p;
    p = __interceptor_malloc(size);
    if (p && size >= LARGE)
        note(p, size);
    return p;
}

/* Whole pages become zero when the kernel takes them back. */
static void clear(char *p, size_t size)
{
    size_t before = (size_t)(-(uintptr_t)p % END), whole = (size - before) / END * END;

    memset(p, 0, before);
    memset(p + before + whole, 0, size - before - whole);
    if (madvise(p + before, whole, MADV_DONTNEED) != 0)
        memset(p + before, 0, whole);
}

void *calloc(size_t n, size_t size)
{
    size_t nbytes;
    void *p;

    if (__builtin_mul_overflow(n, size, &nbytes) || nbytes < LARGE)
        return __interceptor_calloc(n, size);
    p = take_idle(nbytes);
    if (p) {
        clear(p, nbytes);
        return p;
    }
    p = __interceptor_calloc(n, size);
    if (p)
        note(p, nbytes);
    return p;
}

void *realloc(void *p, size_t size)
{
    forget(p);
    return __interceptor_realloc(p, size);
}

void free(void *p)
{
    if (p && keep(p))
        return;
    __interceptor_free(p);
}
