/* SPDX-License-Identifier: BSD-3-Clause */
/* A source over a file's descriptor. */
#include "file.h"
#include "mem.h"
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_source {
    struct cel_source source;
    int fd;
};

static int fd_of(const struct cel_source *s)
{
    return ((const struct file_source *)s)->fd;
}

static int size(struct cel_source *s, uint64_t *out)
{
    struct stat st;

    if (fstat(fd_of(s), &st) != 0)
        return cel_fail(NC_EIO, "cannot tell the file's size: %s", strerror(errno));
    *out = (uint64_t)st.st_size;
    return CEL_OK;
}

static int read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    size_t done;
    int e;

    if (offset > INT64_MAX - n) /* more than a file can have */
        return CEL_BEYOND_END;
    e = cel_file_read(fd_of(s), offset, dst, n, &done);
    if (e)
        return cel_fail(NC_EIO, "cannot read byte %llu: %s", (unsigned long long)(offset + done), strerror(e));
    return done == n ? CEL_OK : CEL_BEYOND_END;
}

/* The system reads ahead of sequential readers by itself; of others it has to be told. */
static void want(struct cel_source *s, const struct cel_range *range, size_t nranges)
{
    for (size_t i = 0; i < nranges; i++)
        posix_fadvise(fd_of(s), (off_t)range[i].offset, (off_t)range[i].n, POSIX_FADV_WILLNEED);
}

static int close_file(struct cel_source *s)
{
    int e = close(fd_of(s)) != 0 && errno != EINTR ? errno : 0; /* after EINTR it is closed all the same */

    free(s);
    return e ? cel_fail(e, "cannot close the file: %s", strerror(e)) : CEL_OK;
}

static const struct cel_source_ops ops = {.size = size, .read_at = read_at, .want = want, .close = close_file};

int cel_source_of_file(int fd, struct cel_source **out)
{
    struct file_source *f = cel_malloc(sizeof *f);

    if (!f)
        return NC_ENOMEM;
    *f = (struct file_source){.source = {&ops}, .fd = fd};
    *out = &f->source;
    return CEL_OK;
}
