/* SPDX-License-Identifier: BSD-3-Clause */
/* Gets that go on step by step: what comes next is decoded before it is asked for, the values are the same,
 * what nobody asks for is taken back, a chunk that could not be read ahead is read when it is asked for, and forks
 * and other requests come between. */
#include "array_int.h"
#include "fake.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { STEPS = 40, Y = 3, X = 64 };

static struct cel_dataset *ds;
static struct cel_var *var;
static int field[STEPS][Y][X], back[STEPS][Y][X];

static int tear_down(void **state)
{
    fake_free(ds);
    return 0;
}

static int set_up(void **state)
{
    cel_small_work = 0;
    cel_pool_set_size(4);
    return fake_make(&ds, 0);
}

/* In chunks of so many steps; the dataset is only read from now on. */
static void write_field(size_t steps, const char *chain)
{
    struct cel_region all = {(const size_t[]){0, 0, 0}, (const size_t[]){STEPS, Y, X}, NULL, NULL};

    var = fake_var(ds, "v", cel_type_atomic(NC_INT), 3, all.count, NULL, (const size_t[]){steps, 2, X}, chain);
    var->cache.size = 1 << 20;
    for (size_t i = 0; i < sizeof field / sizeof(int); i++)
        (&field[0][0][0])[i] = (int)(i * 2654435761u);
    assert_int_equal(cel_put_region(ds, var, &all, field, NC_INT), CEL_OK);
    assert_int_equal(cel_array_flush(ds, var), CEL_OK);
    cel_array_free(var);
    ds->writable = ds->defining = false;
    fake_of(ds)->reads = 0;
}

static int get_as(size_t at, void *to, nc_type type)
{
    struct cel_region step = {(const size_t[]){at, 0, 0}, (const size_t[]){1, Y, X}, NULL, NULL};

    return cel_get_region(ds, var, &step, to, type);
}

static void get_right(size_t at)
{
    assert_int_equal(get_as(at, back[at], NC_INT), CEL_OK);
    assert_memory_equal(back[at], field[at], sizeof field[at]);
}

static size_t ahead(void)
{
    return var->array->read_ahead.n;
}

static void whole_chunks_come_before_they_are_asked_for(void **state)
{
    write_field(1, "shuffle|deflate,1");
    get_right(0);
    get_right(1);
    assert_int_equal(ahead(), 0); /* two are no sweep */
    for (size_t t = 2; t < STEPS; t++) {
        get_right(t);
        assert_true(ahead() <= 4);
        assert_true(t + 1 == STEPS || ahead() > 0);
        assert_true(var->array->cache.n == ahead()); /* those handed out have left it */
    }
    assert_int_equal(ahead(), 0);
    assert_int_equal(fake_of(ds)->reads, 2 * STEPS); /* each once */
}

static void rows_that_steps_share_come_whole(void **state)
{
    write_field(5, "shuffle|deflate,1");
    for (size_t t = 0; t < STEPS; t++) {
        size_t rows_left = STEPS / 5 - 1 - t / 5;

        get_right(t);
        assert_int_equal(ahead(), t < 2 ? 0 : rows_left < 2 ? 2 * rows_left : 4); /* as many as there are threads */
    }
    assert_int_equal(fake_of(ds)->reads,
                     2 * STEPS / 5 + 2); /* the first row twice: once when nobody knew it would be asked for */
}

static void what_nobody_asks_for_is_taken_back(void **state)
{
    write_field(1, "shuffle|deflate,1");
    for (size_t t = 0; t < 5; t++)
        get_right(t);
    assert_true(ahead() > 0);
    get_right(20);
    assert_int_equal(ahead(), 0);
    assert_int_equal(var->array->cache.n, 0);
    for (size_t t = 21; t < 25; t++)
        get_right(t);
    assert_true(ahead() > 0); /* and is being read when the dataset is closed */
}

static void the_cache_bounds_it(void **state)
{
    write_field(1, "shuffle|deflate,1");
    var->cache.size = 3 * 2 * X * sizeof(int);
    for (size_t t = 0; t < 10; t++) {
        get_right(t);
        assert_true(ahead() <= 1); /* two chunks of the get at work, one beside them */
    }
    var->cache.size = 0;
    assert_int_equal(cel_array_resize_cache(ds, var), CEL_OK);
    for (size_t t = 10; t < 20; t++) {
        get_right(t);
        assert_int_equal(ahead(), 0);
    }
}

static void one_thread_reads_nothing_ahead(void **state)
{
    write_field(1, "shuffle|deflate,1");
    cel_pool_set_size(1);
    for (size_t t = 0; t < 10; t++) {
        get_right(t);
        assert_int_equal(ahead(), 0);
    }
}

static void a_chunk_that_failed_is_read_again(void **state)
{
    write_field(1, "shuffle|deflate,1");
    for (size_t t = 0; t < 2; t++)
        get_right(t);
    fake_of(ds)->fail_read = 3; /* the first of those read ahead */
    for (size_t t = 2; t < STEPS; t++)
        get_right(t);
    assert_int_equal(fake_of(ds)->fail_read, 0);
    assert_int_equal(fake_of(ds)->reads, 2 * STEPS + 1);
}

static void other_types_and_short_runs_come_between(void **state)
{
    double converted[Y][X];
    int column[STEPS];
    struct cel_region one = {(const size_t[]){10, 1, 7}, (const size_t[]){5, 1, 1}, NULL, NULL};

    write_field(5, "shuffle|deflate,1");
    for (size_t t = 0; t < 13; t++)
        get_right(t);
    assert_int_equal(get_as(13, converted, NC_DOUBLE), CEL_OK);
    for (size_t i = 0; i < Y * X; i++)
        assert_true((&converted[0][0])[i] == (&field[13][0][0])[i]);
    get_right(14);
    assert_int_equal(cel_get_region(ds, var, &one, column, NC_INT), CEL_OK);
    for (size_t t = 10; t < 15; t++)
        assert_int_equal(column[t - 10], field[t][1][7]);
    for (size_t t = 10; t < STEPS; t++)
        get_right(t);
}

/* The child has what was read ahead, and none of the threads. */
static void a_child_goes_on(void **state)
{
#if defined(__SANITIZE_THREAD__) || \
    defined(__SANITIZE_ADDRESS__) /* a forked child may make no threads, may hang in malloc */
    skip();
#endif
    write_field(1, "shuffle|deflate,1");
    for (size_t t = 0; t < STEPS; t++) {
        int status = 0;
        pid_t child;

        get_right(t);
        child = fork();
        assert_true(child >= 0);
        if (!child) {
            fake_of(ds)->caller = pthread_self();
            alarm(60);
            for (size_t s = t + 1; s < STEPS; s++)
                if (get_as(s, back[s], NC_INT) != CEL_OK || memcmp(back[s], field[s], sizeof field[s]) != 0)
                    _exit(1);
            cel_array_free(var);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(whole_chunks_come_before_they_are_asked_for),
        TEST(rows_that_steps_share_come_whole),
        TEST(what_nobody_asks_for_is_taken_back),
        TEST(the_cache_bounds_it),
        TEST(one_thread_reads_nothing_ahead),
        TEST(a_chunk_that_failed_is_read_again),
        TEST(other_types_and_short_runs_come_between),
        TEST(a_child_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
