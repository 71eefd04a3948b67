/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a store in a directory: making the root, opening, closing, removing. */
#include "env.h"
#include "mem.h"
#include "store_dir_int.h"
#include <dirent.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Remove a folder and all below it. */
static int remove_tree(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = CEL_OK;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;

    if (!dir)
        return unlinkat(at, name, 0) == 0 ? CEL_OK : cel_store_failure("remove", name);
    while (rc == CEL_OK && (e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = remove_tree(fd, e->d_name);
    closedir(dir);
    if (rc == CEL_OK && unlinkat(at, name, AT_REMOVEDIR) != 0)
        rc = cel_store_failure("remove", name);
    return rc;
}

int cel_store_remove_dir(const char *path)
{
    return remove_tree(AT_FDCWD, path);
}

int cel_dir_finish(struct cel_store *s)
{
    (void)s; /* every value is in place as soon as it is put */
    return CEL_OK;
}

void cel_dir_abandon(struct cel_store *s)
{
    if (s->created)
        remove_tree(AT_FDCWD, s->path);
}

void cel_dir_free(struct cel_store *s)
{
    struct directory *d = directory_of(s);

    if (d->fd >= 0) {
        cel_dir_remove_temporaries(d);
        if (d->locked)
            cel_dir_remove_lock(d);
        close(d->fd);
    }
    cel_dir_forget(d);
    cel_mutex_dispose(&d->lock);
    free(d);
}

static int make_root(struct directory *d, const char *path, enum cel_store_mode mode)
{
    int rc = CEL_OK;

    if (mode == CEL_STORE_REPLACE && access(path, F_OK) == 0)
        rc = remove_tree(AT_FDCWD, path);
    if (rc == CEL_OK && mkdir(path, 0777) != 0)
        rc = cel_store_failure("make the folder", path);
    d->store.created = rc == CEL_OK;
    return rc;
}

/* The root itself may be a symbolic link: whoever gave the path meant it. */
static int open_root(struct directory *d, const char *path, enum cel_store_mode mode)
{
    struct stat st;

    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0 || fstat(d->fd, &st) != 0)
        return cel_store_failure("open the folder", path);
    d->mode = (st.st_mode & 0777) | S_IRWXU;
    if (mode == CEL_STORE_WRITE && faccessat(d->fd, ".", W_OK, 0) != 0)
        return cel_store_failure("write to the folder", path);
    return CEL_OK;
}

int cel_store_open_dir(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    struct directory *d = cel_calloc(1, sizeof *d);
    int rc;

    *out = NULL;
    if (!d)
        return NC_ENOMEM;
    d->fd = d->tmp_fd = d->tmp_lock = -1;
    d->follow = cel_env_follow_links();
    d->flush = cel_env_fsync();
    cel_mutex_init(&d->lock);
    rc = cel_store_init(&d->store, &cel_dir_ops, path, mode);
    if (rc == CEL_OK && mode >= CEL_STORE_CREATE)
        rc = make_root(d, path, mode);
    if (rc == CEL_OK)
        rc = open_root(d, path, mode);
    if (rc != CEL_OK) {
        cel_store_abandon(&d->store);
        return rc;
    }
    if (mode != CEL_STORE_READ)
        cel_dir_remove_left(d);
    *out = &d->store;
    return CEL_OK;
}
