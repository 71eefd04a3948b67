/* SPDX-License-Identifier: BSD-3-Clause */
/* zarr.json of an array: Zarr version 3. The codecs fall in three parts: those
 * before the one that makes bytes of elements, that one (bytes, vlen-utf8,
 * sharding_indexed), and those after it. transpose and the one in the middle are
 * layout; all others are the variable's filter chain, in order. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

/* The name of an extension point: "x" or {"name": "x", "configuration": {...}}. */
const char *cel_zarr_v3_name(const struct cel_json *v)
{
    const char *text = cel_json_string(v, NULL);

    return text ? text : cel_json_string(cel_json_get(v, "name"), NULL);
}

static const struct cel_json *config_of(const struct cel_json *v)
{
    return cel_json_get(v, "configuration");
}

/* The type of the elements as numcodecs calls it, in little-endian order. */
static const char *elements_text(const struct cel_zarr_array *a)
{
    return a->dtype.form == ZARR_HALF ? "<f2" : cel_zarr_dtype_text(a->dtype.type->id, false);
}

/* --- reading ------------------------------------------------------------------------- */

static int read_transformers(const struct cel_zarr_document *d, const struct cel_json *v)
{
    return cel_json_count(v) ? cel_zarr_bad(d->array->path, "/storage_transformers", "are not supported") : CEL_OK;
}

static int read_data_type(const struct cel_zarr_document *d, const struct cel_json *v)
{
    return cel_zarr_dtype_from_v3(d->ds, d->array->path, v, &d->array->dtype);
}

static int read_grid(const struct cel_zarr_document *d, const struct cel_json *grid)
{
    static const char pointer[] = "/chunk_grid/configuration/chunk_shape";
    const char *name = cel_zarr_v3_name(grid), *path = d->array->path;
    int n, rc;

    if (name && strcmp(name, "rectilinear") == 0)
        return cel_zarr_bad(path, "/chunk_grid",
                            "'rectilinear': chunks of different lengths are not supported; write the array again with "
                            "chunks of one shape");
    if (!name || strcmp(name, "regular") != 0)
        return cel_zarr_bad(path, "/chunk_grid", "'%s' is not supported, only 'regular'", name ? name : "");
    rc = cel_zarr_lengths(path, pointer, cel_json_get(config_of(grid), "chunk_shape"), 1, &n, d->facts->chunk);
    if (rc == CEL_OK && n != d->facts->rank)
        rc = cel_zarr_bad(path, pointer, "has %d lengths, the shape has %d", n, d->facts->rank);
    return rc;
}

static int read_keys(const struct cel_zarr_document *d, const struct cel_json *encoding)
{
    struct cel_zarr_array *a = d->array;
    const char *name = cel_zarr_v3_name(encoding),
               *separator = cel_json_string(cel_json_get(config_of(encoding), "separator"), NULL);

    if (!name || (strcmp(name, "default") != 0 && strcmp(name, "v2") != 0))
        return cel_zarr_bad(a->path, "/chunk_key_encoding", "'%s' is not supported", name ? name : "");
    a->prefixed = strcmp(name, "default") == 0;
    a->separator = separator ? *separator : a->prefixed ? '/' : '.';
    if (a->separator != '/' && a->separator != '.')
        return cel_zarr_bad(a->path, "/chunk_key_encoding/configuration/separator", "must be \".\" or \"/\"");
    return CEL_OK;
}

/* Compose: stored axis i was axis order[i] of what came before. */
static int read_transpose(struct cel_zarr_array *a, int rank, const struct cel_json *config)
{
    const struct cel_json *order = cel_json_get(config, "order");
    const char *word = cel_json_string(order, NULL);
    int before[CEL_RANK_MAX];
    bool seen[CEL_RANK_MAX] = {false};

    for (int i = 0; i < rank; i++)
        before[i] = a->order ? a->order[i] : i;
    if (!a->order && !(a->order = cel_malloc_array((size_t)rank + 1, sizeof *a->order)))
        return NC_ENOMEM;
    for (int i = 0; i < rank; i++) {
        int64_t at = word && *word == 'F' ? rank - 1 - i : i;
        if (!word && (!cel_json_int(cel_json_item(order, (size_t)i), false, &at) || at < 0 || at >= rank))
            return cel_zarr_bad(a->path, "/codecs", "transpose: 'order' is no permutation of %d axes", rank);
        if (seen[at])
            return cel_zarr_bad(a->path, "/codecs", "transpose: axis %d is named twice", (int)at);
        seen[at] = true;
        a->order[i] = before[at];
    }
    return CEL_OK;
}

static bool is_serializer(const struct cel_step *step)
{
    return step->codec && step->codec->flags & CEL_CODEC_SERIALIZES;
}

static int read_bytes(struct cel_zarr_array *a, const struct cel_json *config)
{
    const char *endian = cel_json_string(cel_json_get(config, "endian"), NULL);

    if (endian && strcmp(endian, "little") != 0 && strcmp(endian, "big") != 0)
        return cel_zarr_bad(a->path, "/codecs", "bytes: endian must be \"little\" or \"big\"");
    a->dtype.big = endian && strcmp(endian, "big") == 0 && a->dtype.size > 1;
    a->serialized = false;
    return CEL_OK;
}

/* What codecs of one list come to: exactly one makes bytes of elements, the others
 * come before it or after. */
struct codec_list {
    bool has_bytes;
    const char *unknown;          /* a codec that is not available here; it may be that one */
    struct cel_zarr_shard *shard; /* that one is sharding_indexed */
};

/* zfp stands in place of "bytes". Cellar first wrote it before "bytes": then that is the one. */
static int read_filter(struct cel_zarr_array *a, const struct cel_json *codec, struct codec_list *list,
                       struct cel_chain *chain)
{
    struct cel_step step = {0};
    int rc = cel_step_from_json(codec, 3, &step);

    if (rc != CEL_OK)
        return cel_fail_in(rc, "/%s: /codecs", a->path);
    a->serialized = a->serialized || (!list->has_bytes && is_serializer(&step));
    list->has_bytes = list->has_bytes || a->serialized;
    if (!step.codec && !list->unknown)
        list->unknown = cel_zarr_v3_name(codec);
    return cel_chain_insert(chain, SIZE_MAX, &step);
}

/* Codecs after sharding_indexed work on the whole shard. */
static int read_after_shard(struct cel_zarr_array *a, struct cel_zarr_shard *shard, const struct cel_json *codec)
{
    struct cel_step step = {0};
    int rc = cel_step_from_json(codec, 3, &step);

    return rc == CEL_OK ? cel_zarr_shard_add_after(shard, &step) : cel_fail_in(rc, "/%s: /codecs", a->path);
}

static int read_shard(struct cel_zarr_array *a, const struct cel_json *config, struct codec_list *list,
                      struct cel_zarr_facts *out)
{
    list->has_bytes = true;
    if (out->chain.n)
        return cel_zarr_bad(a->path, "/codecs",
                            "a filter before sharding_indexed works on all of a shard, which is not supported");
    return cel_zarr_shard_read(config, a, out, &list->shard);
}

static int read_codec(struct cel_zarr_array *a, const struct cel_json *codec, struct codec_list *list,
                      struct cel_zarr_facts *out)
{
    const char *name = cel_zarr_v3_name(codec);

    if (!name)
        return cel_zarr_bad(a->path, "/codecs", "a codec has no name");
    if (list->shard)
        return read_after_shard(a, list->shard, codec);
    if (strcmp(name, "transpose") == 0)
        return read_transpose(a, out->rank, config_of(codec));
    if (strcmp(name, "sharding_indexed") == 0)
        return read_shard(a, config_of(codec), list, out);
    if (strcmp(name, "bytes") == 0 || strcmp(name, "endian") == 0) {
        list->has_bytes = true;
        return read_bytes(a, config_of(codec));
    }
    if (strcmp(name, "vlen-utf8") == 0 || strcmp(name, "vlen-bytes") == 0) {
        list->has_bytes = true;
        return CEL_OK;
    }
    return read_filter(a, codec, list, &out->chain);
}

/* As numcodecs has it: the elements are little-endian in memory whatever is stored, a filter that gives
 * another type looks at them through its own dtype, and "bytes" says in which order its numbers are stored. */
static void settle_order(struct cel_zarr_array *a, struct cel_chain *chain)
{
    if (!cel_chain_changes_type(chain))
        return;
    cel_chain_store_as(chain, elements_text(a), a->dtype.big);
    a->dtype.big = false;
}

int cel_zarr_v3_codecs(const struct cel_json *codecs, struct cel_zarr_array *a, struct cel_zarr_facts *out)
{
    struct codec_list list = {0};
    int rc = CEL_OK;

    if (!cel_json_count(codecs))
        return CEL_OK; /* zarrita writes this for little-endian bytes */
    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(codecs); i++)
        rc = read_codec(a, cel_json_item(codecs, i), &list, out);
    if (rc == CEL_OK && !list.has_bytes)
        rc = list.unknown
                 ? cel_zarr_bad(a->path, "/codecs",
                                "'%s' is not available here, and no other makes bytes of the elements", list.unknown)
                 : cel_zarr_bad(a->path, "/codecs", "none of them makes bytes of the elements ('bytes' is missing)");
    if (rc == CEL_OK && !list.shard)
        settle_order(a, &out->chain);
    return rc == CEL_OK && list.shard ? cel_zarr_shard_finish(list.shard) : rc;
}

static int read_codecs(const struct cel_zarr_document *d, const struct cel_json *codecs)
{
    return cel_zarr_v3_codecs(codecs, d->array, d->facts);
}

static int read_names(const struct cel_zarr_document *d, const struct cel_json *v)
{
    d->facts->names = v;
    return CEL_OK;
}

/* --- making ----------------------------------------------------------------------------- */

/* {"name": name} */
static struct cel_json *bare(const char *name)
{
    struct cel_json *v = cel_json_new_object();

    if (v && cel_json_set_text(v, "name", name) != CEL_OK) {
        cel_json_free(v);
        return NULL;
    }
    return v;
}

/* {"name": name, "configuration": config}; takes config over. NULL is no memory, in as out. */
static struct cel_json *named(const char *name, struct cel_json *config)
{
    struct cel_json *v = bare(name);

    if (!v) {
        cel_json_free(config);
        return NULL;
    }
    if (cel_json_set(v, "configuration", config) != CEL_OK) {
        cel_json_free(v);
        return NULL;
    }
    return v;
}

static struct cel_json *with_member(const char *key, struct cel_json *value)
{
    struct cel_json *v = cel_json_new_object();

    if (!v) {
        cel_json_free(value);
        return NULL;
    }
    if (cel_json_set(v, key, value) != CEL_OK) {
        cel_json_free(v);
        return NULL;
    }
    return v;
}

static struct cel_json *text_value(const char *text)
{
    return cel_json_new_string(text, strlen(text));
}

static struct cel_json *bytes_codec(const struct cel_var *var, const struct cel_zarr_array *a)
{
    bool big = cel_chain_changes_type(&var->chain) ? cel_chain_stores_big(&var->chain, elements_text(a)) : a->dtype.big;

    if (a->dtype.form == ZARR_VLEN)
        return bare("vlen-utf8");
    return a->dtype.size > 1 ? named("bytes", with_member("endian", text_value(big ? "big" : "little")))
                             : bare("bytes");
}

/* Filters that work on elements come before "bytes" in version 3. */
static bool is_element_filter(const struct cel_step *step)
{
    return step->codec && step->codec->flags & CEL_CODEC_NEEDS_ELEMENTS;
}

static int add_steps(const struct cel_var *var, size_t *i, bool elements, struct cel_json *list)
{
    struct cel_json *object;
    int rc = CEL_OK;

    for (; rc == CEL_OK && *i < var->chain.n && (!elements || is_element_filter(&var->chain.step[*i])); ++*i) {
        rc = cel_step_to_json(&var->chain.step[*i], &var->chain.shape, 3, &object);
        if (rc == CEL_OK)
            rc = cel_json_push(list, object);
    }
    return rc;
}

static bool has_serializer(const struct cel_chain *chain)
{
    bool found = false;

    for (size_t i = 0; !found && i < chain->n; i++)
        found = is_serializer(&chain->step[i]);
    return found;
}

/* The list for the chunks; within sharding_indexed where there are shards. */
static int list_codecs(const struct cel_var *var, const struct cel_zarr_array *a, struct cel_json **out)
{
    struct cel_json *list = cel_json_new_array(), *shard = NULL;
    size_t i = 0;
    int rc = list ? add_steps(var, &i, true, list) : NC_ENOMEM;

    if (rc == CEL_OK && !a->serialized)
        rc = cel_json_push(list, bytes_codec(var, a));
    if (rc == CEL_OK)
        rc = add_steps(var, &i, false, list);
    if (rc == CEL_OK && var->layout.shards) {
        rc = cel_shards_to_json(var->layout.shards, var->layout.chunk, false, list, &shard);
        list = rc == CEL_OK ? cel_json_new_array() : NULL;
        if (list)
            rc = cel_json_push(list, shard);
        else
            cel_json_free(shard);
        rc = rc == CEL_OK && !list ? NC_ENOMEM : rc;
    }
    *out = list;
    if (rc != CEL_OK)
        cel_json_free(list);
    return rc;
}

/* What a reader of the new document would make of the shards. */
static int start_shards(struct cel_zarr_array *a, const struct cel_var *var)
{
    struct cel_zarr_facts *facts = cel_calloc(1, sizeof *facts);
    int rc = facts ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK) {
        facts->rank = var->ndims;
        memcpy(facts->chunk, var->layout.shards->len, (size_t)var->ndims * sizeof *facts->chunk);
        rc = cel_zarr_v3_codecs(cel_json_get(a->doc, "codecs"), a, facts);
        cel_zarr_facts_dispose(facts);
    }
    free(facts);
    return rc;
}

/* --- the members: those that are written come in this order ------------------------------- */

static int make_format(struct cel_zarr_document *d, struct cel_json **out)
{
    (void)d;
    *out = cel_json_new_int(3);
    return CEL_OK;
}

static int make_shape(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = cel_zarr_lengths_json(d->var->ndims, d->var->layout.extent);
    return CEL_OK;
}

static int make_data_type(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = d->dtype;
    d->dtype = NULL;
    return CEL_OK;
}

/* The grid of the store: shards where there are any, else chunks. */
static int make_grid(struct cel_zarr_document *d, struct cel_json **out)
{
    const size_t *lengths = d->var->layout.shards ? d->var->layout.shards->len : d->var->layout.chunk;

    *out = named("regular", with_member("chunk_shape", cel_zarr_lengths_json(d->var->ndims, lengths)));
    return CEL_OK;
}

static int make_keys(struct cel_zarr_document *d, struct cel_json **out)
{
    (void)d;
    *out = named("default", with_member("separator", text_value("/")));
    return CEL_OK;
}

static int make_fill(struct cel_zarr_document *d, struct cel_json **out)
{
    const void *value = cel_var_fill_value(d->var);

    if (!cel_zarr_is_truth(d->var))
        return cel_zarr_fill_to_json(value, &d->array->dtype, 3, out);
    *out = cel_json_new_bool(*(const unsigned char *)value != 0);
    return CEL_OK;
}

static int make_codecs(struct cel_zarr_document *d, struct cel_json **out)
{
    return list_codecs(d->var, d->array, out);
}

static int make_names(struct cel_zarr_document *d, struct cel_json **out)
{
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (int i = 0; rc == CEL_OK && i < d->var->ndims; i++)
        rc = cel_json_push(list, text_value(d->var->dim[i]->name));
    *out = list;
    if (rc != CEL_OK)
        cel_json_free(list);
    return rc;
}

static const struct cel_zarr_member members[] = {
    {"storage_transformers", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, read_transformers, NULL, NULL},
    {"zarr_format", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, NULL, NULL, make_format}, /* who found it has looked */
    {"node_type", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, NULL, "array", NULL},       /* ... here, too */
    {"shape", CEL_ZARR_TYPE(ARRAY), CEL_ZARR_REQUIRED, CEL_ZARR_SHAPE_IS, cel_zarr_shape_read, NULL, make_shape},
    {"data_type", CEL_ZARR_ANY, CEL_ZARR_REQUIRED, NULL, read_data_type, NULL, make_data_type},
    {"chunk_grid", CEL_ZARR_ANY, CEL_ZARR_REQUIRED | CEL_ZARR_LAYOUT, NULL, read_grid, NULL, make_grid},
    {"chunk_key_encoding", CEL_ZARR_ANY, CEL_ZARR_REQUIRED | CEL_ZARR_LAYOUT, NULL, read_keys, NULL, make_keys},
    {"fill_value", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, cel_zarr_fill_read, NULL, make_fill},
    {"codecs", CEL_ZARR_TYPE(ARRAY), CEL_ZARR_REQUIRED | CEL_ZARR_LAYOUT, "a list", read_codecs, NULL, make_codecs},
    {"dimension_names", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, read_names, NULL, make_names},
    {"attributes", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, NULL, NULL, NULL},
    {"consolidated_metadata", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, NULL, NULL,
     NULL}, /* of groups; some have it here */
    {0},
};

/* A member that is none of these is an extension, which says whether it may be passed over. */
static int check_extensions(const struct cel_zarr_array *a)
{
    for (size_t i = 0; i < cel_json_count(a->doc); i++) {
        const char *key;
        const struct cel_json *v = cel_json_member(a->doc, i, &key), *must = cel_json_get(v, "must_understand");
        bool may_pass = cel_json_type(must) == CEL_JSON_BOOL && !cel_json_bool(must);

        if (!may_pass && !cel_zarr_members_know(members, key))
            return cel_zarr_bad(a->path, key,
                                "an extension that this library does not know and that may not be ignored");
    }
    return CEL_OK;
}

int cel_zarr_v3_read(struct cel_dataset *ds, struct cel_zarr_array *a, struct cel_zarr_facts *out)
{
    const struct cel_zarr_document d = {.ds = ds, .array = a, .facts = out};
    int rc = check_extensions(a);

    return rc == CEL_OK ? cel_zarr_members_read(&d, members) : rc;
}

int cel_zarr_v3_make(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    struct cel_zarr_document d = {.ds = ds, .var = var, .array = a};
    int rc;

    a->serialized = has_serializer(&var->chain);
    if (cel_chain_changes_type(&var->chain) || a->serialized)
        var->endian = NC_ENDIAN_LITTLE; /* see settle_order; in place of "bytes" nothing says another order */
    a->prefixed = true;
    a->separator = '/';
    rc = cel_zarr_dtype_to_v3(var, &a->dtype, &d.dtype);
    if (rc == CEL_OK)
        rc = cel_zarr_array_prepare(var, a);
    if (rc == CEL_OK)
        rc = cel_zarr_members_object(&d, members, &a->doc);
    if (rc == CEL_OK && var->layout.shards)
        rc = start_shards(a, var);
    cel_json_free(d.dtype);
    return rc;
}
