/* SPDX-License-Identifier: BSD-3-Clause */
/* Running chains: round trips, the skip mask, exact sizes, and damage. */
#include "chain.h"
#include "status.h"
#include <netcdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NBYTES 4096

static struct cel_shape floats(void)
{
    return (struct cel_shape){
        .elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {NBYTES / 4}, .nbytes = NBYTES};
}

static void fill_smooth(unsigned char *data)
{
    for (size_t i = 0; i < NBYTES / 4; i++) {
        float f = 270.0f + (float)(i % 97) / 8;

        memcpy(data + 4 * i, &f, 4);
    }
}

static void fill_noise(unsigned char *data)
{
    uint32_t x = 12345;

    for (size_t i = 0; i < NBYTES; i++) {
        x = x * 1664525 + 1013904223;
        data[i] = (unsigned char)(x >> 24);
    }
}

static void make(const char *text, struct cel_chain *c)
{
    struct cel_shape shape = floats();

    assert_int_equal(cel_chain_parse(text, c, NULL), CEL_OK);
    assert_int_equal(cel_chain_prepare(c, &shape, false), CEL_OK);
}

static void round_trip(const char *text, const unsigned char *data)
{
    unsigned char back[NBYTES];
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    const void *out;
    uint32_t skipped;
    size_t n;

    make(text, &c);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    for (int again = 0; again < 3; again++) {
        char *copy;

        assert_int_equal(cel_chain_encode(&c, scratch, data, NBYTES, &out, &n, &skipped), CEL_OK);
        assert_true(n <= cel_chain_bound(&c));
        copy = malloc(n + 1);
        memcpy(copy, out, n);
        assert_int_equal(cel_chain_plausible(&c, n, skipped), CEL_OK);
        memset(back, 0xAA, sizeof back);
        assert_int_equal(cel_chain_decode(&c, scratch, copy, n, skipped, back), CEL_OK);
        assert_memory_equal(back, data, NBYTES);
        free(copy);
    }
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
}

static const char *const chains[] = {"",
                                     "2",
                                     "3",
                                     "1,5",
                                     "307,9",
                                     "32015,3",
                                     "32004",
                                     "4,32,16",
                                     "2|1,5",
                                     "3|2|1,5",
                                     "2|32015,3|3",
                                     "1,9|307,9|32015,1|32004",
                                     "307,9|4,32,32",
                                     "3|3|3",
                                     "fletcher32|shuffle|zstd|fletcher32|deflate,level=1"};

static void every_chain_gives_its_data_back(void **state)
{
    unsigned char data[NBYTES];

    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        fill_smooth(data);
        round_trip(chains[i], data);
        fill_noise(data);
        round_trip(chains[i], data);
        memset(data, 0, sizeof data);
        round_trip(chains[i], data);
    }
}

/* szip cannot take what bzip2 leaves unless its length is a whole number of pixels. */
static void a_step_that_cannot_is_skipped_or_fails(void **state)
{
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    unsigned char data[NBYTES], back[NBYTES];
    const void *out;
    uint32_t skipped;
    size_t n;
    bool seen = false;

    (void)state;
    make("307,9|4,32,32", &c);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    for (unsigned k = 0; k < 64 && !seen; k++) {
        fill_smooth(data);
        for (size_t i = 0; i < 8 * k; i++)
            data[i * 7 % NBYTES] ^= (unsigned char)(i * k);
        assert_int_equal(cel_chain_encode(&c, scratch, data, NBYTES, &out, &n, &skipped), CEL_OK);
        seen = skipped == 2;
    }
    assert_true(seen);
    assert_true(n % 4 != 0);
    {
        char *copy = malloc(n);

        memcpy(copy, out, n);
        assert_int_equal(cel_chain_decode(&c, scratch, copy, n, skipped, back), CEL_OK);
        assert_memory_equal(back, data, NBYTES);
        assert_int_not_equal(cel_chain_decode(&c, scratch, copy, n, 0, back), CEL_OK);
        free(copy);
    }
    c.step[1].optional = false;
    assert_int_equal(cel_chain_encode(&c, scratch, data, NBYTES, &out, &n, &skipped), NC_EFILTER);
    assert_string_equal(cel_error_part(CEL_IN_FILTER), "szip");
    assert_int_equal(cel_chain_check_maskless(&c), NC_EFILTER);
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
}

static void all_steps_skipped_is_plain_data(void **state)
{
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    unsigned char data[NBYTES], back[NBYTES] = {0};

    (void)state;
    fill_noise(data);
    make("2|1,5", &c);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    assert_int_equal(cel_chain_decode(&c, scratch, data, NBYTES, 3, back), CEL_OK);
    assert_memory_equal(back, data, NBYTES);
    assert_int_equal(cel_chain_decode(&c, scratch, data, NBYTES - 1, 3, back), NC_EFILTER);
    assert_int_equal(cel_chain_decode(&c, scratch, data, NBYTES, 0xfffffffcu | 3, back), CEL_OK);
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
}

/* A chunk that decodes to another size than the variable's is never accepted. */
static void wrong_sizes_are_errors(void **state)
{
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    struct cel_shape larger = floats(), smaller = floats();
    unsigned char data[NBYTES], back[2 * NBYTES];
    const void *out;
    uint32_t skipped;
    size_t n;

    (void)state;
    fill_smooth(data);
    larger.nbytes = NBYTES + 4;
    smaller.nbytes = NBYTES - 4;
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    for (size_t i = 1; i < sizeof chains / sizeof *chains; i++) {
        char *copy;

        make(chains[i], &c);
        assert_int_equal(cel_chain_encode(&c, scratch, data, NBYTES, &out, &n, &skipped), CEL_OK);
        copy = malloc(n);
        memcpy(copy, out, n);
        assert_int_equal(cel_chain_prepare(&c, &larger, true), CEL_OK);
        assert_int_not_equal(cel_chain_decode(&c, scratch, copy, n, skipped, back), CEL_OK);
        assert_int_equal(cel_chain_prepare(&c, &smaller, true), CEL_OK);
        assert_int_not_equal(cel_chain_decode(&c, scratch, copy, n, skipped, back), CEL_OK);
        free(copy);
        cel_chain_dispose(&c);
    }
    cel_scratch_free(scratch);
}

static void impossible_sizes_are_refused_before_decoding(void **state)
{
    struct cel_shape huge = floats();
    struct cel_chain c = {0};

    (void)state;
    huge.nbytes = (size_t)1 << 40;
    assert_int_equal(cel_chain_parse("1,5", &c, NULL), CEL_OK);
    assert_int_equal(cel_chain_prepare(&c, &huge, false), CEL_OK);
    assert_int_equal(cel_chain_plausible(&c, 1000, 0), NC_EFILTER);
    assert_int_equal(cel_chain_plausible(&c, 1000, 1), NC_EFILTER);
    cel_chain_dispose(&c);
}

static void a_missing_filter_fails_on_use_only(void **state)
{
    struct cel_shape shape = floats();
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    struct cel_step step;
    const unsigned words[] = {1, 2};
    unsigned char data[NBYTES] = {0};
    const void *out;
    uint32_t skipped;
    size_t n;

    (void)state;
    assert_int_equal(cel_step_make(32024, 2, words, &step), NC_ENOFILTER);
    assert_int_equal(cel_step_from_file(32024, true, 2, words, &step), CEL_OK);
    assert_int_equal(cel_chain_insert(&c, 0, &step), CEL_OK);
    assert_int_equal(cel_chain_prepare(&c, &shape, true), CEL_OK);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    assert_int_equal(cel_chain_encode(&c, scratch, data, NBYTES, &out, &n, &skipped), NC_ENOFILTER);
    assert_non_null(strstr(cel_error_text(), "32024 (SZ3)"));
    assert_int_equal(cel_chain_decode(&c, scratch, data, NBYTES, 0, data), NC_ENOFILTER);
    assert_int_equal(cel_chain_plausible(&c, NBYTES, 0), NC_ENOFILTER);
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
}

static void words_of_a_file_are_kept(void **state)
{
    const unsigned szip[] = {169, 16, 32, 256}, odd[] = {99, 98};
    struct cel_shape shape = floats();
    struct cel_words shown;
    struct cel_chain c = {0};
    struct cel_step step;

    (void)state;
    assert_int_equal(cel_step_from_file(4, false, 4, szip, &step), CEL_OK);
    cel_step_reveal(&step, &shown);
    assert_int_equal(shown.n, 2);
    assert_int_equal(shown.w[0], 32);
    assert_int_equal(cel_chain_insert(&c, 0, &step), CEL_OK);
    assert_int_equal(cel_step_from_file(1, true, 2, odd, &step), CEL_OK);
    assert_int_equal(cel_chain_insert(&c, 99, &step), CEL_OK);
    assert_int_equal(cel_chain_prepare(&c, &shape, true), CEL_OK);
    assert_int_equal(c.step[0].working.n, 4);
    assert_int_equal(c.step[0].working.w[3], 256);
    assert_int_equal(c.step[1].working.w[0], 99);
    cel_chain_remove(&c, 0);
    assert_int_equal(c.n, 1);
    assert_ptr_equal(cel_chain_find(&c, 1), &c.step[0]);
    assert_null(cel_chain_find(&c, 4));
    cel_chain_dispose(&c);
}

/* Bounds multiply: a chain that would need terabytes on the way asks for a few chunks only. */
static void memory_along_a_long_chain_is_bounded(void **state)
{
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    unsigned char data[NBYTES], back[NBYTES];
    char text[32 * 8] = "4,32,16";

    (void)state;
    for (int i = 1; i < 32; i++)
        strcat(text, "|307,9");
    fill_noise(data);
    make(text, &c);
    assert_true(cel_chain_bound(&c) <= 16 * NBYTES + (1 << 20));
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    assert_int_not_equal(cel_chain_decode(&c, scratch, data, NBYTES, 0, back), CEL_OK);
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
}

static void limits_hold(void **state)
{
    struct cel_chain c = {0}, copy = {0};
    unsigned words[CEL_WORDS_MAX + 1] = {0};
    struct cel_step step;

    (void)state;
    assert_int_equal(cel_step_make(1, CEL_WORDS_MAX + 1, words, &step), NC_EFILTER);
    assert_int_equal(cel_step_make(1, 1, NULL, &step), NC_EINVAL);
    for (int i = 0; i < CEL_CHAIN_MAX; i++) {
        assert_int_equal(cel_step_make(3, 0, NULL, &step), CEL_OK);
        assert_int_equal(cel_chain_insert(&c, 0, &step), CEL_OK);
    }
    assert_int_equal(cel_step_make(3, 0, NULL, &step), CEL_OK);
    assert_int_equal(cel_chain_insert(&c, 0, &step), NC_EFILTER);
    assert_int_equal(cel_chain_copy(&c, &copy), CEL_OK);
    assert_int_equal(copy.n, CEL_CHAIN_MAX);
    cel_chain_dispose(&c);
    cel_chain_dispose(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chain_gives_its_data_back),
        cmocka_unit_test(a_step_that_cannot_is_skipped_or_fails),
        cmocka_unit_test(all_steps_skipped_is_plain_data),
        cmocka_unit_test(wrong_sizes_are_errors),
        cmocka_unit_test(impossible_sizes_are_refused_before_decoding),
        cmocka_unit_test(a_missing_filter_fails_on_use_only),
        cmocka_unit_test(words_of_a_file_are_kept),
        cmocka_unit_test(memory_along_a_long_chain_is_bounded),
        cmocka_unit_test(limits_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
