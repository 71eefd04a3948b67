#ifndef CEL_ZARR_SHARD_INT_H
#define CEL_ZARR_SHARD_INT_H

/* Inside sharding_indexed: one level of shards. A shard is a value of the store or,
 * where shards lie within shards, a chunk of the level outside. Everything is asked
 * for by the index of an innermost chunk, the only chunks the array engine knows. */

#include "thread.h"
#include "zarr_int.h"

#define SHARD_EMPTY UINT64_MAX

/* One chunk in a shard's index. */
struct shard_slot {
    uint64_t offset, nbytes; /* both SHARD_EMPTY: not there */
    char *fresh;             /* written since the shard was last put: nbytes bytes; else NULL */
};

/* A shard whose index is at hand. */
struct open_shard {
    size_t *at;              /* its first innermost chunk, by array axes */
    char *key;               /* of the value of the store it lies in */
    struct shard_slot *slot; /* zarr_shard.nslots of them */
    struct cel_buf whole;    /* its bytes, where codecs lie around the shard */
    size_t nfresh, fresh_bytes;
    bool putting;            /* on its way to the store, without the level's lock: not to be changed */
    unsigned long used;      /* for choosing the one to give up */
};

struct zarr_shard {
    struct zarr_shard *outer; /* these shards are its chunks; NULL: they are values of the store */
    int rank;
    int axis[NC_MAX_VAR_DIMS];    /* stored axis i of this level is array axis axis[i] */
    size_t per[NC_MAX_VAR_DIMS];  /* chunks along each stored axis of a shard */
    size_t len[NC_MAX_VAR_DIMS];  /* elements of one of these chunks along each array axis ... */
    size_t span[NC_MAX_VAR_DIMS]; /* ... and how many innermost chunks that is */
    size_t nslots;
    bool index_first, index_big;
    struct cel_chain index_chain;
    struct cel_chain after; /* around the whole shard; often none */
    struct cel_mutex lock;  /* guards all below; a level takes the outer one's within its own */
    struct cel_cond put_done;
    size_t nputting;        /* open shards on their way to the store */
    struct cel_vec open;    /* struct open_shard * */
    unsigned long clock;
    unsigned long writes;   /* counts shards put or being put: offsets noted before are of no use */
    size_t waiting;         /* bytes of fresh chunks */
};

/* zarr_shard_index.c: the index as bytes. */
size_t zarr_index_size(const struct zarr_shard *s);
int zarr_index_decode(const struct zarr_shard *s, const void *stored, uint64_t size, const char *key, struct shard_slot *slot);
int zarr_index_encode(const struct zarr_shard *s, const struct shard_slot *slot, struct cel_buf *out); /* appends */

#endif
