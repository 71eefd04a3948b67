/* SPDX-License-Identifier: BSD-3-Clause */
/* Coders: chunks that others keep, in memory and in files, plain and in shards; boxes of any strides; damage. */
#include "user_test.h"
#include <cellar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLAIN "shuffle|crc32c"
#define SHARDED \
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3],\"codecs\":[{\"name\":\"bytes\"," \
    "\"configuration\":{\"endian\":\"little\"}},{\"name\":\"crc32c\"}],\"index_codecs\":[{\"name\":\"bytes\"," \
    "\"configuration\":{\"endian\":\"little\"}},{\"name\":\"crc32c\"}],\"index_location\":\"end\"}}]"

enum { ROWS = 4, COLUMNS = 6 };
static const size_t lengths[] = {ROWS, COLUMNS}, zeros[] = {0, 0};
static const ptrdiff_t ones[] = {1, 1}, packed[] = {COLUMNS * 4, 4};
static const int fill = -7;

static cellar_coder *make(const char *chain, int omit_empty)
{
    cellar_chunk_shape shape = {4, 'i', 2, lengths, &fill, omit_empty};
    cellar_coder *coder;

    assert_ok(cellar_coder_make(chain, &shape, &coder));
    return coder;
}

static cellar_chunk whole(const char *path, int *values)
{
    return (cellar_chunk){
        .path = path, .start = zeros, .count = lengths, .step = ones, .memory = (char *)values, .byte_step = packed};
}

static void count_up(int *values)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i;
}

static void there_and_back(const char *chain, const char *path)
{
    int in[ROWS * COLUMNS], out[ROWS * COLUMNS] = {0}, some[4];
    cellar_coder *coder = make(chain, 0);
    cellar_chunk c = whole(path, in);
    /* Rows 3 and 1 (the memory runs backwards), columns 1 and 4. */
    cellar_chunk box = {.path = path,
                        .start = (size_t[]){1, 1},
                        .count = (size_t[]){2, 2},
                        .step = (ptrdiff_t[]){2, 3},
                        .memory = (char *)(some + 2),
                        .byte_step = (ptrdiff_t[]){-8, 4}};

    count_up(in);
    assert_ok(cellar_coder_encode(coder, 1, &c));
    box.encoded = c.encoded;
    box.nencoded = c.nencoded;
    c.memory = (char *)out;
    assert_ok(cellar_coder_decode(coder, 1, &c));
    assert_memory_equal(in, out, sizeof in);
    assert_ok(cellar_coder_decode(coder, 1, &box));
    assert_memory_equal(some, ((int[]){19, 22, 7, 10}), sizeof some);
    cellar_free(c.encoded);
    cellar_coder_free(coder);
}

static void chunks_come_back(void **state)
{
    (void)state;
    there_and_back(PLAIN, NULL);
    there_and_back("", NULL);
    there_and_back(SHARDED, NULL);
    there_and_back(PLAIN, "folder/deep/plain");
    there_and_back(SHARDED, "folder/deep/shard");
}

/* A box written into a chunk that is there keeps the rest; into none, the rest is the fill value. */
static void boxes_are_merged(void **state)
{
    const char *chains[] = {PLAIN, SHARDED};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int in[ROWS * COLUMNS], out[ROWS * COLUMNS], value = 99;
        cellar_coder *coder = make(chains[i], 1);
        cellar_chunk all = whole("merged", in);
        cellar_chunk box = {.path = "merged",
                            .start = (size_t[]){3, 4},
                            .count = (size_t[]){1, 2},
                            .step = ones,
                            .memory = (char *)&value,
                            .byte_step = (ptrdiff_t[]){0, 0},
                            .merge = 1};

        unlink("merged");
        assert_ok(cellar_coder_encode(coder, 1, &box));
        all.memory = (char *)out;
        assert_ok(cellar_coder_decode(coder, 1, &all));
        assert_int_equal(out[0], fill);
        assert_int_equal(out[22], 99);
        count_up(in);
        all.memory = (char *)in;
        assert_ok(cellar_coder_encode(coder, 1, &all));
        assert_ok(cellar_coder_encode(coder, 1, &box));
        all.memory = (char *)out;
        assert_ok(cellar_coder_decode(coder, 1, &all));
        in[22] = in[23] = 99;
        assert_memory_equal(in, out, sizeof in);
        cellar_coder_free(coder);
    }
}

static void empty_chunks_are_not_kept(void **state)
{
    const char *chains[] = {PLAIN, SHARDED};
    struct stat st;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int values[ROWS * COLUMNS];
        cellar_coder *coder = make(chains[i], 1);
        cellar_chunk c = whole("empty", values);

        count_up(values);
        assert_ok(cellar_coder_encode(coder, 1, &c));
        assert_int_equal(stat("empty", &st), 0);
        for (int k = 0; k < ROWS * COLUMNS; k++)
            values[k] = fill;
        assert_ok(cellar_coder_encode(coder, 1, &c));
        assert_true(c.absent);
        assert_int_not_equal(stat("empty", &st), 0);
        values[0] = 5;
        assert_ok(cellar_coder_decode(coder, 1, &c));
        assert_true(c.absent);
        assert_int_equal(values[0], 5); /* absent: the memory is left alone */
        cellar_coder_free(coder);
    }
}

/* Every byte of a shard wrong in turn, and every length: an error or the values, no crash. */
static void damage_is_an_error(void **state)
{
    int in[ROWS * COLUMNS], out[ROWS * COLUMNS];
    cellar_coder *coder = make(SHARDED, 0);
    cellar_chunk c = whole(NULL, in), damaged = whole(NULL, out);
    size_t failed = 0;

    (void)state;
    count_up(in);
    assert_ok(cellar_coder_encode(coder, 1, &c));
    for (size_t i = 0; i < 2 * c.nencoded; i++) {
        size_t n = i < c.nencoded ? c.nencoded : i - c.nencoded;
        char *copy = malloc(n + 1);

        memcpy(copy, c.encoded, n);
        if (i < n)
            copy[i] ^= 0x55;
        damaged.encoded = copy;
        damaged.nencoded = n;
        if (cellar_coder_decode(coder, 1, &damaged) != NC_NOERR) {
            assert_string_not_equal(cellar_error(), "");
            failed++;
        } else {
            assert_memory_equal(in, out, sizeof in);
        }
        free(copy);
    }
    assert_int_equal(failed, 2 * c.nencoded);
    cellar_free(c.encoded);
    cellar_coder_free(coder);
}

enum { MANY = 200, OPEN_FILES = 100 };

static void many_in_memory(const char *chain)
{
    static int in[MANY][ROWS * COLUMNS], out[MANY][ROWS * COLUMNS];
    cellar_coder *coder = make(chain, 0);
    cellar_chunk c[MANY];

    for (int i = 0; i < MANY; i++) {
        for (int k = 0; k < ROWS * COLUMNS; k++)
            in[i][k] = i * k;
        c[i] = whole(NULL, in[i]);
    }
    assert_ok(cellar_coder_encode(coder, MANY, c));
    for (int i = 0; i < MANY; i++)
        c[i].memory = (char *)out[i];
    assert_ok(cellar_coder_decode(coder, MANY, c));
    assert_memory_equal(in, out, sizeof in);
    ((char *)c[150].encoded)[3] ^= 1;
    assert_int_not_equal(cellar_coder_decode(coder, MANY, c), NC_NOERR);
    assert_non_null(strstr(cellar_error(), "150"));
    for (int i = 0; i < MANY; i++)
        cellar_free(c[i].encoded);
    cellar_coder_free(coder);
}

static void many_chunks_in_one_call(void **state)
{
    (void)state;
    many_in_memory(PLAIN);
    many_in_memory(SHARDED);
}

/* One request for twice as many files as a process may have open: written, merged with, read; every third is missing. */
static void many_files_in_one_call(const char *chain, const char *folder)
{
    static const size_t column[] = {ROWS, 1};
    static char path[MANY][64];
    static int in[MANY][ROWS * COLUMNS], out[MANY][ROWS * COLUMNS];
    cellar_coder *coder = make(chain, 0);
    cellar_chunk c[MANY];
    size_t n = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(path[i], sizeof path[i], "%s/%d/%d", folder, i / 10, i);
        if (i % 3) {
            count_up(in[i]);
            c[n++] = whole(path[i], in[i]);
        }
    }
    assert_ok(cellar_coder_encode(coder, n, c));
    for (size_t i = 0; i < n; i++) {
        c[i].memory[0] = 77; /* all but the first column is kept */
        c[i].count = column;
        c[i].merge = 1;
    }
    assert_ok(cellar_coder_encode(coder, n, c));
    for (int i = 0; i < MANY; i++)
        c[i] = whole(path[i], out[i]);
    assert_ok(cellar_coder_decode(coder, MANY, c));
    for (int i = 0; i < MANY; i++)
        assert_int_equal(c[i].absent, i % 3 == 0);
    assert_memory_equal(in, out, sizeof in);
    cellar_coder_free(coder);
}

static void more_chunks_than_open_files(void **state)
{
    struct rlimit before, few;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){OPEN_FILES, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    many_files_in_one_call(PLAIN, "many_plain");
    many_files_in_one_call(SHARDED, "many_shards");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void wrong_requests_are_refused(void **state)
{
    int values[ROWS * COLUMNS];
    cellar_chunk_shape none = {0, 'i', 2, lengths, NULL, 0}, odd = {4, 'i', 2, (size_t[]){4, 7}, NULL, 0};
    cellar_coder *coder = make(PLAIN, 0), *other;
    cellar_chunk c = whole(NULL, values);

    (void)state;
    assert_int_equal(cellar_coder_make(PLAIN, &none, &other), NC_EINVAL);
    assert_int_equal(cellar_coder_make(SHARDED, &odd, &other), NC_EINVAL);
    assert_int_not_equal(cellar_coder_make("no_such_codec", &odd, &other), NC_NOERR);
    assert_null(other);
    c.start = (size_t[]){0, 1};
    assert_int_equal(cellar_coder_encode(coder, 1, &c), NC_EINVALCOORDS);
    c.start = zeros;
    c.step = (ptrdiff_t[]){1, 0};
    assert_int_equal(cellar_coder_decode(coder, 1, &c), NC_EINVALCOORDS);
    c = whole(".", values);
    assert_int_not_equal(cellar_coder_decode(coder, 1, &c), NC_NOERR);
    assert_int_not_equal(cellar_coder_encode(coder, 1, &c), NC_NOERR);
    assert_ok(cellar_coder_encode(coder, 0, NULL));
    cellar_coder_free(coder);
    cellar_coder_free(NULL);
}

static void the_table_is_json(void **state)
{
    char *json;

    (void)state;
    assert_ok(cellar_codec_table(&json));
    assert_non_null(strstr(json, "\"shuffle\""));
    assert_int_equal(json[0], '[');
    cellar_free(json);
    assert_int_equal(cellar_codec_table(NULL), NC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_back),          cmocka_unit_test(boxes_are_merged),
        cmocka_unit_test(empty_chunks_are_not_kept), cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(many_chunks_in_one_call),   cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(the_table_is_json),         cmocka_unit_test(more_chunks_than_open_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
