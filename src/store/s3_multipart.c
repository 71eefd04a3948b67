/* SPDX-License-Identifier: BSD-3-Clause */
/* A large value in parts, several in flight: begun, sent, and put together by one last request, with which it appears.
 * After a failure the server is told to forget the parts. */
#include "mem.h"
#include "store_remote_int.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define PART_MIN ((size_t)8 << 20)
#define PARTS_MAX 9000 /* S3 takes 10000 */
#define AT_ONCE 8
#define ANSWER_MAX ((size_t)1 << 20)

struct upload {
    struct cel_remote *r;
    const struct cel_s3_value *value; /* its condition is the last request's */
    const char *key;
    size_t part;
    int attempts;         /* of the last request */
    char *id;             /* encoded */
    struct cel_buf parts; /* the list for the last request */
};

static int begin(struct upload *u)
{
    struct cel_buf body = CEL_BUF_INIT(ANSWER_MAX), id = CEL_BUF_INIT(ANSWER_MAX), encoded = CEL_BUF_INIT(ANSWER_MAX);
    struct cel_remote_request request = {
        .method = "POST", .key = u->key, .query = "uploads=", .body = "", .into = &body};
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    struct cel_xml_text text;
    const char *at;
    int rc = cel_remote_ask(u->r, &request, &call, &a);

    if (rc == CEL_OK && a->status != 200)
        rc = cel_remote_refused(u->r, a, "write", u->key);
    at = body.data;
    if (rc == CEL_OK && (!at || !cel_xml_next(&at, at + body.len, "UploadId", &text)))
        rc = cel_fail(NC_EIO, "%s: the server takes no value in parts", u->key);
    if (rc == CEL_OK)
        rc = cel_xml_decode(text, &id);
    if (rc == CEL_OK)
        rc = cel_url_encode(id.data, false, &encoded);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&encoded, &u->id);
    cel_remote_end(&call);
    cel_buf_dispose(&body);
    cel_buf_dispose(&id);
    cel_buf_dispose(&encoded);
    return rc;
}

static int start_part(struct upload *u, size_t i, struct cel_remote_call *call)
{
    struct cel_buf query = CEL_BUF_INIT(ANSWER_MAX);
    size_t from = i * u->part;
    struct cel_remote_request request = {.method = "PUT",
                                         .key = u->key,
                                         .body = (const char *)u->value->data + from,
                                         .body_len = u->value->n - from < u->part ? u->value->n - from : u->part};
    int rc = cel_buf_printf(&query, "partNumber=%zu&uploadId=%s", i + 1, u->id);

    if (rc == CEL_OK)
        rc = cel_buf_add(&query, "", 1);
    request.query = query.data;
    if (rc == CEL_OK)
        rc = cel_remote_start(u->r, &request, call);
    cel_buf_dispose(&query);
    return rc;
}

static int end_part(struct upload *u, size_t i, struct cel_remote_call *call)
{
    const struct cel_net_answer *a;
    int rc = cel_remote_wait(call, &a);

    if (rc == CEL_OK && a->status != 200)
        rc = cel_remote_refused(u->r, a, "write", u->key);
    if (rc == CEL_OK && !*a->etag)
        rc = cel_fail(NC_EIO, "%s: the server took a part and did not say which", u->key);
    if (rc == CEL_OK)
        rc = cel_buf_printf(&u->parts, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1);
    if (rc == CEL_OK)
        rc = cel_xml_encode(a->etag, &u->parts);
    return rc == CEL_OK ? cel_buf_puts(&u->parts, "</ETag></Part>") : rc;
}

static int send_some(struct upload *u, size_t from, size_t n)
{
    struct cel_remote_call call[AT_ONCE] = {{0}};
    struct cel_first_failure first = {0};

    for (size_t i = 0; i < n; i++)
        cel_first_failure_note(&first, start_part(u, from + i, &call[i]));
    for (size_t i = 0; i < n; i++) {
        if (call[i].call && first.rc == CEL_OK)
            cel_first_failure_note(&first, end_part(u, from + i, &call[i]));
        cel_remote_end(&call[i]);
    }
    return cel_first_failure_restore(&first);
}

static int ask_with_id(struct upload *u, const char *method, const char *body, struct cel_buf *into,
                       struct cel_remote_call *call, const struct cel_net_answer **a)
{
    struct cel_buf query = CEL_BUF_INIT(ANSWER_MAX);
    struct cel_remote_request request = {.method = method,
                                         .key = u->key,
                                         .header = u->value->condition,
                                         .nheaders = body && u->value->condition ? 1 : 0,
                                         .body = body,
                                         .body_len = body ? strlen(body) : 0,
                                         .into = into};
    int rc = cel_buf_printf(&query, "uploadId=%s", u->id);

    if (rc == CEL_OK)
        rc = cel_buf_add(&query, "", 1);
    request.query = query.data;
    if (rc == CEL_OK)
        rc = cel_remote_ask(u->r, &request, call, a);
    cel_buf_dispose(&query);
    return rc;
}

static int take_etag(const struct cel_buf *body, char etag[CEL_NET_TEXT])
{
    struct cel_buf text = CEL_BUF_INIT(ANSWER_MAX);
    const char *at = body->data;
    struct cel_xml_text inside;
    int rc = CEL_OK;

    *etag = '\0';
    if (at && cel_xml_next(&at, at + body->len, "ETag", &inside))
        rc = cel_xml_decode(inside, &text);
    if (rc == CEL_OK && text.len && text.len <= CEL_NET_TEXT)
        memcpy(etag, text.data, text.len);
    cel_buf_dispose(&text);
    return rc;
}

/* The answer may be 200 and a failure in its text: putting parts together takes longer than a server waits to answer. */
static int join_parts(struct upload *u)
{
    struct cel_buf body = CEL_BUF_INIT(ANSWER_MAX);
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    struct cel_xml_text text;
    const char *at;
    int rc = cel_buf_puts(&u->parts, "</CompleteMultipartUpload>");

    if (rc == CEL_OK)
        rc = cel_buf_add(&u->parts, "", 1);
    if (rc == CEL_OK)
        rc = ask_with_id(u, "POST", u->parts.data, &body, &call, &a);
    if (rc == CEL_OK)
        u->attempts = a->attempts;
    if (rc == CEL_OK && a->status != 200)
        rc = cel_s3_put_refused(u->r, a, u->value);
    at = body.data;
    if (rc == CEL_OK && at && cel_xml_next(&at, at + body.len, "Error", &text))
        rc = cel_fail(NC_EIO, "%s: the server did not put its parts together", u->key);
    if (rc == CEL_OK && u->value->etag)
        rc = take_etag(&body, u->value->etag);
    cel_remote_end(&call);
    cel_buf_dispose(&body);
    if (rc == CEL_ABSENT) /* after a second attempt: perhaps because the first put them together */
        rc = cel_fail(u->attempts > 1 ? NC_EEXIST : NC_EIO, "%s: the server has lost its parts", u->key);
    return rc;
}

static void forget_parts(struct upload *u)
{
    struct cel_remote_call call = {0};
    const struct cel_net_answer *a;
    struct cel_status why;

    cel_status_save(&why);
    ask_with_id(u, "DELETE", NULL, NULL, &call, &a);
    cel_remote_end(&call);
    cel_status_restore(&why);
}

int cel_s3_put_parts(struct cel_remote *r, const struct cel_s3_value *value, int *attempts)
{
    struct upload u = {.r = r, .value = value, .key = value->key, .parts = CEL_BUF_INIT((size_t)4 << 20)};
    size_t n = value->n, nparts;
    int rc = begin(&u);

    u.part = n / PARTS_MAX + 1 > PART_MIN ? n / PARTS_MAX + 1 : PART_MIN;
    nparts = (n + u.part - 1) / u.part;
    if (rc == CEL_OK)
        rc = cel_buf_puts(&u.parts, "<CompleteMultipartUpload>");
    for (size_t i = 0; rc == CEL_OK && i < nparts; i += AT_ONCE)
        rc = send_some(&u, i, nparts - i < AT_ONCE ? nparts - i : AT_ONCE);
    if (rc == CEL_OK)
        rc = join_parts(&u);
    if (rc != CEL_OK && u.id)
        forget_parts(&u);
    *attempts = u.attempts;
    cel_buf_dispose(&u.parts);
    free(u.id);
    return rc;
}
