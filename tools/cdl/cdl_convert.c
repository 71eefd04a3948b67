/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants of CDL -> values in memory. A value that its type cannot hold is an
 * error with its place. Unsigned types take negative numbers of their size for
 * their bits, as C does, and bytes may be written signed or unsigned. */

#include "cdl.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cdl_const_int(const struct cdl_const *c, long long *out)
{
    if (c->kind != CDL_INT || (!c->negative && c->v.magnitude > INT64_MAX))
        return false;
    *out = (long long)(c->negative ? 0 - c->v.magnitude : c->v.magnitude);
    return true;
}

/* --- fill values ---------------------------------------------------------------------- */
static void copy_fill(int kind, char *dst)
{
    static const signed char f_byte = NC_FILL_BYTE;
    static const char f_char = NC_FILL_CHAR;
    static const short f_short = NC_FILL_SHORT;
    static const int f_int = NC_FILL_INT;
    static const float f_float = NC_FILL_FLOAT;
    static const double f_double = NC_FILL_DOUBLE;
    static const unsigned char f_ubyte = NC_FILL_UBYTE;
    static const unsigned short f_ushort = NC_FILL_USHORT;
    static const unsigned f_uint = NC_FILL_UINT;
    static const long long f_int64 = NC_FILL_INT64;
    static const unsigned long long f_uint64 = NC_FILL_UINT64;
    static const char *const f_string = "";
    static const void *const fill[] = {
        [NC_BYTE] = &f_byte,   [NC_CHAR] = &f_char,     [NC_SHORT] = &f_short,   [NC_INT] = &f_int,
        [NC_FLOAT] = &f_float, [NC_DOUBLE] = &f_double, [NC_UBYTE] = &f_ubyte,   [NC_USHORT] = &f_ushort,
        [NC_UINT] = &f_uint,   [NC_INT64] = &f_int64,   [NC_UINT64] = &f_uint64, [NC_STRING] = &f_string};

    memcpy(dst, fill[kind], types_atomic(kind)->size);
}

void cdl_default_fill(struct cdl_doc *doc, const struct type *t, char *dst)
{
    memset(dst, 0, t->size);
    if (t->group < 0) {
        copy_fill(t->kind, dst);
        return;
    }
    for (size_t i = 0; i < t->nfields; i++)
        for (size_t k = 0; k < t->field[i].count; k++)
            cdl_default_fill(doc, t->field[i].type, dst + t->field[i].offset + k * t->field[i].type->size);
}

/* --- numbers ------------------------------------------------------------------------------ */

static bool in_range(int kind, bool negative, uint64_t magnitude)
{
    static const struct {
        uint64_t negative, positive;
    } most[] = {[NC_BYTE] = {128, 255},
                [NC_UBYTE] = {128, 255},
                [NC_SHORT] = {32768, 32767},
                [NC_USHORT] = {32768, 65535},
                [NC_INT] = {2147483648u, 2147483647},
                [NC_UINT] = {2147483648u, 4294967295u},
                [NC_INT64] = {(uint64_t)1 << 63, INT64_MAX},
                [NC_UINT64] = {(uint64_t)1 << 63, UINT64_MAX}};

    return magnitude <= (negative ? most[kind].negative : most[kind].positive);
}

static bool bad_number(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c)
{
    if (c->kind == CDL_REAL)
        return cdl_fail(doc, c->where, "%g does not fit the type %s", c->v.real, t->name);
    return cdl_fail(doc, c->where, "%s%llu does not fit the type %s", c->negative ? "-" : "",
                    (unsigned long long)c->v.magnitude, t->name);
}

static bool put_integer(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, bool negative,
                        uint64_t magnitude, char *dst)
{
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    uint8_t b = (uint8_t)bits;
    uint16_t s = (uint16_t)bits;
    uint32_t i = (uint32_t)bits;
    const void *from = t->size == 1   ? (void *)&b
                       : t->size == 2 ? (void *)&s
                       : t->size == 4 ? (void *)&i
                                      : (void *)&bits;

    if (!in_range(t->kind, negative && magnitude, magnitude))
        return bad_number(doc, t, c);
    memcpy(dst, from, t->size);
    return true;
}

static bool put_real(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, double v, char *dst)
{
    float f = (float)v;

    if (t->kind == NC_DOUBLE) {
        memcpy(dst, &v, sizeof v);
        return true;
    }
    if (isinf(f) && isfinite(v))
        return bad_number(doc, t, c);
    memcpy(dst, &f, sizeof f);
    return true;
}

/* Hex digits where a number is wanted. */
static bool hex_number(struct cdl_doc *doc, const struct cdl_const *c, uint64_t *out)
{
    if (c->v.text.len > 16)
        return cdl_fail(doc, c->where, "0x%s does not fit 64 bits", c->v.text.s);
    *out = strtoull(c->v.text.s, NULL, 16);
    return true;
}

static bool convert_number(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst)
{
    bool real = t->kind == NC_FLOAT || t->kind == NC_DOUBLE;
    uint64_t magnitude = c->v.magnitude;

    switch (c->kind) {
    case CDL_REAL:
        if (real)
            return put_real(doc, t, c, c->v.real, dst);
        if (!(fabs(c->v.real) < 18446744073709551616.0))
            return bad_number(doc, t, c);
        return put_integer(doc, t, c, c->v.real < 0, (uint64_t)fabs(c->v.real), dst);
    case CDL_OPAQUE:
        if (!hex_number(doc, c, &magnitude))
            return false;
        break;
    case CDL_INT:
    case CDL_BYTE: break;
    default: return cdl_fail(doc, c->where, "expected a number of type %s here", t->name);
    }
    if (real)
        return put_real(doc, t, c, c->negative ? -(double)magnitude : (double)magnitude, dst);
    return put_integer(doc, t, c, c->negative, magnitude, dst);
}

/* --- other types ------------------------------------------------------------------------------ */
static bool convert_char(struct cdl_doc *doc, const struct cdl_const *c, char *dst)
{
    if (c->kind == CDL_BYTE) {
        *dst = (char)c->v.magnitude;
        return true;
    }
    if (c->kind != CDL_STRING)
        return cdl_fail(doc, c->where, "expected a character or a string here");
    if (c->v.text.len > 1)
        return cdl_fail(doc, c->where, "expected one character here, not a string of %zu", c->v.text.len);
    *dst = c->v.text.len ? c->v.text.s[0] : '\0';
    return true;
}

static bool convert_string(struct cdl_doc *doc, const struct cdl_const *c, char *dst)
{
    char *s = NULL;

    if (c->kind == CDL_STRING)
        s = c->v.text.s;
    else if (c->kind != CDL_NIL)
        return cdl_fail(doc, c->where, "expected a string or NIL here");
    memcpy(dst, &s, sizeof s);
    return true;
}

static bool convert_opaque(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst)
{
    memset(dst, 0, t->size);
    if (c->kind != CDL_OPAQUE)
        return cdl_fail(doc, c->where, "expected the bytes of an opaque value here, as 0x0123");
    if ((c->v.text.len + 1) / 2 > t->size)
        return cdl_fail(doc, c->where, "0x%s has more than the %zu bytes of type %s", c->v.text.s, t->size, t->name);
    for (size_t i = 0; i < c->v.text.len; i++) {
        int digit = isdigit((unsigned char)c->v.text.s[i]) ? c->v.text.s[i] - '0' : (c->v.text.s[i] | 32) - 'a' + 10;
        dst[i / 2] = (char)(dst[i / 2] | (i % 2 ? digit : digit << 4));
    }
    return true;
}

static bool convert_enum(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst)
{
    const char *name, *dot;

    if (c->kind == CDL_INT || c->kind == CDL_BYTE)
        return convert_number(doc, t->base, c, dst);
    if (!c->word)
        return cdl_fail(doc, c->where, "expected a member of enum %s here", t->name);
    name = c->word;
    memset(dst, 0, t->size);
    dot = strrchr(name, '.');
    for (int pass = 0; pass < 2; pass++, name = dot ? dot + 1 : name) /* "Clear", then "cloud.Clear" */
        for (size_t i = 0; i < t->nmembers; i++)
            if (strcmp(t->member[i].name, name) == 0) {
                memcpy(dst, t->member[i].value, t->size);
                return true;
            }
    return strcmp(c->word, "_UNDEFINED") == 0 || /* how ncdump shows 0 where no member has it */
           cdl_fail(doc, c->where, "enum %s has no member %s", t->name, c->word);
}

/* The array of a field: in braces; text may stand without them. */
static bool convert_field_array(struct cdl_doc *doc, const struct type_field *f, const struct cdl_const *c, char *dst)
{
    struct cdl_list one = {(struct cdl_const *)c, 1};
    const struct cdl_list *list = c->kind == CDL_LIST ? &c->v.list : &one;

    if (c->kind == CDL_FILL)
        return true;
    if (c->kind != CDL_LIST && !(f->type->kind == NC_CHAR && c->kind == CDL_STRING))
        return cdl_fail(doc, c->where, "the array %s of a compound is written in braces", f->name);
    return cdl_convert_flat(doc, f->type, list, f->count, NULL, dst, NULL);
}

static bool convert_record(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst)
{
    const struct cdl_list *list = &c->v.list;
    bool ok = true;

    cdl_default_fill(doc, t, dst);
    if (c->kind != CDL_LIST)
        return cdl_fail(doc, c->where, "a value of compound %s is written in braces", t->name);
    if (list->n > t->nfields)
        return cdl_fail(doc, list->at[t->nfields].where, "compound %s has %zu fields, but more values are given",
                        t->name, t->nfields);
    for (size_t i = 0; ok && i < list->n; i++) {
        const struct type_field *f = &t->field[i];
        if (f->ndims)
            ok = convert_field_array(doc, f, &list->at[i], dst + f->offset);
        else
            ok = cdl_convert(doc, f->type, &list->at[i], dst + f->offset);
    }
    return ok;
}

static bool convert_sequence(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst)
{
    nc_vlen_t v = {0, NULL};

    if (c->kind != CDL_LIST)
        return cdl_fail(doc, c->where, "a value of type %s is written in braces", t->name);
    v.len = cdl_count_flat(t->base, &c->v.list);
    v.p = v.len ? cdl_alloc(doc, v.len, t->base->size) : NULL;
    memcpy(dst, &v, sizeof v);
    return !v.len || cdl_convert_flat(doc, t->base, &c->v.list, v.len, NULL, v.p, NULL);
}

bool cdl_convert(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst)
{
    if (c->kind == CDL_FILL) {
        cdl_default_fill(doc, t, dst);
        return true;
    }
    switch (t->kind) {
    case NC_CHAR: return convert_char(doc, c, dst);
    case NC_STRING: return convert_string(doc, c, dst);
    case NC_OPAQUE: return convert_opaque(doc, t, c, dst);
    case NC_ENUM: return convert_enum(doc, t, c, dst);
    case NC_COMPOUND: return convert_record(doc, t, c, dst);
    case NC_VLEN: return convert_sequence(doc, t, c, dst);
    default: return convert_number(doc, t, c, dst);
    }
}

/* --- lists of values ------------------------------------------------------------------------------ */
/* Braces that only show the shape are looked through; those of a compound or a
 * sequence are the value. */
static bool is_shape_brace(const struct type *t, const struct cdl_const *c)
{
    return c->kind == CDL_LIST && t->kind != NC_COMPOUND && t->kind != NC_VLEN;
}

size_t cdl_count_flat(const struct type *t, const struct cdl_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct cdl_const *c = &list->at[i];
        if (is_shape_brace(t, c))
            n += cdl_count_flat(t, &c->v.list);
        else
            n += t->kind == NC_CHAR && c->kind == CDL_STRING ? c->v.text.len : 1;
    }
    return n;
}

/* Characters of strings and single ones, one after the other; with row > 0 each
 * string is filled up with NULs to whole rows. */
bool cdl_collect_chars(struct cdl_doc *doc, const struct cdl_list *list, size_t row, struct text *out)
{
    bool ok = true;
    char one;

    for (size_t i = 0; ok && i < list->n; i++) {
        const struct cdl_const *c = &list->at[i];
        if (c->kind == CDL_LIST) {
            ok = cdl_collect_chars(doc, &c->v.list, row, out);
        } else if (c->kind == CDL_STRING) {
            text_putn(out, c->v.text.s, c->v.text.len);
            for (size_t pad = row ? c->v.text.len : 0; row && (pad % row || !pad); pad++)
                text_putc(out, '\0');
        } else if (c->kind == CDL_FILL) {
            text_putc(out, NC_FILL_CHAR);
        } else {
            ok = convert_char(doc, c, &one);
            text_putc(out, one);
        }
    }
    return ok;
}

static bool flat_chars(struct cdl_doc *doc, const struct cdl_list *list, size_t n, char *dst, size_t *used)
{
    struct text t = {0};
    bool ok = cdl_collect_chars(doc, list, 0, &t);

    if (ok && t.len > n)
        ok = cdl_fail(doc, list->at[0].where, "%zu characters are given, but there is room for %zu", t.len, n);
    if (ok && t.len)
        memcpy(dst, t.s, t.len);
    if (used)
        *used = t.len;
    text_free(&t);
    return ok;
}

static bool flat_values(struct cdl_doc *doc, const struct type *t, const struct cdl_list *list, size_t n,
                        const void *fill, char *dst, size_t *used)
{
    bool ok = true;

    for (size_t i = 0; ok && i < list->n; i++) {
        const struct cdl_const *c = &list->at[i];
        if (is_shape_brace(t, c)) {
            ok = flat_values(doc, t, &c->v.list, n, fill, dst, used);
        } else if (*used >= n) {
            ok = cdl_fail(doc, c->where, "more values are given than the %zu there is room for", n);
        } else {
            char *at = dst + *used * t->size;
            if (c->kind == CDL_FILL && fill)
                memcpy(at, fill, t->size);
            else
                ok = cdl_convert(doc, t, c, at);
            ++*used;
        }
    }
    return ok;
}

/* Up to n values; those not given stay as they are in dst. */
bool cdl_convert_flat(struct cdl_doc *doc, const struct type *t, const struct cdl_list *list, size_t n,
                      const void *fill, char *dst, size_t *used)
{
    size_t count = 0;

    if (!used)
        used = &count;
    *used = 0;
    if (t->kind == NC_CHAR)
        return flat_chars(doc, list, n, dst, used);
    return flat_values(doc, t, list, n, fill, dst, used);
}
