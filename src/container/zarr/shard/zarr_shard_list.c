/* SPDX-License-Identifier: BSD-3-Clause */
/* The innermost chunks that a shard has, by its index; where shards lie within shards, by those of the inner ones. */
#include "mem.h"
#include "zarr_shard_int.h"
#include <stdlib.h>
#include <string.h>

struct listing {
    const size_t *n; /* innermost chunks of the array along each axis */
    cel_zarr_index_visit *visit;
    void *context;
};

/* A shard's chunks: its first innermost chunk, and the slots that are not empty. */
struct slots {
    size_t at[CEL_RANK_MAX];
    size_t *number, count;
};

static struct cel_zarr_shard *outermost(struct cel_zarr_shard *s)
{
    while (s->outer)
        s = s->outer;
    return s;
}

static struct cel_zarr_shard *inner_of(struct cel_zarr_shard *innermost, const struct cel_zarr_shard *s)
{
    while (innermost->outer != s)
        innermost = innermost->outer;
    return innermost;
}

/* Innermost chunks along an axis of the array in a shard of this level. */
static size_t span_along(const struct cel_zarr_shard *s, int d)
{
    for (int i = 0; i < s->rank; i++)
        if (s->axis[i] == d)
            return s->span[d] * s->per[i];
    return 1;
}

bool cel_zarr_shard_counts(const struct cel_zarr_shard *s, int rank)
{
    for (; s; s = s->outer)
        if (s->rank != rank)
            return false;
    return true;
}

void cel_zarr_shard_count(struct cel_zarr_shard *s, const size_t *n, size_t *out)
{
    s = outermost(s);
    for (int d = 0; d < s->rank; d++) {
        size_t span = span_along(s, d);

        out[d] = n[d] / span + (n[d] % span != 0);
    }
}

static int get_slots(const struct shard_wanted *w, struct cel_zarr_shard *s, struct slots *out)
{
    struct open_shard *o;
    int rc;

    *out = (struct slots){.number = cel_malloc_array(s->nslots, sizeof *out->number)};
    if (!out->number)
        return NC_ENOMEM;
    cel_lock(&s->lock);
    rc = cel_zarr_shard_open(w, s, &o);
    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++)
        if (shard_slot_is_fresh(&o->slot[i]) || o->slot[i].offset != SHARD_EMPTY)
            out->number[out->count++] = i;
    if (rc == CEL_OK)
        memcpy(out->at, o->at, (size_t)s->rank * sizeof *out->at);
    cel_unlock(&s->lock);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* The first innermost chunk of a slot; false: the array does not have it. */
static bool first_of(const struct cel_zarr_shard *s, const struct slots *slots, size_t slot, const size_t *n,
                     size_t *index)
{
    bool inside = true;

    for (int i = s->rank; i-- > 0; slot /= s->per[i]) {
        int d = s->axis[i];

        index[d] = slots->at[d] + slot % s->per[i] * s->span[d];
        inside = inside && index[d] < n[d];
    }
    return inside;
}

static int list_level(const struct shard_wanted *w, struct cel_zarr_shard *s, struct listing *l)
{
    size_t index[CEL_RANK_MAX];
    struct slots slots;
    int rc = get_slots(w, s, &slots);

    for (size_t i = 0; rc == CEL_OK && i < slots.count; i++) {
        struct shard_wanted inner = *w;

        if (!first_of(s, &slots, slots.number[i], l->n, index))
            continue;
        inner.index = index;
        rc = s == w->a->shard ? l->visit(l->context, index) : list_level(&inner, inner_of(w->a->shard, s), l);
    }
    free(slots.number);
    return rc;
}

/* The value as it is now; what another process put meanwhile makes it begin anew. */
static int list_value(struct shard_wanted *w, struct cel_zarr_shard *s, const char *key, struct listing *l)
{
    struct shard_view view;
    int tries, rc = CEL_STALE;

    w->view = &view;
    for (tries = cel_zarr_shard_tries; rc == CEL_STALE && tries > 0; tries--) {
        rc = l->visit(l->context, NULL);
        if (rc == CEL_OK)
            rc = cel_zarr_shard_look(w, key, &view);
        if (rc == CEL_OK)
            rc = list_level(w, s, l);
    }
    return rc == CEL_STALE ? cel_zarr_shard_keeps_changing(key) : rc;
}

int cel_zarr_shard_each(struct cel_dataset *ds, struct cel_var *var, const size_t *number, const size_t *n,
                        cel_zarr_index_visit *visit, void *context)
{
    struct listing l = {.n = n, .visit = visit, .context = context};
    struct shard_wanted w = {.z = cel_zarr_of(ds), .a = var->priv};
    struct cel_zarr_shard *s = outermost(w.a->shard);
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    size_t index[CEL_RANK_MAX];
    int rc = cel_zarr_chunk_key(w.a, s->rank, number, &key);

    for (int d = 0; d < s->rank; d++)
        index[d] = number[d] * span_along(s, d);
    w.index = index;
    if (rc == CEL_OK)
        rc = list_value(&w, s, key.data, &l);
    cel_buf_dispose(&key);
    return rc;
}
