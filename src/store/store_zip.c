/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in a zip archive: opening, the scratch file, closing.
 *
 * Reading (store_zip_read.c): the central directory is read once (opening costs
 * O(entries)). Writing (store_zip_write.c): new values go to a scratch file beside
 * the archive; at a sync and at close a new archive is made of both and renamed over the
 * old one (store_zip_publish.c). So there is a complete archive at any moment, and at close
 * its bytes do not depend on which thread wrote first, and no space is lost. The
 * scratch file is locked while in use: that is how a second writer is told to wait, and
 * how what a dead writer left is known. */
#include "env.h"
#include "mem.h"
#include "store_zip_int.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cel_zip_begin(struct zip *z)
{
    cel_lock(&z->lock);
    while (z->publishing)
        cel_cond_wait(&z->idle, &z->lock);
    z->users++;
    cel_unlock(&z->lock);
}

void cel_zip_end(struct zip *z)
{
    cel_lock(&z->lock);
    if (--z->users == 0)
        cel_cond_wake_all(&z->idle);
    cel_unlock(&z->lock);
}

/* The archive is as it was when it was last synchronised. */
static void abandon(struct cel_store *s)
{
    if (zip_of(s)->remote)
        cel_zip_withdraw(zip_of(s));
}

static void free_zip(struct cel_store *s)
{
    struct zip *z = zip_of(s);

    if (z->scratch_path && z->owner == getpid())
        unlink(z->scratch_path);
    if (z->scratch >= 0) {
        if (z->owner == getpid())
            cel_tmp_unlock(z->scratch);
        close(z->scratch);
    }
    if (z->archive >= 0)
        close(z->archive);
    cel_source_close(z->source);
    cel_zip_remote_free(z->remote);
    free(z->scratch_path);
    cel_beside_dispose(&z->beside);
    cel_keys_dispose(&z->keys, free);
    cel_cond_dispose(&z->idle);
    cel_mutex_dispose(&z->lock);
    free(z);
}

static void want_document(struct cel_store *s, const char *key)
{
    cel_zip_want(s, key, NULL, 0, SIZE_MAX);
}

/* clang-format off */
#define COMMON \
    .name = "zip", .get = cel_zip_get, .get_range = cel_zip_get_range, .size = cel_zip_size, .put = cel_zip_put, \
    .erase = cel_zip_erase, .list = cel_zip_list, .sync = cel_zip_sync, .finish = cel_zip_finish, .abandon = abandon, \
    .free = free_zip
static const struct cel_store_ops ops = {COMMON};
const struct cel_store_ops cel_zip_remote_ops = {COMMON, .want = cel_zip_want, .want_document = want_document};
/* clang-format on */

uint64_t cel_store_archive_bytes(const struct cel_store *s)
{
    return s->ops == &ops || s->ops == &cel_zip_remote_ops ? ((const struct zip *)s)->archive_size : 0;
}

/* --- the scratch file --------------------------------------------------------------------- */

int cel_zip_open_scratch(struct zip *z)
{
    int rc = cel_beside_create(&z->beside, 0600, &z->scratch_path, &z->scratch);

    z->owner = getpid();
    return rc == CEL_OK ? cel_beside_check(&z->beside, z->scratch_path) : rc;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int open_archive(struct zip *z, enum cel_store_mode mode)
{
    struct stat st;

    if (mode == CEL_STORE_REPLACE || mode == CEL_STORE_CREATE) {
        z->store.created = true;
        if (mode == CEL_STORE_CREATE && access(z->store.path, F_OK) == 0)
            return cel_fail(NC_EEXIST, "%s exists already", z->store.path);
        return CEL_OK;
    }
    z->archive = open(z->store.path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (z->archive < 0 || fstat(z->archive, &st) != 0)
        return cel_store_failure("open", z->store.path);
    if (!S_ISREG(st.st_mode))
        return cel_fail(NC_EIO, "%s: it is no regular file, so no zip archive", z->store.path);
    z->archive_size = (uint64_t)st.st_size;
    return cel_zip_load_directory(z);
}

int cel_zip_make(const char *path, enum cel_store_mode mode, const struct cel_store_ops *kind, struct zip **out)
{
    struct zip *z = cel_calloc(1, sizeof *z);
    int rc;

    *out = NULL;
    if (!z)
        return NC_ENOMEM;
    z->archive = z->scratch = -1;
    z->flush = cel_env_fsync();
    cel_mutex_init(&z->lock);
    cel_cond_init(&z->idle);
    rc = cel_store_init(&z->store, kind, path, mode);
    if (rc == CEL_OK)
        *out = z;
    else
        cel_store_abandon(&z->store);
    return rc;
}

int cel_store_open_zip(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    struct zip *z;
    int rc = cel_zip_make(path, mode, &ops, &z);

    *out = NULL;
    if (rc != CEL_OK)
        return rc;
    rc = open_archive(z, mode);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = cel_beside_init(z->store.path, &z->beside);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = cel_zip_open_scratch(z);
    if (rc == CEL_OK)
        *out = &z->store;
    else
        cel_store_abandon(&z->store);
    return rc;
}
