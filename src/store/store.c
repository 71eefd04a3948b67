/* SPDX-License-Identifier: BSD-3-Clause */
/* What all stores share: keys are checked once, here, so that no store ever sees
 * a path that leads out of it. */
#include "store_int.h"
#include "mem.h"
#include <errno.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

static int code_for(int error)
{
    switch (error) {
    case ENOENT:
        return NC_ENOTFOUND;
    case EEXIST:
        return NC_EEXIST;
    case EACCES:
    case EPERM:
    case EROFS:
        return NC_EPERM;
    case ENOMEM:
        return NC_ENOMEM;
    default:
        return NC_EIO;
    }
}

int cel_store_error(int error, const char *doing, const char *what)
{
    return cel_fail(code_for(error), "%s: cannot %s: %s", what, doing, strerror(error));
}

int cel_store_failure(const char *doing, const char *what)
{
    return cel_store_error(errno, doing, what);
}

bool cel_store_part_is_legal(const char *part, size_t len)
{
    return len > 0 && !(len == 1 && part[0] == '.') && !(len == 2 && memcmp(part, "..", 2) == 0) &&
           !cel_tmp_is_named(part) && !memchr(part, '\\', len);
}

int cel_store_check_size(const char *key, uint64_t size, const struct cel_buf *out)
{
    if (size <= out->max && size <= SIZE_MAX)
        return CEL_OK;
    return cel_fail(NC_EIO, "%s: it has %llu bytes, where at most %zu can be right", key, (unsigned long long)size,
                    out->max);
}

static int check_key(const char *key)
{
    const char *at = key;

    for (;;) {
        size_t len = strcspn(at, "/");
        if (!cel_store_part_is_legal(at, len))
            return cel_fail(NC_EINVAL, "'%s' is no key of a store: the part '%.*s' is not allowed", key, (int)len, at);
        if (!at[len])
            return CEL_OK;
        at += len + 1;
    }
}

/* The key with the store's prefix, in *buf. */
static int full_key(const struct cel_store *s, const char *key, struct cel_buf *buf)
{
    int rc = *key ? check_key(key) : CEL_OK;

    *buf = CEL_BUF_INIT(1 << 20);
    if (rc == CEL_OK)
        rc = cel_buf_puts(buf, s->prefix);
    if (rc == CEL_OK)
        rc = cel_buf_add(buf, key, strlen(key) + 1);
    return rc;
}

static int must_be_writable(const struct cel_store *s)
{
    return s->writable ? CEL_OK : cel_fail(NC_EPERM, "%s is open for reading only", s->path);
}

int cel_store_init(struct cel_store *s, const struct cel_store_ops *ops, const char *path, enum cel_store_mode mode)
{
    s->ops = ops;
    s->writable = mode != CEL_STORE_READ;
    s->path = cel_strdup(path);
    s->prefix = cel_strdup("");
    return s->path && s->prefix ? CEL_OK : NC_ENOMEM;
}

int cel_store_get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct cel_buf full;
    int rc = full_key(s, key, &full);

    if (rc == CEL_OK)
        rc = s->ops->get(s, full.data, out);
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    struct cel_buf full;
    int rc = full_key(s, key, &full);

    if (rc == CEL_OK)
        rc = s->ops->get_range(s, full.data, offset, n, dst);
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_size(struct cel_store *s, const char *key, uint64_t *size)
{
    struct cel_buf full;
    int rc = full_key(s, key, &full);

    if (rc == CEL_OK)
        rc = s->ops->size(s, full.data, size);
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_stat(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size)
{
    struct cel_buf full;
    int rc = full_key(s, key, &full);

    *mark = (struct cel_store_mark){.known = true};
    *size = 0;
    if (rc == CEL_OK)
        rc = s->ops->stat ? s->ops->stat(s, full.data, mark, size) : s->ops->size(s, full.data, size);
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_get_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                           size_t n, void *dst)
{
    struct cel_buf full;
    int rc;

    if (!s->ops->get_range_of)
        return cel_store_get_range(s, key, offset, n, dst);
    rc = full_key(s, key, &full);
    if (rc == CEL_OK)
        rc = s->ops->get_range_of(s, full.data, mark, offset, n, dst);
    cel_buf_dispose(&full);
    return rc;
}

bool cel_store_want_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                             size_t n)
{
    struct cel_buf full;

    if (!s->ops->want)
        return false;
    if (full_key(s, key, &full) == CEL_OK)
        s->ops->want(s, full.data, mark, offset, n);
    cel_buf_dispose(&full);
    return true;
}

void cel_store_want_ranges_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark,
                              const struct cel_range *range, size_t nranges)
{
    struct cel_buf full;

    if (nranges > 1 && s->ops->want_ranges) {
        if (full_key(s, key, &full) == CEL_OK)
            s->ops->want_ranges(s, full.data, mark, range, nranges);
        cel_buf_dispose(&full);
        return;
    }
    for (size_t i = 0; i < nranges; i++)
        cel_store_want_range_of(s, key, mark, range[i].offset, (size_t)range[i].n);
}

bool cel_store_is_remote(const struct cel_store *s)
{
    return s->ops->want;
}

bool cel_store_want(struct cel_store *s, const char *key)
{
    return s->ops->want && cel_store_want_range_of(s, key, NULL, 0, SIZE_MAX);
}

void cel_store_want_document(struct cel_store *s, const char *key)
{
    struct cel_buf full;

    if (!s->ops->want_document)
        return;
    if (full_key(s, key, &full) == CEL_OK)
        s->ops->want_document(s, full.data);
    cel_buf_dispose(&full);
}

void cel_store_settle(struct cel_store *s)
{
    if (s->ops->settle)
        s->ops->settle(s);
}

static int get_first_by_stat(struct cel_store *s, const char *key, void *dst, size_t *n, struct cel_store_mark *mark,
                             uint64_t *size)
{
    int rc = cel_store_stat(s, key, mark, size);

    if (rc == CEL_OK && *size < *n)
        *n = (size_t)*size;
    return rc == CEL_OK ? cel_store_get_range_of(s, key, mark, 0, *n, dst) : rc;
}

int cel_store_get_first(struct cel_store *s, const char *key, void *dst, size_t *n, struct cel_store_mark *mark,
                        uint64_t *size)
{
    struct cel_buf full;
    int rc;

    if (!s->ops->get_first)
        return get_first_by_stat(s, key, dst, n, mark, size);
    rc = full_key(s, key, &full);
    if (rc == CEL_OK)
        rc = s->ops->get_first(s, full.data, dst, n, mark, size);
    cel_buf_dispose(&full);
    return rc;
}

bool cel_store_mark_same(const struct cel_store_mark *a, const struct cel_store_mark *b)
{
    return a->known && b->known && memcmp(a->word, b->word, sizeof a->word) == 0;
}

static int put_by(struct cel_store *s, const char *key, const void *data, size_t n,
                  int (*put)(struct cel_store *s, const char *key, const void *data, size_t n))
{
    struct cel_buf full;
    int rc = full_key(s, key, &full);

    if (rc == CEL_OK)
        rc = must_be_writable(s);
    if (rc == CEL_OK)
        rc = put(s, full.data, data, n);
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    return put_by(s, key, data, n, s->ops->put);
}

int cel_store_put_behind(struct cel_store *s, const char *key, const void *data, size_t n)
{
    return put_by(s, key, data, n, s->ops->put_behind ? s->ops->put_behind : s->ops->put);
}

int cel_store_put_document(struct cel_store *s, const char *key, const void *data, size_t n)
{
    return put_by(s, key, data, n, s->ops->put_document ? s->ops->put_document : s->ops->put);
}

int cel_store_put_if(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data,
                     size_t n)
{
    struct cel_store_mark now;

    return cel_store_put_marked(s, key, mark, data, n, &now);
}

int cel_store_put_marked(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data,
                         size_t n, struct cel_store_mark *now)
{
    struct cel_buf full;
    int rc;

    *now = (struct cel_store_mark){0};
    if (!s->ops->put_if)
        return cel_store_put(s, key, data, n);
    rc = full_key(s, key, &full);
    if (rc == CEL_OK)
        rc = must_be_writable(s);
    if (rc == CEL_OK)
        rc = s->ops->put_if(s, full.data, mark, data, n, now);
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_erase(struct cel_store *s, const char *key)
{
    struct cel_buf full;
    int rc = full_key(s, key, &full);

    if (rc == CEL_OK)
        rc = must_be_writable(s);
    if (rc == CEL_OK)
        rc = s->ops->erase(s, full.data);
    cel_buf_dispose(&full);
    return rc;
}

/* --- drafts ------------------------------------------------------------------ */

bool cel_store_has_drafts(const struct cel_store *s)
{
    return s->ops->draft;
}

int cel_draft_make(struct cel_store *s, struct cel_draft **out)
{
    int rc = must_be_writable(s);

    return rc == CEL_OK ? s->ops->draft->make(s, out) : rc;
}

int cel_draft_write(struct cel_draft *d, uint64_t offset, const struct cel_bytes *part, size_t n)
{
    return d->store->ops->draft->write(d, offset, part, n);
}

int cel_draft_read(struct cel_draft *d, uint64_t offset, size_t n, void *dst)
{
    return d->store->ops->draft->read(d, offset, n, dst);
}

int cel_draft_put(struct cel_draft *d, const char *key)
{
    struct cel_buf full;
    int rc = full_key(d->store, key, &full);

    if (rc == CEL_OK)
        rc = d->store->ops->draft->put(d, full.data);
    cel_buf_dispose(&full);
    return rc;
}

void cel_draft_drop(struct cel_draft *d)
{
    if (d)
        d->store->ops->draft->drop(d);
}

bool cel_store_has_lists(const struct cel_store *s)
{
    return s->ops->list;
}

int cel_store_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct cel_buf full;
    int rc;

    if (!s->ops->list)
        return cel_fail(NC_ENOTZARR,
                        "%s: a web server does not tell what lies there, and neither do documents at its root: "
                        "write the store with consolidated metadata (mode=consolidated)",
                        s->path);
    rc = full_key(s, prefix, &full);

    if (rc == CEL_OK) {
        size_t len = strlen(full.data);
        if (len && full.data[len - 1] == '/')
            full.data[len - 1] = '\0';
        rc = s->ops->list(s, full.data, visit, context);
    }
    cel_buf_dispose(&full);
    return rc;
}

int cel_store_lock(struct cel_store *s, enum cel_store_lock how, int *lock)
{
    *lock = -1;
    return s->ops->lock ? s->ops->lock(s, how, lock) : CEL_OK;
}

int cel_store_sync(struct cel_store *s)
{
    return s->ops->sync ? s->ops->sync(s) : CEL_OK;
}

int cel_store_set_prefix(struct cel_store *s, const char *prefix)
{
    char *copy = cel_strdup(prefix);

    if (!copy)
        return NC_ENOMEM;
    free(s->prefix);
    s->prefix = copy;
    return CEL_OK;
}

static void release(struct cel_store *s)
{
    free(s->path);
    free(s->prefix);
    s->ops->free(s);
}

int cel_store_close(struct cel_store *s)
{
    int rc;

    if (!s)
        return CEL_OK;
    rc = s->ops->finish ? s->ops->finish(s) : CEL_OK;
    release(s);
    return rc;
}

void cel_store_abandon(struct cel_store *s)
{
    if (!s)
        return;
    if (s->ops->abandon)
        s->ops->abandon(s);
    release(s);
}

const char *cel_store_path(const struct cel_store *s)
{
    return s->path;
}
