/* SPDX-License-Identifier: BSD-3-Clause */
/* One prepared chain, many workers, each with its own scratch: built-in codecs at
 * the same time, a plugin under its lock, the path changed meanwhile. */
#include "chain.h"
#include "plugin.h"
#include "status.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NBYTES 4096
enum { WORKERS = 8, ROUNDS = 40 };

static char plugins[512];

static void *work(void *arg)
{
    const struct cel_chain *c = arg;
    unsigned char data[NBYTES], back[NBYTES];
    struct cel_scratch *scratch;
    char *failed = NULL;

    if (cel_scratch_make(&scratch) != CEL_OK)
        return arg;
    for (int r = 0; r < ROUNDS && !failed; r++) {
        const void *out;
        uint32_t skipped;
        size_t n;
        void *copy;

        for (size_t i = 0; i < NBYTES; i++)
            data[i] = (unsigned char)(i * (size_t)(r + 1) >> 4);
        if (cel_chain_encode(c, scratch, data, NBYTES, &out, &n, &skipped) != CEL_OK) {
            failed = arg;
            break;
        }
        copy = malloc(n + 1);
        memcpy(copy, out, n);
        if (cel_chain_decode(c, scratch, copy, n, skipped, back) != CEL_OK || memcmp(data, back, NBYTES) != 0)
            failed = arg;
        free(copy);
    }
    cel_scratch_free(scratch);
    return failed;
}

static void *disturb(void *arg)
{
    char *dirs[] = {plugins, "/nonexistent"};

    for (int i = 0; i < 50; i++) {
        struct cel_step step;

        cel_plugin_path_set(1 + i % 2, dirs);
        if (cel_step_make(60000, 0, NULL, &step) == CEL_OK)
            return arg;
        cel_plugin_by_id(40107);
    }
    return NULL;
}

static void run(const char *text)
{
    struct cel_shape shape = {
        .elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {NBYTES / 4}, .nbytes = NBYTES};
    struct cel_chain c = {0};
    pthread_t worker[WORKERS], other;
    void *failed;

    if (cel_chain_parse(text, &c, NULL) != CEL_OK)
        fail_msg("%s", cel_error_text());
    assert_int_equal(cel_chain_prepare(&c, &shape, false), CEL_OK);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&worker[i], NULL, work, &c), 0);
    assert_int_equal(pthread_create(&other, NULL, disturb, &c), 0);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(worker[i], &failed);
        assert_null(failed);
    }
    pthread_join(other, &failed);
    assert_null(failed);
    cel_chain_dispose(&c);
}

static void workers_share_a_chain(void **state)
{
    char *dirs[] = {plugins};

    (void)state;
    assert_int_equal(cel_plugin_path_set(1, dirs), CEL_OK);
    run("shuffle|zstd|fletcher32");
    run("deflate,level=1|lz4");
    run("blosc,cname=lz4|bzip2,level=1");
    run("40107,85|zstd");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(workers_share_a_chain)};

    snprintf(plugins, sizeof plugins, "%s", argc > 1 ? argv[1] : ".");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
