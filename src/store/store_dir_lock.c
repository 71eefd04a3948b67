/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock of processes that read, change and write one value: a file in the root, as
 * network file systems lock files that are open for writing, not folders. It belongs to the
 * open file, so threads of one process, too, wait for each other. The file is removed
 * when no process holds the lock; a process that gets the lock of a removed file tries again. */
#include "env.h"
#include "store_dir_int.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Locks of ranges are what network file systems share with the machine they come from. */
static int lock_file(int fd, bool exclusive, bool wait)
{
    int rc;

    do {
#ifdef F_OFD_SETLKW
        struct flock all = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};

        rc = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &all);
        if (rc != 0 && errno == EINVAL)
#endif
            rc = flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | (wait ? 0 : LOCK_NB));
    } while (rc != 0 && errno == EINTR);
    return rc;
}

static bool is_still_there(struct directory *d, int fd)
{
    struct stat mine, there;

    return fstat(fd, &mine) == 0 && fstatat(d->fd, CEL_DIR_LOCK, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

static int open_lock(struct directory *d, int flags)
{
    return openat(d->fd, CEL_DIR_LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags,
                  (d->mode & 0666) | S_IRUSR | S_IWUSR);
}

static int cannot_lock(struct directory *d)
{
    return cel_fail(NC_EIO,
                    "%s: cannot lock it to change part of a shard: %s; write whole shards, or set "
                    "HDF5_USE_FILE_LOCKING=FALSE if nobody else writes to it",
                    d->store.path, strerror(errno));
}

/* On file systems without locks only whole values are replaced, never parts of them: that needs no lock. */
int cel_dir_lock(struct cel_store *s, enum cel_store_lock how, int *fd)
{
    struct directory *d = directory_of(s);
    bool exclusive = how == CEL_LOCK_EXCLUSIVE;
    int rc;

    *fd = -1;
    if (!cel_env_file_locking())
        return CEL_OK;
    d->locked = true;
    for (;;) {
        *fd = open_lock(d, O_CREAT);
        if (*fd < 0)
            return cel_store_failure("make the lock of shards in it", s->path);
        if (lock_file(*fd, exclusive, true) != 0)
            break;
        if (is_still_there(d, *fd))
            return CEL_OK;
        close(*fd);
    }
    rc = exclusive ? cannot_lock(d) : CEL_OK;
    close(*fd);
    *fd = -1;
    return rc;
}

/* Not by closing alone: a child that another thread forked has the file open as well. */
void cel_store_unlock(int lock)
{
    if (lock < 0)
        return;
#ifdef F_OFD_SETLKW
    fcntl(lock, F_OFD_SETLK, &(struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET});
#endif
    flock(lock, LOCK_UN);
    close(lock);
}

void cel_dir_remove_lock(struct directory *d)
{
    int fd = open_lock(d, 0);

    if (fd >= 0 && lock_file(fd, true, false) == 0 && is_still_there(d, fd))
        unlinkat(d->fd, CEL_DIR_LOCK, 0);
    if (fd >= 0)
        close(fd);
}
