/* SPDX-License-Identifier: BSD-3-Clause */
/* sharding_indexed: many chunks in one value of the store, with an index at its
 * end or start.
 *
 * To the array engine a shard does not exist: the chunks of the variable are the
 * innermost ones. Reading one reads the index (kept for the shards used last) and
 * that chunk's range, both of the same value: if another process has replaced it, the
 * index is read again. Written chunks go to a draft of their shard or wait here, encoded,
 * until the shard is complete, too much waits, or the variable is flushed; then the shard
 * is put together with what the store had of it and takes its place as one value, so
 * that no chunk is lost and readers see the old shard or the new one. Complete shards
 * need nothing of the store: threads put them side by side. */
#include "mem.h"
#include "zarr_shard_int.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARDS_KEPT = 16,
    WHOLE_KEPT = 2
}; /* open shards without fresh chunks: with their index, with all their bytes */
#define WAITING_MAX ((size_t)256 << 20)

int cel_zarr_shard_tries = 1000;

static int read_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, uint64_t offset, size_t n, void *dst);
static int slot_size(const struct shard_wanted *w, struct cel_zarr_shard *s, uint64_t *size);

/* --- where a chunk lies ------------------------------------------------------------------- */

static size_t slot_of(const struct cel_zarr_shard *s, const size_t *index)
{
    size_t slot = 0;

    for (int i = 0; i < s->rank; i++) {
        int d = s->axis[i];
        slot = slot * s->per[i] + index[d] / s->span[d] % s->per[i];
    }
    return slot;
}

/* The first innermost chunk of its shard; number[]: which shard that is along each axis. */
static void shard_of(const struct cel_zarr_shard *s, const size_t *index, size_t *first, size_t *number)
{
    for (int i = 0; i < s->rank; i++) {
        int d = s->axis[i];
        number[d] = index[d] / (s->span[d] * s->per[i]);
        first[d] = number[d] * s->span[d] * s->per[i];
    }
}

bool cel_zarr_slot_is_outside(const struct cel_zarr_shard *s, const struct open_shard *o, size_t slot)
{
    for (int i = s->rank; s->limited && i-- > 0; slot /= s->per[i]) {
        int d = s->axis[i];
        if (o->at[d] + slot % s->per[i] * s->span[d] >= s->limit[d])
            return true;
    }
    return false;
}

/* A chunk outside can be there when the array was longer once: it is kept, by merging. */
static size_t count_wanted(const struct cel_zarr_shard *s, const struct open_shard *o)
{
    size_t n = 0;

    for (size_t i = 0; i < s->nslots; i++) {
        if (!cel_zarr_slot_is_outside(s, o, i))
            n++;
        else if (o->slot[i].offset != SHARD_EMPTY)
            return SIZE_MAX;
    }
    return n;
}

static int store_key(const struct shard_wanted *w, const struct cel_zarr_shard *s, struct cel_buf *key)
{
    size_t first[CEL_RANK_MAX], number[CEL_RANK_MAX];

    while (s->outer)
        s = s->outer;
    shard_of(s, w->index, first, number);
    return cel_zarr_chunk_key(w->a, s->rank, number, key);
}

/* --- the bytes of a shard: a value of the store, or a chunk of the level outside --------------- */

int cel_zarr_shard_keeps_changing(const char *key)
{
    return cel_fail(NC_EIO, "%s: the shard is replaced by someone else whenever it is read", key);
}

int cel_zarr_shard_look(const struct shard_wanted *w, const char *key, struct shard_view *out)
{
    int rc = cel_store_stat(w->z->store, key, &out->mark, &out->size);

    out->absent = rc == CEL_ABSENT;
    return out->absent ? CEL_OK : rc;
}

static int value_size(const struct shard_wanted *w, struct cel_zarr_shard *s, uint64_t *size)
{
    if (s->outer)
        return slot_size(w, s->outer, size);
    *size = w->view->size;
    return w->view->absent ? CEL_ABSENT : CEL_OK;
}

static int value_range(const struct shard_wanted *w, struct cel_zarr_shard *s, const char *key, uint64_t offset,
                       size_t n, void *dst)
{
    return s->outer ? read_slot(w, s->outer, offset, n, dst)
                    : cel_store_get_range_of(w->z->store, key, &w->view->mark, offset, n, dst);
}

static int value_whole(const struct shard_wanted *w, struct cel_zarr_shard *s, const char *key, struct cel_buf *out)
{
    uint64_t size;
    int rc = value_size(w, s, &size);

    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)size);
    return rc == CEL_OK ? value_range(w, s, key, 0, out->len, out->data) : rc;
}

/* All bytes of the shard, without the codecs around it. */
int cel_zarr_shard_bytes(const struct shard_wanted *w, struct cel_zarr_shard *s, const char *key, struct cel_buf *out)
{
    struct cel_buf stored = CEL_BUF_INIT(SIZE_MAX);
    struct cel_scratch *scratch = NULL;
    int rc = value_whole(w, s, key, s->after.n ? &stored : out);

    if (rc == CEL_OK && s->after.n) {
        rc = cel_scratch_make(&scratch);
        if (rc == CEL_OK)
            rc = cel_chain_decode_any(&s->after, scratch, stored.data, stored.len, out);
        if (rc != CEL_OK)
            cel_fail_in(rc, "%s: the codecs around the shard", key);
    }
    cel_scratch_free(scratch);
    cel_buf_dispose(&stored);
    return rc;
}

/* --- the index ------------------------------------------------------------------------------------ */

static int too_short(const char *key)
{
    return cel_fail(NC_EFILTER, "%s: the shard is shorter than its index", key);
}

static int index_of_whole(const struct cel_zarr_shard *s, const char *key, const struct cel_buf *whole,
                          struct shard_slot *slot)
{
    size_t n = cel_zarr_index_size(s);

    if (whole->len < n)
        return too_short(key);
    return cel_zarr_index_decode(s, whole->data + (s->index_first ? 0 : whole->len - n), whole->len, key, slot);
}

static int index_of_value(const struct shard_wanted *w, struct cel_zarr_shard *s, const char *key,
                          struct shard_slot *slot)
{
    size_t n = cel_zarr_index_size(s);
    unsigned char *stored = cel_malloc(n);
    uint64_t size;
    int rc = stored ? value_size(w, s, &size) : NC_ENOMEM;

    if (rc == CEL_OK && size < n)
        rc = too_short(key);
    if (rc == CEL_OK)
        rc = value_range(w, s, key, s->index_first ? 0 : size - n, n, stored);
    if (rc == CEL_OK)
        rc = cel_zarr_index_decode(s, stored, size, key, slot);
    free(stored);
    return rc;
}

static int load_index(const struct shard_wanted *w, struct cel_zarr_shard *s, const char *key, struct cel_buf *whole,
                      struct shard_slot *slot)
{
    int rc;

    for (size_t i = 0; i < s->nslots; i++)
        slot[i] = (struct shard_slot){.offset = SHARD_EMPTY, .nbytes = SHARD_EMPTY};
    whole->len = 0;
    if (!s->after.n) {
        rc = index_of_value(w, s, key, slot);
    } else {
        rc = cel_zarr_shard_bytes(w, s, key, whole);
        if (rc == CEL_OK)
            rc = index_of_whole(s, key, whole, slot);
    }
    return rc == CEL_ABSENT ? CEL_OK : rc; /* no shard yet: all empty */
}

int cel_zarr_shard_reload(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o)
{
    struct shard_slot *now = cel_malloc_array(s->nslots, sizeof *now);
    int rc = now ? load_index(w, s, o->key, &o->whole, now) : NC_ENOMEM;

    o->mark.known = false;
    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++)
        if (!shard_slot_is_fresh(&o->slot[i]))
            o->slot[i] = now[i];
    if (rc == CEL_OK) {
        o->mark = w->view->mark;
        o->size = w->view->size;
        o->nwanted = count_wanted(s, o);
    }
    free(now);
    return rc;
}

/* --- open shards ------------------------------------------------------------------------------------- */

static void free_shard(struct cel_zarr_shard *s, struct open_shard *o)
{
    if (o->slot)
        cel_zarr_shard_forget_fresh(s, o);
    free(o->at);
    free(o->key);
    free(o->slot);
    cel_buf_dispose(&o->whole);
    free(o);
}

/* The open shard used longest ago, among those without fresh chunks or with such in memory; n: how many there are. */
static size_t find_oldest(const struct cel_zarr_shard *s, bool fresh, size_t *n)
{
    size_t oldest = SIZE_MAX;

    *n = 0;
    for (size_t i = 0; i < s->open.n; i++) {
        const struct open_shard *o = s->open.at[i];
        if ((o->nfresh > 0) != fresh || (fresh && !o->fresh_bytes) || o->putting || o->nwriting)
            continue;
        ++*n;
        if (oldest == SIZE_MAX || o->used < ((struct open_shard *)s->open.at[oldest])->used)
            oldest = i;
    }
    return oldest;
}

static void drop_oldest(struct cel_zarr_shard *s)
{
    size_t n, i = find_oldest(s, false, &n);

    if (n < (s->after.n ? WHOLE_KEPT : SHARDS_KEPT))
        return;
    free_shard(s, s->open.at[i]);
    cel_vec_remove(&s->open, i);
}

/* The index of a shard that is new here; for a chunk that is put, as the shard is now. */
static int load_first(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o)
{
    struct shard_wanted now = *w;
    struct shard_view view;
    int tries = cel_zarr_shard_tries, rc;

    if (w->view)
        return cel_zarr_shard_reload(w, s, o);
    now.view = &view;
    do {
        rc = cel_zarr_shard_look(w, o->key, &view);
        if (rc == CEL_OK)
            rc = cel_zarr_shard_reload(&now, s, o);
    } while (rc == CEL_STALE && --tries > 0);
    return rc == CEL_STALE ? cel_zarr_shard_keeps_changing(o->key) : rc;
}

/* Before memory for an index is taken, which the metadata may make as large as it likes. CEL_ABSENT: there is no shard. */
static int check_size(const struct shard_wanted *w, const struct cel_zarr_shard *s, const char *key)
{
    if (!w->view || s->outer)
        return CEL_OK;
    if (w->view->absent)
        return CEL_ABSENT;
    return s->after.n || w->view->size >= cel_zarr_index_size(s) ? CEL_OK : too_short(key);
}

static int make_open(const struct shard_wanted *w, struct cel_zarr_shard *s, const size_t *first,
                     struct open_shard **out)
{
    struct open_shard *o = cel_calloc(1, sizeof *o);
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    int rc = o ? store_key(w, s, &key) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = check_size(w, s, key.data);

    if (rc == CEL_OK) {
        o->whole = CEL_BUF_INIT(SIZE_MAX);
        o->key = key.data;
        o->at = cel_memdup(first, (size_t)s->rank * sizeof *first);
        o->slot = o->at ? cel_calloc(s->nslots, sizeof *o->slot) : NULL;
        rc = o->slot ? load_first(w, s, o) : NC_ENOMEM;
        if (rc == CEL_OK)
            rc = cel_vec_add(&s->open, o);
        if (rc != CEL_OK)
            free_shard(s, o);
    } else {
        cel_buf_dispose(&key);
        free(o);
    }
    *out = rc == CEL_OK ? o : NULL;
    return rc;
}

static bool is_current(const struct shard_wanted *w, const struct open_shard *o)
{
    return !w->view || cel_store_mark_same(&o->mark, &w->view->mark);
}

int cel_zarr_shard_open(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard **out)
{
    size_t first[CEL_RANK_MAX], number[CEL_RANK_MAX];
    int rc;

    shard_of(s, w->index, first, number);
    for (size_t i = s->open.n; i-- > 0;) {
        *out = s->open.at[i];
        if (memcmp((*out)->at, first, (size_t)s->rank * sizeof *first) == 0) {
            (*out)->used = ++s->clock;
            return is_current(w, *out) ? CEL_OK : cel_zarr_shard_reload(w, s, *out);
        }
    }
    drop_oldest(s);
    rc = make_open(w, s, first, out);
    if (rc == CEL_OK)
        (*out)->used = ++s->clock;
    return rc;
}

/* --- one chunk of a level --------------------------------------------------------------------------------- */

/* CEL_ABSENT: there is none. */
static int find_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard **o,
                     struct shard_slot *out)
{
    int rc = cel_zarr_shard_open(w, s, o);

    if (rc != CEL_OK)
        return rc;
    *out = (*o)->slot[slot_of(s, w->index)];
    return shard_slot_is_fresh(out) || out->offset != SHARD_EMPTY ? CEL_OK : CEL_ABSENT;
}

static int slot_size(const struct shard_wanted *w, struct cel_zarr_shard *s, uint64_t *size)
{
    struct open_shard *o;
    struct shard_slot slot;
    int rc;

    cel_lock(&s->lock);
    rc = find_slot(w, s, &o, &slot);
    *size = rc == CEL_OK ? slot.nbytes : 0;
    cel_unlock(&s->lock);
    return rc;
}

/* Bytes of a slot that this process holds; CEL_SKIP: the store has them. */
static int read_held(struct cel_zarr_shard *s, struct open_shard *o, const struct shard_slot *slot, uint64_t offset,
                     size_t n, void *dst)
{
    if (!slot->fresh && slot->drafted)
        return cel_draft_read(o->draft, slot->offset + offset, n, dst);
    if (!slot->fresh && !s->after.n)
        return CEL_SKIP;
    memcpy(dst, (slot->fresh ? slot->fresh : o->whole.data + slot->offset) + offset, n);
    return CEL_OK;
}

/* As find_slot; waits while other threads write to the draft that holds it, or put the shard. */
static int find_slot_at_rest(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard **o,
                             struct shard_slot *out)
{
    int rc = find_slot(w, s, o, out);

    while (rc == CEL_OK && out->drafted && ((*o)->nwriting || (*o)->putting)) {
        cel_cond_wait(&s->put_done, &s->lock);
        rc = find_slot(w, s, o, out);
    }
    return rc;
}

/* n bytes from offset of the chunk. What comes from the store is read without the
 * lock, and again if the shard was put meanwhile. */
static int read_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, uint64_t offset, size_t n, void *dst)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct shard_slot slot;
    struct open_shard *o;
    unsigned long writes;
    bool again = true;
    int rc = store_key(w, s, &key);

    while (rc == CEL_OK && again) {
        cel_lock(&s->lock);
        rc = find_slot_at_rest(w, s, &o, &slot);
        if (rc == CEL_OK && (offset > slot.nbytes || n > slot.nbytes - offset))
            rc = cel_fail(NC_EFILTER, "%s: a chunk of the shard is shorter than what it should hold", key.data);
        if (rc == CEL_OK)
            rc = read_held(s, o, &slot, offset, n, dst);
        writes = s->writes;
        cel_unlock(&s->lock);
        again = rc == CEL_SKIP;
        if (again) {
            rc = value_range(w, s, key.data, slot.offset + offset, n, dst);
            cel_lock(&s->lock);
            again = s->writes != writes;
            cel_unlock(&s->lock);
            rc = again && rc != CEL_STALE ? CEL_OK : rc;
        }
    }
    cel_buf_dispose(&key);
    return rc;
}

static void keep_fresh(struct cel_zarr_shard *s, struct open_shard *o, size_t at, char *bytes, size_t n)
{
    struct shard_slot *slot = &o->slot[at];

    assert(at < s->nslots && !slot->drafted && !o->putting);
    if (slot->fresh) {
        o->fresh_bytes -= (size_t)slot->nbytes;
        s->waiting -= (size_t)slot->nbytes;
        free(slot->fresh);
    } else {
        o->nfresh++;
    }
    slot->fresh = bytes;
    slot->nbytes = n;
    o->fresh_bytes += n;
    s->waiting += n;
}

/* If more than WAITING_MAX bytes wait in memory: waits for the shards being put, then puts the one used longest ago. */
static int evict_open_shards(const struct shard_wanted *w, struct cel_zarr_shard *s, bool locked)
{
    size_t n, i;

    while (s->waiting > WAITING_MAX && s->nputting > 0)
        cel_cond_wait(&s->put_done, &s->lock);
    i = find_oldest(s, true, &n);
    return s->waiting > WAITING_MAX && n ? cel_zarr_shard_write(w, s, s->open.at[i], locked) : CEL_OK;
}

/* The shard, once no other thread puts it, nor writes to a draft that has the chunk already. */
static int open_shard_to_change(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard **out)
{
    size_t at = slot_of(s, w->index);
    int rc = cel_zarr_shard_open(w, s, out);

    while (rc == CEL_OK && ((*out)->putting || ((*out)->nwriting && at < (*out)->appended))) {
        cel_cond_wait(&s->put_done, &s->lock);
        rc = cel_zarr_shard_open(w, s, out); /* it may have been given up since */
    }
    return rc;
}

/* A copy of the chunk waits for its turn; it is made while others go on. */
static int keep_waiting(const struct shard_wanted *w, struct cel_zarr_shard *s, const void *bytes, size_t n,
                        struct open_shard **o)
{
    size_t at = slot_of(s, w->index);
    char *copy;
    int rc;

    cel_unlock(&s->lock);
    copy = cel_memdup(bytes, n);
    cel_lock(&s->lock);
    rc = copy ? open_shard_to_change(w, s, o) : NC_ENOMEM;
    if (rc == CEL_OK && at < (*o)->appended)
        rc = cel_zarr_draft_recall(s, *o);
    if (rc != CEL_OK) {
        free(copy);
        return rc;
    }
    keep_fresh(s, *o, at, copy, n);
    return cel_zarr_draft_add_waiting(w, s, *o);
}

static int take_chunk(const struct shard_wanted *w, struct cel_zarr_shard *s, const void *bytes, size_t n,
                      struct open_shard **o)
{
    int rc = open_shard_to_change(w, s, o);

    if (rc == CEL_OK && cel_zarr_draft_takes(w, s, *o, slot_of(s, w->index), n))
        rc = cel_zarr_draft_add(w, s, *o, bytes, n);
    else if (rc == CEL_OK)
        rc = keep_waiting(w, s, bytes, n, o);
    return rc;
}

/* Other programs replaced the value that this chunk was merged with: it is merged anew, from what the store has. */
static void drop_fresh(struct cel_zarr_shard *s, struct open_shard *o, size_t at)
{
    struct shard_slot *slot = &o->slot[at];

    assert(slot->fresh && !slot->drafted && !o->putting);
    o->fresh_bytes -= (size_t)slot->nbytes;
    s->waiting -= (size_t)slot->nbytes;
    o->nfresh--;
    free(slot->fresh);
    *slot = (struct shard_slot){.offset = SHARD_EMPTY, .nbytes = SHARD_EMPTY};
    o->mark.known = false;
}

/* What the shard within was merged with: the store's value as it was seen then, or (NULL) a chunk that waits here. */
static int find_base(const struct shard_wanted *put, struct cel_zarr_shard *s, const struct shard_view **base)
{
    struct open_shard *o;
    int rc = *base ? open_shard_to_change(put, s, &o) : CEL_OK;

    if (rc == CEL_OK && *base && shard_slot_is_fresh(&o->slot[slot_of(s, put->index)]))
        *base = NULL;
    return rc;
}

int cel_zarr_shard_put_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, const void *bytes, size_t n,
                            enum shard_turn turn)
{
    struct shard_wanted put = {w->z, w->a, w->index, NULL};
    const struct shard_view *base = w->view;
    struct open_shard *o;
    bool complete;
    int rc;

    cel_lock(&s->lock);
    rc = find_base(&put, s, &base);
    if (rc == CEL_OK)
        rc = take_chunk(&put, s, bytes, n, &o);
    complete = rc == CEL_OK && shard_is_complete(o);  /* who still writes to the draft comes here, too */
    if (complete && turn == TURN_WAIT && !s->outer) { /* within another shard, that one's turn decides */
        rc = cel_zarr_shard_put_complete(&put, s, o);
    } else if (complete || (rc == CEL_OK && turn == TURN_SETTLE)) {
        put.view = base;
        rc = cel_zarr_shard_write(&put, s, o, turn != TURN_WAIT);
    } else if (rc == CEL_OK) {
        rc = evict_open_shards(&put, s, turn != TURN_WAIT);
    }
    if (rc == CEL_STALE && base)
        drop_fresh(s, o, slot_of(s, put.index));
    cel_unlock(&s->lock);
    return rc;
}

/* --- for the array engine --------------------------------------------------------------------------------- */

static struct shard_wanted wanted_of(struct cel_dataset *ds, struct cel_var *var, const size_t *index)
{
    return (struct shard_wanted){cel_zarr_of(ds), var->priv, index, NULL};
}

static int get_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, void *arg)
{
    struct cel_buf *out = arg;
    uint64_t size;
    int rc = slot_size(w, s, &size);

    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)size);
    return rc == CEL_OK ? read_slot(w, s, 0, out->len, out->data) : rc;
}

static int get_slot_size(const struct shard_wanted *w, struct cel_zarr_shard *s, void *arg)
{
    return slot_size(w, s, arg);
}

/* The value as its index was read: whether it is still the same, the server says with each range of it. */
static bool find_view(struct cel_zarr_shard *s, const size_t *index, struct shard_view *out)
{
    size_t first[CEL_RANK_MAX], number[CEL_RANK_MAX];
    bool found = false;

    shard_of(s, index, first, number);
    cel_lock(&s->lock);
    for (size_t i = s->open.n; i-- > 0 && !found;) {
        const struct open_shard *o = s->open.at[i];

        found = o->mark.known && memcmp(o->at, first, (size_t)s->rank * sizeof *first) == 0;
        if (found)
            *out = (struct shard_view){.mark = o->mark, .size = o->size};
    }
    cel_unlock(&s->lock);
    return found;
}

typedef int ask_fn(const struct shard_wanted *w, struct cel_zarr_shard *s, void *arg);

/* As `ask`, without a look at a value on a server whose index is at hand. CEL_STALE: it must be looked at. */
static int ask_remote(struct shard_wanted w, bool writable, ask_fn *act, void *arg)
{
    struct shard_view view;
    int rc;

    w.view = &view;
    if (writable || !cel_store_is_remote(w.z->store) || !find_view(w.a->shard, w.index, &view))
        return CEL_STALE;
    rc = act(&w, w.a->shard, arg);
    return rc == CEL_ABSENT ? CEL_STALE : rc;
}

/* Ask one thing of the value as it is now. What another process put between the look and the last byte makes it
 * begin anew. */
static int ask(struct shard_wanted w, ask_fn *act, void *arg)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct shard_view view;
    int tries = cel_zarr_shard_tries, rc = store_key(&w, w.a->shard, &key);

    w.view = &view;
    while (rc == CEL_OK) {
        rc = cel_zarr_shard_look(&w, key.data, &view);
        if (rc == CEL_OK)
            rc = act(&w, w.a->shard, arg);
        if (rc != CEL_STALE)
            break;
        rc = --tries ? CEL_OK : cel_zarr_shard_keeps_changing(key.data);
    }
    cel_buf_dispose(&key);
    return rc;
}

int cel_zarr_shard_get(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_buf *out)
{
    struct shard_wanted w = wanted_of(ds, var, index);
    int rc = ask_remote(w, ds->writable, get_slot, out);

    return rc == CEL_STALE ? ask(w, get_slot, out) : rc;
}

/* The range of the chunk, after the index of its shard, which is read now if it is not at hand. */
static int want_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, void *arg)
{
    struct open_shard *o;
    struct shard_slot slot;
    int rc;

    (void)arg;
    cel_lock(&s->lock);
    rc = find_slot(w, s, &o, &slot);
    if (rc == CEL_OK && slot.nbytes && !shard_slot_is_fresh(&slot))
        cel_store_want_range_of(w->z->store, o->key, &o->mark, slot.offset, (size_t)slot.nbytes);
    cel_unlock(&s->lock);
    return rc;
}

bool cel_zarr_shard_want(struct cel_dataset *ds, struct cel_var *var, const size_t *index)
{
    struct shard_wanted w = wanted_of(ds, var, index);
    struct cel_status before;

    if (!cel_store_is_remote(w.z->store) || w.a->shard->outer || w.a->shard->after.n)
        return false;
    cel_status_save(&before);
    if (ask_remote(w, ds->writable, want_slot, NULL) == CEL_STALE)
        ask(w, want_slot, NULL);
    cel_status_restore(&before);
    return true;
}

int cel_zarr_shard_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out)
{
    return ask(wanted_of(ds, var, index), get_slot_size, out);
}

/* Shards within shards: offsets count from the start of the shard they lie in. */
static int locate_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, void *arg)
{
    struct cel_chunk_location *out = arg;
    int rc = CEL_OK;

    *out = (struct cel_chunk_location){0};
    for (struct cel_zarr_shard *level = s; rc == CEL_OK && level; level = level->outer) {
        struct open_shard *o;
        struct shard_slot slot = {0};

        cel_lock(&level->lock);
        rc = find_slot(w, level, &o, &slot);
        cel_unlock(&level->lock);
        if (level == s)
            out->nbytes = (size_t)slot.nbytes;
        if (level->after.n || shard_slot_is_fresh(&slot))
            out->address = UINT64_MAX;
        if (out->address != UINT64_MAX)
            out->address += slot.offset;
    }
    return rc;
}

int cel_zarr_shard_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out, struct cel_buf *key)
{
    struct shard_wanted w = wanted_of(ds, var, index);
    int rc = store_key(&w, w.a->shard, key);

    return rc == CEL_OK ? ask(w, locate_slot, out) : rc;
}

/* Of arrays in a single level of shards: where they end for good. */
static void find_limits(struct cel_zarr_shard *s, const struct cel_var *var)
{
    for (int d = 0; d < var->ndims; d++)
        s->limit[d] =
            var->dim[d]->unlimited ? SIZE_MAX : (var->dim[d]->len + var->layout.chunk[d] - 1) / var->layout.chunk[d];
    s->limited = true;
    for (size_t i = 0; i < s->open.n; i++) {
        struct open_shard *o = s->open.at[i];
        o->nwanted = count_wanted(s, o);
    }
}

int cel_zarr_shard_put(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded, size_t n)
{
    struct shard_wanted w = wanted_of(ds, var, index);
    struct cel_zarr_shard *s = w.a->shard;

    cel_lock(&s->lock);
    if (!s->limited && !s->outer && s->rank == var->ndims)
        find_limits(s, var);
    cel_unlock(&s->lock);
    return cel_zarr_shard_put_slot(&w, s, encoded, n, TURN_WAIT);
}

int cel_zarr_shard_flush(struct cel_dataset *ds, struct cel_var *var)
{
    struct shard_wanted w = wanted_of(ds, var, NULL);
    int rc = CEL_OK;

    for (struct cel_zarr_shard *s = w.a->shard; s; s = s->outer) {
        cel_lock(&s->lock);
        while (s->nputting > 0)
            cel_cond_wait(&s->put_done, &s->lock);
        for (size_t i = 0; i < s->open.n; i++) {
            struct open_shard *o = s->open.at[i];
            int one = o->nfresh ? cel_zarr_shard_write(&w, s, o, false) : CEL_OK;
            rc = rc == CEL_OK ? one : rc;
        }
        cel_unlock(&s->lock);
    }
    return rc;
}

void cel_zarr_shard_free(struct cel_zarr_shard *s)
{
    while (s) {
        struct cel_zarr_shard *outer = s->outer;
        for (size_t i = 0; i < s->open.n; i++)
            free_shard(s, s->open.at[i]);
        cel_vec_dispose(&s->open);
        cel_chain_dispose(&s->index_chain);
        cel_chain_dispose(&s->after);
        cel_cond_dispose(&s->put_done);
        cel_mutex_dispose(&s->lock);
        free(s);
        s = outer;
    }
}
