/* SPDX-License-Identifier: BSD-3-Clause */
/* One attempt of a request: the handle that libcurl works on, what comes back, and the verdict. */
#include "env.h"
#include "mem.h"
#include "net_int.h"
#include "number.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ERROR_BODY_MAX ((size_t)64 << 10)
#define REDIRECTS_MAX 5L
#define CONNECT_SECONDS 20L
#define SILENCE_SECONDS 60
#define AT_ONCE (128L << 10) /* bytes that are taken from a connection, or given to it, with one call of the system */

/* --- what comes back ------------------------------------------------------------------- */

static bool parse_size(const char *text, size_t len, uint64_t *out)
{
    return len && cel_parse_uint(text, len, out);
}

/* "bytes 100-199/1000", where the last may be '*'. */
static void note_range(struct cel_net_call *call, const char *value)
{
    const char *at = strncasecmp(value, "bytes ", 6) == 0 ? value + 6 : "", *slash = strchr(at, '/');

    if (!parse_size(at, strcspn(at, "-"), &call->from))
        call->from = UINT64_MAX;
    if (!slash || !parse_size(slash + 1, strlen(slash + 1), &call->answer.total))
        call->answer.total = UINT64_MAX;
}

static void note_header(struct cel_net_call *call, const char *name, const char *value)
{
    struct cel_net_answer *a = &call->answer;
    const struct {
        const char *name;
        char *kept;
    } texts[] = {{"etag", a->etag},
                 {"last-modified", a->modified},
                 {"content-type", a->type},
                 {"x-amz-bucket-region", a->region}};
    uint64_t number;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcasecmp(name, texts[i].name) == 0 && strlen(value) < CEL_NET_TEXT)
            memcpy(texts[i].kept, value, strlen(value) + 1);
    if (strcasecmp(name, "content-range") == 0)
        note_range(call, value);
    if (strcasecmp(name, "content-length") == 0 && parse_size(value, strlen(value), &number))
        a->length = number;
    if (strcasecmp(name, "retry-after") == 0 && parse_size(value, strlen(value), &number) && number < 1000000)
        call->asked = (long)number;
}

/* Answers before the last one (100, redirects) leave nothing behind. */
static void start_answer(struct cel_net_call *call, int status)
{
    struct cel_net_answer *a = &call->answer;

    a->status = status;
    a->length = a->total = call->from = UINT64_MAX;
    a->etag[0] = a->modified[0] = a->type[0] = a->region[0] = '\0';
    a->range_ignored = false;
    call->asked = -1;
}

size_t cel_net_take_header(char *text, size_t one, size_t n, void *context)
{
    struct cel_net_call *call = context;
    char line[1024], *value;
    size_t len = n < sizeof line ? n : sizeof line - 1;
    int status;

    (void)one;
    if (call->begun || n >= sizeof line)
        return n;
    memcpy(line, text, len);
    while (len && strchr("\r\n \t", line[len - 1]))
        len--;
    line[len] = '\0';
    if (sscanf(line, "HTTP/%*s %d", &status) == 1) {
        start_answer(call, status);
        return n;
    }
    value = strchr(line, ':');
    if (value) {
        *value++ = '\0';
        value += strspn(value, " \t");
        note_header(call, line, value);
    }
    return n;
}

static size_t body_max(const struct cel_net_request *r)
{
    return r->into ? r->into->max : r->body_max;
}

int cel_net_take_budget(_Atomic size_t *budget, size_t *taken, size_t n)
{
    size_t more = n > *taken ? n - *taken : 0, left = atomic_load(budget);

    do {
        if (more > left)
            return cel_fail(NC_ENOMEM, "too much is fetched ahead already");
    } while (!atomic_compare_exchange_weak(budget, &left, left - more));
    *taken += more;
    return CEL_OK;
}

/* So many bytes of a body fit. */
static int reserve(struct cel_net_call *call, struct cel_buf *body, size_t n)
{
    const struct cel_net_request *r = &call->request;
    int rc = r->budget && body == r->into ? cel_net_take_budget(r->budget, &call->granted, n) : CEL_OK;

    return rc == CEL_OK ? cel_buf_reserve(body, n) : rc;
}

/* Some servers answer with a range and call it 200. */
static bool is_partial(const struct cel_net_call *call)
{
    return call->answer.status == 206 || call->from != UINT64_MAX;
}

static int begin_body(struct cel_net_call *call)
{
    const struct cel_net_request *r = &call->request;
    struct cel_net_answer *a = &call->answer;

    call->begun = true;
    if (a->status >= 300)
        return CEL_OK;
    if (r->ranged && call->from == UINT64_MAX && is_partial(call))
        return cel_fail(NC_EIO, "the server sent a part and does not say which");
    if (r->ranged && is_partial(call))
        return call->from == r->offset
                   ? CEL_OK
                   : cel_fail(NC_EIO, "the server sent the bytes from %llu on where those from %llu on were asked for",
                              (unsigned long long)call->from, (unsigned long long)r->offset);
    if (r->ranged) {
        a->range_ignored = true;
        return CEL_OK;
    }
    if (a->length != UINT64_MAX && a->length > body_max(r))
        return cel_fail(NC_EIO, "it has %llu bytes, where at most %zu can be right", (unsigned long long)a->length,
                        body_max(r));
    return a->length == UINT64_MAX ? CEL_OK : reserve(call, r->into ? r->into : &a->body, (size_t)a->length);
}

/* Of the bytes [at, at + n) of the stream those in [from, from + len) go to dst. */
static void cut(uint64_t at, const char *data, size_t n, uint64_t from, size_t len, char *dst)
{
    uint64_t begin = at > from ? at : from, end = at + n < from + len ? at + n : from + len;

    if (begin < end)
        memcpy(dst + (begin - from), data + (begin - at), (size_t)(end - begin));
}

static int keep_part(struct cel_net_call *call, const char *data, size_t n)
{
    const struct cel_net_request *r = &call->request;
    uint64_t from = call->answer.range_ignored ? r->offset : 0;

    if (!call->answer.range_ignored && call->got + n > r->n)
        return cel_fail(NC_EIO, "the server sends more than the %zu bytes that were asked for", r->n);
    cut(call->got, data, n, from, r->n, r->dst);
    call->enough = call->got + n >= from + r->n;
    return CEL_OK;
}

/* The beginning tells what is wrong; a server may go on for ever. */
static int keep_error(struct cel_net_call *call, const char *data, size_t n)
{
    struct cel_buf *body = &call->answer.body;
    size_t left = ERROR_BODY_MAX - body->len;

    call->enough = n >= left;
    return cel_buf_add(body, data, n < left ? n : left);
}

static int keep_body(struct cel_net_call *call, const char *data, size_t n)
{
    const struct cel_net_request *r = &call->request;
    struct cel_buf *body = r->into ? r->into : &call->answer.body;
    int rc;

    if (call->answer.status >= 300)
        return keep_error(call, data, n);
    if (r->ranged)
        return keep_part(call, data, n);
    if (n > body_max(r) - body->len)
        return cel_fail(NC_EIO, "it has more than %zu bytes, which cannot be right", body_max(r));
    rc = reserve(call, body, body->len + n);
    return rc == CEL_OK ? cel_buf_add(body, data, n) : rc;
}

static size_t take_body(char *data, size_t one, size_t n, void *context)
{
    struct cel_net_call *call = context;

    (void)one;
    if (!call->begun)
        call->stopped = begin_body(call);
    if (call->stopped == CEL_OK)
        call->stopped = keep_body(call, data, n);
    call->got += n;
    return call->stopped == CEL_OK && !(call->enough && (call->answer.range_ignored || call->answer.status >= 300)) ? n
                                                                                                                    : 0;
}

/* --- the handle ------------------------------------------------------------------------ */

static int add_line(struct cel_net_call *call, const char *line)
{
    struct curl_slist *lines = cel_curl.slist_append(call->lines, line);

    if (!lines)
        return cel_fail(NC_ENOMEM, "no memory for a request");
    call->lines = lines;
    return CEL_OK;
}

static int add_header(struct cel_net_call *call, const char *name, const char *value)
{
    struct cel_buf line = CEL_BUF_INIT(1 << 20);
    int rc = cel_buf_printf(&line, *value ? "%s: %s" : "%s;%s", name, value);

    if (rc == CEL_OK)
        rc = cel_buf_add(&line, "", 1);
    if (rc == CEL_OK)
        rc = add_line(call, line.data);
    cel_buf_dispose(&line);
    return rc;
}

void cel_net_hash_body(struct cel_net_call *call)
{
    const struct cel_net_request *r = &call->request;

    if (!r->signer)
        return;
    if (strncmp(r->url, "https:", 6) != 0 || !r->body_len || strcmp(r->signer->service, "s3") != 0)
        cel_sha256_hex(r->body, r->body_len, call->body_hash);
    else
        snprintf(call->body_hash, sizeof call->body_hash, "%s", CEL_UNSIGNED_PAYLOAD);
}

static int add_signature(struct cel_net_call *call)
{
    const struct cel_net_request *r = &call->request;
    const char *host = strstr(r->url, "://") + 3, *path = strchr(host, '/'), *query = strchr(host, '?');
    char *host_text = cel_strndup(host, path ? (size_t)(path - host) : strlen(host));
    char *path_text = path ? cel_strndup(path, query ? (size_t)(query - path) : strlen(path)) : cel_strdup("/");
    struct cel_buf lines = CEL_BUF_INIT(1 << 20);
    struct cel_to_sign request = {.method = r->method,
                                  .host = host_text,
                                  .path = path_text,
                                  .query = query ? query + 1 : "",
                                  .header = r->header,
                                  .nheaders = r->nheaders,
                                  .payload_hash = call->body_hash,
                                  .when = time(NULL)};
    int rc = host_text && path_text ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_sign(r->signer, &request, &lines);
    for (size_t at = 0; rc == CEL_OK && at < lines.len; at += strlen(lines.data + at) + 1)
        rc = add_line(call, lines.data + at);
    cel_buf_dispose(&lines);
    free(host_text);
    free(path_text);
    return rc;
}

static bool has_type(const struct cel_net_request *r)
{
    for (size_t i = 0; i < r->nheaders; i++)
        if (strcmp(r->header[i].name, "content-type") == 0)
            return true;
    return false;
}

/* The range is not signed: what comes back says which bytes it is. */
static int add_headers(struct cel_net_call *call)
{
    const struct cel_net_request *r = &call->request;
    char range[64];
    int rc = add_line(call, "expect:");

    snprintf(range, sizeof range, "range: bytes=%llu-%llu", (unsigned long long)r->offset,
             (unsigned long long)(r->offset + r->n - 1));
    if (rc == CEL_OK && r->ranged)
        rc = add_line(call, range);
    if (rc == CEL_OK && r->body && !has_type(r))
        rc = add_line(call, "content-type: application/octet-stream");
    for (size_t i = 0; rc == CEL_OK && i < r->nheaders; i++)
        rc = add_header(call, r->header[i].name, r->header[i].value);
    return rc == CEL_OK && r->signer ? add_signature(call) : rc;
}

static CURLcode set_request(struct cel_net_call *call)
{
    const struct cel_net_request *r = &call->request;
    CURL *e = call->easy;
    CURLcode bad = 0;

    bad |= cel_curl.easy_setopt(e, CURLOPT_URL, r->url);
    bad |= cel_curl.easy_setopt(e, CURLOPT_HTTPHEADER, call->lines);
    if (strcmp(r->method, "HEAD") == 0)
        bad |= cel_curl.easy_setopt(e, CURLOPT_NOBODY, 1L);
    else
        bad |= cel_curl.easy_setopt(e, CURLOPT_CUSTOMREQUEST, r->method);
    if (r->body) {
        bad |= cel_curl.easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_len);
        bad |= cel_curl.easy_setopt(e, CURLOPT_POSTFIELDS, r->body);
        bad |= cel_curl.easy_setopt(e, CURLOPT_CUSTOMREQUEST, r->method);
    }
    bad |= cel_curl.easy_setopt(e, CURLOPT_HEADERFUNCTION, cel_net_take_header);
    bad |= cel_curl.easy_setopt(e, CURLOPT_HEADERDATA, call);
    bad |= cel_curl.easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
    bad |= cel_curl.easy_setopt(e, CURLOPT_WRITEDATA, call);
    bad |= cel_curl.easy_setopt(e, CURLOPT_PRIVATE, call);
    bad |= cel_curl.easy_setopt(e, CURLOPT_ERRORBUFFER, call->reason);
    return bad;
}

/* A redirect is followed only by a request that carries nobody's name and asks for none, and never from TLS to none. */
static CURLcode set_redirects(struct cel_net_call *call)
{
    bool tls = strncmp(call->request.url, "https:", 6) == 0;
    CURL *e = call->easy;
    CURLcode bad = 0;

#if LIBCURL_VERSION_NUM >= 0x075500
    bad |= cel_curl.easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    bad |= cel_curl.easy_setopt(e, CURLOPT_REDIR_PROTOCOLS_STR, tls ? "https" : "http,https");
#else
    bad |= cel_curl.easy_setopt(e, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    bad |= cel_curl.easy_setopt(e, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTPS | (tls ? 0 : CURLPROTO_HTTP)));
#endif
    bad |= cel_curl.easy_setopt(e, CURLOPT_FOLLOWLOCATION,
                                call->request.signer || call->request.body || call->request.direct ? 0L : 1L);
    bad |= cel_curl.easy_setopt(e, CURLOPT_MAXREDIRS, REDIRECTS_MAX);
    return bad;
}

/* curl sends them to no other host, wherever it is redirected. */
static CURLcode set_login(struct cel_net_call *call)
{
    const struct cel_credentials *login = call->request.login;
    CURL *e = call->easy;
    CURLcode bad = 0;

    if (login) {
        bad |= cel_curl.easy_setopt(e, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        bad |= cel_curl.easy_setopt(e, CURLOPT_USERNAME, login->key);
        bad |= cel_curl.easy_setopt(e, CURLOPT_PASSWORD, login->secret);
    }
    return bad;
}

static CURLcode set_connection(struct cel_net_call *call)
{
    const char *bundle = cel_env_ca_bundle();
    long seconds = call->request.seconds;
    CURL *e = call->easy;
    CURLcode bad = 0;

    bad |= cel_curl.easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    bad |= cel_curl.easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
    bad |= cel_curl.easy_setopt(e, CURLOPT_BUFFERSIZE, AT_ONCE);
    bad |= cel_curl.easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, AT_ONCE);
    bad |= cel_curl.easy_setopt(e, CURLOPT_USERAGENT, "cellar/" CEL_VERSION);
    bad |= cel_curl.easy_setopt(e, CURLOPT_CONNECTTIMEOUT,
                                seconds && seconds < CONNECT_SECONDS ? seconds : CONNECT_SECONDS);
    bad |= cel_curl.easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L);
    bad |= cel_curl.easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)cel_env_http_timeout(SILENCE_SECONDS));
    bad |= cel_net_options_apply(call->options, e);
    if (seconds)
        bad |= cel_curl.easy_setopt(e, CURLOPT_TIMEOUT, seconds);
    bad |= cel_curl.easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
    bad |= cel_curl.easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
    if (call->request.direct)
        bad |= cel_curl.easy_setopt(e, CURLOPT_NOPROXY, "*");
    if (bundle)
        bad |= cel_curl.easy_setopt(e, CURLOPT_CAINFO, bundle);
    cel_curl.easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS); /* not every libcurl has it */
    if (strncmp(call->request.url, "https:", 6) ==
        0) /* else the first request to a host holds up all others until its answer */
        cel_curl.easy_setopt(e, CURLOPT_PIPEWAIT, 1L);
    return bad;
}

int cel_net_attempt_begin(struct cel_net_call *call)
{
    CURLcode bad;
    int rc;

    call->easy = cel_curl.easy_init();
    if (!call->easy)
        return cel_fail(NC_ENOMEM, "no memory for a request");
    call->got = 0;
    call->begun = call->enough = false;
    call->stopped = CEL_OK;
    call->reason[0] = '\0';
    call->answer.body.len = 0;
    if (call->request.into)
        call->request.into->len = 0;
    start_answer(call, 0);
    rc = add_headers(call);
    if (rc != CEL_OK)
        return rc;
    bad = set_request(call) | set_redirects(call) | set_login(call) | set_connection(call);
    return bad ? cel_fail(NC_ECURL, "libcurl does not know all of the options that are needed: use 7.68 or newer")
               : CEL_OK;
}

void cel_net_attempt_dispose(struct cel_net_call *call)
{
    if (call->easy)
        cel_curl.easy_cleanup(call->easy);
    if (call->lines)
        cel_curl.slist_free_all(call->lines);
    call->easy = NULL;
    call->lines = NULL;
}

/* --- the verdict ------------------------------------------------------------------------ */

/* The connection went away, or the stream in it. */
static bool was_reset(CURLcode code)
{
    static const CURLcode resets[] = {CURLE_RECV_ERROR,   CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
                                      CURLE_PARTIAL_FILE, CURLE_HTTP2,      CURLE_HTTP2_STREAM};

    for (size_t i = 0; i < sizeof resets / sizeof *resets; i++)
        if (code == resets[i])
            return true;
    return false;
}

/* The whole range is there; or the value ends before it does, as the server says, or (CEL_SKIP) the answer was cut short. */
static int check_range(const struct cel_net_call *call)
{
    const struct cel_net_request *r = &call->request;
    const struct cel_net_answer *a = &call->answer;

    if (!r->ranged || (a->status >= 300 && a->status != 416))
        return CEL_OK;
    if (a->status == 416)
        return CEL_BEYOND;
    if (call->enough)
        return CEL_OK;
    return !is_partial(call) || (a->total != UINT64_MAX && a->total - r->offset < r->n) ? CEL_BEYOND : CEL_SKIP;
}

static int transport_failure(const struct cel_net_call *call, CURLcode code)
{
    const char *why = *call->reason ? call->reason : cel_curl.easy_strerror(code);

    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
        return cel_fail(NC_ECURL,
                        "%s: the server's certificate does not verify; where it is right, name the file with its "
                        "authority in CELLAR_CA_BUNDLE",
                        why);
    return cel_fail(NC_ECURL, "%s", why);
}

/* There is an answer, or as much of it as is wanted. */
static bool is_complete(const struct cel_net_call *call, CURLcode code)
{
    return code == CURLE_OK || (code == CURLE_WRITE_ERROR && call->enough && call->stopped == CEL_OK);
}

static int verdict(const struct cel_net_call *call, CURLcode code, bool *again)
{
    bool complete = is_complete(call, code);
    int rc = complete ? check_range(call) : call->stopped;

    *again = complete ? rc == CEL_SKIP || cel_net_is_passing(call->answer.status) : rc == CEL_OK && was_reset(code);
    if (rc == CEL_SKIP)
        return cel_fail(NC_EIO, "the server sent %llu bytes where %zu were asked for", (unsigned long long)call->got,
                        call->request.n);
    return !complete && rc == CEL_OK ? transport_failure(call, code) : rc;
}

bool cel_net_attempt_end(struct cel_net_call *call, CURLcode code)
{
    bool again;
    int rc = verdict(call, code, &again);

    call->rc = rc == CEL_OK || rc == CEL_BEYOND ? rc : cel_fail_in(rc, "%s", call->request.url);
    cel_status_save(&call->why);
    return again;
}
