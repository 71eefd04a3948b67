/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in a bucket of S3 or of a compatible server. A value appears, complete, when its put ends; keys are listed
 * a thousand at a time. There is no lock: a changed value is put on the condition that it is still the one that was read. */
#include "listing.h"
#include "mem.h"
#include "number.h"
#include "store_remote_int.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 20)
#define ERASED_AT_ONCE 32

/* --- erasing ---------------------------------------------------------------------------- */

static int check_erased(struct cel_remote *r, const struct cel_net_answer *a, const char *key)
{
    int rc = a->status == 204 || a->status == 200 ? CEL_OK : cel_remote_refused(r, a, "remove", key);

    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int erase(struct cel_store *s, const char *key)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_remote_request request = {.method = "DELETE", .key = key, .query = ""};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    uint64_t size;
    int rc = cel_s3_check_mine(r);

    if (rc == CEL_OK)
        rc = cel_s3_behind_flush(s); /* what takes its place may be among those under way */
    if (rc == CEL_OK)
        rc = cel_remote_size(s, key, &size); /* DELETE does not tell whether there was one */
    if (rc != CEL_OK)
        return rc;
    cel_ahead_forget(r, key);
    rc = cel_remote_ask(r, &request, &call, &a);
    if (rc == CEL_OK)
        rc = check_erased(r, a, key);
    cel_remote_end(&call);
    cel_ahead_forget(r, key);
    return rc;
}

/* --- lists ---------------------------------------------------------------------------------- */

/* What is done with each key (from `skip` on) or prefix of a page. */
struct page {
    int (*take)(void *context, const char *name, size_t len, bool is_prefix);
    void *context;
    const char *root, *prefix; /* what all names begin with, one behind the other */
    size_t skip;
    struct cel_s3_sizes *sizes; /* NULL: they are not kept, as the store may be written */
    bool encoded;               /* names are percent-encoded, with '+' for spaces */
};

static bool begins_with(const char *name, const char *root, const char *prefix)
{
    size_t n = strlen(root);

    return strncmp(name, root, n) == 0 && strncmp(name + n, prefix, strlen(prefix)) == 0;
}

static void note_size(const struct page *p, const char *name, struct cel_xml_text inside)
{
    const char *at = inside.text;
    struct cel_xml_text text;
    uint64_t size;

    if (p->sizes && cel_xml_next(&at, inside.text + inside.len, "Size", &text) &&
        cel_parse_uint(text.text, text.len, &size) && size <= INT64_MAX)
        cel_s3_sizes_note(p->sizes, name + strlen(p->root), size);
}

/* The name that a page spells in inner, without the '/' at the end of a prefix. */
static int decode_name(const struct page *p, struct cel_xml_text inner, bool is_prefix, struct cel_buf *name)
{
    struct cel_buf text = CEL_BUF_INIT(TEXT_MAX);
    int rc = cel_xml_decode(inner, &text);

    for (size_t i = 0; rc == CEL_OK && p->encoded && i < text.len; i++)
        if (text.data[i] == '+')
            text.data[i] = ' ';
    if (rc == CEL_OK)
        rc = p->encoded ? cel_url_decode(text.data, text.len - 1, name) : cel_buf_add(name, text.data, text.len - 1);
    if (rc == CEL_OK && is_prefix && name->len && name->data[name->len - 1] == '/')
        name->len--;
    if (rc == CEL_OK)
        rc = cel_buf_add(name, "", 1);
    cel_buf_dispose(&text);
    return rc;
}

/* inner: of the part of a page that is about it. */
static int take_name(const struct page *p, struct cel_xml_text part, struct cel_xml_text inner, bool is_prefix)
{
    struct cel_buf name = CEL_BUF_INIT(TEXT_MAX);
    int rc = decode_name(p, inner, is_prefix, &name);

    if (rc == CEL_OK && name.len - 1 > p->skip && begins_with(name.data, p->root, p->prefix)) {
        if (!is_prefix)
            note_size(p, name.data, part);
        rc = p->take(p->context, name.data + p->skip, name.len - 1 - p->skip, is_prefix);
    }
    cel_buf_dispose(&name);
    return rc;
}

static int take_all(const struct page *p, const struct cel_buf *body, const char *outer, const char *inner,
                    bool is_prefix)
{
    const char *at = body->data, *end = body->data + body->len, *inside;
    struct cel_xml_text part, name;
    int rc = CEL_OK;

    while (rc == CEL_OK && cel_xml_next(&at, end, outer, &part)) {
        inside = part.text;
        if (cel_xml_next(&inside, part.text + part.len, inner, &name))
            rc = take_name(p, part, name, is_prefix);
    }
    return rc;
}

/* A server that has the same page follow would have us ask for ever. */
static int take_token(struct cel_xml_text text, struct cel_buf *token)
{
    struct cel_buf next = CEL_BUF_INIT(TEXT_MAX);
    int rc = cel_xml_decode(text, &next);

    if (rc == CEL_OK && (next.len == 1 || (next.len == token->len && memcmp(next.data, token->data, next.len) == 0)))
        rc = cel_fail(NC_EIO, "the server's list of keys does not go on: it gives the same page again");
    token->len = 0;
    if (rc == CEL_OK)
        rc = cel_buf_add(token, next.data, next.len);
    cel_buf_dispose(&next);
    return rc;
}

/* The token for the next page, in *token, which has that of this one; empty: this was the last. */
static int find_token(const struct cel_buf *body, struct cel_buf *token)
{
    const char *at = body->data, *end = body->data + body->len;
    struct cel_xml_text text;

    if (!cel_xml_next(&at, end, "IsTruncated", &text) || text.len != 4 || memcmp(text.text, "true", 4) != 0) {
        token->len = 0;
        return CEL_OK;
    }
    at = body->data;
    if (!cel_xml_next(&at, end, "NextContinuationToken", &text))
        return cel_fail(NC_EIO, "the server's list of keys ends without a word on how it goes on");
    return take_token(text, token);
}

static int print_query(const struct cel_remote *r, const char *prefix, bool flat, const struct cel_buf *token,
                       struct cel_buf *out)
{
    int rc = cel_buf_puts(out, "list-type=2&encoding-type=url");

    if (rc == CEL_OK && !flat)
        rc = cel_buf_puts(out, "&delimiter=%2F");
    if (rc == CEL_OK)
        rc = cel_buf_puts(out, "&prefix=");
    if (rc == CEL_OK)
        rc = cel_url_encode(r->root, false, out);
    if (rc == CEL_OK)
        rc = cel_url_encode(prefix, false, out);
    if (rc == CEL_OK && token->len)
        rc = cel_buf_puts(out, "&continuation-token=");
    if (rc == CEL_OK && token->len)
        rc = cel_url_encode(token->data, false, out);
    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}

static int take_page(struct page *p, const struct cel_buf *body)
{
    const char *at = body->data;
    struct cel_xml_text text;
    int rc;

    if (!at || !cel_xml_next(&at, at + body->len, "ListBucketResult", &text))
        return cel_fail(NC_EIO, "the server's list of keys is none: it does not speak as S3 does");
    at = body->data;
    p->encoded = cel_xml_next(&at, at + body->len, "EncodingType", &text) && text.len == 3 &&
                 memcmp(text.text, "url", 3) == 0; /* versitygw does not encode, and says so by an empty one */
    rc = take_all(p, body, "Contents", "Key", false);
    return rc == CEL_OK ? take_all(p, body, "CommonPrefixes", "Prefix", true) : rc;
}

/* Lists are of the bucket, not of what lies below the root of the store. */
static int ask_page(struct cel_remote *r, const char *query, struct cel_buf *body)
{
    struct cel_remote_request request = {.method = "GET", .query = query, .into = body};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    int rc = cel_remote_ask(r, &request, &call, &a);

    if (rc == CEL_OK && a->status != 200)
        rc = cel_remote_refused(r, a, "list", r->store.path);
    cel_remote_end(&call);
    return rc == CEL_ABSENT ? cel_fail(NC_ENOTFOUND, "there is no bucket '%s'", r->bucket) : rc;
}

/* All keys below a prefix ("" or "a/"), or with flat false the names right below it; `enough` ends it early. */
static int walk(struct cel_remote *r, const char *prefix, bool flat, struct page *p, const bool *enough)
{
    struct cel_buf token = CEL_BUF_INIT(TEXT_MAX), query = CEL_BUF_INIT(TEXT_MAX),
                   body = CEL_BUF_INIT((size_t)64 << 20);
    int rc;

    p->root = r->root;
    p->prefix = prefix;
    p->sizes = r->store.writable ? NULL : &r->sizes;
    p->skip = strlen(r->root) + (flat ? 0 : strlen(prefix));
    do {
        query.len = 0;
        rc = print_query(r, prefix, flat, &token, &query);
        if (rc == CEL_OK)
            rc = ask_page(r, query.data, &body);
        if (rc == CEL_OK)
            rc = take_page(p, &body);
        if (rc == CEL_OK)
            rc = find_token(&body, &token);
    } while (rc == CEL_OK && token.len && !(enough && *enough));
    cel_buf_dispose(&token);
    cel_buf_dispose(&query);
    cel_buf_dispose(&body);
    return rc;
}

static int add_name(void *context, const char *name, size_t len, bool is_prefix)
{
    return memchr(name, '/', len) ? CEL_OK : cel_listing_add(context, name, len, is_prefix);
}

static int list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct cel_listing names = {0};
    struct page p = {.take = add_name, .context = &names};
    struct cel_buf folder = CEL_BUF_INIT(TEXT_MAX);
    int rc = cel_buf_printf(&folder, *prefix ? "%s/" : "%s", prefix);

    if (rc == CEL_OK)
        rc = cel_buf_add(&folder, "", 1);
    if (rc == CEL_OK)
        rc = cel_s3_behind_flush(s);
    if (rc == CEL_OK)
        rc = walk(cel_remote_of(s), folder.data, false, &p, NULL);
    if (rc == CEL_OK)
        rc = cel_listing_visit(&names, visit, context);
    cel_listing_dispose(&names);
    cel_buf_dispose(&folder);
    return rc;
}

/* --- the whole store ------------------------------------------------------------------------------ */

static int note_any(void *context, const char *name, size_t len, bool is_prefix)
{
    (void)name, (void)len, (void)is_prefix;
    *(bool *)context = true;
    return CEL_OK;
}

static int add_key(void *context, const char *name, size_t len, bool is_prefix)
{
    char *key = cel_strndup(name, len);
    int rc = key ? cel_vec_add(context, key) : NC_ENOMEM;

    (void)is_prefix;
    if (rc != CEL_OK)
        free(key);
    return rc;
}

/* Several at once. */
static int erase_some(struct cel_remote *r, char *const *key, size_t n)
{
    struct cel_remote_call call[ERASED_AT_ONCE] = {{0}};
    struct cel_first_failure first = {0};
    const struct cel_net_answer *a;

    for (size_t i = 0; i < n; i++) {
        struct cel_remote_request request = {.method = "DELETE", .key = key[i], .query = ""};

        cel_first_failure_note(&first, cel_remote_start(r, &request, &call[i]));
    }
    for (size_t i = 0; i < n; i++) {
        int rc = call[i].call ? cel_remote_wait(&call[i], &a) : CEL_ABSENT;

        cel_first_failure_note(&first, rc == CEL_OK ? check_erased(r, a, key[i]) : rc == CEL_ABSENT ? CEL_OK : rc);
        cel_remote_end(&call[i]);
    }
    return cel_first_failure_restore(&first);
}

static int erase_all(struct cel_remote *r)
{
    struct cel_vec keys = {0};
    struct page p = {.take = add_key, .context = &keys};
    int rc = walk(r, "", true, &p, NULL);

    for (size_t i = 0; rc == CEL_OK && i < keys.n; i += ERASED_AT_ONCE)
        rc = erase_some(r, (char *const *)keys.at + i, keys.n - i < ERASED_AT_ONCE ? keys.n - i : ERASED_AT_ONCE);
    for (size_t i = 0; i < keys.n; i++)
        free(keys.at[i]);
    cel_vec_dispose(&keys);
    return rc;
}

/* What tries conditions would be put once nothing is there any more. */
static void abandon(struct cel_store *s)
{
    if (s->created)
        cel_s3_behind_end_try(cel_remote_of(s));
    cel_s3_behind_dispose(&cel_remote_of(s)->behind);
    cel_s3_behind_init(&cel_remote_of(s)->behind);
    if (s->created)
        erase_all(cel_remote_of(s));
}

/* clang-format off */
static const struct cel_store_ops ops = {
    .name = "s3", .get = cel_remote_get, .get_range = cel_remote_get_range, .size = cel_remote_size,
    .stat = cel_remote_stat, .get_range_of = cel_remote_get_range_of, .get_first = cel_remote_get_first, .want = cel_remote_want,
    .want_document = cel_remote_want_document, .settle = cel_remote_settle, .put = cel_s3_put_in_order,
    .put_behind = cel_s3_put_behind, .put_document = cel_s3_put_document, .sync = cel_s3_behind_flush, .finish = cel_s3_behind_flush, .put_if = cel_s3_put_if, .erase = erase, .list = list,
    .abandon = abandon, .free = cel_remote_free,
};
/* clang-format on */

/* READ and WRITE look at nothing: who asks for a key learns whether it is there. */
static int begin(struct cel_remote *r, enum cel_store_mode mode)
{
    bool any = false;
    struct page p = {.take = note_any, .context = &any};
    int rc = CEL_OK;

    if (mode < CEL_STORE_CREATE)
        return CEL_OK;
    if (!*r->root)
        return cel_fail(NC_EINVAL, "a store is made below a name in the bucket: s3://%s/name", r->bucket);
    rc = mode == CEL_STORE_REPLACE ? erase_all(r) : walk(r, "", true, &p, &any);
    if (rc == CEL_OK && any)
        rc = cel_fail(NC_EEXIST, "%s exists already", r->store.path);
    r->store.created = rc == CEL_OK && mode == CEL_STORE_REPLACE; /* else once its first value is there */
    return rc;
}

int cel_store_open_s3(const char *url, enum cel_store_mode mode, struct cel_store **out)
{
    struct cel_remote *r;
    int rc = cel_remote_make(url, &ops, mode, &r);

    *out = NULL;
    if (rc == CEL_OK)
        rc = cel_s3_locate(r, url);
    if (rc == CEL_OK) {
        r->claimed = mode != CEL_STORE_CREATE;
        rc = begin(r, mode);
    }
    if (rc == CEL_OK)
        *out = &r->store;
    else if (r)
        cel_store_abandon(&r->store);
    return rc;
}
