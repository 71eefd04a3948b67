/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a generated C program: definitions in the order of the API, then a block for each attribute and for the
 * data of each variable. */

#include "cdl_emit.h"
#include <netcdf_aux.h>
#include <stdlib.h>
#include <string.h>

static void check(struct emitter *e)
{
    emit(e, "    CHECK_ERR(stat);\n");
}

static void emit_nc_type(struct emitter *e, const struct type *t)
{
    static const char *const atomic[] = {
        [NC_BYTE] = "NC_BYTE",   [NC_CHAR] = "NC_CHAR",     [NC_SHORT] = "NC_SHORT",   [NC_INT] = "NC_INT",
        [NC_FLOAT] = "NC_FLOAT", [NC_DOUBLE] = "NC_DOUBLE", [NC_UBYTE] = "NC_UBYTE",   [NC_USHORT] = "NC_USHORT",
        [NC_UINT] = "NC_UINT",   [NC_INT64] = "NC_INT64",   [NC_UINT64] = "NC_UINT64", [NC_STRING] = "NC_STRING"};

    if (t->group < 0)
        emit(e, "%s", atomic[t->kind]);
    else
        emit(e, "%s_typ", ((const struct cdl_type *)t)->ident);
}

static void define_children(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nchildren; i++) {
        emit(e, "    stat = nc_def_grp(%s_grp, ", g->ident);
        emit_name(e, g->child[i]->name);
        emit(e, ", &%s_grp);\n", g->child[i]->ident);
        check(e);
    }
}

/* --- types ----------------------------------------------------------------------------- */
static void declare_field_dims(struct emitter *e, const struct type *t)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        if (!f->ndims)
            continue;
        emit(e, "    static int ");
        emit_field(e, t, f->name);
        emit(e, "_dims[%d] = {", f->ndims);
        for (int d = 0; d < f->ndims; d++)
            emit(e, "%s%d", d ? ", " : "", f->dims[d]);
        emit(e, "};\n");
    }
}

static void define_compound(struct emitter *e, const struct cdl_group *g, const struct cdl_type *type)
{
    const struct type *t = &type->t;

    emit(e, "    stat = nc_def_compound(%s_grp, sizeof(%s), ", g->ident, type->ident);
    emit_name(e, t->name);
    emit(e, ", &%s_typ);", type->ident);
    check(e);
    emit(e, "    {\n");
    declare_field_dims(e, t);
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        emit(e, "    stat = nc_insert_%scompound(%s_grp, %s_typ, ", f->ndims ? "array_" : "", g->ident, type->ident);
        emit_name(e, f->name);
        emit(e, ", NC_COMPOUND_OFFSET(%s,", type->ident);
        emit_field(e, t, f->name);
        emit(e, "), ");
        emit_nc_type(e, f->type);
        if (f->ndims) {
            emit(e, ", %d, ", f->ndims);
            emit_field(e, t, f->name);
            emit(e, "_dims");
        }
        emit(e, ");");
        check(e);
    }
    emit(e, "    }\n");
}

static void define_enum(struct emitter *e, const struct cdl_group *g, const struct cdl_type *type)
{
    const struct type *t = &type->t;

    emit(e, "    {\n    ");
    cdl_emit_type(e->out, t->base);
    emit(e, " econst;\n    stat = nc_def_enum(%s_grp, ", g->ident);
    emit_nc_type(e, t->base);
    emit(e, ", ");
    emit_name(e, t->name);
    emit(e, ", &%s_typ);\n", type->ident);
    check(e);
    for (size_t i = 0; i < t->nmembers; i++) {
        emit(e, "    econst = ");
        cdl_emit_value(e->out, t->base, (const char *)t->member[i].value, &e->nvlens);
        emit(e, ";\n    stat = nc_insert_enum(%s_grp, %s_typ, ", g->ident, type->ident);
        emit_name(e, t->member[i].name);
        emit(e, ", &econst);\n");
        check(e);
    }
    emit(e, "    }\n");
}

static void define_type(struct emitter *e, const struct cdl_group *g, const struct cdl_type *type)
{
    const struct type *t = &type->t;

    if (t->kind == NC_COMPOUND) {
        define_compound(e, g, type);
    } else if (t->kind == NC_ENUM) {
        define_enum(e, g, type);
    } else {
        if (t->kind == NC_VLEN)
            emit(e, "    stat = nc_def_vlen(%s_grp, ", g->ident);
        else
            emit(e, "    stat = nc_def_opaque(%s_grp, %zu, ", g->ident, t->size);
        emit_name(e, t->name);
        emit(e, ", ");
        if (t->kind == NC_VLEN) {
            emit_nc_type(e, t->base);
            emit(e, ", ");
        }
        emit(e, "&%s_typ);%s", type->ident, t->kind == NC_VLEN ? "" : "\n");
        check(e);
    }
    emit(e, "\n");
}

static void define_types(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ntypes; i++)
        define_type(e, g, g->type[i]);
}

/* --- dimensions ---------------------------------------------------------------------------- */
static void define_dims(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ndims; i++) {
        emit(e, "    stat = nc_def_dim(");
        emit_group_id(e, g);
        emit(e, ", ");
        emit_name(e, g->dim[i]->name);
        emit(e, ", %s_len, &%s_dim);\n", g->dim[i]->ident, g->dim[i]->ident);
        check(e);
    }
}

/* --- variables -------------------------------------------------------------------------------- */
/* "    stat = nc_def_var_endian(grp, v_id" */
static void begin_call(struct emitter *e, const char *function, const struct cdl_group *g, const struct cdl_var *v)
{
    emit(e, "    stat = %s(", function);
    emit_group_id(e, g);
    emit(e, ", %s_id", v->ident);
}

static void define_layout(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v)
{
    static const char *const layout[] = {"NC_CHUNKED", "NC_CONTIGUOUS", "NC_COMPACT"};
    const struct cdl_storage *s = &v->storage;

    if (!s->chunk && (s->layout < 0 || (!v->ndims && s->layout == NC_CHUNKED)))
        return;
    begin_call(e, "nc_def_var_chunking", g, v);
    if (s->chunk)
        emit(e, ", NC_CHUNKED, %s_chunksizes);\n", v->ident);
    else
        emit(e, ", %s, NULL);\n", layout[s->layout]);
    check(e);
}

static void define_own_filters(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;

    if (s->fletcher32) {
        begin_call(e, "nc_def_var_fletcher32", g, v);
        emit(e, ", 1);\n");
        check(e);
    }
    if (s->shuffle || s->deflate > 0) {
        begin_call(e, "nc_def_var_deflate", g, v);
        emit(e, ", %s, %d, %d);\n", s->shuffle ? "NC_SHUFFLE" : "NC_NOSHUFFLE", s->deflate > 0,
             s->deflate > 0 ? s->deflate : 0);
        check(e);
    }
}

static void define_filters_by_id(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v)
{
    NC_H5_Filterspec **list = NULL;
    size_t n = 0;

    if (!emit_parse_chain(v->storage.filter, &n, &list))
        return;
    for (size_t i = 0; i < n; i++) {
        begin_call(e, "nc_def_var_filter", g, v);
        emit(e, ", %u, %zu, ", list[i]->filterid, list[i]->nparams);
        if (list[i]->nparams)
            emit(e, "%s_%zu_filterparams);\n", v->ident, i);
        else
            emit(e, "NULL);\n");
        check(e);
    }
    emit_free_chain(list, n);
}

/* What ncgen itself would hand to the library as text goes there as text. */
static void define_filters_by_name(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;
    const char *chain[] = {s->filter && !(*s->filter >= '0' && *s->filter <= '9') ? s->filter : NULL, s->codecs};

    for (size_t i = 0; i < 2; i++)
        if (chain[i]) {
            begin_call(e, "cellar_def_var_chain", g, v);
            emit(e, ", ");
            emit_name(e, chain[i]);
            emit(e, ");\n");
            check(e);
        }
}

static void define_storage(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;

    define_layout(e, g, v);
    define_own_filters(e, g, v);
    if (s->endian != NC_ENDIAN_NATIVE) {
        begin_call(e, "nc_def_var_endian", g, v);
        emit(e, ", %s);\n", s->endian == NC_ENDIAN_BIG ? "NC_ENDIAN_BIG" : "NC_ENDIAN_LITTLE");
        check(e);
    }
    if (s->no_fill) {
        begin_call(e, "nc_def_var_fill", g, v);
        emit(e, ", NC_NOFILL, NULL);\n");
        check(e);
    }
    define_filters_by_id(e, g, v);
    define_filters_by_name(e, g, v);
    if (s->quantize) {
        begin_call(e, "nc_def_var_quantize", g, v);
        emit(e, ", %d, %d);\n", s->quantize, s->quantize_n);
        check(e);
    }
}

static void define_vars(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++) {
        const struct cdl_var *v = g->var[i];
        emit(e, "\n");
        for (int d = 0; d < v->ndims; d++)
            emit(e, "    %s_dims[%d] = %s_dim;\n", v->ident, d, v->dim[d]->ident);
        emit(e, "    stat = nc_def_var(");
        emit_group_id(e, g);
        emit(e, ", ");
        emit_name(e, v->name);
        emit(e, ", ");
        emit_nc_type(e, v->type);
        emit(e, ", RANK_%s, %s%s, &%s_id);\n", v->ident, v->ndims ? v->ident : "0", v->ndims ? "_dims" : "", v->ident);
        check(e);
        if (v->storage.any)
            define_storage(e, g, v);
    }
}

/* --- attributes ------------------------------------------------------------------------------------- */
static const char *put_function(const struct type *t)
{
    static const char *const suffix[] = {
        [NC_BYTE] = "_schar",     [NC_SHORT] = "_short",      [NC_INT] = "_int",       [NC_FLOAT] = "_float",
        [NC_DOUBLE] = "_double",  [NC_UBYTE] = "_uchar",      [NC_USHORT] = "_ushort", [NC_UINT] = "_uint",
        [NC_INT64] = "_longlong", [NC_UINT64] = "_ulonglong", [NC_STRING] = "_string"};

    if (t->kind == NC_ENUM)
        t = t->base;
    return t->group < 0 && suffix[t->kind] ? suffix[t->kind] : "";
}

/* The root of a classic file has its name before those of arrays. */
static char *array_name(const struct emitter *e, const struct cdl_group *g, const char *name)
{
    struct text t = {0};

    if (e->classic || g->parent) {
        cdl_put_ident(&t, g->parent ? g->name : e->doc->name, "DOT");
        text_putc(&t, '_');
    }
    cdl_put_ident(&t, name, "DOT");
    text_puts(&t, "_att");
    return text_take(&t);
}

static void emit_target(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v, const char *name)
{
    emit_group_id(e, g);
    if (v)
        emit(e, ", %s_id, ", v->ident);
    else
        emit(e, ", NC_GLOBAL, ");
    emit_name(e, name);
}

static void define_text_att(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v,
                            const struct cdl_att *a)
{
    emit(e, "    stat = nc_put_att_text(");
    emit_target(e, g, v, a->name);
    emit(e, ", %zu, ", a->array.n ? a->array.n : a->list.n > 0);
    cdl_emit_string(e->out, a->array.values, a->array.n);
    emit(e, ");\n");
    check(e);
}

static void define_value_att(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v,
                             const struct cdl_att *a)
{
    const struct cdl_array *values = &a->array;
    char *name = array_name(e, g, a->name);
    size_t first = e->nvlens;
    bool text = values->type->kind == NC_STRING;

    cdl_emit_vlens(e->out, values->type, values->values, values->n, &e->nvlens);
    emit(e, "    static const ");
    cdl_emit_type(e->out, values->type);
    emit(e, " %s[%zu] = ", name, values->n ? values->n : 1);
    if (values->n)
        cdl_emit_values(e->out, values->type, values->values, values->n, &first);
    else
        emit(e, "{0}");
    emit(e, " ;\n    stat = nc_put_att%s(", put_function(values->type));
    emit_target(e, g, v, a->name);
    emit(e, ", ");
    if (!text) {
        emit_nc_type(e, values->type);
        emit(e, ", ");
    }
    emit(e, "%zu, %s);%s", values->n, name, text ? "" : "\n");
    check(e);
    free(name);
}

static void define_atts(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v,
                        const struct cdl_atts *atts)
{
    for (size_t i = 0; i < atts->n; i++) {
        const struct cdl_att *a = atts->at[i];
        if (cdl_is_special(a->name, !v))
            continue;
        emit(e, "\n    {\n");
        if (a->array.type->kind == NC_CHAR)
            define_text_att(e, g, v, a);
        else
            define_value_att(e, g, v, a);
        emit(e, "    }\n");
    }
}

static void define_group_atts(struct emitter *e, struct cdl_group *g)
{
    define_atts(e, g, NULL, &g->atts);
}

static void define_var_atts(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++)
        define_atts(e, g, g->var[i], &g->var[i]->atts);
}

static bool plain_atts(const struct cdl_atts *atts, bool global)
{
    for (size_t i = 0; i < atts->n; i++)
        if (!cdl_is_special(atts->at[i]->name, global))
            return true;
    return false;
}

static bool has_atts(const struct cdl_group *g, bool of_vars)
{
    bool found = !of_vars && plain_atts(&g->atts, true);

    for (size_t i = 0; of_vars && !found && i < g->nvars; i++)
        found = plain_atts(&g->var[i]->atts, false);
    for (size_t i = 0; !found && i < g->nchildren; i++)
        found = has_atts(g->child[i], of_vars);
    return found;
}

/* --- all of it ----------------------------------------------------------------------------------------- */
static bool has(const struct cdl_group *g, bool vars)
{
    bool found = vars ? g->nvars > 0 : g->ndims > 0;

    for (size_t i = 0; !found && i < g->nchildren; i++)
        found = has(g->child[i], vars);
    return found;
}

static bool has_types(const struct cdl_group *g)
{
    bool found = g->ntypes > 0;

    for (size_t i = 0; !found && i < g->nchildren; i++)
        found = has_types(g->child[i]);
    return found;
}

static void titled(struct emitter *e, const char *title, emit_group *visit)
{
    emit(e, "\n    /* %s */\n", title);
    emit_each(e, e->doc->root, visit);
}

void emit_definitions(struct emitter *e)
{
    const struct cdl_group *root = e->doc->root;

    if (!e->classic) {
        emit(e, "    %s_grp = ncid;\n", root->ident);
        emit_each(e, e->doc->root, define_children);
    }
    if (has_types(root)) {
        emit(e, "\n");
        emit_each(e, e->doc->root, define_types);
    }
    if (has(root, false))
        titled(e, "define dimensions", define_dims);
    if (has(root, true))
        titled(e, "define variables", define_vars);
    if (has_atts(root, false)) {
        titled(e, "assign global attributes", define_group_atts);
        emit(e, "\n");
    }
    if (has_atts(root, true)) {
        titled(e, "assign per-variable attributes", define_var_atts);
        emit(e, "\n");
    }
}

/* --- data ------------------------------------------------------------------------------------------------- */
static void write_scalar(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v, size_t first)
{
    emit(e, "    size_t count = 0;\n    static ");
    cdl_emit_type(e->out, v->type);
    emit(e, " %s_data[1] = ", v->ident);
    cdl_emit_values(e->out, v->type, v->array.values, 1, &first);
    emit(e, ";\n");
    begin_call(e, "nc_put_var1", g, v);
    emit(e, ", &count, %s_data);\n", v->ident);
}

static void emit_lengths(struct emitter *e, const struct cdl_var *v, const char *what, const size_t *len,
                         const char *end)
{
    emit(e, "    size_t %s_%s[%d] = {", v->ident, what, v->ndims);
    for (int d = 0; d < v->ndims; d++)
        emit(e, "%s%zu", d ? ", " : "", len[d]);
    emit(e, "}%s\n", end);
}

/* Values of a block that begins at value `at`. Large arrays do not go to the stack. */
static void write_values(struct emitter *e, const struct cdl_var *v, size_t at, size_t n, size_t first)
{
    enum { STACK_BYTES = 1 << 16 };
    const char *values = v->array.values + at * v->type->size;

    if (v->type->kind == NC_CHAR) {
        emit(e, "    char* %s_data = ", v->ident);
        cdl_emit_string(e->out, values, n);
    } else {
        emit(e, n * v->type->size > STACK_BYTES ? "    static " : "    ");
        cdl_emit_type(e->out, v->type);
        emit(e, " %s_data[%zu] = ", v->ident, n);
        cdl_emit_values(e->out, v->type, values, n, &first);
    }
    emit(e, " ;\n");
}

static void write_block(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v, bool row, size_t at,
                        size_t n, size_t first)
{
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], rest = at;

    for (int d = v->ndims - 1; d >= 0; d--) {
        start[d] = rest % v->count[d];
        rest /= v->count[d];
        count[d] = row && d < v->ndims - 1 ? 1 : v->count[d];
    }
    write_values(e, v, at, n, first);
    emit_lengths(e, v, "startset", start, " ;");
    emit_lengths(e, v, "countset", count, ";");
    begin_call(e, "nc_put_vara", g, v);
    emit(e, ", %s_startset, %s_countset, %s_data);\n", v->ident, v->ident, v->ident);
}

/* A variable is one block; where it can grow, each of its rows is one, unless it is text. */
static void write_var(struct emitter *e, const struct cdl_group *g, const struct cdl_var *v)
{
    bool rows = v->ndims > 1 && v->dim[0]->unlimited && v->type->kind != NC_CHAR;
    size_t each = rows ? v->count[v->ndims - 1] : v->array.n;

    for (size_t at = 0; at < v->array.n; at += each) {
        size_t first = e->nvlens;
        emit(e, "    {\n");
        cdl_emit_vlens(e->out, v->type, v->array.values + at * v->type->size, each, &e->nvlens);
        if (v->ndims)
            write_block(e, g, v, rows, at, each, first);
        else
            write_scalar(e, g, v, first);
        check(e);
        emit(e, "    }\n\n\n");
    }
}

static void write_vars(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++)
        if (g->var[i]->array.n)
            write_var(e, g, g->var[i]);
}

void emit_data(struct emitter *e)
{
    emit_each(e, e->doc->root, write_vars);
}
