/* SPDX-License-Identifier: BSD-3-Clause */
/* Signature Version 4, step by step as AWS describes it: canonical request, string to sign, signing key, signature. */
#include "sigv4.h"
#include "mem.h"
#include "vec.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 20)
#define STAMP 17 /* 20130524T000000Z */

/* --- the canonical request ------------------------------------------------------------ */

/* Of a parameter "name=value", or a header "name:value". */
static size_t name_len(const char *text)
{
    return strcspn(text, "=:");
}

/* By name, then by value: "a=b" comes before "a-=b", though '-' is before '='. */
static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t nx = name_len(x), ny = name_len(y), n = nx < ny ? nx : ny;
    int order = memcmp(x, y, n);

    return order ? order : nx != ny ? (nx < ny ? -1 : 1) : strcmp(x + nx, y + ny);
}

static int split_query(char *text, struct cel_vec *parameters)
{
    int rc = CEL_OK;

    for (char *at = text, *end; rc == CEL_OK && at && *at; at = end) {
        end = strchr(at, '&');
        if (end)
            *end++ = '\0';
        rc = cel_vec_add(parameters, at);
    }
    return rc;
}

static int add_query(const char *query, struct cel_buf *out)
{
    struct cel_vec parameters = {0};
    char *copy = cel_strdup(query);
    int rc = copy ? split_query(copy, &parameters) : NC_ENOMEM;

    if (parameters.n)
        qsort(parameters.at, parameters.n, sizeof *parameters.at, by_name);
    for (size_t i = 0; rc == CEL_OK && i < parameters.n; i++) {
        const char *p = parameters.at[i];

        rc = cel_buf_printf(out, "%s%s%s", i ? "&" : "", p, p[name_len(p)] ? "" : "=");
    }
    cel_vec_dispose(&parameters);
    free(copy);
    return rc;
}

/* "name:value", the value without spaces at its ends and with single ones inside. */
static int add_line(struct cel_vec *lines, const char *name, const char *value)
{
    size_t n = strlen(name), len = n + strlen(value) + 2, at;
    char *line = cel_malloc(len);

    if (!line)
        return NC_ENOMEM;
    memcpy(line, name, n);
    line[n] = ':';
    at = n + 1;
    for (; *value; value++)
        if (*value != ' ' || (at > n + 1 && line[at - 1] != ' '))
            line[at++] = *value;
    while (at > n + 1 && line[at - 1] == ' ')
        at--;
    line[at] = '\0';
    if (cel_vec_add(lines, line) == CEL_OK)
        return CEL_OK;
    free(line);
    return NC_ENOMEM;
}

static int collect_headers(const struct cel_signer *signer, const struct cel_to_sign *r, const char *stamp,
                           struct cel_vec *lines)
{
    int rc = add_line(lines, "host", r->host);

    if (rc == CEL_OK)
        rc = add_line(lines, "x-amz-content-sha256", r->payload_hash);
    if (rc == CEL_OK)
        rc = add_line(lines, "x-amz-date", stamp);
    if (rc == CEL_OK && signer->token)
        rc = add_line(lines, "x-amz-security-token", signer->token);
    for (size_t i = 0; rc == CEL_OK && i < r->nheaders; i++)
        rc = add_line(lines, r->header[i].name, r->header[i].value);
    if (lines->n)
        qsort(lines->at, lines->n, sizeof *lines->at, by_name);
    return rc;
}

static int add_names(const struct cel_vec *lines, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < lines->n; i++) {
        const char *line = lines->at[i];

        rc = cel_buf_printf(out, "%s%.*s", i ? ";" : "", (int)name_len(line), line);
    }
    return rc;
}

/* The names of the headers are wanted again, in the authorization. */
static int hash_request(const struct cel_to_sign *r, const struct cel_vec *lines, struct cel_buf *names,
                        char hash[CEL_SHA256_HEX])
{
    struct cel_buf text = CEL_BUF_INIT(TEXT_MAX);
    int rc = add_names(lines, names);

    if (rc == CEL_OK)
        rc = cel_buf_printf(&text, "%s\n%s\n", r->method, r->path);
    if (rc == CEL_OK)
        rc = add_query(r->query, &text);
    if (rc == CEL_OK)
        rc = cel_buf_puts(&text, "\n");
    for (size_t i = 0; rc == CEL_OK && i < lines->n; i++)
        rc = cel_buf_printf(&text, "%s\n", (const char *)lines->at[i]);
    if (rc == CEL_OK)
        rc = cel_buf_printf(&text, "\n%.*s\n%s", (int)names->len, names->data, r->payload_hash);
    if (rc == CEL_OK)
        cel_sha256_hex(text.data, text.len, hash);
    cel_buf_dispose(&text);
    return rc;
}

/* --- the signature ----------------------------------------------------------------------- */

static int derive_key(const struct cel_signer *s, const char *date, unsigned char key[CEL_SHA256_SIZE])
{
    struct cel_buf first = CEL_BUF_INIT(TEXT_MAX);
    int rc = cel_buf_printf(&first, "AWS4%s", s->secret);

    if (rc == CEL_OK) {
        cel_hmac_sha256(first.data, first.len, date, strlen(date), key);
        cel_hmac_sha256(key, CEL_SHA256_SIZE, s->region, strlen(s->region), key);
        cel_hmac_sha256(key, CEL_SHA256_SIZE, s->service, strlen(s->service), key);
        cel_hmac_sha256(key, CEL_SHA256_SIZE, "aws4_request", strlen("aws4_request"), key);
        memset(first.data, 0, first.len);
    }
    cel_buf_dispose(&first);
    return rc;
}

static int sign_hash(const struct cel_signer *s, const char *stamp, const char *scope, const char *hash,
                     char signature[CEL_SHA256_HEX])
{
    struct cel_buf text = CEL_BUF_INIT(TEXT_MAX);
    unsigned char key[CEL_SHA256_SIZE], digest[CEL_SHA256_SIZE];
    char date[9];
    int rc = cel_buf_printf(&text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", stamp, scope, hash);

    memcpy(date, stamp, 8);
    date[8] = '\0';
    if (rc == CEL_OK)
        rc = derive_key(s, date, key);
    if (rc == CEL_OK) {
        cel_hmac_sha256(key, sizeof key, text.data, text.len, digest);
        cel_hex(digest, sizeof digest, signature);
    }
    cel_buf_dispose(&text);
    return rc;
}

static int end_line(struct cel_buf *lines, int rc)
{
    return rc == CEL_OK ? cel_buf_add(lines, "", 1) : rc;
}

static int print_lines(const struct cel_signer *s, const struct cel_to_sign *r, const char *stamp,
                       const struct cel_vec *headers, struct cel_buf *lines)
{
    struct cel_buf names = CEL_BUF_INIT(TEXT_MAX), scope = CEL_BUF_INIT(TEXT_MAX);
    char hash[CEL_SHA256_HEX], signature[CEL_SHA256_HEX];
    int rc = hash_request(r, headers, &names, hash);

    if (rc == CEL_OK)
        rc = end_line(&scope, cel_buf_printf(&scope, "%.8s/%s/%s/aws4_request", stamp, s->region, s->service));
    if (rc == CEL_OK)
        rc = sign_hash(s, stamp, scope.data, hash, signature);
    if (rc == CEL_OK)
        rc = end_line(lines, cel_buf_printf(lines, "x-amz-date: %s", stamp));
    if (rc == CEL_OK)
        rc = end_line(lines, cel_buf_printf(lines, "x-amz-content-sha256: %s", r->payload_hash));
    if (rc == CEL_OK && s->token)
        rc = end_line(lines, cel_buf_printf(lines, "x-amz-security-token: %s", s->token));
    if (rc == CEL_OK)
        rc = end_line(lines, cel_buf_printf(lines,
                                            "authorization: AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%.*s, "
                                            "Signature=%s",
                                            s->key, scope.data, (int)names.len, names.data, signature));
    cel_buf_dispose(&names);
    cel_buf_dispose(&scope);
    return rc;
}

int cel_sign(const struct cel_signer *signer, const struct cel_to_sign *r, struct cel_buf *lines)
{
    struct cel_vec headers = {0};
    char stamp[STAMP];
    struct tm tm;
    int rc;

    if (!gmtime_r(&r->when, &tm) || strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm) != sizeof stamp - 1)
        return cel_fail(NC_EINVAL, "the system's clock has no date that a request can be signed with");
    rc = collect_headers(signer, r, stamp, &headers);
    if (rc == CEL_OK)
        rc = print_lines(signer, r, stamp, &headers, lines);
    for (size_t i = 0; i < headers.n; i++)
        free(headers.at[i]);
    cel_vec_dispose(&headers);
    return rc;
}
