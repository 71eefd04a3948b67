/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds chains: makes steps from ids and cd_values, and fits them to a variable. */
#include "buf.h"
#include "chain.h"
#include "env.h"
#include "mem.h"
#include "params.h"
#include "plugin.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cel_step_dispose(struct cel_step *step)
{
    free(step->json);
    *step = (struct cel_step){0};
}

void cel_chain_dispose(struct cel_chain *c)
{
    for (size_t i = 0; i < c->n; i++)
        cel_step_dispose(&c->step[i]);
    free(c->step);
    free(c->object);
    *c = (struct cel_chain){0};
}

static int step_copy(const struct cel_step *from, struct cel_step *to)
{
    *to = *from;
    if (!from->json)
        return CEL_OK;
    to->json = cel_strdup(from->json);
    return to->json ? CEL_OK : NC_ENOMEM;
}

int cel_chain_copy(const struct cel_chain *from, struct cel_chain *to)
{
    struct cel_chain copy = {0};
    int rc = CEL_OK;

    if (from->object && !(copy.object = cel_strdup(from->object)))
        rc = NC_ENOMEM;
    for (size_t i = 0; rc == CEL_OK && i < from->n; i++) {
        struct cel_step step;

        rc = step_copy(&from->step[i], &step);
        if (rc == CEL_OK)
            rc = cel_chain_insert(&copy, copy.n, &step);
    }
    if (rc != CEL_OK) {
        cel_chain_dispose(&copy);
        return rc;
    }
    *to = copy;
    return CEL_OK;
}

struct cel_step *cel_chain_find(const struct cel_chain *c, unsigned id)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->step[i].id == id && id != 0)
            return &c->step[i];
    return NULL;
}

const struct cel_codec *cel_chain_codec(unsigned id)
{
    const struct cel_codec *built_in = cel_codec_by_id(id), *plugin = NULL;

    if (!built_in || cel_env_prefer_plugins())
        plugin = cel_plugin_by_id(id);
    return plugin ? plugin : built_in;
}

static int take_words(unsigned id, size_t n, const unsigned *words, struct cel_words *out)
{
    if (n > CEL_WORDS_MAX)
        return cel_fail(NC_EFILTER, "filter %u: %zu parameters are more than the %d a filter can have", id, n,
                        CEL_WORDS_MAX);
    if (n > 0 && !words)
        return cel_fail(NC_EINVAL, "filter %u: %zu parameters announced, but none given", id, n);
    out->n = n;
    for (size_t i = 0; i < n; i++)
        out->w[i] = words[i];
    return CEL_OK;
}

/* "filter 32024 (SZ3)" */
static void describe(unsigned id, char *out, size_t cap)
{
    const char *name = cel_codec_registered_name(id);

    snprintf(out, cap, name ? "filter %u (%s)" : "filter %u", id, name);
}

int cel_chain_missing(unsigned id)
{
    struct cel_buf tried = CEL_BUF_INIT(4096);
    char what[128];
    int rc = cel_plugin_tried(&tried);

    describe(id, what, sizeof what);
    rc = cel_fail(NC_ENOFILTER,
                  "%s is not built in, and no plugin for it was found%s%.*s; install one and put its "
                  "directory into HDF5_PLUGIN_PATH",
                  what, rc == CEL_OK && tried.len ? " in " : "", rc == CEL_OK ? (int)tried.len : 0,
                  tried.data ? tried.data : "");
    cel_buf_dispose(&tried);
    return rc;
}

int cel_step_make(unsigned id, size_t nwords, const unsigned *words, struct cel_step *out)
{
    struct cel_step step = {.id = id, .optional = true};
    int rc = take_words(id, nwords, words, &step.visible);

    if (rc != CEL_OK)
        return rc;
    step.codec = cel_chain_codec(id);
    if (!step.codec)
        return cel_chain_missing(id);
    step.optional = !(step.codec->flags & CEL_CODEC_CHECKSUM); /* as libhdf5: a check is never left out */
    rc = cel_params_check(step.codec, &step.visible);
    if (rc == CEL_OK)
        *out = step;
    return rc;
}

int cel_step_from_file(unsigned id, bool optional, size_t nwords, const unsigned *words, struct cel_step *out)
{
    struct cel_step step = {.id = id, .optional = optional, .from_file = true};
    int rc = take_words(id, nwords, words, &step.visible);

    if (rc != CEL_OK)
        return rc;
    step.codec = cel_chain_codec(id);
    step.working = step.visible;
    *out = step;
    return CEL_OK;
}

void cel_step_reveal(const struct cel_step *step, struct cel_words *out)
{
    *out = step->visible;
    if (!step->from_file || !step->codec)
        return;
    if (step->codec->reveal)
        step->codec->reveal(&step->visible, out);
    else if (out->n > step->codec->max_words)
        out->n = step->codec->max_words;
}

void cel_step_shown(const struct cel_step *step, struct cel_words *out)
{
    enum { SZIP = 4 };

    if (step->id == SZIP)
        cel_step_reveal(step, out);
    else
        *out = step->visible;
}

int cel_chain_insert(struct cel_chain *c, size_t at, struct cel_step *step)
{
    struct cel_step *more;

    if (c->n >= CEL_CHAIN_MAX) {
        cel_step_dispose(step);
        return cel_fail(NC_EFILTER, "a variable can have at most %d filters", CEL_CHAIN_MAX);
    }
    more = cel_realloc(c->step, c->n + 1, sizeof *more);
    if (!more) {
        cel_step_dispose(step);
        return NC_ENOMEM;
    }
    c->step = more;
    if (at > c->n)
        at = c->n;
    memmove(more + at + 1, more + at, (c->n - at) * sizeof *more);
    more[at] = *step;
    *step = (struct cel_step){0};
    c->n++;
    c->prepared = false;
    return CEL_OK;
}

void cel_chain_remove(struct cel_chain *c, size_t at)
{
    cel_step_dispose(&c->step[at]);
    memmove(c->step + at, c->step + at + 1, (c->n - at - 1) * sizeof *c->step);
    c->n--;
    c->prepared = false;
}

/* A codec that works on elements must see them: whatever runs before it must
 * leave elements behind. */
static int check_position(const struct cel_chain *c, size_t i)
{
    const struct cel_codec *codec = c->step[i].codec;

    for (size_t before = 0; codec->flags & CEL_CODEC_NEEDS_ELEMENTS && before < i; before++) {
        const struct cel_codec *other = c->step[before].codec;

        if (other && !(other->flags & CEL_CODEC_NEEDS_ELEMENTS && other->flags & CEL_CODEC_SAME_SIZE))
            return cel_fail(NC_EFILTER, "%s works on the elements themselves and cannot come after %s", codec->name,
                            other->name);
    }
    return CEL_OK;
}

static int prepare_step(const struct cel_shape *shape, bool keep_working, struct cel_step *step)
{
    struct cel_words working = step->visible, full;
    int rc = CEL_OK;

    if (step->fitted || (keep_working && step->working.n > 0))
        return CEL_OK;
    cel_params_complete(step->codec, &working);
    full = working;
    if (step->codec->prepare)
        rc = step->codec->prepare(step->codec, &full, shape, &working);
    step->working = working;
    return rc < 0 ? cel_fail_part(rc, CEL_IN_FILTER, "%s", step->codec->name) : rc;
}

int cel_chain_prepare(struct cel_chain *c, const struct cel_shape *shape, bool keep_working)
{
    int rc = CEL_OK;

    c->shape = *shape;
    for (size_t i = 0; rc == CEL_OK && i < c->n; i++) {
        if (!c->step[i].codec)
            continue;
        rc = keep_working ? CEL_OK : check_position(c, i);
        if (rc == CEL_OK)
            rc = prepare_step(shape, keep_working, &c->step[i]);
    }
    c->prepared = rc == CEL_OK;
    return rc;
}

int cel_chain_usable(const struct cel_chain *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct cel_step *step = &c->step[i];

        if (step->codec)
            continue;
        if (step->id)
            return cel_chain_missing(step->id);
        return cel_fail(NC_ENOFILTER, "the codec %s is not available here",
                        step->json ? step->json : "of this variable");
    }
    return CEL_OK;
}

/* Without a skip mask every step must take every chunk, whatever its length. */
int cel_chain_check_maskless(const struct cel_chain *c)
{
    const struct cel_codec *before = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct cel_codec *codec = c->step[i].codec;

        if (codec && before && codec->flags & CEL_CODEC_NEEDS_PIXELS)
            return cel_fail(NC_EFILTER,
                            "%s takes whole elements only and cannot come after %s, which changes the "
                            "length, where a filter cannot be left out for one chunk",
                            codec->name, before->name);
        if (codec && !(codec->flags & CEL_CODEC_SAME_SIZE))
            before = codec;
    }
    return CEL_OK;
}

int cel_chain_fit_plugins(struct cel_chain *c, const struct cel_shape *shape)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < c->n; i++) {
        struct cel_step *step = &c->step[i];
        if (step->fitted || !cel_plugin_needs_local(step->codec))
            continue;
        rc = cel_plugin_set_local(step->codec, &step->visible, shape, &step->working);
        step->fitted = rc == CEL_OK;
    }
    return rc;
}
