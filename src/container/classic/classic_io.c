/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a classic file. They are read from a source, and written to a file or to memory that grows. Short writes
 * to a file are staged as long as each begins where, or before, the last ended; short reads near one another share
 * a page, read once. */
#include "classic_int.h"
#include "file.h"
#include "mem.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOVE_BLOCK = 1 << 20, STAGING_SIZE = 64 << 10, SHORT = 4 << 10, PAGE = 8 << 10 };

static int too_short(const struct cel_classic_io *io, uint64_t at, size_t n)
{
    return cel_fail(NC_EIO, "the file is truncated: it has %llu bytes, and %zu are needed from byte %llu on",
                    (unsigned long long)io->size, n, (unsigned long long)at);
}

static int read_source(const struct cel_classic_io *io, uint64_t at, void *dst, size_t n)
{
    int rc = cel_source_read_at(io->source, at, dst, n);

    return rc == CEL_BEYOND_END ? too_short(io, at, n) : rc;
}

/* The page that holds [at, at + n) for a second read near the first; one alone, or one
 * of many far apart, is not worth it. */
static bool turn_page(const struct cel_classic_io *io, struct cel_classic_page *page, uint64_t at, size_t n)
{
    bool again = page->last == at / PAGE;

    if (page->len && at >= page->at && at + n <= page->at + page->len)
        return true;
    page->last = at / PAGE;
    if (!again || (!page->data && !(page->data = cel_malloc(PAGE))))
        return false;
    page->at = at + n <= (at / PAGE + 1) * PAGE ? at / PAGE * PAGE : at;
    page->len = io->size - page->at < PAGE ? (size_t)(io->size - page->at) : PAGE;
    if (read_source(io, page->at, page->data, page->len) != CEL_OK)
        page->len = 0;
    return page->len > 0;
}

static int read_short(struct cel_classic_io *io, uint64_t at, void *dst, size_t n)
{
    struct cel_classic_page *page = &io->page;
    bool there;

    if (!io->writable) /* else the file's own lock is held */
        cel_lock(&page->lock);
    there = turn_page(io, page, at, n);
    if (there)
        memcpy(dst, page->data + (at - page->at), n);
    if (!io->writable)
        cel_unlock(&page->lock);
    return there ? CEL_OK : read_source(io, at, dst, n);
}

void cel_classic_io_forget(struct cel_classic_io *io)
{
    if (!io->writable)
        cel_lock(&io->page.lock);
    io->page.len = 0;
    if (!io->writable)
        cel_unlock(&io->page.lock);
}

int cel_classic_io_read(struct cel_classic_io *io, uint64_t at, void *dst, size_t n)
{
    if (at > io->size || n > io->size - at)
        return too_short(io, at, n);
    if (io->staging.len) { /* it may be what makes the file as long as it is */
        int rc = cel_classic_io_flush(io);
        if (rc != CEL_OK)
            return rc;
    }
    if (!io->source) {
        assert(io->in_memory && io->mem.len >= io->size);
        if (n)
            memcpy(dst, io->mem.data + at, n);
        return CEL_OK;
    }
    return !io->in_memory && n <= SHORT ? read_short(io, at, dst, n) : read_source(io, at, dst, n);
}

const char *cel_classic_io_peek(const struct cel_classic_io *io, uint64_t at, size_t n)
{
    const struct cel_classic_page *page = &io->page;

    if (io->staging.len || io->in_memory || at < page->at || at + n > page->at + page->len)
        return NULL;
    return page->data + (at - page->at);
}

int cel_classic_io_read_over(struct cel_classic_io *io, uint64_t at, void *dst, size_t n)
{
    size_t there = at >= io->size ? 0 : n < io->size - at ? n : (size_t)(io->size - at);

    memset((char *)dst + there, 0, n - there);
    return there ? cel_classic_io_read(io, at, dst, there) : CEL_OK;
}

static int write_memory(struct cel_classic_io *io, uint64_t at, const void *src, size_t n)
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

int cel_classic_io_write_part(const struct cel_classic_io *io, uint64_t at, const void *src, size_t n)
{
    int e;

    assert(io->fd >= 0);
    e = cel_file_write(io->fd, at, src, n);
    return e ? cel_fail(e == ENOSPC ? ENOSPC : NC_EIO, "cannot write at byte %llu: %s", (unsigned long long)at,
                        strerror(e))
             : CEL_OK;
}

/* What could not be written stays, so that closing the file fails too. Where nothing is staged,
 * nothing is changed: threads that read a file opened for reading share it without a lock. */
int cel_classic_io_flush(struct cel_classic_io *io)
{
    int rc;

    if (!io->staging.len)
        return CEL_OK;
    rc = cel_classic_io_write_part(io, io->staging.at, io->staging.data, io->staging.len);
    if (rc == CEL_OK)
        io->staging.len = 0;
    return rc;
}

char *cel_classic_io_poke(struct cel_classic_io *io, uint64_t at, size_t n)
{
    struct cel_classic_staging *staging = &io->staging;
    uint64_t within = at - staging->at;

    if (!staging->len || at < staging->at || within > staging->len || within + n > STAGING_SIZE)
        return NULL;
    io->page.len = 0;
    if (within + n > staging->len)
        staging->len = (size_t)within + n;
    if (at + n > io->size)
        io->size = at + n;
    return staging->data + within;
}

static int stage_write(struct cel_classic_io *io, uint64_t at, const void *src, size_t n)
{
    struct cel_classic_staging *staging = &io->staging;
    char *there = cel_classic_io_poke(io, at, n);
    int rc;

    if (there) {
        memcpy(there, src, n);
        return CEL_OK;
    }
    if (!staging->data && !(staging->data = cel_malloc(STAGING_SIZE)))
        return NC_ENOMEM;
    rc = cel_classic_io_flush(io);
    if (rc != CEL_OK)
        return rc;
    staging->at = at;
    staging->len = n;
    memcpy(staging->data, src, n);
    return CEL_OK;
}

int cel_classic_io_write(struct cel_classic_io *io, uint64_t at, const void *src, size_t n)
{
    int rc = CEL_OK;

    if (io->in_memory)
        return write_memory(io, at, src, n);
    cel_classic_io_forget(io);
    if (n > 0 && n <= SHORT)
        rc = stage_write(io, at, src, n);
    else if (n > 0 && (rc = cel_classic_io_flush(io)) == CEL_OK)
        rc = cel_classic_io_write_part(io, at, src, n);
    if (rc == CEL_OK && at + n > io->size)
        io->size = at + n;
    return rc;
}

void cel_classic_io_dispose(struct cel_classic_io *io)
{
    if (!io->borrowed)
        cel_buf_dispose(&io->mem);
    free(io->staging.data);
    io->staging = (struct cel_classic_staging){0};
    free(io->page.data);
    cel_mutex_dispose(&io->page.lock);
}

/* Forwards when moving down, backwards when moving up, so that nothing is
 * overwritten before it is copied. */
int cel_classic_io_move(struct cel_classic_io *io, uint64_t from, uint64_t to, uint64_t n)
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
        rc = cel_classic_io_read(io, from + at, block, part);
        if (rc == CEL_OK)
            rc = cel_classic_io_write(io, to + at, block, part);
        done += part;
    }
    free(block);
    return rc;
}

int cel_classic_io_grow(struct cel_classic_io *io, uint64_t size)
{
    if (size <= io->size)
        return CEL_OK;
    if (io->in_memory)
        return write_memory(io, size - 1, "", 1);
    if (ftruncate(io->fd, (off_t)size) != 0)
        return cel_fail(NC_EIO, "cannot make the file %llu bytes long: %s", (unsigned long long)size, strerror(errno));
    io->size = size;
    return CEL_OK;
}

/* Where the file system cannot say, the space is met, or not, when it is written. */
int cel_classic_io_reserve(struct cel_classic_io *io, uint64_t from, uint64_t to)
{
    int error = 0;

    if (to <= io->size || io->in_memory)
        return cel_classic_io_grow(io, to);
    from = from > io->size ? from : io->size;
    do
        error = fallocate(io->fd, 0, (off_t)from, (off_t)(to - from)) != 0 ? errno : 0;
    while (error == EINTR);
    if (error && error != EOPNOTSUPP && error != ENOSYS)
        return cel_fail(error == ENOSPC ? ENOSPC : NC_EIO, "there is no space for %llu bytes: %s",
                        (unsigned long long)(to - from), strerror(error));
    return cel_classic_io_grow(io, to);
}

int cel_classic_io_truncate(struct cel_classic_io *io, uint64_t size)
{
    if (size >= io->size || io->in_memory)
        return CEL_OK;
    cel_classic_io_forget(io);
    if (ftruncate(io->fd, (off_t)size) != 0)
        return cel_fail(NC_EIO, "cannot cut the file to %llu bytes: %s", (unsigned long long)size, strerror(errno));
    io->size = size;
    return CEL_OK;
}
