/* SPDX-License-Identifier: BSD-3-Clause */
/* A zip archive on a server. It is read by ranges, like any file on a server. It is written to a local file in the folder for
 * temporary files, whose name is derived from the URL, so that a second writer on this machine is noticed as for a local archive.
 * Then it is uploaded as a whole, on the condition that the server still has the version that was read or uploaded before. For a
 * new archive (CREATE) an empty one is uploaded at once, so that of two programs that create it one fails. */
#include "env.h"
#include "file.h"
#include "mem.h"
#include "sha256.h"
#include "store_zip_int.h"
#include <errno.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PART ((size_t)8 << 20) /* of an archive that is fetched */
enum { PARTS_AHEAD = 8, BASE_MAX = 100 };

struct cel_zip_remote {
    struct cel_store *store; /* the folder; NULL: it is only read */
    char *key;
    bool any;                   /* what is there goes, whatever it is */
    bool claimed;               /* what is there is nothing but the claim */
    struct cel_store_mark mark; /* of what must be there; of nothing: none */
};

/* --- fetching it -------------------------------------------------------------------------- */

static void want_part(struct zip *z, uint64_t offset)
{
    uint64_t left = offset < z->archive_size ? z->archive_size - offset : 0;
    struct cel_range r = {offset, left < PART ? left : PART};

    if (left)
        cel_source_want(z->source, &r, 1);
}

static int fetch_to(struct zip *z, int fd)
{
    char *part = cel_malloc(PART);
    int rc = part ? CEL_OK : NC_ENOMEM, e;

    for (size_t i = 0; rc == CEL_OK && i < PARTS_AHEAD; i++)
        want_part(z, i * PART);
    for (uint64_t at = 0; rc == CEL_OK && at < z->archive_size; at += PART) {
        size_t n = z->archive_size - at < PART ? (size_t)(z->archive_size - at) : PART;

        rc = cel_zip_read_archive(z, z->store.path, at, part, n);
        want_part(z, at + PARTS_AHEAD * PART);
        e = rc == CEL_OK ? cel_file_write(fd, at, part, n) : 0;
        if (e)
            rc = cel_store_error(e, "fetch what is there already of", z->store.path);
    }
    free(part);
    return rc;
}

int cel_zip_fetch(struct zip *z)
{
    char *path = NULL;
    int fd = -1, rc = cel_beside_create(&z->beside, 0600, &path, &fd);

    if (path)
        unlink(path);
    free(path);
    if (rc == CEL_OK)
        rc = fetch_to(z, fd);
    if (rc != CEL_OK) {
        if (fd >= 0)
            close(fd);
        return rc;
    }
    cel_source_close(z->source);
    z->source = NULL;
    z->archive = fd;
    return CEL_OK;
}

/* --- putting it --------------------------------------------------------------------------- */

static int put(struct cel_zip_remote *p, const char *path, const void *data, size_t n)
{
    struct cel_store_mark now = {0};
    uint64_t size;
    int rc = cel_store_put_marked(p->store, p->key, p->any ? NULL : &p->mark, data, n, &now);

    if (rc == CEL_STALE)
        return cel_fail(NC_EEXIST, "%s: somebody else made, changed or removed it meanwhile; nothing there is changed",
                        path);
    if (rc == CEL_OK && !now.known)
        rc = cel_store_stat(p->store, p->key, &now, &size);
    if (rc == CEL_ABSENT)
        return cel_fail(NC_EIO, "%s: the server took it, and does not have it", path);
    if (rc == CEL_OK) {
        p->mark = now;
        p->any = false;
    }
    return rc;
}

int cel_zip_upload(struct zip *z, int fd, uint64_t n)
{
    void *bytes = n <= SIZE_MAX ? mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    int rc;

    if (bytes == MAP_FAILED)
        return cel_store_failure("map what is to be put to", z->store.path);
    rc = put(z->remote, z->store.path, bytes, (size_t)n);
    munmap(bytes, (size_t)n);
    if (rc == CEL_OK)
        z->remote->claimed = false;
    return rc;
}

/* --- claiming its name ----------------------------------------------------------------------- */

static int claim(struct zip *z)
{
    static const unsigned char empty[END_SIZE] = "PK\5\6"; /* an archive without entries */
    struct cel_zip_remote *p = z->remote;
    struct cel_store_mark there;
    uint64_t size;
    int rc = cel_store_stat(p->store, p->key, &there, &size);

    if (rc == CEL_OK)
        return cel_fail(NC_EEXIST, "%s exists already", z->store.path);
    p->mark = (struct cel_store_mark){.known = true};
    if (rc == CEL_ABSENT)
        rc = put(p, z->store.path, empty, sizeof empty);
    p->claimed = rc == CEL_OK;
    return rc;
}

/* Only while it is ours alone. What goes wrong here is not what the caller is told. */
void cel_zip_withdraw(struct zip *z)
{
    struct cel_zip_remote *p = z->remote;
    struct cel_store_mark now;
    struct cel_status before;
    uint64_t size;

    cel_status_save(&before);
    if (p->claimed && z->owner == getpid() && cel_store_stat(p->store, p->key, &now, &size) == CEL_OK &&
        cel_store_mark_same(&now, &p->mark) && cel_store_erase(p->store, p->key) == CEL_OK)
        p->claimed = false;
    cel_status_restore(&before);
}

/* --- opening --------------------------------------------------------------------------------- */

static int target_of(const struct zip *z, const char *folder, char **out)
{
    const char *base = strrchr(z->store.path, '/') + 1;
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    char hash[CEL_SHA256_HEX];
    int rc;

    cel_sha256_hex(z->store.path, strlen(z->store.path), hash);
    rc = cel_buf_printf(&text, "%s/cellar-%.16s-%.*s", folder, hash, BASE_MAX, base);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, out);
    cel_buf_dispose(&text);
    return rc;
}

/* The name that files in work lie beside: nothing ever has it. */
static int find_beside(struct zip *z)
{
    const char *folder = cel_env_temporary();
    char *real = realpath(folder, NULL);
    int rc;

    if (!real || access(real, W_OK | X_OK) != 0)
        rc = cel_fail(NC_EPERM,
                      "%s: it is made in %s first (TMPDIR names that folder), where nothing can be written: %s",
                      z->store.path, folder, strerror(errno));
    else
        rc = target_of(z, real, &z->beside.target);
    z->beside.path = z->store.path;
    free(real);
    return rc;
}

static int begin_writing(struct zip *z, const char *folder, bool s3, enum cel_store_mode mode)
{
    struct cel_zip_remote *p = z->remote;
    int rc = cel_store_open_url(folder, s3, CEL_STORE_WRITE, &p->store);

    if (rc == CEL_OK)
        rc = find_beside(z);
    if (rc == CEL_OK)
        rc = cel_zip_open_scratch(z);
    z->store.created = mode >= CEL_STORE_CREATE;
    p->any = mode == CEL_STORE_REPLACE;
    if (rc == CEL_OK && mode == CEL_STORE_CREATE)
        rc = claim(z);
    return rc;
}

/* CEL_ABSENT: there is none. */
static int begin_reading(struct zip *z, const char *url, bool s3, struct cel_source **source)
{
    int rc = CEL_OK;

    if (source && *source) {
        z->source = *source;
        *source = NULL;
    } else {
        rc = cel_source_of_url(url, s3, &z->source);
    }
    if (rc == CEL_OK)
        z->remote->mark = *cel_source_mark(z->source);
    if (rc == CEL_OK)
        rc = cel_source_size(z->source, &z->archive_size);
    return rc == CEL_OK ? cel_zip_load_directory(z) : rc;
}

/* Both as the mode asks. What is put is in the folder of the URL. */
static int begin(struct zip *z, const char *url, bool s3, enum cel_store_mode mode, struct cel_source **source)
{
    struct cel_buf name = CEL_BUF_INIT(1 << 20);
    char *folder = NULL;
    int rc = cel_store_split_url(url, &folder, &name);

    if (rc == CEL_ABSENT)
        rc = cel_fail(NC_EINVAL, "%s names no archive: what lies in a bucket has a name behind it", z->store.path);
    z->remote = rc == CEL_OK ? cel_calloc(1, sizeof *z->remote) : NULL;
    if (rc == CEL_OK)
        rc = z->remote ? cel_buf_take_string(&name, &z->remote->key) : NC_ENOMEM;
    if (rc == CEL_OK && mode < CEL_STORE_CREATE)
        rc = begin_reading(z, url, s3, source);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = begin_writing(z, folder, s3, mode);
    free(folder);
    cel_buf_dispose(&name);
    return rc;
}

int cel_store_open_zip_url(const char *url, bool s3, enum cel_store_mode mode, struct cel_source **source,
                           struct cel_store **out)
{
    char *path = cel_strndup(url, strcspn(url, "?")); /* no query in any error */
    struct zip *z = NULL;
    int rc = path ? cel_zip_make(path, mode, &cel_zip_remote_ops, &z) : NC_ENOMEM;

    *out = NULL;
    free(path);
    if (rc == CEL_OK)
        rc = begin(z, url, s3, mode, source);
    if (rc == CEL_OK)
        *out = &z->store;
    else if (z)
        cel_store_abandon(&z->store);
    return rc;
}

void cel_zip_remote_free(struct cel_zip_remote *p)
{
    if (!p)
        return;
    cel_store_close(p->store);
    free(p->key);
    free(p);
}
