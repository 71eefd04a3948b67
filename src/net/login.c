/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and passwords for web servers. */
#include "login.h"
#include "env.h"
#include "mem.h"
#include "rc.h"
#include "text_file.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PATH_TEXT_MAX ((size_t)1 << 16)

/* --- .netrc: words, where "machine", "default", "login" and "password" say what follows -------- */

#define BLANKS " \t\r\n"

/* In place; quotes around it go, a backslash between them stands for the next character. NULL: there is none. */
static char *next_word(char **at)
{
    char *from = *at + strspn(*at, BLANKS), *word = from, *to = from;
    bool quoted = *from == '"';

    if (!*from)
        return NULL;
    from += quoted;
    while (*from && (quoted ? *from != '"' : !strchr(BLANKS, *from))) {
        if (quoted && *from == '\\' && from[1])
            from++;
        *to++ = *from++;
    }
    *at = from + (*from != '\0');
    *to = '\0';
    return word;
}

static void skip_line(char **at)
{
    *at += strcspn(*at, "\n");
}

/* Macros end with an empty line. */
static void skip_macro(char **at)
{
    char *end = strstr(*at, "\n\n");

    *at = end ? end : *at + strlen(*at);
}

/* Where the words for the host begin; the text of the others stays as it is. */
static bool find_machine(char **at, const char *host)
{
    char *word;

    while (*(*at += strspn(*at, BLANKS))) {
        if (**at == '#') {
            skip_line(at);
            continue;
        }
        word = next_word(at);
        if (strcmp(word, "default") == 0)
            return true;
        if (strcmp(word, "macdef") == 0)
            skip_macro(at);
        else if ((word = strcmp(word, "machine") == 0 ? next_word(at) : NULL) && strcasecmp(word, host) == 0)
            return true;
    }
    return false;
}

static int copy_once(const char *text, char **out)
{
    if (!text || *out)
        return CEL_OK;
    *out = cel_strdup(text);
    return *out ? CEL_OK : NC_ENOMEM;
}

int cel_login_parse(char *text, const char *host, struct cel_credentials *out)
{
    char *word;
    int rc = CEL_OK;

    if (!find_machine(&text, host))
        return CEL_ABSENT;
    while (rc == CEL_OK && (word = next_word(&text)) && strcmp(word, "machine") != 0 && strcmp(word, "default") != 0 &&
           strcmp(word, "macdef") != 0) {
        if (*word == '#')
            skip_line(&text);
        else if (strcmp(word, "login") == 0)
            rc = copy_once(next_word(&text), &out->key);
        else if (strcmp(word, "password") == 0)
            rc = copy_once(next_word(&text), &out->secret);
        else if (strcmp(word, "account") == 0)
            next_word(&text);
    }
    return rc != CEL_OK ? rc : out->key || out->secret ? CEL_OK : CEL_ABSENT;
}

/* HTTP.NETRC, NETRC, or ~/.netrc. */
static int find_netrc(const char *host, char **out)
{
    struct cel_buf path = CEL_BUF_INIT(PATH_TEXT_MAX);
    const char *named = cel_env_netrc(), *folder = cel_env_aws(CEL_HOME);
    int rc = cel_rc_find("HTTP.NETRC", host, out);

    if (rc == CEL_OK && !*out && (named || folder)) {
        rc = named ? cel_buf_puts(&path, named) : cel_buf_printf(&path, "%s/.netrc", folder);
        if (rc == CEL_OK)
            rc = cel_buf_take_string(&path, out);
    }
    cel_buf_dispose(&path);
    return rc;
}

/* Without the port; of an IPv6 address without its brackets. */
static char *name_of(const char *host)
{
    return *host == '[' ? cel_strndup(host + 1, strcspn(host + 1, "]")) : cel_strndup(host, strcspn(host, ":"));
}

static int of_netrc(const char *host, struct cel_credentials *out)
{
    struct cel_buf text = CEL_BUF_INIT(CEL_TEXT_FILE_MAX + 1);
    struct cel_text_access access;
    char *path = NULL, *name = name_of(host);
    int rc = name ? find_netrc(host, &path) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = path ? cel_text_load(path, &text, &access) : CEL_ABSENT;
    if (rc == CEL_OK)
        rc = cel_login_parse(text.data, name, out);
    if (rc == CEL_OK && (access.others_read || access.others_write)) {
        cel_warn("%s: passwords are not taken from a file that others may read: chmod 600 it", path);
        cel_credentials_dispose(out);
        rc = CEL_ABSENT;
    }
    cel_text_wipe(&text);
    free(path);
    free(name);
    return rc;
}

/* --- settings ------------------------------------------------------------------------------ */

/* "user:password", each percent-encoded. */
static int take_pair(const char *pair, struct cel_credentials *out)
{
    const char *colon = strchr(pair, ':'), *half[2] = {pair, colon ? colon + 1 : NULL};
    size_t len[2] = {colon ? (size_t)(colon - pair) : 0, colon ? strlen(colon + 1) : 0};
    char **to[2] = {&out->key, &out->secret};
    int rc = colon ? CEL_OK : cel_fail(NC_EAUTH, "HTTP.CREDENTIALS.USERPASSWORD has no ':' between name and password");

    for (int i = 0; rc == CEL_OK && i < 2; i++) {
        struct cel_buf text = CEL_BUF_INIT(CEL_TEXT_FILE_MAX);

        rc = cel_buf_reserve(&text, len[i] + 1);
        if (rc == CEL_OK && cel_url_decode(half[i], len[i], &text) != CEL_OK)
            rc = cel_fail(NC_EAUTH, "HTTP.CREDENTIALS.USERPASSWORD is not percent-encoded: a '%%' in it is %%25");
        if (rc == CEL_OK)
            rc = cel_buf_take_string(&text, to[i]);
        cel_text_wipe(&text);
    }
    return rc;
}

static int of_settings(const char *host, struct cel_credentials *out)
{
    struct cel_credentials pair = {0};
    int rc = cel_rc_find("HTTP.CREDENTIALS.USERNAME", host, &out->key);

    if (rc == CEL_OK)
        rc = cel_rc_find("HTTP.CREDENTIALS.PASSWORD", host, &out->secret);
    if (rc != CEL_OK || (out->key && out->secret))
        return rc;
    cel_credentials_dispose(out);
    rc = cel_rc_find("HTTP.CREDENTIALS.USERPASSWORD", host, &pair.secret);
    if (rc == CEL_OK)
        rc = pair.secret ? take_pair(pair.secret, out) : CEL_ABSENT;
    cel_credentials_dispose(&pair);
    return rc;
}

/* A name or a password that is not there is empty. */
static int complete(struct cel_credentials *c)
{
    int rc = copy_once("", &c->key);

    return rc == CEL_OK ? copy_once("", &c->secret) : rc;
}

int cel_login_find(const struct cel_url *url, struct cel_credentials *out)
{
    int rc;

    *out = (struct cel_credentials){0};
    rc = of_settings(url->host, out);
    if (rc == CEL_ABSENT)
        rc = of_netrc(url->host, out);
    if (rc == CEL_OK)
        rc = complete(out);
    if (rc == CEL_OK && strcmp(url->scheme, "https") != 0) {
        cel_warn("%s: the password for it is not sent, as http:// would show it to everybody: use https://", url->host);
        rc = CEL_ABSENT;
    }
    if (rc != CEL_OK)
        cel_credentials_dispose(out);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}
