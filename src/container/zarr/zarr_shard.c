/* sharding_indexed: many chunks in one value of the store, with an index at its
 * end or start.
 *
 * To the array engine a shard does not exist: the chunks of the variable are the
 * innermost ones. Reading one reads the index (kept for the shards used last) and
 * that chunk's range. Written chunks wait here, encoded, until their shard is
 * complete, too much waits, or the variable is flushed; then the shard is put
 * together with what the store had of it and written as one value, so that no
 * chunk is lost and readers see the old shard or the new one. Complete shards need
 * nothing of the store: threads put them side by side. */
#include "mem.h"
#include "zarr_shard_int.h"
#include <stdlib.h>
#include <string.h>

enum { SHARDS_KEPT = 16, WHOLE_KEPT = 2 }; /* open shards without fresh chunks: with their index, with all their bytes */
#define WAITING_MAX ((size_t)256 << 20)

/* How far a chunk that is put goes. */
enum turn {
    TURN_WAIT,   /* it may wait for its shard */
    TURN_LOCKED, /* the same; the store's lock is held */
    TURN_SETTLE  /* to the store at once; the lock is held */
};

/* One innermost chunk of one array. */
struct wanted {
    struct zarr *z;
    const struct zarr_array *a;
    const size_t *index;
};

static int read_slot(const struct wanted *w, struct zarr_shard *s, uint64_t offset, size_t n, void *dst);
static int slot_size(const struct wanted *w, struct zarr_shard *s, uint64_t *size);
static int put_slot(const struct wanted *w, struct zarr_shard *s, const void *bytes, size_t n, enum turn turn);

/* --- where a chunk lies ------------------------------------------------------------------- */

static size_t slot_of(const struct zarr_shard *s, const size_t *index)
{
    size_t slot = 0;

    for (int i = 0; i < s->rank; i++) {
        int d = s->axis[i];
        slot = slot * s->per[i] + index[d] / s->span[d] % s->per[i];
    }
    return slot;
}

/* The first innermost chunk of its shard; number[]: which shard that is along each axis. */
static void shard_of(const struct zarr_shard *s, const size_t *index, size_t *first, size_t *number)
{
    for (int i = 0; i < s->rank; i++) {
        int d = s->axis[i];
        number[d] = index[d] / (s->span[d] * s->per[i]);
        first[d] = number[d] * s->span[d] * s->per[i];
    }
}

static int store_key(const struct wanted *w, const struct zarr_shard *s, struct cel_buf *key)
{
    size_t first[NC_MAX_VAR_DIMS], number[NC_MAX_VAR_DIMS];

    while (s->outer)
        s = s->outer;
    shard_of(s, w->index, first, number);
    return zarr_chunk_key(w->a, s->rank, number, key);
}

/* --- the bytes of a shard: a value of the store, or a chunk of the level outside --------------- */

static int value_size(const struct wanted *w, struct zarr_shard *s, const char *key, uint64_t *size)
{
    return s->outer ? slot_size(w, s->outer, size) : cel_store_size(w->z->store, key, size);
}

static int value_range(const struct wanted *w, struct zarr_shard *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    return s->outer ? read_slot(w, s->outer, offset, n, dst) : cel_store_get_range(w->z->store, key, offset, n, dst);
}

static int value_whole(const struct wanted *w, struct zarr_shard *s, const char *key, struct cel_buf *out)
{
    uint64_t size;
    int rc = value_size(w, s, key, &size);

    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)size);
    return rc == CEL_OK ? value_range(w, s, key, 0, out->len, out->data) : rc;
}

/* All bytes of the shard, without the codecs around it. */
static int shard_bytes(const struct wanted *w, struct zarr_shard *s, const char *key, struct cel_buf *out)
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

static int index_of_whole(const struct zarr_shard *s, const char *key, const struct cel_buf *whole, struct shard_slot *slot)
{
    size_t n = zarr_index_size(s);

    if (whole->len < n)
        return too_short(key);
    return zarr_index_decode(s, whole->data + (s->index_first ? 0 : whole->len - n), whole->len, key, slot);
}

static int index_of_value(const struct wanted *w, struct zarr_shard *s, const char *key, struct shard_slot *slot)
{
    size_t n = zarr_index_size(s);
    unsigned char *stored = cel_malloc(n);
    uint64_t size;
    int rc = stored ? value_size(w, s, key, &size) : NC_ENOMEM;

    if (rc == CEL_OK && size < n)
        rc = too_short(key);
    if (rc == CEL_OK)
        rc = value_range(w, s, key, s->index_first ? 0 : size - n, n, stored);
    if (rc == CEL_OK)
        rc = zarr_index_decode(s, stored, size, key, slot);
    free(stored);
    return rc;
}

static int load_index(const struct wanted *w, struct zarr_shard *s, const char *key, struct cel_buf *whole, struct shard_slot *slot)
{
    int rc;

    for (size_t i = 0; i < s->nslots; i++)
        slot[i] = (struct shard_slot){SHARD_EMPTY, SHARD_EMPTY, NULL};
    whole->len = 0;
    if (!s->after.n) {
        rc = index_of_value(w, s, key, slot);
    } else {
        rc = shard_bytes(w, s, key, whole);
        if (rc == CEL_OK)
            rc = index_of_whole(s, key, whole, slot);
    }
    return rc == CEL_ABSENT ? CEL_OK : rc; /* no shard yet: all empty */
}

/* --- putting a shard together ---------------------------------------------------------------------- */

/* The bytes of every chunk that stays, one after the other; now[] gets their new places. */
static int gather_chunks(const struct zarr_shard *s, const struct open_shard *o, const struct cel_buf *old, struct shard_slot *now,
                         struct cel_buf *out)
{
    size_t room = zarr_index_size(s) + o->fresh_bytes + old->len;
    int rc = cel_buf_reserve(out, room);

    if (rc == CEL_OK && s->index_first)
        rc = cel_buf_resize(out, zarr_index_size(s));
    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++) {
        const struct shard_slot *slot = &o->slot[i];
        now[i] = (struct shard_slot){SHARD_EMPTY, SHARD_EMPTY, NULL};
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

static int add_index(const struct zarr_shard *s, const struct shard_slot *now, struct cel_buf *out)
{
    struct cel_buf index = CEL_BUF_INIT(SIZE_MAX);
    int rc;

    if (!s->index_first)
        return zarr_index_encode(s, now, out);
    rc = zarr_index_encode(s, now, &index);
    if (rc == CEL_OK)
        memcpy(out->data, index.data, index.len);
    cel_buf_dispose(&index);
    return rc;
}

static void forget_fresh(struct zarr_shard *s, struct open_shard *o)
{
    for (size_t i = 0; o->nfresh && i < s->nslots; i++) {
        free(o->slot[i].fresh);
        o->slot[i].fresh = NULL;
    }
    s->waiting -= o->fresh_bytes;
    o->fresh_bytes = o->nfresh = 0;
}

/* What the store has of the shard now: other processes may have written other
 * chunks of it since its index was read. */
static int refresh(const struct wanted *w, struct zarr_shard *s, struct open_shard *o, struct shard_slot *now, struct cel_buf *old)
{
    int rc = load_index(w, s, o->key, &o->whole, now);

    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++)
        if (!o->slot[i].fresh)
            o->slot[i] = now[i];
    if (rc == CEL_OK)
        rc = shard_bytes(w, s, o->key, old);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int put_value(const struct wanted *w, struct zarr_shard *s, const struct open_shard *o, const struct cel_buf *bytes,
                     enum turn turn)
{
    struct cel_scratch *scratch = NULL;
    const void *out = bytes->data;
    size_t n = bytes->len;
    uint32_t skipped;
    int rc = s->after.n ? cel_scratch_make(&scratch) : CEL_OK;

    if (rc == CEL_OK && s->after.n)
        rc = cel_chain_encode(&s->after, scratch, bytes->data, bytes->len, &out, &n, &skipped);
    if (rc == CEL_OK)
        rc = s->outer ? put_slot(w, s->outer, out, n, turn) : cel_store_put(w->z->store, o->key, out, n);
    cel_scratch_free(scratch);
    return rc;
}

/* Shards outside: what other processes did to them counts as well. */
static int refresh_outer(const struct wanted *w, struct zarr_shard *s);

/* The shard as one value; now[] gets the places of its chunks. */
static int assemble(const struct zarr_shard *s, const struct open_shard *o, const struct cel_buf *old, struct shard_slot *now,
                    struct cel_buf *out)
{
    int rc = gather_chunks(s, o, old, now, out);

    return rc == CEL_OK ? add_index(s, now, out) : rc;
}

/* The shard is in the store, its chunks at now[]; where codecs lie around it, its bytes are kept. */
static void note_put(struct zarr_shard *s, struct open_shard *o, const struct shard_slot *now, struct cel_buf *bytes)
{
    forget_fresh(s, o);
    memcpy(o->slot, now, s->nslots * sizeof *now);
    s->writes++;
    if (s->after.n) {
        cel_buf_dispose(&o->whole);
        o->whole = *bytes;
        *bytes = CEL_BUF_INIT(SIZE_MAX);
    }
}

static int merge_and_put(const struct wanted *w, struct zarr_shard *s, struct open_shard *o)
{
    struct cel_buf old = CEL_BUF_INIT(SIZE_MAX), out = CEL_BUF_INIT(SIZE_MAX);
    struct shard_slot *now = cel_calloc(s->nslots, sizeof *now);
    bool complete = o->nfresh == s->nslots;
    int rc = now ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && !complete && s->outer)
        rc = refresh_outer(w, s->outer);
    if (rc == CEL_OK && !complete)
        rc = refresh(w, s, o, now, &old);
    if (rc == CEL_OK)
        rc = assemble(s, o, &old, now, &out);
    if (rc == CEL_OK)
        rc = put_value(w, s, o, &out, complete ? TURN_LOCKED : TURN_SETTLE); /* merged with what is there now: not to wait */
    if (rc == CEL_OK)
        note_put(s, o, now, &out);
    free(now);
    cel_buf_dispose(&old);
    cel_buf_dispose(&out);
    return rc;
}

static int write_shard(const struct wanted *any, struct zarr_shard *s, struct open_shard *o, bool locked)
{
    struct wanted w = {any->z, any->a, o->at};
    int lock = -1, rc = locked ? CEL_OK : cel_store_lock(w.z->store, CEL_LOCK_ALONE, &lock);

    if (rc == CEL_OK)
        rc = merge_and_put(&w, s, o);
    cel_store_unlock(lock);
    return rc;
}

/* From here to end_put nobody changes the shard, which has all its chunks fresh:
 * readers find them, who wants to put one waits. Offsets noted before are of no use
 * from now on, as the value may be replaced at any moment. */
static void begin_put(struct zarr_shard *s, struct open_shard *o)
{
    o->putting = true;
    s->nputting++;
    s->writes++;
    cel_unlock(&s->lock);
}

static void end_put(struct zarr_shard *s, struct open_shard *o)
{
    o->putting = false;
    s->nputting--;
    cel_cond_wake_all(&s->put_done);
}

/* A complete shard is put together and written while other threads go on with other
 * shards. Called and left with the level's lock, which is let go meanwhile. */
static int put_complete(const struct wanted *w, struct zarr_shard *s, struct open_shard *o)
{
    struct cel_buf none = CEL_BUF_INIT(0), out = CEL_BUF_INIT(SIZE_MAX);
    struct shard_slot *now;
    int lock = -1, rc;

    begin_put(s, o);
    now = cel_calloc(s->nslots, sizeof *now);
    rc = now ? assemble(s, o, &none, now, &out) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_store_lock(w->z->store, CEL_LOCK_TOGETHER, &lock);
    if (rc == CEL_OK)
        rc = put_value(w, s, o, &out, TURN_LOCKED);
    cel_store_unlock(lock);
    cel_lock(&s->lock);
    if (rc == CEL_OK)
        note_put(s, o, now, &out);
    end_put(s, o);
    free(now);
    cel_buf_dispose(&out);
    return rc;
}

/* --- open shards ------------------------------------------------------------------------------------- */

static void free_shard(struct zarr_shard *s, struct open_shard *o)
{
    if (o->slot)
        forget_fresh(s, o);
    free(o->at);
    free(o->key);
    free(o->slot);
    cel_buf_dispose(&o->whole);
    free(o);
}

/* The open shard used longest ago, among those with or without fresh chunks; n: how many there are. */
static size_t find_oldest(const struct zarr_shard *s, bool fresh, size_t *n)
{
    size_t oldest = SIZE_MAX;

    *n = 0;
    for (size_t i = 0; i < s->open.n; i++) {
        const struct open_shard *o = s->open.at[i];
        if ((o->nfresh > 0) != fresh || o->putting)
            continue;
        ++*n;
        if (oldest == SIZE_MAX || o->used < ((struct open_shard *)s->open.at[oldest])->used)
            oldest = i;
    }
    return oldest;
}

static void drop_oldest(struct zarr_shard *s)
{
    size_t n, i = find_oldest(s, false, &n);

    if (n < (s->after.n ? WHOLE_KEPT : SHARDS_KEPT))
        return;
    free_shard(s, s->open.at[i]);
    cel_vec_remove(&s->open, i);
}

static int make_open(const struct wanted *w, struct zarr_shard *s, const size_t *first, struct open_shard **out)
{
    struct open_shard *o = cel_calloc(1, sizeof *o);
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    int rc = o ? store_key(w, s, &key) : NC_ENOMEM;

    if (rc == CEL_OK) {
        o->whole = CEL_BUF_INIT(SIZE_MAX);
        o->key = key.data;
        o->at = cel_memdup(first, (size_t)s->rank * sizeof *first);
        o->slot = o->at ? cel_malloc_array(s->nslots, sizeof *o->slot) : NULL;
        rc = o->slot ? load_index(w, s, o->key, &o->whole, o->slot) : NC_ENOMEM;
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

static int open_shard(const struct wanted *w, struct zarr_shard *s, struct open_shard **out)
{
    size_t first[NC_MAX_VAR_DIMS], number[NC_MAX_VAR_DIMS];
    int rc;

    shard_of(s, w->index, first, number);
    for (size_t i = s->open.n; i-- > 0;) {
        *out = s->open.at[i];
        if (memcmp((*out)->at, first, (size_t)s->rank * sizeof *first) == 0) {
            (*out)->used = ++s->clock;
            return CEL_OK;
        }
    }
    drop_oldest(s);
    rc = make_open(w, s, first, out);
    if (rc == CEL_OK)
        (*out)->used = ++s->clock;
    return rc;
}

static int refresh_outer(const struct wanted *w, struct zarr_shard *s)
{
    struct open_shard *o;
    struct shard_slot *now = cel_calloc(s->nslots, sizeof *now);
    int rc = now ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && s->outer)
        rc = refresh_outer(w, s->outer);
    cel_lock(&s->lock);
    if (rc == CEL_OK)
        rc = open_shard(w, s, &o);
    if (rc == CEL_OK)
        rc = load_index(w, s, o->key, &o->whole, now);
    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++)
        if (!o->slot[i].fresh)
            o->slot[i] = now[i];
    cel_unlock(&s->lock);
    free(now);
    return rc;
}

/* --- one chunk of a level --------------------------------------------------------------------------------- */

/* CEL_ABSENT: there is none. */
static int find_slot(const struct wanted *w, struct zarr_shard *s, struct open_shard **o, struct shard_slot *out)
{
    int rc = open_shard(w, s, o);

    if (rc != CEL_OK)
        return rc;
    *out = (*o)->slot[slot_of(s, w->index)];
    return out->fresh || out->offset != SHARD_EMPTY ? CEL_OK : CEL_ABSENT;
}

static int slot_size(const struct wanted *w, struct zarr_shard *s, uint64_t *size)
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

/* n bytes from offset of the chunk. What comes from the store is read without the
 * lock, and again if the shard was put meanwhile. */
static int read_slot(const struct wanted *w, struct zarr_shard *s, uint64_t offset, size_t n, void *dst)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct shard_slot slot;
    struct open_shard *o;
    unsigned long writes;
    bool later, again = true;
    int rc = store_key(w, s, &key);

    while (rc == CEL_OK && again) {
        cel_lock(&s->lock);
        rc = find_slot(w, s, &o, &slot);
        if (rc == CEL_OK && (offset > slot.nbytes || n > slot.nbytes - offset))
            rc = cel_fail(NC_EFILTER, "%s: a chunk of the shard is shorter than what it should hold", key.data);
        later = rc == CEL_OK && !slot.fresh && !s->after.n;
        if (rc == CEL_OK && !later)
            memcpy(dst, (slot.fresh ? slot.fresh : o->whole.data + slot.offset) + offset, n);
        writes = s->writes;
        cel_unlock(&s->lock);
        again = false;
        if (later) {
            rc = value_range(w, s, key.data, slot.offset + offset, n, dst);
            cel_lock(&s->lock);
            again = s->writes != writes;
            cel_unlock(&s->lock);
            rc = again ? CEL_OK : rc;
        }
    }
    cel_buf_dispose(&key);
    return rc;
}

static void keep_fresh(struct zarr_shard *s, struct open_shard *o, size_t at, char *bytes, size_t n)
{
    struct shard_slot *slot = &o->slot[at];

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

/* Too much waits: what is on its way to the store first, then the shard used longest ago. */
static int make_room(const struct wanted *w, struct zarr_shard *s, bool locked)
{
    size_t n, i;

    while (s->waiting > WAITING_MAX && s->nputting > 0)
        cel_cond_wait(&s->put_done, &s->lock);
    i = find_oldest(s, true, &n);
    return s->waiting > WAITING_MAX && n ? write_shard(w, s, s->open.at[i], locked) : CEL_OK;
}

/* The shard, once no other thread puts it. */
static int open_shard_to_change(const struct wanted *w, struct zarr_shard *s, struct open_shard **out)
{
    int rc = open_shard(w, s, out);

    while (rc == CEL_OK && (*out)->putting) {
        cel_cond_wait(&s->put_done, &s->lock);
        rc = open_shard(w, s, out); /* it may have been given up since */
    }
    return rc;
}

static int put_slot(const struct wanted *w, struct zarr_shard *s, const void *bytes, size_t n, enum turn turn)
{
    struct open_shard *o;
    char *copy = cel_memdup(bytes, n);
    bool complete;
    int rc;

    if (!copy)
        return NC_ENOMEM;
    cel_lock(&s->lock);
    rc = open_shard_to_change(w, s, &o);
    if (rc == CEL_OK)
        keep_fresh(s, o, slot_of(s, w->index), copy, n);
    else
        free(copy);
    complete = rc == CEL_OK && o->nfresh == s->nslots;
    if (complete && turn == TURN_WAIT && !s->outer) /* within another shard, that one's turn decides */
        rc = put_complete(w, s, o);
    else if (complete || (rc == CEL_OK && turn == TURN_SETTLE))
        rc = write_shard(w, s, o, turn != TURN_WAIT);
    else if (rc == CEL_OK)
        rc = make_room(w, s, turn != TURN_WAIT);
    cel_unlock(&s->lock);
    return rc;
}

/* --- for the array engine --------------------------------------------------------------------------------- */

static struct wanted wanted_of(struct cel_dataset *ds, struct cel_var *var, const size_t *index)
{
    return (struct wanted){zarr_of(ds), var->place, index};
}

int zarr_shard_get(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_buf *out)
{
    struct wanted w = wanted_of(ds, var, index);
    uint64_t size;
    int rc = slot_size(&w, w.a->shard, &size);

    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)size);
    return rc == CEL_OK ? read_slot(&w, w.a->shard, 0, out->len, out->data) : rc;
}

int zarr_shard_put(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded, size_t n)
{
    struct wanted w = wanted_of(ds, var, index);

    return put_slot(&w, w.a->shard, encoded, n, TURN_WAIT);
}

int zarr_shard_flush(struct cel_dataset *ds, struct cel_var *var)
{
    struct wanted w = wanted_of(ds, var, NULL);
    int rc = CEL_OK;

    for (struct zarr_shard *s = w.a->shard; s; s = s->outer) {
        cel_lock(&s->lock);
        while (s->nputting > 0)
            cel_cond_wait(&s->put_done, &s->lock);
        for (size_t i = 0; i < s->open.n; i++) {
            struct open_shard *o = s->open.at[i];
            int one = o->nfresh ? write_shard(&w, s, o, false) : CEL_OK;
            rc = rc == CEL_OK ? one : rc;
        }
        cel_unlock(&s->lock);
    }
    return rc;
}

void zarr_shard_free(struct zarr_shard *s)
{
    while (s) {
        struct zarr_shard *outer = s->outer;
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
