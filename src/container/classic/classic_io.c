/* Bytes of a classic file: in a file by pread and pwrite, or in memory. */
#include "classic_int.h"
#include "mem.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOVE_BLOCK = 1 << 20 };

static int too_short(const struct classic_io *io, uint64_t at, size_t n)
{
    return cel_fail(NC_EIO, "the file is truncated: it has %llu bytes, and %zu are needed from byte %llu on",
                    (unsigned long long)io->size, n, (unsigned long long)at);
}

int classic_io_read(struct classic_io *io, uint64_t at, void *dst, size_t n)
{
    char *to = dst;

    if (at > io->size || n > io->size - at)
        return too_short(io, at, n);
    if (io->fd < 0) {
        if (n)
            memcpy(dst, io->mem.data + at, n);
        return CEL_OK;
    }
    while (n > 0) {
        ssize_t got = pread(io->fd, to, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cel_fail(NC_EIO, "cannot read byte %llu: %s", (unsigned long long)at, strerror(errno));
        if (got == 0)
            return too_short(io, at, n);
        to += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return CEL_OK;
}

static int write_memory(struct classic_io *io, uint64_t at, const void *src, size_t n)
{
    size_t end, old = io->mem.len;
    int rc;

    if (!cel_add((size_t)at, n, &end))
        return cel_fail(NC_ENOMEM, "the file does not fit in memory");
    if (end > old) {
        if (io->borrowed)
            return cel_fail(NC_EINMEMORY, "the memory this file was opened in cannot grow");
        rc = cel_buf_resize(&io->mem, end);
        if (rc != CEL_OK)
            return rc;
        memset(io->mem.data + old, 0, end - old);
    }
    if (n)
        memcpy(io->mem.data + at, src, n);
    io->size = io->mem.len;
    return CEL_OK;
}

int classic_io_write(struct classic_io *io, uint64_t at, const void *src, size_t n)
{
    const char *from = src;

    if (io->fd < 0)
        return write_memory(io, at, src, n);
    while (n > 0) {
        ssize_t put = pwrite(io->fd, from, n, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cel_fail(errno == ENOSPC ? ENOSPC : NC_EIO, "cannot write at byte %llu: %s", (unsigned long long)at,
                            strerror(errno));
        from += put;
        at += (uint64_t)put;
        n -= (size_t)put;
        if (at > io->size)
            io->size = at;
    }
    return CEL_OK;
}

/* Forwards when moving down, backwards when moving up, so that nothing is
 * overwritten before it is copied. */
int classic_io_move(struct classic_io *io, uint64_t from, uint64_t to, uint64_t n)
{
    char *block = n && from != to ? cel_malloc(MOVE_BLOCK) : NULL;
    uint64_t done = 0;
    int rc = CEL_OK;

    if (!n || from == to)
        return CEL_OK;
    if (!block)
        return NC_ENOMEM;
    if (n > (from < io->size ? io->size - from : 0)) /* written in no-fill mode: not there in full */
        n = from < io->size ? io->size - from : 0;
    while (rc == CEL_OK && done < n) {
        size_t part = n - done < MOVE_BLOCK ? (size_t)(n - done) : MOVE_BLOCK;
        uint64_t at = to > from ? n - done - part : done;
        rc = classic_io_read(io, from + at, block, part);
        if (rc == CEL_OK)
            rc = classic_io_write(io, to + at, block, part);
        done += part;
    }
    free(block);
    return rc;
}

int classic_io_grow(struct classic_io *io, uint64_t size)
{
    if (size <= io->size)
        return CEL_OK;
    if (io->fd < 0)
        return write_memory(io, size - 1, "", 1);
    if (ftruncate(io->fd, (off_t)size) != 0)
        return cel_fail(NC_EIO, "cannot make the file %llu bytes long: %s", (unsigned long long)size, strerror(errno));
    io->size = size;
    return CEL_OK;
}
