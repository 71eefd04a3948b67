/* Making what was put and erased survive a power cut: the files touched since the
 * last time, then the folders they lie in. Where that is more than a few, the whole file
 * system is flushed instead: each fsync() waits for the disk (2 to 4 ms on ext4, 0.3 s for
 * 64 files of 100 kB), and syncfs() is one wait for all of them (9 ms), at the price of
 * writing what others have not written yet (0.5 s for 500 MB). */
#include "mem.h"
#include "store_dir_int.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOUCHED_MAX 16

static void free_keys(struct cel_vec *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        free(keys->at[i]);
    cel_vec_dispose(keys);
}

/* The list is an economy: with no memory for it, everything is flushed. */
void cel_dir_touch(struct directory *d, const char *key)
{
    char *copy = NULL;

    cel_lock(&d->lock);
    if (!d->much && d->touched.n < TOUCHED_MAX)
        copy = cel_strdup(key);
    if (!copy || cel_vec_reserve(&d->touched, d->touched.n + 1) != CEL_OK) {
        free(copy);
        free_keys(&d->touched);
        d->much = true;
    } else {
        d->touched.at[d->touched.n++] = copy;
    }
    cel_unlock(&d->lock);
}

void cel_dir_forget(struct directory *d)
{
    free_keys(&d->touched);
    d->much = false;
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
    int fd = openat(d->fd, path, O_RDONLY | O_CLOEXEC | flags), rc = CEL_OK;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? CEL_OK : cel_store_failure("flush", path);
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

static int flush_keys(struct directory *d, struct cel_vec *keys)
{
    struct cel_vec folders = {0};
    int rc = keys->n ? flush_all(d, keys, 0) : CEL_OK;

    if (rc == CEL_OK)
        rc = add_parents(keys, &folders);
    if (rc == CEL_OK)
        rc = flush_all(d, &folders, O_DIRECTORY);
    if (rc == CEL_OK && keys->n)
        rc = flush_one(d, ".", O_DIRECTORY);
    if (rc == CEL_OK && keys->n && d->store.created)
        rc = flush_one(d, "..", O_DIRECTORY);
    free_keys(&folders);
    return rc;
}

int cel_dir_sync(struct cel_store *s)
{
    struct directory *d = directory_of(s);
    struct cel_vec keys;
    bool much;
    int rc;

    cel_lock(&d->lock);
    keys = d->touched;
    much = d->much;
    d->touched = (struct cel_vec){0};
    d->much = false;
    cel_unlock(&d->lock);
    if (much)
        rc = syncfs(d->fd) == 0 ? CEL_OK : cel_store_failure("flush", s->path);
    else
        rc = flush_keys(d, &keys);
    if (rc != CEL_OK) { /* the next try must not miss them */
        cel_lock(&d->lock);
        d->much = true;
        cel_unlock(&d->lock);
    }
    free_keys(&keys);
    return rc;
}
