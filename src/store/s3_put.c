/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing values to S3. A value that was read and changed is put on the condition that it is still the one that was read (If-Match,
 * or If-None-Match: * if there was none). If two writers change a value at the same time, the second is told so and reads it
 * again. A server that accepts a put which it should have refused, or answers 501, ignores conditions: this gives one warning, and so
 * does a value without an ETag. */
#include "mem.h"
#include "store_remote_int.h"
#include <netcdf.h>
#include <string.h>

const struct cel_net_header cel_s3_only_new = {"if-none-match", "*"};

int cel_s3_put_refused(struct cel_remote *r, const struct cel_net_answer *a, const struct cel_s3_value *v)
{
    if (v->condition && a->status == 501)
        return CEL_SKIP;
    if (v->condition && (a->status == 409 || (a->status == 404 && !cel_remote_says(a, "NoSuchUpload"))))
        return cel_fail(NC_EEXIST, "%s: it was changed or removed meanwhile", v->key);
    return cel_remote_refused(r, a, "write", v->key);
}

static int put_whole(struct cel_remote *r, const struct cel_s3_value *v, int *attempts)
{
    struct cel_remote_request request = {.method = "PUT",
                                         .key = v->key,
                                         .query = "",
                                         .header = v->condition,
                                         .nheaders = v->condition ? 1 : 0,
                                         .body = v->data ? v->data : "",
                                         .body_len = v->n};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    int rc = cel_remote_ask(r, &request, &call, &a);

    if (rc == CEL_OK)
        *attempts = a->attempts;
    if (rc == CEL_OK && a->status == 200 && v->etag)
        memcpy(v->etag, a->etag, CEL_NET_TEXT);
    if (rc == CEL_OK && a->status != 200)
        rc = cel_s3_put_refused(r, a, v);
    cel_remote_end(&call);
    return rc == CEL_ABSENT ? cel_fail(NC_EIO, "%s: cannot write it: the server answers 404", v->key) : rc;
}

/* Is it what an earlier attempt of ours put, whose answer was lost? */
static bool is_stored(struct cel_remote *r, const struct cel_s3_value *v)
{
    struct cel_buf now = CEL_BUF_INIT(v->n + 1);
    bool same = cel_remote_get(&r->store, v->key, &now) == CEL_OK && now.len == v->n &&
                (!v->n || memcmp(now.data, v->data, v->n) == 0);

    cel_buf_dispose(&now);
    return same;
}

static int put_once(struct cel_remote *r, const struct cel_s3_value *v, int *attempts)
{
    return v->n > CEL_S3_WHOLE ? cel_s3_put_parts(r, v, attempts) : put_whole(r, v, attempts);
}

static void note_ignored(struct cel_remote *r)
{
    if (atomic_exchange(&r->conditions, CEL_S3_IGNORED) != CEL_S3_IGNORED)
        cel_warn("%s: the server ignores conditions: two programs that make the same dataset, or change the same shard "
                 "at the same time, are not kept apart",
                 r->store.path);
}

/* NC_EEXIST: the condition does not hold. */
static int put_value(struct cel_remote *r, const struct cel_s3_value *v)
{
    struct cel_s3_value unconditional = {v->key, v->data, v->n, NULL, v->etag};
    int attempts = 0, rc = put_once(r, v, &attempts);

    if (rc == CEL_SKIP) {
        note_ignored(r);
        rc = put_once(r, &unconditional, &attempts);
    }
    return rc == NC_EEXIST && attempts > 1 && is_stored(r, v) ? CEL_OK : rc;
}

/* Puts a value where there is one: a server that looks at conditions refuses. *done: it did not. */
static int try_conditions(struct cel_remote *r, const struct cel_s3_value *v, bool *done)
{
    struct cel_s3_value again = {v->key, v->data, v->n, &cel_s3_only_new, v->etag};
    int attempts, rc = put_once(r, &again, &attempts);

    *done = rc == CEL_OK;
    if (rc == CEL_OK || rc == CEL_SKIP) {
        note_ignored(r);
    } else if (rc == NC_EEXIST) {
        cel_error_clear();
        r->conditions = CEL_S3_HONOURED;
    }
    return rc == NC_EEXIST || rc == CEL_SKIP ? CEL_OK : rc;
}

void cel_s3_note_conditions(struct cel_remote *r, const struct cel_net_answer *a)
{
    if (a->status == 200 || a->status == 501)
        note_ignored(r);
    else if (a->status == 412 || a->status == 409)
        r->conditions = CEL_S3_HONOURED;
}

static int put_new(struct cel_remote *r, struct cel_s3_value *v)
{
    v->condition = r->conditions == CEL_S3_IGNORED ? NULL : &cel_s3_only_new;
    return put_value(r, v);
}

static int put_new_and_try(struct cel_remote *r, struct cel_s3_value *v)
{
    bool done;
    int rc = put_new(r, v);

    return rc == CEL_OK && r->conditions == CEL_S3_UNTRIED ? try_conditions(r, v, &done) : rc;
}

/* The first value of a store that is made is put only where there is none: of two who make one store at the same time
 * one fails. What lies there is the other's from then on, and nothing of it is changed. */
static int claim(struct cel_remote *r, struct cel_s3_value *v)
{
    int rc = put_new(r, v);

    if (rc == CEL_OK)
        r->store.created = true;
    else if (rc == NC_EEXIST)
        r->lost = true;
    if (rc == CEL_OK && r->conditions == CEL_S3_UNTRIED && v->n <= CEL_S3_WHOLE)
        cel_s3_behind_try(r, v->key, v->data, v->n);
    return rc;
}

int cel_s3_check_mine(const struct cel_remote *r)
{
    return r->lost ? cel_fail(NC_EEXIST, "%s: somebody else made it at the same time; nothing of it is changed",
                              r->store.path)
                   : CEL_OK;
}

int cel_s3_put_now(struct cel_remote *r, const char *key, const void *data, size_t n)
{
    struct cel_s3_value v = {key, data, n, NULL, NULL};
    int attempts;

    return put_once(r, &v, &attempts);
}

/* Forgotten before and after: what is fetched ahead while it is put is the old value. */
int cel_s3_put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_s3_value v = {key, data, n, NULL, NULL};
    int rc = cel_s3_check_mine(r);

    if (rc != CEL_OK)
        return rc;
    cel_s3_behind_replace(r, key);
    cel_ahead_forget(r, key);
    rc = atomic_exchange(&r->claimed, true) ? put_value(r, &v) : claim(r, &v);
    cel_ahead_forget(r, key);
    if (rc == CEL_OK)
        r->behind.proven = true;
    return rc;
}

static bool is_absent(const struct cel_store_mark *mark)
{
    static const struct cel_store_mark absent;

    return memcmp(mark->word, absent.word, sizeof absent.word) == 0;
}

/* The server honours conditions, and has no word for what is there that could be one. */
static void warn_of_mark(struct cel_remote *r, const char *key)
{
    if (!atomic_exchange(&r->warned_of_marks, true))
        cel_warn("%s: %s: the server tells no ETag that a condition can name (it is missing, weak or overlong): two "
                 "programs that change the same shard at the same time are not kept apart",
                 r->store.path, key);
}

static int put_over(struct cel_remote *r, const struct cel_store_mark *mark, struct cel_s3_value *v)
{
    struct cel_net_header header = {"if-match", cel_remote_condition(mark)};
    bool done = false;
    int rc = r->conditions == CEL_S3_UNTRIED ? try_conditions(r, v, &done) : CEL_OK;

    if (rc != CEL_OK || done)
        return rc;
    if (r->conditions == CEL_S3_HONOURED && !header.value)
        warn_of_mark(r, v->key);
    v->condition = header.value && r->conditions == CEL_S3_HONOURED ? &header : NULL;
    return put_value(r, v);
}

int cel_s3_put_if(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data, size_t n,
                  struct cel_store_mark *now)
{
    struct cel_remote *r = cel_remote_of(s);
    char etag[CEL_NET_TEXT] = "";
    struct cel_s3_value v = {key, data, n, NULL, etag};
    int rc = cel_s3_check_mine(r);

    if (rc == CEL_OK)
        rc = cel_s3_behind_settle(r, key);
    if (rc != CEL_OK)
        return rc;
    if (mark && r->conditions == CEL_S3_UNTRIED)
        cel_s3_behind_end_try(r);
    cel_ahead_forget(r, key);
    r->claimed = true;
    rc = !mark ? put_value(r, &v) : is_absent(mark) ? put_new_and_try(r, &v) : put_over(r, mark, &v);
    cel_ahead_forget(r, key);
    cel_remote_mark_etag(etag, now);
    if (rc == NC_EEXIST)
        cel_error_clear();
    return rc == NC_EEXIST ? CEL_STALE : rc;
}
