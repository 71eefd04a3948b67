/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards that are written while their chunks come. Chunks are appended to a draft of the value in the order of their
 * slots: a chunk whose predecessors all have an offset is written at once, from the memory it was encoded in and by the
 * thread that brings it; one that comes too early waits in memory. So the value is the same whichever thread is first,
 * and a shard of any size needs memory for a few chunks.
 *
 * Small chunks wait until there are enough of them for a write. When a chunk is put twice before its shard is
 * complete, the draft is given up and what it holds is read back into memory. */
#include "mem.h"
#include "zarr_shard_int.h"
#include <assert.h>
#include <stdlib.h>

enum { PARTS_MAX = 64 };

size_t cel_zarr_draft_min = (size_t)256 << 10;

static bool has_draft(const struct shard_wanted *w, const struct cel_zarr_shard *s, const struct open_shard *o)
{
    return !s->outer && !s->after.n && !o->out_of_order && o->nwanted != SIZE_MAX && cel_store_has_drafts(w->z->store);
}

/* The slot that is appended next. */
static size_t next_slot(const struct cel_zarr_shard *s, const struct open_shard *o)
{
    size_t slot = o->appended;

    while (slot < s->nslots && cel_zarr_slot_is_outside(s, o, slot))
        slot++;
    return slot;
}

static bool next_waits(const struct cel_zarr_shard *s, const struct open_shard *o)
{
    size_t slot = next_slot(s, o);

    return slot < s->nslots && o->slot[slot].fresh;
}

bool cel_zarr_draft_takes(const struct shard_wanted *w, const struct cel_zarr_shard *s, const struct open_shard *o,
                          size_t at, size_t n)
{
    return n >= cel_zarr_draft_min && at == next_slot(s, o) && !o->slot[at].fresh && has_draft(w, s, o);
}

static int begin_draft(const struct shard_wanted *w, const struct cel_zarr_shard *s, struct open_shard *o)
{
    if (o->draft)
        return CEL_OK;
    o->end = s->index_first ? cel_zarr_index_size(s) : 0;
    return cel_draft_make(w->z->store, &o->draft);
}

/* The next slot gets its offset, its bytes are one more part. */
static void append_next(const struct cel_zarr_shard *s, struct open_shard *o, const void *bytes, struct cel_bytes *part)
{
    size_t at = next_slot(s, o);
    struct shard_slot *slot = &o->slot[at];

    assert(at < s->nslots && at >= o->appended && !slot->drafted && slot->nbytes != SHARD_EMPTY);
    o->appended = at + 1;
    slot->drafted = true;
    slot->offset = o->end;
    o->end += slot->nbytes;
    *part = (struct cel_bytes){bytes ? bytes : slot->fresh, (size_t)slot->nbytes};
}

/* What lies in the draft need not wait in memory. */
static void note_written(struct cel_zarr_shard *s, struct open_shard *o, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct shard_slot *slot = &o->slot[i];
        if (!slot->fresh)
            continue;
        o->fresh_bytes -= (size_t)slot->nbytes;
        s->waiting -= (size_t)slot->nbytes;
        free(slot->fresh);
        slot->fresh = NULL;
    }
}

/* Those in memory go on waiting; one that came from the caller's is as it was in the store. */
static void note_failure(struct open_shard *o, size_t from, size_t to)
{
    o->out_of_order = true;
    for (size_t i = from; i < to; i++) {
        struct shard_slot *slot = &o->slot[i];
        if (slot->drafted && !slot->fresh) {
            slot->offset = slot->nbytes = SHARD_EMPTY;
            o->nfresh--;
            o->mark.known = false;
        }
        slot->drafted = false;
    }
}

/* The chunk at hand, if any, and those that waited for it; without the level's lock. */
int cel_zarr_draft_add(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o, const void *bytes,
                       size_t n)
{
    struct cel_bytes part[PARTS_MAX];
    size_t from = o->appended, to, nparts = 0;
    uint64_t offset;
    int rc = begin_draft(w, s, o);

    if (rc != CEL_OK)
        return rc;
    offset = o->end;
    if (bytes) {
        o->slot[next_slot(s, o)].nbytes = n;
        o->nfresh++;
        append_next(s, o, bytes, &part[nparts++]);
    }
    while (nparts < PARTS_MAX && next_waits(s, o))
        append_next(s, o, NULL, &part[nparts++]);
    to = o->appended; /* others may go on from here */
    o->nwriting++;
    s->nputting++;
    cel_unlock(&s->lock);
    rc = cel_draft_write(o->draft, offset, part, nparts);
    cel_lock(&s->lock);
    assert(o->nwriting > 0 && s->nputting > 0 && to <= o->appended);
    o->nwriting--;
    s->nputting--;
    if (rc == CEL_OK)
        note_written(s, o, from, to);
    else
        note_failure(o, from, to);
    cel_cond_wake_all(&s->put_done);
    return rc;
}

static size_t ready_bytes(const struct cel_zarr_shard *s, const struct open_shard *o)
{
    size_t n = 0;

    for (size_t i = o->appended; i < s->nslots && n < cel_zarr_draft_min; i++)
        if (o->slot[i].fresh)
            n += (size_t)o->slot[i].nbytes;
        else if (!cel_zarr_slot_is_outside(s, o, i))
            break;
    return n;
}

int cel_zarr_draft_add_waiting(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o)
{
    int rc = CEL_OK;

    while (rc == CEL_OK && has_draft(w, s, o) && next_waits(s, o) && ready_bytes(s, o) >= cel_zarr_draft_min)
        rc = cel_zarr_draft_add(w, s, o, NULL, 0);
    return rc;
}

/* The chunks that still wait, all at once; now[] gets their offsets. */
static int write_rest(const struct cel_zarr_shard *s, struct open_shard *o, struct shard_slot *now, uint64_t *end)
{
    struct cel_bytes *part = cel_malloc_array(s->nslots - o->appended, sizeof *part);
    size_t n = 0;
    int rc;

    if (!part)
        return NC_ENOMEM;
    *end = o->end;
    for (size_t i = o->appended; i < s->nslots; i++) {
        const struct shard_slot *slot = &o->slot[i];
        now[i] = (struct shard_slot){.offset = slot->fresh ? *end : SHARD_EMPTY, .nbytes = slot->nbytes};
        if (!slot->fresh)
            continue;
        part[n++] = (struct cel_bytes){slot->fresh, (size_t)slot->nbytes};
        *end += slot->nbytes;
    }
    rc = n ? cel_draft_write(o->draft, o->end, part, n) : CEL_OK;
    free(part);
    return rc;
}

int cel_zarr_draft_finish(const struct shard_wanted *w, const struct cel_zarr_shard *s, struct open_shard *o,
                          struct shard_slot *now)
{
    struct cel_buf index = CEL_BUF_INIT(SIZE_MAX);
    uint64_t end;
    int lock = -1, rc;

    for (size_t i = 0; i < o->appended; i++) {
        assert(o->slot[i].drafted || cel_zarr_slot_is_outside(s, o, i));
        now[i] = (struct shard_slot){.offset = o->slot[i].offset, .nbytes = o->slot[i].nbytes};
    }
    rc = write_rest(s, o, now, &end);
    if (rc == CEL_OK)
        rc = cel_zarr_index_encode(s, now, &index);
    if (rc == CEL_OK)
        rc = cel_draft_write(o->draft, s->index_first ? 0 : end, &(struct cel_bytes){index.data, index.len}, 1);
    if (rc == CEL_OK)
        rc = cel_store_lock(w->z->store, CEL_LOCK_SHARED, &lock);
    if (rc == CEL_OK)
        rc = cel_draft_put(o->draft, o->key);
    cel_store_unlock(lock);
    if (rc == CEL_OK)
        o->draft = NULL;
    cel_buf_dispose(&index);
    return rc;
}

static int read_back(struct cel_zarr_shard *s, struct open_shard *o, struct shard_slot *slot)
{
    char *bytes = cel_malloc((size_t)slot->nbytes);
    int rc = bytes ? cel_draft_read(o->draft, slot->offset, (size_t)slot->nbytes, bytes) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(bytes);
        return rc;
    }
    slot->fresh = bytes;
    slot->drafted = false;
    o->fresh_bytes += (size_t)slot->nbytes;
    s->waiting += (size_t)slot->nbytes;
    return CEL_OK;
}

/* Nobody writes to the draft. */
int cel_zarr_draft_recall(struct cel_zarr_shard *s, struct open_shard *o)
{
    int rc = CEL_OK;

    assert(!o->nwriting && !o->putting);
    o->out_of_order = o->out_of_order || o->draft;
    for (size_t i = 0; rc == CEL_OK && o->draft && i < o->appended; i++)
        if (o->slot[i].drafted)
            rc = read_back(s, o, &o->slot[i]);
    if (rc != CEL_OK)
        return rc;
    cel_draft_drop(o->draft);
    o->draft = NULL;
    o->appended = 0;
    return CEL_OK;
}
