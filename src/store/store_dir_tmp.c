/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files of a store in a directory. Each writer has a folder of its own for
 * them in the root, made when the first one is needed, and holds a lock on a file in it
 * for as long as it lives: so writers in other containers and on other nodes never
 * meet, and what a dead one left is known. All of it goes by the folder's descriptor,
 * so that nobody can put another folder in its place. */
#include "store_dir_int.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOCK_NAME "lock"
enum { TRIES = 100 };

/* The lock last: what is left of a folder when this is cut short is still known to be a dead one's. */
static void remove_folder(struct directory *d, const char *name)
{
    int fd = openat(d->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, LOCK_NAME) != 0)
            unlinkat(fd, e->d_name, 0);
    if (dir) {
        unlinkat(fd, LOCK_NAME, 0);
        closedir(dir);
    }
    unlinkat(d->fd, name, dir ? AT_REMOVEDIR : 0);
}

/* --- what others left ----------------------------------------------------------------- */

static bool all_old(int folder)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    bool old = dir && cel_tmp_is_old(folder);
    struct dirent *e;

    while (old && (e = readdir(dir))) {
        int fd = openat(folder, e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        old = fd < 0 || strcmp(e->d_name, "..") == 0 || cel_tmp_is_old(fd);
        if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    return old;
}

/* A folder whose writer is gone, or a file as earlier versions made them. */
static bool is_left(struct directory *d, const char *name)
{
    int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), lock;
    struct stat st;
    bool left;

    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode)) {
        left = fd >= 0 && cel_tmp_is_old(fd);
    } else {
        lock = openat(fd, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (lock < 0 && unlinkat(d->fd, name, AT_REMOVEDIR) == 0) { /* empty: one that is at it makes another */
            close(fd);
            return false; /* nothing is left of it */
        }
        left = cel_tmp_is_left(lock, name, all_old(fd));
        if (lock >= 0)
            close(lock);
    }
    if (fd >= 0)
        close(fd);
    return left;
}

void cel_dir_remove_left(struct directory *d)
{
    int copy = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *e;
    bool locked = false;

    while (dir && (e = readdir(dir))) {
        bool lock = strcmp(e->d_name, CEL_DIR_LOCK) == 0;

        locked = locked || lock;
        if (!lock && cel_tmp_is_named(e->d_name) && is_left(d, e->d_name))
            remove_folder(d, e->d_name);
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    if (locked)
        cel_dir_remove_lock(d);
}

/* --- this writer's ---------------------------------------------------------------------- */

/* Another writer may have taken the folder for a dead one's before it was locked. */
static bool hold_folder(int folder, int *lock)
{
    struct stat st;

    *lock = openat(folder, LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*lock < 0)
        return false;
    if ((cel_tmp_lock(*lock) == 0 || errno != EWOULDBLOCK) && fstat(*lock, &st) == 0 && st.st_nlink > 0)
        return true; /* where there are no locks, age alone tells */
    close(*lock);
    *lock = -1;
    errno = ENOENT;
    return false;
}

/* Threads that still use the old folder's descriptor get ENOENT, and then this one. */
static void take_folder(struct directory *d, int fd, int lock)
{
    if (d->tmp_lock >= 0)
        close(d->tmp_lock);
    d->tmp_lock = lock;
    d->tmp_owner = getpid();
    if (d->tmp_fd < 0) {
        d->tmp_fd = fd;
        return;
    }
    dup3(fd, d->tmp_fd, O_CLOEXEC);
    close(fd);
}

static bool make_folder(struct directory *d)
{
    int fd = -1, lock = -1;

    cel_tmp_name(d->tmp);
    if (mkdirat(d->fd, d->tmp, 0700) == 0) {
        fd = openat(d->fd, d->tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && hold_folder(fd, &lock)) {
            take_folder(d, fd, lock);
            return true;
        }
    }
    if (fd >= 0) {
        int error = errno;
        close(fd);
        unlinkat(d->fd, d->tmp, AT_REMOVEDIR);
        errno = error;
    }
    d->tmp[0] = '\0';
    return false;
}

static bool can_try_again(int error)
{
    return error == EEXIST || error == ENOENT;
}

/* With the lock. A number that is taken is a forked child's, or its parent's; a folder
 * that is gone is made anew. */
static int make_one(struct directory *d, struct cel_dir_tmp *tmp)
{
    int fd;

    if (!d->tmp[0] && !make_folder(d))
        return -1;
    snprintf(tmp->name, sizeof tmp->name, "%u", d->serial++);
    fd = openat(d->tmp_fd, tmp->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, d->mode & 0666);
    if (fd < 0 && errno == ENOENT)
        d->tmp[0] = '\0';
    return fd;
}

int cel_dir_make_temporary(struct directory *d, struct cel_dir_tmp *tmp, int *fd)
{
    int tries = TRIES, error;

    cel_lock(&d->lock);
    do {
        *fd = make_one(d, tmp);
        error = errno;
    } while (*fd < 0 && can_try_again(error) && --tries > 0);
    cel_unlock(&d->lock);
    errno = error;
    return *fd < 0 ? cel_store_failure("make a temporary file in it", d->store.path) : CEL_OK;
}

int cel_dir_open_temporary(struct directory *d, const struct cel_dir_tmp *tmp, int flags, int *fd)
{
    *fd = openat(d->tmp_fd, tmp->name, flags | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? cel_store_failure("open a temporary file in it again", d->store.path) : CEL_OK;
}

void cel_dir_drop_temporary(struct directory *d, const struct cel_dir_tmp *tmp)
{
    unlinkat(d->tmp_fd, tmp->name, 0);
}

void cel_dir_remove_temporaries(struct directory *d)
{
    if (d->tmp[0] && d->tmp_owner == getpid())
        remove_folder(d, d->tmp);
    if (d->tmp_lock >= 0)
        close(d->tmp_lock);
    if (d->tmp_fd >= 0)
        close(d->tmp_fd);
}
