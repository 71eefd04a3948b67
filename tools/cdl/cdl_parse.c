/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokens -> document. Recursive descent with one token of look-ahead; every name
 * is looked up where it is met. */

#include "cdl_parse.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 200 }; /* of groups and of braces */

/* --- values --------------------------------------------------------------------------------- */
static bool is_real_word(const char *name)
{
    static const char *const word[] = {"nan", "nanf", "inf", "inff", "infinity", "infinityf"};

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcasecmp(word[i], name) == 0)
            return true;
    return false;
}

/* A name where a value is wanted: a number that is no number, _, NIL, or a member of an enum. */
static void name_value(struct cdl_lex *lx, struct cdl_const *out)
{
    size_t len = strlen(lx->name);

    *out = (struct cdl_const){.kind = CDL_NAME, .where = lx->where, .word = lx->name};
    if (strcmp(lx->name, "_") == 0) {
        out->kind = CDL_FILL;
    } else if (strcasecmp(lx->name, "NIL") == 0) {
        out->kind = CDL_NIL;
    } else if (is_real_word(lx->name)) {
        out->kind = CDL_REAL;
        out->type = (lx->name[len - 1] | 32) == 'f' && len > 3 ? NC_FLOAT : NC_DOUBLE;
        out->v.real = (lx->name[0] | 32) == 'n' ? __builtin_nan("") : __builtin_inf();
    } else {
        out->v.text.s = lx->name;
        out->v.text.len = len;
    }
}

static bool parse_list(struct cdl_lex *lx, struct cdl_list *out, int depth);

static bool parse_value(struct cdl_lex *lx, struct cdl_const *out, int depth)
{
    if (cdl_at_punct(lx, '{')) {
        *out = (struct cdl_const){.kind = CDL_LIST, .where = lx->where};
        if (depth > DEPTH_MAX)
            return cdl_fail(lx->doc, lx->where, "braces are nested more than %d deep", DEPTH_MAX);
        cdl_lex_next(lx);
        if (!cdl_at_punct(lx, '}') && !parse_list(lx, &out->v.list, depth + 1))
            return false;
        return cdl_expect(lx, '}');
    }
    if (lx->tok == TOK_CONST)
        *out = lx->value;
    else if (lx->tok == TOK_NAME)
        name_value(lx, out);
    else
        return cdl_lex_expected(lx, "a value");
    cdl_lex_next(lx);
    return !cdl_failed(lx->doc);
}

static bool parse_list(struct cdl_lex *lx, struct cdl_list *out, int depth)
{
    struct cdl_const *at = NULL;
    size_t n = 0;
    bool ok = true;

    do {
        at = tool_push(at, n, sizeof *at);
        ok = parse_value(lx, &at[n], depth);
        n += ok;
    } while (ok && cdl_accept(lx, ','));
    out->at = cdl_alloc(lx->doc, n, sizeof *at);
    out->n = n;
    memcpy(out->at, at, n * sizeof *at);
    free(at);
    return ok;
}

/* --- dimensions ------------------------------------------------------------------------------------ */
/* Behind the name. */
static bool parse_dim(struct cdl_lex *lx, struct cdl_group *g, char *name, struct cdl_place at)
{
    struct cdl_dim *d = cdl_alloc(lx->doc, 1, sizeof *d);
    long long len = 0;

    d->where = at;
    d->name = name;
    if (cdl_dim_in(g, name))
        return cdl_fail(lx->doc, at, "dimension %s is already defined", name);
    if (!cdl_expect(lx, '='))
        return false;
    d->unlimited = lx->tok == TOK_NAME && strcasecmp(lx->name, "unlimited") == 0;
    if (d->unlimited)
        cdl_lex_next(lx);
    else if (!cdl_expect_int(lx, "a length or unlimited", 0, &len))
        return false;
    d->len = (size_t)len;
    g->dim = cdl_push(lx->doc, g->dim, g->ndims, sizeof *g->dim);
    g->dim[g->ndims++] = d;
    return true;
}

/* Where there are no variables, "type :a =" stands among the dimensions. */
static bool parse_dims(struct cdl_lex *lx, struct cdl_group *g)
{
    bool first = true;

    do {
        struct cdl_place at = lx->where;
        const char *keyword = lx->doc->keyword;
        char *name = cdl_expect_own_name(lx, "the name of a dimension");
        if (name && first && cdl_accept(lx, ':')) {
            lx->doc->keyword = keyword; /* the name is that of a type */
            return cdl_parse_named_att(lx, g, name, at);
        }
        if (!name || !parse_dim(lx, g, name, at))
            return false;
        first = false;
    } while (cdl_accept(lx, ','));
    return cdl_expect(lx, ';');
}

/* --- attributes and variables --------------------------------------------------------------------- */
/* Behind the colon. _Filter may be given again: each adds to the chain. */
static bool parse_att(struct cdl_lex *lx, struct cdl_atts *atts, const struct type *type, const char *owner)
{
    struct cdl_att *a = cdl_alloc(lx->doc, 1, sizeof *a);

    a->where = lx->where;
    a->type = type;
    a->name = cdl_expect_own_name(lx, "the name of an attribute");
    if (!a->name || !cdl_expect(lx, '='))
        return false;
    for (size_t i = 0; i < atts->n; i++)
        if (cdl_names_match(atts->at[i]->name, a->name) && strcmp(a->name, "_Filter") != 0)
            return cdl_fail(lx->doc, a->where, "attribute %s:%s is already defined", owner, a->name);
    if (!cdl_at_punct(lx, ';') && !parse_list(lx, &a->list, 0))
        return false;
    atts->at = cdl_push(lx->doc, atts->at, atts->n, sizeof *atts->at);
    atts->at[atts->n++] = a;
    return cdl_expect(lx, ';');
}

static bool parse_var_att(struct cdl_lex *lx, struct cdl_group *g, const struct type *type, const char *name,
                          struct cdl_place at)
{
    struct cdl_var *v = cdl_find_var(lx->doc, g, name);

    if (!v)
        return cdl_no_such_var(lx->doc, g, at, name);
    return parse_att(lx, &v->atts, type, v->name);
}

static bool parse_var_dims(struct cdl_lex *lx, struct cdl_group *g, struct cdl_var *v)
{
    do {
        struct cdl_place at = lx->where;
        char *name = cdl_expect_name(lx, "the name of a dimension");
        struct cdl_dim *d = name ? cdl_find_dim(lx->doc, g, name) : NULL;
        if (!d)
            return name ? cdl_no_such_dim(lx->doc, g, at, name) : false;
        if (v->ndims >= NC_MAX_VAR_DIMS)
            return cdl_fail(lx->doc, at, "variable %s has more than %d dimensions", v->name, NC_MAX_VAR_DIMS);
        v->dim = cdl_push(lx->doc, v->dim, (size_t)v->ndims, sizeof *v->dim);
        v->dim[v->ndims++] = d;
    } while (cdl_accept(lx, ','));
    return cdl_expect(lx, ')');
}

static bool parse_var(struct cdl_lex *lx, struct cdl_group *g, const struct type *type, char *name, struct cdl_place at)
{
    struct cdl_var *v = cdl_alloc(lx->doc, 1, sizeof *v);

    for (size_t i = 0; i < g->nvars; i++)
        if (cdl_names_match(g->var[i]->name, name))
            return cdl_fail(lx->doc, at, "variable %s is already defined", name);
    v->name = name;
    v->type = type;
    v->where = at;
    g->var = cdl_push(lx->doc, g->var, g->nvars, sizeof *g->var);
    g->var[g->nvars++] = v;
    return !cdl_accept(lx, '(') || parse_var_dims(lx, g, v);
}

/* Behind "type name": further variables of the type. */
static bool parse_more_vars(struct cdl_lex *lx, struct cdl_group *g, const struct type *type)
{
    while (cdl_accept(lx, ',')) {
        struct cdl_place at = lx->where;
        char *name = cdl_expect_own_name(lx, "the name of a variable");
        if (!name || !parse_var(lx, g, type, name, at))
            return false;
    }
    return cdl_expect(lx, ';');
}

/* "v:a =" or "type :a =", behind the colon. */
bool cdl_parse_named_att(struct cdl_lex *lx, struct cdl_group *g, const char *first, struct cdl_place at)
{
    const struct type *type = cdl_find_var(lx->doc, g, first) ? NULL : cdl_find_type(lx->doc, g, first);

    if (type)
        return parse_att(lx, &g->atts, type, "");
    return parse_var_att(lx, g, NULL, first, at);
}

/* ":a =", "v:a =", "type :a =", "type v:a =" or "type v(dims), w;" */
static bool parse_var_or_att(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_place first_at = lx->where, at;
    const struct type *type;
    char *first, *name;

    if (cdl_accept(lx, ':'))
        return parse_att(lx, &g->atts, NULL, "");
    first = cdl_expect_name(lx, "a variable or an attribute");
    if (!first)
        return false;
    if (cdl_accept(lx, ':'))
        return cdl_parse_named_att(lx, g, first, first_at);
    type = cdl_find_type(lx->doc, g, first);
    if (!type)
        return cdl_no_such_type(lx->doc, g, first_at, first);
    at = lx->where;
    name = cdl_expect_own_name(lx, "the name of a variable");
    if (!name)
        return false;
    if (cdl_accept(lx, ':'))
        return parse_var_att(lx, g, type, name, at);
    return parse_var(lx, g, type, name, at) && parse_more_vars(lx, g, type);
}

/* --- data --------------------------------------------------------------------------------------------- */
static bool parse_data(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    char *name = cdl_expect_own_name(lx, "the name of a variable");
    struct cdl_var *v = name ? cdl_find_var(lx->doc, g, name) : NULL;

    if (!v)
        return name ? cdl_no_such_var(lx->doc, g, at, name) : false;
    if (v->has_data)
        return cdl_fail(lx->doc, at, "variable %s has its data already", name);
    if (!cdl_expect(lx, '='))
        return false;
    v->has_data = true;
    v->data_at = at;
    if (!cdl_at_punct(lx, ';') && !parse_list(lx, &v->data, 0))
        return false;
    return cdl_expect(lx, ';');
}

/* --- groups --------------------------------------------------------------------------------------------- */
typedef bool parse_item(struct cdl_lex *lx, struct cdl_group *g);

static parse_item *section(const char *word)
{
    static const struct {
        const char *word;
        parse_item *item;
    } known[] = {
        {"types", cdl_parse_type}, {"dimensions", parse_dims}, {"variables", parse_var_or_att}, {"data", parse_data}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i].word, word) == 0)
            return known[i].item;
    return NULL;
}

static bool parse_body(struct cdl_lex *lx, struct cdl_group *g, int depth);

static bool parse_group(struct cdl_lex *lx, struct cdl_group *parent, int depth)
{
    struct cdl_group *g = cdl_alloc(lx->doc, 1, sizeof *g);
    struct cdl_place at = lx->where;

    g->parent = parent;
    g->name = cdl_expect_own_name(lx, "the name of a group");
    if (!g->name)
        return false;
    if (cdl_find_child(parent, g->name, strlen(g->name)))
        return cdl_fail(lx->doc, at, "group %s is already defined", g->name);
    if (depth > DEPTH_MAX)
        return cdl_fail(lx->doc, at, "groups are nested more than %d deep", DEPTH_MAX);
    parent->child = cdl_push(lx->doc, parent->child, parent->nchildren, sizeof *parent->child);
    parent->child[parent->nchildren++] = g;
    lx->doc->enhanced = true;
    return cdl_expect(lx, '{') && parse_body(lx, g, depth + 1);
}

static bool parse_body(struct cdl_lex *lx, struct cdl_group *g, int depth)
{
    parse_item *item = parse_var_or_att;
    bool ok = true;

    while (ok && !cdl_at_punct(lx, '}') && lx->tok != TOK_END) {
        if (lx->tok == TOK_SECTION) {
            bool group = strcasecmp(lx->name, "group") == 0;
            if (!group)
                item = section(lx->name);
            cdl_lex_next(lx);
            ok = !group || parse_group(lx, g, depth);
        } else if (cdl_at_punct(lx, ':')) {
            ok = parse_var_or_att(lx, g); /* global attributes may stand in any section */
        } else {
            ok = item(lx, g);
        }
    }
    return ok && cdl_expect(lx, '}');
}

bool cdl_parse(struct cdl_doc *doc, const char *file, const char *text, size_t len)
{
    struct cdl_lex lx;

    *doc = (struct cdl_doc){.file = file};
    doc->root = cdl_alloc(doc, 1, sizeof *doc->root);
    cdl_lex_start(&lx, doc, text, len);
    cdl_lex_next(&lx);
    if (lx.tok != TOK_NAME || strcmp(lx.name, "netcdf") != 0)
        return cdl_lex_expected(&lx, "\"netcdf NAME {\" at the start of a CDL text");
    doc->name = cdl_lex_dataset_name(&lx);
    cdl_lex_next(&lx);
    if (!cdl_expect(&lx, '{') || !parse_body(&lx, doc->root, 0))
        return false;
    return lx.tok == TOK_END || cdl_lex_expected(&lx, "nothing behind the last brace");
}
