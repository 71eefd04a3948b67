/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks that are files: opened once, read in parts, and replaced by renaming. */
#include "api_coder.h"
#include "file.h"
#include "mem.h"
#include "temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_file(const char *path, int e)
{
    return cel_fail_at(cel_fail(e, "%s", strerror(e)), CEL_IN_FILE, "%s", path);
}

static int open_file(struct coder_value *value)
{
    const char *path = value->chunk->path;
    struct stat st;

    value->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (value->fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? CEL_ABSENT : fail_file(path, errno);
    if (fstat(value->fd, &st) < 0)
        return fail_file(path, errno);
    if (!S_ISREG(st.st_mode))
        return cel_fail_at(cel_fail(NC_EINVAL, "it is no file"), CEL_IN_FILE, "%s", path);
    value->size = (uint64_t)st.st_size;
    return CEL_OK;
}

int cel_coder_open(struct coder_value *value)
{
    const cellar_chunk *c = value->chunk;

    value->fd = -1;
    value->size = c->nencoded;
    if (c->path)
        return open_file(value);
    return c->encoded ? CEL_OK : CEL_ABSENT;
}

void cel_coder_close(struct coder_value *value)
{
    if (value->fd >= 0)
        close(value->fd);
    value->fd = -1;
}

int cel_coder_read(const struct coder_value *value, uint64_t offset, size_t n, struct coder_worker *w, const void **out)
{
    size_t done = 0;
    int rc;

    if (offset > value->size || n > value->size - offset)
        return cel_fail(NC_ETRUNC, "the chunk ends before its bytes");
    if (value->fd < 0) {
        *out = (const char *)value->chunk->encoded + offset;
        return CEL_OK;
    }
    w->stored.len = 0;
    rc = cel_buf_reserve(&w->stored, n + 1);
    if (rc != CEL_OK)
        return rc;
    rc = cel_file_read(value->fd, offset, w->stored.data, n, &done);
    if (rc)
        return fail_file(value->chunk->path, rc);
    *out = w->stored.data;
    return done == n ? CEL_OK : cel_fail(NC_ETRUNC, "the file became shorter while it was read");
}

/* The folder of a file, and those above it that are missing. */
static int make_folders(char *path)
{
    char *slash = strrchr(path, '/');
    int e;

    if (!slash || slash == path)
        return 0;
    *slash = '\0';
    e = mkdir(path, 0777) < 0 ? errno : 0;
    if (e == ENOENT && (e = make_folders(path)) == 0)
        e = mkdir(path, 0777) < 0 ? errno : 0;
    *slash = '/';
    return e == EEXIST ? 0 : e;
}

static int create(char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = open(path, flags, 0666);

    if (fd < 0 && errno == ENOENT) {
        int e = make_folders(path);

        if (e) {
            errno = e;
            return -1;
        }
        fd = open(path, flags, 0666);
    }
    return fd;
}

/* "folder/.cellar-tmp-..." beside the file. */
static char *temporary_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char name[CEL_TMP_NAME], *out = cel_malloc(folder + sizeof name);

    if (!out)
        return NULL;
    cel_tmp_name(name);
    memcpy(out, path, folder);
    memcpy(out + folder, name, sizeof name);
    return out;
}

int cel_coder_put(const char *path, const struct cel_bytes *part, size_t n)
{
    char *temporary = temporary_beside(path);
    int fd, e;

    if (!temporary)
        return NC_ENOMEM;
    fd = create(temporary);
    e = fd < 0 ? errno : cel_file_write_parts(fd, 0, part, n);
    if (fd >= 0 && close(fd) < 0 && !e)
        e = errno;
    if (!e && rename(temporary, path) < 0)
        e = errno;
    if (e && fd >= 0)
        unlink(temporary);
    free(temporary);
    return e ? fail_file(path, e) : CEL_OK;
}

int cel_coder_remove(const char *path)
{
    return unlink(path) < 0 && errno != ENOENT && errno != ENOTDIR ? fail_file(path, errno) : CEL_OK;
}
