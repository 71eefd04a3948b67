/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata as Zarr version 2 has it, and the document around all of it. */

#include "cellar.h"
#include "msg.h"
#include "refs.h"
#include "safe.h"
#include "tool_att.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values as JSON ----------------------------------------------------------------------------- */

static bool is_little(void)
{
    static const int one = 1;

    return *(const char *)&one;
}

/* Byte order, kind and size: "<f4". native: of values that were read into memory. */
const char *refs_dtype(const struct look *l, const struct look_var *v, bool native, char out[16])
{
    static const char *const name[] = {[NC_BYTE] = "i1",  [NC_CHAR] = "S1",   [NC_SHORT] = "i2", [NC_INT] = "i4",
                                       [NC_FLOAT] = "f4", [NC_DOUBLE] = "f8", [NC_UBYTE] = "u1", [NC_USHORT] = "u2",
                                       [NC_UINT] = "u4",  [NC_INT64] = "i8",  [NC_UINT64] = "u8"};
    int kind = v->type->kind == NC_ENUM ? (int)v->type->base->id : v->type->kind, endian = NC_ENDIAN_NATIVE;
    bool big;

    if (kind <= 0 || (size_t)kind >= sizeof name / sizeof *name || !name[kind])
        return NULL;
    if (nc_inq_var_endian(v->group, v->id, &endian) != NC_NOERR)
        endian = NC_ENDIAN_NATIVE;
    big = native || endian == NC_ENDIAN_NATIVE ? !is_little() : endian == NC_ENDIAN_BIG;
    if (l->format == LOOK_CLASSIC && !native)
        big = true;
    snprintf(out, 16, "%c%s", name[kind][1] == '1' ? '|' : big ? '>' : '<', name[kind]);
    return out;
}

static void put_real(struct text *out, double v, bool quoted)
{
    const char *quote = quoted ? "\"" : "";

    if (isnan(v))
        text_printf(out, "%sNaN%s", quote, quote);
    else if (isinf(v))
        text_printf(out, "%s%sInfinity%s", quote, v < 0 ? "-" : "", quote);
    else
        text_printf(out, "%.17g%s", v, v == floor(v) && fabs(v) < 1e15 ? ".0" : "");
}

#define PUT(KIND, member, format) \
    case KIND: \
        memcpy(&n, value, t->size); \
        text_printf(out, format, n.member); \
        break

static void put_number(struct text *out, const struct type *t, const char *value, bool quoted)
{
    union number n;

    switch (t->kind == NC_ENUM ? (int)t->base->id : t->kind) {
        PUT(NC_BYTE, b, "%d");
        PUT(NC_UBYTE, ub, "%u");
        PUT(NC_SHORT, s, "%d");
        PUT(NC_USHORT, us, "%u");
        PUT(NC_INT, i, "%d");
        PUT(NC_UINT, u, "%u");
        PUT(NC_INT64, ll, "%lld");
        PUT(NC_UINT64, ull, "%llu");
    case NC_FLOAT:
        memcpy(&n, value, sizeof n.f);
        put_real(out, n.f, quoted);
        break;
    case NC_DOUBLE:
        memcpy(&n, value, sizeof n.d);
        put_real(out, n.d, quoted);
        break;
    default: text_puts(out, "null"); break;
    }
}

void refs_put_base64(struct text *out, const void *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = bytes;

    text_puts(out, "\"base64:");
    for (size_t i = 0; i < n; i += 3) {
        unsigned long v =
            (unsigned long)p[i] << 16 | (i + 1 < n ? (unsigned long)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);

        text_putc(out, digit[v >> 18]);
        text_putc(out, digit[v >> 12 & 63]);
        text_putc(out, i + 1 < n ? digit[v >> 6 & 63] : '=');
        text_putc(out, i + 2 < n ? digit[v & 63] : '=');
    }
    text_putc(out, '"');
}

static const char *array_path(const struct look_var *v)
{
    return v->path + (*v->path == '/');
}

/* The key of a chunk; index NULL: of the only one. */
void refs_put_key(struct text *out, const struct look_var *v, const size_t *index)
{
    struct text key = {0};

    text_printf(&key, "%s/", array_path(v));
    for (int d = 0; d < v->ndims; d++)
        text_printf(&key, "%s%zu", d ? "." : "", index ? index[d] : 0);
    if (v->ndims == 0)
        text_putc(&key, '0');
    safe_put_json(out, key.s, key.len);
    text_free(&key);
}

/* --- attributes ---------------------------------------------------------------------------------------- */

static void put_strings(struct text *out, const struct att *a)
{
    char **s = (char **)(void *)a->values;

    text_puts(out, a->n == 1 ? "" : "[");
    for (size_t i = 0; i < a->n; i++) {
        text_puts(out, i ? "," : "");
        safe_put_json(out, s[i] ? s[i] : "", s[i] ? strlen(s[i]) : 0);
    }
    text_puts(out, a->n == 1 ? "" : "]");
}

static void put_att(struct text *out, const struct att *a)
{
    if (a->type->kind == NC_CHAR) {
        safe_put_json(out, a->values, a->n ? strnlen(a->values, a->n) : 0);
        return;
    }
    if (a->type->kind == NC_STRING) {
        put_strings(out, a);
        return;
    }
    text_puts(out, a->n == 1 ? "" : "[");
    for (size_t i = 0; i < a->n; i++) {
        text_puts(out, i ? "," : "");
        put_number(out, a->type, a->values + i * a->type->size, false);
    }
    text_puts(out, a->n == 1 ? "" : "]");
}

static void put_atts(const struct refs *r, int group, int varid, const char *first, struct text *out)
{
    int n = 0;
    bool any = *first;

    if ((varid == NC_GLOBAL ? nc_inq_natts(group, &n) : nc_inq_varnatts(group, varid, &n)) != NC_NOERR)
        n = 0;
    text_printf(out, "{%s", first);
    for (int i = 0; i < n; i++) {
        struct att a = {0};

        if (att_get_nth(&r->first.types, group, varid, i, &a) == NC_NOERR && strcmp(a.name, "_FillValue") != 0 &&
            a.type->kind <= NC_STRING) {
            text_puts(out, any ? "," : "");
            safe_put_json(out, a.name, strlen(a.name));
            text_putc(out, ':');
            put_att(out, &a);
            any = true;
        }
        att_free(&a);
    }
    text_putc(out, '}');
}

/* --- arrays ------------------------------------------------------------------------------------------------ */

/* A fill value of its own; and where chunks are missing, what they read as: zeros where nothing fills them. */
static void put_fill(const struct refs_var *x, struct text *out)
{
    static const union number zero;
    union number value;
    int no_fill;
    bool own = nc_inq_attid(x->v->group, x->v->id, "_FillValue", NULL) == NC_NOERR;

    if (x->v->type->kind > NC_UINT64 || x->v->type->kind == NC_CHAR || (!own && !x->missing) ||
        nc_inq_var_fill(x->v->group, x->v->id, &no_fill, &value) != NC_NOERR)
        text_puts(out, "null");
    else
        put_number(out, x->v->type, (const char *)(no_fill && !own ? &zero : &value), true);
}

static size_t length_of(const struct refs_var *x, int d)
{
    return d == x->axis ? x->length : x->v->shape[d];
}

static void put_lengths(const struct refs_var *x, bool chunks, struct text *out)
{
    for (int d = 0; d < x->v->ndims; d++) {
        size_t n = !chunks || x->unaligned ? length_of(x, d) : x->v->piece[d];

        text_printf(out, "%s%zu", d ? "," : "", chunks && !n ? 1 : n);
    }
}

static void put_filters(const struct refs_var *x, struct text *out)
{
    char *json = NULL;

    if (x->v->type->kind == NC_STRING)
        text_puts(out, "[{\"id\":\"vlen-utf8\"}]");
    else if (!x->unaligned && *x->v->chain &&
             cellar_inq_var_chain(x->v->group, x->v->id, CELLAR_JSON, &json) == NC_NOERR)
        text_puts(out, json);
    else
        text_puts(out, "null");
    cellar_free(json);
}

static void put_zarray(const struct refs *r, const struct refs_var *x, struct text *out)
{
    char dtype[16] = "|O";

    if (x->v->type->kind != NC_STRING)
        refs_dtype(&r->first, x->v, x->unaligned, dtype);
    text_puts(out, "{\"shape\":[");
    put_lengths(x, false, out);
    text_puts(out, "],\"chunks\":[");
    put_lengths(x, true, out);
    text_printf(out, "],\"dtype\":\"%s\",\"fill_value\":", dtype);
    put_fill(x, out);
    text_puts(out, ",\"order\":\"C\",\"filters\":");
    put_filters(x, out);
    text_puts(out, ",\"dimension_separator\":\".\",\"compressor\":null,\"zarr_format\":2}");
}

static void put_dim_names(const struct look_var *v, struct text *out)
{
    text_puts(out, "\"_ARRAY_DIMENSIONS\":[");
    for (int d = 0; d < v->ndims; d++) {
        text_puts(out, d ? "," : "");
        safe_put_json(out, v->dim[d], strlen(v->dim[d]));
    }
    text_putc(out, ']');
}

/* A document inside the document is text. */
static void put_member(struct text *out, const char *path, const char *name, struct text *document)
{
    struct text key = {0};

    text_printf(&key, "%s%s%s", path, *path ? "/" : "", name);
    text_puts(out, ",\n");
    safe_put_json(out, key.s, key.len);
    text_puts(out, ": ");
    safe_put_json(out, text_get(document), document->len);
    text_free(&key);
    text_free(document);
}

/* Strings as the codec vlen-utf8 has them: how many, then each with its length. */
static void put_values(const struct refs_var *x, struct text *out)
{
    struct text all = {0};
    size_t n = 1;

    for (int d = 0; d < x->v->ndims; d++)
        n *= length_of(x, d);
    text_puts(out, ",\n");
    refs_put_key(out, x->v, NULL);
    text_puts(out, ": ");
    if (x->v->type->kind == NC_STRING)
        text_putn(&all, (char[]){(char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24)}, 4);
    text_putn(&all, text_get(&x->values), x->values.len);
    refs_put_base64(out, all.s, all.len);
    text_free(&all);
}

static void put_array(const struct refs *r, const struct refs_var *x, struct text *out)
{
    struct text t = {0}, dims = {0};

    put_zarray(r, x, &t);
    put_member(out, array_path(x->v), ".zarray", &t);
    put_dim_names(x->v, &dims);
    put_atts(r, x->v->group, x->v->id, text_get(&dims), &t);
    put_member(out, array_path(x->v), ".zattrs", &t);
    text_free(&dims);
    if (!x->unaligned)
        text_putn(out, text_get(&x->chunks), x->chunks.len);
    else if (x->values.len)
        put_values(x, out);
}

struct groups {
    const struct refs *r;
    struct text *out;
};

static int put_group(int group, void *arg)
{
    struct groups *g = arg;
    char *path = walk_path(group);
    struct text t = {0};

    if (path && path[1]) {
        text_puts(&t, "{\"zarr_format\":2}");
        put_member(g->out, path + 1, ".zgroup", &t);
    }
    put_atts(g->r, group, NC_GLOBAL, "", &t);
    put_member(g->out, path ? path + 1 : "", ".zattrs", &t);
    free(path);
    return NC_NOERR;
}

void refs_document(const struct refs *r, struct text *out)
{
    struct groups g = {r, out};

    text_puts(out, "{\"version\": 1, \"refs\": {\n\".zgroup\": \"{\\\"zarr_format\\\":2}\"");
    walk_all(r->first.ncid, put_group, &g);
    for (size_t i = 0; i < r->first.nvars; i++)
        if (!r->var[i].left_out)
            put_array(r, &r->var[i], out);
    text_puts(out, "\n}}\n");
}
