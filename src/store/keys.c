/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting waits for the first listing: a session that puts 10^5 chunks and never
 * lists never sorts. A key that is removed stays in the list, without a name in the
 * index, until as many are dead as alive: so removing costs no search. */
#include "keys.h"
#include "store_int.h"
#include <assert.h>

void *cel_keys_find(const struct cel_keys *k, const char *name)
{
    struct cel_key *key = cel_names_find(&k->index, name);

    return key ? key->object : NULL;
}

int cel_keys_set(struct cel_keys *k, const char *name, void *object, void **old)
{
    struct cel_key *key = cel_names_find(&k->index, name);
    size_t len = strlen(name) + 1;

    *old = NULL;
    if (key) {
        *old = key->object;
        key->object = object;
        return CEL_OK;
    }
    key = cel_malloc(sizeof *key + len);
    if (!key)
        return NC_ENOMEM;
    key->object = object;
    memcpy(key->name, name, len);
    if (cel_vec_add(&k->sorted, key) != CEL_OK) {
        free(key);
        return NC_ENOMEM;
    }
    if (cel_names_add(&k->index, key->name, key) != CEL_OK) {
        k->sorted.n--;
        free(key);
        return NC_ENOMEM;
    }
    k->in_order = false;
    return CEL_OK;
}

static void drop_dead(struct cel_keys *k)
{
    size_t kept = 0;

    for (size_t i = 0; i < k->sorted.n; i++) {
        struct cel_key *key = k->sorted.at[i];
        if (key->object)
            k->sorted.at[kept++] = key;
        else
            free(key);
    }
    k->sorted.n = kept;
    k->ndead = 0;
}

void *cel_keys_remove(struct cel_keys *k, const char *name)
{
    struct cel_key *key = cel_names_find(&k->index, name);
    void *object;

    if (!key)
        return NULL;
    cel_names_remove(&k->index, name);
    object = key->object;
    key->object = NULL;
    k->ndead++;
    assert(k->ndead <= k->sorted.n && k->ndead + k->index.used == k->sorted.n);
    if (k->ndead > k->sorted.n / 2)
        drop_dead(k);
    return object;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct cel_key *const *)a)->name, (*(struct cel_key *const *)b)->name);
}

static const char *name_at(const struct cel_keys *k, size_t i)
{
    return ((const struct cel_key *)k->sorted.at[i])->name;
}

/* The first key not before `text`, from index `from` on. */
static size_t lower_bound(const struct cel_keys *k, size_t from, const char *text)
{
    size_t lo = from, hi = k->sorted.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (strcmp(name_at(k, mid), text) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void cel_keys_sort(struct cel_keys *k)
{
    if (k->ndead)
        drop_dead(k);
    if (!k->in_order && k->sorted.n)
        qsort(k->sorted.at, k->sorted.n, sizeof *k->sorted.at, by_name);
    k->in_order = true;
}

/* All keys below "x/" come before "x0": '0' is the character after '/'. */
static int past_prefix(const struct cel_keys *k, size_t from, struct cel_buf *prefix, size_t *out)
{
    int rc = cel_buf_add(prefix, (char[]){'/' + 1, '\0'}, 2);

    if (rc == CEL_OK)
        *out = lower_bound(k, from, prefix->data);
    return rc;
}

/* The name at *i of what lies below the first `skip` bytes of text, and on to the next. */
static int visit_one(const struct cel_keys *k, size_t *i, struct cel_buf *text, size_t skip, cel_store_visit *visit,
                     void *context)
{
    const char *name = name_at(k, *i) + skip;
    size_t len = strcspn(name, "/");
    bool is_prefix = name[len] == '/', legal = cel_store_part_is_legal(name, len);
    int rc;

    text->len = skip;
    rc = cel_buf_add(text, name, len);
    if (rc == CEL_OK && is_prefix)
        rc = past_prefix(k, *i, text, i);
    else if (rc == CEL_OK)
        ++*i, rc = cel_buf_add(text, "", 1);
    if (rc == CEL_OK)
        text->data[skip + len] = '\0';
    if (rc == CEL_OK && legal)
        rc = visit(context, text->data + skip, is_prefix);
    return rc;
}

static int list_locked(struct cel_keys *k, const char *prefix, cel_store_visit *visit, void *context)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    size_t skip, i;
    int rc;

    cel_keys_sort(k);
    rc = cel_buf_printf(&text, *prefix ? "%s/" : "%s", prefix);
    skip = text.len;
    if (rc == CEL_OK)
        rc = cel_buf_add(&text, "", 1);
    i = rc == CEL_OK ? lower_bound(k, 0, text.data) : k->sorted.n;
    while (rc == CEL_OK && i < k->sorted.n && strncmp(name_at(k, i), text.data, skip) == 0)
        rc = visit_one(k, &i, &text, skip, visit, context);
    cel_buf_dispose(&text);
    return rc;
}

int cel_keys_list(struct cel_keys *k, struct cel_mutex *lock, const char *prefix, cel_store_visit *visit, void *context)
{
    int rc;

    cel_lock(lock);
    rc = list_locked(k, prefix, visit, context);
    cel_unlock(lock);
    return rc;
}

void cel_keys_dispose(struct cel_keys *k, void (*free_object)(void *))
{
    for (size_t i = 0; i < k->sorted.n; i++) {
        free_object(((struct cel_key *)k->sorted.at[i])->object);
        free(k->sorted.at[i]);
    }
    cel_vec_dispose(&k->sorted);
    cel_names_dispose(&k->index);
}
