/* SPDX-License-Identifier: BSD-3-Clause */
/* Which blocks are fetched when: none twice at the same time, more each time for who reads on, and nobody waits for ever. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "blocks.h"
#include "status.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_IN_VALUE = 200, READERS = 8 };

static char value[BLOCKS_IN_VALUE * CEL_BLOCK - 100]; /* the last block is shorter */

static void start(struct cel_blocks *b)
{
    assert_int_equal(cel_blocks_init(b), CEL_OK);
    b->size = sizeof value;
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (char)(i * 31 % 251);
}

static void put(struct cel_blocks *b, struct cel_run run)
{
    cel_blocks_put(b, run, value + run.index * CEL_BLOCK);
}

/* The run that must be fetched for a byte of a block. */
static struct cel_run missing(struct cel_blocks *b, uint64_t index)
{
    struct cel_run run = {0};
    char byte;

    assert_false(cel_blocks_get(b, index, 5, &byte, 1, 1, &run));
    return run;
}

static void test_reading_on(void **state)
{
    struct cel_blocks b;
    struct cel_run run;
    char byte;

    (void)state;
    start(&b);
    run = missing(&b, 10);
    assert_true(run.index == 10 && run.n == 4);
    put(&b, run);
    assert_true(cel_blocks_get(&b, 13, 5, &byte, 1, 1, &run));
    assert_int_equal(byte, value[13 * CEL_BLOCK + 5]);
    run = missing(&b, 14);
    assert_true(run.index == 14 && run.n == 8);
    put(&b, run);
    run = missing(&b, 8); /* as far as what is kept */
    assert_true(run.index == 8 && run.n == 2);
    put(&b, run);
    run = missing(&b, BLOCKS_IN_VALUE - 1);
    assert_int_equal(run.n, 1);
    assert_int_equal(cel_blocks_bytes(&b, run), CEL_BLOCK - 100);
    cel_blocks_dispose(&b);
}

/* A size that is close to the largest number: its blocks are counted all the same. */
static void test_huge_value(void **state)
{
    struct cel_blocks b;
    struct cel_run run;

    (void)state;
    assert_int_equal(cel_blocks_init(&b), CEL_OK);
    b.size = UINT64_MAX - 15;
    run = missing(&b, UINT64_C(1) << 26);
    assert_int_equal(run.n, 4);
    cel_blocks_put(&b, run, NULL);
    run = missing(&b, b.size / CEL_BLOCK);
    assert_int_equal(run.n, 1);
    assert_int_equal(cel_blocks_bytes(&b, run), CEL_BLOCK - 16);
    cel_blocks_put(&b, run, NULL);
    cel_blocks_dispose(&b);
}

static void test_wanted(void **state)
{
    struct cel_blocks b;
    struct cel_run run;

    (void)state;
    start(&b);
    cel_blocks_want(&b, (struct cel_run){20, 3});
    cel_blocks_want(&b, (struct cel_run){22, 3}); /* one of them is listed */
    assert_true(cel_blocks_start(&b, &run));
    assert_true(run.index == 20 && run.n == 3);
    assert_true(cel_blocks_start(&b, &run));
    assert_true(run.index == 23 && run.n == 2);
    assert_false(cel_blocks_start(&b, &run));
    run = missing(&b, 24);
    assert_true(run.index == 23 && run.n == 2);
    put(&b, run);
    run = missing(&b, 22);
    assert_true(run.index == 20 && run.n == 3);
    cel_blocks_put(&b, run, NULL); /* it failed: who asks next fetches it */
    run = missing(&b, 20);
    assert_int_equal(run.index, 20);
    put(&b, run);
    cel_blocks_dispose(&b);
}

static struct cel_blocks shared;
static int fetched[BLOCKS_IN_VALUE]; /* written by whoever has the block's run */

static void *read_all(void *arg)
{
    char bytes[16];

    for (uint64_t i = 0; i < BLOCKS_IN_VALUE; i++) {
        struct cel_run run;

        if (cel_blocks_get(&shared, i, 7, bytes, sizeof bytes, 1, &run)) {
            if (memcmp(bytes, value + i * CEL_BLOCK + 7, sizeof bytes) != 0)
                return arg;
            continue;
        }
        for (size_t k = 0; k < run.n; k++)
            fetched[run.index + k]++;
        put(&shared, run);
    }
    return NULL;
}

static void test_many_readers(void **state)
{
    pthread_t thread[READERS];
    void *wrong;

    (void)state;
    start(&shared);
    cel_blocks_want(&shared, (struct cel_run){50, 30});
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_all, &shared), 0);
    for (int i = 0; i < READERS; i++) {
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    for (int i = 0; i < BLOCKS_IN_VALUE; i++)
        assert_int_equal(fetched[i], 1);
    cel_blocks_dispose(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading_on), cmocka_unit_test(test_huge_value),
                                       cmocka_unit_test(test_wanted), cmocka_unit_test(test_many_readers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
