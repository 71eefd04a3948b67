/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in a directory: one file per key. A value is written to a temporary
 * file and renamed, so that a reader, or a crash, finds the old value or the new one.
 * No lock: the file system keeps order. Only regular files are values, and what a
 * symbolic link leads to outside the store is no part of it. */
#include "resolve.h"
#include "file.h"
#include "mem.h"
#include "store_dir_int.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* No such file, or a key whose parent is itself a file: simply not there. */
static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR;
}

static int not_a_file(const char *key, const char *kind)
{
    return cel_fail(NC_EIO, "%s: it is %s, and only regular files hold values; remove it from the store", key, kind);
}

int cel_dir_open(struct directory *d, const char *path, int flags, int *fd)
{
    *fd = cel_resolve_open(d->fd, path, flags, d->follow);
    if (*fd >= 0)
        return CEL_OK;
    if (is_absence(errno))
        return CEL_ABSENT;
    if (errno == EXDEV)
        return cel_fail(NC_EPERM, "%s: a symbolic link leads out of the store; set CELLAR_FOLLOW_LINKS=1 to follow it",
                        path);
    if (errno == ENXIO)
        return not_a_file(path, "a socket, or a device that does not answer");
    return cel_store_failure("open", path);
}

static const char *kind_of(const struct stat *st)
{
    return S_ISFIFO(st->st_mode) ? "a pipe" : S_ISSOCK(st->st_mode) ? "a socket" : "a device";
}

/* What a key leads to. A folder is no value, and no fault either: longer keys lie in it. */
static int open_value(struct directory *d, const char *key, int flags, int *fd, struct stat *st)
{
    int rc = cel_dir_open(d, key, flags, fd);

    if (rc != CEL_OK)
        return rc;
    if (fstat(*fd, st) != 0)
        rc = cel_store_failure("look at", key);
    else if (!S_ISREG(st->st_mode))
        rc = S_ISDIR(st->st_mode) ? CEL_ABSENT : not_a_file(key, kind_of(st));
    if (rc != CEL_OK)
        close(*fd);
    return rc;
}

static int open_and_stat(struct directory *d, const char *key, struct stat *st)
{
    int fd, rc = open_value(d, key, CEL_OPEN_TO_STAT, &fd, st);

    if (rc == CEL_OK)
        close(fd);
    return rc;
}

int cel_dir_read(int fd, const char *key, uint64_t offset, char *dst, size_t n)
{
    size_t done;
    int e = cel_file_read(fd, offset, dst, n, &done);

    if (e)
        return cel_store_error(e, "read", key);
    return done == n ? CEL_OK : cel_fail(NC_EIO, "%s: the file ends %zu bytes too early", key, n - done);
}

static int get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct stat st;
    int fd, rc = open_value(directory_of(s), key, O_RDONLY, &fd, &st);

    if (rc != CEL_OK)
        return rc;
    rc = cel_store_check_size(key, (uint64_t)st.st_size, out);
    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)st.st_size);
    if (rc == CEL_OK)
        rc = cel_dir_read(fd, key, 0, out->data, out->len);
    close(fd);
    return rc;
}

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* A value that is replaced has another file, which may get the number of a file that is
 * gone, but not its times. */
static void mark_of(const struct stat *st, struct cel_store_mark *out)
{
    *out = (struct cel_store_mark){
        true, {st->st_dev, st->st_ino, (uint64_t)st->st_size, nanoseconds(&st->st_mtim), nanoseconds(&st->st_ctim), 0}};
}

/* Clocks tick: within the tick of its last change a file could be replaced twice and look
 * the same. A mark made so early is like no other one. */
static void distrust_if_young(struct directory *d, const struct stat *st, struct cel_store_mark *mark)
{
    const int64_t tick = 50 * 1000000;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if ((int64_t)(nanoseconds(&now) - nanoseconds(&st->st_ctim)) < tick)
        mark->word[5] = atomic_fetch_add(&d->stats, 1) + 1;
}

static int stat_value(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size)
{
    struct directory *d = directory_of(s);
    struct stat st;
    int rc = open_and_stat(d, key, &st);

    if (rc != CEL_OK)
        return rc;
    *size = (uint64_t)st.st_size;
    mark_of(&st, mark);
    distrust_if_young(d, &st, mark);
    return CEL_OK;
}

static bool is_marked(const struct stat *st, const struct cel_store_mark *mark)
{
    struct cel_store_mark now;

    mark_of(st, &now);
    now.word[5] = mark->word[5];
    return cel_store_mark_same(mark, &now);
}

static int get_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                        size_t n, void *dst)
{
    struct stat st;
    int fd, rc = open_value(directory_of(s), key, O_RDONLY, &fd, &st);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT && mark ? CEL_STALE : rc;
    rc = mark && !is_marked(&st, mark) ? CEL_STALE : cel_dir_read(fd, key, offset, dst, n);
    close(fd);
    return rc;
}

static int get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    return get_range_of(s, key, NULL, offset, n, dst);
}

static int size(struct cel_store *s, const char *key, uint64_t *out)
{
    struct stat st;
    int rc = open_and_stat(directory_of(s), key, &st);

    if (rc == CEL_OK)
        *out = (uint64_t)st.st_size;
    return rc;
}

int cel_dir_write(int fd, const char *what, uint64_t offset, const struct cel_bytes *part, size_t n)
{
    int e = cel_file_write_parts(fd, offset, part, n);

    return e ? cel_store_error(e, "write", what) : CEL_OK;
}

/* --- putting in place --------------------------------------------------------- */

/* The folder a key lies in, and the key's last part. */
static int open_parent(struct directory *d, const char *key, int *fd, const char **last)
{
    const char *slash = strrchr(key, '/');
    char *folder;
    int rc;

    *last = slash ? slash + 1 : key;
    if (!slash)
        return cel_dir_open(d, ".", CEL_OPEN_TO_STAT | O_DIRECTORY, fd);
    folder = cel_strndup(key, (size_t)(slash - key));
    rc = folder ? cel_dir_open(d, folder, CEL_OPEN_TO_STAT | O_DIRECTORY, fd) : NC_ENOMEM;
    free(folder);
    return rc;
}

/* The folder above it is there. */
static int make_folder(struct directory *d, const char *path)
{
    const char *last;
    int fd, rc = open_parent(d, path, &fd, &last);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? cel_fail(NC_EIO, "%s: the folder it is to lie in was removed meanwhile", path) : rc;
    if (mkdirat(fd, last, d->mode) != 0 && errno != EEXIST)
        rc = cel_store_failure("make the folder", path);
    close(fd);
    return rc;
}

/* The folders above a key. */
static int make_parents(struct directory *d, const char *key)
{
    char *path = cel_strdup(key);
    int rc = path ? CEL_OK : NC_ENOMEM;

    for (char *slash = path ? strchr(path, '/') : NULL; rc == CEL_OK && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        rc = make_folder(d, path);
        *slash = '/';
    }
    free(path);
    return rc;
}

static int rename_to(struct directory *d, const struct cel_dir_tmp *tmp, const char *key)
{
    const char *last;
    int fd, rc = open_parent(d, key, &fd, &last);

    if (rc == CEL_ABSENT) {
        rc = make_parents(d, key);
        if (rc == CEL_OK)
            rc = open_parent(d, key, &fd, &last);
    }
    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? cel_fail(NC_EIO, "%s: the folder it lies in is a file, or was removed meanwhile", key)
                                : rc;
    if (renameat(d->tmp_fd, tmp->name, fd, last) != 0)
        rc = cel_store_failure("put in place", key);
    close(fd);
    return rc;
}

int cel_dir_rename(struct directory *d, const struct cel_dir_tmp *tmp, const char *key)
{
    int rc = cel_dir_touch(d, key);

    return rc == CEL_OK ? rename_to(d, tmp, key) : rc;
}

static int put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct directory *d = directory_of(s);
    struct cel_dir_tmp tmp;
    int fd, rc = cel_dir_make_temporary(d, &tmp, &fd);

    if (rc != CEL_OK)
        return cel_fail_in(rc, "%s", key);
    rc = cel_dir_write(fd, key, 0, &(struct cel_bytes){data, n}, 1);
    if (close(fd) != 0 && rc == CEL_OK)
        rc = cel_store_failure("write", key);
    if (rc == CEL_OK)
        rc = cel_dir_rename(d, &tmp, key);
    if (rc != CEL_OK)
        cel_dir_drop_temporary(d, &tmp);
    return rc;
}

static int erase(struct cel_store *s, const char *key)
{
    struct directory *d = directory_of(s);
    const char *last;
    int fd, rc = open_parent(d, key, &fd, &last);

    if (rc != CEL_OK)
        return rc;
    rc = cel_dir_touch(d, key);
    if (rc == CEL_OK && unlinkat(fd, last, 0) != 0)
        rc = is_absence(errno) ? CEL_ABSENT : cel_store_failure("remove", key);
    close(fd);
    return rc;
}

const struct cel_store_ops cel_dir_ops = {
    .name = "directory",
    .get = get,
    .get_range = get_range,
    .size = size,
    .stat = stat_value,
    .get_range_of = get_range_of,
    .put = put,
    .erase = erase,
    .list = cel_dir_list,
    .lock = cel_dir_lock,
    .sync = cel_dir_sync,
    .draft = &cel_dir_drafts,
    .finish = cel_dir_finish,
    .abandon = cel_dir_abandon,
    .free = cel_dir_free,
};
