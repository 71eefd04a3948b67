/* SPDX-License-Identifier: BSD-3-Clause */
#include "byteorder.h"
#include "convert.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 67 };

static void reverse(unsigned char *d, const unsigned char *s, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            d[i * size + b] = s[i * size + size - 1 - b];
}

static void every_size_and_alignment_swaps(void **state)
{
    for (size_t size = 1; size <= 17; size++) {
        for (size_t n = 0; n <= MOST; n++) {
            /* exact blocks, so that the sanitizer sees a step too far */
            unsigned char *src = malloc(n * size + 1), *dst = malloc(n * size + 1), *want = malloc(n * size + 1);
            for (size_t i = 0; i < n * size + 1; i++)
                src[i] = (unsigned char)rand();
            reverse(want, src + 1, n, size);
            cel_swap_bytes(dst, src + 1, n, size);
            assert_memory_equal(dst, want, n * size);
            cel_swap_bytes(src + 1, src + 1, n, size);
            assert_memory_equal(src + 1, want, n * size);
            free(src);
            free(dst);
            free(want);
        }
    }
}

static void variants_agree(void **state)
{
    static const size_t sizes[] = {2, 4, 8};
    unsigned char src[MOST * 8], want[MOST * 8], got[MOST * 8];

    for (size_t i = 0; i < sizeof src; i++)
        src[i] = (unsigned char)rand();
    for (size_t k = 0; k < 3; k++) {
        for (size_t n = 0; n <= MOST; n++) {
            cel_swap_portable(want, src, n, sizes[k]);
            if (cel_swap_ssse3(got, src, n, sizes[k]))
                assert_memory_equal(got, want, n * sizes[k]);
            if (cel_swap_avx2(got, src, n, sizes[k]))
                assert_memory_equal(got, want, n * sizes[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_alignment_swaps),
        cmocka_unit_test(variants_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
