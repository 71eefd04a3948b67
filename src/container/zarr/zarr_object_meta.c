/* SPDX-License-Identifier: BSD-3-Clause */
/* Object codecs in the metadata of version 2: the first of an array's filters makes
 * bytes of elements that have no fixed size (and json2 of numbers, categorize of text too).
 * The data type of such an array is Python's object, "|O", and the codec says what the
 * elements are. */
#include "convert.h"
#include "mem.h"
#include "zarr_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *text_member(const struct cel_json *codec, const char *key)
{
    return cel_json_string(cel_json_get(codec, key), NULL);
}

static bool is_numeric(nc_type type)
{
    return type > NC_NAT && type < NC_STRING && type != NC_CHAR;
}

/* --- reading ----------------------------------------------------------------------------- */

/* What the type was called when it was defined; netCDF's own metadata has it. NULL: nothing is known. */
static const char *alias_of(const struct cel_zarr_array *a)
{
    const char *alias = text_member(cel_json_get(a->attrs, "_nczarr_array"), "type_alias");

    return alias && *alias ? alias : NULL;
}

int cel_zarr_lists_type(struct cel_dataset *ds, const char *alias, nc_type base, bool big, struct cel_zarr_dtype *out)
{
    struct cel_type *type;
    char usual[40];
    bool fresh;
    int rc;

    snprintf(usual, sizeof usual, "vlen_%s", cel_type_atomic(base)->name);
    rc = cel_zarr_user_type(ds, alias ? alias : usual, NC_VLEN, sizeof(nc_vlen_t), &type, &fresh);
    if (rc == CEL_OK && !fresh && (type->klass != NC_VLEN || type->base->id != base)) /* the name is another's */
        rc = cel_zarr_user_type(ds, usual, NC_VLEN, sizeof(nc_vlen_t), &type, &fresh);
    if (rc != CEL_OK)
        return rc;
    if (!fresh && (type->klass != NC_VLEN || type->base->id != base))
        return cel_fail(NC_ENAMEINUSE, "%s: this name of a type is another's", usual);
    type->base = cel_type_atomic(base);
    type->varsized = true;
    *out = (struct cel_zarr_dtype){.form = ZARR_VLEN, .big = big && type->base->size > 1, .type = type};
    return CEL_OK;
}

/* vlen-array: lists of numbers. */
static int lists_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                         struct cel_zarr_dtype *out)
{
    const char *text = text_member(codec, "dtype");
    bool big = false;
    nc_type base = text ? cel_zarr_dtype_atomic(text, &big) : NC_NAT;

    if (!is_numeric(base))
        return cel_zarr_bad(a->path, "/filters/0/dtype", "lists of '%s' are not supported", text ? text : "");
    return cel_zarr_lists_type(ds, alias_of(a), base, big, out);
}

/* vlen-bytes: any bytes, which only a list can hold; strings, where netCDF's metadata says that they were. */
static int bytes_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                         struct cel_zarr_dtype *out)
{
    const char *alias = alias_of(a);

    (void)codec;
    if (!alias || strcmp(alias, "string") != 0)
        return cel_zarr_lists_type(ds, alias, NC_UBYTE, false, out);
    *out = (struct cel_zarr_dtype){.form = ZARR_VLEN, .type = cel_type_atomic(NC_STRING)};
    return CEL_OK;
}

static int take_categories(const char *path, const struct cel_json *codec, struct cel_zarr_dtype *out)
{
    const char *text = text_member(codec, "astype");
    bool big = false;
    nc_type type = text ? cel_zarr_dtype_atomic(text, &big) : NC_UBYTE;
    const struct cel_json *labels = cel_json_get(codec, "labels");

    if (cel_json_type(labels) != CEL_JSON_ARRAY)
        return cel_zarr_bad(path, "/filters/0/labels", "must be a list");
    if (!is_numeric(type) || type == NC_FLOAT || type == NC_DOUBLE)
        return cel_zarr_bad(path, "/filters/0/astype", "'%s' is no type for the numbers of labels", text);
    *out = (struct cel_zarr_dtype){.form = ZARR_CATEGORY,
                                   .size = cel_type_atomic(type)->size,
                                   .big = big,
                                   .type = cel_type_atomic(NC_STRING),
                                   .labels = labels};
    return CEL_OK;
}

static int categories_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                              struct cel_zarr_dtype *out)
{
    (void)ds;
    return take_categories(a->path, codec, out);
}

/* json2 makes text of numbers, too. */
static int numbers_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                           struct cel_zarr_dtype *out)
{
    bool big = false;
    nc_type type = cel_zarr_dtype_atomic(text_member(a->doc, "dtype"), &big);

    (void)ds, (void)codec;
    if (!is_numeric(type))
        return CEL_ABSENT;
    *out = (struct cel_zarr_dtype){.form = ZARR_JSON, .big = big, .type = cel_type_atomic(type)};
    return CEL_OK;
}

static int text_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                        struct cel_zarr_dtype *out)
{
    (void)ds, (void)a, (void)codec;
    *out = (struct cel_zarr_dtype){.form = ZARR_VLEN, .type = cel_type_atomic(NC_STRING)};
    return CEL_OK;
}

static int json_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                        struct cel_zarr_dtype *out)
{
    (void)ds, (void)a, (void)codec;
    *out = (struct cel_zarr_dtype){.form = ZARR_JSON, .type = cel_type_atomic(NC_STRING)};
    return CEL_OK;
}

static int refuse_codec(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                        struct cel_zarr_dtype *out)
{
    (void)ds, (void)out;
    return cel_zarr_bad(a->path, "/filters/0", "objects packed with '%s' are not read; store them with vlen-utf8",
                        text_member(codec, "id"));
}

/* The first filter by its name, and the letters of data types that it is an object codec for; NULL: all others. */
static const struct {
    const char *name, *letters;
    int (*take)(struct cel_dataset *ds, const struct cel_zarr_array *a, const struct cel_json *codec,
                struct cel_zarr_dtype *out);
} object_codecs[] = {
    {"vlen-utf8", "O", text_from_v2}, {"vlen-bytes", "O", bytes_from_v2}, {"vlen-array", "O", lists_from_v2},
    {"json2", "O", json_from_v2},     {"json2", NULL, numbers_from_v2},   {"categorize", "OSU", categories_from_v2},
    {"pickle", "O", refuse_codec},    {"msgpack2", "O", refuse_codec},
};

int cel_zarr_object_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, struct cel_zarr_dtype *out)
{
    const char *dtype = text_member(a->doc, "dtype");
    const struct cel_json *codec = cel_json_item(cel_json_get(a->doc, "filters"), 0);
    const char *id = text_member(codec, "id");
    const struct cel_object_codec *known = cel_object_codec_find(id);
    const char *name = known ? known->name : id; /* without "numcodecs." */

    if (!dtype)
        return CEL_ABSENT;
    for (size_t i = 0; name && i < sizeof object_codecs / sizeof *object_codecs; i++) {
        const char *letters = object_codecs[i].letters;
        if (strcmp(object_codecs[i].name, name) == 0 && (!letters || strpbrk(dtype, letters)))
            return object_codecs[i].take(ds, a, codec, out);
    }
    if (!strchr(dtype, 'O'))
        return CEL_ABSENT;
    return cel_zarr_bad(a->path, "/filters/0",
                        "objects need 'vlen-utf8', 'vlen-bytes', 'vlen-array', 'json2' or 'categorize' here, not '%s'",
                        id ? id : "nothing");
}

/* --- making: parameters left out are added, those given are checked ---------------------------- */

static bool is_big(const struct cel_var *var)
{
    return var->endian == NC_ENDIAN_BIG;
}

static int complete_lists(const struct cel_var *var, struct cel_json *codec, struct cel_zarr_dtype *out)
{
    const struct cel_type *base = var->type->base;
    const char *text = text_member(codec, "dtype");
    bool big = is_big(var);

    *out = (struct cel_zarr_dtype){.form = ZARR_VLEN, .big = big && base->size > 1, .type = var->type};
    if (!text)
        return cel_json_set_text(codec, "dtype", cel_zarr_dtype_text(base->id, big));
    if (cel_zarr_dtype_atomic(text, &big) != base->id)
        return cel_fail(NC_EFILTER, "vlen-array: the dtype '%s' is not %s, of which type %s is made", text, base->name,
                        var->type->name);
    out->big = big && base->size > 1;
    return CEL_OK;
}

static int complete_json(const struct cel_var *var, struct cel_json *codec, struct cel_zarr_dtype *out)
{
    const char *encoding = text_member(codec, "encoding");

    *out = (struct cel_zarr_dtype){.form = ZARR_JSON, .big = is_big(var) && var->type->size > 1, .type = var->type};
    if (!encoding)
        return cel_json_set_text(codec, "encoding", "utf-8");
    if (strcasecmp(encoding, "utf-8") != 0 && strcasecmp(encoding, "utf8") != 0)
        return cel_fail(NC_EFILTER, "json2: the encoding '%s' is not written, only utf-8", encoding);
    return CEL_OK;
}

/* Label 0 stands for the empty string. */
static int check_labels(const struct cel_json *codec, size_t size)
{
    const struct cel_json *labels = cel_json_get(codec, "labels");
    size_t n = cel_json_count(labels);

    if (cel_json_type(labels) != CEL_JSON_ARRAY || !n)
        return cel_fail(NC_EFILTER, "categorize: \"labels\" must be a list of strings");
    for (size_t i = 0; i < n; i++)
        if (!cel_json_string(cel_json_item(labels, i), NULL))
            return cel_fail(NC_EFILTER, "categorize: label %zu is no string", i);
    if (size < sizeof n && n >> (8 * size))
        return cel_fail(NC_EFILTER, "categorize: %zu labels are more than \"astype\" has numbers for", n);
    return CEL_OK;
}

/* Characters of the longest label, at least 1. */
static size_t longest_label(const struct cel_json *labels)
{
    size_t longest = 1;

    for (size_t i = 0; i < cel_json_count(labels); i++) {
        const char *label = cel_json_string(cel_json_item(labels, i), NULL);
        size_t n = 0;
        for (; label && *label; label++)
            n += (*label & 0xc0) != 0x80;
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* Text of fixed length is what every zarr-python reads; objects only the older ones. */
static int complete_categories(struct cel_json *codec, struct cel_zarr_dtype *out)
{
    const struct cel_json *labels = cel_json_get(codec, "labels");
    const char *dtype = text_member(codec, "dtype");
    char text[32];
    int rc = CEL_OK;

    snprintf(text, sizeof text, "<U%zu", longest_label(labels));
    if (!cel_json_get(codec, "astype"))
        rc = cel_json_set_text(codec, "astype", cel_json_count(labels) < 256 ? "|u1" : "<u2");
    if (rc == CEL_OK && !dtype)
        rc = cel_json_set_text(codec, "dtype", text);
    else if (rc == CEL_OK && !strpbrk(dtype, "OU"))
        rc = cel_fail(NC_EFILTER, "categorize: the dtype '%s' is no kind of text", dtype);
    if (rc == CEL_OK && take_categories("", codec, out) != CEL_OK) /* it takes no memory */
        rc = cel_fail_in(NC_EFILTER, "categorize");
    return rc == CEL_OK ? check_labels(codec, out->size) : rc;
}

/* The codec as given, or the one that lists cannot do without. */
static int codec_of(const struct cel_var *var, struct cel_json **out)
{
    static const char lists[] = "{\"id\":\"vlen-array\"}";
    int rc = cel_chain_object_json(&var->chain, 2, out);

    return rc == CEL_ABSENT && var->type->klass == NC_VLEN ? cel_json_parse(lists, sizeof lists - 1, out, NULL) : rc;
}

static int complete(const struct cel_var *var, struct cel_json *codec, struct cel_zarr_dtype *out)
{
    const char *id = text_member(codec, "id");

    if (strcmp(id, "vlen-array") == 0)
        return complete_lists(var, codec, out);
    if (strcmp(id, "json2") == 0)
        return complete_json(var, codec, out);
    if (strcmp(id, "categorize") == 0)
        return complete_categories(codec, out);
    if (var->type->klass == NC_VLEN && var->type->base->size != 1)
        return cel_fail(NC_EFILTER, "%s: takes lists of bytes only, not of %s", id, var->type->base->name);
    *out = (struct cel_zarr_dtype){.form = ZARR_VLEN, .type = var->type};
    return CEL_OK;
}

int cel_zarr_object_to_v2(struct cel_var *var, struct cel_zarr_dtype *dtype, struct cel_json **out)
{
    struct cel_json *codec = NULL;
    const char *text = "|O";
    int rc = codec_of(var, &codec);

    if (rc == CEL_OK)
        rc = complete(var, codec, dtype);
    if (rc == CEL_OK)
        rc = cel_chain_keep_object(&var->chain, codec);
    if (rc == CEL_OK) {
        if (dtype->form == ZARR_CATEGORY)
            text = text_member(codec, "dtype");
        else if (dtype->form == ZARR_JSON && var->type->klass != NC_STRING)
            text = cel_zarr_dtype_text(var->type->id, dtype->big);
        *out = cel_json_new_string(text, strlen(text));
        rc = *out ? CEL_OK : NC_ENOMEM;
    }
    cel_json_free(codec);
    return rc;
}
