/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over the chunk grid, compared with looking at every element of the region. */
#include "chunk_grid.h"
#include "model_test.h"

enum { N = 16 }; /* chunks of a dimension that are looked at */

static void mark(bool *touched, size_t chunk, size_t start, size_t count, size_t stride)
{
    memset(touched, 0, N * sizeof *touched);
    for (size_t i = 0; i < count; i++)
        touched[(start + i * stride) / chunk] = true;
}

static void check(const size_t *chunk, const size_t *start, const size_t *count, const size_t *stride)
{
    bool touched[2][N];
    struct cel_chunk_walk walk;

    for (int d = 0; d < 2; d++)
        mark(touched[d], chunk[d], start[d], count[d], stride[d]);
    cel_chunk_walk_begin(&walk, 2, chunk, start, count, stride);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            if (!touched[0][i] || !touched[1][k])
                continue;
            assert_true(walk.more);
            assert_int_equal(walk.index[0], i);
            assert_int_equal(walk.index[1], k);
            cel_chunk_walk_next(&walk);
        }
    assert_false(walk.more);
}

static void every_chunk_with_an_element_comes_once_in_order(void **state)
{
    (void)state;
    for (size_t chunk = 1; chunk < 4; chunk++)
        for (size_t start = 0; start < 5; start++)
            for (size_t count = 0; count < 4; count++)
                for (size_t stride = 1; stride < 5; stride++)
                    check((size_t[]){chunk, 2}, (size_t[]){start, 1}, (size_t[]){count, 3}, (size_t[]){stride, 3});
}

static void without_start_and_stride_it_is_all_of_the_array(void **state)
{
    size_t chunk[] = {2, 3}, extent[] = {3, 4}, n = 0;
    struct cel_chunk_walk walk;

    (void)state;
    for (cel_chunk_walk_begin(&walk, 2, chunk, NULL, extent, NULL); walk.more; cel_chunk_walk_next(&walk), n++) {
        assert_int_equal(walk.index[0], n / 2);
        assert_int_equal(walk.index[1], n % 2);
    }
    assert_int_equal(n, 4);
}

static void a_scalar_is_one_chunk(void **state)
{
    struct cel_chunk_walk walk;

    (void)state;
    cel_chunk_walk_begin(&walk, 0, NULL, NULL, NULL, NULL);
    assert_true(walk.more);
    cel_chunk_walk_next(&walk);
    assert_false(walk.more);
}

static void the_last_chunk_of_all_numbers_has_an_end(void **state)
{
    (void)state;
    assert_int_equal(cel_chunk_end(10, 2), 30);
    assert_true(cel_chunk_end((size_t)1 << 63, 1) == SIZE_MAX);
}

static void an_index_beyond_a_row_is_the_next_ones_first(void **state)
{
    static const size_t n[] = {2, 3, 4}, empty[] = {2, 0, 4};
    size_t inside[] = {1, 2, 3}, row[] = {0, 1, 4}, far[] = {0, 9, 9}, end[] = {1, 2, 4}, none[] = {0, 0, 0};

    (void)state;
    assert_true(cel_chunk_wrap(3, n, inside));
    assert_memory_equal(inside, ((size_t[]){1, 2, 3}), sizeof inside);
    assert_true(cel_chunk_wrap(3, n, row));
    assert_memory_equal(row, ((size_t[]){0, 2, 0}), sizeof row);
    assert_true(cel_chunk_wrap(3, n, far));
    assert_memory_equal(far, ((size_t[]){1, 0, 0}), sizeof far);
    assert_false(cel_chunk_wrap(3, n, end));
    assert_false(cel_chunk_wrap(3, empty, none));
    assert_true(cel_chunk_wrap(0, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_with_an_element_comes_once_in_order),
        cmocka_unit_test(without_start_and_stride_it_is_all_of_the_array),
        cmocka_unit_test(a_scalar_is_one_chunk),
        cmocka_unit_test(the_last_chunk_of_all_numbers_has_an_end),
        cmocka_unit_test(an_index_beyond_a_row_is_the_next_ones_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
