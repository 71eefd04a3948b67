/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of a timeline as JSON, whatever the names in them are, and the limit to a file. The library reads CELLAR_TRACE when it
 * is loaded: the test's entry sets it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "json.h"
#include "trace.h"
#include "trace_int.h"
#include <stdio.h>
#include <string.h>

#define FILE_NAME "trace_unit.json"

/* Yours to free. */
static struct cel_json *load(void)
{
    static char text[4 << 20];
    struct cel_json *all = NULL;
    FILE *f = fopen(FILE_NAME, "r");
    size_t n;

    assert_non_null(f);
    n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_int_equal(cel_json_parse(text, n, &all, NULL), 0);
    return all;
}

static const struct cel_json *last_of(const struct cel_json *all)
{
    return cel_json_item(all, cel_json_count(all) - 1);
}

static const char *text_of(const struct cel_json *object, const char *key)
{
    return cel_json_string(cel_json_get(object, key), NULL);
}

static void record(const char *file, const char *variable, const size_t *chunk, int rank)
{
    CEL_TRACE(CEL_TRACE_READ, .file = file, .variable = variable, .chunk = chunk, .rank = rank, .nbytes = 5);
}

static void names_of_any_length_and_bytes_are_json(void **state)
{
    static char name[5000];
    static const size_t chunk[40] = {1, SIZE_MAX};

    for (int byte = 1; byte < 256; byte++) {
        struct cel_json *all;

        memset(name, byte, sizeof name - 1);
        record(name, name, chunk, 40);
        cel_trace_save();
        all = load();
        assert_string_equal(text_of(last_of(all), "name"), "read");
        cel_json_free(all);
    }
}

static void chunks_and_sizes_are_told(void **state)
{
    static const size_t chunk[] = {3, 0, 12};
    const struct cel_json *args;
    struct cel_json *all;
    int64_t bytes;

    record(NULL, "t2m", chunk, 3);
    cel_trace_save();
    all = load();
    args = cel_json_get(last_of(all), "args");
    assert_string_equal(text_of(args, "variable"), "t2m");
    assert_string_equal(text_of(args, "chunk"), "3.0.12");
    assert_true(cel_json_int(cel_json_get(args, "bytes"), false, &bytes));
    assert_int_equal(bytes, 5);
    assert_null(text_of(args, "file"));
    cel_json_free(all);
}

/* A long password before the "@" is not cut in the middle and left there. */
static void addresses_are_told_without_secrets(void **state)
{
    static char url[3000];
    struct cel_json *all;
    const char *told;

    snprintf(url, sizeof url, "https://me:%01000d@host/store.zarr?sig=%01000d", 7, 7);
    record(url, NULL, NULL, 0);
    cel_trace_save();
    all = load();
    told = text_of(cel_json_get(last_of(all), "args"), "file");
    assert_string_equal(told, "https://host/store.zarr");
    cel_json_free(all);
}

static void a_file_has_an_end_and_says_what_is_left_out(void **state)
{
    struct cel_json *all;
    size_t n;

    all = load();
    n = cel_json_count(all);
    cel_json_free(all);
    cel_trace_max = 1;
    for (int i = 0; i < 10000; i++)
        record(NULL, NULL, NULL, 0);
    cel_trace_save();
    all = load();
    assert_int_equal(cel_json_count(all), n + 1);
    assert_string_equal(text_of(last_of(all), "name"), "10000 events left out");
    cel_json_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_any_length_and_bytes_are_json),
        cmocka_unit_test(chunks_and_sizes_are_told),
        cmocka_unit_test(addresses_are_told_without_secrets),
        cmocka_unit_test(a_file_has_an_end_and_says_what_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
