/* SPDX-License-Identifier: BSD-3-Clause */
/* sharding_indexed in a chain's JSON. How chunks lie in the store is the container's business, so it is kept
 * beside the chain, and the codecs within it are the chain. A store's metadata has the lengths of a shard in
 * its chunk grid; in a chain's JSON they are a member "shard_shape". */
#include "buf.h"
#include "chain.h"
#include "json.h"
#include "spec.h"
#include "status.h"
#include <netcdf.h>
#include <stdint.h>
#include <string.h>

#define SHARDING "sharding_indexed"

/* --- reading ---------------------------------------------------------------------- */

static int read_lengths(const struct cel_json *list, const char *key, int *rank, size_t *out)
{
    size_t n = cel_json_count(list);

    if (cel_json_type(list) != CEL_JSON_ARRAY || n == 0 || n > CEL_RANK_MAX)
        return cel_fail(NC_EINVAL, SHARDING ": \"%s\" must be a list of 1 to %d lengths", key, CEL_RANK_MAX);
    for (size_t i = 0; i < n; i++) {
        uint64_t v;
        if (!cel_json_uint(cel_json_item(list, i), false, &v) || v == 0 || v > (uint64_t)PTRDIFF_MAX)
            return cel_fail(NC_EINVAL, SHARDING ": \"%s\": entry %zu is no length", key, i);
        out[i] = (size_t)v;
    }
    *rank = (int)n;
    return CEL_OK;
}

static const char *name_of(const struct cel_json *codec)
{
    const char *text = cel_json_string(codec, NULL);

    return text ? text : cel_json_string(cel_json_get(codec, "name"), NULL);
}

/* "bytes" in little order, then crc32c or nothing. */
static int read_index_codecs(const struct cel_json *codecs, struct cel_shards *out)
{
    size_t n = cel_json_count(codecs);
    const struct cel_json *first = cel_json_item(codecs, 0);
    const char *bytes = n > 0 ? name_of(first) : "bytes", *check = n > 1 ? name_of(cel_json_item(codecs, 1)) : "crc32c";
    const char *endian = cel_json_string(cel_json_get(cel_json_get(first, "configuration"), "endian"), NULL);

    if (n > 2 || !bytes || strcmp(bytes, "bytes") != 0 || !check || strcmp(check, "crc32c") != 0 ||
        (endian && strcmp(endian, "little") != 0))
        return cel_fail(NC_EINVAL, SHARDING
                        ": \"index_codecs\" can be made as little-endian \"bytes\", with \"crc32c\" or without");
    out->unchecked = n == 1;
    return CEL_OK;
}

static int read_location(const struct cel_json *v, struct cel_shards *out)
{
    const char *text = cel_json_string(v, NULL);

    if (v && (!text || (strcmp(text, "start") != 0 && strcmp(text, "end") != 0)))
        return cel_fail(NC_EINVAL, SHARDING ": \"index_location\" must be \"start\" or \"end\"");
    out->index_first = text && strcmp(text, "start") == 0;
    return CEL_OK;
}

static int check_keys(const struct cel_json *config)
{
    static const char *const known[] = {"chunk_shape", "shard_shape", "codecs", "index_codecs", "index_location"};
    const void *at = NULL;
    const char *key;

    while (cel_json_next(config, &at, &key)) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found = found || strcmp(key, known[i]) == 0;
        if (!found)
            return cel_fail(NC_EINVAL, SHARDING " has no parameter %s", key);
    }
    return CEL_OK;
}

int cel_sharding_from_json(const struct cel_json *object, struct cel_sharding *out, const struct cel_json **codecs)
{
    const struct cel_json *config = cel_json_get(object, "configuration"), *shape = cel_json_get(config, "shard_shape");
    int rc = check_keys(config);

    *out = (struct cel_sharding){.there = true};
    *codecs = cel_json_get(config, "codecs");
    if (rc == CEL_OK)
        rc = read_lengths(cel_json_get(config, "chunk_shape"), "chunk_shape", &out->rank, out->chunk);
    if (rc == CEL_OK && shape)
        rc = read_lengths(shape, "shard_shape", &out->shards.rank, out->shards.len);
    if (rc == CEL_OK)
        rc = read_index_codecs(cel_json_get(config, "index_codecs"), &out->shards);
    if (rc == CEL_OK)
        rc = read_location(cel_json_get(config, "index_location"), &out->shards);
    return rc;
}

/* --- writing ----------------------------------------------------------------------- */

static int set_lengths(struct cel_json *object, const char *key, int n, const size_t *lengths)
{
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (int i = 0; rc == CEL_OK && i < n; i++)
        rc = cel_json_push(list, cel_json_new_uint(lengths[i]));
    if (rc == CEL_OK)
        return cel_json_set(object, key, list);
    cel_json_free(list);
    return rc;
}

static int set_index(struct cel_json *config, const struct cel_shards *s)
{
    static const char bytes[] = "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}";
    struct cel_json *list = NULL;
    struct cel_buf text = CEL_BUF_INIT(256);
    int rc = cel_buf_printf(&text, "[%s%s]", bytes, s->unchecked ? "" : ",{\"name\":\"crc32c\"}");

    if (rc == CEL_OK)
        rc = cel_json_parse(text.data, text.len, &list, NULL);
    if (rc == CEL_OK)
        rc = cel_json_set(config, "index_codecs", list);
    if (rc == CEL_OK)
        rc = cel_json_set_text(config, "index_location", s->index_first ? "start" : "end");
    cel_buf_dispose(&text);
    return rc;
}

int cel_shards_to_json(const struct cel_shards *s, const size_t *chunk, bool with_shape, struct cel_json *codecs,
                       struct cel_json **out)
{
    struct cel_json *object = cel_json_new_object(), *config = cel_json_new_object();
    int rc = object && config && codecs ? cel_json_set_text(object, "name", SHARDING) : NC_ENOMEM;

    if (rc != CEL_OK) {
        cel_json_free(config);
        cel_json_free(codecs);
        cel_json_free(object);
        return rc;
    }
    rc = cel_json_set(config, "codecs", codecs);
    if (rc == CEL_OK)
        rc = set_lengths(config, "chunk_shape", s->rank, chunk);
    if (rc == CEL_OK && with_shape)
        rc = set_lengths(config, "shard_shape", s->rank, s->len);
    if (rc == CEL_OK)
        rc = set_index(config, s);
    if (rc == CEL_OK)
        rc = cel_json_set(object, "configuration", config);
    else
        cel_json_free(config);
    if (rc == CEL_OK)
        *out = object;
    else
        cel_json_free(object);
    return rc;
}

int cel_shards_print(const struct cel_shards *s, const size_t *chunk, const struct cel_chain *c, struct cel_buf *out)
{
    struct cel_json *list = NULL, *object = NULL, *outer = cel_json_new_array();
    int rc = outer ? cel_chain_json_list(c, 3, &list) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_shards_to_json(s, chunk, true, list, &object);
    if (rc == CEL_OK)
        rc = cel_json_push(outer, object);
    if (rc == CEL_OK)
        rc = cel_json_print(outer, 0, out);
    cel_json_free(outer);
    return rc;
}
