/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as text. Numbers keep the text they were read from; NaN and the infinities,
 * which JSON does not have, are strings. */
#include "json_int.h"
#include "number.h"
#include "utf8.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How the text is laid out, and where it goes. */
struct form {
    int indent; /* 0: one line */
    bool ascii; /* characters beyond ASCII as \u escapes */
};

static bool is_plain(const struct form *form, unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\' && !(form->ascii && c >= 0x80);
}

static int print_special(unsigned char c, struct cel_buf *out)
{
    static const char special[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *found = c ? strchr(special, c) : NULL;

    return found ? cel_buf_printf(out, "\\%c", letter[found - special]) : cel_buf_printf(out, "\\u%04x", c);
}

/* A character of several bytes; beyond U+FFFF it takes two escapes. Bytes that are no UTF-8 stay as they are. */
static int print_escaped(const char *text, size_t left, size_t *used, struct cel_buf *out)
{
    size_t n = cel_utf8_length(text, left);
    uint32_t c = (unsigned char)*text & (0x7fu >> n);

    *used = n ? n : 1;
    if (!n)
        return cel_buf_add(out, text, 1);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    if (c < 0x10000)
        return cel_buf_printf(out, "\\u%04x", (unsigned)c);
    c -= 0x10000;
    return cel_buf_printf(out, "\\u%04x\\u%04x", 0xd800u | (unsigned)(c >> 10), 0xdc00u | (unsigned)(c & 0x3ff));
}

static int print_unusual(const char *text, size_t left, size_t *used, struct cel_buf *out)
{
    *used = 1;
    return (unsigned char)*text < 0x80 ? print_special((unsigned char)*text, out)
                                       : print_escaped(text, left, used, out);
}

static int print_string(const struct form *form, const char *text, size_t len, struct cel_buf *out)
{
    int rc = cel_buf_puts(out, "\"");

    for (size_t i = 0; rc == CEL_OK && i < len;) {
        size_t run = i, used = 0;

        while (run < len && is_plain(form, (unsigned char)text[run]))
            run++;
        rc = cel_buf_add(out, text + i, run - i);
        if (rc == CEL_OK && run < len)
            rc = print_unusual(text + run, len - run, &used, out);
        i = run + used;
    }
    return rc == CEL_OK ? cel_buf_puts(out, "\"") : rc;
}

static int print_real(const struct cel_json *v, struct cel_buf *out)
{
    char text[CEL_NUMBER_MAX];

    if (!isfinite(v->real))
        return cel_buf_puts(out, isnan(v->real) ? "\"NaN\"" : v->real > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    if (v->text)
        return cel_buf_puts(out, v->text);
    cel_print_double(v->real, text);
    return cel_buf_puts(out, text);
}

static int print_int(const struct cel_json *v, struct cel_buf *out)
{
    return v->negative ? cel_buf_printf(out, "%" PRId64, (int64_t)v->number)
                       : cel_buf_printf(out, "%" PRIu64, v->number);
}

static int new_line(const struct form *form, int depth, struct cel_buf *out)
{
    return form->indent ? cel_buf_printf(out, "\n%*s", form->indent * depth, "") : CEL_OK;
}

static int print_value(const struct form *form, const struct cel_json *v, int depth, struct cel_buf *out);

/* What stands before an item: a comma unless it is the first, a new line or a blank. */
static int print_gap(const struct form *form, bool first, int depth, struct cel_buf *out)
{
    int rc = first ? CEL_OK : cel_buf_puts(out, form->indent ? "," : ", ");

    return rc == CEL_OK ? new_line(form, depth, out) : rc;
}

static int print_members(const struct form *form, const struct cel_json *v, int depth, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < v->members->n; i++) {
        const struct json_member *m = &v->members->at[i];

        rc = print_gap(form, i == 0, depth, out);
        if (rc == CEL_OK)
            rc = print_string(form, m->key, strlen(m->key), out);
        if (rc == CEL_OK)
            rc = cel_buf_puts(out, ": ");
        if (rc == CEL_OK)
            rc = print_value(form, m->value, depth, out);
    }
    return rc;
}

static int print_items(const struct form *form, const struct cel_json *v, int depth, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < v->n; i++) {
        rc = print_gap(form, i == 0, depth, out);
        if (rc == CEL_OK)
            rc = print_value(form, v->item[i], depth, out);
    }
    return rc;
}

static int print_nest(const struct form *form, const struct cel_json *v, int depth, struct cel_buf *out)
{
    bool is_object = v->type == CEL_JSON_OBJECT;
    int rc = cel_buf_puts(out, is_object ? "{" : "[");

    if (rc == CEL_OK)
        rc = (is_object ? print_members : print_items)(form, v, depth + 1, out);
    if (rc == CEL_OK && cel_json_count(v) > 0)
        rc = new_line(form, depth, out);
    return rc == CEL_OK ? cel_buf_puts(out, is_object ? "}" : "]") : rc;
}

static int print_value(const struct form *form, const struct cel_json *v, int depth, struct cel_buf *out)
{
    switch (v->type) {
    case CEL_JSON_OBJECT:
    case CEL_JSON_ARRAY:
        return print_nest(form, v, depth, out);
    case CEL_JSON_STRING:
        return print_string(form, v->string, v->len, out);
    case CEL_JSON_DOUBLE:
        return print_real(v, out);
    case CEL_JSON_INT:
        return print_int(v, out);
    case CEL_JSON_BOOL:
        return cel_buf_puts(out, cel_json_bool(v) ? "true" : "false");
    default:
        return cel_buf_puts(out, "null");
    }
}

static int print_whole(const struct form *form, const struct cel_json *v, struct cel_buf *out)
{
    return v ? print_value(form, v, 0, out) : cel_buf_puts(out, "null");
}

int cel_json_print(const struct cel_json *v, int indent, struct cel_buf *out)
{
    return print_whole(&(struct form){.indent = indent}, v, out);
}

int cel_json_print_ascii(const struct cel_json *v, int indent, struct cel_buf *out)
{
    return print_whole(&(struct form){.indent = indent, .ascii = true}, v, out);
}
