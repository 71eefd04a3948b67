/* SPDX-License-Identifier: BSD-3-Clause */
/* A value that was put survives the end of the process. Where it is to survive a power cut
 * as well (CELLAR_FSYNC=1), a sync flushes the files touched since the last one, then the
 * folders they are in. */
#include "mem.h"
#include "store_dir_int.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void free_keys(struct cel_vec *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        free(keys->at[i]);
    cel_vec_dispose(keys);
}

int cel_dir_touch(struct directory *d, const char *key)
{
    char *copy;
    int rc;

    if (!d->flush)
        return CEL_OK;
    copy = cel_strdup(key);
    cel_lock(&d->lock);
    rc = copy ? cel_vec_add(&d->touched, copy) : NC_ENOMEM;
    cel_unlock(&d->lock);
    if (rc != CEL_OK)
        free(copy);
    return rc;
}

void cel_dir_forget(struct directory *d)
{
    free_keys(&d->touched);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once. */
static void sort_keys(struct cel_vec *keys)
{
    size_t kept = 0;

    if (keys->n)
        qsort(keys->at, keys->n, sizeof *keys->at, by_text);
    for (size_t i = 0; i < keys->n; i++)
        if (kept && strcmp(keys->at[kept - 1], keys->at[i]) == 0)
            free(keys->at[i]);
        else
            keys->at[kept++] = keys->at[i];
    keys->n = kept;
}

/* What is gone needs no flushing; its folder does. */
static int flush_one(struct directory *d, const char *path, int flags)
{
    int fd, rc = cel_dir_open(d, path, O_RDONLY | flags, &fd);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    if (fsync(fd) != 0)
        rc = cel_store_failure("flush", path);
    close(fd);
    return rc;
}

static int flush_all(struct directory *d, struct cel_vec *paths, int flags)
{
    int rc = CEL_OK;

    sort_keys(paths);
    for (size_t i = 0; rc == CEL_OK && i < paths->n; i++)
        rc = flush_one(d, paths->at[i], flags);
    return rc;
}

/* Keys become the folders they lie in, up to the root: any of them may be new. */
static int add_parents(const struct cel_vec *keys, struct cel_vec *folders)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < keys->n; i++) {
        const char *key = keys->at[i];
        for (const char *slash = strchr(key, '/'); rc == CEL_OK && slash; slash = strchr(slash + 1, '/')) {
            char *folder = cel_strndup(key, (size_t)(slash - key));
            rc = folder ? cel_vec_add(folders, folder) : NC_ENOMEM;
            if (rc != CEL_OK)
                free(folder);
        }
        sort_keys(folders);
    }
    return rc;
}

static int flush_above(struct directory *d)
{
    int fd = openat(d->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd >= 0 && fsync(fd) == 0 ? CEL_OK : cel_store_failure("flush the folder it lies in", d->store.path);

    if (fd >= 0)
        close(fd);
    return rc;
}

static int flush_keys(struct directory *d, struct cel_vec *keys)
{
    struct cel_vec folders = {0};
    int rc = flush_all(d, keys, 0);

    if (rc == CEL_OK)
        rc = add_parents(keys, &folders);
    if (rc == CEL_OK)
        rc = flush_all(d, &folders, O_DIRECTORY);
    if (rc == CEL_OK)
        rc = flush_one(d, ".", O_DIRECTORY);
    if (rc == CEL_OK && d->store.created)
        rc = flush_above(d);
    free_keys(&folders);
    return rc;
}

/* What could not be flushed is tried again the next time. */
static void give_back(struct directory *d, struct cel_vec *keys)
{
    cel_lock(&d->lock);
    if (!d->touched.n) {
        cel_vec_dispose(&d->touched);
        d->touched = *keys;
        *keys = (struct cel_vec){0};
    }
    for (size_t i = 0; i < keys->n; i++)
        if (keys->at[i] && cel_vec_add(&d->touched, keys->at[i]) == CEL_OK)
            keys->at[i] = NULL;
    cel_unlock(&d->lock);
}

int cel_dir_sync(struct cel_store *s)
{
    struct directory *d = directory_of(s);
    struct cel_vec keys;
    int rc;

    cel_lock(&d->lock);
    keys = d->touched;
    d->touched = (struct cel_vec){0};
    cel_unlock(&d->lock);
    rc = keys.n ? flush_keys(d, &keys) : CEL_OK;
    if (rc != CEL_OK)
        give_back(d, &keys);
    free_keys(&keys);
    return rc;
}
