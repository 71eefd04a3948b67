/* SPDX-License-Identifier: BSD-3-Clause */
/* Huge pages for fresh memory. The system says whether and for whom it has them:
 *
 *   /sys/kernel/mm/transparent_hugepage/enabled         always [madvise] never
 *   /sys/kernel/mm/transparent_hugepage/hpage_pmd_size  bytes of one
 *
 * Under "always" nothing is to be asked for, under "never" nothing is to be had. Memory that was touched has its pages
 * already; asking for it would only have the system move them later. */
#include "huge_pages.h"
#include "env.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SYSTEM "/sys/kernel/mm/transparent_hugepage/"
enum { NOT_ASKED = -1 };

static _Atomic long long page_bytes = NOT_ASKED; /* 0: there are none, or nobody has to ask */

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

static bool is_fresh(char *at)
{
    unsigned char there = 1;

    return mincore(at, 1, &there) == 0 && !(there & 1);
}

void cel_huge_pages_advise(void *at, size_t n)
{
    size_t one = size_of_one(), skip, len;
    int before = errno;
    char *first;

    if (!one || n < one || !cel_env_huge_pages())
        return;
    skip = (one - (uintptr_t)at % one) % one;
    if (n - skip < one)
        return;
    first = (char *)at + skip;
    len = (n - skip) / one * one;
    if (is_fresh(first) || is_fresh(first + len - one))
        (void)!madvise(first, len, MADV_HUGEPAGE); /* without it the memory is as good, only slower */
    errno = before;
}
