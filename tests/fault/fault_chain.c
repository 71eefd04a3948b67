/* SPDX-License-Identifier: BSD-3-Clause */
/* Every single request for memory fails once, while chains are read, copied,
 * printed and run, and plugins looked for: an error then, never a crash; the
 * sanitizers watch for leaks. */
#include "buf.h"
#include "chain.h"
#include "mem.h"
#include "plugin.h"
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

static const char *const texts[] = {
    "shuffle|zstd,level=3|fletcher32",
    "307,9|4,32,32|1,5",
    "blosc,cname=zstd|lz4",
    "[{\"id\": \"shuffle\", \"elementsize\": 4}, {\"id\": \"zlib\", \"level\": 5}, {\"id\": \"nosuch\", \"x\": [1]}]",
    "[{\"name\": \"zstd\", \"configuration\": {\"level\": 3}}]",
};

static int print_all(const struct cel_chain *c)
{
    int rc = CEL_OK;

    for (int s = CEL_SPELL_NAMES; rc == CEL_OK && s <= CEL_SPELL_JSON3; s++) {
        struct cel_buf out = CEL_BUF_INIT(1 << 20);

        if (s == CEL_SPELL_NAMES && cel_chain_usable(c) != CEL_OK)
            continue;
        rc = cel_chain_print(c, (enum cel_spelling)s, &out);
        cel_buf_dispose(&out);
    }
    return rc;
}

static int run(struct cel_chain *c)
{
    struct cel_shape shape = {
        .elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {NBYTES / 4}, .nbytes = NBYTES};
    static unsigned char data[NBYTES], back[NBYTES];
    struct cel_scratch *scratch = NULL;
    const void *out;
    uint32_t skipped;
    size_t n;
    int rc = cel_chain_prepare(c, &shape, false);

    for (size_t i = 0; i < NBYTES; i++)
        data[i] = (unsigned char)(i * i >> 5);
    if (rc == CEL_OK)
        rc = cel_scratch_make(&scratch);
    if (rc == CEL_OK)
        rc = cel_chain_encode(c, scratch, data, NBYTES, &out, &n, &skipped);
    if (rc == CEL_OK) {
        void *copy = malloc(n + 1);

        memcpy(copy, out, n);
        rc = cel_chain_decode(c, scratch, copy, n, skipped, back);
        if (rc == CEL_OK)
            assert_memory_equal(data, back, NBYTES);
        free(copy);
    }
    cel_scratch_free(scratch);
    return rc;
}

static int everything(const char *text)
{
    struct cel_chain c = {0}, copy = {0};
    int rc = cel_chain_parse(text, &c, NULL);

    if (rc == CEL_OK)
        rc = cel_chain_copy(&c, &copy);
    if (rc == CEL_OK)
        rc = print_all(&copy);
    if (rc == CEL_OK && cel_chain_usable(&copy) == CEL_OK)
        rc = run(&copy);
    cel_chain_dispose(&c);
    cel_chain_dispose(&copy);
    return rc;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        long nth = 0;
        int rc;

        cel_mem_fail_at(0);
        assert_int_equal(everything(texts[i]), CEL_OK);
        do {
            cel_mem_fail_at(++nth);
            rc = everything(texts[i]);
            /* an encoder may report its own lack of memory as the filter's failure */
            if (rc != CEL_OK && rc != NC_ENOMEM && rc != NC_EFILTER)
                fail_msg("%s: allocation %ld: code %d: %s", texts[i], nth, rc, cel_error_text());
        } while (rc != CEL_OK && nth < 10000);
        cel_mem_fail_at(0);
        assert_true(nth > 3 && nth < 10000);
    }
}

static void the_plugin_path_survives(void **state)
{
    char *dirs[] = {"/nonexistent/a", "/nonexistent/b"};

    (void)state;
    for (long nth = 1; nth < 60; nth++) {
        size_t n;
        char **got = NULL;

        cel_mem_fail_at(nth);
        if (cel_plugin_path_set(2, dirs) == CEL_OK && cel_plugin_path_get(&n, &got) == CEL_OK)
            cel_plugin_path_free(n, got);
        cel_plugin_by_id(60000);
        cel_mem_fail_at(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(the_plugin_path_survives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
