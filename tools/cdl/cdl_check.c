/* SPDX-License-Identifier: BSD-3-Clause */
/* What a document means once all of it is known: types of attributes, lengths of
 * unlimited dimensions, values in memory. */

#include "cdl.h"
#include <stdlib.h>
#include <string.h>

/* --- attributes ------------------------------------------------------------------ */
/* The wider of two number types; of two that are equally wide, the later one. */
static nc_type wider(nc_type a, nc_type b)
{
    static const int rank[] = {[NC_BYTE] = 1, [NC_UBYTE] = 1, [NC_SHORT] = 2,  [NC_USHORT] = 2, [NC_INT] = 3,
                               [NC_UINT] = 3, [NC_INT64] = 4, [NC_UINT64] = 4, [NC_FLOAT] = 5,  [NC_DOUBLE] = 6};

    return a != NC_NAT && rank[a] > rank[b] ? a : b;
}

static bool infer_type(struct cdl_doc *doc, struct cdl_att *a)
{
    nc_type type = NC_NAT;

    for (size_t i = 0; i < a->list.n; i++) {
        const struct cdl_const *c = &a->list.at[i];
        bool text = c->kind == CDL_STRING, number = c->kind == CDL_INT || c->kind == CDL_REAL || c->kind == CDL_BYTE;
        if (c->kind == CDL_NIL) {
            type = NC_STRING;
            continue;
        }
        if (!text && !number)
            return cdl_fail(doc, c->where,
                            "the type of this value cannot be told: write it before the attribute, as in "
                            "\"type v:%s = ...\"",
                            a->name);
        if (type != NC_NAT && text != (type == NC_CHAR || type == NC_STRING))
            return cdl_fail(doc, c->where, "attribute %s mixes text and numbers", a->name);
        if (text)
            type = type == NC_STRING ? type : NC_CHAR;
        else
            type = wider(type, c->type);
    }
    a->type = types_atomic(type == NC_NAT ? NC_CHAR : type);
    return true;
}

static bool convert_att(struct cdl_doc *doc, struct cdl_att *a)
{
    struct cdl_array *out = &a->array;

    if (!a->type && !infer_type(doc, a))
        return false;
    out->type = a->type;
    out->n = cdl_count_flat(a->type, &a->list);
    out->values = cdl_alloc(doc, out->n + 1, a->type->size);
    if (!out->n && a->list.n && a->type->kind == NC_CHAR && strcmp(a->name, "_FillValue") == 0) {
        out->n = 1; /* "" is how ncdump writes a NUL */
        return true;
    }
    if (a->type->group >= 0 || a->type->kind >= NC_UBYTE)
        doc->enhanced = true;
    return !out->n || cdl_convert_flat(doc, a->type, &a->list, out->n, NULL, out->values, NULL);
}

static bool check_atts(struct cdl_doc *doc, struct cdl_atts *atts, bool global)
{
    bool ok = true;

    for (size_t i = 0; ok && i < atts->n; i++)
        if (!cdl_is_special(atts->at[i]->name, global))
            ok = convert_att(doc, atts->at[i]);
        else if (global)
            ok = cdl_take_global(doc, atts->at[i]);
    return ok;
}

/* The fill value has the variable's type whatever it is written as. */
static bool check_fill(struct cdl_doc *doc, struct cdl_var *v)
{
    v->fill = cdl_alloc(doc, 1, v->type->size);
    cdl_default_fill(doc, v->type, v->fill);
    for (size_t i = 0; i < v->atts.n; i++) {
        struct cdl_att *a = v->atts.at[i];
        if (strcmp(a->name, "_FillValue") != 0)
            continue;
        a->type = v->type;
        if (!convert_att(doc, a))
            return false;
        if (a->array.n != 1)
            return cdl_fail(doc, a->where, "_FillValue of %s is one value of its type %s", v->name, v->type->name);
        memcpy(v->fill, a->array.values, v->type->size);
    }
    return true;
}

/* --- shapes ---------------------------------------------------------------------------- */
/* An unlimited axis behind the first is told by braces, so the axes fall into
 * blocks that begin at those: within a block values (or, for all but the last
 * block, braces) follow one another. */
static int block_end(const struct cdl_var *v, int from)
{
    int d = from + 1;

    while (d < v->ndims && !v->dim[d]->unlimited)
        d++;
    return d < v->ndims ? d : v->ndims;
}

static size_t inner_size(const struct cdl_var *v, int from, int to)
{
    size_t n = 1;

    for (int d = from; d < to; d++)
        n *= v->dim[d]->len;
    return n;
}

static bool is_text_row(const struct cdl_var *v, int end)
{
    return v->type->kind == NC_CHAR && end == v->ndims;
}

/* Strings are filled up to rows along the last axis, unless that is the block's own first. */
static size_t text_row(const struct cdl_var *v, int from)
{
    return from < v->ndims - 1 ? v->dim[v->ndims - 1]->len : 0;
}

static size_t count_block(struct cdl_doc *doc, const struct cdl_var *v, int from, int end, const struct cdl_list *list)
{
    struct text t = {0};
    size_t n;

    if (end < v->ndims)
        return list->n;
    if (!is_text_row(v, end))
        return cdl_count_flat(v->type, list);
    cdl_collect_chars(doc, list, text_row(v, from), &t);
    n = t.len;
    text_free(&t);
    return n;
}

/* Lengths of the unlimited axes from the values of this variable. */
static bool measure(struct cdl_doc *doc, struct cdl_var *v, int from, const struct cdl_list *list)
{
    int end = block_end(v, from);
    size_t inner = inner_size(v, from + 1, end), n = count_block(doc, v, from, end, list), len;
    bool ok = !cdl_failed(doc);

    len = inner ? (n + inner - 1) / inner : 0;
    if (len > v->count[from])
        v->count[from] = len;
    if (end == v->ndims)
        return ok;
    for (size_t i = 0; ok && i < list->n; i++) {
        if (list->at[i].kind != CDL_LIST)
            return cdl_fail(doc, list->at[i].where, "values along the unlimited dimension %s are written in braces",
                            v->dim[end]->name);
        ok = measure(doc, v, end, &list->at[i].v.list);
    }
    return ok;
}

static bool measure_var(struct cdl_doc *doc, struct cdl_var *v)
{
    v->count = cdl_alloc(doc, (size_t)v->ndims, sizeof *v->count);
    if (!v->has_data)
        return true;
    for (int d = 0; d < v->ndims; d++)
        v->count[d] = v->dim[d]->unlimited ? 0 : v->dim[d]->len;
    if (v->ndims && !measure(doc, v, 0, &v->data))
        return false;
    for (int d = 0; d < v->ndims; d++)
        if (!v->dim[d]->unlimited)
            v->count[d] = v->dim[d]->len; /* more values than fit is said when they are placed */
        else if (v->count[d] > v->dim[d]->len)
            v->dim[d]->len = v->count[d];
    return true;
}

/* --- values ------------------------------------------------------------------------------- */
static size_t slice(const struct cdl_var *v, int from)
{
    size_t n = 1;

    for (int d = from; d < v->ndims; d++)
        n *= v->count[d];
    return n;
}

static bool place_text(struct cdl_doc *doc, struct cdl_var *v, int from, const struct cdl_list *list, char *dst)
{
    struct text t = {0};
    size_t fits = slice(v, from);
    bool ok = cdl_collect_chars(doc, list, v->ndims ? text_row(v, from) : 0, &t);

    if (ok && t.len > fits)
        ok = cdl_fail(doc, v->data_at, "variable %s has room for %zu characters, but %zu are given", v->name, fits,
                      t.len);
    if (ok && t.len)
        memcpy(dst, t.s, t.len);
    text_free(&t);
    return ok;
}

static bool fill_slice(struct cdl_doc *doc, struct cdl_var *v, int from, const struct cdl_list *list, char *dst)
{
    int end = v->ndims ? block_end(v, from) : 0;
    size_t step;
    bool ok = true;

    if (end == v->ndims && v->type->kind == NC_CHAR)
        return place_text(doc, v, from, list, dst);
    if (end == v->ndims)
        return cdl_convert_flat(doc, v->type, list, slice(v, from), v->fill, dst, NULL);
    step = slice(v, end) * v->type->size;
    if (list->n > inner_size(v, from + 1, end) * v->count[from])
        return cdl_fail(doc, v->data_at, "variable %s has more values than its dimensions have room for", v->name);
    for (size_t i = 0; ok && i < list->n; i++)
        ok = fill_slice(doc, v, end, &list->at[i].v.list, dst + i * step);
    return ok;
}

static bool fill_var(struct cdl_doc *doc, struct cdl_var *v)
{
    struct cdl_array *out = &v->array;

    if (!v->has_data)
        return true;
    out->type = v->type;
    out->n = slice(v, 0);
    if (out->n > SIZE_MAX / 2 / v->type->size)
        return cdl_fail(doc, v->data_at, "variable %s is too large", v->name);
    out->values = cdl_alloc(doc, out->n, v->type->size);
    for (size_t i = 0; i < out->n; i++)
        memcpy(out->values + i * v->type->size, v->fill, v->type->size);
    return fill_slice(doc, v, 0, &v->data, out->values);
}

/* --- the tree --------------------------------------------------------------------------------- */
typedef bool on_var(struct cdl_doc *doc, struct cdl_var *v);

static bool each_var(struct cdl_doc *doc, struct cdl_group *g, on_var *visit)
{
    bool ok = true;

    for (size_t i = 0; ok && i < g->nvars; i++)
        ok = visit(doc, g->var[i]);
    for (size_t i = 0; ok && i < g->nchildren; i++)
        ok = each_var(doc, g->child[i], visit);
    return ok;
}

static bool check_var(struct cdl_doc *doc, struct cdl_var *v)
{
    if (v->type->group >= 0 || v->type->kind >= NC_UBYTE)
        doc->enhanced = true;
    for (int d = 1; d < v->ndims; d++)
        if (v->dim[d]->unlimited)
            doc->enhanced = true;
    if (!check_fill(doc, v) || !check_atts(doc, &v->atts, false) || !cdl_take_storage(doc, v))
        return false;
    if (v->storage.any)
        doc->enhanced = true;
    return measure_var(doc, v);
}

static bool uses_types(const struct type *t)
{
    for (size_t i = 0; i < t->nfields; i++)
        if (t->field[i].type->group >= 0)
            return true;
    return t->base && t->base->group >= 0;
}

/* Types that use no others come first in the file, as netCDF-C has it; each of the rest comes behind those it uses. */
static void order_types(struct cdl_doc *doc, struct cdl_group *g)
{
    struct cdl_type **ordered = cdl_alloc(doc, g->ntypes, sizeof *ordered);
    size_t n = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < g->ntypes; i++)
            if (uses_types(&g->type[i]->t) == pass)
                ordered[n++] = g->type[i];
    g->type = ordered;
}

static bool check_group(struct cdl_doc *doc, struct cdl_group *g)
{
    size_t unlimited = 0;
    bool ok = check_atts(doc, &g->atts, true);

    order_types(doc, g);

    for (size_t i = 0; i < g->ndims; i++)
        unlimited += g->dim[i]->unlimited;
    if (unlimited > 1)
        doc->enhanced = true;
    for (size_t i = 0; ok && i < g->nchildren; i++)
        ok = check_group(doc, g->child[i]);
    return ok;
}

bool cdl_check(struct cdl_doc *doc)
{
    return check_group(doc, doc->root) && each_var(doc, doc->root, check_var) && each_var(doc, doc->root, fill_var);
}
