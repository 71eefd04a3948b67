/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec half of a plugin: parameters from JSON and to JSON, by netCDF-C's ABI. Its JSON is always that
 * of Zarr v2 ("id"), and it returns malloc'ed memory. */
#include "buf.h"
#include "json.h"
#include "mem.h"
#include "plugin_int.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_MAX (1 << 20)

const char *cel_ncz_verify(const struct cel_ncz_codec *half)
{
    if (half->version != CEL_NCZ_VERSION)
        return "the codec has another version than 1";
    if (half->sort != CEL_NCZ_HDF5)
        return "the codec is not of the HDF5 sort";
    if (!half->codecid || !half->codecid[0])
        return "the codec has no name";
    if (half->hdf5id == 0 || half->hdf5id > 65535)
        return "the codec's filter id is not from 1 to 65535";
    if (!half->codec_to_hdf5 || !half->hdf5_to_codec)
        return "the codec cannot convert between JSON and parameters";
    return NULL;
}

void cel_outside_pair(struct cel_outside *o, const struct cel_ncz_codec *half)
{
    o->half = half;
    snprintf(o->name, sizeof o->name, "%s", half->codecid);
    o->codec.zarr2 = half->codecid;
    o->codec.zarr3 = half->codecid;
}

bool cel_plugin_has_codec(const struct cel_codec *codec)
{
    const struct cel_outside *o = codec->outside;

    return o && o->half;
}

/* The half, or NC_ENOFILTER with a sentence. */
static int half_of(const struct cel_codec *codec, const struct cel_ncz_codec **half)
{
    const struct cel_outside *o = codec->outside;

    if (!o->half)
        return cel_fail(NC_ENOFILTER, "%s: the plugin %s has no codec half, so it has no name in Zarr", o->name,
                        o->path);
    *half = o->half;
    return CEL_OK;
}

static int plugin_error(const struct cel_codec *codec, int code, const char *doing)
{
    const struct cel_outside *o = codec->outside;

    return cel_fail(code < 0 ? code : NC_EPLUGIN, "%s: the codec of plugin %s failed %s (code %d)", o->name, o->path,
                    doing, code);
}

/* Take over a list of words made by the plugin. */
static int take_words(const struct cel_codec *codec, size_t n, unsigned *words, struct cel_words *out)
{
    if (n > CEL_WORDS_MAX || (n > 0 && !words)) {
        free(words);
        return plugin_error(codec, NC_EPLUGIN, "to give a list of parameters");
    }
    out->n = n;
    for (size_t i = 0; i < n; i++)
        out->w[i] = words[i];
    free(words);
    return CEL_OK;
}

int cel_plugin_from_json(const struct cel_codec *codec, const struct cel_json *object, struct cel_words *visible)
{
    struct cel_buf text = CEL_BUF_INIT(JSON_MAX);
    const struct cel_ncz_codec *half = NULL;
    const struct cel_plugin_lock *lock;
    unsigned *words = NULL;
    size_t n = 0;
    int rc = half_of(codec, &half);

    if (rc == CEL_OK)
        rc = cel_json_print(object, 0, &text);
    if (rc == CEL_OK)
        rc = cel_buf_add(&text, "", 1);
    if (rc == CEL_OK) {
        lock = cel_plugin_enter();
        rc = half->codec_to_hdf5(text.data, &n, &words);
        cel_plugin_leave(lock);
        rc = rc ? plugin_error(codec, rc, "to read its JSON") : take_words(codec, n, words, visible);
    }
    cel_buf_dispose(&text);
    return rc;
}

int cel_plugin_to_json(const struct cel_codec *codec, const struct cel_words *visible, struct cel_json **out)
{
    const struct cel_ncz_codec *half = NULL;
    const struct cel_plugin_lock *lock;
    char *text = NULL;
    int rc = half_of(codec, &half);

    if (rc != CEL_OK)
        return rc;
    lock = cel_plugin_enter();
    rc = half->hdf5_to_codec(visible->n, visible->w, &text);
    cel_plugin_leave(lock);
    if (rc || !text)
        rc = plugin_error(codec, rc, "to write its JSON");
    else
        rc = cel_json_parse(text, strlen(text), out, NULL);
    if (rc == CEL_OK && cel_json_type(*out) != CEL_JSON_OBJECT) {
        cel_json_free(*out);
        rc = plugin_error(codec, NC_EPLUGIN, "to write its JSON as an object");
    }
    free(text);
    return rc;
}

/* The plugin may replace the visible words by others of its own. */
int cel_plugin_modify(const struct cel_codec *codec, int ncid, int varid, struct cel_words *visible,
                      struct cel_words *working)
{
    const struct cel_outside *o = codec->outside;
    const struct cel_plugin_lock *lock;
    unsigned *v = NULL, *w = NULL;
    size_t nv = visible->n, nw = 0;
    int rc;

    *working = *visible;
    if (!o->half || !o->half->modify_parameters)
        return CEL_OK;
    v = cel_memdup(visible->w, nv * sizeof *v);
    if (!v)
        return NC_ENOMEM;
    lock = cel_plugin_enter();
    rc = o->half->modify_parameters(ncid, varid, &nv, &v, &nw, &w);
    cel_plugin_leave(lock);
    if (rc != 0) {
        free(v);
        free(w);
        return plugin_error(codec, rc, "to fit its parameters to the variable");
    }
    rc = take_words(codec, nv, v, visible);
    if (w == NULL && nw == 0 && rc == CEL_OK) /* nothing given: the visible ones work as they are */
        *working = *visible;
    else if (rc == CEL_OK)
        rc = take_words(codec, nw, w, working);
    else
        free(w);
    return rc;
}
