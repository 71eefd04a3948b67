/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache below the reader of HDF5 files: the bytes are those of the source below, small reads close together are one
 * of it, memory is bounded, and a fault costs no more than what lies there. */
#include "h5_read.h"
#include "h5_test.h"
#include "common/random.h"
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 1000003, BLOCK = 8192, THREADS = 4 };

struct counted { /* a source over memory that counts its reads */
    struct cel_source source;
    unsigned char *bytes;
    atomic_long reads;
    uint64_t bad; /* an offset that cannot be read; UINT64_MAX: none */
};

static int counted_size(struct cel_source *s, uint64_t *size)
{
    (void)s;
    *size = SIZE;
    return CEL_OK;
}

static int counted_read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    struct counted *c = (struct counted *)s;

    atomic_fetch_add(&c->reads, 1);
    if (offset + n > SIZE)
        return CEL_BEYOND_END;
    if (c->bad - offset < n)
        return cel_fail(NC_EHDFERR, "a bad sector");
    memcpy(dst, c->bytes + offset, n);
    return CEL_OK;
}

static const struct cel_source_ops counted_ops = {.size = counted_size, .read_at = counted_read_at};

static struct cel_source *start_cache(struct counted *c)
{
    struct cel_source *s;
    uint64_t seed = 1, size;

    *c = (struct counted){.source = {&counted_ops}, .bytes = test_malloc(SIZE), .bad = UINT64_MAX};
    for (size_t i = 0; i < SIZE; i++)
        c->bytes[i] = (unsigned char)random_step(&seed);
    assert_ok(cel_h5r_cache_make(&c->source, &s));
    assert_ok(cel_source_size(s, &size));
    assert_int_equal(size, SIZE);
    return s;
}

static void stop_cache(struct counted *c, struct cel_source *s)
{
    assert_ok(cel_source_close(s));
    test_free(c->bytes);
}

static void check(struct cel_source *s, const struct counted *c, uint64_t at, size_t n)
{
    unsigned char got[3 * BLOCK];

    assert_true(n <= sizeof got);
    assert_ok(cel_source_read_at(s, at, got, n));
    assert_memory_equal(got, c->bytes + at, n);
}

static void neighbours_cost_one_read(void **state)
{
    struct counted c;
    struct cel_source *s = start_cache(&c);

    (void)state;
    for (uint64_t at = 0; at + 24 <= BLOCK; at += 24)
        check(s, &c, at, 24);
    assert_int_equal(c.reads, 1);
    check(s, &c, BLOCK - 3, 8); /* across the end of a block */
    assert_int_equal(c.reads, 2);
    check(s, &c, 2 * BLOCK, 2 * BLOCK); /* a large one goes past the cache */
    assert_int_equal(c.reads, 3);
    check(s, &c, SIZE - 5, 5);
    check(s, &c, SIZE - 100, 50);
    assert_int_equal(c.reads, 4);
    stop_cache(&c, s);
}

static void reads_of_any_kind_give_the_bytes(void **state)
{
    struct counted c;
    struct cel_source *s = start_cache(&c);
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t n = 1 + (size_t)(random_step(&seed) % (i % 10 ? 600 : 3 * BLOCK));

        check(s, &c, random_step(&seed) % (SIZE - n), n);
    }
    stop_cache(&c, s);
}

static void what_lies_beyond_the_end_is_not_there(void **state)
{
    struct counted c;
    struct cel_source *s = start_cache(&c);
    unsigned char got[16];

    (void)state;
    assert_int_equal(cel_source_read_at(s, SIZE - 5, got, 6), CEL_BEYOND_END);
    assert_int_equal(cel_source_read_at(s, UINT64_MAX - 2, got, 6), CEL_BEYOND_END);
    assert_int_equal(c.reads, 0);
    stop_cache(&c, s);
}

static void a_bad_sector_spoils_only_what_lies_on_it(void **state)
{
    struct counted c;
    struct cel_source *s = start_cache(&c);
    unsigned char got[8];

    (void)state;
    c.bad = 100;
    check(s, &c, 200, 8);
    check(s, &c, 20, 80);
    assert_int_equal(cel_source_read_at(s, 96, got, 8), NC_EHDFERR);
    c.bad = UINT64_MAX;
    check(s, &c, 96, 8); /* nothing wrong was kept */
    stop_cache(&c, s);
}

struct share {
    struct cel_source *s;
    const struct counted *c;
    uint64_t seed;
};

/* All threads among a few more blocks than are kept. */
static void *read_much(void *data)
{
    struct share *share = data;
    unsigned char got[64];

    for (int i = 0; i < 20000; i++) {
        uint64_t at = random_step(&share->seed) % (40 * BLOCK);

        if (cel_source_read_at(share->s, at, got, sizeof got) != CEL_OK ||
            memcmp(got, share->c->bytes + at, sizeof got) != 0)
            return data;
    }
    return NULL;
}

static void threads_share_it(void **state)
{
    struct counted c;
    struct share share[THREADS];
    pthread_t thread[THREADS];
    struct cel_source *s = start_cache(&c);
    void *wrong;

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        share[i] = (struct share){s, &c, (uint64_t)i + 1};
        assert_int_equal(pthread_create(&thread[i], NULL, read_much, &share[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    stop_cache(&c, s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_cost_one_read),
        cmocka_unit_test(reads_of_any_kind_give_the_bytes),
        cmocka_unit_test(what_lies_beyond_the_end_is_not_there),
        cmocka_unit_test(a_bad_sector_spoils_only_what_lies_on_it),
        cmocka_unit_test(threads_share_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
