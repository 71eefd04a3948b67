/* SPDX-License-Identifier: BSD-3-Clause */
/* Files beside a target that they will replace. */
#include "beside.h"
#include "buf.h"
#include "mem.h"
#include "status.h"
#include "store_int.h"
#include "temporary.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BASE_MAX = 180 }; /* bytes of the target's name in a temporary file's, which must not be too long */

/* --- the target's own path ---------------------------------------------------------------- */

int cel_beside_init(const char *path, struct cel_beside *out)
{
    const char *slash = strrchr(path, '/');
    struct cel_buf full = CEL_BUF_INIT(1 << 20);
    struct stat st;
    char *folder;
    int rc;

    *out = (struct cel_beside){.path = path, .target = realpath(path, NULL)};
    if (out->target)
        return CEL_OK;
    if (errno != ENOENT)
        return cel_store_failure("find", path);
    if (lstat(path, &st) == 0)
        return cel_fail(NC_EIO, "%s: it is a symbolic link that leads nowhere; remove it, or make what it leads to",
                        path);
    folder = cel_strndup(slash ? path : "./", slash ? (size_t)(slash - path) + 1 : 2);
    out->target = folder ? realpath(folder, NULL) : NULL;
    rc = out->target ? cel_buf_printf(&full, "%s/%s", out->target, slash ? slash + 1 : path)
                     : cel_store_failure("find the folder of", path);
    free(out->target);
    out->target = NULL;
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&full, &out->target);
    cel_buf_dispose(&full);
    free(folder);
    return rc;
}

void cel_beside_dispose(struct cel_beside *b)
{
    free(b->target);
    *b = (struct cel_beside){0};
}

static const char *base_of(const struct cel_beside *b)
{
    return strrchr(b->target, '/') + 1;
}

static int in_folder(const struct cel_beside *b, const char *name, char **out)
{
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    int rc = cel_buf_printf(&path, "%.*s%s", (int)(base_of(b) - b->target), b->target, name);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&path, out);
    cel_buf_dispose(&path);
    return rc;
}

/* --- temporary files beside it --------------------------------------------------------------- */

/* Another writer's temporary file: locked means at work, else its process may have died. */
static int check_other(const struct cel_beside *b, int folder, const char *name)
{
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool busy = false;

    if (fd < 0)
        return CEL_OK;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (cel_tmp_is_left(fd, name, cel_tmp_is_old(fd)))
            unlinkat(folder, name, 0);
        else
            busy = cel_tmp_lock(fd) != 0 && errno == EWOULDBLOCK;
    }
    close(fd);
    return busy ? cel_fail(NC_EPERM, "%s is being written by another process or file handle; close it there first",
                           b->path)
                : CEL_OK;
}

/* ".cellar-tmp-HOST-RANDOM-<base>" */
static bool names_target(const struct cel_beside *b, const char *name)
{
    char pattern[CEL_TMP_NAME];
    size_t n;

    cel_tmp_name(pattern);
    n = strlen(pattern);
    return cel_tmp_is_named(name) && strlen(name) > n && name[n] == '-' &&
           strncmp(name + n + 1, base_of(b), BASE_MAX) == 0;
}

int cel_beside_check(const struct cel_beside *b, const char *mine)
{
    char *folder = NULL;
    int rc = in_folder(b, "", &folder);
    const char *own = strrchr(mine, '/') + 1;
    DIR *dir = rc == CEL_OK ? opendir(folder) : NULL;
    struct dirent *e;

    while (dir && rc == CEL_OK && (e = readdir(dir)))
        if (strcmp(e->d_name, own) != 0 && names_target(b, e->d_name))
            rc = check_other(b, dirfd(dir), e->d_name);
    if (dir)
        closedir(dir);
    free(folder);
    return rc;
}

/* CEL_SKIP: the name is taken. */
static int try_to_create(const struct cel_beside *b, mode_t mode, char **path, int *fd)
{
    struct cel_buf name = CEL_BUF_INIT(1 << 20);
    char tmp[CEL_TMP_NAME];
    int rc;

    cel_tmp_name(tmp);
    rc = cel_buf_printf(&name, "%s-%.*s", tmp, BASE_MAX, base_of(b));
    if (rc == CEL_OK)
        rc = in_folder(b, name.data, path);
    cel_buf_dispose(&name);
    if (rc != CEL_OK)
        return rc;
    *fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (*fd >= 0)
        return CEL_OK;
    free(*path);
    *path = NULL;
    return errno == EEXIST ? CEL_SKIP : cel_store_failure("create a file beside it", b->path);
}

int cel_beside_create(const struct cel_beside *b, mode_t mode, char **path, int *fd)
{
    int rc, tries = 100;

    do
        rc = try_to_create(b, mode, path, fd);
    while (rc == CEL_SKIP && --tries > 0);
    if (rc == CEL_OK && cel_tmp_lock(*fd) != 0 && errno == EWOULDBLOCK) /* one that looks for dead writers has it */
        return cel_fail(NC_EPERM, "%s is being opened by another process; try again", b->path);
    return rc == CEL_SKIP ? cel_store_failure("create a file beside it", b->path) : rc;
}

/* The new file gives no user more rights than the old one did. Where its group cannot be set, the group
 * gets only the rights of all others. */
static void keep_owner(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;

    if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode = (mode & 0707) | (mode & 0007) << 3;
    if (fchmod(fd, mode) != 0) {
        /* it stays its owner's alone */
    }
}

int cel_beside_create_new(const struct cel_beside *b, char **path, int *fd)
{
    struct stat old;
    bool exists = stat(b->target, &old) == 0;
    int rc = cel_beside_create(b, exists ? 0600 : 0666, path, fd);

    if (rc == CEL_OK && exists)
        keep_owner(*fd, &old);
    return rc;
}

/* --- taking its place ----------------------------------------------------------------------- */

int cel_beside_flush(const struct cel_beside *b)
{
    char *folder = cel_strndup(b->target, (size_t)(strrchr(b->target, '/') + 1 - b->target));
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = fd >= 0 && fsync(fd) == 0 ? CEL_OK : cel_store_failure("flush the folder it lies in", b->path);

    if (fd >= 0)
        close(fd);
    free(folder);
    return rc;
}

/* close() tells of bytes that a network file system or a quota did not take; closing
 * one of two descriptors asks for them as well, and the file stays open for reading. */
static int settle(const struct cel_beside *b, int fd, bool flush)
{
    int copy = dup(fd);

    if (copy < 0 || close(copy) != 0)
        return cel_store_failure("write", b->path);
    return flush && fsync(fd) != 0 ? cel_store_failure("flush", b->path) : CEL_OK;
}

int cel_beside_replace(const struct cel_beside *b, const char *path, int fd, bool flush)
{
    int rc = settle(b, fd, flush);

    if (rc == CEL_OK && rename(path, b->target) != 0)
        rc = cel_store_failure("put the new file in place", b->path);
    return rc;
}
