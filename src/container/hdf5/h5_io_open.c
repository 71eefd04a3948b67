/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the bytes of a file come from: a file made or opened, or memory. We open the file ourselves, so that a refusal
 * has the system's own reason. */
#include "disk.h"
#include "env.h"
#include "h5_int.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* As netCDF-C: what cannot be created is EACCES, whatever the system's reason, which the text has. */
static int os_code(int e, bool create)
{
    static const struct {
        int e, code, create_code;
    } map[] = {{ENOENT, NC_ENOTFOUND, EACCES}, {EEXIST, NC_EEXIST, NC_EEXIST}, {EACCES, NC_EPERM, EACCES},
               {EPERM, NC_EPERM, EACCES},      {EROFS, NC_EPERM, EACCES},      {ENOMEM, NC_ENOMEM, NC_ENOMEM}};
    size_t i;

    for (i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].e == e)
            return create ? map[i].create_code : map[i].code;
    return create ? EACCES : NC_ECANTREAD;
}

static int check_regular(struct cel_h5_io *io, const char *path)
{
    struct stat st;

    if (fstat(io->fd, &st) != 0)
        return cel_fail(NC_ECANTREAD, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return cel_fail(NC_EINVAL, "%s is not a regular file", path);
    io->eof = (uint64_t)st.st_size;
    return CEL_OK;
}

/* An existing file is emptied only later, by the driver, when libhdf5 does not
 * have it open itself; another process that has it open keeps us out by its lock. */
static int create_file(struct cel_h5_io *io, const char *path, bool clobber, bool *made)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), rc;

    *made = fd >= 0;
    if (!*made && errno == EEXIST && clobber)
        fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return cel_fail(os_code(errno, true), "it cannot be created: %s", strerror(errno));
    rc = cel_h5_io_set_file(io, fd);
    if (rc == CEL_OK)
        rc = check_regular(io, path);
    if (rc == CEL_OK && cel_env_file_locking() && flock(io->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        rc = cel_fail(NC_EHDFERR, "it cannot be created: this or another process has it open");
    return rc;
}

/* Only while nobody else has the file open, in this process or another: a journal may be that of a sync under way. */
int cel_h5_io_recover(struct cel_h5_io *io)
{
    int lock = io->writable ? LOCK_EX : LOCK_SH;

    if (cel_h5_deferred_is_shared(io->deferred))
        return CEL_OK;
    if (cel_env_file_locking() && flock(io->fd, lock | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return CEL_OK; /* libhdf5 will say so */
    return cel_h5_recover(io->deferred, io->fd, io->path, io->writable);
}

static int open_file(struct cel_h5_io *io, const char *path, bool writable)
{
    int fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC), rc;

    if (fd < 0)
        return cel_fail(os_code(errno, false), "%s cannot be opened%s: %s", path, writable ? " for writing" : "",
                        strerror(errno));
    rc = cel_h5_io_set_file(io, fd);
    if (rc == CEL_OK)
        rc = check_regular(io, path);
    if (rc == CEL_OK)
        rc = cel_h5_io_recover(io);
    if (rc == CEL_OK)
        io->eof = io->deferred->end;
    return rc;
}

static int create_memory(struct cel_h5_io *io, const struct cel_location *where)
{
    io->cap = where->memory_size;
    io->data = cel_calloc(io->cap ? io->cap : 1, 1);
    return io->data ? CEL_OK : NC_ENOMEM;
}

int cel_h5_io_create(struct cel_h5_io *io, const struct cel_location *where, bool clobber, bool *made)
{
    *made = false;
    return where->in_memory ? create_memory(io, where) : create_file(io, where->path, clobber, made);
}

/* Through an io of its own, as a journal of the last writer may lie beside the file. */
static int read_into_memory(struct cel_h5_io *io, const char *path)
{
    struct cel_h5_io *file;
    int rc = cel_h5_io_make(path, &file);

    if (rc != CEL_OK)
        return rc;
    rc = open_file(file, path, false);
    if (rc == CEL_OK) {
        io->eof = io->cap = (size_t)file->eof;
        io->data = cel_malloc(io->cap);
        rc = io->data ? cel_h5_io_read(file, 0, io->data, io->cap) : NC_ENOMEM;
    }
    cel_h5_io_release(file);
    return rc;
}

static int open_remote(struct cel_h5_io *io, const struct cel_location *where)
{
    if (io->writable)
        return cel_fail(NC_EPERM, "a file on a server can only be read");
    io->remote = *where->source;
    *where->source = NULL;
    return cel_source_size(io->remote, &io->eof);
}

int cel_h5_io_open(struct cel_h5_io *io, const struct cel_location *where)
{
    if (where->source)
        return open_remote(io, where);
    if (where->memory) {
        io->data = where->memory;
        io->eof = io->cap = where->memory_size;
        io->fixed = true; /* the caller's until the file is open */
        return CEL_OK;
    }
    return where->in_memory ? read_into_memory(io, where->path) : open_file(io, where->path, io->writable);
}

int cel_h5_io_write_out(const struct cel_h5_io *io, const char *path)
{
    FILE *out = fopen(path, "wb");
    bool ok;

    if (!out)
        return cel_fail(os_code(errno, true), "it cannot be created: %s", strerror(errno));
    ok = io->eof == 0 || fwrite(io->data, 1, (size_t)io->eof, out) == io->eof;
    ok = ok && fflush(out) == 0 && (errno = cel_disk_sync(fileno(out))) == 0;
    if (fclose(out) == 0 && ok && (errno = cel_disk_sync_folder(path)) == 0)
        return CEL_OK;
    cel_fail(NC_ECANTWRITE, "%s cannot be written: %s", path, strerror(errno));
    unlink(path);
    return NC_ECANTWRITE;
}
