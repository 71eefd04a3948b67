/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks that other processes put into this process's store. Each chunk is a key, so no coordination is needed. A shard has one
 * writer, because only that knows where its next chunk goes; so has a zip archive. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>

struct cel_peer {
    struct zarr zarr; /* the store, and the prefix of its keys, alone */
};

bool cel_zarr_chunk_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                              size_t n)
{
    struct cel_zarr_array *a = var->priv;

    (void)ds, (void)at, (void)n;
    atomic_store(&a->changed, true);
    return !a->shard;
}

bool cel_zarr_chunk_lend(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at)
{
    const struct cel_zarr_array *a = var->priv;

    (void)ds, (void)at;
    return !a->shard;
}

int cel_zarr_peer_open(const struct cel_location *where, struct cel_peer **out)
{
    struct cel_peer *peer = where->is_directory ? cel_calloc(1, sizeof *peer) : NULL;
    int rc;

    if (!peer)
        return where->is_directory ? NC_ENOMEM : CEL_ABSENT;
    rc = cel_store_open_dir(where->path, CEL_STORE_WRITE, &peer->zarr.store);
    if (rc == CEL_OK) {
        rc = cel_zarr_find_root(&peer->zarr, where->path);
        cel_store_settle(peer->zarr.store);
    }
    if (rc == CEL_OK) {
        *out = peer;
        return CEL_OK;
    }
    cel_store_abandon(peer->zarr.store);
    free(peer);
    return CEL_ABSENT;
}

int cel_zarr_peer_read(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, struct cel_buf *out)
{
    (void)at;
    return cel_zarr_chunk_get(peer->zarr.store, var, index, out);
}

int cel_zarr_peer_write(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                        const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    (void)at;
    return cel_zarr_chunk_put(peer->zarr.store, var, index, encoded, n);
}

int cel_zarr_peer_sync(struct cel_peer *peer)
{
    return cel_store_sync(peer->zarr.store);
}

int cel_zarr_peer_close(struct cel_peer *peer)
{
    int rc = cel_zarr_peer_sync(peer), closed = cel_store_close(peer->zarr.store);

    free(peer);
    return rc == CEL_OK ? closed : rc;
}
