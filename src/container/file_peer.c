/* SPDX-License-Identifier: BSD-3-Clause */
/* What another process needs to write to a file that it does not keep, and to read it: a descriptor. */
#include "file_peer.h"
#include "env.h"
#include "file.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cel_peer {
    int fd;
};

int cel_file_peer_open(const struct cel_location *where, struct cel_peer **out)
{
    int fd = open(where->path, O_RDWR | O_CLOEXEC);

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

int cel_file_peer_write_at(struct cel_peer *peer, uint64_t address, const void *bytes, size_t n)
{
    int e = cel_file_write(peer->fd, address, bytes, n);

    return e ? cel_fail(NC_EIO, "writing %zu bytes at offset %llu: %s", n, (unsigned long long)address, strerror(e))
             : CEL_OK;
}

int cel_file_peer_read_at(struct cel_peer *peer, uint64_t address, void *bytes, size_t n)
{
    size_t done;
    int e = cel_file_read(peer->fd, address, bytes, n, &done);

    if (e)
        return cel_fail(NC_EIO, "reading %zu bytes at offset %llu: %s", n, (unsigned long long)address, strerror(e));
    memset((char *)bytes + done, 0, n - done);
    return CEL_OK;
}

int cel_file_peer_read(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, struct cel_buf *out)
{
    int rc = cel_buf_resize(out, at->nbytes);

    (void)var, (void)index;
    return rc == CEL_OK ? cel_file_peer_read_at(peer, at->address, out->data, at->nbytes) : rc;
}

int cel_file_peer_write(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                        const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    (void)var, (void)index;
    return cel_file_peer_write_at(peer, at->address, encoded, n);
}

int cel_file_peer_sync(struct cel_peer *peer)
{
    return cel_env_fsync() && fsync(peer->fd) != 0
               ? cel_fail(NC_EIO, "the file cannot be synchronised with the disk: %s", strerror(errno))
               : CEL_OK;
}

int cel_file_peer_close(struct cel_peer *peer)
{
    int rc = cel_file_peer_sync(peer);

    if (close(peer->fd) != 0 && rc == CEL_OK)
        rc = cel_fail(NC_EIO, "the file could not be closed: %s", strerror(errno));
    free(peer);
    return rc;
}
