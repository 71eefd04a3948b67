/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON from text, strictly: what is not of the grammar is refused with its place,
 * except for the bare NaN and Infinity that Python writes. One pass, one block per value. */
#include "json_int.h"
#include "mem.h"
#include "number.h"
#include "utf8.h"
#include <ctype.h>
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define JSON_DEPTH 64

struct parser {
    const char *text;
    size_t len, pos;
    int depth;
    size_t bad;      /* offset of the fault */
    const char *why; /* NULL: no fault of the text */
};

static int fault(struct parser *p, size_t at, const char *why)
{
    p->bad = at;
    p->why = why;
    return NC_EINVAL;
}

static void skip_blanks(struct parser *p)
{
    while (p->pos < p->len && p->text[p->pos] && strchr(" \t\r\n", p->text[p->pos]))
        p->pos++;
}

static bool take(struct parser *p, char c)
{
    if (p->pos >= p->len || p->text[p->pos] != c)
        return false;
    p->pos++;
    return true;
}

/* --- strings --------------------------------------------------------------- */

static size_t put_utf8(char *out, unsigned long c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* The four digits at `at`; false: they are none. */
static bool hex4(const struct parser *p, size_t at, unsigned long *out)
{
    *out = 0;
    if (p->len - at < 4 || at > p->len)
        return false;
    for (size_t i = at; i < at + 4; i++) {
        int c = tolower((unsigned char)p->text[i]);

        if (!isxdigit(c))
            return false;
        *out = *out * 16 + (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* \uXXXX, or a pair of them; half of a pair becomes the replacement character. */
static int parse_code(struct parser *p, char **to)
{
    unsigned long c, low;

    if (!hex4(p, p->pos, &c))
        return fault(p, p->pos, "\\u needs four hexadecimal digits");
    p->pos += 4;
    if (c >= 0xd800 && c < 0xdc00 && p->len - p->pos >= 6 && p->text[p->pos] == '\\' && p->text[p->pos + 1] == 'u' &&
        hex4(p, p->pos + 2, &low) && low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        p->pos += 6;
    }
    *to += put_utf8(*to, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    return CEL_OK;
}

static int parse_escape(struct parser *p, char **to)
{
    static const char letter[] = "\"\\/bfnrt", special[] = "\"\\/\b\f\n\r\t";
    char c = p->text[p->pos++];
    const char *found = c ? strchr(letter, c) : NULL;

    if (c == 'u')
        return parse_code(p, to);
    if (!found)
        return fault(p, p->pos - 1, "this escape is none of JSON's");
    *(*to)++ = special[found - letter];
    return CEL_OK;
}

/* Decodes up to `end`, where the closing quote is, into `to`; no escape is shorter than what it stands for. */
static int decode_string(struct parser *p, size_t end, char *to, size_t *len)
{
    char *start = to;
    int rc = CEL_OK;

    while (rc == CEL_OK && p->pos < end) {
        size_t n = p->text[p->pos] == '\\' ? 0 : cel_utf8_length(p->text + p->pos, end - p->pos);

        if (n) {
            memcpy(to, p->text + p->pos, n);
            to += n;
            p->pos += n;
        } else if (p->text[p->pos] == '\\') {
            p->pos++;
            rc = parse_escape(p, &to);
        } else {
            rc = fault(p, p->pos, "this is not UTF-8");
        }
    }
    *to = '\0';
    *len = (size_t)(to - start);
    return rc;
}

/* The text between quotes, yours to free. */
static int parse_text(struct parser *p, char **out, size_t *len)
{
    size_t start = p->pos++, end = p->pos;
    int rc;

    while (end < p->len && p->text[end] && p->text[end] != '"')
        end += p->text[end] == '\\' ? 2 : 1;
    if (end >= p->len || !p->text[end])
        return fault(p, start, "a string is not closed");
    *out = cel_malloc(end - p->pos + 1);
    rc = *out ? decode_string(p, end, *out, len) : NC_ENOMEM;
    if (rc != CEL_OK)
        free(*out);
    p->pos = end + 1;
    return rc;
}

static int parse_string(struct parser *p, struct cel_json **out)
{
    char *text;
    size_t len;
    int rc = parse_text(p, &text, &len);

    if (rc != CEL_OK)
        return rc;
    *out = cel_json_adopt_string(text, len);
    return *out ? CEL_OK : NC_ENOMEM;
}

/* --- numbers and words ------------------------------------------------------- */

static size_t digits_at(const char *text, size_t n, size_t at)
{
    size_t from = at;

    while (at < n && isdigit((unsigned char)text[at]))
        at++;
    return at - from;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(const char *text, size_t n, bool *real)
{
    size_t at = n && text[0] == '-', whole = digits_at(text, n, at), part;

    *real = false;
    if (!whole || (text[at] == '0' && whole > 1))
        return false;
    at += whole;
    if (at < n && text[at] == '.') {
        *real = true;
        part = digits_at(text, n, at + 1);
        if (!part)
            return false;
        at += 1 + part;
    }
    if (at < n && (text[at] == 'e' || text[at] == 'E')) {
        *real = true;
        at += 1 + (at + 1 < n && (text[at + 1] == '+' || text[at + 1] == '-'));
        part = digits_at(text, n, at);
        if (!part)
            return false;
        at += part;
    }
    return at == n;
}

static int parse_number(struct parser *p, const char *start, size_t n, struct cel_json **out)
{
    size_t at = (size_t)(start - p->text);
    bool real;
    double d;
    int64_t i;
    uint64_t u;

    if (!is_number(start, n, &real))
        return fault(p, at,
                     n && (isdigit((unsigned char)*start) || *start == '-') ? "this number is malformed"
                                                                            : "expected a value");
    if (real) {
        if (!cel_parse_double(start, n, &d))
            return fault(p, at, "this number is too large for a double");
        *out = cel_json_new_real_as(d, start, n);
    } else if (cel_parse_uint(start, n, &u)) {
        *out = cel_json_new_uint(u);
    } else if (cel_parse_int(start, n, &i)) {
        *out = cel_json_new_int(i);
    } else {
        return fault(p, at, "this integer does not fit 64 bits");
    }
    return *out ? CEL_OK : NC_ENOMEM;
}

/* NULL: no such word. */
static struct cel_json *word_value(const char *start, size_t n, bool *known)
{
    static const struct {
        const char *word;
        double value;
    } real[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};

    *known = true;
    if (n == 4 && memcmp(start, "true", 4) == 0)
        return cel_json_new_bool(true);
    if (n == 5 && memcmp(start, "false", 5) == 0)
        return cel_json_new_bool(false);
    if (n == 4 && memcmp(start, "null", 4) == 0)
        return cel_json_new_null();
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        if (strlen(real[i].word) == n && memcmp(start, real[i].word, n) == 0)
            return cel_json_new_real_as(real[i].value, NULL, 0);
    *known = false;
    return NULL;
}

static int parse_token(struct parser *p, struct cel_json **out)
{
    const char *start = p->text + p->pos;
    size_t n = 0;
    bool known;

    while (p->pos + n < p->len && (isalnum((unsigned char)start[n]) || (start[n] && strchr("+-._", start[n]))))
        n++;
    *out = word_value(start, n, &known);
    if (known)
        p->pos += n;
    if (known)
        return *out ? CEL_OK : NC_ENOMEM;
    if (p->pos >= p->len)
        return fault(p, p->len, "the text ends too early");
    p->pos += n;
    return parse_number(p, start, n, out);
}

/* --- objects and arrays -------------------------------------------------------- */

static int parse_value(struct parser *p, struct cel_json **out);

static int parse_member(struct parser *p, struct cel_json *object)
{
    struct cel_json *value = NULL;
    size_t start = p->pos, len;
    char *key;
    int rc;

    if (p->pos >= p->len)
        return fault(p, p->len, "the text ends too early");
    if (p->text[p->pos] != '"')
        return fault(p, p->pos, "expected a key in quotes");
    rc = parse_text(p, &key, &len);
    if (rc != CEL_OK)
        return rc;
    if (strlen(key) != len)
        rc = fault(p, start, "a key holds a NUL character");
    skip_blanks(p);
    if (rc == CEL_OK && !take(p, ':'))
        rc = fault(p, p->pos, p->pos < p->len ? "expected a colon after the key" : "the text ends too early");
    if (rc == CEL_OK)
        rc = parse_value(p, &value);
    if (rc != CEL_OK) {
        free(key);
        return rc;
    }
    rc = cel_json_add_new(object, key, value);
    return rc == CEL_ABSENT ? fault(p, start, "an object has the same key twice") : rc;
}

static int parse_item(struct parser *p, struct cel_json *array)
{
    struct cel_json *item;
    int rc = parse_value(p, &item);

    return rc == CEL_OK ? cel_json_push(array, item) : rc;
}

/* What stands between the brackets, with the closing one. */
static int parse_parts(struct parser *p, struct cel_json *nest, char end,
                       int (*part)(struct parser *, struct cel_json *))
{
    int rc = CEL_OK;

    skip_blanks(p);
    if (take(p, end))
        return CEL_OK;
    while (rc == CEL_OK) {
        skip_blanks(p);
        rc = part(p, nest);
        skip_blanks(p);
        if (rc == CEL_OK && take(p, end))
            return CEL_OK;
        if (rc == CEL_OK && !take(p, ','))
            rc = fault(p, p->pos,
                       p->pos < p->len ? "expected a comma or the closing bracket" : "the text ends too early");
    }
    return rc;
}

static int parse_nest(struct parser *p, struct cel_json **out)
{
    bool is_object = p->text[p->pos] == '{';
    int rc;

    if (p->depth >= JSON_DEPTH)
        return fault(p, p->pos, "nested too deep: more than 64 brackets are open");
    *out = is_object ? cel_json_new_object() : cel_json_new_array();
    if (!*out)
        return NC_ENOMEM;
    p->pos++;
    p->depth++;
    rc = parse_parts(p, *out, is_object ? '}' : ']', is_object ? parse_member : parse_item);
    p->depth--;
    if (rc != CEL_OK) {
        cel_json_free(*out);
        *out = NULL;
    }
    return rc;
}

static int parse_value(struct parser *p, struct cel_json **out)
{
    skip_blanks(p);
    *out = NULL;
    if (p->pos < p->len && (p->text[p->pos] == '{' || p->text[p->pos] == '['))
        return parse_nest(p, out);
    if (p->pos < p->len && p->text[p->pos] == '"')
        return parse_string(p, out);
    return parse_token(p, out);
}

static int report(const struct parser *p, size_t *at)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < p->bad; i++) {
        column = p->text[i] == '\n' ? 1 : column + 1;
        line += p->text[i] == '\n';
    }
    if (at)
        *at = p->bad;
    return cel_fail(NC_EINVAL, "JSON, line %zu, column %zu: %s", line, column, p->why);
}

int cel_json_parse(const char *text, size_t len, struct cel_json **out, size_t *at)
{
    struct parser p = {.text = text ? text : "", .len = len}; /* an empty buffer has no memory */
    struct cel_json *v;
    int rc = parse_value(&p, &v);

    skip_blanks(&p);
    if (rc == CEL_OK && p.pos < len) {
        cel_json_free(v);
        rc = fault(&p, p.pos, "something follows the value");
    }
    if (rc == CEL_OK)
        *out = v;
    return p.why ? report(&p, at) : rc;
}
