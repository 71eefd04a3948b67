/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading values over HTTP, from web servers and S3: whole values, ranges, and sizes. A value's mark is its ETag, or, without one,
 * its date and size. A range of a marked value is requested on the condition that the value still has that mark, and the response
 * must confirm it. */
#include "store_remote_int.h"
#include "env.h"
#include "mem.h"
#include "store_cache.h"
#include "url.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define URL_MAX ((size_t)1 << 20)

/* --- requests ------------------------------------------------------------------------- */

static int current_target(struct cel_remote *r, struct cel_target **out)
{
    int rc = CEL_OK;

    cel_lock(&r->lock);
    if (r->is_s3 && cel_credentials_end(&r->target->who, time(NULL)))
        rc = cel_s3_retarget(r, NULL);
    *out = r->target;
    cel_unlock(&r->lock);
    return rc;
}

static int make_url(const struct cel_remote *r, const struct cel_target *target,
                    const struct cel_remote_request *request, char **out)
{
    struct cel_buf url = CEL_BUF_INIT(URL_MAX);
    bool both = *target->query && *request->query;
    int rc = cel_buf_puts(&url, target->base);

    if (rc == CEL_OK && request->key && r->root)
        rc = cel_url_encode(r->root, true, &url);
    if (rc == CEL_OK && request->key)
        rc = cel_url_encode(request->key, true, &url);
    if (rc == CEL_OK && (*target->query || *request->query))
        rc = cel_buf_printf(&url, "?%s%s%s", target->query, both ? "&" : "", request->query);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&url, out);
    cel_buf_dispose(&url);
    return rc;
}

/* --- the cache on disk -------------------------------------------------------------------- */

static bool may_be_cached(const struct cel_remote_request *request)
{
    return strcmp(request->method, "GET") == 0 && request->key && (request->ranged || request->into) &&
           cel_cache_is_on();
}

static struct cel_cache_part part_of(const struct cel_remote_request *request, const char *url)
{
    return (struct cel_cache_part){
        .url = url, .offset = request->ranged ? request->offset : 0, .n = request->ranged ? request->n : SIZE_MAX};
}

/* A range of a value that must have an ETag ends with it: no request is made. A whole value is asked for on condition that
 * it has another one. */
static bool look_in_cache(const struct cel_remote_request *request, struct cel_remote_call *call)
{
    struct cel_cache_part part = part_of(request, call->url);
    const char *condition = NULL;

    for (size_t i = 0; i < request->nheaders; i++)
        if (strcmp(request->header[i].name, "if-match") == 0)
            condition = request->header[i].value;
    if (!may_be_cached(request) || (request->ranged && !condition))
        return false;
    call->into = request->ranged ? NULL : request->into;
    call->dst = request->dst;
    call->offset = part.offset;
    call->n = request->n;
    call->kept = CEL_BUF_INIT(request->ranged ? request->n : request->into->max);
    call->keeps = true;
    if (!cel_cache_take(&part, call->kept_etag, &call->kept))
        call->kept_etag[0] = '\0';
    if (request->ranged && strcmp(call->kept_etag, condition) != 0)
        call->kept_etag[0] = '\0';
    return request->ranged && *call->kept_etag;
}

/* The answer that the server would have given. */
static int answer_from_cache(struct cel_remote_call *call, const struct cel_net_answer **answer)
{
    struct cel_net_answer *a = &call->answer;
    int rc = CEL_OK;

    *a = (struct cel_net_answer){.status = call->into ? 200 : 206, .length = call->kept.len, .total = UINT64_MAX};
    memcpy(a->etag, call->kept_etag, sizeof a->etag);
    if (call->into) {
        rc = cel_buf_resize(call->into, call->kept.len);
        if (rc == CEL_OK && call->kept.len)
            memcpy(call->into->data, call->kept.data, call->kept.len);
    } else if (call->kept.len) {
        memcpy(call->dst, call->kept.data, call->kept.len);
    }
    cel_net_note_cached(call->kept.len);
    *answer = a;
    return rc;
}

static void keep_answer(struct cel_remote_call *call, const struct cel_net_answer *a)
{
    struct cel_cache_part part = {.url = call->url, .offset = call->offset, .n = call->into ? SIZE_MAX : call->n};

    if (call->keeps && (call->into ? a->status == 200 : a->status == 206))
        cel_cache_keep(&part, a->etag, call->into ? call->into->data : call->dst,
                       call->into ? call->into->len : call->n);
}

int cel_remote_start(struct cel_remote *r, const struct cel_remote_request *request, struct cel_remote_call *call)
{
    struct cel_target *target;
    struct cel_net_request net = {.method = request->method,
                                  .header = call->header,
                                  .nheaders = request->nheaders,
                                  .body = request->body,
                                  .body_len = request->body_len,
                                  .ranged = request->ranged,
                                  .offset = request->offset,
                                  .n = request->n,
                                  .dst = request->dst,
                                  .into = request->into,
                                  .budget = request->budget,
                                  .body_max = (size_t)64 << 20};
    int rc = current_target(r, &target);

    *call = (struct cel_remote_call){0};
    if (rc == CEL_OK)
        rc = make_url(r, target, request, &call->url);
    if (rc != CEL_OK)
        return rc;
    for (size_t i = 0; i < request->nheaders; i++)
        call->header[i] = request->header[i];
    if (r->pays)
        call->header[net.nheaders++] = (struct cel_net_header){"x-amz-request-payer", "requester"};
    call->region = target->region;
    if (look_in_cache(request, call))
        return CEL_OK;
    if (*call->kept_etag)
        call->header[net.nheaders++] = (struct cel_net_header){"if-none-match", call->kept_etag};
    net.url = call->url;
    net.priority = request->ahead ? CEL_NET_AHEAD : CEL_NET_NOW;
    net.signer = r->is_s3 && target->who.key ? &target->signer : NULL;
    net.login = !r->is_s3 && target->who.key ? &target->who : NULL;
    return cel_net_start(&net, &call->call);
}

int cel_remote_wait(struct cel_remote_call *call, const struct cel_net_answer **answer)
{
    int rc;

    if (!call->call && *call->kept_etag)
        return answer_from_cache(call, answer);
    rc = cel_net_wait(call->call, answer);
    if (rc == CEL_OK && (*answer)->status == 304 && *call->kept_etag)
        return answer_from_cache(call, answer);
    if (rc == CEL_OK)
        keep_answer(call, *answer);
    call->keeps = false; /* once */
    return rc;
}

void cel_remote_end(struct cel_remote_call *call)
{
    cel_net_free(call->call);
    cel_buf_dispose(&call->kept);
    free(call->url);
    *call = (struct cel_remote_call){0};
}

/* The bucket is in another region, which the answer names. */
static bool is_in_other_region(const struct cel_remote *r, const struct cel_net_answer *a, const char *region)
{
    return r->is_aws && (a->status == 301 || a->status == 307 || a->status == 400 || a->status == 403) && *a->region &&
           strcmp(a->region, region) != 0;
}

static int move_to(struct cel_remote *r, const char *region)
{
    int rc = CEL_OK;

    cel_lock(&r->lock);
    if (strcmp(r->target->region, region) != 0)
        rc = cel_s3_retarget(r, region);
    cel_unlock(&r->lock);
    return rc;
}

int cel_remote_ask(struct cel_remote *r, const struct cel_remote_request *request, struct cel_remote_call *call,
                   const struct cel_net_answer **answer)
{
    char other[CEL_NET_TEXT];
    int rc = cel_remote_start(r, request, call);

    if (rc == CEL_OK)
        rc = cel_remote_wait(call, answer);
    if (rc != CEL_OK || !is_in_other_region(r, *answer, call->region))
        return rc;
    memcpy(other, (*answer)->region, sizeof other);
    cel_remote_end(call);
    rc = move_to(r, other);
    if (rc == CEL_OK)
        rc = cel_remote_start(r, request, call);
    return rc == CEL_OK ? cel_remote_wait(call, answer) : rc;
}

/* --- what is not good ------------------------------------------------------------------- */

/* S3's own word for it: " AccessDenied", or "". */
static void find_code(const struct cel_net_answer *a, char out[64])
{
    const char *at = a->body.data;
    struct cel_xml_text code;

    out[0] = '\0';
    if (at && cel_xml_next(&at, at + a->body.len, "Code", &code) && code.len < 60 && !memchr(code.text, '<', code.len))
        snprintf(out, 64, " %.*s", (int)code.len, code.text);
}

bool cel_remote_says(const struct cel_net_answer *a, const char *word)
{
    char code[64];

    find_code(a, code);
    return *code && strcmp(code + 1, word) == 0;
}

static bool is_somebody(struct cel_remote *r)
{
    bool is;

    cel_lock(&r->lock);
    is = r->target->who.key;
    cel_unlock(&r->lock);
    return is;
}

static int forbidden(struct cel_remote *r, int status, const char *code, const char *doing, const char *key)
{
    const char *who = !r->is_s3 ? is_somebody(r) ? "; it was asked with the name and password of the settings" : ""
                      : is_somebody(r) ? "; S3 says so of a missing key, too, to those who may not list the bucket"
                                       : "; no credentials were found (docs/network.md says where they are looked for)";

    return cel_fail(status == 401 ? NC_EAUTH : NC_EACCESS, "%s: the server does not allow to %s it (%d%s)%s", key,
                    doing, status, code, who);
}

int cel_remote_refused(struct cel_remote *r, const struct cel_net_answer *a, const char *doing, const char *key)
{
    char code[64];

    find_code(a, code);
    if (a->status == 404 && strcmp(code, " NoSuchBucket") != 0)
        return CEL_ABSENT;
    if (a->status == 404)
        return cel_fail(NC_ENOTFOUND, "there is no bucket '%s'", r->bucket);
    if (a->status == 410)
        return CEL_ABSENT;
    if (a->status == 401 || a->status == 403)
        return forbidden(r, a->status, code, doing, key);
    if (a->status == 412)
        return cel_fail(NC_EEXIST, "%s: cannot %s it: it is there already, or was changed meanwhile", key, doing);
    if (a->status == 409)
        return cel_fail(NC_EIO, "%s: cannot %s it: somebody else changes it at this moment (409%s); try again", key,
                        doing, code);
    if (a->status == 501)
        return cel_fail(NC_EIO, "%s: cannot %s it: the server lacks what it takes (501%s)", key, doing, code);
    return cel_fail(NC_EIO, "%s: cannot %s it: the server answers %d%s after %d attempt%s", key, doing, a->status, code,
                    a->attempts, a->attempts == 1 ? "" : "s");
}

/* --- marks --------------------------------------------------------------------------------- */

enum { OF_ETAG = 0, OF_HASH = 1, OF_DATE = 2 }; /* the last byte of a mark; the others hold the text */
#define MARK_TEXT (sizeof((struct cel_store_mark *)0)->word - 1)

static void set_mark(struct cel_store_mark *mark, char kind, const void *text, size_t n)
{
    char *bytes = (char *)mark->word;

    *mark = (struct cel_store_mark){.known = true};
    memcpy(bytes, text, n < MARK_TEXT ? n : MARK_TEXT);
    bytes[MARK_TEXT] = kind;
}

static void mark_of(const struct cel_net_answer *a, uint64_t size, struct cel_store_mark *mark)
{
    unsigned char hash[CEL_SHA256_SIZE];
    char text[CEL_NET_TEXT + 32];
    size_t n = strlen(a->etag);

    if (n && n < MARK_TEXT) {
        set_mark(mark, OF_ETAG, a->etag, n);
        return;
    }
    n = (size_t)snprintf(text, sizeof text, "%s %s %llu", a->etag, a->modified, (unsigned long long)size);
    cel_sha256(text, n, hash);
    set_mark(mark, *a->etag ? OF_HASH : OF_DATE, hash, sizeof hash);
    mark->known = *a->etag || *a->modified;
}

void cel_remote_mark_etag(const char *etag, struct cel_store_mark *mark)
{
    size_t n = strlen(etag);

    *mark = (struct cel_store_mark){0};
    if (n && n < MARK_TEXT)
        set_mark(mark, OF_ETAG, etag, n);
}

/* An ETag that can be a condition: weak ones (W/"...") match nothing. */
const char *cel_remote_condition(const struct cel_store_mark *mark)
{
    const char *bytes = (const char *)mark->word;

    return mark->known && bytes[MARK_TEXT] == OF_ETAG && bytes[0] == '"' ? bytes : NULL;
}

/* --- verbs ----------------------------------------------------------------------------------- */

int cel_remote_get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_remote_request request = {.method = "GET", .key = key, .query = "", .into = out};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    int rc = cel_s3_behind_settle(r, key);

    if (rc == CEL_OK)
        rc = cel_ahead_take(r, &(struct cel_part_of){.key = key, .whole = true}, out, NULL);
    if (rc != CEL_SKIP)
        return rc;
    out->len = 0;
    rc = cel_remote_ask(r, &request, &call, &a);
    if (rc == CEL_OK && a->status != 200)
        rc = cel_remote_refused(r, a, "read", key);
    cel_remote_end(&call);
    return rc;
}

static void warn_of_ranges(struct cel_remote *r)
{
    if (!atomic_exchange(&r->warned, true))
        cel_warn("%s: the server ignores ranges, and sends whole values where parts are asked for", r->store.path);
}

static int too_short(const char *key, uint64_t offset, size_t n)
{
    return cel_fail(NC_EIO, "%s: it has too few bytes for %zu from %llu on", key, n, (unsigned long long)offset);
}

/* Of the whole value. */
static uint64_t size_of(const struct cel_net_answer *a)
{
    return a->total != UINT64_MAX || a->status == 206 ? a->total : a->length;
}

bool cel_remote_is_of(const struct cel_net_answer *a, const struct cel_store_mark *mark)
{
    struct cel_store_mark now;

    mark_of(a, size_of(a), &now);
    return !mark || !mark->known || cel_store_mark_same(mark, &now);
}

/* The range came; of the value that is meant? */
static int check_part(struct cel_remote *r, const struct cel_net_answer *a, const struct cel_store_mark *mark,
                      const char *key)
{
    if (a->status == 412 || (a->status == 404 && mark && mark->known))
        return CEL_STALE;
    if (a->status != 206 && a->status != 200)
        return cel_remote_refused(r, a, "read", key);
    if (a->range_ignored)
        warn_of_ranges(r);
    return cel_remote_is_of(a, mark) ? CEL_OK : CEL_STALE;
}

int cel_remote_get_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                            size_t n, void *dst)
{
    struct cel_remote *r = cel_remote_of(s);
    const char *condition = mark ? cel_remote_condition(mark) : NULL;
    struct cel_net_header header = {"if-match", condition};
    struct cel_remote_request request = {.method = "GET",
                                         .key = key,
                                         .query = "",
                                         .header = &header,
                                         .nheaders = condition ? 1 : 0,
                                         .ranged = n > 0,
                                         .offset = offset,
                                         .n = n,
                                         .dst = dst};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    int rc;

    if (!n)
        request.method = "HEAD";
    rc = cel_s3_behind_settle(r, key);
    if (rc == CEL_OK)
        rc = cel_ahead_take(r, &(struct cel_part_of){.key = key, .offset = offset, .n = n, .mark = mark}, NULL, dst);
    if (rc != CEL_SKIP)
        return rc;
    rc = cel_remote_ask(r, &request, &call, &a);
    if (rc == CEL_OK)
        rc = check_part(r, a, mark, key);
    else if (rc == CEL_BEYOND)
        rc = mark && check_part(r, a, mark, key) == CEL_STALE ? CEL_STALE : too_short(key, offset, n);
    cel_remote_end(&call);
    return rc;
}

int cel_remote_get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    return cel_remote_get_range_of(s, key, NULL, offset, n, dst);
}

void cel_remote_want(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset, size_t n)
{
    struct cel_part_of part = {
        .key = key, .whole = n == SIZE_MAX, .offset = offset, .n = n == SIZE_MAX ? 0 : n, .mark = mark};

    if (!cel_s3_behind_has(cel_remote_of(s), key))
        cel_ahead_want(cel_remote_of(s), &part);
}

/* Fewer than n bytes, as the answer says: they are asked for again, on condition that they are the same. */
static int get_short(struct cel_store *s, const char *key, void *dst, size_t *n, const struct cel_store_mark *mark,
                     uint64_t size)
{
    int rc = CEL_OK;

    if (size >= *n)
        return cel_fail(NC_EIO, "%s: the server says that it has %llu bytes, and sends fewer", key,
                        (unsigned long long)size);
    *n = (size_t)size;
    if (*n)
        rc = cel_remote_get_range_of(s, key, mark, 0, *n, dst);
    return rc == CEL_STALE ? cel_fail(NC_EIO, "%s: it changed while it was looked at", key) : rc;
}

static int check_size(uint64_t size, const char *key)
{
    if (size == UINT64_MAX)
        return cel_fail(NC_EIO, "%s: the server does not tell its size", key);
    return size <= INT64_MAX ? CEL_OK
                             : cel_fail(NC_EIO, "%s: the server says that it has %llu bytes, which cannot be", key,
                                        (unsigned long long)size);
}

/* Of an answer to the request for its first bytes; beyond: it has fewer, perhaps none (416). */
static int note_size(struct cel_remote *r, const struct cel_net_answer *a, bool beyond, const char *key,
                     struct cel_store_mark *mark, uint64_t *size)
{
    *size = beyond && a->status == 416 && a->total == UINT64_MAX ? 0 : size_of(a);
    mark_of(a, *size, mark);
    if (a->range_ignored)
        warn_of_ranges(r);
    return check_size(*size, key);
}

int cel_remote_get_first(struct cel_store *s, const char *key, void *dst, size_t *n, struct cel_store_mark *mark,
                         uint64_t *size)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_remote_request request = {.method = "GET", .key = key, .query = "", .ranged = true, .n = *n, .dst = dst};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    int rc = cel_s3_behind_settle(r, key);
    bool beyond;

    if (rc == CEL_OK)
        rc = cel_remote_ask(r, &request, &call, &a);
    beyond = rc == CEL_BEYOND;
    if (rc == CEL_OK && a->status != 200 && a->status != 206)
        rc = cel_remote_refused(r, a, "read", key);
    if (rc == CEL_OK || beyond)
        rc = note_size(r, a, beyond, key, mark, size);
    cel_remote_end(&call);
    return rc == CEL_OK && beyond ? get_short(s, key, dst, n, mark, *size) : rc;
}

/* Of a server that answers no HEAD, or was asked with a signature for GET alone: by the first byte. */
static int stat_by_get(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size)
{
    size_t n = 1;
    char byte;

    return cel_remote_get_first(s, key, &byte, &n, mark, size);
}

static bool needs_get(const struct cel_remote *r, const struct cel_net_answer *a)
{
    return (a->status == 200 && a->length == UINT64_MAX) ||
           (!r->is_s3 && (a->status == 403 || a->status == 405 || a->status == 501));
}

int cel_remote_stat(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_remote_request request = {.method = "HEAD", .key = key, .query = ""};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    bool ask_again = false;
    int rc = cel_s3_behind_settle(r, key);

    if (rc == CEL_OK)
        rc = cel_remote_ask(r, &request, &call, &a);
    if (rc == CEL_OK)
        ask_again = needs_get(r, a);
    if (rc == CEL_OK && !ask_again && a->status != 200)
        rc = cel_remote_refused(r, a, "look at", key);
    if (rc == CEL_OK && !ask_again) {
        *size = a->length;
        mark_of(a, *size, mark);
        rc = check_size(*size, key);
    }
    cel_remote_end(&call);
    return rc == CEL_OK && ask_again ? stat_by_get(s, key, mark, size) : rc;
}

int cel_remote_size(struct cel_store *s, const char *key, uint64_t *size)
{
    struct cel_store_mark mark;
    int rc = cel_ahead_size(cel_remote_of(s), key, size);

    if (rc == CEL_SKIP && cel_s3_sizes_find(&cel_remote_of(s)->sizes, key, size))
        return CEL_OK;
    return rc == CEL_SKIP ? cel_remote_stat(s, key, &mark, size) : rc;
}

/* --- its life ----------------------------------------------------------------------------------- */

int cel_remote_make(const char *path, const struct cel_store_ops *ops, enum cel_store_mode mode,
                    struct cel_remote **out)
{
    struct cel_remote *r = cel_calloc(1, sizeof *r);
    int rc;

    *out = NULL;
    if (!r)
        return NC_ENOMEM;
    cel_mutex_init(&r->lock);
    cel_ahead_init(&r->ahead);
    cel_s3_sizes_init(&r->sizes);
    cel_s3_behind_init(&r->behind);
    rc = cel_store_init(&r->store, ops, path, mode);
    if (rc == CEL_OK)
        *out = r;
    else
        cel_store_abandon(&r->store);
    return rc;
}

void cel_target_free(struct cel_target *t)
{
    cel_credentials_dispose(&t->who);
    free(t->base);
    free(t->query);
    free(t->region);
    free(t);
}

void cel_remote_free(struct cel_store *s)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_target *older;

    cel_s3_behind_dispose(&r->behind);
    cel_ahead_dispose(&r->ahead);
    cel_s3_sizes_dispose(&r->sizes);
    cel_net_report();
    for (struct cel_target *t = r->target; t; t = older) {
        older = t->older;
        cel_target_free(t);
    }
    cel_mutex_dispose(&r->lock);
    cel_env_settings_release(r->settings);
    free(r->endpoint);
    free(r->bucket);
    free(r->root);
    free(r);
}

/* --- which kind ----------------------------------------------------------------------------------- */

static bool has_scheme(const char *url, const char *scheme)
{
    size_t n = strlen(scheme);

    return strncasecmp(url, scheme, n) == 0 && strncmp(url + n, "://", 3) == 0;
}

int cel_store_open_url(const char *url, bool s3, enum cel_store_mode mode, struct cel_store **out)
{
    bool web = has_scheme(url, "http") || has_scheme(url, "https");

    *out = NULL;
    if (has_scheme(url, "s3") || has_scheme(url, "gs") || (web && s3))
        return cel_store_open_s3(url, mode, out);
    return web ? cel_store_open_http(url, mode, out)
               : cel_fail(NC_ENOTBUILT, "URLs that are opened begin with http, https, s3 or gs");
}
