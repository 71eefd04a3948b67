/* SPDX-License-Identifier: BSD-3-Clause */
/* sharding_indexed in the metadata: one level of shards for each time the codec
 * appears, the innermost one kept by the array. */
#include "mem.h"
#include "zarr_shard_int.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define POINTER "/codecs/sharding_indexed"

static int add_index_codec(struct cel_zarr_shard *s, const struct cel_zarr_array *a, const struct cel_json *codec,
                           const char *name)
{
    struct cel_step step = {0};
    int rc = cel_step_from_json(codec, 3, &step);

    if (rc == CEL_OK && (!step.codec || !(step.codec->flags & (CEL_CODEC_CHECKSUM | CEL_CODEC_SAME_SIZE)))) {
        cel_step_dispose(&step);
        return cel_zarr_bad(a->path, POINTER "/index_codecs", "'%s' has no fixed size", name);
    }
    return rc == CEL_OK ? cel_chain_insert(&s->index_chain, SIZE_MAX, &step) : rc;
}

static int read_index_codecs(const struct cel_json *codecs, const struct cel_zarr_array *a, struct cel_zarr_shard *s)
{
    struct cel_shape shape = {.elem_size = 8, .kind = CEL_KIND_UINT, .nbytes = 16 * s->nslots};
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(codecs); i++) {
        const struct cel_json *codec = cel_json_item(codecs, i);
        const char *name = cel_zarr_v3_name(codec);
        const char *endian = cel_json_string(cel_json_get(cel_json_get(codec, "configuration"), "endian"), NULL);
        if (name && (strcmp(name, "bytes") == 0 || strcmp(name, "endian") == 0))
            s->index_big = endian && strcmp(endian, "big") == 0;
        else
            rc = add_index_codec(s, a, codec, name ? name : "");
    }
    return rc == CEL_OK ? cel_chain_prepare(&s->index_chain, &shape, false) : rc;
}

/* facts->chunk: of the shard as we come, of its chunks as we go, by array axes. */
static int read_shape(const struct cel_json *config, const struct cel_zarr_array *a, struct cel_zarr_shard *s,
                      struct cel_zarr_facts *facts)
{
    static const char pointer[] = POINTER "/chunk_shape";
    size_t inner[CEL_RANK_MAX];
    int n, rc = cel_zarr_lengths(a->path, pointer, cel_json_get(config, "chunk_shape"), 1, &n, inner);

    if (rc == CEL_OK && n != facts->rank)
        return cel_zarr_bad(a->path, pointer, "has %d lengths, the array has %d axes", n, facts->rank);
    assert(facts->rank <= CEL_RANK_MAX); /* of longer arrays only the shape is read */
    s->rank = facts->rank;
    s->nslots = 1;
    for (int i = 0; rc == CEL_OK && i < n; i++) {
        size_t *len = &facts->chunk[s->axis[i] = a->order ? a->order[i] : i];
        if (*len % inner[i])
            return cel_zarr_bad(a->path, pointer, "%zu does not divide the shard's %zu", inner[i], *len);
        s->per[i] = *len / inner[i];
        s->len[s->axis[i]] = *len = inner[i];
        if (!cel_mul(s->nslots, s->per[i], &s->nslots) || s->nslots > (size_t)1 << 28)
            return cel_zarr_bad(a->path, pointer, "makes more chunks in a shard than can be indexed");
    }
    return rc;
}

/* Once the innermost chunks are known. */
static void measure_span(struct cel_zarr_shard *s, const size_t *chunk)
{
    for (int i = 0; i < s->rank; i++)
        s->span[i] = s->len[i] / chunk[i];
}

int cel_zarr_shard_read(const struct cel_json *config, struct cel_zarr_array *a, struct cel_zarr_facts *facts,
                        struct cel_zarr_shard **out)
{
    const char *location = cel_json_string(cel_json_get(config, "index_location"), NULL);
    const struct cel_json *codecs = cel_json_get(config, "codecs");
    struct cel_zarr_shard *s = cel_calloc(1, sizeof *s);
    int rc;

    if (!s)
        return NC_ENOMEM;
    s->outer = a->shard;
    *out = a->shard = s; /* freed with the array */
    cel_mutex_init(&s->lock);
    cel_cond_init(&s->put_done);
    if (location && strcmp(location, "start") != 0 && strcmp(location, "end") != 0)
        return cel_zarr_bad(a->path, POINTER "/index_location", "must be \"start\" or \"end\"");
    s->index_first = location && strcmp(location, "start") == 0;
    rc = read_shape(config, a, s, facts);
    if (rc == CEL_OK)
        rc = read_index_codecs(cel_json_get(config, "index_codecs"), a, s);
    if (rc == CEL_OK && cel_json_type(codecs) != CEL_JSON_ARRAY)
        rc = cel_zarr_bad(a->path, "/codecs", "must be a list");
    if (rc == CEL_OK)
        rc = cel_zarr_v3_codecs(codecs, a, facts);
    if (rc == CEL_OK)
        measure_span(s, facts->chunk);
    return rc;
}

int cel_zarr_shard_add_after(struct cel_zarr_shard *s, struct cel_step *step)
{
    return cel_chain_insert(&s->after, SIZE_MAX, step);
}

int cel_zarr_shard_finish(struct cel_zarr_shard *s)
{
    struct cel_shape shape = {.elem_size = 1, .kind = CEL_KIND_OTHER, .nbytes = cel_zarr_index_size(s)};

    return cel_chain_prepare(&s->after, &shape, false);
}

/* The index is little-endian, and checked by crc32c or not at all. */
static bool has_usual_index(const struct cel_zarr_shard *s)
{
    const struct cel_chain *c = &s->index_chain;

    return !s->index_big && (!c->n || (c->n == 1 && c->step[0].codec && strcmp(c->step[0].codec->name, "crc32c") == 0));
}

bool cel_zarr_shard_describe(const struct cel_zarr_array *a, struct cel_shards *out)
{
    const struct cel_zarr_shard *s = a->shard;

    *out = (struct cel_shards){0};
    if (!s || s->outer || s->after.n || s->rank > CEL_RANK_MAX || !has_usual_index(s))
        return false;
    *out = (struct cel_shards){.rank = s->rank, .index_first = s->index_first, .unchecked = !s->index_chain.n};
    for (int i = 0; i < s->rank; i++) {
        if (s->axis[i] != i)
            return false;
        out->len[i] = s->len[i] * s->per[i];
    }
    return true;
}
