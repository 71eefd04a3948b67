/* SPDX-License-Identifier: BSD-3-Clause */
/* The XML of the answers of S3 and STS: elements without attributes that matter, and text with the five entities and numbers. */
#include "xml.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

/* From *at on: the end of "<name>" or "<name ...>"; NULL: there is none. */
static const char *find_begin(const char *at, const char *end, const char *name)
{
    size_t n = strlen(name);

    while ((at = memchr(at, '<', (size_t)(end - at)))) {
        at++;
        if ((size_t)(end - at) > n && memcmp(at, name, n) == 0 && strchr("> \t\r\n", at[n]) && at[n]) {
            at = memchr(at, '>', (size_t)(end - at));
            return at ? at + 1 : NULL;
        }
    }
    return NULL;
}

static const char *find_end(const char *at, const char *end, const char *name)
{
    size_t n = strlen(name);

    while ((at = memchr(at, '<', (size_t)(end - at)))) {
        if ((size_t)(end - at) > n + 2 && at[1] == '/' && memcmp(at + 2, name, n) == 0 && at[n + 2] == '>')
            return at;
        at++;
    }
    return NULL;
}

bool cel_xml_next(const char **at, const char *end, const char *name, struct cel_xml_text *inner)
{
    const char *begin = *at ? find_begin(*at, end, name) : NULL, *stop = begin ? find_end(begin, end, name) : NULL;

    if (!stop)
        return false;
    *inner = (struct cel_xml_text){begin, (size_t)(stop - begin)};
    *at = stop + strlen(name) + 3;
    return true;
}

static const struct {
    const char *name;
    char c;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

static int add_character(unsigned long c, struct cel_buf *out)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    char utf8[4];

    for (size_t i = n; i-- > 1; c >>= 6)
        utf8[i] = (char)(0x80 | (c & 0x3f));
    utf8[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
    return cel_buf_add(out, utf8, n);
}

/* "&#233;" or "&#xE9;" as UTF-8; how many bytes of the text it takes, 0: it is none. */
static size_t decode_number(const char *text, size_t len, struct cel_buf *out, int *rc)
{
    const char *end = memchr(text, ';', len < 12 ? len : 12);
    bool hex = len > 2 && text[2] == 'x';
    char digits[16] = "", *last;
    unsigned long c;

    if (!end || len < 4 || text[1] != '#' || (size_t)(end - text) >= sizeof digits)
        return 0;
    memcpy(digits, text + 2 + hex, (size_t)(end - text) - 2 - hex);
    c = strtoul(digits, &last, hex ? 16 : 10);
    if (*last || !*digits || !c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *rc = add_character(c, out);
    return (size_t)(end - text) + 1;
}

static size_t decode_entity(const char *text, size_t len, struct cel_buf *out, int *rc)
{
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t n = strlen(entities[i].name);

        if (n <= len && memcmp(text, entities[i].name, n) == 0) {
            *rc = cel_buf_add(out, &entities[i].c, 1);
            return n;
        }
    }
    return decode_number(text, len, out, rc);
}

int cel_xml_decode(struct cel_xml_text inner, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0, n; rc == CEL_OK && i < inner.len; i += n) {
        n = inner.text[i] == '&' ? decode_entity(inner.text + i, inner.len - i, out, &rc) : 0;
        if (n)
            continue;
        n = 1;
        rc = inner.text[i] ? cel_buf_add(out, inner.text + i, 1) : cel_fail(NC_EIO, "the server's answer holds a NUL");
    }
    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}

int cel_xml_encode(const char *text, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (; rc == CEL_OK && *text; text++) {
        const char *entity = NULL;

        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (entities[i].c == *text)
                entity = entities[i].name;
        rc = entity ? cel_buf_puts(out, entity) : cel_buf_add(out, text, 1);
    }
    return rc;
}
