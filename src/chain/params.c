/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of parameters, from and to words (cd_values), by the codec's parameter table. Every value is
 * handled as a double: the widest integers here have 32 bits, so nothing is lost, and one range check
 * serves all kinds. */
#include "number.h"
#include "params.h"
#include "status.h"
#include <assert.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

size_t cel_param_width(const struct cel_param *p)
{
    return p->list ? p->list->nwords : p->kind == CEL_PARAM_DOUBLE ? 2 : 1;
}

bool cel_param_counts(const struct cel_param *p, const struct cel_words *w)
{
    return p->when_value == 0 || ((size_t)p->when_word < w->n && w->w[p->when_word] == p->when_value);
}

bool cel_param_is_held(const struct cel_param *p, const struct cel_words *w)
{
    return (size_t)p->word + cel_param_width(p) <= w->n;
}

double cel_param_load(const struct cel_param *p, const struct cel_words *w)
{
    const uint32_t *at = w->w + p->word;
    float f;

    switch (p->kind) {
    case CEL_PARAM_INT:
        return (int32_t)*at;
    case CEL_PARAM_FLOAT:
        memcpy(&f, at, sizeof f);
        return f;
    case CEL_PARAM_DOUBLE:
        return cel_words_double(at);
    case CEL_PARAM_LIST:
        for (size_t i = 0; i < p->list->nwords; i++)
            if (at[i])
                return 1;
        return 0;
    default:
        return *at;
    }
}

static void put_value(const struct cel_param *p, double v, struct cel_words *w)
{
    uint32_t *at = w->w + p->word;
    float f = (float)v;

    assert((size_t)p->word + cel_param_width(p) <= CEL_WORDS_MAX);
    while (w->n < (size_t)p->word + cel_param_width(p))
        w->w[w->n++] = 0;
    if (p->kind == CEL_PARAM_LIST)
        memset(at, 0, p->list->nwords * sizeof *at);
    else if (p->kind == CEL_PARAM_DOUBLE)
        cel_words_set_double(v, at);
    else if (p->kind == CEL_PARAM_FLOAT)
        memcpy(at, &f, sizeof f);
    else
        *at = p->kind == CEL_PARAM_INT ? (uint32_t)(int32_t)v : (uint32_t)v;
}

static bool is_integer(const struct cel_param *p)
{
    return p->kind != CEL_PARAM_FLOAT && p->kind != CEL_PARAM_DOUBLE;
}

/* As few digits as tell the number, and whole numbers without a point. */
static const char *print_number(double v, char out[CEL_NUMBER_MAX])
{
    if (v == trunc(v) && fabs(v) < 1e15)
        snprintf(out, CEL_NUMBER_MAX, "%.0f", v);
    else
        cel_print_double(v, out);
    return out;
}

static int check_range(const struct cel_codec *codec, const struct cel_param *p, double v)
{
    char value[CEL_NUMBER_MAX], min[CEL_NUMBER_MAX], max[CEL_NUMBER_MAX];

    if (is_integer(p) && v != trunc(v))
        return cel_fail(NC_EINVAL, "%s: %s is a whole number, not %s", codec->name, p->name, print_number(v, value));
    if ((p->flags & CEL_PARAM_ELEM_SIZE) && v == 0)
        return CEL_OK;
    if (!(v >= p->min && v <= p->max))
        return cel_fail(NC_EINVAL, "%s: %s is %s; it must be from %s to %s%s%s", codec->name, p->name,
                        print_number(v, value), print_number(p->min, min), print_number(p->max, max),
                        p->help ? ": " : "", p->help ? p->help : "");
    return CEL_OK;
}

bool cel_param_store_list(const struct cel_param *p, const char *text, size_t len, struct cel_words *w)
{
    put_value(p, 0, w);
    return p->list->parse(text, len, w->w + p->word);
}

int cel_param_store(const struct cel_codec *codec, const struct cel_param *p, double v, struct cel_words *w)
{
    int rc = check_range(codec, p, v);

    if (rc != CEL_OK)
        return rc;
    if (p->when_value) {
        while (w->n <= (size_t)p->when_word)
            w->w[w->n++] = 0;
        w->w[p->when_word] = p->when_value;
    }
    put_value(p, v, w);
    return CEL_OK;
}

const char *cel_param_json_key(const struct cel_param *p)
{
    return p->json ? p->json : p->name;
}

const struct cel_param *cel_param_find(const struct cel_codec *codec, const char *key, size_t len)
{
    for (const struct cel_param *p = codec->params; p && p->name; p++)
        if ((strlen(p->name) == len && strncmp(p->name, key, len) == 0) ||
            (p->json && strlen(p->json) == len && strncmp(p->json, key, len) == 0))
            return p;
    return NULL;
}

const struct cel_param *cel_param_find_json(const struct cel_codec *codec, const char *key)
{
    for (const struct cel_param *p = codec->params; p && p->name; p++)
        if (strcmp(cel_param_json_key(p), key) == 0)
            return p;
    return cel_param_find(codec, key, strlen(key));
}

int cel_param_choice(const struct cel_param *p, const char *name, size_t len)
{
    for (int i = 0; p->choices && p->choices[i]; i++)
        if (strlen(p->choices[i]) == len && strncmp(p->choices[i], name, len) == 0)
            return i;
    return -1;
}

/* Most parameters always have a word. Others have one only where a later parameter makes the list that
 * long. */
static bool has_word_always(const struct cel_param *p)
{
    return !(p->flags & (CEL_PARAM_ELEM_SIZE | CEL_PARAM_EXTRA));
}

static bool is_mode(const struct cel_param *p, const struct cel_words *w)
{
    return has_word_always(p) && p->when_value == 0;
}

static bool is_of_mode(const struct cel_param *p, const struct cel_words *w)
{
    return has_word_always(p) && p->when_value != 0 && cel_param_counts(p, w);
}

static bool is_within_list(const struct cel_param *p, const struct cel_words *w)
{
    return !has_word_always(p) && cel_param_counts(p, w) && cel_param_is_held(p, w);
}

/* Modes come first: which other parameters count depends on them. Rows stand in any order, so whether a
 * parameter was given follows from the number of words at the start, not from the number so far. */
void cel_params_complete(const struct cel_codec *codec, struct cel_words *w)
{
    static bool (*const passes[])(const struct cel_param *, const struct cel_words *) = {is_mode, is_of_mode,
                                                                                         is_within_list};
    const size_t given = w->n;

    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        for (const struct cel_param *p = codec->params; p && p->name; p++)
            if ((size_t)p->word >= given && passes[i](p, w))
                put_value(p, p->fallback, w);
}

static int check_count(const struct cel_codec *codec, size_t n)
{
    if (n < codec->min_words)
        return cel_fail(NC_EFILTER, "%s: %zu parameters given, at least %zu needed", codec->name, n, codec->min_words);
    if (n > codec->max_words)
        return cel_fail(NC_EFILTER, "%s: %zu parameters given, it takes at most %zu", codec->name, n, codec->max_words);
    return CEL_OK;
}

static int check_values(const struct cel_codec *codec, const struct cel_words *w)
{
    int rc = CEL_OK;

    for (const struct cel_param *p = codec->params; rc == CEL_OK && p && p->name; p++)
        if (cel_param_counts(p, w) && cel_param_is_held(p, w))
            rc = check_range(codec, p, cel_param_load(p, w));
    return rc == CEL_OK && codec->check ? codec->check(w) : rc;
}

int cel_params_check(const struct cel_codec *codec, const struct cel_words *w)
{
    struct cel_words full = *w;
    int rc = check_count(codec, w->n);

    for (const struct cel_param *p = codec->params; rc == CEL_OK && p && p->name; p++)
        if (cel_param_counts(p, w) && (size_t)p->word < w->n && !cel_param_is_held(p, w))
            rc = cel_fail(NC_EFILTER, "%s: %s takes %s words, and %s", codec->name, p->name, p->list ? "more" : "two",
                          p->list ? "not all are there" : "one is there");
    if (rc != CEL_OK)
        return rc;
    cel_params_complete(codec, &full);
    return check_values(codec, &full);
}
