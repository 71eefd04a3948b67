/* JSON over json-c. json-c builds and keeps the tree; what it lets pass is
 * caught here: a scan of the source refuses what it would accept or change
 * silently (single quotes, clamped integers, NUL in keys), and a count of the
 * members finds duplicate keys. Printing is ours too, so that numbers keep their
 * text and NaN is written as a string.
 *
 * json-c's null is a NULL pointer. Outside this file NULL means "no value", so
 * null is the address of a mark of its own. */
#include "json.h"
#include "mem.h"
#include "number.h"
#include <ctype.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <netcdf.h>
#include <string.h>

#define JSON_DEPTH 64

static char null_mark;
#define NULL_VALUE ((struct cel_json *)&null_mark)

static struct json_object *inner(const struct cel_json *v)
{
    return v == NULL_VALUE ? NULL : (struct json_object *)v;
}

static struct cel_json *outer(struct json_object *o)
{
    return o ? (struct cel_json *)o : NULL_VALUE;
}

/* --- reading ---------------------------------------------------------- */

struct scan {
    const char *text;
    size_t len, pos;
    size_t members; /* keys seen */
};

static int fail_at_offset(const char *text, size_t at, size_t *where, const char *why)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < at; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    if (where)
        *where = at;
    return cel_fail(NC_EINVAL, "JSON, line %zu, column %zu: %s", line, column, why);
}

/* Passes a string; its escapes are json-c's business. */
static const char *scan_string(struct scan *s)
{
    bool has_nul = false;

    for (s->pos++; s->pos < s->len && s->text[s->pos] != '"'; s->pos++) {
        if (s->text[s->pos] != '\\')
            continue;
        has_nul |= s->len - s->pos > 6 && strncmp(s->text + s->pos, "\\u0000", 6) == 0;
        s->pos++;
    }
    if (s->pos >= s->len)
        return "a string is not closed";
    s->pos++;
    while (s->pos < s->len && isspace((unsigned char)s->text[s->pos]))
        s->pos++;
    if (s->pos < s->len && s->text[s->pos] == ':') {
        s->members++;
        return has_nul ? "a key holds a NUL character" : NULL;
    }
    return NULL;
}

/* A point needs a digit after it; json-c does not mind. */
static bool is_real(const char *text, size_t n)
{
    const char *point = memchr(text, '.', n);
    double d;

    return cel_parse_double(text, n, &d) && (!point || (point < text + n - 1 && isdigit((unsigned char)point[1])));
}

/* Passes a number or a word. */
static const char *scan_token(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity", NULL};
    const char *start = s->text + s->pos;
    size_t n = 0;
    int64_t i;
    uint64_t u;

    while (s->pos + n < s->len && (isalnum((unsigned char)start[n]) || (start[n] && strchr("+-._", start[n]))))
        n++;
    s->pos += n;
    for (const char *const *w = words; *w; w++)
        if (strlen(*w) == n && strncmp(*w, start, n) == 0)
            return NULL;
    if (n == 0 || isalpha((unsigned char)start[start[0] == '-' && n > 1]))
        return "expected a value";
    if (memchr(start, '.', n) || memchr(start, 'e', n) || memchr(start, 'E', n))
        return is_real(start, n) ? NULL : "this number is malformed or too large for a double";
    if (!cel_parse_int(start, n, &i) && !cel_parse_uint(start, n, &u))
        return "this integer is malformed or does not fit 64 bits";
    return NULL;
}

static int scan_text(struct scan *s, size_t *at)
{
    while (s->pos < s->len) {
        size_t start = s->pos;
        char c = s->text[start];
        const char *why = NULL;

        if (c == '"')
            why = scan_string(s);
        else if (c && strchr("{}[]:, \t\r\n", c))
            s->pos++;
        else
            why = scan_token(s);
        if (why)
            return fail_at_offset(s->text, start, at, why);
    }
    return CEL_OK;
}

static size_t count_members(struct json_object *o)
{
    size_t n = 0;

    if (json_object_is_type(o, json_type_object)) {
        json_object_object_foreach(o, key, value)
        {
            (void)key;
            n += 1 + count_members(value);
        }
    } else if (json_object_is_type(o, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(o); i++)
            n += count_members(json_object_array_get_idx(o, i));
    }
    return n;
}

static int build(const struct scan *s, struct json_object **out, size_t *at)
{
    struct json_tokener *tok = json_tokener_new_ex(JSON_DEPTH);
    enum json_tokener_error err;
    int rc = CEL_OK;

    if (!tok)
        return cel_fail(NC_ENOMEM, "no memory for reading JSON");
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    *out = json_tokener_parse_ex(tok, s->text, (int)s->len);
    err = json_tokener_get_error(tok);
    if (err == json_tokener_continue) { /* a number may go on: the end of the text ends it */
        *out = json_tokener_parse_ex(tok, "", 1);
        err = json_tokener_get_error(tok);
        if (err == json_tokener_continue)
            rc = fail_at_offset(s->text, s->len, at, "the text ends too early");
    }
    if (rc == CEL_OK && err != json_tokener_success) {
        size_t end = json_tokener_get_parse_end(tok);

        rc = fail_at_offset(s->text, end < s->len ? end : s->len, at, json_tokener_error_desc(err));
    }
    json_tokener_free(tok);
    return rc;
}

int cel_json_parse(const char *text, size_t len, struct cel_json **out, size_t *at)
{
    struct scan s = {.text = text, .len = len};
    struct json_object *o = NULL;
    int rc;

    if (len >= INT_MAX)
        return cel_fail(NC_EINVAL, "JSON of %zu bytes is too long", len);
    rc = scan_text(&s, at);
    if (rc == CEL_OK)
        rc = build(&s, &o, at);
    if (rc == CEL_OK && count_members(o) != s.members)
        rc = fail_at_offset(text, 0, at, "an object has the same key twice");
    if (rc != CEL_OK) {
        json_object_put(o);
        return rc;
    }
    *out = outer(o);
    return CEL_OK;
}

void cel_json_free(struct cel_json *v)
{
    json_object_put(inner(v));
}

int cel_json_copy(const struct cel_json *v, struct cel_json **out)
{
    struct json_object *copy = NULL;

    if (inner(v) && json_object_deep_copy(inner(v), &copy, NULL) != 0)
        return cel_fail(NC_ENOMEM, "no memory for a copy of a JSON value");
    *out = outer(copy);
    return CEL_OK;
}

/* --- looking ------------------------------------------------------------ */

enum cel_json_type cel_json_type(const struct cel_json *v)
{
    static const enum cel_json_type map[] = {
        [json_type_null] = CEL_JSON_NULL,     [json_type_boolean] = CEL_JSON_BOOL,
        [json_type_double] = CEL_JSON_DOUBLE, [json_type_int] = CEL_JSON_INT,
        [json_type_object] = CEL_JSON_OBJECT, [json_type_array] = CEL_JSON_ARRAY,
        [json_type_string] = CEL_JSON_STRING,
    };

    return map[json_object_get_type(inner(v))];
}

size_t cel_json_count(const struct cel_json *v)
{
    if (json_object_is_type(inner(v), json_type_object))
        return (size_t)json_object_object_length(inner(v));
    if (json_object_is_type(inner(v), json_type_array))
        return json_object_array_length(inner(v));
    return 0;
}

const struct cel_json *cel_json_get(const struct cel_json *object, const char *key)
{
    struct json_object *found;

    if (!json_object_object_get_ex(inner(object), key, &found))
        return NULL;
    return outer(found);
}

const struct cel_json *cel_json_item(const struct cel_json *array, size_t i)
{
    if (cel_json_type(array) != CEL_JSON_ARRAY || i >= cel_json_count(array))
        return NULL;
    return outer(json_object_array_get_idx(inner(array), i));
}

const struct cel_json *cel_json_next(const struct cel_json *object, const void **at, const char **key)
{
    const struct lh_entry *e = *at;

    if (cel_json_type(object) != CEL_JSON_OBJECT)
        return NULL;
    e = e ? e->next : json_object_get_object(inner(object))->head;
    if (!e)
        return NULL;
    *at = e;
    *key = lh_entry_k(e);
    return outer(lh_entry_v(e));
}

const struct cel_json *cel_json_member(const struct cel_json *object, size_t i, const char **key)
{
    const struct cel_json *v;
    const void *at = NULL;

    do
        v = cel_json_next(object, &at, key);
    while (v && i-- > 0);
    return v;
}

bool cel_json_bool(const struct cel_json *v)
{
    return json_object_is_type(inner(v), json_type_boolean) && json_object_get_boolean(inner(v));
}

const char *cel_json_string(const struct cel_json *v, size_t *len)
{
    if (cel_json_type(v) != CEL_JSON_STRING)
        return NULL;
    if (len)
        *len = (size_t)json_object_get_string_len(inner(v));
    return json_object_get_string(inner(v));
}

static bool is_negative_int(const struct cel_json *v)
{
    return json_object_get_int64(inner(v)) < 0;
}

bool cel_json_int(const struct cel_json *v, bool lenient, int64_t *out)
{
    enum cel_json_type type = cel_json_type(v);
    size_t len = 0;
    const char *text = cel_json_string(v, &len);
    double d;

    if (type == CEL_JSON_INT) {
        *out = json_object_get_int64(inner(v));
        return *out < 0 || json_object_get_uint64(inner(v)) <= INT64_MAX;
    }
    if (type == CEL_JSON_DOUBLE) {
        d = json_object_get_double(inner(v));
        if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0) || d != trunc(d))
            return false;
        *out = (int64_t)d;
        return true;
    }
    return lenient && text && cel_parse_int(text, len, out);
}

bool cel_json_uint(const struct cel_json *v, bool lenient, uint64_t *out)
{
    enum cel_json_type type = cel_json_type(v);
    size_t len = 0;
    const char *text = cel_json_string(v, &len);
    double d;

    if (type == CEL_JSON_INT) {
        *out = json_object_get_uint64(inner(v));
        return !is_negative_int(v);
    }
    if (type == CEL_JSON_DOUBLE) {
        d = json_object_get_double(inner(v));
        if (!(d >= 0 && d < 18446744073709551616.0) || d != trunc(d))
            return false;
        *out = (uint64_t)d;
        return true;
    }
    return lenient && text && cel_parse_uint(text, len, out);
}

static bool special_double(const char *text, size_t len, double *out)
{
    static const struct {
        const char *text;
        double v;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"+Infinity", INFINITY}, {"-Infinity", -INFINITY}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].text) == len && strncmp(names[i].text, text, len) == 0) {
            *out = names[i].v;
            return true;
        }
    return false;
}

bool cel_json_double(const struct cel_json *v, bool lenient, double *out)
{
    enum cel_json_type type = cel_json_type(v);
    size_t len = 0;
    const char *text = cel_json_string(v, &len);

    if (type == CEL_JSON_INT)
        *out = is_negative_int(v) ? (double)json_object_get_int64(inner(v))
                                  : (double)json_object_get_uint64(inner(v));
    else if (type == CEL_JSON_DOUBLE)
        *out = json_object_get_double(inner(v));
    else
        return text && (special_double(text, len, out) || (lenient && cel_parse_double(text, len, out)));
    return true;
}

/* --- building ----------------------------------------------------------- */

static struct cel_json *made(struct json_object *o)
{
    if (!o)
        cel_fail(NC_ENOMEM, "no memory for a JSON value");
    return (struct cel_json *)o;
}

struct cel_json *cel_json_new_object(void)
{
    return made(json_object_new_object());
}

struct cel_json *cel_json_new_array(void)
{
    return made(json_object_new_array());
}

struct cel_json *cel_json_new_string(const char *text, size_t len)
{
    return made(len >= INT_MAX ? NULL : json_object_new_string_len(text, (int)len));
}

struct cel_json *cel_json_new_int(int64_t v)
{
    return made(json_object_new_int64(v));
}

struct cel_json *cel_json_new_uint(uint64_t v)
{
    return made(json_object_new_uint64(v));
}

static struct cel_json *new_real(double v, const char *text)
{
    if (!isfinite(v))
        return cel_json_new_string(text, strlen(text));
    return made(json_object_new_double_s(v, text));
}

struct cel_json *cel_json_new_double(double v)
{
    char text[CEL_NUMBER_MAX];

    cel_print_double(v, text);
    return new_real(v, text);
}

struct cel_json *cel_json_new_float(float v)
{
    char text[CEL_NUMBER_MAX];

    cel_print_float(v, text);
    return new_real((double)v, text);
}

struct cel_json *cel_json_new_bool(bool v)
{
    return made(json_object_new_boolean(v));
}

struct cel_json *cel_json_new_null(void)
{
    return NULL_VALUE;
}

int cel_json_set(struct cel_json *object, const char *key, struct cel_json *v)
{
    if (!v)
        return NC_ENOMEM; /* whoever made it has said so */
    if (json_object_object_add(inner(object), key, inner(v)) != 0) {
        cel_json_free(v);
        return cel_fail(NC_ENOMEM, "no memory for JSON member %s", key);
    }
    return CEL_OK;
}

int cel_json_set_text(struct cel_json *object, const char *key, const char *text)
{
    return cel_json_set(object, key, cel_json_new_string(text, strlen(text)));
}

int cel_json_push(struct cel_json *array, struct cel_json *v)
{
    if (!v)
        return NC_ENOMEM;
    if (json_object_array_add(inner(array), inner(v)) != 0) {
        cel_json_free(v);
        return cel_fail(NC_ENOMEM, "no memory for a JSON item");
    }
    return CEL_OK;
}

void cel_json_remove(struct cel_json *object, const char *key)
{
    json_object_object_del(inner(object), key);
}

/* --- printing ------------------------------------------------------------- */

static int print_string(const char *text, size_t len, struct cel_buf *out)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    int rc = cel_buf_puts(out, "\"");

    for (size_t i = 0; rc == CEL_OK && i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        const char *found = c ? strchr(plain, c) : NULL;

        if (found)
            rc = cel_buf_printf(out, "\\%c", letter[found - plain]);
        else if (c < 0x20)
            rc = cel_buf_printf(out, "\\u%04x", c);
        else
            rc = cel_buf_add(out, text + i, 1);
    }
    return rc == CEL_OK ? cel_buf_puts(out, "\"") : rc;
}

static int print_double(struct json_object *o, struct cel_buf *out)
{
    double v = json_object_get_double(o);

    if (isfinite(v))
        return cel_buf_puts(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    return cel_buf_puts(out, isnan(v) ? "\"NaN\"" : v > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

static int new_line(int indent, int depth, struct cel_buf *out)
{
    return indent ? cel_buf_printf(out, "\n%*s", indent * depth, "") : CEL_OK;
}

static int print_value(struct json_object *o, int indent, int depth, struct cel_buf *out);

/* What stands before an item: a comma unless it is the first, a new line or a blank. */
static int print_gap(bool first, int indent, int depth, struct cel_buf *out)
{
    int rc = first ? CEL_OK : cel_buf_puts(out, indent ? "," : ", ");

    return rc == CEL_OK ? new_line(indent, depth, out) : rc;
}

static int print_members(const struct cel_json *v, int indent, int depth, struct cel_buf *out)
{
    const struct cel_json *item;
    const void *at = NULL;
    const char *key;
    int rc = CEL_OK;

    for (bool first = true; rc == CEL_OK && (item = cel_json_next(v, &at, &key)); first = false) {
        rc = print_gap(first, indent, depth, out);
        if (rc == CEL_OK)
            rc = print_string(key, strlen(key), out);
        if (rc == CEL_OK)
            rc = cel_buf_puts(out, ": ");
        if (rc == CEL_OK)
            rc = print_value(inner(item), indent, depth, out);
    }
    return rc;
}

static int print_items(const struct cel_json *v, int indent, int depth, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(v); i++) {
        rc = print_gap(i == 0, indent, depth, out);
        if (rc == CEL_OK)
            rc = print_value(inner(cel_json_item(v, i)), indent, depth, out);
    }
    return rc;
}

static int print_nest(struct json_object *o, int indent, int depth, struct cel_buf *out)
{
    const struct cel_json *v = outer(o);
    bool is_object = cel_json_type(v) == CEL_JSON_OBJECT;
    int rc = cel_buf_puts(out, is_object ? "{" : "[");

    if (rc == CEL_OK)
        rc = (is_object ? print_members : print_items)(v, indent, depth + 1, out);
    if (rc == CEL_OK && cel_json_count(v) > 0)
        rc = new_line(indent, depth, out);
    return rc == CEL_OK ? cel_buf_puts(out, is_object ? "}" : "]") : rc;
}

static int print_value(struct json_object *o, int indent, int depth, struct cel_buf *out)
{
    switch (json_object_get_type(o)) {
    case json_type_object:
    case json_type_array:
        return print_nest(o, indent, depth, out);
    case json_type_string:
        return print_string(json_object_get_string(o), (size_t)json_object_get_string_len(o), out);
    case json_type_double:
        return print_double(o, out);
    default:
        return cel_buf_puts(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    }
}

int cel_json_print(const struct cel_json *v, int indent, struct cel_buf *out)
{
    return print_value(inner(v), indent, 0, out);
}
