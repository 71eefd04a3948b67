/* SPDX-License-Identifier: BSD-3-Clause */
/* Document -> C program that makes the file (ncgen -lc), in the form that netCDF-C's ncgen has: one name for each id,
 * made of the object's own, and a block for the values of each attribute and variable. */

#include "cdl_emit.h"
#include <netcdf_aux.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void emit(struct emitter *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vfprintf(e->out, fmt, ap);
    va_end(ap);
}

void emit_name(struct emitter *e, const char *name)
{
    cdl_emit_string(e->out, name, strlen(name));
}

/* --- names ------------------------------------------------------------------------------ */
static bool is_taken(const struct emitter *e, const char *ident)
{
    static const char *const reserved[] = {
        "auto",     "break",  "case",     "char",    "const",  "continue", "default", "do",     "double",  "else",
        "enum",     "extern", "float",    "for",     "goto",   "if",       "inline",  "int",    "long",    "register",
        "restrict", "return", "short",    "signed",  "sizeof", "static",   "struct",  "switch", "typedef", "union",
        "unsigned", "void",   "volatile", "while",   "stat",   "ncid",     "count",   "econst", "main",    "check_err",
        "size_t",   "exit",   "stderr",   "fprintf", "fflush", "NULL"};

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], ident) == 0)
            return true;
    for (size_t i = 0; i < e->nused; i++)
        if (strcmp(e->used[i], ident) == 0)
            return true;
    return false;
}

static void put_path(struct text *t, const struct cdl_group *g)
{
    if (!g->parent)
        return;
    put_path(t, g->parent);
    cdl_put_ident(t, g->name, "PERIOD");
    text_puts(t, "_SLASH_");
}

/* The path of the object, and what tells its kind; another character where that is taken. */
static const char *new_ident(struct emitter *e, const struct cdl_group *g, const char *name, const char *suffix)
{
    struct text t = {0};
    char *ident;

    if (g)
        put_path(&t, g);
    cdl_put_ident(&t, name, "PERIOD");
    for (;; text_putc(&t, '_')) {
        struct text whole = {0};
        bool taken;
        text_printf(&whole, "%s%s", text_get(&t), suffix);
        taken = is_taken(e, text_get(&whole));
        if (!taken) {
            ident = cdl_strndup(e->doc, text_get(&whole), whole.len);
            text_free(&whole);
            break;
        }
        text_free(&whole);
    }
    e->used = cdl_push(e->doc, e->used, e->nused, sizeof *e->used);
    e->used[e->nused++] = ident;
    ident = cdl_strndup(e->doc, ident, strlen(ident) - strlen(suffix));
    text_free(&t);
    return ident;
}

static void name_group(struct emitter *e, struct cdl_group *g)
{
    g->ident = new_ident(e, g->parent, g->parent ? g->name : e->doc->name, "_grp");
    for (size_t i = 0; i < g->ntypes; i++)
        g->type[i]->ident = new_ident(e, g, g->type[i]->t.name, "");
    for (size_t i = 0; i < g->ndims; i++)
        g->dim[i]->ident = new_ident(e, g, g->dim[i]->name, "_dim");
    for (size_t i = 0; i < g->nvars; i++)
        g->var[i]->ident = new_ident(e, g, g->var[i]->name, "_id");
    for (size_t i = 0; i < g->nchildren; i++)
        name_group(e, g->child[i]);
}

void emit_group_id(struct emitter *e, const struct cdl_group *g)
{
    if (e->classic)
        emit(e, "ncid");
    else
        emit(e, "%s_grp", g->ident);
}

void emit_field(struct emitter *e, const struct type *t, const char *name)
{
    struct text ident = {0};

    cdl_put_ident(&ident, name, "PERIOD");
    emit(e, "%s_PERIOD_%s", ((const struct cdl_type *)t)->ident, text_get(&ident));
    text_free(&ident);
}

/* --- every group, parents first ----------------------------------------------------------- */
void emit_each(struct emitter *e, struct cdl_group *g, emit_group *visit)
{
    visit(e, g);
    for (size_t i = 0; i < g->nchildren; i++)
        emit_each(e, g->child[i], visit);
}

/* Whether some group has objects of the kind, told by the offset of their number. */
static bool any(const struct cdl_group *g, size_t offset)
{
    bool found = *(const size_t *)((const char *)g + offset) > 0;

    for (size_t i = 0; !found && i < g->nchildren; i++)
        found = any(g->child[i], offset);
    return found;
}

static void section(struct emitter *e, const char *title, emit_group *visit)
{
    emit(e, "\n    /* %s */\n", title);
    emit_each(e, e->doc->root, visit);
}

/* --- before main: typedefs and what filters need -------------------------------------------- */
static void declare_type(struct emitter *e, const struct cdl_type *type)
{
    const struct type *t = &type->t;

    emit(e, "typedef ");
    switch (t->kind) {
    case NC_COMPOUND:
        emit(e, "struct %s {\n", type->ident);
        for (size_t i = 0; i < t->nfields; i++) {
            emit(e, "    ");
            cdl_emit_type(e->out, t->field[i].type);
            emit(e, " ");
            emit_field(e, t, t->field[i].name);
            emit(e, t->field[i].ndims ? "[%zu];\n" : ";\n", t->field[i].count);
        }
        emit(e, "} %s;\n", type->ident);
        break;
    case NC_VLEN: emit(e, "nc_vlen_t %s;\n", type->ident); break;
    case NC_ENUM:
        cdl_emit_type(e->out, t->base);
        emit(e, " %s;\n", type->ident);
        break;
    default: emit(e, "unsigned char %s[%zu];\n", type->ident, t->size);
    }
}

static void declare_types(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ntypes; i++)
        declare_type(e, g->type[i]);
}

/* The chain as ids and parameters; false: names or JSON, which the library reads itself. */
bool emit_parse_chain(const char *text, size_t *n, struct NC_H5_Filterspec ***list)
{
    int format = 0;

    return text && *text >= '0' && *text <= '9' && ncaux_h5filterspec_parselist(text, &format, n, list) == NC_NOERR;
}

void emit_free_chain(struct NC_H5_Filterspec **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ncaux_h5filterspec_free(list[i]);
    free(list);
}

static void declare_params(struct emitter *e, const struct cdl_var *v)
{
    NC_H5_Filterspec **list = NULL;
    size_t n = 0;

    if (!emit_parse_chain(v->storage.filter, &n, &list))
        return;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < list[i]->nparams; k++)
            if (k)
                emit(e, ", %uU", list[i]->params[k]);
            else
                emit(e, "static unsigned int %s_%zu_filterparams[%zu] = {%uU", v->ident, i, list[i]->nparams,
                     list[i]->params[k]);
        emit(e, list[i]->nparams ? "} ;\n" : "");
    }
    emit_free_chain(list, n);
}

static void declare_storage(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++) {
        const struct cdl_var *v = g->var[i];
        if (v->storage.chunk) {
            emit(e, "static size_t %s_chunksizes[%zu] = {", v->ident, v->storage.nchunks);
            for (size_t k = 0; k < v->storage.nchunks; k++)
                emit(e, "%s%zu", k ? ", " : "", v->storage.chunk[k]);
            emit(e, "} ;\n");
        }
        declare_params(e, v);
    }
}

static bool stores_specially(const struct cdl_group *g, bool by_name)
{
    bool found = false;

    for (size_t i = 0; !found && i < g->nvars; i++) {
        const struct cdl_storage *s = &g->var[i]->storage;
        bool named = s->codecs || (s->filter && !(*s->filter >= '0' && *s->filter <= '9'));
        found = by_name ? named : s->chunk || s->filter;
    }
    for (size_t i = 0; !found && i < g->nchildren; i++)
        found = stores_specially(g->child[i], by_name);
    return found;
}

/* --- ids -------------------------------------------------------------------------------------- */
static void declare_group_id(struct emitter *e, struct cdl_group *g)
{
    emit(e, "    int %s_grp;\n", g->ident);
}

static void declare_type_ids(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ntypes; i++)
        emit(e, "    int %s_typ;\n", g->type[i]->ident);
}

static void declare_dim_ids(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ndims; i++)
        emit(e, "    int %s_dim;\n", g->dim[i]->ident);
}

static void declare_lengths(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->ndims; i++)
        if (g->dim[i]->unlimited)
            emit(e, "    size_t %s_len = NC_UNLIMITED;\n", g->dim[i]->ident);
        else
            emit(e, "    size_t %s_len = %zu;\n", g->dim[i]->ident, g->dim[i]->len);
}

static void declare_var_ids(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++)
        emit(e, "    int %s_id;\n", g->var[i]->ident);
}

static void declare_ranks(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++)
        emit(e, "#   define RANK_%s %d\n", g->var[i]->ident, g->var[i]->ndims);
}

static void declare_shapes(struct emitter *e, struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++)
        if (g->var[i]->ndims)
            emit(e, "    int %s_dims[RANK_%s];\n", g->var[i]->ident, g->var[i]->ident);
}

static bool has_shapes(const struct cdl_group *g)
{
    bool found = false;

    for (size_t i = 0; !found && i < g->nvars; i++)
        found = g->var[i]->ndims > 0;
    for (size_t i = 0; !found && i < g->nchildren; i++)
        found = has_shapes(g->child[i]);
    return found;
}

static void declare_ids(struct emitter *e)
{
    const struct cdl_group *root = e->doc->root;

    emit(e, "\n    int  stat;  /* return status */\n    int  ncid;  /* netCDF id */\n");
    if (!e->classic)
        section(e, "group ids", declare_group_id);
    if (any(root, offsetof(struct cdl_group, ntypes)))
        section(e, "type ids", declare_type_ids);
    if (any(root, offsetof(struct cdl_group, ndims))) {
        section(e, "dimension ids", declare_dim_ids);
        section(e, "dimension lengths", declare_lengths);
    }
    if (any(root, offsetof(struct cdl_group, nvars))) {
        section(e, "variable ids", declare_var_ids);
        section(e, "rank (number of dimensions) for each variable", declare_ranks);
    }
    if (has_shapes(root))
        section(e, "variable shapes", declare_shapes);
}

/* --- the program ----------------------------------------------------------------------------------- */
static void emit_head(struct emitter *e)
{
    const struct cdl_group *root = e->doc->root;

    emit(e, "#include <stdio.h>\n#include <stdlib.h>\n#include <netcdf.h>\n");
    if (stores_specially(root, true))
        emit(e, "#include <cellar.h> /* filters by name */\n");
    emit(e, "\n\n");
    emit_each(e, e->doc->root, declare_types);
    emit(e, any(root, offsetof(struct cdl_group, ntypes)) ? "\n" : "");
    emit_each(e, e->doc->root, declare_storage);
    emit(e, stores_specially(root, false) ? "\n" : "");
    emit(e, "void\ncheck_err(const int stat, int line, const char* file, const char* func) {\n"
            "    if (stat != NC_NOERR) {\n"
            "        (void)fprintf(stderr,\"line %%d of %%s.%%s: %%s\\n\", line, file, func, nc_strerror(stat));\n"
            "        fflush(stderr);\n        exit(1);\n    }\n}\n\n"
            "#define CHECK_ERR(err) check_err(err, __LINE__, __FILE__, __func__)\n\n");
}

static void emit_create(struct emitter *e, const char *path, int mode)
{
    static const struct {
        int bit;
        const char *name;
    } bits[] = {{NC_64BIT_OFFSET, "NC_64BIT_OFFSET"},
                {NC_64BIT_DATA, "NC_64BIT_DATA"},
                {NC_NETCDF4, "NC_NETCDF4"},
                {NC_CLASSIC_MODEL, "NC_CLASSIC_MODEL"}};

    emit(e, "\n    /* enter define mode */\n    stat = nc_create(");
    emit_name(e, path);
    emit(e, ", NC_CLOBBER");
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (mode & bits[i].bit)
            emit(e, "|%s", bits[i].name);
    emit(e, ", &ncid);\n    CHECK_ERR(stat);\n");
}

void cdl_emit_c(struct cdl_doc *doc, const char *path, const char *main_name, const struct cdl_build_options *opt,
                FILE *out)
{
    struct emitter e = {.doc = doc, .out = out, .data = !opt->header_only};

    e.classic = !(opt->mode & NC_NETCDF4) || opt->mode & NC_CLASSIC_MODEL;
    name_group(&e, doc->root);
    emit_head(&e);
    emit(&e, "int\n%s() {/* create %s */\n", main_name, strstr(path, "*/") ? "the file" : path);
    declare_ids(&e);
    emit_create(&e, path, opt->mode);
    if (opt->no_fill)
        emit(&e, "    stat = nc_set_fill(ncid, NC_NOFILL, NULL);\n    CHECK_ERR(stat);\n");
    emit_definitions(&e);
    emit(&e, "\n    /* leave define mode */\n    stat = nc_enddef (");
    emit_group_id(&e, doc->root);
    emit(&e, ");\n    CHECK_ERR(stat);\n\n    /* assign variable data */\n\n");
    if (e.data)
        emit_data(&e);
    emit(&e, "    stat = nc_close(");
    emit_group_id(&e, doc->root);
    emit(&e, ");\n    CHECK_ERR(stat);\n    return 0;\n}\n");
}
