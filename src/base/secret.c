/* SPDX-License-Identifier: BSD-3-Clause */
/* URLs in texts, without their secrets. Works when there is no memory left. */
#include "secret.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool has_scheme(const char *text, const char *at)
{
    static const char *const schemes[] = {"http", "https", "s3", "gs", "dods", "dap4"};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t n = strlen(schemes[i]);

        if ((size_t)(at - text) >= n && strncasecmp(at - n, schemes[i], n) == 0)
            return true;
    }
    return false;
}

/* Up to a space, a quote, or the colon that parts of an error are joined with. */
static size_t url_len(const char *url)
{
    size_t n = 0;

    while (url[n] && !isspace((unsigned char)url[n]) && !strchr("'\"", url[n]) && !(url[n] == ':' && url[n + 1] == ' '))
        n++;
    return n;
}

static char *find_last(char *text, size_t n, char c)
{
    while (n && text[n - 1] != c)
        n--;
    return n ? text + n - 1 : NULL;
}

/* Passwords may hold a '/': where a ':' is not followed by the number of a port, all up to the last '@' is one. */
static size_t user_len(char *url, size_t n)
{
    size_t host = strcspn(url, "/?#"), colon = strcspn(url, ":"), port = strspn(url + colon, ":0123456789");
    char *at;

    host = host < n ? host : n;
    if (*url != '[' && colon < host && (port < 2 || colon + port < host))
        host = n;
    at = find_last(url, host, '@');
    return at ? (size_t)(at - url) + 1 : 0;
}

static void cut(char *text, size_t n)
{
    memmove(text, text + n, strlen(text + n) + 1);
}

void cel_hide_secrets(char *text)
{
    for (char *at = strstr(text, "://"); at; at = strstr(at, "://")) {
        char *url = at + 3, *question;
        size_t n;

        if (has_scheme(text, at)) {
            cut(url, user_len(url, url_len(url)));
            n = url_len(url);
            question = memchr(url, '?', n);
            if (question)
                cut(question, n - (size_t)(question - url));
        }
        at = url;
    }
}
