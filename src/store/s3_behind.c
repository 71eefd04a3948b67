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

enum kind { VALUE, DOCUMENT, TRIAL /* of conditions: cel_s3_behind_try */, KINDS };

struct cel_s3_behind_entry {
    struct cel_s3_behind_entry *next;
    enum kind kind;
    char *key;
    struct cel_buf data;
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

/* KINDS: of any kind. */
static struct cel_s3_behind_entry *oldest_under_way(struct cel_s3_behind *b, enum kind kind)
{
    struct cel_s3_behind_entry *e = b->first;

    while (e && (e->failed || (kind != KINDS && e->kind != kind)))
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
    b->nbytes += e->data.len;
}

static void free_entry(struct cel_s3_behind *b, struct cel_s3_behind_entry *e)
{
    cel_remote_end(&e->call);
    cel_spares_give(&b->spares, &e->data);
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
    b->nbytes -= e->data.len;
    b->nfailed -= e->failed;
    free_entry(b, e);
    if (!b->n)
        cel_spares_drop(&b->spares);
}

/* --- answers ------------------------------------------------------------------------------------ */

static void take_trial(struct cel_remote *r, struct cel_s3_behind_entry *e)
{
    const struct cel_net_answer *a;
    struct cel_status before;

    cel_status_save(&before);
    if (cel_remote_wait(&e->call, &a) == CEL_OK)
        cel_s3_note_conditions(r, a);
    cel_status_restore(&before);
}

static int take_answer(struct cel_remote *r, struct cel_s3_behind_entry *e)
{
    struct cel_s3_value value = {e->key, e->data.data, e->data.len, NULL, NULL};
    const struct cel_net_answer *a;
    int rc;

    if (e->failed || !e->call.call)
        return cel_s3_put_now(r, e->key, e->data.data, e->data.len);
    rc = cel_remote_wait(&e->call, &a);
    if (rc != CEL_OK || a->status == 200)
        return rc;
    if (*a->region) /* perhaps that of the bucket, which is another than ours */
        return cel_s3_put_now(r, e->key, e->data.data, e->data.len);
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
    if (e->kind == TRIAL)
        take_trial(r, e), rc = CEL_OK;
    else
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
    while (!b->nfailed && (b->n >= MOST || b->nbytes + n > BYTES_MAX) && (e = oldest_under_way(b, KINDS))) {
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

static struct cel_s3_behind_entry *make_entry(struct cel_s3_behind *b, enum kind kind, const char *key,
                                              const void *data, size_t n)
{
    struct cel_s3_behind_entry *e = cel_calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->kind = kind;
    e->key = cel_strdup(key);
    e->data = cel_spares_take(&b->spares, CEL_S3_WHOLE);
    if (e->key && cel_buf_add(&e->data, data, n) == CEL_OK)
        return e;
    free_entry(b, e);
    return NULL;
}

/* It is in the list before it starts: from then on nobody fetches the old value ahead. */
static int start(struct cel_remote *r, struct cel_s3_behind_entry *e)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_remote_request request = {.method = "PUT",
                                         .key = e->key,
                                         .query = "",
                                         .header = &cel_s3_only_new,
                                         .nheaders = e->kind == TRIAL ? 1 : 0,
                                         .body = e->data.data,
                                         .body_len = e->data.len};
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

/* The first put tells whether anything can be put at all, and of a new store whether somebody else makes it. Large values go in
 * parts, which are many requests already. */
static int put_soon(struct cel_store *s, enum kind kind, const char *key, const void *data, size_t n)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_s3_behind_entry *e;
    int rc = cel_s3_check_mine(r);

    if (rc != CEL_OK)
        return rc;
    if (!r->claimed || !r->behind.proven || !n || n > CEL_S3_WHOLE || !wait_for_budget(r, n))
        return cel_s3_put(s, key, data, n);
    cel_s3_behind_replace(r, key);
    e = make_entry(&r->behind, kind, key, data, n);
    return e ? start(r, e) : NC_ENOMEM;
}

int cel_s3_put_behind(struct cel_store *s, const char *key, const void *data, size_t n)
{
    return put_soon(s, VALUE, key, data, n);
}

void cel_s3_behind_try(struct cel_remote *r, const char *key, const void *data, size_t n)
{
    struct cel_s3_behind_entry *e;
    struct cel_status before;

    cel_status_save(&before);
    e = make_entry(&r->behind, TRIAL, key, data, n);
    if (e)
        start(r, e);
    cel_status_restore(&before);
}

/* All of that kind. Those that fail while this waits for them were asked for often enough. */
static int land_all(struct cel_remote *r, enum kind kind)
{
    struct cel_s3_behind *b = &r->behind;
    struct cel_first_failure first = {0};
    struct cel_s3_behind_entry *e;

    cel_lock(&b->lock);
    while ((e = oldest_under_way(b, kind))) {
        if (e->busy)
            cel_cond_wait(&b->landed, &b->lock);
        else
            cel_first_failure_note(&first, land(r, e));
    }
    cel_unlock(&b->lock);
    return cel_first_failure_restore(&first);
}

void cel_s3_behind_end_try(struct cel_remote *r)
{
    land_all(r, TRIAL);
}

/* Chunks, then documents: who is stopped in between leaves none that tells of chunks which never came. What failed is told
 * by the sync. */
static void land_before(struct cel_remote *r, enum kind kind)
{
    struct cel_status before;

    cel_status_save(&before);
    if (land_all(r, kind) != CEL_OK)
        cel_status_restore(&before);
}

int cel_s3_put_document(struct cel_store *s, const char *key, const void *data, size_t n)
{
    land_before(cel_remote_of(s), VALUE);
    return put_soon(s, DOCUMENT, key, data, n);
}

int cel_s3_put_in_order(struct cel_store *s, const char *key, const void *data, size_t n)
{
    land_before(cel_remote_of(s), KINDS);
    return cel_s3_put(s, key, data, n);
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
    rc = land_all(r, KINDS);
    return rc == CEL_OK && failed_before ? retry_failed(r) : rc;
}

void cel_s3_behind_init(struct cel_s3_behind *b)
{
    cel_mutex_init(&b->lock);
    cel_cond_init(&b->landed);
    cel_spares_init(&b->spares);
}

void cel_s3_behind_dispose(struct cel_s3_behind *b)
{
    while (b->first)
        remove_entry(b, b->first);
    cel_spares_dispose(&b->spares);
    cel_cond_dispose(&b->landed);
    cel_mutex_dispose(&b->lock);
}
