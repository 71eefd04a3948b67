/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ZARR_SHARD_INT_H
#define CEL_ZARR_SHARD_INT_H

/* Inside sharding_indexed: one level of shards. A shard is a value of the store or,
 * where shards lie within shards, a chunk of the level outside. Everything is asked
 * for by the index of an innermost chunk, the only chunks the array engine knows. */

#include "thread.h"
#include "zarr_int.h"

#define SHARD_EMPTY UINT64_MAX

/* One chunk in a shard's index. Fresh ones were written since the shard was last put. */
struct shard_slot {
    uint64_t offset, nbytes; /* both SHARD_EMPTY: not there */
    char *fresh;             /* waits here: nbytes bytes; else NULL */
    bool drafted;            /* fresh too: lies, or is about to, at offset in the draft */
};

/* A shard whose index is at hand. */
struct open_shard {
    size_t *at;                 /* its first innermost chunk, by array axes */
    char *key;                  /* of the value of the store it lies in */
    struct cel_store_mark mark; /* of that value as the index was read; not known: read it again */
    uint64_t size;              /* of the same value */
    struct shard_slot *slot;    /* zarr_shard.nslots of them */
    struct cel_buf whole;       /* its bytes, where codecs lie around the shard */
    size_t nwanted;             /* chunks that make it complete; SIZE_MAX: it has one that is no longer in the array */
    size_t nfresh;              /* fresh chunks ... */
    size_t fresh_bytes;         /* ... and how many bytes of them wait in memory */
    bool putting;               /* being put into the store, without the level's lock: not to be changed */
    struct cel_draft *draft;    /* the value to be, as far as its first chunks are there; NULL: none */
    size_t appended;            /* slots before this one have an offset in the draft ... */
    uint64_t end;               /* ... which ends here so far */
    size_t nwriting;            /* threads that write to the draft, without the level's lock */
    bool out_of_order;          /* no draft until the shard is put: its chunks come in no order */
    unsigned long used;         /* time of the last use, to choose the one to evict */
};

struct cel_zarr_shard {
    struct cel_zarr_shard *outer; /* these shards are its chunks; NULL: they are values of the store */
    int rank;
    int axis[CEL_RANK_MAX];     /* stored axis i of this level is array axis axis[i] */
    size_t per[CEL_RANK_MAX];   /* chunks along each stored axis of a shard */
    size_t len[CEL_RANK_MAX];   /* elements of one of these chunks along each array axis ... */
    size_t span[CEL_RANK_MAX];  /* ... and how many innermost chunks that is */
    size_t limit[CEL_RANK_MAX]; /* innermost chunks of the array along each of its axes; SIZE_MAX: it may grow ... */
    bool limited;               /* ... once they are known */
    size_t nslots;
    bool index_first, index_big;
    struct cel_chain index_chain;
    struct cel_chain after; /* around the whole shard; often none */
    struct cel_mutex lock;  /* guards all below; a level takes the outer one's within its own */
    struct cel_cond put_done;
    size_t nputting;     /* open shards on their way to the store, and threads writing to drafts */
    struct cel_vec open; /* struct open_shard * */
    unsigned long clock;
    unsigned long writes; /* counts shards put or being put: offsets noted before are of no use */
    size_t waiting;       /* bytes of fresh chunks in memory */
};

/* A value of the store as it was when an operation began. */
struct shard_view {
    struct cel_store_mark mark;
    uint64_t size;
    bool absent;
};

/* One innermost chunk of one array. */
struct shard_wanted {
    struct zarr *z;
    const struct cel_zarr_array *a;
    const size_t *index;
    const struct shard_view *view; /* NULL: the indices at hand will do, and the chunk is not read */
};

/* How far a chunk that is put goes. */
enum shard_turn {
    TURN_WAIT,   /* it may wait for its shard */
    TURN_LOCKED, /* the same; the store's lock is held */
    TURN_SETTLE  /* to the store at once; the lock is held */
};

static inline bool shard_slot_is_fresh(const struct shard_slot *slot)
{
    return slot->fresh || slot->drafted;
}

/* Slots at the edges whose chunks the array does not have. */
bool cel_zarr_slot_is_outside(const struct cel_zarr_shard *s, const struct open_shard *o, size_t slot);

/* No chunk is missing, and none is still being written to the draft. */
static inline bool shard_is_complete(const struct open_shard *o)
{
    return o->nfresh == o->nwanted && !o->nwriting;
}

/* zarr_shard.c; the level's lock is held. */
extern int cel_zarr_shard_tries; /* to read a shard that others replace meanwhile. A constant; tests change it */
int cel_zarr_shard_keeps_changing(const char *key); /* all of them failed */
int cel_zarr_shard_open(const struct shard_wanted *w, struct cel_zarr_shard *s,
                        struct open_shard **out); /* its index at hand; CEL_ABSENT: there is none */
int cel_zarr_shard_look(const struct shard_wanted *w, const char *key, struct shard_view *out);
int cel_zarr_shard_reload(const struct shard_wanted *w, struct cel_zarr_shard *s,
                          struct open_shard *o); /* what is not fresh */
int cel_zarr_shard_bytes(const struct shard_wanted *w, struct cel_zarr_shard *s, const char *key, struct cel_buf *out);
/* Takes the level's lock itself. */
int cel_zarr_shard_put_slot(const struct shard_wanted *w, struct cel_zarr_shard *s, const void *bytes, size_t n,
                            enum shard_turn turn);

/* zarr_shard_put.c: open shards to the store. The level's lock is held; complete: it is let go meanwhile. */
int cel_zarr_shard_write(const struct shard_wanted *any, struct cel_zarr_shard *s, struct open_shard *o, bool locked);
int cel_zarr_shard_put_complete(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o);
void cel_zarr_shard_forget_fresh(struct cel_zarr_shard *s, struct open_shard *o);

/* zarr_shard_draft.c: shards that grow in the store while their chunks come. */
extern size_t cel_zarr_draft_min; /* bytes that are worth a write. A constant; tests change it */
bool cel_zarr_draft_takes(const struct shard_wanted *w, const struct cel_zarr_shard *s, const struct open_shard *o,
                          size_t at, size_t n);
int cel_zarr_draft_add(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o, const void *bytes,
                       size_t n);
int cel_zarr_draft_add_waiting(const struct shard_wanted *w, struct cel_zarr_shard *s, struct open_shard *o);
int cel_zarr_draft_finish(const struct shard_wanted *w, const struct cel_zarr_shard *s, struct open_shard *o,
                          struct shard_slot *now);
int cel_zarr_draft_recall(struct cel_zarr_shard *s, struct open_shard *o);

/* zarr_shard_index.c: the index as bytes. */
size_t cel_zarr_index_size(const struct cel_zarr_shard *s);
int cel_zarr_index_decode(const struct cel_zarr_shard *s, const void *stored, uint64_t size, const char *key,
                          struct shard_slot *slot);
int cel_zarr_index_encode(const struct cel_zarr_shard *s, const struct shard_slot *slot,
                          struct cel_buf *out); /* appends */

#endif
