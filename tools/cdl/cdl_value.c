/* SPDX-License-Identifier: BSD-3-Clause */
/* Values and names as CDL text. */

#include "cdl_value.h"
#include "safe.h"
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool cdl_is_section(const char *name)
{
    static const char *const word[] = {"types", "dimensions", "variables", "data", "group"};

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcasecmp(word[i], name) == 0)
            return true;
    return false;
}

bool cdl_is_keyword(const char *word, int format)
{
    static const char *const words[] = {"ubyte", "ushort", "uint", "int64", "uint64"};

    if (format != NC_FORMAT_NETCDF4 && format != NC_FORMAT_64BIT_DATA)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return format == NC_FORMAT_NETCDF4 && strcmp(word, "string") == 0;
}

void cdl_put_name(struct text *out, const char *name)
{
    if (isdigit((unsigned char)*name))
        text_putc(out, '\\');
    for (const char *p = name, *end = name + strlen(name); p < end;) {
        unsigned code;
        size_t n = safe_next(p, (size_t)(end - p), &code);

        if (code < 0x80 && strchr(" !\"#$&'()*,:;<=>?[]\\^`{|}~", *p))
            text_putc(out, '\\');
        if (!safe_is_hidden(code))
            text_putn(out, p, n);
        for (size_t i = 0; safe_is_hidden(code) && i < n; i++)
            text_printf(out, "\\%%%.2x", (unsigned char)p[i]);
        p += n;
    }
}

static const struct {
    char c;
    const char *text;
} escape[] = {{'\b', "\\b"}, {'\f', "\\f"},  {'\r', "\\r"}, {'\t', "\\t"},
              {'\v', "\\v"}, {'\\', "\\\\"}, {'\'', "\\'"}, {'"', "\\\""}};

/* NULL: it has none. */
static const char *escape_of(unsigned code, const char *newline)
{
    if (code == '\n')
        return newline;
    for (size_t i = 0; i < sizeof escape / sizeof *escape; i++)
        if (code == (unsigned char)escape[i].c)
            return escape[i].text;
    return NULL;
}

static void put_chars(struct text *out, const char *s, size_t len, const char *newline, bool bytes_as_they_are)
{
    for (size_t i = 0, n; i < len; i += n) {
        const char *text;
        unsigned code;

        n = safe_next(s + i, len - i, &code);
        text = escape_of(code, newline);
        if (text)
            text_puts(out, text);
        else if (bytes_as_they_are && code == SAFE_NO_CHAR)
            text_putn(out, s + i, n);
        else
            safe_put(out, s + i, n);
    }
}

void cdl_put_chars(struct text *out, const char *s, size_t len, const char *newline)
{
    put_chars(out, s, len, newline, false);
}

void cdl_put_text(struct text *out, const char *s, size_t len, const char *newline, bool bytes_as_they_are)
{
    text_putc(out, '"');
    put_chars(out, s, len, newline, bytes_as_they_are);
    text_putc(out, '"');
}

void cdl_put_bytes(struct text *out, const char *s, size_t len, const char *newline)
{
    text_putc(out, '"');
    for (size_t i = 0; i < len; i++) {
        const char *text = escape_of((unsigned char)s[i], newline);

        if (text)
            text_puts(out, text);
        else if ((unsigned char)s[i] < 0x20 || (unsigned char)s[i] > 0x7e)
            text_printf(out, "\\%.3o", (unsigned char)s[i]);
        else
            text_putc(out, s[i]);
    }
    text_putc(out, '"');
}

void cdl_put_quoted(struct text *out, const char *s, size_t len, const char *newline)
{
    cdl_put_text(out, s, len, newline, false);
}

static void put_real(struct text *out, double v, int digits, bool single, bool tagged)
{
    char number[64];
    const char *f = single ? "f" : "";

    if (isnan(v)) {
        text_printf(out, "NaN%s", f);
    } else if (isinf(v)) {
        text_printf(out, "%sInfinity%s", v < 0 ? "-" : "", f);
    } else {
        int len = snprintf(number, sizeof number, "%.*g", digits, v);
        size_t mantissa = tagged ? strcspn(number, "e") : (size_t)len;
        text_putn(out, number, mantissa);
        if (tagged && !memchr(number, '.', mantissa))
            text_putc(out, '.');
        text_puts(out, number + mantissa);
        if (tagged)
            text_puts(out, f);
    }
}

static void put_integer(struct text *out, int kind, const void *value)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
    } v = {0};

    memcpy(&v, value, types_atomic(kind)->size);
    switch (kind) {
    case NC_BYTE: text_printf(out, "%d", v.i8); break;
    case NC_SHORT: text_printf(out, "%d", v.i16); break;
    case NC_INT: text_printf(out, "%d", (int)v.i32); break;
    case NC_INT64: text_printf(out, "%lld", (long long)v.i64); break;
    case NC_UBYTE: text_printf(out, "%u", v.u8); break;
    case NC_USHORT: text_printf(out, "%u", v.u16); break;
    case NC_UINT: text_printf(out, "%u", (unsigned)v.u32); break;
    default: text_printf(out, "%llu", (unsigned long long)v.u64);
    }
}

static void put_string(struct text *out, const void *value)
{
    const char *s;

    memcpy(&s, value, sizeof s);
    if (s)
        cdl_put_quoted(out, s, strlen(s), "\\n");
    else
        text_puts(out, "NIL");
}

static size_t without_nuls(const char *s, size_t len)
{
    while (len && !s[len - 1])
        len--;
    return len;
}

static void put_array(struct text *out, const struct type *t, const char *value, size_t n,
                      const struct cdl_digits *digits)
{
    text_putc(out, '{');
    if (t->kind == NC_CHAR && n)
        cdl_put_bytes(out, value, without_nuls(value, n), "\\n");
    else
        for (size_t i = 0; i < n; i++) {
            if (i)
                text_puts(out, ", ");
            cdl_put_value(out, t, value + i * t->size, digits);
        }
    text_putc(out, '}');
}

static void put_record(struct text *out, const struct type *t, const char *value, const struct cdl_digits *digits)
{
    text_putc(out, '{');
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        if (i)
            text_puts(out, ", ");
        if (f->ndims)
            put_array(out, f->type, value + f->offset, f->count, digits);
        else
            cdl_put_value(out, f->type, value + f->offset, digits);
    }
    text_putc(out, '}');
}

static void put_sequence(struct text *out, const struct type *t, const void *value, const struct cdl_digits *digits)
{
    nc_vlen_t v;

    memcpy(&v, value, sizeof v);
    if (t->base->kind == NC_CHAR && v.len) { /* its length is what is written */
        text_putc(out, '{');
        cdl_put_bytes(out, v.p, v.len, "\\n");
        text_putc(out, '}');
    } else {
        put_array(out, t->base, v.p, v.len, digits);
    }
}

static void put_opaque(struct text *out, const struct type *t, const unsigned char *value)
{
    text_puts(out, "0X");
    for (size_t i = 0; i < t->size; i++)
        text_printf(out, "%02X", value[i]);
}

static void put_enum(struct text *out, const struct type *t, const void *value)
{
    static const unsigned char zero[8];
    const struct type_member *m = type_member_of(t, value);

    if (m)
        cdl_put_name(out, m->name);
    else if (memcmp(value, zero, t->size) == 0) /* what was never written */
        text_puts(out, "_UNDEFINED");
    else
        put_integer(out, t->base->kind, value);
}

static void put_real_value(struct text *out, int kind, const void *value, const struct cdl_digits *digits, bool tagged)
{
    float f;
    double d;

    if (kind == NC_FLOAT) {
        memcpy(&f, value, sizeof f);
        put_real(out, f, digits->of_float, true, tagged);
    } else {
        memcpy(&d, value, sizeof d);
        put_real(out, d, digits->of_double, false, tagged);
    }
}

void cdl_put_value(struct text *out, const struct type *t, const void *value, const struct cdl_digits *digits)
{
    switch (t->kind) {
    case NC_CHAR: cdl_put_bytes(out, value, *(const char *)value ? 1 : 0, "\\n"); break;
    case NC_FLOAT:
    case NC_DOUBLE: put_real_value(out, t->kind, value, digits, false); break;
    case NC_STRING: put_string(out, value); break;
    case NC_VLEN: put_sequence(out, t, value, digits); break;
    case NC_OPAQUE: put_opaque(out, t, value); break;
    case NC_ENUM: put_enum(out, t, value); break;
    case NC_COMPOUND: put_record(out, t, value, digits); break;
    default: put_integer(out, t->kind, value);
    }
}

void cdl_put_tagged(struct text *out, const struct type *t, const void *value, const struct cdl_digits *digits)
{
    static const char *const tag[] = {[NC_BYTE] = "b", [NC_SHORT] = "s",  [NC_UBYTE] = "UB",  [NC_USHORT] = "US",
                                      [NC_UINT] = "U", [NC_INT64] = "LL", [NC_UINT64] = "ULL"};

    if (t->kind == NC_FLOAT || t->kind == NC_DOUBLE) {
        put_real_value(out, t->kind, value, digits, true);
        return;
    }
    cdl_put_value(out, t, value, digits);
    if (t->kind <= NC_UINT64 && tag[t->kind])
        text_puts(out, tag[t->kind]);
}
