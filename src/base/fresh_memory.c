/* SPDX-License-Identifier: BSD-3-Clause */
/* Fresh memory at once, not by one fault for each 4 KiB: in huge pages where they are worth it, else in small ones. The system
 * says whether and for whom it has huge ones:
 *
 *   /sys/kernel/mm/transparent_hugepage/enabled         always [madvise] never
 *   /sys/kernel/mm/transparent_hugepage/hpage_pmd_size  bytes of one
 *
 * Under "always" nothing is to be asked for, under "never" nothing is to be had. Nor is a huge page asked for where small ones
 * are there already: the system would only move them later.
 *
 * A huge page takes a tenth of the time of the 512 small ones in its place. But there are systems where it takes several
 * times as long: a virtual machine gives out small pages that it used before, and is still without memory of its host where
 * 2 MiB lie free in one piece; and where memory is scattered, the system first moves what lies between. Nothing tells before.
 * So their time (the processor's, so that other programs do not count) is held against what small pages would have taken:
 *
 *     credit  +=  what small pages take  -  what this page took        at most MOST pages' worth
 *     credit  +=  a little                                             for a page left to small ones, while credit <= 0
 *
 * A huge page is asked for while there is credit. So a process loses at most MOST pages' worth and one slow page for each
 * thread, later one slow page in SKIPPED times what it took too long, and finds out when they have become fast. */
#include "fresh_memory.h"
#include "env.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SYSTEM "/sys/kernel/mm/transparent_hugepage/"
enum { NOT_ASKED = -1, MOST = 2, SKIPPED = 16, PIECE = 2 << 20, LEAST = 1 << 20 };

long long cel_small_pages_ns = 500; /* 4 KiB in 2 us: with one fault each; measured 1.4 to 3 */

static _Atomic long long page_bytes = NOT_ASKED; /* 0: there are none, or nobody has to ask */
static _Atomic long long credit = 1000000;       /* ns */

static bool read_setting(const char *path, char text[64])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, 63) : -1;

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static long long ask_system(void)
{
    char text[64];
    long long n;

    if (!read_setting(SYSTEM "enabled", text) || !strstr(text, "[madvise]") ||
        !read_setting(SYSTEM "hpage_pmd_size", text))
        return 0;
    n = strtoll(text, NULL, 10);
    return n > 0 && (n & (n - 1)) == 0 ? n : 0;
}

static size_t size_of_one(void)
{
    long long n = atomic_load_explicit(&page_bytes, memory_order_relaxed);

    if (n == NOT_ASKED) {
        n = ask_system();
        atomic_store_explicit(&page_bytes, n, memory_order_relaxed);
    }
    return (size_t)n;
}

static uintptr_t page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static bool is_fresh(const char *at)
{
    unsigned char there = 1;

    return mincore((void *)((uintptr_t)at / page_size() * page_size()), 1, &there) == 0 && !(there & 1);
}

size_t cel_fresh_memory_pieces(void *at, size_t n, struct cel_fresh_memory *out)
{
    size_t huge = cel_env_huge_pages() ? size_of_one() : 0, piece = huge ? huge : PIECE;

    *out = (struct cel_fresh_memory){.at = at, .n = n, .piece = piece, .huge = huge};
    return n < LEAST ? 0 : ((uintptr_t)at % piece + n + piece - 1) / piece;
}

/* Gives no credit beyond `most`. */
static void add_credit(long long ns, long long most)
{
    long long before = atomic_load(&credit), after;

    do
        after = before + ns < most ? before + ns : most;
    while (!atomic_compare_exchange_weak(&credit, &before, after));
}

static long long processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* What the system cannot do is left to faults. */
static void populate(char *at, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    (void)!madvise(at, n, MADV_POPULATE_WRITE);
#else
    (void)at, (void)n;
#endif
}

static void populate_huge(char *at, size_t n)
{
    long long small = (long long)(n / 1024) * cel_small_pages_ns, since;

    add_credit(0, MOST * small);
    if (atomic_load(&credit) <= 0) {
        add_credit(small / SKIPPED, MOST * small);
        populate(at, n);
        return;
    }
    since = processor_ns();
    (void)!madvise(at, n, MADV_HUGEPAGE);
    populate(at, n);
    add_credit(small - (processor_ns() - since), MOST * small);
}

/* Whole pages of it, from *at to *end. */
static void bounds(const struct cel_fresh_memory *memory, size_t i, char **at, char **end)
{
    uintptr_t page = page_size(), start = (uintptr_t)memory->at, stop = start + memory->n;
    uintptr_t from = start / memory->piece * memory->piece + i * memory->piece, to = from + memory->piece;

    from = from < start ? start : from;
    to = to > stop ? stop : to;
    *at = memory->at + ((from + page - 1) / page * page - start);
    *end = memory->at + (to / page * page - start);
}

void cel_fresh_memory_fetch(const struct cel_fresh_memory *memory, size_t i)
{
    int before = errno;
    char *at, *end;

    bounds(memory, i, &at, &end);
    if (at < end) {
        bool first = is_fresh(at), last = is_fresh(end - 1);

        if (first && last && (size_t)(end - at) == memory->huge)
            populate_huge(at, memory->huge);
        else if (first || last)
            populate(at, (size_t)(end - at));
    }
    errno = before;
}
