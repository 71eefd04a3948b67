/* SPDX-License-Identifier: BSD-3-Clause */
/* Uploads to S3 in the background: a thread that encodes need not wait for the server. The bytes are copied, up to a budget; beyond
 * it a put waits for the oldest upload. A read of a key that is being uploaded waits for it. A value whose upload failed stays here:
 * a sync tries it again, and fails as long as the upload does. After a failure, puts wait for their own uploads, so that the next
 * put notices a server that is gone. */
#include "mem.h"
#include "store_remote_int.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)64 << 20)
enum { MOST = 64 };

struct cel_s3_behind_entry {
    struct cel_s3_behind_entry *next;
    char *key;
    void *data;
    size_t n;
    struct cel_remote_call call;
    bool busy;   /* somebody starts it or waits for its answer, without the lock */
    bool failed; /* why: */
    struct cel_status why;
};

/* --- the list, with the lock held ----------------------------------------------------------- */

static struct cel_s3_behind_entry *find(struct cel_s3_behind *b, const char *key)
{
    struct cel_s3_behind_entry *e = b->first;

    while (e && strcmp(e->key, key) != 0)
        e = e->next;
    return e;
}

static struct cel_s3_behind_entry *oldest_under_way(struct cel_s3_behind *b)
{
    struct cel_s3_behind_entry *e = b->first;

    while (e && e->failed)
        e = e->next;
    return e;
}

static void append(struct cel_s3_behind *b, struct cel_s3_behind_entry *e)
{
    struct cel_s3_behind_entry **at = &b->first;

    while (*at)
        at = &(*at)->next;
    *at = e;
    b->n++;
    b->nbytes += e->n;
}

static void free_entry(struct cel_s3_behind_entry *e)
{
    cel_remote_end(&e->call);
    free(e->data);
    free(e->key);
    free(e);
}

static void remove_entry(struct cel_s3_behind *b, struct cel_s3_behind_entry *e)
{
    for (struct cel_s3_behind_entry **at = &b->first; *at; at = &(*at)->next)
        if (*at == e) {
            *at = e->next;
            break;
        }
    b->n--;
    b->nbytes -= e->n;
    b->nfailed -= e->failed;
    free_entry(e);
}

/* --- answers ------------------------------------------------------------------------------------ */

static int take_answer(struct cel_remote *r, struct cel_s3_behind_entry *e)
{
    struct cel_s3_value value = {e->key, e->data, e->n, NULL, NULL};
    const struct cel_net_answer *a;
    int rc;

    if (e->failed || !e->call.call)
        return cel_s3_put_now(r, e->key, e->data, e->n);
    rc = cel_remote_wait(&e->call, &a);
    if (rc != CEL_OK || a->status == 200)
        return rc;
    if (*a->region) /* perhaps that of the bucket, which is another than ours */
        return cel_s3_put_now(r, e->key, e->data, e->n);
    rc = cel_s3_put_refused(r, a, &value);
    return rc == CEL_ABSENT ? cel_fail(NC_EIO, "%s: cannot write it: the server answers 404", e->key) : rc;
}

/* With the lock held, which is released meanwhile. The entry is gone if all is well; else it stays, and this is why. */
static int land(struct cel_remote *r, struct cel_s3_behind_entry *e)
{
    struct cel_s3_behind *b = &r->behind;
    int rc;

    e->busy = true;
    cel_unlock(&b->lock);
    rc = take_answer(r, e);
    cel_remote_end(&e->call);
    cel_lock(&b->lock);
    e->busy = false;
    if (rc == CEL_OK) {
        remove_entry(b, e);
    } else {
        b->nfailed += !e->failed;
        e->failed = true;
        cel_status_save(&e->why);
    }
    cel_cond_wake_all(&b->landed);
    return rc;
}

/* With the lock held: until nobody waits for the key. NULL: it is not here. */
static struct cel_s3_behind_entry *wait_for_key(struct cel_s3_behind *b, const char *key)
{
    struct cel_s3_behind_entry *e;

    while ((e = find(b, key)) && e->busy)
        cel_cond_wait(&b->landed, &b->lock);
    return e;
}

/* --- calls ---------------------------------------------------------------------------------------- */

int cel_s3_behind_settle(struct cel_remote *r, const char *key)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_s3_behind_entry *e;
    int rc = CEL_OK;

    if (!b->n)
        return CEL_OK;
    cel_lock(&b->lock);
    while (rc == CEL_OK && (e = wait_for_key(b, key)))
        rc = land(r, e);
    cel_unlock(&b->lock);
    return rc;
}

void cel_s3_behind_replace(struct cel_remote *r, const char *key)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_s3_behind_entry *e;
    struct cel_status before;

    if (!b->n)
        return;
    cel_status_save(&before);
    cel_lock(&b->lock);
    while ((e = wait_for_key(b, key)))
        if (e->failed || land(r, e) != CEL_OK)
            remove_entry(b, e);
    cel_unlock(&b->lock);
    cel_status_restore(&before);
}

bool cel_s3_behind_has(struct cel_remote *r, const char *key)
{
    bool has = false;

    if (r->behind.n) {
        cel_lock(&r->behind.lock);
        has = find(&r->behind, key);
        cel_unlock(&r->behind.lock);
    }
    return has;
}

/* Until n bytes more have their place. False: something failed, and the next waits for its answer. */
static bool wait_for_budget(struct cel_remote *r, size_t n)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_s3_behind_entry *e;
    struct cel_status before;
    bool good;

    cel_status_save(&before);
    cel_lock(&b->lock);
    while (!b->nfailed && (b->n >= MOST || b->nbytes + n > BYTES_MAX) && (e = oldest_under_way(b))) {
        if (e->busy)
            cel_cond_wait(&b->landed, &b->lock);
        else
            land(r, e);
    }
    good = !b->nfailed;
    cel_unlock(&b->lock);
    cel_status_restore(&before);
    return good;
}

static struct cel_s3_behind_entry *make_entry(const char *key, const void *data, size_t n)
{
    struct cel_s3_behind_entry *e = cel_calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->key = cel_strdup(key);
    e->data = cel_memdup(data, n);
    e->n = n;
    if (e->key && e->data)
        return e;
    free_entry(e);
    return NULL;
}

/* It is in the list before it starts: from then on nobody fetches the old value ahead. */
static int start(struct cel_remote *r, struct cel_s3_behind_entry *e)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_remote_request request = {
        .method = "PUT", .key = e->key, .query = "", .body = e->data, .body_len = e->n};
    int rc;

    e->busy = true;
    cel_lock(&b->lock);
    append(b, e);
    cel_unlock(&b->lock);
    cel_ahead_forget(r, e->key);
    rc = cel_remote_start(r, &request, &e->call);
    cel_lock(&b->lock);
    e->busy = false;
    if (rc != CEL_OK)
        remove_entry(b, e);
    cel_cond_wake_all(&b->landed);
    cel_unlock(&b->lock);
    return rc;
}

/* It tells whether anything can be put at all, and of a new store whether somebody else makes it. */
static int put_first(struct cel_remote *r, const char *key, const void *data, size_t n)
{
    int rc = cel_s3_put(&r->store, key, data, n);

    if (rc == CEL_OK)
        r->behind.proven = true;
    return rc;
}

/* Large values go in parts, which are many requests already. */
int cel_s3_put_behind(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_s3_behind_entry *e;
    int rc = cel_s3_check_mine(r);

    if (rc != CEL_OK)
        return rc;
    if (!r->claimed || !r->behind.proven)
        return put_first(r, key, data, n);
    if (!n || n > CEL_S3_WHOLE || !wait_for_budget(r, n))
        return cel_s3_put(s, key, data, n);
    cel_s3_behind_replace(r, key);
    e = make_entry(key, data, n);
    return e ? start(r, e) : NC_ENOMEM;
}

/* Those that fail while this waits for them were asked for often enough. */
static int land_all(struct cel_remote *r)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_first_failure first = {0};
    struct cel_s3_behind_entry *e;

    cel_lock(&b->lock);
    while ((e = oldest_under_way(b))) {
        if (e->busy)
            cel_cond_wait(&b->landed, &b->lock);
        else
            cel_first_failure_note(&first, land(r, e));
    }
    cel_unlock(&b->lock);
    return cel_first_failure_restore(&first);
}

/* One that fails again ends it: the others would, too, after as many attempts each. */
static int retry_failed(struct cel_remote *r)
{
    struct cel_s3_behind *b = &r->behind;
    int rc = CEL_OK;

    cel_lock(&b->lock);
    while (rc == CEL_OK && b->first) {
        if (b->first->busy)
            cel_cond_wait(&b->landed, &b->lock);
        else
            rc = land(r, b->first);
    }
    cel_unlock(&b->lock);
    return rc;
}

int cel_s3_behind_flush(struct cel_store *s)
{
    struct cel_remote *r = cel_remote_of(s);
    bool failed_before;
    int rc;

    cel_lock(&r->behind.lock);
    failed_before = r->behind.nfailed;
    cel_unlock(&r->behind.lock);
    rc = land_all(r);
    return rc == CEL_OK && failed_before ? retry_failed(r) : rc;
}

/* Chunks, then documents: who is stopped in between leaves none that tells of chunks which never came. What failed is told
 * by the sync. */
int cel_s3_put_in_order(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct cel_status before;

    cel_status_save(&before);
    if (land_all(cel_remote_of(s)) != CEL_OK)
        cel_status_restore(&before);
    return cel_s3_put(s, key, data, n);
}

void cel_s3_behind_init(struct cel_s3_behind *b)
{
    cel_mutex_init(&b->lock);
    cel_cond_init(&b->landed);
}

void cel_s3_behind_dispose(struct cel_s3_behind *b)
{
    while (b->first)
        remove_entry(b, b->first);
    cel_cond_dispose(&b->landed);
    cel_mutex_dispose(&b->lock);
}
