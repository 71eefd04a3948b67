/* SPDX-License-Identifier: BSD-3-Clause */
/* Document -> file, through the public API. */

#include "cdl.h"
#include "cellar.h"
#include "msg.h"
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

static bool refused(struct cdl_doc *doc, struct cdl_place at, int status, const char *what)
{
    char *why = msg_reason(status);

    cdl_fail(doc, at, "%s: %s", what, why);
    free(why);
    return false;
}

/* --- types ------------------------------------------------------------------------- */
static int define_compound(int group, struct type *t)
{
    int status = nc_def_compound(group, t->size, t->name, &t->id);

    for (size_t i = 0; status == NC_NOERR && i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        if (f->ndims)
            status = nc_insert_array_compound(group, t->id, f->name, f->offset, f->type->id, f->ndims, f->dims);
        else
            status = nc_insert_compound(group, t->id, f->name, f->offset, f->type->id);
    }
    return status;
}

static int define_enum(int group, struct type *t)
{
    int status = nc_def_enum(group, t->base->id, t->name, &t->id);

    for (size_t i = 0; status == NC_NOERR && i < t->nmembers; i++)
        status = nc_insert_enum(group, t->id, t->member[i].name, t->member[i].value);
    return status;
}

static int define_type(int group, struct type *t)
{
    switch (t->kind) {
    case NC_COMPOUND: return define_compound(group, t);
    case NC_ENUM: return define_enum(group, t);
    case NC_VLEN: return nc_def_vlen(group, t->name, t->base->id, &t->id);
    default: return nc_def_opaque(group, t->size, t->name, &t->id);
    }
}

static bool define_types(struct cdl_doc *doc, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ntypes; i++) {
        int status = define_type(g->id, &g->type[i]->t);
        if (status)
            return refused(doc, g->type[i]->where, status, g->type[i]->t.name);
    }
    return true;
}

static bool define_dims(struct cdl_doc *doc, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ndims; i++) {
        struct cdl_dim *d = g->dim[i];
        int status = nc_def_dim(g->id, d->name, d->unlimited ? NC_UNLIMITED : d->len, &d->id);
        if (status)
            return refused(doc, d->where, status, d->name);
    }
    return true;
}

/* --- attributes ------------------------------------------------------------------------ */
static bool define_atts(struct cdl_doc *doc, int group, int varid, const struct cdl_atts *atts)
{
    for (size_t i = 0; i < atts->n; i++) {
        const struct cdl_att *a = atts->at[i];
        int status;
        if (cdl_is_special(a->name, varid == NC_GLOBAL))
            continue;
        status = nc_put_att(group, varid, a->name, a->array.type->id, a->array.n, a->array.values);
        if (status)
            return refused(doc, a->where, status, a->name);
    }
    return true;
}

/* --- storage ------------------------------------------------------------------------------ */
/* fletcher32, shuffle and deflate come first where they are given beside _Filter. */
static char *whole_chain(struct cdl_doc *doc, const struct cdl_storage *s)
{
    struct text t = {0};
    char *chain;

    if (s->fletcher32)
        text_puts(&t, "3|");
    if (s->shuffle)
        text_puts(&t, "2|");
    if (s->deflate > 0)
        text_printf(&t, "1,%d|", s->deflate);
    text_puts(&t, s->filter);
    chain = cdl_strndup(doc, text_get(&t), t.len);
    text_free(&t);
    return chain;
}

static char *chain_now(struct cdl_doc *doc, int group, int varid, enum cellar_spelling spelling)
{
    char *text = NULL, *copy;

    if (cellar_inq_var_chain(group, varid, spelling, &text) != NC_NOERR)
        return NULL;
    copy = cdl_strndup(doc, text, strlen(text));
    cellar_free(text);
    return copy;
}

/* _Codecs may say more than _Filter can: how Zarr makes bytes of strings. */
static bool same_names(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool define_named_filters(struct cdl_doc *doc, int group, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;
    char *before, *after, *meant;
    int status = s->filter ? cellar_def_var_chain(group, v->id, whole_chain(doc, s)) : NC_NOERR;

    if (status)
        return refused(doc, s->filter_at, status, "_Filter");
    if (!s->codecs)
        return true;
    before = s->filter ? chain_now(doc, group, v->id, CELLAR_JSON) : NULL;
    meant = s->filter ? chain_now(doc, group, v->id, CELLAR_NAMES) : NULL;
    status = cellar_def_var_chain(group, v->id, s->codecs);
    if (status)
        return refused(doc, s->codecs_at, status, "_Codecs");
    after = chain_now(doc, group, v->id, CELLAR_JSON);
    if (before && after && strcmp(before, after) != 0 && !same_names(meant, chain_now(doc, group, v->id, CELLAR_NAMES)))
        return cdl_fail(doc, s->codecs_at, "_Codecs of %s means the filters %s, but _Filter means %s", v->name,
                        chain_now(doc, group, v->id, CELLAR_NAMES), meant);
    return true;
}

static bool define_own_filters(struct cdl_doc *doc, int group, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;
    int status = NC_NOERR;

    if (s->fletcher32)
        status = nc_def_var_fletcher32(group, v->id, NC_FLETCHER32);
    if (status == NC_NOERR && (s->shuffle || s->deflate > 0))
        status = nc_def_var_deflate(group, v->id, s->shuffle, s->deflate > 0, s->deflate > 0 ? s->deflate : 0);
    return status == NC_NOERR || refused(doc, s->deflate_at.line ? s->deflate_at : v->where, status, v->name);
}

static bool define_layout(struct cdl_doc *doc, int group, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;
    int status = NC_NOERR;

    if (s->chunk)
        status = nc_def_var_chunking(group, v->id, NC_CHUNKED, s->chunk);
    else if (s->layout >= 0 && (v->ndims || s->layout != NC_CHUNKED))
        status = nc_def_var_chunking(group, v->id, s->layout, NULL); /* lengths are left to the library */
    return status == NC_NOERR || refused(doc, s->chunk ? s->chunk_at : s->layout_at, status, v->name);
}

static bool define_storage(struct cdl_doc *doc, int group, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;
    int status = NC_NOERR;

    if (!s->any)
        return true;
    if (!define_layout(doc, group, v))
        return false;
    if (s->filter || s->codecs ? !define_named_filters(doc, group, v) : !define_own_filters(doc, group, v))
        return false;
    if (s->endian != NC_ENDIAN_NATIVE)
        status = nc_def_var_endian(group, v->id, s->endian);
    if (status == NC_NOERR && s->no_fill)
        status = nc_def_var_fill(group, v->id, NC_NOFILL, NULL);
    if (status)
        return refused(doc, v->where, status, v->name);
    if (s->quantize)
        status = nc_def_var_quantize(group, v->id, s->quantize, s->quantize_n);
    return status == NC_NOERR || refused(doc, s->quantize_at, status, v->name);
}

/* --- variables -------------------------------------------------------------------------------- */
static bool define_vars(struct cdl_doc *doc, struct cdl_group *g)
{
    bool ok = true;

    for (size_t i = 0; ok && i < g->nvars; i++) {
        struct cdl_var *v = g->var[i];
        int *dimid = cdl_alloc(doc, (size_t)v->ndims, sizeof *dimid), status;
        for (int d = 0; d < v->ndims; d++)
            dimid[d] = v->dim[d]->id;
        status = nc_def_var(g->id, v->name, v->type->id, v->ndims, dimid, &v->id);
        if (status)
            return refused(doc, v->where, status, v->name);
        ok = define_storage(doc, g->id, v) && define_atts(doc, g->id, v->id, &v->atts);
    }
    return ok;
}

static bool define_group(struct cdl_doc *doc, struct cdl_group *g)
{
    bool ok = define_types(doc, g) && define_dims(doc, g) && define_atts(doc, g->id, NC_GLOBAL, &g->atts) &&
              define_vars(doc, g);

    for (size_t i = 0; ok && i < g->nchildren; i++) {
        int status = nc_def_grp(g->id, g->child[i]->name, &g->child[i]->id);
        if (status)
            return refused(doc, (struct cdl_place){0, 0}, status, g->child[i]->name);
        ok = define_group(doc, g->child[i]);
    }
    return ok;
}

/* --- data ------------------------------------------------------------------------------------------ */
static bool write_data(struct cdl_doc *doc, struct cdl_group *g)
{
    bool ok = true;

    for (size_t i = 0; ok && i < g->nvars; i++) {
        struct cdl_var *v = g->var[i];
        size_t *start = cdl_alloc(doc, (size_t)v->ndims, sizeof *start);
        int status;
        if (!v->array.n)
            continue;
        status = nc_put_vara(g->id, v->id, start, v->count, v->array.values);
        ok = status == NC_NOERR || refused(doc, v->data_at, status, v->name);
    }
    for (size_t i = 0; ok && i < g->nchildren; i++)
        ok = write_data(doc, g->child[i]);
    return ok;
}

bool cdl_build(struct cdl_doc *doc, const char *path, const struct cdl_build_options *opt)
{
    int old, status = nc_create(path, opt->mode, &doc->root->id);
    bool ok;

    if (status)
        return refused(doc, (struct cdl_place){0, 0}, status, "the output cannot be created");
    if (opt->no_fill)
        nc_set_fill(doc->root->id, NC_NOFILL, &old);
    ok = define_group(doc, doc->root);
    if (ok) {
        status = nc_enddef(doc->root->id);
        ok = status == NC_NOERR || refused(doc, (struct cdl_place){0, 0}, status, "the definitions cannot be written");
    }
    if (ok && !opt->header_only)
        ok = write_data(doc, doc->root);
    if (!ok) {
        nc_abort(doc->root->id);
        return false;
    }
    status = nc_close(doc->root->id);
    return status == NC_NOERR || refused(doc, (struct cdl_place){0, 0}, status, "the output cannot be completed");
}
