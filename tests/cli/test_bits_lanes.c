/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of `cellar bits` for this machine beside those for every machine, and beside counting pair by pair. */

#include "../../tools/cellar/bits_count.c"
#include <setjmp.h>
#include <stdarg.h>
/* behind what it needs */
#include <cmocka.h>

enum { MANY = 700 }; /* no whole number of blocks */

static void fill(uint64_t *a)
{
    for (size_t i = 0; i < MANY; i++)
        a[i] = ((uint64_t)rand() << 42) ^ ((uint64_t)rand() << 21) ^ (uint64_t)rand();
}

static uint32_t sign_exponent32(uint32_t v)
{
    int e = (int)(v >> 23 & 255) - 127;

    return (v & 0x807fffffu) | (e < 0 ? 0x40000000u : 0) | (uint32_t)abs(e) << 23;
}

static uint64_t sign_exponent64(uint64_t v)
{
    int e = (int)(v >> 52 & 2047) - 1023;

    return (v & 0x800fffffffffffffu) | (e < 0 ? 0x4000000000000000u : 0) | (uint64_t)abs(e) << 52;
}

static uint64_t value(const void *a, size_t i, size_t size)
{
    return size == 4 ? sign_exponent32(((const uint32_t *)a)[i]) : sign_exponent64(((const uint64_t *)a)[i]);
}

static void one_by_one(const void *a, const void *b, const bool *va, const bool *vb, size_t n, size_t size,
                       struct bits_counts *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = value(a, i, size), y = value(b, i, size);

        if (va && !(va[i] && vb[i]))
            continue;
        out->pairs++;
        for (size_t k = 0; k < 8 * size; k++) {
            unsigned shift = (unsigned)(8 * size - 1 - k);

            out->first[k] += x >> shift & 1;
            out->second[k] += y >> shift & 1;
            out->both[k] += (x & y) >> shift & 1;
        }
    }
}

static void counted_as_one_by_one(void **state)
{
    uint64_t a[MANY], b[MANY];
    bool va[MANY], vb[MANY];

    (void)state;
    srand(1);
    for (int round = 0; round < 8; round++) {
        size_t size = round % 2 ? 4 : 8, n = MANY - (size_t)round;
        bool masked = round & 2;
        struct bits_counts x = {0}, y = {0};

        fill(a);
        fill(b);
        for (size_t i = 0; i < MANY; i++) {
            va[i] = rand() % 5;
            vb[i] = rand() % 5;
        }
        bits_count(a, b, masked ? va : NULL, masked ? vb : NULL, n, size, &x);
        one_by_one(a, b, masked ? va : NULL, masked ? vb : NULL, n, size, &y);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static void both_loops_find_the_same(void **state)
{
    uint64_t a[MANY], b[MANY];

    (void)state;
    srand(2);
    fill(a);
    fill(b);
    for (size_t size = 4; size <= 8; size += 4) {
        struct bits_counts x = {0}, y = {0};
        const struct counter fast = counter_for(size);
        void (*portable)(const void *, const void *, struct bits_counts *) = size == 4 ? narrow_count : wide_count;
        size_t half = size == 4 ? 32 * 16 : 64 * 16;

        fast.count(a, b, &x);
        for (size_t at = 0; at < fast.nbytes; at += half)
            portable((char *)a + at, (char *)b + at, &y);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted_as_one_by_one),
                                       cmocka_unit_test(both_loops_find_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
