/* Chunks whose bytes other processes write: the one that has the file open through libhdf5 allocates them and hands out
 * their addresses, and the others need no more than a descriptor.
 *
 * What may be handed over is what goes to the file at once (h5_deferred.c): bytes behind the last sync, which belong to
 * nobody yet, and those of an unfiltered chunk that stays where it is. All else must pass through the deferred writes of
 * the one process. A write that fails elsewhere is done again there, so its rules for a full disk hold for all. */
#include "env.h"
#include "file.h"
#include "h5_int.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cel_peer {
    int fd;
};

bool cel_h5_chunk_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at, size_t n)
{
    struct cel_h5_io *io = cel_h5_file(ds)->io;

    (void)var;
    return cel_h5_io_defers(io) && cel_h5_deferred_is_free(io->deferred, at->address, n, at->in_place);
}

int cel_h5_peer_open(const struct cel_location *where, struct cel_peer **out)
{
    int fd = open(where->path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return CEL_ABSENT;
    *out = cel_malloc(sizeof **out);
    if (!*out) {
        close(fd);
        return NC_ENOMEM;
    }
    (*out)->fd = fd;
    return CEL_OK;
}

int cel_h5_peer_write(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    int e = cel_file_write(peer->fd, at->address, encoded, n);

    (void)var, (void)index;
    return e ? cel_fail(NC_EHDFERR, "writing %zu bytes at offset %llu: %s", n, (unsigned long long)at->address,
                        strerror(e))
             : CEL_OK;
}

int cel_h5_peer_sync(struct cel_peer *peer)
{
    return cel_env_fsync() && fsync(peer->fd) != 0
               ? cel_fail(NC_EHDFERR, "the file cannot be synchronised with the disk: %s", strerror(errno))
               : CEL_OK;
}

int cel_h5_peer_close(struct cel_peer *peer)
{
    int rc = cel_h5_peer_sync(peer);

    if (close(peer->fd) != 0 && rc == CEL_OK)
        rc = cel_fail(NC_EHDFERR, "the file could not be closed: %s", strerror(errno));
    free(peer);
    return rc;
}
