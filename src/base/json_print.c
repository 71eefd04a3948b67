/* JSON as text. Numbers keep the text they were read from; NaN and the infinities,
 * which JSON does not have, are strings. */
#include "json_int.h"
#include "number.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

static int print_special(unsigned char c, struct cel_buf *out)
{
    static const char special[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *found = c ? strchr(special, c) : NULL;

    return found ? cel_buf_printf(out, "\\%c", letter[found - special]) : cel_buf_printf(out, "\\u%04x", c);
}

static int print_string(const char *text, size_t len, struct cel_buf *out)
{
    int rc = cel_buf_puts(out, "\"");

    for (size_t i = 0; rc == CEL_OK && i < len;) {
        size_t run = i;

        while (run < len && is_plain((unsigned char)text[run]))
            run++;
        rc = cel_buf_add(out, text + i, run - i);
        if (rc == CEL_OK && run < len)
            rc = print_special((unsigned char)text[run++], out);
        i = run;
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

static int new_line(int indent, int depth, struct cel_buf *out)
{
    return indent ? cel_buf_printf(out, "\n%*s", indent * depth, "") : CEL_OK;
}

static int print_value(const struct cel_json *v, int indent, int depth, struct cel_buf *out);

/* What stands before an item: a comma unless it is the first, a new line or a blank. */
static int print_gap(bool first, int indent, int depth, struct cel_buf *out)
{
    int rc = first ? CEL_OK : cel_buf_puts(out, indent ? "," : ", ");

    return rc == CEL_OK ? new_line(indent, depth, out) : rc;
}

static int print_members(const struct cel_json *v, int indent, int depth, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < v->members->n; i++) {
        const struct json_member *m = &v->members->at[i];

        rc = print_gap(i == 0, indent, depth, out);
        if (rc == CEL_OK)
            rc = print_string(m->key, strlen(m->key), out);
        if (rc == CEL_OK)
            rc = cel_buf_puts(out, ": ");
        if (rc == CEL_OK)
            rc = print_value(m->value, indent, depth, out);
    }
    return rc;
}

static int print_items(const struct cel_json *v, int indent, int depth, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < v->n; i++) {
        rc = print_gap(i == 0, indent, depth, out);
        if (rc == CEL_OK)
            rc = print_value(v->item[i], indent, depth, out);
    }
    return rc;
}

static int print_nest(const struct cel_json *v, int indent, int depth, struct cel_buf *out)
{
    bool is_object = v->type == CEL_JSON_OBJECT;
    int rc = cel_buf_puts(out, is_object ? "{" : "[");

    if (rc == CEL_OK)
        rc = (is_object ? print_members : print_items)(v, indent, depth + 1, out);
    if (rc == CEL_OK && cel_json_count(v) > 0)
        rc = new_line(indent, depth, out);
    return rc == CEL_OK ? cel_buf_puts(out, is_object ? "}" : "]") : rc;
}

static int print_value(const struct cel_json *v, int indent, int depth, struct cel_buf *out)
{
    switch (v->type) {
    case CEL_JSON_OBJECT:
    case CEL_JSON_ARRAY:
        return print_nest(v, indent, depth, out);
    case CEL_JSON_STRING:
        return print_string(v->string, v->len, out);
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

int cel_json_print(const struct cel_json *v, int indent, struct cel_buf *out)
{
    return v ? print_value(v, indent, 0, out) : cel_buf_puts(out, "null");
}
