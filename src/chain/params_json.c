/* SPDX-License-Identifier: BSD-3-Clause */
/* A codec's words (cd_values) as members of a JSON object, and back, by its parameter table or by functions
 * of its own. In a file of its own because plugins/ uses it without the list of codecs. */
#include "json.h"
#include "params.h"
#include "spec.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

static struct cel_json *json_list(const struct cel_param *p, const struct cel_words *w)
{
    static const uint32_t none[CEL_WORDS_MAX];
    char text[CEL_LIST_TEXT];

    p->list->print(cel_param_is_held(p, w) ? w->w + p->word : none, text);
    return cel_json_new_string(text, strlen(text));
}

static struct cel_json *json_value(const struct cel_param *p, double v)
{
    /* v comes from a file: it may be no choice at all, and more than an int holds */
    for (int i = 0; p->kind == CEL_PARAM_CHOICE && p->choices[i]; i++)
        if (i == v)
            return cel_json_new_string(p->choices[i], strlen(p->choices[i]));
    switch (p->kind) {
    case CEL_PARAM_BOOL:
        return cel_json_new_bool(v != 0);
    case CEL_PARAM_FLOAT:
        return cel_json_new_float((float)v);
    case CEL_PARAM_DOUBLE:
        return cel_json_new_double(v);
    default:
        return cel_json_new_int((int64_t)v);
    }
}

/* The value a parameter has, its default when its word is not there. */
static double value_of(const struct cel_param *p, const struct cel_words *w, const struct cel_shape *shape)
{
    double v = cel_param_is_held(p, w) ? cel_param_load(p, w) : p->fallback;

    return p->flags & CEL_PARAM_ELEM_SIZE && v == 0 && shape ? (double)shape->elem_size : v;
}

/* Older numcodecs refuse members they do not know (zstd's checksum), so those are
 * written for version 2 only when they say something. */
static bool is_news_to_numcodecs(const struct cel_param *p, const struct cel_words *w, int version)
{
    return version == 2 && p->flags & CEL_PARAM_EXTRA && value_of(p, w, NULL) == p->fallback;
}

int cel_params_to_json(const struct cel_codec *codec, const struct cel_words *w, const struct cel_shape *shape,
                       int version, struct cel_json *config)
{
    int rc = CEL_OK;

    if (codec->to_json)
        return codec->to_json(w, shape, version, config);
    for (const struct cel_param *p = codec->params; rc == CEL_OK && p && p->name; p++)
        if (cel_param_counts(p, w) && !(p->flags & CEL_PARAM_NO_JSON) && !is_news_to_numcodecs(p, w, version))
            rc = cel_json_set(config, cel_param_json_key(p),
                              p->list ? json_list(p, w) : json_value(p, value_of(p, w, shape)));
    return rc;
}

static bool read_value(const struct cel_param *p, const struct cel_json *member, bool strict, double *v)
{
    size_t len = 0;
    const char *text = cel_json_string(member, &len);
    int choice = p->kind == CEL_PARAM_CHOICE && text ? cel_param_choice(p, text, len) : -1;

    if (choice >= 0)
        *v = choice;
    else if (cel_json_type(member) == CEL_JSON_BOOL)
        *v = cel_json_bool(member);
    else
        return cel_json_double(member, !strict || p->kind != CEL_PARAM_CHOICE, v);
    return true;
}

/* null, or numcodecs' -1 where that is no value of its own: the codec's default. */
static bool means_default(const struct cel_param *p, const struct cel_json *member, double v)
{
    return cel_json_type(member) == CEL_JSON_NULL || (v == -1 && p->min > -1);
}

static int read_param(const struct cel_codec *codec, const struct cel_param *p, const struct cel_json *member,
                      bool strict, struct cel_words *w)
{
    double v = 0;
    size_t len = 0;
    const char *text = cel_json_string(member, &len);

    if (p->list && text && cel_param_store_list(p, text, len, w))
        return CEL_OK;
    if (p->list || (cel_json_type(member) != CEL_JSON_NULL && !read_value(p, member, strict, &v)))
        return cel_fail(NC_EINVAL, "%s: the value of %s is not of its kind", codec->name, cel_param_json_key(p));
    if (!strict && means_default(p, member, v))
        v = p->fallback;
    return cel_param_store(codec, p, v, w);
}

static int unknown_key(const struct cel_codec *codec, const char *key, bool strict)
{
    struct cel_guess guess;

    if (!strict) {
        cel_warn("%s: its member %s is not known and not used", codec->name, key);
        return CEL_OK;
    }
    cel_guess_start(&guess);
    for (const struct cel_param *p = codec->params; p && p->name; p++)
        cel_guess_try(&guess, key, strlen(key), cel_param_json_key(p));
    return cel_fail(NC_EINVAL, "%s has no parameter %s%s", codec->name, key, guess.text);
}

/* Parameters with CEL_PARAM_EXTRA that have their default take no word. */
static void drop_extras(const struct cel_codec *codec, struct cel_words *w)
{
    for (const struct cel_param *p = codec->params; p && p->name; p++)
        if (p->flags & CEL_PARAM_EXTRA && (size_t)p->word + cel_param_width(p) == w->n &&
            cel_param_load(p, w) == p->fallback)
            w->n = (size_t)p->word;
}

/* Members in the table's order, so that what one depends on comes first. */
static int read_table(const struct cel_codec *codec, const struct cel_json *config, bool strict, struct cel_words *w)
{
    int rc = CEL_OK;

    for (const struct cel_param *p = codec->params; rc == CEL_OK && p && p->name; p++) {
        const struct cel_json *member = cel_json_get(config, cel_param_json_key(p));

        if (member && (p->when_value == 0 || cel_json_type(member) != CEL_JSON_NULL))
            rc = read_param(codec, p, member, strict, w);
        else if (!member && p->flags & CEL_PARAM_REQUIRED)
            rc = cel_fail(NC_EFILTER, "%s: \"%s\" is missing", codec->name, cel_param_json_key(p));
        else if (!member && cel_param_counts(p, w) && !(p->flags & (CEL_PARAM_ELEM_SIZE | CEL_PARAM_EXTRA)))
            rc = cel_param_store(codec, p, p->fallback, w);
    }
    if (rc == CEL_OK)
        drop_extras(codec, w);
    return rc;
}

static int check_keys(const struct cel_codec *codec, const struct cel_json *config, int version, bool strict)
{
    const void *at = NULL;
    const char *key;
    int rc = CEL_OK;

    while (rc == CEL_OK && cel_json_next(config, &at, &key))
        if (!(version == 2 && strcmp(key, "id") == 0) && !cel_param_find_json(codec, key))
            rc = unknown_key(codec, key, strict);
    return rc;
}

int cel_params_from_json(const struct cel_codec *codec, const struct cel_json *config, int version, bool strict,
                         struct cel_words *w)
{
    int rc;

    if (codec->from_json)
        return codec->from_json(config, version, w);
    rc = check_keys(codec, config, version, strict);
    return rc == CEL_OK ? read_table(codec, config, strict, w) : rc;
}
