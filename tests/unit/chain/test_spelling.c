/* SPDX-License-Identifier: BSD-3-Clause */
/* Every codec with random parameters, through all spellings and back: the
 * complete words must be the same each time. */
#include "buf.h"
#include "chain.h"
#include "json.h"
#include "params.h"
#include "status.h"
#include <math.h>
#include <netcdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 42;

static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

static double random_value(const struct cel_param *p)
{
    double span = p->max - p->min, part = (double)(next_random() % 100001) / 100000, v;

    if (next_random() % 4 == 0)
        return p->fallback;
    v = !isfinite(span) || span > 1e12 ? fmax(p->min, fmin(p->max, 1.0 / (1 + (double)(next_random() % 1000))))
                                       : p->min + span * part;
    if (p->kind == CEL_PARAM_FLOAT)
        return (float)v;
    return p->kind == CEL_PARAM_DOUBLE ? v : floor(v);
}

/* Random words a user might give; false when the codec refuses this combination. */
static bool random_words(const struct cel_codec *codec, struct cel_words *w)
{
    *w = (struct cel_words){0};
    for (const struct cel_param *p = codec->params; p && p->name; p++) {
        double v = random_value(p);

        if (p->when_value && next_random() % 3)
            continue;
        if ((p->flags & (CEL_PARAM_EXTRA | CEL_PARAM_ELEM_SIZE)) && next_random() % 2)
            continue;
        if (cel_param_store(codec, p, v, w) != CEL_OK)
            return false;
    }
    cel_params_complete(codec, w);
    return cel_params_check(codec, w) == CEL_OK;
}

static void print(const struct cel_chain *c, enum cel_spelling spelling, char **out)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);

    if (cel_chain_print(c, spelling, &b) != CEL_OK)
        fail_msg("cannot print: %s", cel_error_text());
    assert_int_equal(cel_buf_take_string(&b, out), CEL_OK);
}

static void expect_same(const struct cel_step *a, const struct cel_step *b, const char *text)
{
    struct cel_words wa = a->visible, wb = b->visible;

    assert_ptr_equal(a->codec, b->codec);
    cel_params_complete(a->codec, &wa);
    cel_params_complete(b->codec, &wb);
    for (size_t i = 0; i < CEL_WORDS_MAX; i++) {
        uint32_t va = i < wa.n ? wa.w[i] : 0, vb = i < wb.n ? wb.w[i] : 0;

        if (va != vb)
            fail_msg("%s: word %zu is %u, was %u", text, i, vb, va);
    }
}

static void try_words(const struct cel_codec *codec, const struct cel_words *w)
{
    struct cel_chain c = {0};
    struct cel_step step;

    assert_int_equal(cel_step_make(codec->hdf5_id, w->n, w->w, &step), CEL_OK);
    assert_int_equal(cel_chain_insert(&c, 0, &step), CEL_OK);
    for (int from = CEL_SPELL_IDS; from <= CEL_SPELL_JSON3; from++)
        for (int to = CEL_SPELL_IDS; to <= CEL_SPELL_JSON3; to++) {
            struct cel_chain once = {0}, twice = {0};
            char *text = NULL, *again = NULL;

            print(&c, (enum cel_spelling)from, &text);
            if (cel_chain_parse(text, &once, NULL) != CEL_OK)
                fail_msg("%s: %s", text, cel_error_text());
            assert_int_equal(once.n, 1);
            expect_same(&c.step[0], &once.step[0], text);
            print(&once, (enum cel_spelling)to, &again);
            if (cel_chain_parse(again, &twice, NULL) != CEL_OK)
                fail_msg("%s: %s", again, cel_error_text());
            expect_same(&c.step[0], &twice.step[0], again);
            free(text);
            free(again);
            cel_chain_dispose(&once);
            cel_chain_dispose(&twice);
        }
    cel_chain_dispose(&c);
}

static void no_spelling_loses_anything(void **state)
{
    (void)state;
    for (size_t i = 0; cel_codec_at(i); i++) {
        const struct cel_codec *codec = cel_codec_at(i);
        struct cel_words w;
        int done = 0;

        for (int k = 0; k < 400; k++)
            if (random_words(codec, &w)) {
                try_words(codec, &w);
                done++;
            }
        if (done < 20)
            fail_msg("%s: only %d of 400 random parameters were accepted", codec->name, done);
    }
}

/* Every codec can be named, by its own names, and has what its table promises. */
static void every_codec_has_a_sound_table(void **state)
{
    (void)state;
    for (size_t i = 0; cel_codec_at(i); i++) {
        const struct cel_codec *codec = cel_codec_at(i);

        assert_ptr_equal(cel_codec_by_name(codec->name, strlen(codec->name)), codec);
        assert_ptr_equal(cel_codec_by_id(codec->hdf5_id), codec);
        assert_true(codec->min_words <= codec->max_words && codec->max_words <= CEL_WORDS_MAX);
        for (const struct cel_param *p = codec->params; p && p->name; p++) {
            assert_true((size_t)p->word + cel_param_width(p) <= codec->max_words);
            if (!(p->flags & CEL_PARAM_ELEM_SIZE))
                assert_true(p->fallback >= p->min && p->fallback <= p->max);
            if (p->kind == CEL_PARAM_CHOICE)
                assert_non_null(p->choices);
        }
    }
}

/* A codec by its bare name works with every default, whatever order its table has. */
static void defaults_are_all_filled_in(void **state)
{
    (void)state;
    for (size_t i = 0; cel_codec_at(i); i++) {
        const struct cel_codec *codec = cel_codec_at(i);
        struct cel_words w = {0};

        cel_params_complete(codec, &w);
        for (const struct cel_param *p = codec->params; p && p->name; p++)
            if (cel_param_counts(p, &w) && cel_param_is_held(p, &w) && cel_param_load(p, &w) != p->fallback)
                fail_msg("%s: %s is %g, its default is %g", codec->name, p->name, cel_param_load(p, &w), p->fallback);
        if (codec->min_words == 0)
            assert_int_equal(cel_params_check(codec, &w), CEL_OK);
    }
}

/* Zarr metadata of other writers. */
static void foreign_metadata_is_read(void **state)
{
    static const struct {
        const char *json;
        int version;
        const char *ids;
    } cases[] = {
        {"{\"id\":\"zlib\",\"level\":-1}", 2, "1,5"},
        {"{\"id\":\"zlib\",\"level\":\"7\"}", 2, "1,7"},
        {"{\"id\":\"zstd\",\"level\":0,\"checksum\":null}", 2, "32015,0"},
        {"{\"id\":\"zstd\",\"level\":4,\"future\":[1]}", 2, "32015,4"},
        {"{\"id\":\"shuffle\",\"elementsize\":\"0\"}", 2, "2,0"},
        {"{\"name\":\"numcodecs.bz2\",\"configuration\":{\"level\":1}}", 3, "307,1"},
        {"\"zstd\"", 3, "32015,3"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cel_json *doc = NULL;
        struct cel_chain c = {0};
        struct cel_step step;
        char *text = NULL;

        assert_int_equal(cel_json_parse(cases[i].json, strlen(cases[i].json), &doc, NULL), CEL_OK);
        if (cel_step_from_json(doc, cases[i].version, &step) != CEL_OK)
            fail_msg("%s: %s", cases[i].json, cel_error_text());
        assert_int_equal(cel_chain_insert(&c, 0, &step), CEL_OK);
        print(&c, CEL_SPELL_IDS, &text);
        assert_string_equal(text, cases[i].ids);
        free(text);
        cel_chain_dispose(&c);
        cel_json_free(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_spelling_loses_anything),
        cmocka_unit_test(every_codec_has_a_sound_table),
        cmocka_unit_test(defaults_are_all_filled_in),
        cmocka_unit_test(foreign_metadata_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
