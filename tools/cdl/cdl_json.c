/* SPDX-License-Identifier: BSD-3-Clause */
/* ncdump -j: a file as one JSON document. Objects keep file order:
 *
 *   {"dimensions": {"time": {"length": 2, "unlimited": true}, ...},
 *    "types": {...}, "attributes": {"title": {"type": "char", "value": "..."}},
 *    "variables": {"t": {"type": "float", "dimensions": ["time"], "attributes": {...},
 *                        "storage": {"layout": "chunked", "chunks": [1], "filters":
 * "shuffle|deflate,level=5"}, "data": [...], "unreadable": "why"}},
 *    "unreadable": {"name": "why"}, "groups": {...}}
 *
 * Data is nested as the dimensions are; a value equal to the fill value is null,
 * NaN and the infinities are strings, char rows are strings. */

#include "cdl_print.h"
#include "cellar.h"
#include "msg.h"
#include "safe.h"
#include "slab.h"
#include "tool_att.h"
#include "unreadable.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json {
    const struct cdl_options *opt;
    struct types types;
    FILE *out;
    int depth;
    bool first;   /* nothing has been written in the open object */
    bool skipped; /* data that was asked for could not be read */
};

/* --- layout ------------------------------------------------------------------ */
static void member(struct json *j, const char *key)
{
    struct text t = {0};

    safe_put_json(&t, key, strlen(key));
    fprintf(j->out, "%s\n%*s%s: ", j->first ? "" : ",", 2 * j->depth, "", text_get(&t));
    j->first = false;
    text_free(&t);
}

static void open_object(struct json *j, const char *key)
{
    if (key)
        member(j, key);
    putc('{', j->out);
    j->depth++;
    j->first = true;
}

static void close_object(struct json *j)
{
    j->depth--;
    if (j->first)
        putc('}', j->out);
    else
        fprintf(j->out, "\n%*s}", 2 * j->depth, "");
    j->first = false;
}

static void text_member(struct json *j, const char *key, const char *value)
{
    struct text t = {0};

    member(j, key);
    safe_put_json(&t, value, strlen(value));
    fputs(text_get(&t), j->out);
    text_free(&t);
}

/* --- values -------------------------------------------------------------------- */
static void put_value(struct text *out, const struct type *t, const char *value);

static void put_list(struct text *out, const struct type *t, const char *value, size_t n)
{
    text_putc(out, '[');
    for (size_t i = 0; i < n; i++) {
        text_puts(out, i ? ", " : "");
        put_value(out, t, value + i * t->size);
    }
    text_putc(out, ']');
}

static void put_chars(struct text *out, const char *s, size_t len)
{
    while (len && !s[len - 1])
        len--;
    safe_put_json(out, s, len);
}

static void put_record(struct text *out, const struct type *t, const char *value)
{
    text_putc(out, '{');
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        text_puts(out, i ? ", " : "");
        safe_put_json(out, f->name, strlen(f->name));
        text_puts(out, ": ");
        if (f->ndims && f->type->kind == NC_CHAR)
            put_chars(out, value + f->offset, f->count);
        else if (f->ndims)
            put_list(out, f->type, value + f->offset, f->count);
        else
            put_value(out, f->type, value + f->offset);
    }
    text_putc(out, '}');
}

static void put_string(struct text *out, const char *value)
{
    const char *s;

    memcpy(&s, value, sizeof s);
    if (s)
        safe_put_json(out, s, strlen(s));
    else
        text_puts(out, "null");
}

static void put_number(struct text *out, const struct type *t, const char *value)
{
    static const struct cdl_digits exact = {9, 17}; /* enough to give every value back */
    double v = cdl_as_double(t, value);
    char shortest[40];

    if (t->kind == NC_FLOAT || t->kind == NC_DOUBLE) {
        if (!isfinite(v)) {
            text_puts(out, isnan(v) ? "\"NaN\"" : v < 0 ? "\"-Infinity\"" : "\"Infinity\"");
            return;
        }
        for (int digits = t->kind == NC_FLOAT ? 6 : 15; digits <= 17; digits++) {
            snprintf(shortest, sizeof shortest, "%.*g", digits, v);
            if (t->kind == NC_FLOAT ? strtof(shortest, NULL) == (float)v : strtod(shortest, NULL) == v)
                break;
        }
        text_puts(out, shortest);
        return;
    }
    cdl_put_value(out, t, value, &exact);
}

/* The member's name; a number where no member has it. */
static void put_enum(struct text *out, const struct type *t, const char *value)
{
    const struct type_member *m = type_member_of(t, value);

    if (m)
        safe_put_json(out, m->name, strlen(m->name));
    else
        put_number(out, t->base, value);
}

static void put_value(struct text *out, const struct type *t, const char *value)
{
    static const struct cdl_digits digits = CDL_DIGITS_INIT;
    struct text value_text = {0};
    nc_vlen_t v;

    switch (t->kind) {
    case NC_CHAR: safe_put_json(out, value, 1); break;
    case NC_STRING: put_string(out, value); break;
    case NC_VLEN:
        memcpy(&v, value, sizeof v);
        put_list(out, t->base, v.p, v.len);
        break;
    case NC_COMPOUND: put_record(out, t, value); break;
    case NC_ENUM: put_enum(out, t, value); break;
    case NC_OPAQUE:
        cdl_put_value(&value_text, t, value, &digits);
        safe_put_json(out, text_get(&value_text), value_text.len);
        break;
    default: put_number(out, t, value);
    }
    text_free(&value_text);
}

/* --- attributes ------------------------------------------------------------------- */
static void put_att(struct json *j, const struct att *a)
{
    struct text t = {0};

    member(j, a->name);
    text_puts(&t, "{\"type\": ");
    safe_put_json(&t, a->type->name, strlen(a->type->name));
    text_puts(&t, ", \"value\": ");
    if (a->type->kind == NC_CHAR)
        put_chars(&t, a->values, a->n);
    else if (a->n == 1)
        put_value(&t, a->type, a->values);
    else
        put_list(&t, a->type, a->values, a->n);
    fprintf(j->out, "%s}", text_get(&t));
    text_free(&t);
}

static int put_atts(struct json *j, int group, int varid)
{
    int n, status = varid == NC_GLOBAL ? nc_inq_natts(group, &n) : nc_inq_varnatts(group, varid, &n);

    if (status || !n)
        return status;
    open_object(j, "attributes");
    for (int i = 0; status == NC_NOERR && i < n; i++) {
        struct att a;
        status = att_get_nth(&j->types, group, varid, i, &a);
        if (status == NC_NOERR)
            put_att(j, &a);
        att_free(&a);
    }
    close_object(j);
    return status;
}

/* --- types and dimensions ------------------------------------------------------------ */
static void put_type_body(struct text *out, const struct type *t)
{
    static const char *const class_name[] = {
        [NC_VLEN] = "vlen", [NC_OPAQUE] = "opaque", [NC_ENUM] = "enum", [NC_COMPOUND] = "compound"};

    text_printf(out, "{\"class\": \"%s\"", class_name[t->kind]);
    if (t->kind == NC_OPAQUE)
        text_printf(out, ", \"size\": %zu", t->size);
    if (t->base) {
        text_puts(out, ", \"base\": ");
        safe_put_json(out, t->base->name, strlen(t->base->name));
    }
    for (size_t i = 0; i < t->nmembers; i++) {
        text_puts(out, i ? ", " : ", \"members\": {");
        safe_put_json(out, t->member[i].name, strlen(t->member[i].name));
        text_puts(out, ": ");
        put_number(out, t->base, (const char *)t->member[i].value);
    }
    for (size_t i = 0; i < t->nfields; i++) {
        text_puts(out, i ? ", " : ", \"fields\": {");
        safe_put_json(out, t->field[i].name, strlen(t->field[i].name));
        text_puts(out, ": {\"type\": ");
        safe_put_json(out, t->field[i].type->name, strlen(t->field[i].type->name));
        for (int d = 0; d < t->field[i].ndims; d++)
            text_printf(out, "%s%d", d ? ", " : ", \"shape\": [", t->field[i].dims[d]);
        text_puts(out, t->field[i].ndims ? "]}" : "}");
    }
    text_puts(out, t->nmembers || t->nfields ? "}}" : "}");
}

static int put_types(struct json *j, int group)
{
    struct walk_ids id;
    int status = walk_types(group, &id);

    if (status == NC_NOERR && id.n) {
        open_object(j, "types");
        for (int i = 0; i < id.n; i++) {
            const struct type *t = types_find(&j->types, id.at[i]);
            struct text body = {0};
            put_type_body(&body, t);
            member(j, t->name);
            fputs(text_get(&body), j->out);
            text_free(&body);
        }
        close_object(j);
    }
    walk_free(&id);
    return status;
}

static int put_dims(struct json *j, int group)
{
    struct walk_ids id, unlimited = {0};
    char name[NC_MAX_NAME + 1];
    size_t len;
    int status = walk_dims(group, &id);

    if (status == NC_NOERR)
        status = walk_unlimited(group, &unlimited);
    if (status == NC_NOERR && id.n) {
        open_object(j, "dimensions");
        for (int i = 0; status == NC_NOERR && i < id.n; i++) {
            status = nc_inq_dim(group, id.at[i], name, &len);
            member(j, name);
            fprintf(j->out, "{\"length\": %zu%s}", len, walk_has(&unlimited, id.at[i]) ? ", \"unlimited\": true" : "");
        }
        close_object(j);
    }
    walk_free(&id);
    walk_free(&unlimited);
    return status;
}

/* --- variables -------------------------------------------------------------------------- */
struct json_var {
    int group, id, ndims;
    const struct type *type;
    size_t shape[NC_MAX_VAR_DIMS];
    size_t n;
    void *fill;
};

static void put_storage(struct json *j, const struct json_var *v)
{
    static const char *const layout[] = {"chunked", "contiguous", "compact", "unknown", "virtual"};
    size_t chunk[NC_MAX_VAR_DIMS];
    char *names = NULL;
    int storage;
    unsigned long long stored;

    if (nc_inq_var_chunking(v->group, v->id, &storage, chunk) != NC_NOERR)
        return;
    open_object(j, "storage");
    text_member(j, "layout", storage >= 0 && storage < 5 ? layout[storage] : "unknown");
    if (storage == NC_CHUNKED) {
        member(j, "chunks");
        for (int d = 0; d < v->ndims; d++)
            fprintf(j->out, "%s%zu", d ? ", " : "[", chunk[d]);
        fputs(v->ndims ? "]" : "[]", j->out);
    }
    if (cellar_inq_var_chain(v->group, v->id, CELLAR_NAMES, &names) == NC_NOERR && names && *names)
        text_member(j, "filters", names);
    cellar_free(names);
    if (cellar_inq_var_stored(v->group, v->id, &stored) == NC_NOERR) {
        member(j, "stored");
        fprintf(j->out, "%llu", stored);
    }
    close_object(j);
}

/* Brackets that open before, or close after, value number `at` of the variable. */
static int brackets(const struct json_var *v, size_t at, int axes)
{
    size_t inner = 1;
    int n = 0;

    for (int d = v->ndims - 1; d >= 0; d--) {
        inner *= v->shape[d];
        if (d < axes && at % inner == 0)
            n++;
    }
    return n;
}

struct putting {
    struct json *j;
    const struct json_var *v;
    size_t put; /* values so far */
};

static void put_block(void *arg, const char *values, size_t n, size_t at)
{
    struct json *j = ((struct putting *)arg)->j;
    const struct json_var *v = ((struct putting *)arg)->v;
    bool chars = v->type->kind == NC_CHAR && v->ndims;
    int axes = v->ndims - chars;
    size_t row = chars ? v->shape[v->ndims - 1] : 1;
    struct text t = {0};

    for (size_t i = 0; i < n; i += row, at += row) {
        const char *value = values + i * v->type->size;
        text_clear(&t);
        for (int k = brackets(v, at, axes); k > 0; k--)
            text_putc(&t, '[');
        if (chars)
            put_chars(&t, value, row);
        else if (v->fill && type_equal(v->type, v->fill, value))
            text_puts(&t, "null");
        else
            put_value(&t, v->type, value);
        for (int k = brackets(v, at + row, axes); k > 0; k--)
            text_putc(&t, ']');
        if (at + row < v->n)
            text_puts(&t, ", ");
        fputs(text_get(&t), j->out);
    }
    ((struct putting *)arg)->put = at;
    text_free(&t);
}

/* The rest of a variable cannot be read: one null stands for it, and what is open is closed. */
static void put_rest(const struct putting *p, int axes)
{
    fputs("null", p->j->out);
    for (int k = axes - brackets(p->v, p->put, axes); k > 0; k--)
        putc(']', p->j->out);
}

static int put_data(struct json *j, const struct json_var *v)
{
    size_t most = ((size_t)16 << 20) / v->type->size;
    struct putting putting = {j, v, 0};
    int status;

    member(j, "data");
    if (!v->n) {
        fputs("[]", j->out);
        return NC_NOERR;
    }
    if (v->ndims && most < v->shape[v->ndims - 1])
        most = v->shape[v->ndims - 1];
    status = slab_each(v->group, v->id, v->type, v->ndims, v->shape, most, put_block, &putting);
    if (status)
        put_rest(&putting, v->ndims - (v->type->kind == NC_CHAR && v->ndims));
    return status;
}

static bool data_wanted(const struct json *j, int group, int varid)
{
    if (j->opt->header_only || (j->opt->groups.n && !select_has_group(&j->opt->groups, group)))
        return false;
    return !j->opt->vars.n || select_has_var(&j->opt->vars, group, varid);
}

/* All else is printed; the reason stands among the unreadable objects. */
static void skip_data(struct json *j, int group, int varid, const char *reason)
{
    char *path = walk_var_path(group, varid);

    msg_error("variable %s: %s", path, reason);
    j->skipped = true;
    free(path);
}

/* An error met while reading is written beside the data. */
static void put_data_or_reason(struct json *j, const struct json_var *v)
{
    int status = put_data(j, v);
    char *reason = status ? msg_reason(status) : NULL;

    if (!reason)
        return;
    text_member(j, "unreadable", reason);
    skip_data(j, v->group, v->id, reason);
    free(reason);
}

static int put_var(struct json *j, int group, int varid, const struct unreadable *unreadable)
{
    char name[NC_MAX_NAME + 1], dim[NC_MAX_NAME + 1];
    int dimid[NC_MAX_VAR_DIMS];
    nc_type id;
    struct json_var v = {.group = group, .id = varid, .n = 1};
    int status = nc_inq_var(group, varid, name, &id, &v.ndims, dimid, NULL);

    if (status)
        return status;
    v.type = types_find(&j->types, id);
    open_object(j, name);
    text_member(j, "type", v.type->name);
    member(j, "dimensions");
    putc('[', j->out);
    for (int d = 0; status == NC_NOERR && d < v.ndims; d++) {
        struct text t = {0};
        status = nc_inq_dim(group, dimid[d], dim, &v.shape[d]);
        v.n *= v.shape[d];
        safe_put_json(&t, dim, strlen(dim));
        fprintf(j->out, "%s%s", d ? ", " : "", text_get(&t));
        text_free(&t);
    }
    putc(']', j->out);
    if (status == NC_NOERR)
        status = put_atts(j, group, varid);
    if (j->opt->special)
        put_storage(j, &v);
    v.fill = cdl_fill_of(&j->types, group, varid, v.type);
    if (status == NC_NOERR && data_wanted(j, group, varid)) {
        if (unreadable_reason(unreadable, name))
            skip_data(j, group, varid, unreadable_reason(unreadable, name));
        else
            put_data_or_reason(j, &v);
    }
    if (v.fill)
        type_release(v.type, v.fill, 1);
    free(v.fill);
    close_object(j);
    return status;
}

static int put_vars(struct json *j, int group)
{
    struct walk_ids id;
    struct unreadable unreadable = {0};
    int status = walk_vars(group, &id);

    if (status == NC_NOERR)
        status = unreadable_load(group, &unreadable);
    if (status == NC_NOERR && id.n) {
        open_object(j, "variables");
        for (int i = 0; status == NC_NOERR && i < id.n; i++)
            status = put_var(j, group, id.at[i], &unreadable);
        close_object(j);
    }
    unreadable_free(&unreadable);
    walk_free(&id);
    return status;
}

static int put_unreadable(struct json *j, int group)
{
    struct unreadable u;
    int status = unreadable_load(group, &u);

    if (u.n) {
        open_object(j, "unreadable");
        for (int i = 0; i < u.n; i++)
            text_member(j, u.name[i], u.reason[i]);
        close_object(j);
    }
    unreadable_free(&u);
    return status;
}

static int put_group(struct json *j, int group);

static int put_groups(struct json *j, int group)
{
    struct walk_ids id;
    char name[NC_MAX_NAME + 1];
    int status = walk_groups(group, &id);

    if (status == NC_NOERR && id.n) {
        open_object(j, "groups");
        for (int i = 0; status == NC_NOERR && i < id.n; i++) {
            status = nc_inq_grpname(id.at[i], name);
            open_object(j, name);
            if (status == NC_NOERR)
                status = put_group(j, id.at[i]);
            close_object(j);
        }
        close_object(j);
    }
    walk_free(&id);
    return status;
}

static int put_group(struct json *j, int group)
{
    int status = put_types(j, group);

    if (status == NC_NOERR)
        status = put_dims(j, group);
    if (status == NC_NOERR)
        status = put_atts(j, group, NC_GLOBAL);
    if (status == NC_NOERR)
        status = put_vars(j, group);
    if (status == NC_NOERR)
        status = put_unreadable(j, group);
    return status ? status : put_groups(j, group);
}

int cdl_print_json(int root, const char *path, const struct cdl_options *opt, FILE *out)
{
    struct json j = {.opt = opt, .out = out};
    int format, status = types_load(root, &j.types);

    if (status == NC_NOERR)
        status = nc_inq_format(root, &format);
    if (status == NC_NOERR) {
        open_object(&j, NULL);
        text_member(&j, "format", cdl_kind_name(format));
        status = put_group(&j, root);
        close_object(&j);
        putc('\n', out);
    }
    if (status)
        msg_nc(status, "%s", path);
    types_free(&j.types);
    return status ? status : j.skipped ? NC_EBADTYPE : NC_NOERR;
}
