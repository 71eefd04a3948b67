/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in memory: one lock, values copied in and out. */
#include "keys.h"
#include "mem.h"
#include "store_int.h"
#include "thread.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

struct value {
    size_t n;
    char data[];
};

struct memory {
    struct cel_store store;
    struct cel_mutex lock;
    struct cel_keys keys;
};

static struct memory *memory_of(struct cel_store *s)
{
    return (struct memory *)s;
}

static int get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct memory *m = memory_of(s);
    const struct value *v;
    int rc = CEL_ABSENT;

    cel_lock(&m->lock);
    v = cel_keys_find(&m->keys, key);
    if (v)
        rc = cel_buf_resize(out, v->n);
    if (rc == CEL_OK && v->n)
        memcpy(out->data, v->data, v->n);
    cel_unlock(&m->lock);
    return rc;
}

static int get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    struct memory *m = memory_of(s);
    const struct value *v;
    int rc = CEL_OK;

    cel_lock(&m->lock);
    v = cel_keys_find(&m->keys, key);
    if (!v)
        rc = CEL_ABSENT;
    else if (offset > v->n || n > v->n - offset)
        rc = cel_fail(NC_EIO, "%s: has %zu bytes, too few for %zu from %llu on", key, v->n, n,
                      (unsigned long long)offset);
    else
        memcpy(dst, v->data + offset, n);
    cel_unlock(&m->lock);
    return rc;
}

static int size(struct cel_store *s, const char *key, uint64_t *out)
{
    struct memory *m = memory_of(s);
    const struct value *v;

    cel_lock(&m->lock);
    v = cel_keys_find(&m->keys, key);
    if (v)
        *out = v->n;
    cel_unlock(&m->lock);
    return v ? CEL_OK : CEL_ABSENT;
}

static int put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct memory *m = memory_of(s);
    struct value *v = cel_malloc(sizeof *v + n);
    void *old;
    int rc;

    if (!v)
        return NC_ENOMEM;
    v->n = n;
    if (n)
        memcpy(v->data, data, n);
    cel_lock(&m->lock);
    rc = cel_keys_set(&m->keys, key, v, &old);
    cel_unlock(&m->lock);
    free(rc == CEL_OK ? old : v);
    return rc;
}

static int erase(struct cel_store *s, const char *key)
{
    struct memory *m = memory_of(s);
    void *old;

    cel_lock(&m->lock);
    old = cel_keys_remove(&m->keys, key);
    cel_unlock(&m->lock);
    free(old);
    return old ? CEL_OK : CEL_ABSENT;
}

static int list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct memory *m = memory_of(s);

    return cel_keys_list(&m->keys, &m->lock, prefix, visit, context);
}

static void free_memory(struct cel_store *s)
{
    struct memory *m = memory_of(s);

    cel_keys_dispose(&m->keys, free);
    cel_mutex_dispose(&m->lock);
    free(m);
}

/* clang-format off */
static const struct cel_store_ops ops = {
    .name = "memory", .get = get, .get_range = get_range, .size = size, .put = put, .erase = erase,
    .list = list, .free = free_memory,
};
/* clang-format on */

int cel_store_open_memory(struct cel_store **out)
{
    struct memory *m = cel_calloc(1, sizeof *m);

    *out = NULL;
    if (!m)
        return NC_ENOMEM;
    cel_mutex_init(&m->lock);
    if (cel_store_init(&m->store, &ops, "memory", CEL_STORE_CREATE) != CEL_OK) {
        cel_store_abandon(&m->store);
        return NC_ENOMEM;
    }
    *out = &m->store;
    return CEL_OK;
}
