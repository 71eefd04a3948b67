/* SPDX-License-Identifier: BSD-3-Clause */
/* Debian's filter plugins against the codecs built in: the same bytes from both,
 * and each reads what the other wrote. */
#include "chain.h"
#include "plugin.h"
#include "status.h"
#include <netcdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DIR "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins"
#define N 64
#define NBYTES ((size_t)(N * N * 4))

/* OTHER_BYTES: a format with several encoders; each must only read the other's. */
enum { EXACT, LOSSY, OTHER_BYTES };

static const struct {
    const char *text;
    int kind;
} cases[] = {
    {"307,9", EXACT},
    {"307,1", EXACT},
    {"32004", EXACT},
    {"32004,1024", EXACT},
    {"blosc,clevel=5,shuffle=1,cname=blosclz", EXACT},
    {"blosc,clevel=9,shuffle=2,cname=lz4", EXACT},
    {"blosc,clevel=1,shuffle=0,cname=lz4hc", EXACT},
    {"blosc,clevel=5,shuffle=1,cname=zlib", EXACT},
    {"blosc,clevel=5,shuffle=1,cname=zstd", EXACT},
    {"32000", OTHER_BYTES},
    {"32008", EXACT},
    {"32008,0,2", EXACT},
    {"zfp,rate=8", LOSSY},
    {"zfp,precision=16", LOSSY},
    {"zfp,accuracy=0.01", LOSSY},
    {"zfp,mode=reversible", EXACT},
};

static void fill(unsigned char *data, int kind)
{
    uint32_t x = 99;

    for (size_t i = 0; i < NBYTES / 4; i++) {
        float f = 280.0f + (float)(i % N) * 0.25f + (float)(i / N) * 0.5f;

        x = x * 1664525 + 1013904223;
        if (kind == 1)
            f += (float)(x >> 16) / 65536;
        if (kind == 2)
            memcpy(data + 4 * i, &x, 4);
        else
            memcpy(data + 4 * i, &f, 4);
    }
}

static void *copy_of(const void *p, size_t n)
{
    void *copy = malloc(n + 1);

    memcpy(copy, p, n);
    return copy;
}

static void *encode(const struct cel_chain *c, struct cel_scratch *scratch, const void *data, size_t *n,
                    uint32_t *skipped)
{
    const void *out;

    if (cel_chain_encode(c, scratch, data, NBYTES, &out, n, skipped) != CEL_OK)
        fail_msg("%s", cel_error_text());
    return copy_of(out, *n);
}

static void compare(const char *text, int how, const struct cel_chain *ours, const struct cel_chain *theirs, int kind)
{
    unsigned char data[NBYTES], a[NBYTES], b[NBYTES];
    struct cel_scratch *scratch;
    uint32_t skipped_a, skipped_b;
    size_t na, nb;
    void *out_a, *out_b;

    fill(data, kind);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    out_a = encode(ours, scratch, data, &na, &skipped_a);
    out_b = encode(theirs, scratch, data, &nb, &skipped_b);
    /* What a plugin gives up on (blosc: incompressible data), ours may store in its own raw form. */
    if (skipped_a > skipped_b ||
        (how != OTHER_BYTES && skipped_a == skipped_b && (na != nb || memcmp(out_a, out_b, na) != 0)))
        fail_msg("%s, data %d: ours has %zu bytes (mask %u), theirs %zu (mask %u), or they differ", text, kind, na,
                 skipped_a, nb, skipped_b);
    if (cel_chain_decode(ours, scratch, out_b, nb, skipped_b, a) != CEL_OK ||
        cel_chain_decode(theirs, scratch, out_a, na, skipped_a, b) != CEL_OK)
        fail_msg("%s, data %d: %s", text, kind, cel_error_text());
    assert_memory_equal(a, b, NBYTES);
    if (how != LOSSY)
        assert_memory_equal(a, data, NBYTES);
    free(out_a);
    free(out_b);
    cel_scratch_free(scratch);
}

static void plugins_and_codecs_agree(void **state)
{
    struct cel_shape shape = {.elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 2, .dims = {N, N}, .nbytes = NBYTES};
    char *dirs[] = {DIR};
    int tried = 0;

    (void)state;
    if (access(DIR, R_OK) != 0)
        skip();
    assert_int_equal(cel_plugin_path_set(1, dirs), CEL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cel_chain ours = {0}, theirs = {0};
        const struct cel_codec *plugin;

        if (cel_chain_parse(cases[i].text, &ours, NULL) != CEL_OK)
            fail_msg("%s", cel_error_text());
        plugin = cel_plugin_by_id(ours.step[0].id);
        if (!plugin) {
            print_message("no plugin for %s\n", cases[i].text);
            cel_chain_dispose(&ours);
            continue;
        }
        assert_int_equal(cel_chain_prepare(&ours, &shape, false), CEL_OK);
        assert_int_equal(cel_chain_copy(&ours, &theirs), CEL_OK);
        theirs.step[0].codec = plugin;
        assert_int_equal(cel_chain_prepare(&theirs, &shape, true), CEL_OK);
        for (int kind = 0; kind < 3; kind++)
            if (kind < 2 || cases[i].kind != LOSSY)
                compare(cases[i].text, cases[i].kind, &ours, &theirs, kind);
        cel_chain_dispose(&ours);
        cel_chain_dispose(&theirs);
        tried++;
    }
    assert_true(tried >= 10);
}

/* Some of Debian's files are no filters, or share an id; that is remembered. */
static void what_was_passed_over_is_noted(void **state)
{
    const struct cel_plugin_note *note;
    bool seen = false;

    (void)state;
    if (access(DIR "/libblosc_filter.so", R_OK) != 0)
        skip();
    for (size_t i = 0; (note = cel_plugin_note_at(i)); i++)
        seen |= strstr(note->path, "libblosc_filter.so") != NULL;
    assert_true(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins_and_codecs_agree),
        cmocka_unit_test(what_was_passed_over_is_noted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
