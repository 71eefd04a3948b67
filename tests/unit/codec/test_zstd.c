/* SPDX-License-Identifier: BSD-3-Clause */
/* zstd at level 3: no larger than libzstd makes it, whatever the numbers, and the same
 * bytes as libzstd wherever our own searches do not come in. */
#include "chain.h"
#include "common/random.h"
#include "status.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

enum { NBYTES = 2 << 20, N = NBYTES / 4 };

static float values[N];
static char encoded[ZSTD_COMPRESSBOUND(NBYTES)], theirs[ZSTD_COMPRESSBOUND(NBYTES)];

/* About normal, from -6 to 6. */
static double noise(uint64_t *dice)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(random_step(dice) >> 11) / 9007199254740992.0;
    return sum;
}

static double made(int kind, size_t i, double walk, uint64_t *dice)
{
    switch (kind) {
    case 0:
        return 280 + 20 * sin((double)i * 0.001) + 0.3 * noise(dice);
    case 1:
        return walk;
    case 2:
        return rint(noise(dice) * 1000) / 1000;
    case 3:
        return random_step(dice) % 10 < 7 ? 0 : noise(dice);
    case 4:
        return rint(walk); /* shrinks well */
    default:
        return i % 3000 < 2500 ? -999 : noise(dice); /* better still */
    }
}
enum { KINDS = 6 };

static void make_values(int kind)
{
    uint64_t dice = RANDOM_SEED;
    double walk = 0;

    for (size_t i = 0; i < N; i++) {
        walk += noise(&dice);
        values[i] = (float)made(kind, i, walk, &dice);
    }
}

/* Encoded by our chain; checked to decode again. */
static size_t encode(const char *text, size_t nbytes)
{
    struct cel_shape shape = {
        .elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {nbytes / 4}, .nbytes = nbytes};
    static float back[N];
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    const void *out;
    uint32_t skipped;
    size_t n;

    assert_int_equal(cel_chain_parse(text, &c, NULL), CEL_OK);
    assert_int_equal(cel_chain_prepare(&c, &shape, false), CEL_OK);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(cel_chain_encode(&c, scratch, values, nbytes, &out, &n, &skipped), CEL_OK);
        assert_true(again == 0 || memcmp(encoded, out, n) == 0);
        memcpy(encoded, out, n);
    }
    assert_int_equal(cel_chain_decode(&c, scratch, encoded, n, skipped, back), CEL_OK);
    assert_memory_equal(back, values, nbytes);
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
    return n;
}

static size_t encode_theirs(int level, const void *src, size_t nbytes)
{
    size_t n = ZSTD_compress(theirs, sizeof theirs, src, nbytes, level);

    assert_false(ZSTD_isError(n));
    return n;
}

static void level_3_is_no_larger(void **state)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t nbytes = NBYTES; nbytes >= 100000; nbytes = nbytes / 12 * 8) {
            size_t ours, want;

            make_values(kind);
            ours = encode("zstd,level=3", nbytes);
            want = encode_theirs(3, values, nbytes);
            print_message("  kind %d, %zu bytes: %zu, libzstd %zu\n", kind, nbytes, ours, want);
            assert_true((double)ours <= (double)want * 1.005);
        }
}

static void must_be_theirs(const char *text, int level, size_t nbytes)
{
    size_t n = encode(text, nbytes);

    assert_int_equal(n, encode_theirs(level, values, nbytes));
    assert_memory_equal(encoded, theirs, n);
}

static void the_rest_is_libzstds_own(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        make_values(kind);
        must_be_theirs("zstd,level=1", 1, NBYTES);
        must_be_theirs("zstd,level=4", 4, NBYTES);
        must_be_theirs("zstd,level=3", 3, 256 << 10);
    }
    must_be_theirs("zstd,level=3", 3, NBYTES); /* the last kind */
}

/* Planes of differences are not planes of numbers. */
static void differences_are_libzstds_own(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        size_t want, ours;

        make_values(kind);
        want = encode("ndlorenzo|shuffle", NBYTES);
        want = encode_theirs(3, encoded, want);
        ours = encode("ndlorenzo|shuffle|zstd,level=3", NBYTES);
        assert_int_equal(ours, want);
        assert_memory_equal(encoded, theirs, want);
    }
}

/* Behind a shuffle the tables are small. Noise among many zeros is the worst for them: 2.3 %. */
static void shuffled_bytes_are_hardly_larger(void **state)
{
    enum { SOME = 1 << 18, SOME_BYTES = 4 * SOME };
    static unsigned char planes[SOME_BYTES];

    for (int kind = 0; kind < KINDS; kind++) {
        size_t ours, want;

        make_values(kind);
        for (size_t i = 0; i < SOME; i++)
            for (size_t k = 0; k < 4; k++)
                planes[k * SOME + i] = ((unsigned char *)values)[4 * i + k];
        ours = encode("shuffle|zstd,level=3", SOME_BYTES);
        want = encode_theirs(3, planes, SOME_BYTES);
        print_message("  kind %d: %zu, libzstd %zu\n", kind, ours, want);
        assert_true((double)ours <= (double)want * 1.025);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_3_is_no_larger),
        cmocka_unit_test(the_rest_is_libzstds_own),
        cmocka_unit_test(differences_are_libzstds_own),
        cmocka_unit_test(shuffled_bytes_are_hardly_larger),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
