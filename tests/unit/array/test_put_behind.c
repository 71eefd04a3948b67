/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts of one chunk that are encoded and stored later: in their order, before anything that needs them in the container,
 * never more than there is room for; what could not be stored is told, tried again, and forgotten once it is put anew. */
#include "array_int.h"
#include "fake.h"
#include "mem.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { STEPS = 40, Y = 3, X = 64, THREADS = 4 };

static struct cel_dataset *ds;
static struct cel_var *var[2];
static int field[STEPS][Y][X], back[STEPS][Y][X];

static int tear_down(void **state)
{
    (void)state;
    fake_free(ds);
    return 0;
}

static struct cel_var *make_var(const char *name)
{
    static const bool unlimited[3] = {true, false, false};
    struct cel_var *v = fake_var(ds, name, cel_type_atomic(NC_INT), 3, (const size_t[]){0, Y, X}, unlimited,
                                 (const size_t[]){1, Y, X}, "shuffle|deflate,1");

    v->cache.size = 1 << 20;
    return v;
}

static int set_up_as(unsigned kind)
{
    cel_small_work = 0;
    cel_pool_set_size(THREADS);
    for (size_t i = 0; i < sizeof field / sizeof(int); i++)
        (&field[0][0][0])[i] = (int)(i * 2654435761u);
    if (fake_make(&ds, kind) != CEL_OK)
        return -1;
    var[0] = make_var("a");
    var[1] = make_var("b");
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    return set_up_as(0);
}

static int set_up_concurrent(void **state)
{
    (void)state;
    return set_up_as(1);
}

static int put(int v, size_t t)
{
    struct cel_region step = {(const size_t[]){t, 0, 0}, (const size_t[]){1, Y, X}, NULL, NULL};
    int copy[Y][X], rc; /* the caller's memory is its own again at once */

    memcpy(copy, field[t], sizeof copy);
    rc = cel_put_region(ds, var[v], &step, copy, NC_INT);
    memset(copy, 0xee, sizeof copy);
    return rc;
}

static void put_right(int v, size_t t)
{
    assert_int_equal(put(v, t), CEL_OK);
}

static int get(int v, size_t from, size_t n)
{
    struct cel_region steps = {(const size_t[]){from, 0, 0}, (const size_t[]){n, Y, X}, NULL, NULL};

    return cel_get_region(ds, var[v], &steps, back[from], NC_INT);
}

static void get_right(int v, size_t from, size_t n)
{
    memset(back, 0, sizeof back);
    assert_int_equal(get(v, from, n), CEL_OK);
    assert_memory_equal(back[from], field[from], n * sizeof *field);
}

static size_t placed(void)
{
    return fake_of(ds)->places;
}

static void puts_are_stored_later(void **state)
{
    (void)state;
    for (size_t t = 0; t < STEPS; t++) {
        put_right(0, t);
        assert_true(t + 1 - placed() <= 2 * THREADS);
        assert_true(placed() < t + 1);
    }
    assert_int_equal(cel_array_flush(ds, var[0]), CEL_OK);
    assert_int_equal(placed(), STEPS);
    get_right(0, 0, STEPS);
}

static void many_chunks_are_stored_at_once(void **state)
{
    struct cel_region four = {(const size_t[]){0, 0, 0}, (const size_t[]){4, Y, X}, NULL, NULL};
    struct cel_region five = {(const size_t[]){4, 0, 0}, (const size_t[]){5, Y, X}, NULL, NULL};

    (void)state;
    cel_pool_set_size(8);
    assert_int_equal(cel_put_region(ds, var[0], &four, field, NC_INT), CEL_OK);
    assert_int_equal(placed(), 0);
    assert_int_equal(cel_put_region(ds, var[0], &five, field[4], NC_INT), CEL_OK);
    assert_int_equal(placed(), 9);
    get_right(0, 0, 9);
}

static void one_thread_stores_at_once(void **state)
{
    (void)state;
    cel_pool_set_size(1);
    for (size_t t = 0; t < STEPS; t++) {
        put_right(0, t);
        assert_int_equal(placed(), t + 1);
    }
    get_right(0, 0, STEPS);
}

static void large_chunks_wait_for_room(void **state)
{
    enum { SIDE = 1 << 11 }; /* 16 MiB */
    static const bool unlimited[3] = {true, false, false};
    int *large = calloc(SIDE, SIDE * sizeof *large);
    struct cel_var *v = fake_var(ds, "large", cel_type_atomic(NC_INT), 3, (const size_t[]){0, SIDE, SIDE}, unlimited,
                                 (const size_t[]){1, SIDE, SIDE}, "shuffle");

    (void)state;
    cel_pool_set_size(2);
    for (size_t t = 0; t < 6; t++) {
        struct cel_region step = {(const size_t[]){t, 0, 0}, (const size_t[]){1, SIDE, SIDE}, NULL, NULL};

        large[t] = (int)t;
        assert_int_equal(cel_put_region(ds, v, &step, large, NC_INT), CEL_OK);
        assert_true(t + 1 - placed() <= 2); /* 16 MiB and two chunks for each thread, and a job takes two chunks */
    }
    assert_int_equal(cel_array_flush(ds, v), CEL_OK);
    free(large);
}

static void other_requests_find_it_stored(void **state)
{
    struct cel_region part = {(const size_t[]){3, 1, 0}, (const size_t[]){2, 1, X}, NULL, NULL};
    uint64_t nbytes;
    size_t before;

    (void)state;
    for (size_t t = 0; t < 4; t++)
        put_right(0, t);
    get_right(0, 3, 1);
    put_right(0, 4);
    assert_int_equal(cel_put_region(ds, var[0], &part, field[3][1], NC_INT), CEL_OK);
    put_right(0, 4); /* over what is in the cache now */
    get_right(0, 0, 3);
    get_right(0, 4, 1);
    before = placed();
    put_right(1, 0);
    get_right(0, 0, 3); /* the other variable is not waited for */
    assert_int_equal(placed(), before);
    assert_int_equal(cel_array_stored(ds, var[1], &nbytes), CEL_OK);
    assert_true(nbytes > 0);
    put_right(1, 1);
    assert_int_equal(cel_array_resize_cache(ds, var[1]), CEL_OK);
    put_right(1, 0); /* again, and once more before it is stored */
    put_right(1, 0);
    get_right(1, 0, 2);
}

/* A variable beside the fields, whose values go to a cached chunk. */
static void times_do_not_wait(void **state)
{
    static const bool unlimited[1] = {true};
    struct cel_var *times = fake_var(ds, "time", cel_type_atomic(NC_INT), 1, (const size_t[]){0}, unlimited,
                                     (const size_t[]){16}, "deflate,1");
    int value;

    (void)state;
    times->cache.size = 4 * 16 * sizeof(int);
    for (size_t t = 0; t < STEPS; t++) {
        struct cel_region one = {&t, (const size_t[]){1}, NULL, NULL};

        put_right(0, t);
        value = (int)t;
        assert_int_equal(cel_put_region(ds, times, &one, &value, NC_INT), CEL_OK);
        assert_true(placed() <= t);
    }
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    get_right(0, 0, STEPS);
}

static uint64_t digest_of(int threads)
{
    uint64_t digest;
    struct cel_region some = {(const size_t[]){1, 0, 0}, (const size_t[]){5, Y, X - 1}, NULL, NULL};
    struct cel_region many = {(const size_t[]){0, 0, 0}, (const size_t[]){STEPS, Y, X}, NULL, NULL};

    fake_free(ds);
    assert_int_equal(set_up_as(0), 0);
    cel_pool_set_size(threads);
    for (size_t t = 0; t < STEPS; t++) {
        put_right(0, t);
        put_right(1, STEPS - 1 - t);
        if (t % 7 == 3)
            assert_int_equal(cel_put_region(ds, var[t % 2], &some, field, NC_INT), CEL_OK);
        if (t % 11 == 5)
            assert_int_equal(get(1, STEPS - 1 - t, 1), CEL_OK);
    }
    assert_int_equal(cel_put_region(ds, var[1], &many, field, NC_INT), CEL_OK);
    put_right(0, 7);
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    digest = fake_digest(ds);
    return digest;
}

static void the_order_is_that_of_the_puts(void **state)
{
    uint64_t digest = digest_of(1);

    (void)state;
    for (int threads = 2; threads <= 16; threads *= 2)
        assert_true(digest_of(threads) == digest);
}

/* --- failures --------------------------------------------------------------------------- */

static void a_failure_is_told_and_tried_again(void **state)
{
    size_t t = 0;
    int rc;

    (void)state;
    fake_of(ds)->fail_place = 3;
    while ((rc = put(t % 2, t / 2)) == CEL_OK && t < 2 * STEPS - 1)
        t++;
    assert_int_equal(rc, NC_EHDFERR);
    assert_non_null(strstr(cel_error_text(), "what was put before is not stored"));
    assert_non_null(strstr(cel_error_text(), "a: chunk (1,0,0): fake: no room")); /* the third of all */
    assert_int_equal(cel_array_check_failed_puts(ds), NC_EHDFERR);                /* the values of this put */
    put_right(t % 2, t / 2);                                                      /* told once */
    assert_int_equal(cel_array_check_failed_puts(ds), CEL_OK);
    get_right(0, 0, 1);
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    get_right(0, 0, t / 2);
    get_right(1, 0, t / 2);
}

static void a_flush_fails_as_long_as_it_cannot_be_stored(void **state)
{
    (void)state;
    put_right(0, 0);
    for (int i = 0; i < 3; i++) {
        fake_of(ds)->fail_place = 1;
        assert_int_equal(cel_array_flush_all(ds), NC_EHDFERR);
    }
    put_right(0, 1); /* a flush has said so */
    fake_of(ds)->fail_place = 1;
    assert_int_equal(get(0, 0, 1), CEL_OK); /* of the chunk that waited, which takes the fault */
    assert_int_equal(get(0, 0, 1), CEL_OK);
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    get_right(0, 0, 2);
}

static void a_get_of_it_tries_again(void **state)
{
    (void)state;
    put_right(0, 0);
    fake_of(ds)->fail_place = 1;
    assert_int_equal(cel_array_flush_all(ds), NC_EHDFERR);
    fake_of(ds)->fail_place = 1;
    assert_int_equal(get(0, 0, 1), NC_EHDFERR);
    get_right(0, 0, 1);
}

static int encode_nothing(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap,
                          size_t *len)
{
    (void)coding, (void)src, (void)n, (void)dst, (void)cap, (void)len;
    return cel_fail(NC_EFILTER, "fake: not these values");
}

static void what_cannot_be_encoded_is_put_anew(void **state)
{
    struct cel_codec failing = *var[0]->chain.step[0].codec;
    const struct cel_codec *good = var[0]->chain.step[0].codec;

    (void)state;
    put_right(0, 0);
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    failing.encode = encode_nothing;
    var[0]->chain.step[0].codec = &failing;
    put_right(0, 1);
    put_right(1, 1);
    assert_int_equal(cel_array_flush_all(ds), NC_EFILTER);
    var[0]->chain.step[0].codec = good;
    assert_int_equal(cel_array_flush_all(ds), NC_EFILTER); /* there is nothing to try again */
    assert_non_null(strstr(cel_error_text(), "a: chunk (1,0,0)"));
    assert_int_equal(get(0, 0, 2), NC_EFILTER);
    get_right(0, 0, 1);
    get_right(1, 1, 1);
    put_right(0, 1);
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    get_right(0, 0, 2);
}

/* Each request for memory fails once: some call says so, or nothing is missing; and put again, all is there. */
static void memory_that_runs_out_is_told(void **state)
{
    long left = 0;

    (void)state;
    for (long nth = 1; left == 0; nth++) {
        bool told = false;

        fake_free(ds);
        assert_int_equal(set_up_as(0), 0);
        cel_mem_fail_at(nth);
        for (size_t t = 0; t < 10; t++)
            told = put(t % 2, t / 2) != CEL_OK || told;
        told = cel_array_flush_all(ds) != CEL_OK || cel_array_check_failed_puts(ds) != CEL_OK || told;
        left = cel_mem_fail_at(0);
        assert_true(left == 0 || !told);
        for (size_t t = 0; told && t < 10; t++)
            put_right(t % 2, t / 2);
        assert_int_equal(cel_array_flush_all(ds), CEL_OK);
        assert_int_equal(cel_array_check_failed_puts(ds), CEL_OK);
        get_right(0, 0, 5);
        get_right(1, 0, 5);
    }
}

static void failures_take_no_more_room_than_others(void **state)
{
    size_t told = 0;

    (void)state;
    fake_of(ds)->fail_place = -1;
    for (size_t t = 0; t < STEPS; t++)
        told += put(0, t) != CEL_OK;
    assert_int_equal(STEPS - told, 2 * THREADS);
    fake_of(ds)->fail_place = 0;
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    assert_int_equal(cel_array_check_failed_puts(ds), NC_EHDFERR); /* those that were refused */
    for (size_t t = 0; t < STEPS; t++)
        put_right(0, t);
    assert_int_equal(cel_array_flush_all(ds), CEL_OK);
    assert_int_equal(cel_array_check_failed_puts(ds), CEL_OK);
    get_right(0, 0, STEPS);
}

static void what_is_forgotten_is_not_stored(void **state)
{
    (void)state;
    for (size_t t = 0; t < 5; t++)
        put_right(0, t);
    cel_array_forget_puts(ds);
    assert_int_equal(placed(), 0);
    put_right(0, 0);
    get_right(0, 0, 1);
}

/* --- fork ---------------------------------------------------------------------------------- */

static void a_fork_waits(void **state)
{
    (void)state;
    for (size_t t = 0; t < 6; t++) {
        int status = 0;
        pid_t child;

        put_right(0, t);
        child = fork();
        assert_true(child >= 0);
        if (!child)
            _exit(placed() == t + 1 && cel_array_flush_all(ds) == CEL_OK && placed() == t + 1 ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(placed(), t + 1);
    }
    get_right(0, 0, 6);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(puts_are_stored_later),
        cmocka_unit_test_setup_teardown(puts_are_stored_later, set_up_concurrent, tear_down),
        TEST(many_chunks_are_stored_at_once),
        TEST(one_thread_stores_at_once),
        TEST(large_chunks_wait_for_room),
        TEST(other_requests_find_it_stored),
        TEST(times_do_not_wait),
        TEST(the_order_is_that_of_the_puts),
        TEST(a_failure_is_told_and_tried_again),
        TEST(a_flush_fails_as_long_as_it_cannot_be_stored),
        TEST(a_get_of_it_tries_again),
        TEST(what_cannot_be_encoded_is_put_anew),
        TEST(memory_that_runs_out_is_told),
        TEST(failures_take_no_more_room_than_others),
        TEST(what_is_forgotten_is_not_stored),
        TEST(a_fork_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
