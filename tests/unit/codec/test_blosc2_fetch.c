/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a chunk that is fetched: a few one by one; of very many, all with one fetch, since where each ends would be looked
 * for among the offsets of all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "b2_array.h"
#include "codec.h"
#include "status.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5000, ROW = 64 };

static int fetches;
static unsigned char *chunk;

static int fetch(const struct cel_encoded *e, size_t offset, size_t n, void *dst)
{
    assert_true(offset <= e->n && n <= e->n - offset);
    memcpy(dst, chunk + offset, n);
    fetches++;
    return CEL_OK;
}

static void get_rows(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_encoded *src,
                     size_t first, size_t count, const unsigned char *values)
{
    unsigned char *got = malloc(count * ROW);

    fetches = 0;
    assert_int_equal(cel_b2_array_fetch(work, a, src, (size_t[]){first, 0}, (size_t[]){count, ROW}, got), CEL_OK);
    assert_memory_equal(got, values + first * ROW, count * ROW);
    free(got);
}

static void many_blocks(void **state)
{
    const struct cel_b2_array a = {.rank = 2, .elem = 1, .shape = {ROWS, ROW}, .chunk = {ROWS, ROW}, .block = {1, ROW}};
    const struct cel_b2_options o = {.compressor = CEL_B2_LZ4, .level = 5, .elem = 1, .block = ROW};
    unsigned char *values = malloc(ROWS * ROW);
    struct cel_b2_work *work = cel_b2_work_make();
    struct cel_encoded src = {.fetch = fetch};
    struct cel_b2_header h;

    for (size_t i = 0; i < ROWS; i++)
        memset(memset(values + i * ROW, (int)i, ROW), (int)(i / 256), 16);
    chunk = malloc(cel_b2_bound(ROWS * ROW));
    assert_int_equal(cel_b2_encode(work, &o, values, ROWS * ROW, chunk, &src.n), CEL_OK);
    assert_int_equal(cel_b2_header_read(chunk, src.n, &h), CEL_OK);
    assert_false(h.stored);
    assert_int_equal(h.nblocks, ROWS);
    get_rows(work, &a, &src, 17, 3, values);
    assert_in_range(fetches, 4, 5); /* the table, in one piece or two, and the blocks */
    get_rows(work, &a, &src, 1, ROWS - 1, values);
    assert_in_range(fetches, 1, 2);
    cel_b2_work_free(work);
    free(chunk);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_blocks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
