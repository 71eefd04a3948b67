/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of one HDF5 file, in a file of the system or in memory. libhdf5 moves them through our driver
 * (h5_driver.c), and we move the bytes of chunks around it, from any thread.
 *
 *   libhdf5 -- h5_driver.c --+
 *                            +-- h5_io.c --+-- memory
 *   chunks  -- h5_chunk.c ---+             +-- h5_deferred.c -- the file
 *
 * How long the file is (eof) is what libhdf5 believes. The file itself gets that length with the next sync, and bytes
 * that were given out but not written read as zeros until then.
 *
 * A child after fork() shares the open file but has a copy of libhdf5's metadata of its own, which is stale: a process
 * that did not open the file does not write it. */
#include "fork.h"
#include "h5_int.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* --- as a source, for h5_read.h ------------------------------------------------------------ */

static int source_size(struct cel_source *s, uint64_t *size)
{
    *size = ((const struct cel_h5_io *)s)->eof;
    return CEL_OK;
}

static int source_read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    uint64_t eof = ((const struct cel_h5_io *)s)->eof;

    if (offset > eof || n > eof - offset)
        return CEL_BEYOND_END;
    return cel_h5_io_read((struct cel_h5_io *)s, offset, dst, n);
}

/* Of a local file the system reads ahead by itself. */
static void source_want(struct cel_source *s, const struct cel_range *range, size_t nranges)
{
    struct cel_source *remote = ((const struct cel_h5_io *)s)->remote;

    if (remote)
        cel_source_want(remote, range, nranges);
}

static int source_close(struct cel_source *s)
{
    int e = cel_h5_io_release((struct cel_h5_io *)s);

    return e ? cel_fail(NC_EHDFERR, "cannot close the file: %s", strerror(e)) : CEL_OK;
}

static const struct cel_source_ops source_ops = {
    .size = source_size, .read_at = source_read_at, .want = source_want, .close = source_close};

/* --- its life ------------------------------------------------------------------------------ */

int cel_h5_io_make(const char *path, struct cel_h5_io **out)
{
    struct cel_h5_io *io = cel_calloc(1, sizeof *io);

    if (!io || !(io->path = cel_strdup(path))) {
        free(io);
        return NC_ENOMEM;
    }
    io->source.ops = &source_ops;
    io->fd = -1;
    io->owner = cel_process();
    io->refs = 1;
    cel_mutex_init(&io->lock);
    *out = io;
    return CEL_OK;
}

static int add_ref(struct cel_h5_io *io, int n)
{
    cel_lock(&io->lock);
    n = io->refs += n;
    assert(n >= 0);
    cel_unlock(&io->lock);
    return n;
}

void cel_h5_io_retain(struct cel_h5_io *io)
{
    add_ref(io, 1);
}

int cel_h5_io_set_file(struct cel_h5_io *io, int fd)
{
    int rc;

    io->fd = fd;
    rc = cel_h5_deferred_get(fd, &io->deferred);
    if (rc == CEL_OK && io->writable)
        atomic_store(&io->deferred->written, true);
    return rc;
}

/* Only the process that took the lock may let it go. */
void cel_h5_io_unlock(struct cel_h5_io *io)
{
    if (io->fd >= 0 && io->owner == cel_process())
        flock(io->fd, LOCK_UN);
}

/* A child forked meanwhile has the file open too, and would keep its lock. */
static int close_fd(struct cel_h5_io *io)
{
    cel_h5_io_unlock(io);
    return close(io->fd) != 0 && errno != EINTR ? errno : 0;
}

int cel_h5_io_release(struct cel_h5_io *io)
{
    int e = 0;

    if (!io || add_ref(io, -1) > 0)
        return 0;
    if (io->deferred)
        cel_h5_deferred_release(io->deferred);
    if (io->fd >= 0)
        e = close_fd(io);
    cel_source_close(io->remote);
    if (!io->fixed)
        free(io->data);
    free(io->path);
    free(io->folder);
    free(io->real_folder);
    cel_mutex_dispose(&io->lock);
    free(io);
    return e;
}

bool cel_h5_io_is_parents(const struct cel_h5_io *io)
{
    return io->writable && io->owner != cel_process();
}

/* At least `end` bytes in memory; new ones are zero. Under io->lock. */
static int grow(struct cel_h5_io *io, uint64_t end)
{
    size_t cap;
    char *data;

    if (end <= io->cap)
        return 0;
    if (io->fixed)
        return ENOSPC;
    cap = io->cap + io->cap / 2 > end ? io->cap + io->cap / 2 : (size_t)end + 65536;
    data = cel_realloc(io->data, cap, 1);
    if (!data)
        return ENOMEM;
    memset(data + io->cap, 0, cap - io->cap);
    io->data = data;
    io->cap = cap;
    return 0;
}

static int read_memory(struct cel_h5_io *io, uint64_t addr, void *data, size_t n, size_t *moved)
{
    cel_lock(&io->lock);
    *moved = addr >= io->eof ? 0 : io->eof - addr < n ? (size_t)(io->eof - addr) : n;
    if (addr >= io->cap)
        *moved = 0;
    else if (*moved > io->cap - addr)
        *moved = (size_t)(io->cap - addr);
    if (*moved)
        memcpy(data, io->data + addr, *moved);
    cel_unlock(&io->lock);
    return 0;
}

static int write_memory(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n)
{
    int e;

    cel_lock(&io->lock);
    e = grow(io, addr + n);
    if (!e)
        memcpy(io->data + addr, data, n);
    cel_unlock(&io->lock);
    return e;
}

/* What went wrong has text, which the caller may lose: the driver knows numbers alone. */
static int read_remote(struct cel_h5_io *io, uint64_t addr, void *data, size_t n, size_t *moved)
{
    *moved = addr >= io->eof ? 0 : io->eof - addr < n ? (size_t)(io->eof - addr) : n;
    return cel_source_read_at(io->remote, addr, data, *moved) == CEL_OK ? 0 : EIO;
}

int cel_h5_io_pread(struct cel_h5_io *io, uint64_t addr, void *data, size_t n, size_t *moved)
{
    if (io->remote)
        return read_remote(io, addr, data, n, moved);
    return io->deferred ? cel_h5_deferred_read(io->deferred, io->fd, addr, data, n, moved)
                        : read_memory(io, addr, data, n, moved);
}

int cel_h5_io_pwrite(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n, bool in_place)
{
    return io->deferred ? cel_h5_deferred_write(io->deferred, io->fd, addr, data, n, in_place)
                        : write_memory(io, addr, data, n);
}

static void set_end(struct cel_h5_io *io, uint64_t end)
{
    io->eof = end;
    if (io->deferred)
        io->deferred->end = end;
}

void cel_h5_io_extend(struct cel_h5_io *io, uint64_t end)
{
    cel_lock(&io->lock);
    if (end > io->eof)
        set_end(io, end);
    cel_unlock(&io->lock);
}

int cel_h5_io_truncate(struct cel_h5_io *io, uint64_t end)
{
    int e = 0;

    cel_lock(&io->lock);
    if (io->fd < 0)
        e = grow(io, end);
    if (!e)
        set_end(io, end);
    cel_unlock(&io->lock);
    return e;
}

int cel_h5_io_empty(struct cel_h5_io *io)
{
    if (io->fd >= 0 && ftruncate(io->fd, 0) != 0)
        return errno;
    if (io->data)
        memset(io->data, 0, io->cap);
    set_end(io, 0);
    if (io->deferred)
        io->deferred->synced = 0;
    io->emptied = true;
    return 0;
}

int cel_h5_io_read(struct cel_h5_io *io, uint64_t addr, void *data, size_t n)
{
    size_t moved;
    int e = cel_h5_io_pread(io, addr, data, n, &moved);

    if (e && io->remote && cel_error_code())
        return cel_error_code();
    if (e)
        return cel_fail(NC_EHDFERR, "reading %zu bytes at offset %llu: %s", n, (unsigned long long)addr, strerror(e));
    if (moved < n && !io->writable)
        return cel_fail(NC_EHDFERR, "the file ends within the %zu bytes at offset %llu: it is truncated", n,
                        (unsigned long long)addr);
    if (moved < n)
        memset((char *)data + moved, 0, n - moved); /* allocated in this session, not written yet */
    return CEL_OK;
}

int cel_h5_io_write(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n, bool in_place)
{
    int e;

    if (cel_h5_io_is_parents(io))
        return cel_fail(NC_EPERM, "the file was opened before fork(): only the parent process may write it");
    e = cel_h5_io_pwrite(io, addr, data, n, in_place);
    if (e)
        return cel_fail(e == ENOMEM ? NC_ENOMEM : NC_EHDFERR, "writing %zu bytes at offset %llu: %s", n,
                        (unsigned long long)addr, strerror(e));
    return CEL_OK;
}

bool cel_h5_io_is_synced(const struct cel_h5_io *io, uint64_t addr)
{
    return io->deferred && addr < io->deferred->synced;
}

unsigned cel_h5_io_faults(struct cel_h5_io *io, int *e)
{
    unsigned n;

    if (!io->deferred)
        return 0;
    cel_lock(&io->deferred->lock);
    n = io->deferred->faults;
    *e = io->deferred->fault;
    cel_unlock(&io->deferred->lock);
    return n;
}

bool cel_h5_io_defers(const struct cel_h5_io *io)
{
    return io->deferred && io->writable && !cel_h5_io_is_parents(io);
}

int cel_h5_io_commit(struct cel_h5_io *io)
{
    return cel_h5_io_defers(io) ? cel_h5_commit(io->deferred, io->fd) : CEL_OK;
}
