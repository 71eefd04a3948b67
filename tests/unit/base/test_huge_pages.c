/* SPDX-License-Identifier: BSD-3-Clause */
/* Huge pages are asked for on fresh memory that will be filled, in whole pages, and nowhere else. What was asked for is seen
 * in the kernel's list of the process' memory (the flag "hg"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "huge_pages.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

static void whole_pages_of_fresh_memory(void **state)
{
    void *all;
    char *at = map(4 * HUGE, &all);

    (void)state;
    cel_huge_pages_advise(at + 100, 3 * HUGE); /* the second and third lie within */
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
    cel_huge_pages_advise(at + 1, 2 * HUGE - 2);
    assert_false(is_asked_for(at + HUGE));
    memset(at, 1, 4 * HUGE);
    cel_huge_pages_advise(at, 4 * HUGE);
    assert_false(is_asked_for(at));
    munmap(all, 5 * HUGE);
}

static void the_switch(void **state)
{
    void *all;
    char *at = map(4 * HUGE, &all);

    (void)state;
    unsetenv("CELLAR_HUGE_PAGES");
    cel_huge_pages_advise(at, 4 * HUGE);
    setenv("CELLAR_HUGE_PAGES", "0", 1);
    cel_huge_pages_advise(at, 4 * HUGE);
    setenv("CELLAR_HUGE_PAGES", "1", 1);
    assert_false(is_asked_for(at));
    munmap(all, 5 * HUGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_pages_of_fresh_memory),
        cmocka_unit_test(not_where_memory_was_touched_or_is_short),
        cmocka_unit_test(the_switch),
    };

    setenv("CELLAR_HUGE_PAGES", "1", 1);
    if (!system_asks())
        fprintf(stderr, "not run: huge pages asked for (the system does not wait to be asked)\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
