/* SPDX-License-Identifier: BSD-3-Clause */
/* A body of parts: each begins with a line "--boundary" and lines of headers up to an empty one; its bytes follow, as many as its
 * Content-Range says, then the line of the next part. At the first deviation from this the search ends, and nothing after it is used. */
#include "byteranges.h"
#include "number.h"
#include "status.h"
#include <string.h>
#include <strings.h>

#define BOUNDARY_MAX 70 /* RFC 2046 */

int cel_byteranges_print(const struct cel_range *range, size_t n, struct cel_buf *out)
{
    int rc = cel_buf_puts(out, "bytes=");

    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = cel_buf_printf(out, "%s%llu-%llu", i ? "," : "", (unsigned long long)range[i].offset,
                            (unsigned long long)(range[i].offset + range[i].n - 1));
    return rc;
}

/* "multipart/byteranges; boundary=text", the text quoted or not. */
static bool find_boundary(const char *type, const char **out, size_t *n)
{
    static const char kind[] = "multipart/byteranges", name[] = "boundary=";
    const char *at = strncasecmp(type, kind, sizeof kind - 1) == 0 ? strcasestr(type, name) : NULL;

    if (!at)
        return false;
    at += sizeof name - 1;
    if (*at == '"') {
        *out = at + 1;
        *n = strcspn(at + 1, "\"");
        return *n > 0 && *n <= BOUNDARY_MAX && at[1 + *n] == '"';
    }
    *out = at;
    *n = strcspn(at, "; \t");
    return *n > 0 && *n <= BOUNDARY_MAX;
}

bool cel_byteranges_is(const char *type)
{
    const char *boundary;
    size_t n;

    return find_boundary(type, &boundary, &n);
}

/* --- one part -------------------------------------------------------------------------- */

struct part {
    uint64_t first, last, total;
    const char *bytes;
};

static bool take_number(const char **at, const char *end, char behind, uint64_t *out)
{
    const char *stop = memchr(*at, behind, (size_t)(end - *at));

    if (!stop || !cel_parse_uint(*at, (size_t)(stop - *at), out))
        return false;
    *at = stop + 1;
    return true;
}

/* "bytes 0-99/1000" */
static bool take_content_range(const char *at, const char *end, struct part *out)
{
    static const char unit[] = "bytes ";

    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if ((size_t)(end - at) < sizeof unit - 1 || strncasecmp(at, unit, sizeof unit - 1) != 0)
        return false;
    at += sizeof unit - 1;
    return take_number(&at, end, '-', &out->first) && take_number(&at, end, '/', &out->last) &&
           cel_parse_uint(at, (size_t)(end - at), &out->total) && out->first <= out->last && out->last < out->total;
}

/* Without its CR and LF. NULL: there is no whole line. */
static const char *line_end(const char *at, const char *end, const char **next)
{
    const char *lf = memchr(at, '\n', (size_t)(end - at));

    if (!lf)
        return NULL;
    *next = lf + 1;
    return lf > at && lf[-1] == '\r' ? lf - 1 : lf;
}

/* Headers, from *at on, and the bytes behind them, which *at is moved beyond. */
static bool take_part(const char **at, const char *end, struct part *out)
{
    static const char name[] = "content-range:";
    bool told = false;
    const char *stop, *next = NULL;

    while ((stop = line_end(*at, end, &next)) && stop > *at) {
        if ((size_t)(stop - *at) >= sizeof name - 1 && strncasecmp(*at, name, sizeof name - 1) == 0)
            told = take_content_range(*at + sizeof name - 1, stop, out);
        *at = next;
    }
    if (!stop || !told || out->last - out->first >= (uint64_t)(end - next))
        return false;
    out->bytes = next;
    *at = next + (out->last - out->first + 1);
    return true;
}

/* The line "--boundary", an empty one before it or not. */
static bool take_boundary(const char **at, const char *end, const char *boundary, size_t n)
{
    const char *stop, *next = NULL;

    while ((stop = line_end(*at, end, &next)) && stop == *at)
        *at = next;
    if (!stop || (size_t)(stop - *at) < n + 2 || memcmp(*at, "--", 2) != 0 || memcmp(*at + 2, boundary, n) != 0 ||
        (size_t)(stop - *at) != n + 2 + strspn(*at + n + 2, " \t"))
        return false;
    *at = next;
    return true;
}

/* Behind a part's bytes the next boundary begins: else they are not as many as it said. */
static bool is_boundary_next(const char *at, const char *end, const char *boundary, size_t n)
{
    at += at < end && *at == '\r';
    at += at < end && *at == '\n';
    return (size_t)(end - at) >= n + 2 && memcmp(at, "--", 2) == 0 && memcmp(at + 2, boundary, n) == 0;
}

const char *cel_byteranges_find(const char *type, const struct cel_buf *body, const struct cel_range *range,
                                uint64_t *total)
{
    const char *at = body->data, *end = body->data + body->len, *boundary;
    struct part part;
    size_t n;

    if (!body->len || !range->n || !find_boundary(type, &boundary, &n))
        return NULL;
    while (take_boundary(&at, end, boundary, n) && take_part(&at, end, &part) && is_boundary_next(at, end, boundary, n))
        if (part.first <= range->offset && range->n - 1 <= part.last && range->offset <= part.last - (range->n - 1)) {
            *total = part.total;
            return part.bytes + (range->offset - part.first);
        }
    return NULL;
}
