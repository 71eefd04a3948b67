/* SPDX-License-Identifier: BSD-3-Clause */
/* Fresh memory that will be filled is there at once, in huge pages where they lie wholly within, and nowhere else. What was
 * asked for is seen in the kernel's list of the process' memory (the flag "hg"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fresh_memory.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE ((size_t)2 << 20)

static bool system_asks(void)
{
    char text[64] = "";
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");

    if (f) {
        (void)!fgets(text, sizeof text, f);
        fclose(f);
    }
    return strstr(text, "[madvise]") != NULL;
}

/* Is this address in memory that huge pages were asked for? */
static bool is_asked_for(const void *at)
{
    uintmax_t first, end;
    bool within = false, asked = false;
    char line[512];
    FILE *f = fopen("/proc/self/smaps", "r");

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%jx-%jx ", &first, &end) == 2)
            within = (uintmax_t)(uintptr_t)at >= first && (uintmax_t)(uintptr_t)at < end;
        else if (within && strncmp(line, "VmFlags:", 8) == 0)
            asked = strstr(line, " hg") != NULL;
    }
    fclose(f);
    return asked;
}

/* Memory of our own, n bytes from a multiple of HUGE on. */
static char *map(size_t n, void **all)
{
    char *at = *all = mmap(NULL, n + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(at != MAP_FAILED);
    return at + (HUGE - (uintptr_t)at % HUGE) % HUGE;
}

static void fetch(void *at, size_t n)
{
    struct cel_fresh_memory memory;
    size_t count = cel_fresh_memory_pieces(at, n, &memory);

    for (size_t i = 0; i < count; i++)
        cel_fresh_memory_fetch(&memory, i);
}

/* Pages of 4 KiB, or what the system has, that are there. */
static size_t count_there(char *at, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), sum = 0;
    unsigned char there;

    for (size_t i = 0; i < n; i += page) {
        assert_int_equal(mincore(at + i, 1, &there), 0);
        sum += there & 1;
    }
    return sum;
}

/* The header says since when the system has the call; an old kernel may be running. */
static bool can_populate(void)
{
    void *all;
    char *at = map(HUGE, &all);
    bool can = false;

#ifdef MADV_POPULATE_WRITE
    can = madvise(at, 4096, MADV_POPULATE_WRITE) == 0;
#endif
    munmap(all, 2 * HUGE);
    return can;
}

/* All whole pages that lie within, none beyond, and the bytes that were there stay. */
static void small_pages_at_once(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *all;
    char *at = map(4 * HUGE, &all);

    (void)state;
    setenv("CELLAR_HUGE_PAGES", "0", 1);
    at[page] = 7; /* as malloc does with its head */
    fetch(at + page + 16, 3 * HUGE - page);
    assert_int_equal(at[page], 7);
    if (can_populate())
        assert_int_equal(count_there(at, 4 * HUGE), 3 * HUGE / page - 1);
    fetch(at + 3 * HUGE + page, HUGE / 4); /* too few to be worth it */
    assert_int_equal(count_there(at + 3 * HUGE + page, HUGE / 4), 0);
    unsetenv("CELLAR_HUGE_PAGES");
    munmap(all, 5 * HUGE);
}

static void whole_pages_of_fresh_memory(void **state)
{
    void *all;
    char *at = map(4 * HUGE, &all);

    (void)state;
    fetch(at + 100, 3 * HUGE); /* the second and third lie within */
    assert_false(is_asked_for(at));
    assert_int_equal(is_asked_for(at + HUGE), system_asks());
    assert_int_equal(is_asked_for(at + 3 * HUGE - 1), system_asks());
    assert_false(is_asked_for(at + 3 * HUGE));
    munmap(all, 5 * HUGE);
}

static void not_where_memory_was_touched_or_is_short(void **state)
{
    void *all;
    char *at = map(4 * HUGE, &all);

    (void)state;
    fetch(at + 1, 2 * HUGE - 2);
    assert_false(is_asked_for(at + HUGE));
    memset(at, 1, 4 * HUGE);
    fetch(at, 4 * HUGE);
    assert_false(is_asked_for(at));
    munmap(all, 5 * HUGE);
}

static void the_switch(void **state)
{
    void *all;
    char *at = map(4 * HUGE, &all);

    (void)state;
    setenv("CELLAR_HUGE_PAGES", "0", 1);
    fetch(at, 4 * HUGE);
    assert_false(is_asked_for(at));
    munmap(all, 5 * HUGE);
    at = map(4 * HUGE, &all);
    setenv("CELLAR_HUGE_PAGES", "1", 1);
    fetch(at, HUGE);
    assert_int_equal(is_asked_for(at), system_asks());
    unsetenv("CELLAR_HUGE_PAGES");
    fetch(at + HUGE, HUGE);
    assert_int_equal(is_asked_for(at + HUGE), system_asks());
    munmap(all, 5 * HUGE);
}

static void not_where_small_pages_are_faster(void **state)
{
    enum { PAGES = 24 };
    long long usual = cel_small_pages_ns;
    void *all;
    char *at = map(PAGES * HUGE, &all);

    (void)state;
    cel_small_pages_ns = 0;
    fetch(at, 2 * HUGE);
    assert_false(is_asked_for(at));
    assert_false(is_asked_for(at + HUGE));
    cel_small_pages_ns = usual;
    fetch(at + 2 * HUGE, (PAGES - 2) * HUGE); /* pages that are left to small ones earn credit */
    assert_int_equal(is_asked_for(at + (PAGES - 1) * HUGE), system_asks());
    munmap(all, (PAGES + 1) * HUGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_pages_of_fresh_memory),
        cmocka_unit_test(not_where_memory_was_touched_or_is_short),
        cmocka_unit_test(the_switch),
        cmocka_unit_test(small_pages_at_once),
        cmocka_unit_test(not_where_small_pages_are_faster),
    };

    cel_small_pages_ns = 1000000; /* whatever the machine's memory takes today */
    if (!system_asks())
        fprintf(stderr, "not run: huge pages asked for (the system does not wait to be asked)\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
