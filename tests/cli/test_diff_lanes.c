/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of `cellar diff` for this machine beside the one for every machine. */

#include "../../tools/cellar/diff_many.c"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* behind what it needs */
#include <cmocka.h>

enum { MANY = 200 };

static void check(sum_fn *portable, sum_fn *fast, const char *a, const char *b, double known)
{
    struct sums x, y;

    portable(a, b, DIFF_BLOCK, known, &x);
    fast(a, b, DIFF_BLOCK, known, &y);
    assert_true(x.abs == y.abs && x.unequal == y.unequal && x.nan == y.nan && x.ulps == y.ulps && x.beyond == y.beyond);
    assert_true(fabs(x.squares - y.squares) <= 1e-12 * x.squares || x.squares == y.squares);
}

/* Mostly near ones; all bits there are where `wild` says so: NaN, infinities and numbers without a one in front among them. */
static double another(double v, int wild)
{
    uint64_t bits = ((uint64_t)rand() << 42) ^ ((uint64_t)rand() << 21) ^ (uint64_t)rand();
    double any;

    memcpy(&any, &bits, sizeof any);
    return wild && rand() % 4 == 0 ? any : v * (1 + (rand() % 3 - 1) * 1e-4);
}

static void both_loops_find_the_same(void **state)
{
    double a[DIFF_BLOCK], b[DIFF_BLOCK];
    float f[DIFF_BLOCK], g[DIFF_BLOCK];

    (void)state;
    srand(1);
    for (int round = 0; round < MANY; round++) {
        for (int i = 0; i < DIFF_BLOCK; i++) {
            a[i] = another(rand() % 2000 - 1000, round % 2);
            b[i] = rand() % 3 ? another(a[i], round % 2) : a[i];
            f[i] = (float)a[i];
            g[i] = (float)b[i];
        }
        check(float_sum, loop_for(true), (const char *)f, (const char *)g, round % 3 * 1e-4);
        check(double_sum, loop_for(false), (const char *)a, (const char *)b, round % 3 * 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_loops_find_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
