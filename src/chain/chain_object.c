/* SPDX-License-Identifier: BSD-3-Clause */
/* Object codecs in a chain's JSON (vlen-utf8, json2 ...). They turn elements without a fixed size into
 * bytes. How elements are stored is the container's business, so they are kept beside the chain, as JSON of
 * version 2; the codecs after them are the chain. In version 3 their names start with "numcodecs.". */
#include "buf.h"
#include "chain.h"
#include "json.h"
#include "spec.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define NUMCODECS "numcodecs."
#define OBJECT_TEXT_MAX (1 << 28) /* labels may be many */

static const struct cel_object_codec codecs[] = {
    {"vlen-utf8", CEL_OBJECT_TEXT, true, {NULL}},
    {"vlen-bytes", CEL_OBJECT_TEXT | CEL_OBJECT_LISTS, false, {NULL}},
    {"vlen-array", CEL_OBJECT_LISTS, false, {"dtype", NULL}},
    {"json2",
     CEL_OBJECT_TEXT | CEL_OBJECT_NUMBERS,
     false,
     {"encoding", "skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys", "indent", "separators",
      "strict", NULL}},
    {"categorize", CEL_OBJECT_TEXT, false, {"labels", "dtype", "astype", NULL}},
};

static const char *bare(const char *name)
{
    return strncmp(name, NUMCODECS, strlen(NUMCODECS)) == 0 ? name + strlen(NUMCODECS) : name;
}

const struct cel_object_codec *cel_object_codec_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i].name, bare(name)) == 0)
            return &codecs[i];
    return NULL;
}

int cel_chain_object(const struct cel_chain *c, const struct cel_object_codec **out)
{
    struct cel_json *doc = NULL;
    int rc = c->object ? cel_json_parse(c->object, strlen(c->object), &doc, NULL) : CEL_OK;

    *out = cel_object_codec_find(cel_json_string(cel_json_get(doc, "id"), NULL));
    cel_json_free(doc);
    return rc;
}

/* --- reading ------------------------------------------------------------------------ */

static int check_keys(const struct cel_object_codec *codec, const struct cel_json *config, bool strict)
{
    const void *at = NULL;
    const char *key;

    while (strict && cel_json_next(config, &at, &key)) {
        bool known = strcmp(key, "id") == 0;
        for (size_t i = 0; !known && codec->keys[i]; i++)
            known = strcmp(key, codec->keys[i]) == 0;
        if (!known)
            return cel_fail(NC_EINVAL, "%s has no parameter %s", codec->name, key);
    }
    return CEL_OK;
}

/* {"id": name, and what the configuration has}. */
static int as_version_2(const struct cel_object_codec *codec, const struct cel_json *config, struct cel_json **out)
{
    struct cel_json *object = cel_json_new_object();
    int rc = object ? cel_json_set(object, "id", cel_json_new_string(codec->name, strlen(codec->name))) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_copy_members(config, "id", object);
    if (rc == CEL_OK)
        *out = object;
    else
        cel_json_free(object);
    return rc;
}

int cel_chain_keep_object(struct cel_chain *c, const struct cel_json *v2)
{
    struct cel_buf text = CEL_BUF_INIT(OBJECT_TEXT_MAX);
    int rc = cel_json_print(v2, 0, &text);

    free(c->object);
    c->object = NULL;
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, &c->object);
    cel_buf_dispose(&text);
    return rc;
}

int cel_chain_take_object(struct cel_chain *c, const struct cel_json *object, bool strict)
{
    const struct cel_json *name = cel_json_get(object, "name"), *id = name ? name : cel_json_get(object, "id");
    const struct cel_json *config = name ? cel_json_get(object, "configuration") : object;
    const char *text = cel_json_string(cel_json_type(object) == CEL_JSON_STRING ? object : id, NULL);
    const struct cel_object_codec *codec = cel_object_codec_find(text);
    struct cel_json *v2 = NULL;
    int rc;

    if (!codec)
        return CEL_ABSENT;
    if (c->n || c->object)
        return cel_fail(NC_EINVAL, "%s makes bytes of the elements: it comes first, and only once", codec->name);
    rc = check_keys(codec, config, strict);
    if (rc == CEL_OK)
        rc = as_version_2(codec, config, &v2);
    if (rc == CEL_OK)
        rc = cel_chain_keep_object(c, v2);
    cel_json_free(v2);
    return rc;
}

/* --- writing --------------------------------------------------------------------------- */

static int as_version_3(struct cel_json *v2, struct cel_json **out)
{
    const struct cel_object_codec *codec = cel_object_codec_find(cel_json_string(cel_json_get(v2, "id"), NULL));
    struct cel_buf name = CEL_BUF_INIT(64);
    struct cel_json *object = cel_json_new_object();
    int rc = object ? cel_buf_printf(&name, "%s%s", codec->in_v3 ? "" : NUMCODECS, codec->name) : NC_ENOMEM;

    cel_json_remove(v2, "id");
    if (rc == CEL_OK)
        rc = cel_json_set(object, "name", cel_json_new_string(name.data, name.len));
    if (rc == CEL_OK && cel_json_count(v2))
        rc = cel_json_set(object, "configuration", v2);
    else
        cel_json_free(v2);
    cel_buf_dispose(&name);
    if (rc == CEL_OK)
        *out = object;
    else
        cel_json_free(object);
    return rc;
}

int cel_chain_object_json(const struct cel_chain *c, int version, struct cel_json **out)
{
    struct cel_json *v2 = NULL;
    int rc = c->object ? cel_json_parse(c->object, strlen(c->object), &v2, NULL) : CEL_ABSENT;

    if (rc != CEL_OK || version == 2) {
        *out = v2;
        return rc;
    }
    return as_version_3(v2, out);
}
