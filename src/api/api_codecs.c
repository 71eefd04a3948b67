/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: the table of codecs, as JSON. */
#include "api.h"
#include "buf.h"
#include "json.h"
#include <cellar.h>
#include <stdio.h>
#include <string.h>

static int add_range(struct cel_json *row, const struct cel_param *p)
{
    int rc = cel_json_set(row, "minimum", cel_json_new_double(p->min));

    if (rc == CEL_OK)
        rc = cel_json_set(row, "maximum", cel_json_new_double(p->max));
    if (rc == CEL_OK && !(p->flags & CEL_PARAM_REQUIRED))
        rc = cel_json_set(row, "default", cel_json_new_double(p->fallback));
    return rc;
}

static int add_choices(struct cel_json *row, const struct cel_param *p)
{
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && p->choices[i]; i++)
        rc = cel_json_push(list, cel_json_new_string(p->choices[i], strlen(p->choices[i])));
    if (rc == CEL_OK)
        return cel_json_set(row, "choices", list);
    cel_json_free(list);
    return rc;
}

static int add_param(struct cel_json *list, const struct cel_param *p)
{
    struct cel_json *row = cel_json_new_object();
    int rc = row ? cel_json_set_text(row, "name", p->name) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_set(row, "required", cel_json_new_bool(p->flags & CEL_PARAM_REQUIRED));
    if (rc == CEL_OK)
        rc = p->kind == CEL_PARAM_CHOICE ? add_choices(row, p)
             : p->list                   ? cel_json_set_text(row, "text", p->list->expected)
                                         : add_range(row, p);
    if (rc == CEL_OK && p->help)
        rc = cel_json_set_text(row, "help", p->help);
    if (rc == CEL_OK)
        return cel_json_push(list, row);
    cel_json_free(row);
    return rc;
}

static int add_params(struct cel_json *row, const struct cel_param *params)
{
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (; rc == CEL_OK && params && params->name; params++)
        rc = add_param(list, params);
    if (rc == CEL_OK)
        return cel_json_set(row, "parameters", list);
    cel_json_free(list);
    return rc;
}

/* Zarr's name for a codec, or the one it has in its place. */
static int add_zarr_name(struct cel_json *row, const char *key, const char *zarr, const char *name)
{
    char own[128];

    snprintf(own, sizeof own, "cellar.%s", name);
    return cel_json_set_text(row, key, zarr ? zarr : own);
}

static int add_codec(struct cel_json *list, const struct cel_codec *codec)
{
    struct cel_json *row = cel_json_new_object();
    int rc = row ? cel_json_set_text(row, "name", codec->name) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_set(row, "id", cel_json_new_uint(codec->hdf5_id));
    if (rc == CEL_OK)
        rc = add_zarr_name(row, "zarr2", codec->zarr2, codec->name);
    if (rc == CEL_OK)
        rc = add_zarr_name(row, "zarr3", codec->zarr3, codec->name);
    if (rc == CEL_OK && codec->about)
        rc = cel_json_set_text(row, "about", codec->about);
    if (rc == CEL_OK)
        rc = cel_json_set(row, "lossy", cel_json_new_bool(codec->flags & CEL_CODEC_LOSSY));
    if (rc == CEL_OK)
        rc = cel_json_set(row, "compressor", cel_json_new_bool(codec->flags & CEL_CODEC_COMPRESSOR));
    if (rc == CEL_OK)
        rc = add_params(row, codec->params);
    if (rc == CEL_OK)
        return cel_json_push(list, row);
    cel_json_free(row);
    return rc;
}

int cellar_codec_table(char **json)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    struct cel_json *list;
    int rc;

    cel_error_clear();
    if (!json)
        return cel_fail(NC_EINVAL, "there is nowhere to put the table");
    *json = NULL;
    list = cel_json_new_array();
    rc = list ? CEL_OK : NC_ENOMEM;
    for (size_t i = 0; rc == CEL_OK && cel_codec_at(i); i++)
        rc = add_codec(list, cel_codec_at(i));
    if (rc == CEL_OK)
        rc = cel_json_print(list, 0, &text);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, json);
    cel_json_free(list);
    cel_buf_dispose(&text);
    return rc;
}
