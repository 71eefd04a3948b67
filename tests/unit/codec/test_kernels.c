/* SPDX-License-Identifier: BSD-3-Clause */
/* The hand-written loops: every form gives what the definition says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels.h"
#include <stdlib.h>
#include <string.h>

static void noise(unsigned char *p, size_t n)
{
    static uint64_t seed = 42;

    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (unsigned char)(seed >> 56);
    }
}

/* Exact room, so that a sanitizer sees a byte too many. */
static void shuffle_case(const struct cel_shuffle_kernel *k, size_t n, size_t size)
{
    unsigned char *src = malloc(n * size + 1), *planes = malloc(n * size + 1), *back = malloc(n * size + 1);

    noise(src, n * size);
    memset(planes, 0x77, n * size + 1);
    memset(back, 0x77, n * size + 1);
    k->shuffle(planes, src, n / 3, n, size); /* in two parts */
    k->shuffle(planes + n / 3, src + n / 3 * size, n - n / 3, n, size);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < size; j++)
            assert_int_equal(planes[j * n + i], src[i * size + j]);
    k->unshuffle(back, planes, n, n, size, false);
    assert_memory_equal(back, src, n * size);
    assert_int_equal(planes[n * size], 0x77);
    assert_int_equal(back[n * size], 0x77);
    free(src);
    free(planes);
    free(back);
}

/* Some of the elements, to any place, with and without going around the caches. */
static void part_case(const struct cel_shuffle_kernel *k, size_t from, size_t n, size_t size, size_t place, bool far)
{
    size_t all = from + n + 3;
    unsigned char *src = malloc(all * size), *planes = malloc(all * size), *back = malloc(place + n * size + 1);

    noise(src, all * size);
    k->shuffle(planes, src, all, all, size);
    memset(back, 0x77, place + n * size + 1);
    k->unshuffle(back + place, planes + from, all, n, size, far);
    assert_memory_equal(back + place, src + from * size, n * size);
    assert_int_equal(back[place + n * size], 0x77);
    for (size_t i = 0; i < place; i++)
        assert_int_equal(back[i], 0x77);
    free(src);
    free(planes);
    free(back);
}

static void parts_of_planes_are_elements(void **state)
{
    static const size_t counts[] = {0, 1, 31, 32, 33, 127, 128, 129, 180, 432, 1031};

    for (const struct cel_shuffle_kernel *k = cel_shuffle_kernels; k->name; k++)
        for (size_t size = 1; k->usable() && size <= 17; size++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                for (size_t place = 0; place <= 80; place += place < 17 ? 1 : 7)
                    part_case(k, c * 5, counts[c], size, place, place & 1 || place % 4 == 0);
}

static void shuffle_makes_byte_planes(void **state)
{
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000, 1031};

    for (const struct cel_shuffle_kernel *k = cel_shuffle_kernels; k->name; k++)
        for (size_t size = 1; k->usable() && size <= 40; size++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                shuffle_case(k, counts[c], size);
}

static void bits_change_rows_and_columns(void **state)
{
    unsigned char src[8 * 37], dst[sizeof src];

    noise(src, sizeof src);
    for (const struct cel_bits_kernel *k = cel_bits_kernels; k->name; k++) {
        if (!k->usable())
            continue;
        k->transpose(dst, src, 37);
        for (size_t i = 0; i < 37; i++)
            for (int r = 0; r < 8; r++)
                for (int c = 0; c < 8; c++)
                    assert_int_equal(src[8 * i + r] >> c & 1, dst[8 * i + c] >> r & 1);
    }
}

/* The definition, word by word, folding at once. */
static uint32_t plain_fletcher32(const unsigned char *p, size_t n)
{
    uint32_t a = 0, b = 0;

    for (size_t i = 0; i < n; i += 2) {
        a += (uint32_t)p[i] << 8 | (i + 1 < n ? p[i + 1] : 0);
        a = (a & 0xffff) + (a >> 16);
        b += a;
        b = (b & 0xffff) + (b >> 16);
    }
    return b << 16 | a;
}

static void fletcher32_is_hdf5s(void **state)
{
    size_t most = 40000;
    unsigned char *p = malloc(most);

    for (int pattern = 0; pattern < 3; pattern++) {
        noise(p, most);
        if (pattern < 2)
            memset(p, pattern ? 0xff : 0, most);
        for (size_t n = 0; n <= most; n += n < 800 ? 1 : 977)
            for (const struct cel_sum_kernel *k = cel_fletcher32_kernels; k->name; k++)
                if (k->usable())
                    assert_int_equal(k->sum(0, p, n), plain_fletcher32(p, n));
    }
    free(p);
}

static uint32_t plain_crc32c(const unsigned char *p, size_t n)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static void crc32c_is_castagnolis(void **state)
{
    size_t most = 20000;
    unsigned char *p = malloc(most);

    noise(p, most);
    for (const struct cel_sum_kernel *k = cel_crc32c_kernels; k->name; k++) {
        if (!k->usable())
            continue;
        assert_int_equal(k->sum(0, "123456789", 9), 0xe3069283u);
        for (size_t n = 0; n <= most; n += n < 100 ? 1 : 619) {
            assert_int_equal(k->sum(0, p, n), plain_crc32c(p, n));
            assert_int_equal(k->sum(k->sum(0, p, n / 3), p + n / 3, n - n / 3), plain_crc32c(p, n));
        }
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffle_makes_byte_planes),    cmocka_unit_test(parts_of_planes_are_elements),
        cmocka_unit_test(bits_change_rows_and_columns), cmocka_unit_test(fletcher32_is_hdf5s),
        cmocka_unit_test(crc32c_is_castagnolis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
