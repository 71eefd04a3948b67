/* SPDX-License-Identifier: BSD-3-Clause */
/* URLs: scheme, host, path and query; percent encoding. */
#include "url.h"
#include "mem.h"
#include <ctype.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

static bool is_unreserved(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

int cel_url_encode(const char *text, bool keep_slashes, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (; rc == CEL_OK && *text; text++) {
        if (is_unreserved((unsigned char)*text) || (keep_slashes && *text == '/'))
            rc = cel_buf_add(out, text, 1);
        else
            rc = cel_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
    return rc;
}

static int value_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int cel_url_decode(const char *text, size_t len, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < len; i++) {
        char c = text[i];

        if (c == '%') {
            int high = i + 2 < len ? value_of(text[i + 1]) : -1, low = i + 2 < len ? value_of(text[i + 2]) : -1;

            if (high < 0 || low < 0 || !(high | low))
                return cel_fail(NC_EINVAL, "'%.*s' is not percent-encoded text", (int)len, text);
            c = (char)(high << 4 | low);
            i += 2;
        }
        rc = cel_buf_add(out, &c, 1);
    }
    return rc;
}

static void lower(char *text)
{
    for (; *text; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* Hosts are names, numbers and IPv6 addresses in brackets, with a port or without. */
static bool is_host(const char *host)
{
    size_t n =
        *host == '[' ? strspn(host, "[]0123456789abcdef:.") : strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_");

    if (host[n] == ':')
        n += 1 + strspn(host + n + 1, "0123456789");
    return n > 0 && !host[n];
}

static bool has_controls(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            return true;
    return false;
}

/* A ':' that is not followed by the number of a port: the password behind it may go on behind a '/'. */
static bool has_password(const struct cel_url *url)
{
    const char *colon = *url->host == '[' ? NULL : strchr(url->host, ':');

    return colon && (!colon[1] || colon[1 + strspn(colon + 1, "0123456789")]);
}

/* Texts lie one behind another in one block: each needs one byte for its NUL, which "://", '/' and '?' leave. */
static int split(struct cel_url *url)
{
    char *at = strstr(url->text, "://"), *slash, *question;

    if (!at)
        return cel_fail(NC_EINVAL, "'%s' is no URL: it has no \"://\"", url->text);
    *at = '\0';
    lower(url->text);
    url->scheme = url->text;
    url->host = at + 3;
    at += 3;
    question = strchr(at, '?');
    if (question)
        *question = '\0';
    url->query = question ? question + 1 : "";
    slash = strchr(at, '/');
    if (slash)
        *slash = '\0';
    url->path = slash ? slash + 1 : "";
    if (strchr(url->host, '@') || (has_password(url) && strchr(url->path, '@')))
        return cel_fail(NC_EINVAL, "a URL with a user's name or password is not opened: set credentials in the "
                                   "environment or in a file instead");
    if (strcmp(url->scheme, "s3") != 0 && strcmp(url->scheme, "gs") != 0)
        lower(at);
    return CEL_OK;
}

int cel_url_parse(const char *text, struct cel_url *out)
{
    int rc;

    *out = (struct cel_url){.text = cel_strdup(text)};
    if (!out->text)
        return NC_ENOMEM;
    rc = has_controls(text) ? cel_fail(NC_EINVAL, "a URL cannot hold control characters") : split(out);
    if (rc == CEL_OK && (strcmp(out->scheme, "http") == 0 || strcmp(out->scheme, "https") == 0) && !is_host(out->host))
        rc = cel_fail(NC_EINVAL, "the URL names no host, or one that cannot be");
    if (rc != CEL_OK)
        cel_url_dispose(out);
    return rc;
}

void cel_url_dispose(struct cel_url *url)
{
    free(url->text);
    *url = (struct cel_url){0};
}
