/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains as Zarr JSON. Version 2 puts a codec's parameters beside its "id",
 * version 3 into the "configuration" beside its "name". Parameters come from the
 * codec's table unless it has functions of its own for them.
 *
 * What has no name in Zarr is {"id": "cellar.hdf5", "filter": 32099, "params":
 * [1, 2]}: any HDF5 filter, without loss. What this build does not know keeps its
 * JSON text.
 *
 * Metadata of other programs is read leniently (quoted numbers, null or -1 for "the
 * default", unknown keys); text of the user strictly. */
#include "buf.h"
#include "chain.h"
#include "dtype.h"
#include "json.h"
#include "mem.h"
#include "params.h"
#include "plugin.h"
#include "spec.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY_FILTER "cellar.hdf5"
#define SHARDING "sharding_indexed"
#define JSON_TEXT_MAX (1 << 20)

/* --- writing ---------------------------------------------------------------------- */

/* An object that has its name; *config is where its parameters go. */
static int new_codec(const char *name, int version, struct cel_json **out, struct cel_json **config)
{
    struct cel_json *object = cel_json_new_object();
    int rc = object ? cel_json_set_text(object, version == 3 ? "name" : "id", name) : NC_ENOMEM;

    *config = object;
    if (rc == CEL_OK && version == 3) {
        *config = cel_json_new_object();
        rc = cel_json_set(object, "configuration", *config);
    }
    if (rc != CEL_OK)
        cel_json_free(object);
    else
        *out = object;
    return rc;
}

static int any_filter_to_json(unsigned id, const struct cel_words *w, int version, struct cel_json **out)
{
    struct cel_json *object, *config, *params = NULL;
    int rc = new_codec(ANY_FILTER, version, &object, &config);

    if (rc != CEL_OK)
        return rc;
    rc = cel_json_set(config, "filter", cel_json_new_uint(id));
    if (rc == CEL_OK) {
        params = cel_json_new_array();
        rc = cel_json_set(config, "params", params);
    }
    for (size_t i = 0; rc == CEL_OK && i < w->n; i++)
        rc = cel_json_push(params, cel_json_new_uint(w->w[i]));
    if (rc != CEL_OK)
        cel_json_free(object);
    else
        *out = object;
    return rc;
}

/* Plugins write version 2; for 3 the members move into the configuration. */
static int plugin_to_json(const struct cel_codec *codec, const struct cel_words *w, int version, struct cel_json **out)
{
    struct cel_json *v2 = NULL, *config = NULL;
    int rc = cel_plugin_to_json(codec, w, &v2);

    if (rc != CEL_OK || version == 2) {
        *out = v2;
        return rc;
    }
    rc = new_codec(codec->zarr3, 3, out, &config);
    if (rc == CEL_OK) {
        rc = cel_json_copy_members(v2, "id", config);
        if (rc != CEL_OK)
            cel_json_free(*out);
    }
    cel_json_free(v2);
    return rc;
}

static int built_in_to_json(const struct cel_codec *codec, const struct cel_words *w, const struct cel_shape *shape,
                            int version, struct cel_json **out)
{
    const char *own = version == 3 ? codec->zarr3 : codec->zarr2;
    struct cel_json *object, *config;
    char name[80];
    int rc;

    snprintf(name, sizeof name, own ? "%s" : "cellar.%s", own ? own : codec->name);
    rc = new_codec(name, version, &object, &config);
    if (rc != CEL_OK)
        return rc;
    rc = cel_params_to_json(codec, w, shape, version, config);
    if (rc != CEL_OK)
        cel_json_free(object);
    else
        *out = object;
    return rc;
}

/* In version 3 "bytes" tells the byte order of the type that a filter stores. */
static bool is_turned_type(const struct cel_codec *codec, size_t i, uint32_t a, uint32_t b)
{
    return codec->stored_type && i + 1 == (size_t)codec->stored_type && a && b &&
           cel_dtype_turned(a, false) == cel_dtype_turned(b, false);
}

/* Whether the JSON gives the same words again, or those that fitting them to the
 * variable makes of them (an element size or type that was left open). */
static bool reads_back(const struct cel_json *object, int version, const struct cel_codec *codec,
                       const struct cel_words *w, const struct cel_shape *shape)
{
    struct cel_status before;
    struct cel_step step = {0};
    struct cel_words fitted = *w;
    bool same = true;

    cel_status_save(&before);
    if (!shape || !codec->prepare || codec->prepare(codec, w, shape, &fitted) != CEL_OK)
        fitted = *w;
    if (cel_step_from_json(object, version, &step) != CEL_OK || step.codec != codec)
        same = false;
    else
        cel_params_complete(codec, &step.visible);
    for (size_t i = 0; same && i < CEL_WORDS_MAX; i++) {
        uint32_t a = i < w->n ? w->w[i] : 0, b = i < step.visible.n ? step.visible.w[i] : 0;

        same = a == b || (i < fitted.n && b == fitted.w[i]) || (version == 3 && is_turned_type(codec, i, a, b));
    }
    cel_step_dispose(&step);
    cel_status_restore(&before);
    return same;
}

int cel_step_to_json(const struct cel_step *step, const struct cel_shape *shape, int version, struct cel_json **out)
{
    struct cel_words w;
    int rc;

    if (!step->codec && step->json)
        return cel_json_parse(step->json, strlen(step->json), out, NULL);
    cel_step_reveal(step, &w);
    if (!step->codec)
        return any_filter_to_json(step->id, &w, version, out);
    if (step->codec->flags & CEL_CODEC_OUTSIDE)
        return cel_plugin_has_codec(step->codec) ? plugin_to_json(step->codec, &w, version, out)
                                                 : any_filter_to_json(step->id, &w, version, out);
    cel_params_complete(step->codec, &w);
    rc = built_in_to_json(step->codec, &w, shape, version, out);
    if (rc == CEL_OK && !reads_back(*out, version, step->codec, &w, shape)) {
        cel_json_free(*out);
        rc = any_filter_to_json(step->id, &w, version, out);
    }
    return rc;
}

/* --- reading ----------------------------------------------------------------------- */

/* The user's own text must be right; what a file has is kept as it is. */
static int check_any_filter(const struct cel_json *config, const struct cel_step *step)
{
    const void *at = NULL;
    const char *key;

    while (cel_json_next(config, &at, &key))
        if (strcmp(key, "id") != 0 && strcmp(key, "filter") != 0 && strcmp(key, "params") != 0)
            return cel_fail(NC_EINVAL, ANY_FILTER " has no parameter %s, only filter and params", key);
    return step->codec ? cel_params_check(step->codec, &step->visible) : CEL_OK;
}

static int any_filter_from_json(const struct cel_json *config, bool strict, struct cel_step *out)
{
    const struct cel_json *params = cel_json_get(config, "params");
    uint64_t id, v;
    unsigned words[CEL_WORDS_MAX];
    size_t n = cel_json_count(params);

    if (!cel_json_uint(cel_json_get(config, "filter"), true, &id) || id == 0 || id > UINT32_MAX)
        return cel_fail(NC_EINVAL, ANY_FILTER ": \"filter\" must be the id of an HDF5 filter");
    if (n > CEL_WORDS_MAX)
        return cel_fail(NC_EFILTER, ANY_FILTER ": a filter can have at most %d parameters", CEL_WORDS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!cel_json_uint(cel_json_item(params, i), true, &v) || v > UINT32_MAX)
            return cel_fail(NC_EINVAL, ANY_FILTER ": parameter %zu is no unsigned 32-bit number", i);
        words[i] = (unsigned)v;
    }
    *out = (struct cel_step){.id = (unsigned)id, .codec = cel_chain_codec((unsigned)id), .optional = true};
    out->visible.n = n;
    memcpy(out->visible.w, words, n * sizeof *words);
    return strict ? check_any_filter(config, out) : CEL_OK;
}

static int keep_unknown(const struct cel_json *object, struct cel_step *out)
{
    struct cel_buf text = CEL_BUF_INIT(JSON_TEXT_MAX);
    int rc = cel_json_print(object, 0, &text);

    *out = (struct cel_step){.optional = true};
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, &out->json);
    cel_buf_dispose(&text);
    return rc;
}

/* The plugin wants version 2: "id" and the members beside each other. */
static int plugin_from_json(const struct cel_codec *codec, const struct cel_json *config, int version,
                            struct cel_words *w)
{
    struct cel_json *v2 = NULL;
    int rc;

    if (version == 2)
        return cel_plugin_from_json(codec, config, w);
    rc = config ? cel_json_copy(config, &v2) : CEL_OK;
    if (rc == CEL_OK && !config && !(v2 = cel_json_new_object()))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_json_set_text(v2, "id", codec->zarr2);
    if (rc == CEL_OK)
        rc = cel_plugin_from_json(codec, v2, w);
    cel_json_free(v2);
    return rc;
}

static const char *codec_name(const struct cel_json *object, int version)
{
    if (version == 3 && cel_json_type(object) == CEL_JSON_STRING)
        return cel_json_string(object, NULL);
    return cel_json_string(cel_json_get(object, version == 3 ? "name" : "id"), NULL);
}

static const struct cel_codec *find_codec(const char *name, int version)
{
    const struct cel_codec *codec = cel_codec_by_zarr(name, version);

    return codec ? codec : cel_plugin_by_zarr(name);
}

static int step_from_json(const struct cel_json *object, int version, bool strict, struct cel_step *out)
{
    const char *name = codec_name(object, version);
    const struct cel_json *config = version == 3 ? cel_json_get(object, "configuration") : object;
    struct cel_step step = {.optional = true};
    int rc;

    if (!name)
        return cel_fail(NC_EINVAL, "a codec is an object with \"%s\"", version == 3 ? "name" : "id");
    if (config && cel_json_type(config) != CEL_JSON_OBJECT)
        return cel_fail(NC_EINVAL, "%s: \"configuration\" must be an object", name);
    if (strcmp(name, ANY_FILTER) == 0)
        return any_filter_from_json(config, strict, out);
    step.codec = find_codec(name, version);
    if (!step.codec)
        return keep_unknown(object, out);
    step.id = step.codec->hdf5_id;
    rc = step.codec->flags & CEL_CODEC_OUTSIDE
             ? plugin_from_json(step.codec, config, version, &step.visible)
             : cel_params_from_json(step.codec, config, version, strict, &step.visible);
    if (rc == CEL_OK)
        rc = cel_params_check(step.codec, &step.visible);
    if (rc == CEL_OK)
        *out = step;
    return rc;
}

int cel_step_from_json(const struct cel_json *object, int version, struct cel_step *out)
{
    return step_from_json(object, version, false, out);
}

/* --- whole chains --------------------------------------------------------------------- */

static int version_of(const struct cel_json *object)
{
    return cel_json_type(object) == CEL_JSON_STRING || cel_json_get(object, "name") ? 3 : 2;
}

/* Codecs of version 3 that say how an array lies in memory. The order of bytes is
 * the variable's own, shards are kept beside the chain; axes cannot be permuted. */
static int check_layout(const struct cel_json *object, bool *is_layout)
{
    const char *name = codec_name(object, 3);
    const char *endian = cel_json_string(cel_json_get(cel_json_get(object, "configuration"), "endian"), NULL);

    *is_layout = false;
    if (!name || version_of(object) != 3)
        return CEL_OK;
    if (strcmp(name, "transpose") == 0 || strcmp(name, SHARDING) == 0)
        return cel_fail(NC_EINVAL, "%s is about the layout of the array, not a filter", name);
    *is_layout = strcmp(name, "bytes") == 0 || strcmp(name, "endian") == 0;
    if (*is_layout && endian && strcmp(endian, "little") != 0)
        return cel_fail(NC_EINVAL, "%s: the order of bytes is set by nc_def_var_endian", name);
    return CEL_OK;
}

static int add_codec(const struct cel_json *object, struct cel_chain *chain)
{
    struct cel_step step;
    bool is_layout;
    int rc = check_layout(object, &is_layout);

    if (rc != CEL_OK || is_layout)
        return rc;
    rc = cel_chain_take_object(chain, object, true);
    if (rc != CEL_ABSENT)
        return rc;
    rc = step_from_json(object, version_of(object), true, &step);
    if (rc == CEL_OK)
        rc = cel_chain_insert(chain, chain->n, &step);
    return rc;
}

static int add_codecs(const struct cel_json *list, struct cel_chain *chain)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(list) && cel_json_type(list) == CEL_JSON_ARRAY; i++) {
        rc = add_codec(cel_json_item(list, i), chain);
        if (rc != CEL_OK)
            cel_fail_in(rc, "codec /%zu", i);
    }
    return rc;
}

/* The sharding_indexed that is all of the list; NULL: it is not. */
static const struct cel_json *find_sharding(const struct cel_json *doc)
{
    const struct cel_json *only = cel_json_type(doc) == CEL_JSON_ARRAY ? cel_json_item(doc, 0) : doc;
    const char *name = cel_json_type(only) == CEL_JSON_OBJECT ? codec_name(only, 3) : NULL;

    if (cel_json_type(doc) == CEL_JSON_ARRAY && cel_json_count(doc) != 1)
        return NULL;
    return name && strcmp(name, SHARDING) == 0 ? only : NULL;
}

static int chain_of_doc(const struct cel_json *doc, struct cel_chain *chain, struct cel_sharding *sharding)
{
    const struct cel_json *codecs = doc, *shard = sharding ? find_sharding(doc) : NULL;
    int rc = CEL_OK;

    if (shard)
        rc = cel_sharding_from_json(shard, sharding, &codecs);
    else if (cel_json_type(doc) == CEL_JSON_OBJECT)
        return add_codec(doc, chain);
    return rc == CEL_OK ? add_codecs(codecs, chain) : rc;
}

int cel_chain_from_json(const char *text, struct cel_chain *out, struct cel_sharding *sharding, size_t *column)
{
    struct cel_json *doc = NULL;
    struct cel_chain chain = {0};
    size_t at = 0;
    int rc = cel_json_parse(text, strlen(text), &doc, &at);

    if (column)
        *column = at;
    if (rc == CEL_OK)
        rc = chain_of_doc(doc, &chain, sharding);
    cel_json_free(doc);
    if (rc != CEL_OK) {
        cel_chain_dispose(&chain);
        return rc;
    }
    *out = chain;
    return CEL_OK;
}

int cel_chain_json_list(const struct cel_chain *c, int version, struct cel_json **out)
{
    struct cel_json *list = cel_json_new_array(), *item;
    int rc = list ? cel_chain_object_json(c, version, &item) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_push(list, item);
    else if (rc == CEL_ABSENT)
        rc = CEL_OK;
    for (size_t i = 0; rc == CEL_OK && i < c->n; i++) {
        rc = cel_step_to_json(&c->step[i], c->prepared ? &c->shape : NULL, version, &item);
        if (rc == CEL_OK)
            rc = cel_json_push(list, item);
    }
    *out = rc == CEL_OK ? list : NULL;
    if (rc != CEL_OK)
        cel_json_free(list);
    return rc;
}

int cel_chain_to_json(const struct cel_chain *c, int version, struct cel_buf *out)
{
    struct cel_json *list;
    int rc = cel_chain_json_list(c, version, &list);

    if (rc == CEL_OK)
        rc = cel_json_print(list, 0, out);
    cel_json_free(list);
    return rc;
}
