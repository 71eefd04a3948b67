/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and values as C text. Numbers are written as netCDF-C's ncgen writes them, with as many digits more as they need
 * to come back as they are. */

#include "cdl_emit.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cdl_put_ident(struct text *out, const char *name, const char *dot)
{
    static const struct {
        char c;
        const char *word;
    } words[] = {{'-', "MINUS"},  {'+', "PLUS"},      {'@', "ATSIGN"},   {' ', "SPACE"},    {'/', "SLASH"},
                 {'(', "LPAREN"}, {')', "RPAREN"},    {'[', "LBRACKET"}, {']', "RBRACKET"}, {',', "COMMA"},
                 {'#', "HASH"},   {'$', "DOLLAR"},    {'%', "PERCENT"},  {'&', "AMP"},      {'*', "STAR"},
                 {':', "COLON"},  {';', "SEMICOLON"}, {'<', "LT"},       {'=', "EQ"},       {'>', "GT"},
                 {'?', "QUEST"},  {'!', "EXCL"},      {'^', "CARET"},    {'|', "BAR"},      {'~', "TILDE"}};
    const char *word;

    if (isdigit((unsigned char)*name))
        text_puts(out, "DIGIT_");
    for (; *name; name++) {
        word = *name == '.' ? dot : NULL;
        for (size_t i = 0; !word && i < sizeof words / sizeof *words; i++)
            word = words[i].c == *name ? words[i].word : NULL;
        if (word)
            text_printf(out, "_%s_", word);
        else if (isalnum((unsigned char)*name) || *name == '_')
            text_putc(out, *name);
        else
            text_printf(out, "_x%02x", (unsigned char)*name);
    }
}

void cdl_emit_type(FILE *out, const struct type *t)
{
    static const char *const atomic[] = {[NC_BYTE] = "signed char",
                                         [NC_CHAR] = "char",
                                         [NC_SHORT] = "short",
                                         [NC_INT] = "int",
                                         [NC_FLOAT] = "float",
                                         [NC_DOUBLE] = "double",
                                         [NC_UBYTE] = "unsigned char",
                                         [NC_USHORT] = "unsigned short",
                                         [NC_UINT] = "unsigned int",
                                         [NC_INT64] = "signed long long",
                                         [NC_UINT64] = "unsigned long long",
                                         [NC_STRING] = "char*"};

    if (t->group < 0)
        fputs(atomic[t->kind], out);
    else
        fputs(((const struct cdl_type *)t)->ident, out);
}

static void put_escaped(FILE *out, unsigned char c)
{
    static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
    const char *known = c ? strchr(from, c) : NULL;

    if (known)
        fprintf(out, "\\%c", to[known - from]);
    else if (c < 0x20 || c > 0x7e || c == '?')
        fprintf(out, "\\%03o", c);
    else
        putc(c, out);
}

void cdl_emit_string(FILE *out, const char *s, size_t len)
{
    putc('"', out);
    for (size_t i = 0; i < len; i++)
        put_escaped(out, (unsigned char)s[i]);
    putc('"', out);
}

/* --- one value ---------------------------------------------------------------------- */
static void put_real(FILE *out, double v, bool single)
{
    const char *type = single ? "float" : "double";
    char number[40];

    if (isnan(v) || isinf(v)) {
        fprintf(out, "((%s)%s)", type, isnan(v) ? "(0.0/0.0)" : v < 0 ? "(-1.0/0.0)" : "(1.0/0.0)");
        return;
    }
    snprintf(number, sizeof number, "%.*g", single ? 8 : 16, v);
    if (single ? strtof(number, NULL) != (float)v : strtod(number, NULL) != v)
        snprintf(number, sizeof number, "%.*g", single ? 9 : 17, v);
    fprintf(out, "((%s)%s%s)", type, number, v == 0 && signbit(v) ? "." : "");
}

static void put_char(FILE *out, char c)
{
    putc('\'', out);
    if (c == '\'')
        fputs("\\'", out);
    else
        put_escaped(out, (unsigned char)c);
    putc('\'', out);
}

static void put_text(FILE *out, const char *value)
{
    const char *s;

    memcpy(&s, value, sizeof s);
    if (s)
        cdl_emit_string(out, s, strlen(s));
    else
        fputs("NULL", out);
}

static void put_atomic(FILE *out, int kind, const char *value)
{
    union number v;

#define CASE(id, member, ...) \
    case id: \
        memcpy(&v.member, value, sizeof v.member); \
        __VA_ARGS__; \
        break
    switch (kind) {
        CASE(NC_BYTE, b, fprintf(out, "%d", v.b));
        CASE(NC_CHAR, b, put_char(out, (char)v.b));
        CASE(NC_UBYTE, ub, fprintf(out, "%uU", v.ub));
        CASE(NC_SHORT, s, fprintf(out, "%d", v.s));
        CASE(NC_USHORT, us, fprintf(out, "%uU", v.us));
        CASE(NC_INT, i, fprintf(out, "%d", v.i));
        CASE(NC_UINT, u, fprintf(out, "%uU", v.u));
        CASE(NC_INT64, ll,
             fprintf(out, v.ll == INT64_MIN ? "(%lldLL - 1)" : "%lldLL", v.ll == INT64_MIN ? v.ll + 1 : v.ll));
        CASE(NC_UINT64, ull, fprintf(out, "%lluULL", v.ull));
        CASE(NC_FLOAT, f, put_real(out, v.f, true));
        CASE(NC_DOUBLE, d, put_real(out, v.d, false));
    default: put_text(out, value);
    }
#undef CASE
}

static void put_opaque(FILE *out, const struct type *t, const char *value)
{
    for (size_t i = 0; i < t->size; i++)
        fprintf(out, "%s0x%02x", i ? ", " : "{", (unsigned char)value[i]);
    putc('}', out);
}

/* --- sequences: each is an array of its own, numbered in the order they are met -------- */
static void visit_vlens(FILE *out, const struct type *t, const char *value, size_t *nvlens)
{
    nc_vlen_t v;

    if (t->kind == NC_COMPOUND) {
        for (size_t i = 0; i < t->nfields; i++)
            cdl_emit_vlens(out, t->field[i].type, value + t->field[i].offset, t->field[i].count, nvlens);
    } else if (t->kind == NC_VLEN) {
        size_t inner = *nvlens, number;
        memcpy(&v, value, sizeof v);
        if (!v.len)
            return;
        cdl_emit_vlens(out, t->base, v.p, v.len, nvlens);
        number = (*nvlens)++;
        fputs("    static const ", out);
        cdl_emit_type(out, t->base);
        fprintf(out, " vlen_%zu[] = ", number);
        cdl_emit_values(out, t->base, v.p, v.len, &inner);
        fputs(" ;\n", out);
    }
}

void cdl_emit_vlens(FILE *out, const struct type *t, const char *values, size_t n, size_t *nvlens)
{
    for (size_t i = 0; t->has_pointers && i < n; i++)
        visit_vlens(out, t, values + i * t->size, nvlens);
}

static size_t count_vlens(const struct type *t, const char *values, size_t n)
{
    size_t found = 0;
    nc_vlen_t v;

    for (size_t i = 0; t->has_pointers && i < n; i++) {
        const char *value = values + i * t->size;
        for (size_t k = 0; k < t->nfields; k++)
            found += count_vlens(t->field[k].type, value + t->field[k].offset, t->field[k].count);
        if (t->kind != NC_VLEN)
            continue;
        memcpy(&v, value, sizeof v);
        found += v.len ? 1 + count_vlens(t->base, v.p, v.len) : 0;
    }
    return found;
}

/* The array comes behind those within it. */
static void put_sequence(FILE *out, const struct type *t, const char *value, size_t *nvlens)
{
    nc_vlen_t v;

    memcpy(&v, value, sizeof v);
    if (!v.len) {
        fputs("{0, NULL}", out);
        return;
    }
    *nvlens += count_vlens(t->base, v.p, v.len);
    fprintf(out, "{%zu, (void*)vlen_%zu}", v.len, (*nvlens)++);
}

void cdl_emit_value(FILE *out, const struct type *t, const char *value, size_t *nvlens)
{
    switch (t->kind) {
    case NC_COMPOUND:
        for (size_t i = 0; i < t->nfields; i++) {
            const struct type_field *f = &t->field[i];
            fputs(i ? ", " : "{", out);
            if (f->ndims)
                cdl_emit_values(out, f->type, value + f->offset, f->count, nvlens);
            else
                cdl_emit_value(out, f->type, value + f->offset, nvlens);
        }
        putc('}', out);
        break;
    case NC_VLEN: put_sequence(out, t, value, nvlens); break;
    case NC_ENUM: put_atomic(out, t->base->kind, value); break;
    case NC_OPAQUE: put_opaque(out, t, value); break;
    default: put_atomic(out, t->kind, value);
    }
}

void cdl_emit_values(FILE *out, const struct type *t, const char *values, size_t n, size_t *nvlens)
{
    putc('{', out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        cdl_emit_value(out, t, values + i * t->size, nvlens);
    }
    putc('}', out);
}
