/* sharding_indexed: many chunks in one value of the store, with an index of
 * (offset, length) pairs at its end or start.
 *
 * To the array engine a shard does not exist: the chunks of the variable are the
 * inner ones. Reading one reads the index (kept for the shards used last) and
 * that chunk's range. Written chunks wait here, encoded, until their shard is
 * complete, too much waits, or the variable is flushed; then the shard is put
 * together with what the store had of it and written as one value, so that no
 * chunk is lost and readers see the old shard or the new one. */
#include "mem.h"
#include "thread.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

enum { SHARDS_KEPT = 16 };
#define WAITING_MAX ((size_t)256 << 20)
#define EMPTY UINT64_MAX

/* One inner chunk in a shard's index. */
struct slot {
    uint64_t offset, nbytes; /* both EMPTY: not there */
    char *fresh;             /* written since the shard was last put: nbytes bytes; else NULL */
};

/* A shard whose index is at hand. */
struct open_shard {
    char *key;          /* NULL: free */
    struct slot *slot;  /* zarr_shard.nslots of them */
    size_t nfresh;
    size_t fresh_bytes;
    unsigned long used; /* for choosing the one to give up */
};

struct zarr_shard {
    int rank;
    size_t per[NC_MAX_VAR_DIMS]; /* inner chunks along each axis of a shard */
    size_t nslots;
    bool index_first;
    bool index_big;
    struct cel_chain index_chain;
    struct cel_mutex lock; /* guards all below */
    struct open_shard open[SHARDS_KEPT];
    unsigned long clock;
    size_t waiting; /* bytes of fresh chunks */
};

/* --- metadata ---------------------------------------------------------------------------- */

static int read_index_codecs(const struct cel_json *codecs, const struct zarr_array *a, struct zarr_shard *s)
{
    struct cel_shape shape = {.elem_size = 8, .kind = CEL_KIND_UINT, .nbytes = 16 * s->nslots};
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(codecs); i++) {
        const struct cel_json *codec = cel_json_item(codecs, i);
        const char *name = cel_json_string(cel_json_type(codec) == CEL_JSON_STRING ? codec : cel_json_get(codec, "name"), NULL);
        const char *endian = cel_json_string(cel_json_get(cel_json_get(codec, "configuration"), "endian"), NULL);
        struct cel_step step = {0};
        if (name && strcmp(name, "bytes") == 0) {
            s->index_big = endian && strcmp(endian, "big") == 0;
            continue;
        }
        rc = cel_step_from_json(codec, 3, &step);
        if (rc == CEL_OK && (!step.codec || !(step.codec->flags & (CEL_CODEC_CHECKSUM | CEL_CODEC_SAME_SIZE)))) {
            cel_step_dispose(&step);
            return zarr_bad(a->path, "/codecs/0/configuration/index_codecs", "'%s' has no fixed size", name ? name : "");
        }
        if (rc == CEL_OK)
            rc = cel_chain_insert(&s->index_chain, SIZE_MAX, &step);
    }
    return rc == CEL_OK ? cel_chain_prepare(&s->index_chain, &shape, false) : rc;
}

static int read_shape(const struct cel_json *config, const struct zarr_array *a, struct zarr_shard *s, struct zarr_facts *facts)
{
    static const char pointer[] = "/codecs/0/configuration/chunk_shape";
    size_t inner[NC_MAX_VAR_DIMS];
    int n, rc = zarr_lengths(a->path, pointer, cel_json_get(config, "chunk_shape"), 1, &n, inner);

    if (rc == CEL_OK && n != facts->rank)
        return zarr_bad(a->path, pointer, "has %d lengths, the array has %d axes", n, facts->rank);
    s->rank = facts->rank;
    s->nslots = 1;
    for (int i = 0; rc == CEL_OK && i < n; i++) {
        if (facts->chunk[i] % inner[i])
            return zarr_bad(a->path, pointer, "%zu does not divide the shard's %zu", inner[i], facts->chunk[i]);
        s->per[i] = facts->chunk[i] / inner[i];
        if (!cel_mul(s->nslots, s->per[i], &s->nslots) || s->nslots > (size_t)1 << 28)
            return zarr_bad(a->path, pointer, "makes more chunks in a shard than can be indexed");
    }
    if (rc == CEL_OK)
        memcpy(facts->chunk, inner, (size_t)n * sizeof *inner);
    return rc;
}

int zarr_shard_read(const struct cel_json *config, struct zarr_array *a, struct zarr_facts *facts)
{
    const char *location = cel_json_string(cel_json_get(config, "index_location"), NULL);
    struct zarr_shard *s = a->shard = cel_calloc(1, sizeof *s);
    int rc;

    if (!s)
        return NC_ENOMEM;
    cel_mutex_init(&s->lock);
    if (location && strcmp(location, "start") != 0 && strcmp(location, "end") != 0)
        return zarr_bad(a->path, "/codecs/0/configuration/index_location", "must be \"start\" or \"end\"");
    s->index_first = location && strcmp(location, "start") == 0;
    rc = read_shape(config, a, s, facts);
    if (rc == CEL_OK)
        rc = read_index_codecs(cel_json_get(config, "index_codecs"), a, s);
    facts->in_shard = true;
    if (rc == CEL_OK)
        rc = zarr_v3_codecs(cel_json_get(config, "codecs"), a, facts);
    facts->in_shard = false;
    return rc;
}

/* --- the index -------------------------------------------------------------------------------- */

static uint64_t get_u64(const unsigned char *p, bool big)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | p[big ? i : 7 - i];
    return v;
}

static void put_u64(unsigned char *p, uint64_t v, bool big)
{
    for (int i = 0; i < 8; i++, v >>= 8)
        p[big ? 7 - i : i] = (unsigned char)v;
}

static size_t index_size(const struct zarr_shard *s)
{
    return cel_chain_bound(&s->index_chain);
}

static int parse_index(const struct zarr_shard *s, const unsigned char *raw, uint64_t size, const char *key, struct slot *slot)
{
    for (size_t i = 0; i < s->nslots; i++) {
        slot[i].offset = get_u64(raw + 16 * i, s->index_big);
        slot[i].nbytes = get_u64(raw + 16 * i + 8, s->index_big);
        if (slot[i].offset == EMPTY && slot[i].nbytes == EMPTY)
            continue;
        if (slot[i].offset > size || slot[i].nbytes > size - slot[i].offset)
            return cel_fail(NC_EFILTER, "%s: entry %zu of the shard's index points outside the shard", key, i);
    }
    return CEL_OK;
}

static int load_index(struct zarr *z, const struct zarr_shard *s, const char *key, struct slot *slot)
{
    struct cel_scratch *scratch = NULL;
    size_t n = index_size(s);
    unsigned char *stored = cel_malloc(n), *raw = cel_malloc(16 * s->nslots);
    uint64_t size;
    int rc = stored && raw ? cel_store_size(z->store, key, &size) : NC_ENOMEM;

    for (size_t i = 0; i < s->nslots; i++)
        slot[i] = (struct slot){EMPTY, EMPTY, NULL};
    if (rc == CEL_OK && size < n)
        rc = cel_fail(NC_EFILTER, "%s: the shard is shorter than its index", key);
    if (rc == CEL_OK)
        rc = cel_store_get_range(z->store, key, s->index_first ? 0 : size - n, n, stored);
    if (rc == CEL_OK)
        rc = cel_scratch_make(&scratch);
    if (rc == CEL_OK) {
        rc = cel_chain_decode(&s->index_chain, scratch, stored, n, 0, raw);
        if (rc != CEL_OK)
            cel_fail_in(rc, "%s: the shard's index", key);
    }
    if (rc == CEL_OK)
        rc = parse_index(s, raw, size, key, slot);
    cel_scratch_free(scratch);
    free(stored);
    free(raw);
    return rc == CEL_ABSENT ? CEL_OK : rc; /* no shard yet: all empty */
}

/* --- putting a shard together ---------------------------------------------------------------------- */

static int encode_index(const struct zarr_shard *s, const struct slot *slot, struct cel_buf *out)
{
    unsigned char *raw = cel_malloc(16 * s->nslots);
    struct cel_scratch *scratch = NULL;
    const void *encoded;
    uint32_t skipped;
    size_t n;
    int rc = raw ? cel_scratch_make(&scratch) : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++) {
        put_u64(raw + 16 * i, slot[i].offset, s->index_big);
        put_u64(raw + 16 * i + 8, slot[i].nbytes, s->index_big);
    }
    if (rc == CEL_OK)
        rc = cel_chain_encode(&s->index_chain, scratch, raw, 16 * s->nslots, &encoded, &n, &skipped);
    if (rc == CEL_OK && s->index_first)
        memcpy(out->data, encoded, n);
    else if (rc == CEL_OK)
        rc = cel_buf_add(out, encoded, n);
    cel_scratch_free(scratch);
    free(raw);
    return rc;
}

/* The bytes of every chunk that stays, one after the other; now[] gets their new places. */
static int gather_chunks(const struct zarr_shard *s, const struct open_shard *o, const struct cel_buf *old, struct slot *now,
                         struct cel_buf *out)
{
    int rc = s->index_first ? cel_buf_resize(out, index_size(s)) : CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++) {
        const struct slot *slot = &o->slot[i];
        now[i] = (struct slot){EMPTY, EMPTY, NULL};
        if (!slot->fresh && slot->offset == EMPTY)
            continue;
        if (!slot->fresh && (slot->offset > old->len || slot->nbytes > old->len - slot->offset))
            return cel_fail(NC_EFILTER, "%s: the shard was changed by someone else while it was written here", o->key);
        now[i].offset = out->len;
        now[i].nbytes = slot->nbytes;
        rc = cel_buf_add(out, slot->fresh ? slot->fresh : old->data + slot->offset, (size_t)slot->nbytes);
    }
    return rc;
}

static void forget_fresh(struct zarr_shard *s, struct open_shard *o)
{
    for (size_t i = 0; o->slot && i < s->nslots; i++) {
        free(o->slot[i].fresh);
        o->slot[i].fresh = NULL;
    }
    s->waiting -= o->fresh_bytes;
    o->fresh_bytes = o->nfresh = 0;
}

/* What the store has of the shard now: other processes may have written other
 * chunks of it since its index was read. */
static int refresh(struct zarr *z, struct zarr_shard *s, struct open_shard *o, struct slot *now, struct cel_buf *old)
{
    int rc = load_index(z, s, o->key, now);

    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++)
        if (!o->slot[i].fresh)
            o->slot[i] = now[i];
    if (rc == CEL_OK)
        rc = cel_store_get(z->store, o->key, old);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int write_shard(struct zarr *z, struct zarr_shard *s, struct open_shard *o)
{
    struct cel_buf old = CEL_BUF_INIT(SIZE_MAX), out = CEL_BUF_INIT(SIZE_MAX);
    struct slot *now = cel_calloc(s->nslots, sizeof *now);
    int lock = -1, rc = now ? cel_store_lock(z->store, &lock) : NC_ENOMEM;

    if (rc == CEL_OK && o->nfresh < s->nslots)
        rc = refresh(z, s, o, now, &old);
    if (rc == CEL_OK)
        rc = gather_chunks(s, o, &old, now, &out);
    if (rc == CEL_OK)
        rc = encode_index(s, now, &out);
    if (rc == CEL_OK)
        rc = cel_store_put(z->store, o->key, out.data, out.len);
    if (rc == CEL_OK) {
        forget_fresh(s, o);
        memcpy(o->slot, now, s->nslots * sizeof *now);
    }
    cel_store_unlock(lock);
    free(now);
    cel_buf_dispose(&old);
    cel_buf_dispose(&out);
    return rc;
}

/* --- open shards ------------------------------------------------------------------------------------- */

static void close_shard(struct zarr_shard *s, struct open_shard *o)
{
    forget_fresh(s, o);
    free(o->key);
    free(o->slot);
    *o = (struct open_shard){0};
}

/* A free place, or that of the shard used longest ago, written first if need be. */
static int make_room(struct zarr *z, struct zarr_shard *s, struct open_shard **out)
{
    struct open_shard *oldest = &s->open[0];
    int rc = CEL_OK;

    for (size_t i = 0; i < SHARDS_KEPT; i++)
        if (!s->open[i].key || (oldest->key && s->open[i].used < oldest->used))
            oldest = &s->open[i];
    if (oldest->nfresh)
        rc = write_shard(z, s, oldest);
    if (rc == CEL_OK)
        close_shard(s, oldest);
    *out = oldest;
    return rc;
}

static int open_shard(struct zarr *z, struct zarr_shard *s, const char *key, struct open_shard **out)
{
    int rc;

    for (size_t i = 0; i < SHARDS_KEPT; i++)
        if (s->open[i].key && strcmp(s->open[i].key, key) == 0) {
            *out = &s->open[i];
            (*out)->used = ++s->clock;
            return CEL_OK;
        }
    rc = make_room(z, s, out);
    if (rc != CEL_OK)
        return rc;
    (*out)->key = cel_strdup(key);
    (*out)->slot = cel_malloc_array(s->nslots, sizeof *(*out)->slot);
    rc = (*out)->key && (*out)->slot ? load_index(z, s, key, (*out)->slot) : NC_ENOMEM;
    (*out)->used = ++s->clock;
    if (rc != CEL_OK) {
        free((*out)->key);
        free((*out)->slot);
        **out = (struct open_shard){0};
    }
    return rc;
}

/* The shard an inner chunk lies in, and its place there. */
static int locate(const struct cel_var *var, const size_t *index, struct cel_buf *key, size_t *slot)
{
    const struct zarr_array *a = var->place;
    const struct zarr_shard *s = a->shard;
    size_t at[NC_MAX_VAR_DIMS];

    *slot = 0;
    for (int i = 0; i < s->rank; i++) {
        at[i] = index[i] / s->per[i];
        *slot = *slot * s->per[i] + index[i] % s->per[i];
    }
    return zarr_chunk_key(a, s->rank, at, key);
}

int zarr_shard_get(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_buf *out)
{
    struct zarr *z = zarr_of(ds);
    struct zarr_shard *s = ((struct zarr_array *)var->place)->shard;
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct open_shard *o;
    struct slot slot = {EMPTY, EMPTY, NULL};
    size_t at;
    int rc = locate(var, index, &key, &at);

    cel_lock(&s->lock);
    if (rc == CEL_OK)
        rc = open_shard(z, s, key.data, &o);
    if (rc == CEL_OK) {
        slot = o->slot[at];
        rc = slot.fresh || slot.offset != EMPTY ? cel_buf_resize(out, (size_t)slot.nbytes) : CEL_ABSENT;
    }
    if (rc == CEL_OK && slot.fresh)
        memcpy(out->data, slot.fresh, (size_t)slot.nbytes);
    cel_unlock(&s->lock);
    if (rc == CEL_OK && !slot.fresh)
        rc = cel_store_get_range(z->store, key.data, slot.offset, (size_t)slot.nbytes, out->data);
    cel_buf_dispose(&key);
    return rc;
}

static int keep_fresh(struct zarr_shard *s, struct open_shard *o, size_t at, const void *encoded, size_t n)
{
    struct slot *slot = &o->slot[at];
    char *copy = cel_memdup(encoded, n);

    if (!copy)
        return NC_ENOMEM;
    if (slot->fresh) {
        o->fresh_bytes -= (size_t)slot->nbytes;
        s->waiting -= (size_t)slot->nbytes;
        free(slot->fresh);
    } else {
        o->nfresh++;
    }
    slot->fresh = copy;
    slot->nbytes = n;
    o->fresh_bytes += n;
    s->waiting += n;
    return CEL_OK;
}

int zarr_shard_put(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded, size_t n)
{
    struct zarr *z = zarr_of(ds);
    struct zarr_shard *s = ((struct zarr_array *)var->place)->shard;
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct open_shard *o;
    size_t at;
    int rc = locate(var, index, &key, &at);

    cel_lock(&s->lock);
    if (rc == CEL_OK)
        rc = open_shard(z, s, key.data, &o);
    if (rc == CEL_OK)
        rc = keep_fresh(s, o, at, encoded, n);
    if (rc == CEL_OK && (o->nfresh == s->nslots || s->waiting > WAITING_MAX))
        rc = write_shard(z, s, o);
    cel_unlock(&s->lock);
    cel_buf_dispose(&key);
    return rc;
}

int zarr_shard_flush(struct cel_dataset *ds, struct cel_var *var)
{
    struct zarr_shard *s = ((struct zarr_array *)var->place)->shard;
    int rc = CEL_OK;

    cel_lock(&s->lock);
    for (size_t i = 0; i < SHARDS_KEPT; i++)
        if (s->open[i].key && s->open[i].nfresh) {
            int one = write_shard(zarr_of(ds), s, &s->open[i]);
            rc = rc == CEL_OK ? one : rc;
        }
    cel_unlock(&s->lock);
    return rc;
}

void zarr_shard_free(struct zarr_shard *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < SHARDS_KEPT; i++)
        close_shard(s, &s->open[i]);
    cel_chain_dispose(&s->index_chain);
    cel_mutex_dispose(&s->lock);
    free(s);
}
