/* SPDX-License-Identifier: BSD-3-Clause */
/* Open shards to the store, as one value each: put together with what the store has
 * of the shard now, or, when all chunks are fresh, by themselves and side by side with
 * other shards. */
#include "mem.h"
#include "zarr_shard_int.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of every chunk that stays, one after the other; now[] gets their new offsets. */
static int gather_chunks(const struct cel_zarr_shard *s, const struct open_shard *o, const struct cel_buf *old,
                         struct shard_slot *now, struct cel_buf *out)
{
    int rc = cel_buf_reserve(out, cel_zarr_index_size(s) + o->fresh_bytes + old->len);

    if (rc == CEL_OK && s->index_first)
        rc = cel_buf_resize(out, cel_zarr_index_size(s));
    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++) {
        const struct shard_slot *slot = &o->slot[i];
        now[i] = (struct shard_slot){.offset = SHARD_EMPTY, .nbytes = SHARD_EMPTY};
        if (!slot->fresh && slot->offset == SHARD_EMPTY)
            continue;
        if (!slot->fresh && (slot->offset > old->len || slot->nbytes > old->len - slot->offset))
            return cel_fail(NC_EFILTER, "%s: the shard was changed by someone else while it was written here", o->key);
        now[i].offset = out->len;
        now[i].nbytes = slot->nbytes;
        rc = cel_buf_add(out, slot->fresh ? slot->fresh : old->data + slot->offset, (size_t)slot->nbytes);
    }
    return rc;
}

static int add_index(const struct cel_zarr_shard *s, const struct shard_slot *now, struct cel_buf *out)
{
    struct cel_buf index = CEL_BUF_INIT(SIZE_MAX);
    int rc;

    if (!s->index_first)
        return cel_zarr_index_encode(s, now, out);
    rc = cel_zarr_index_encode(s, now, &index);
    assert(rc != CEL_OK || index.len == cel_zarr_index_size(s)); /* what gather_chunks left free */
    if (rc == CEL_OK)
        memcpy(out->data, index.data, index.len);
    cel_buf_dispose(&index);
    return rc;
}

/* The shard as one value; now[] gets the offsets of its chunks. */
static int assemble(const struct cel_zarr_shard *s, const struct open_shard *o, const struct cel_buf *old,
                    struct shard_slot *now, struct cel_buf *out)
{
    int rc = gather_chunks(s, o, old, now, out);

    return rc == CEL_OK ? add_index(s, now, out) : rc;
}

/* With a view: only while the store still has the value of that view (CEL_STALE). */
static int put_value(const struct shard_wanted *w, struct cel_zarr_shard *s, const struct open_shard *o,
                     const struct cel_buf *bytes, enum shard_turn turn)
{
    struct cel_scratch *scratch = NULL;
    const void *out = bytes->data;
    size_t n = bytes->len;
    uint32_t skipped;
    int rc = s->after.n ? cel_scratch_make(&scratch) : CEL_OK;

    if (rc == CEL_OK && s->after.n)
        rc = cel_chain_encode(&s->after, scratch, bytes->data, bytes->len, &out, &n, &skipped);
    if (rc == CEL_OK && s->outer)
        rc = cel_zarr_shard_put_slot(w, s->outer, out, n, turn);
    else if (rc == CEL_OK)
        rc = w->view ? cel_store_put_if(w->z->store, o->key, &w->view->mark, out, n)
                     : cel_store_put(w->z->store, o->key, out, n);
    cel_scratch_free(scratch);
    return rc;
}

void cel_zarr_shard_forget_fresh(struct cel_zarr_shard *s, struct open_shard *o)
{
    for (size_t i = 0; o->nfresh && i < s->nslots; i++) {
        free(o->slot[i].fresh);
        o->slot[i].fresh = NULL;
        o->slot[i].drafted = false;
    }
    cel_draft_drop(o->draft);
    o->draft = NULL;
    assert(s->waiting >= o->fresh_bytes);
    s->waiting -= o->fresh_bytes;
    o->fresh_bytes = o->nfresh = o->appended = 0;
    o->out_of_order = false;
}

/* The shard is in the store, its chunks at now[]; where codecs lie around it, its bytes are
 * kept. What mark the value has is for the next reader to see. */
static void note_put(struct cel_zarr_shard *s, struct open_shard *o, const struct shard_slot *now,
                     struct cel_buf *bytes)
{
    cel_zarr_shard_forget_fresh(s, o);
    memcpy(o->slot, now, s->nslots * sizeof *now);
    o->mark.known = false;
    s->writes++;
    if (s->after.n) {
        cel_buf_dispose(&o->whole);
        o->whole = *bytes;
        *bytes = CEL_BUF_INIT(SIZE_MAX);
    }
}

/* --- with what is there ---------------------------------------------------------------------- */

/* The index and the bytes of the value in view; none where there is no shard yet. */
static int read_again(struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o, struct cel_buf *old)
{
    int rc = cel_zarr_shard_reload(w, s, o);

    if (rc == CEL_OK)
        rc = cel_zarr_shard_bytes(w, s, o->key, old);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* What the store has of the shard now: other processes may have written other chunks of
 * it since its index was read. Programs that do not take our lock may do so even now. */
static int refresh(struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o, struct shard_view *view,
                   struct cel_buf *old)
{
    int rc, tries = cel_zarr_shard_tries;

    do {
        rc = cel_zarr_shard_look(w, o->key, view);
        w->view = view;
        if (rc == CEL_OK)
            rc = read_again(w, s, o, old);
    } while (rc == CEL_STALE && --tries > 0);
    return rc == CEL_STALE ? cel_zarr_shard_keeps_changing(o->key) : rc;
}

/* The value that the shard within this one was merged with, and no other. It is read through the mark it had then: a second
 * look would not tell, as the mark of a young file is like no other. */
static int refresh_base(struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o,
                        const struct shard_view *base, struct cel_buf *old)
{
    struct shard_view now;
    int rc = base->absent ? cel_zarr_shard_look(w, o->key, &now) : CEL_OK;

    if (rc == CEL_OK && base->absent && !now.absent)
        return CEL_STALE;
    w->view = base;
    return rc == CEL_OK ? read_again(w, s, o, old) : rc;
}

/* One try. What was merged is merged with one value of the store, and replaces that one or none: CEL_STALE when others have
 * replaced it meanwhile, or since the shard within this one was merged (base). */
static int merge_and_put_once(struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o,
                              const struct shard_view *base, struct shard_slot *now)
{
    struct cel_buf old = CEL_BUF_INIT(SIZE_MAX), out = CEL_BUF_INIT(SIZE_MAX);
    struct shard_view view;
    bool complete = shard_is_complete(o);
    int rc = CEL_OK;

    if (complete)
        w->view = base;
    else
        rc = base ? refresh_base(w, s, o, base, &old) : refresh(w, s, o, &view, &old);
    if (rc == CEL_OK)
        rc = assemble(s, o, &old, now, &out);
    if (rc == CEL_OK)
        rc = put_value(w, s, o, &out,
                       complete ? TURN_LOCKED : TURN_SETTLE); /* merged with what is there now: not to wait */
    if (rc == CEL_OK)
        note_put(s, o, now, &out);
    cel_buf_dispose(&old);
    cel_buf_dispose(&out);
    return rc;
}

static int merge_and_put(struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o,
                         const struct shard_view *base)
{
    struct shard_slot *now = cel_calloc(s->nslots, sizeof *now);
    int tries = cel_zarr_shard_tries, rc = now ? cel_zarr_draft_recall(s, o) : NC_ENOMEM;

    while (rc == CEL_OK) {
        w->view = NULL;
        rc = merge_and_put_once(w, s, o, base, now);
        if (rc != CEL_STALE || base)
            break;
        rc = --tries ? CEL_OK : cel_zarr_shard_keeps_changing(o->key);
    }
    free(now);
    return rc;
}

int cel_zarr_shard_write(const struct shard_wanted *any, struct cel_zarr_shard *s, struct open_shard *o, bool locked)
{
    struct shard_wanted w = {any->z, any->a, o->at, NULL};
    int lock = -1, rc = locked ? CEL_OK : cel_store_lock(w.z->store, CEL_LOCK_EXCLUSIVE, &lock);

    if (rc == CEL_OK)
        rc = merge_and_put(&w, s, o, any->view);
    cel_store_unlock(lock);
    return rc;
}

/* --- complete ---------------------------------------------------------------------------------- */

/* From here to end_put the shard does not change. It has all its chunks, and all are fresh: readers find
 * them in memory, writers wait. Offsets noted before are no longer valid, as the value may be replaced at
 * any moment. */
static void begin_put(struct cel_zarr_shard *s, struct open_shard *o)
{
    assert(shard_is_complete(o) && !o->putting);
    o->putting = true;
    s->nputting++;
    s->writes++;
    cel_unlock(&s->lock);
}

static void end_put(struct cel_zarr_shard *s, struct open_shard *o)
{
    cel_lock(&s->lock);
    assert(o->putting && s->nputting > 0);
    o->putting = false;
    s->nputting--;
    cel_cond_wake_all(&s->put_done);
}

static int put_whole(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o,
                     struct shard_slot *now, struct cel_buf *out)
{
    struct cel_buf none = CEL_BUF_INIT(0);
    int lock = -1, rc = assemble(s, o, &none, now, out);

    if (rc == CEL_OK)
        rc = cel_store_lock(w->z->store, CEL_LOCK_SHARED, &lock);
    if (rc == CEL_OK)
        rc = put_value(w, s, o, out, TURN_LOCKED);
    cel_store_unlock(lock);
    return rc;
}

int cel_zarr_shard_put_complete(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o)
{
    struct cel_buf out = CEL_BUF_INIT(SIZE_MAX);
    struct shard_slot *now;
    int rc = o->out_of_order ? cel_zarr_draft_recall(s, o) : CEL_OK;

    if (rc != CEL_OK)
        return rc;
    begin_put(s, o);
    now = cel_calloc(s->nslots, sizeof *now);
    if (!now)
        rc = NC_ENOMEM;
    else
        rc = o->draft ? cel_zarr_draft_finish(w, s, o, now) : put_whole(w, s, o, now, &out);
    end_put(s, o);
    if (rc == CEL_OK)
        note_put(s, o, now, &out);
    else
        o->out_of_order = true; /* the next try is made from memory */
    free(now);
    cel_buf_dispose(&out);
    return rc;
}
