/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes over a network or from files about it: the first byte says which. Whatever comes, it is taken or refused; an error
 * has a text, and what is taken holds together. */
#include "byteranges.h"
#include "credentials_int.h"
#include "login.h"
#include "net_int.h"
#include "rc.h"
#include "secret.h"
#include "target.h"
#include "url.h"
#include "xml.h"
#include <netcdf.h>
#include <string.h>

/* --- answers ----------------------------------------------------------------------------- */

/* A list of keys, as a store takes it apart. */
static void try_list(char *text, size_t n)
{
    const char *at = text, *end = text + n;
    struct cel_xml_text part, key;

    while (cel_xml_next(&at, end, "Contents", &part)) {
        const char *inside = part.text;
        struct cel_buf name = CEL_BUF_INIT(1 << 20), again = CEL_BUF_INIT(1 << 20), back = CEL_BUF_INIT(1 << 20);

        FUZZ_EXPECT(part.text >= text && part.text + part.len <= end && at <= end, "outside of the text");
        if (cel_xml_next(&inside, part.text + part.len, "Key", &key) && cel_xml_decode(key, &name) == CEL_OK) {
            FUZZ_EXPECT(cel_xml_encode(name.data, &again) == CEL_OK, "%s", cel_error_text());
            key = (struct cel_xml_text){again.data, again.len};
            FUZZ_EXPECT(cel_xml_decode(key, &back) == CEL_OK && strcmp(back.data, name.data) == 0, "other text");
        }
        cel_buf_dispose(&name);
        cel_buf_dispose(&again);
        cel_buf_dispose(&back);
    }
}

static void check_found(int rc, struct cel_credentials *c)
{
    FUZZ_EXPECT(rc != CEL_OK || (c->key && c->secret), "half of it");
    cel_credentials_dispose(c);
    cel_error_clear();
}

static void try_sts(char *text, size_t n)
{
    struct cel_buf body = CEL_BUF_INIT(1 << 20);
    struct cel_credentials c = {0};

    if (cel_buf_add(&body, text, n) == CEL_OK)
        check_found(cel_credentials_of_answer(&body, &c), &c);
    cel_buf_dispose(&body);
}

static void try_document(char *text, size_t n)
{
    struct cel_credentials c = {0};

    check_found(cel_credentials_parse(text, n, "Token", &c), &c);
}

/* Lines of the head of an answer, each in memory of its own. */
static void try_headers(char *text, size_t n)
{
    struct cel_net_call call = {.answer.length = 1};
    const char *etag = call.answer.etag;

    for (size_t at = 0, len; at < n; at += len) {
        char *end = memchr(text + at, '\n', n - at), *line;

        len = end ? (size_t)(end - text) + 1 - at : n - at;
        line = malloc(len);
        memcpy(line, text + at, len);
        FUZZ_EXPECT(cel_net_take_header(line, 1, len, &call) == len, "it is not taken");
        free(line);
        FUZZ_EXPECT(memchr(etag, '\0', CEL_NET_TEXT) && call.asked < 1000000, "out of bounds");
    }
}

/* A body of several ranges, behind the line that its type is: what is found of a range lies in it. */
static void try_ranges(char *text, size_t n)
{
    static const struct cel_range wanted[] = {{0, 1}, {100, 50}, {500, 100}, {UINT64_MAX - 1, 1}, {3, UINT64_MAX}};
    char *end = memchr(text, '\n', n);
    size_t len = end ? n - (size_t)(end + 1 - text) : 0;
    struct cel_buf body = {.data = malloc(len + 1), .len = len, .cap = len};
    uint64_t total = 0;

    if (end) {
        *end = '\0';
        memcpy(body.data, end + 1, len);
        body.data = realloc(body.data, len ? len : 1); /* nothing is behind it */
    }
    for (size_t i = 0; end && i < sizeof wanted / sizeof *wanted; i++) {
        const char *at = cel_byteranges_find(text, &body, &wanted[i], &total);

        FUZZ_EXPECT(!at || (at >= body.data && wanted[i].n <= (size_t)(body.data + len - at)), "outside of the body");
        FUZZ_EXPECT(!at || (cel_byteranges_is(text) && wanted[i].offset + (wanted[i].n - 1) < total),
                    "beyond the value");
    }
    free(body.data);
}

/* --- settings -------------------------------------------------------------------------------- */

static void try_rc(char *text, size_t n)
{
    char *value;

    (void)n;
    if (cel_rc_parse(text, "rc", *text & 1) != CEL_OK)
        return;
    FUZZ_EXPECT(cel_rc_find("HTTP.NETRC", "host:80", &value) == CEL_OK, "%s", cel_error_text());
    free(value);
    cel_rc_tidy();
}

static void try_netrc(char *text, size_t n)
{
    struct cel_credentials c = {0};
    int rc = cel_login_parse(text, "host", &c);

    (void)n;
    FUZZ_EXPECT(rc != CEL_OK || c.key || c.secret, "nothing");
    cel_credentials_dispose(&c);
}

static void try_aws(char *text, size_t n)
{
    static const char *const names[] = {"region", "aws_access_key_id", NULL};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int says_profile = 0; says_profile < 2; says_profile++) {
            char *copy = malloc(n + 1), *value;

            memcpy(copy, text, n + 1);
            value = cel_aws_find_in(copy, "p", says_profile, names[i]);
            FUZZ_EXPECT(!value || (value >= copy && value <= copy + n), "outside of the text");
            free(copy);
        }
}

/* --- URLs ---------------------------------------------------------------------------------------- */

static void check_parts(const struct cel_url *url)
{
    struct cel_buf path = CEL_BUF_INIT(1 << 20), back = CEL_BUF_INIT(1 << 20);

    FUZZ_EXPECT(!strchr(url->host, '@') && !strchr(url->host, '/'), "a host that is none: %s", url->host);
    FUZZ_EXPECT(cel_url_encode(url->path, true, &path) == CEL_OK &&
                    cel_url_decode(path.data, path.len, &back) == CEL_OK && back.len == strlen(url->path) &&
                    memcmp(back.data ? back.data : "", url->path, back.len) == 0,
                "%s is encoded to something else", url->path);
    cel_buf_dispose(&path);
    cel_buf_dispose(&back);
}

static void try_url(char *text, size_t n)
{
    struct cel_buf decoded = CEL_BUF_INIT(1 << 20);
    struct cel_url url;
    char *hidden = malloc(n + 1), *twice = malloc(n + 1);

    if (cel_url_parse(text, &url) == CEL_OK) {
        check_parts(&url);
        cel_url_dispose(&url);
    } else {
        FUZZ_EXPECT(cel_error_text()[0], "refused without a word");
    }
    cel_url_decode(text, n, &decoded);
    cel_buf_dispose(&decoded);
    memcpy(hidden, text, n + 1);
    cel_hide_secrets(hidden);
    FUZZ_EXPECT(strlen(hidden) <= strlen(text), "it grew");
    memcpy(twice, hidden, strlen(hidden) + 1);
    cel_hide_secrets(twice);
    free(hidden);
    free(twice);
}

static void (*const kinds[])(char *text, size_t n) = {try_list,  try_sts, try_document, try_headers, try_rc,
                                                      try_netrc, try_aws, try_url,      try_ranges};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("NCRCENV_IGNORE", "1", 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = n ? malloc(n) : NULL;

    if (!n)
        return 0;
    memcpy(text, data + 1, n - 1);
    text[n - 1] = '\0';
    kinds[data[0] % (sizeof kinds / sizeof *kinds)](text, n - 1);
    free(text);
    return 0;
}
