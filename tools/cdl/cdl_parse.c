/* Tokens -> document. Recursive descent with one token of look-ahead; every name
 * is looked up where it is met. */

#include "cdl_lex.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 200 }; /* of groups and of braces */

/* --- memory and errors of a document -------------------------------------------- */
struct block {
    struct block *next;
    max_align_t data[];
};

void *cdl_alloc(struct cdl_doc *doc, size_t n, size_t size)
{
    struct block *b = tool_alloc(1, sizeof *b + n * size);

    b->next = doc->blocks;
    doc->blocks = b;
    return b->data;
}

char *cdl_strndup(struct cdl_doc *doc, const char *s, size_t len)
{
    char *copy = cdl_alloc(doc, len + 1, 1);

    memcpy(copy, s, len);
    return copy;
}

void *cdl_push(struct cdl_doc *doc, void *list, size_t n, size_t size)
{
    void *bigger;

    if (n & (n - 1))
        return list;
    bigger = cdl_alloc(doc, n ? 2 * n : 1, size);
    if (n)
        memcpy(bigger, list, n * size);
    return bigger;
}

void cdl_free(struct cdl_doc *doc)
{
    for (struct block *b = doc->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    text_free(&doc->error);
    *doc = (struct cdl_doc){0};
}

bool cdl_failed(const struct cdl_doc *doc)
{
    return doc->error.len > 0;
}

bool cdl_fail(struct cdl_doc *doc, struct cdl_place at, const char *fmt, ...)
{
    va_list ap;

    if (cdl_failed(doc))
        return false;
    if (at.line)
        text_printf(&doc->error, "%s:%d:%d: ", doc->file, at.line, at.column);
    else
        text_printf(&doc->error, "%s: ", doc->file);
    va_start(ap, fmt);
    text_vprintf(&doc->error, fmt, ap);
    va_end(ap);
    return false;
}

/* --- small steps -------------------------------------------------------------------- */
static bool at_punct(const struct cdl_lex *lx, char c)
{
    return lx->tok == TOK_PUNCT && lx->punct == c;
}

static bool accept(struct cdl_lex *lx, char c)
{
    if (!at_punct(lx, c))
        return false;
    cdl_lex_next(lx);
    return true;
}

static bool expect(struct cdl_lex *lx, char c)
{
    char what[] = "'?'";

    if (accept(lx, c))
        return true;
    what[1] = c;
    return cdl_lex_expected(lx, what);
}

static char *expect_name(struct cdl_lex *lx, const char *what)
{
    char *name = lx->name;

    if (lx->tok != TOK_NAME) {
        cdl_lex_expected(lx, what);
        return NULL;
    }
    cdl_lex_next(lx);
    return name;
}

static bool expect_int(struct cdl_lex *lx, const char *what, long long lo, long long *out)
{
    if (lx->tok != TOK_CONST || !cdl_const_int(&lx->value, out))
        return cdl_lex_expected(lx, what);
    if (*out < lo)
        return cdl_fail(lx->doc, lx->where, "expected %s, not %lld", what, *out);
    cdl_lex_next(lx);
    return true;
}

static bool names_match(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* --- looking names up ------------------------------------------------------------------ */
static struct cdl_group *find_child(const struct cdl_group *g, const char *name, size_t len)
{
    for (size_t i = 0; i < g->nchildren; i++)
        if (strlen(g->child[i]->name) == len && strncmp(g->child[i]->name, name, len) == 0)
            return g->child[i];
    return NULL;
}

/* The group a path begins in, and what is left of it: "/a/b/t" gives group b and "t". */
static const struct cdl_group *walk_to(const struct cdl_doc *doc, const struct cdl_group *g, const char *path,
                                       const char **last)
{
    if (*path == '/') {
        g = doc->root;
        path++;
    }
    for (const char *slash; g && (slash = strchr(path, '/')); path = slash + 1)
        g = find_child(g, path, (size_t)(slash - path));
    *last = path;
    return g;
}

static const struct type *type_in(const struct cdl_group *g, const char *name)
{
    for (size_t i = 0; i < g->ntypes; i++)
        if (names_match(g->type[i]->t.name, name))
            return &g->type[i]->t;
    return NULL;
}

static const struct type *type_below(const struct cdl_group *g, const char *name)
{
    const struct type *t = type_in(g, name);

    for (size_t i = 0; !t && i < g->nchildren; i++)
        t = type_below(g->child[i], name);
    return t;
}

static const struct type *atomic_type(const char *name)
{
    static const struct {
        const char *alias, *name;
    } alias[] = {{"long", "int"}, {"integer", "int"}, {"real", "float"}};
    char lower[16] = "";

    if (strlen(name) >= sizeof lower)
        return NULL;
    for (size_t i = 0; name[i]; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    if (strcmp(name, lower) != 0)
        for (size_t i = 0; name[i]; i++)
            if (name[i] >= 'a' && name[i] <= 'z')
                return NULL; /* INT and int are types, Int is a name */
    for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
        if (names_match(alias[i].alias, lower))
            return types_atomic_by_name(alias[i].name);
    return types_atomic_by_name(lower);
}

/* In the group, then the groups around it, then anywhere. */
static const struct type *find_type(const struct cdl_doc *doc, const struct cdl_group *g, const char *path)
{
    const struct type *t = strchr(path, '/') ? NULL : atomic_type(path);
    const char *last;

    if (t)
        return t;
    if (strchr(path, '/')) {
        g = walk_to(doc, g, path, &last);
        return g ? type_in(g, last) : NULL;
    }
    for (const struct cdl_group *up = g; up && !t; up = up->parent)
        t = type_in(up, path);
    return t ? t : type_below(doc->root, path);
}

static struct cdl_dim *dim_in(const struct cdl_group *g, const char *name)
{
    for (size_t i = 0; i < g->ndims; i++)
        if (names_match(g->dim[i]->name, name))
            return g->dim[i];
    return NULL;
}

static struct cdl_dim *find_dim(const struct cdl_doc *doc, const struct cdl_group *g, const char *path)
{
    struct cdl_dim *d = NULL;
    const char *last;

    if (strchr(path, '/')) {
        g = walk_to(doc, g, path, &last);
        return g ? dim_in(g, last) : NULL;
    }
    for (; g && !d; g = g->parent)
        d = dim_in(g, path);
    return d;
}

static struct cdl_var *find_var(const struct cdl_doc *doc, const struct cdl_group *g, const char *path)
{
    const char *last;

    g = walk_to(doc, g, path, &last);
    for (size_t i = 0; g && i < g->nvars; i++)
        if (names_match(g->var[i]->name, last))
            return g->var[i];
    return NULL;
}

/* ": did you mean X?" for a name that is not there. */
static const char *hint(struct cdl_doc *doc, const char *name, const char *const *names, size_t n)
{
    const char *near = msg_nearest(name, names, n);
    struct text t = {0};
    char *copy;

    if (near)
        text_printf(&t, ": did you mean %s?", near);
    copy = cdl_strndup(doc, text_get(&t), t.len);
    text_free(&t);
    return copy;
}

static bool no_such_var(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name)
{
    const char **names = cdl_alloc(doc, g->nvars + 1, sizeof *names);

    for (size_t i = 0; i < g->nvars; i++)
        names[i] = g->var[i]->name;
    return cdl_fail(doc, at, "no variable named %s in this group%s", name, hint(doc, name, names, g->nvars));
}

static bool no_such_dim(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name)
{
    const char **names = NULL;
    size_t n = 0;

    for (; g; g = g->parent)
        for (size_t i = 0; i < g->ndims; i++) {
            names = cdl_push(doc, names, n, sizeof *names);
            names[n++] = g->dim[i]->name;
        }
    return cdl_fail(doc, at, "no dimension named %s%s", name, hint(doc, name, names, n));
}

static bool no_such_type(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at,
                         const char *name)
{
    const char **names = NULL;
    size_t n = 0;

    for (nc_type id = NC_BYTE; id <= NC_STRING; id++) {
        names = cdl_push(doc, names, n, sizeof *names);
        names[n++] = types_atomic(id)->name;
    }
    for (; g; g = g->parent)
        for (size_t i = 0; i < g->ntypes; i++) {
            names = cdl_push(doc, names, n, sizeof *names);
            names[n++] = g->type[i]->t.name;
        }
    return cdl_fail(doc, at, "no type named %s%s", name, hint(doc, name, names, n));
}

static const struct type *expect_type(struct cdl_lex *lx, const struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    char *name = expect_name(lx, "a type");
    const struct type *t = name ? find_type(lx->doc, g, name) : NULL;

    if (name && !t)
        no_such_type(lx->doc, g, at, name);
    return t;
}

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

    *out = (struct cdl_const){.kind = CDL_NAME, .where = lx->where};
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
    if (at_punct(lx, '{')) {
        *out = (struct cdl_const){.kind = CDL_LIST, .where = lx->where};
        if (depth > DEPTH_MAX)
            return cdl_fail(lx->doc, lx->where, "braces are nested more than %d deep", DEPTH_MAX);
        cdl_lex_next(lx);
        if (!at_punct(lx, '}') && !parse_list(lx, &out->v.list, depth + 1))
            return false;
        return expect(lx, '}');
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
    } while (ok && accept(lx, ','));
    out->at = cdl_alloc(lx->doc, n, sizeof *at);
    out->n = n;
    memcpy(out->at, at, n * sizeof *at);
    free(at);
    return ok;
}

/* --- types -------------------------------------------------------------------------------------- */
static struct cdl_type *add_type(struct cdl_lex *lx, struct cdl_group *g, int kind, const char *name,
                                 struct cdl_place at)
{
    struct cdl_type *t = cdl_alloc(lx->doc, 1, sizeof *t);

    if (!name)
        return NULL;
    if (strlen(name) > NC_MAX_NAME) {
        cdl_fail(lx->doc, at, "the name of this type is longer than %d bytes", NC_MAX_NAME);
        return NULL;
    }
    if (type_in(g, name) || atomic_type(name)) {
        cdl_fail(lx->doc, at, "type %s is already defined", name);
        return NULL;
    }
    t->where = at;
    t->t.kind = kind;
    t->t.group = 0;
    strcpy(t->t.name, name);
    g->type = cdl_push(lx->doc, g->type, g->ntypes, sizeof *g->type);
    g->type[g->ntypes++] = t;
    lx->doc->enhanced = true;
    return t;
}

static size_t alignment(const struct type *t)
{
    size_t most = 1;

    if (t->kind == NC_VLEN || t->kind == NC_STRING)
        return sizeof(void *);
    if (t->kind == NC_OPAQUE)
        return 1;
    if (t->kind != NC_COMPOUND)
        return t->size;
    for (size_t i = 0; i < t->nfields; i++)
        if (alignment(t->field[i].type) > most)
            most = alignment(t->field[i].type);
    return most;
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool parse_field_dims(struct cdl_lex *lx, struct type_field *f)
{
    long long len;

    f->count = 1;
    if (!accept(lx, '('))
        return true;
    do {
        if (!expect_int(lx, "the length of an array in a compound", 1, &len))
            return false;
        if (f->ndims >= 32 || len > INT32_MAX || f->count > SIZE_MAX / 1024 / (size_t)len)
            return cdl_fail(lx->doc, lx->where, "the array %s is too large for a compound", f->name);
        f->dims[f->ndims++] = (int)len;
        f->count *= (size_t)len;
    } while (accept(lx, ','));
    return expect(lx, ')');
}

static bool parse_field(struct cdl_lex *lx, struct type *t, const struct type *of)
{
    struct cdl_place at = lx->where;
    char *name = expect_name(lx, "the name of a field");
    struct type_field *f;

    if (!name)
        return false;
    for (size_t i = 0; i < t->nfields; i++)
        if (names_match(t->field[i].name, name))
            return cdl_fail(lx->doc, at, "compound %s already has a field %s", t->name, name);
    if (strlen(name) > NC_MAX_NAME)
        return cdl_fail(lx->doc, at, "the name of this field is longer than %d bytes", NC_MAX_NAME);
    t->field = cdl_push(lx->doc, t->field, t->nfields, sizeof *t->field);
    f = &t->field[t->nfields];
    memset(f, 0, sizeof *f);
    strcpy(f->name, name);
    f->type = of;
    t->nfields++;
    if (!parse_field_dims(lx, f))
        return false;
    f->offset = round_up(t->size, alignment(of));
    t->size = f->offset + f->count * of->size;
    t->has_pointers = t->has_pointers || of->has_pointers;
    return true;
}

static bool parse_compound(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    struct cdl_type *t = add_type(lx, g, NC_COMPOUND, expect_name(lx, "the name of a compound type"), at);

    if (!t || !expect(lx, '{'))
        return false;
    while (!at_punct(lx, '}')) {
        const struct type *of = expect_type(lx, g);
        if (of == &t->t)
            return cdl_fail(lx->doc, lx->where, "compound %s cannot hold itself", t->t.name);
        do
            if (!of || !parse_field(lx, &t->t, of))
                return false;
        while (accept(lx, ','));
        if (!expect(lx, ';'))
            return false;
    }
    if (!t->t.nfields)
        return cdl_fail(lx->doc, lx->where, "compound %s has no fields", t->t.name);
    t->t.size = round_up(t->t.size, alignment(&t->t));
    return expect(lx, '}');
}

static bool parse_member(struct cdl_lex *lx, struct type *t)
{
    struct type_member *m;
    struct cdl_place at = lx->where;
    char *name = expect_name(lx, "the name of an enum member");

    if (!name || !expect(lx, '='))
        return false;
    if (strlen(name) > NC_MAX_NAME)
        return cdl_fail(lx->doc, at, "the name of this member is longer than %d bytes", NC_MAX_NAME);
    t->member = cdl_push(lx->doc, t->member, t->nmembers, sizeof *t->member);
    m = &t->member[t->nmembers++];
    strcpy(m->name, name);
    if (lx->tok != TOK_CONST || (lx->value.kind != CDL_INT && lx->value.kind != CDL_BYTE))
        return cdl_lex_expected(lx, "a whole number");
    if (!cdl_convert(lx->doc, t->base, &lx->value, (char *)m->value))
        return false;
    cdl_lex_next(lx);
    return true;
}

static bool parse_enum(struct cdl_lex *lx, struct cdl_group *g, const struct type *base)
{
    struct cdl_place at = lx->where;
    struct cdl_type *t = add_type(lx, g, NC_ENUM, expect_name(lx, "the name of an enum type"), at);

    if (!t || !expect(lx, '{'))
        return false;
    if (base->group >= 0 || base->kind == NC_FLOAT || base->kind == NC_DOUBLE || base->kind == NC_CHAR ||
        base->kind == NC_STRING)
        return cdl_fail(lx->doc, at, "an enum is kept in a whole-number type, not in %s", base->name);
    t->t.base = base;
    t->t.size = base->size;
    do
        if (!parse_member(lx, &t->t))
            return false;
    while (accept(lx, ','));
    return expect(lx, '}');
}

static bool parse_opaque(struct cdl_lex *lx, struct cdl_group *g)
{
    long long size;
    struct cdl_place at;
    struct cdl_type *t;

    if (!expect(lx, '(') || !expect_int(lx, "the size of an opaque type in bytes", 1, &size) ||
        !expect(lx, ')'))
        return false;
    at = lx->where;
    if (size > INT32_MAX)
        return cdl_fail(lx->doc, at, "an opaque type of %lld bytes is too large", size);
    t = add_type(lx, g, NC_OPAQUE, expect_name(lx, "the name of an opaque type"), at);
    if (t)
        t->t.size = (size_t)size;
    return t != NULL;
}

static bool parse_vlen(struct cdl_lex *lx, struct cdl_group *g, const struct type *base)
{
    struct cdl_place at;
    struct cdl_type *t;

    if (!expect(lx, '(') || !expect(lx, '*') || !expect(lx, ')'))
        return false;
    at = lx->where;
    t = add_type(lx, g, NC_VLEN, expect_name(lx, "the name of a variable-length type"), at);
    if (!t)
        return false;
    t->t.base = base;
    t->t.size = sizeof(nc_vlen_t);
    t->t.has_pointers = true;
    return true;
}

static bool parse_named_att(struct cdl_lex *lx, struct cdl_group *g, const char *first, struct cdl_place at);

static bool parse_type(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    char *word = expect_name(lx, "a type definition");
    const struct type *base;
    bool ok;

    if (!word)
        return false;
    if (names_match(word, "compound")) {
        ok = parse_compound(lx, g);
    } else if (names_match(word, "opaque")) {
        ok = parse_opaque(lx, g);
    } else if (names_match(word, "enum")) {
        ok = parse_enum(lx, g, types_atomic(NC_INT));
    } else {
        if (accept(lx, ':')) /* an attribute among the types */
            return parse_named_att(lx, g, word, at);
        base = find_type(lx->doc, g, word);
        if (!base)
            return no_such_type(lx->doc, g, at, word);
        if (lx->tok == TOK_NAME && names_match(lx->name, "enum")) {
            cdl_lex_next(lx);
            ok = parse_enum(lx, g, base);
        } else {
            ok = parse_vlen(lx, g, base);
        }
    }
    accept(lx, ';'); /* may be left out behind a brace */
    return ok;
}

/* --- dimensions ------------------------------------------------------------------------------------ */
static bool parse_dim(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_dim *d = cdl_alloc(lx->doc, 1, sizeof *d);
    long long len = 0;

    d->where = lx->where;
    d->name = expect_name(lx, "the name of a dimension");
    if (!d->name)
        return false;
    if (dim_in(g, d->name))
        return cdl_fail(lx->doc, d->where, "dimension %s is already defined", d->name);
    if (!expect(lx, '='))
        return false;
    d->unlimited = lx->tok == TOK_NAME && strcasecmp(lx->name, "unlimited") == 0;
    if (d->unlimited)
        cdl_lex_next(lx);
    else if (!expect_int(lx, "a length or unlimited", 0, &len))
        return false;
    d->len = (size_t)len;
    g->dim = cdl_push(lx->doc, g->dim, g->ndims, sizeof *g->dim);
    g->dim[g->ndims++] = d;
    return true;
}

static bool parse_dims(struct cdl_lex *lx, struct cdl_group *g)
{
    do
        if (!parse_dim(lx, g))
            return false;
    while (accept(lx, ','));
    return expect(lx, ';');
}

/* --- attributes and variables --------------------------------------------------------------------- */
/* Behind the colon. _Filter may be given again: each adds to the chain. */
static bool parse_att(struct cdl_lex *lx, struct cdl_atts *atts, const struct type *type, const char *owner)
{
    struct cdl_att *a = cdl_alloc(lx->doc, 1, sizeof *a);

    a->where = lx->where;
    a->type = type;
    a->name = expect_name(lx, "the name of an attribute");
    if (!a->name || !expect(lx, '='))
        return false;
    for (size_t i = 0; i < atts->n; i++)
        if (names_match(atts->at[i]->name, a->name) && strcmp(a->name, "_Filter") != 0)
            return cdl_fail(lx->doc, a->where, "attribute %s:%s is already defined", owner, a->name);
    if (!at_punct(lx, ';') && !parse_list(lx, &a->list, 0))
        return false;
    atts->at = cdl_push(lx->doc, atts->at, atts->n, sizeof *atts->at);
    atts->at[atts->n++] = a;
    return expect(lx, ';');
}

static bool parse_var_att(struct cdl_lex *lx, struct cdl_group *g, const struct type *type, const char *name,
                          struct cdl_place at)
{
    struct cdl_var *v = find_var(lx->doc, g, name);

    if (!v)
        return no_such_var(lx->doc, g, at, name);
    return parse_att(lx, &v->atts, type, v->name);
}

static bool parse_var_dims(struct cdl_lex *lx, struct cdl_group *g, struct cdl_var *v)
{
    do {
        struct cdl_place at = lx->where;
        char *name = expect_name(lx, "the name of a dimension");
        struct cdl_dim *d = name ? find_dim(lx->doc, g, name) : NULL;
        if (!d)
            return name ? no_such_dim(lx->doc, g, at, name) : false;
        if (v->ndims >= NC_MAX_VAR_DIMS)
            return cdl_fail(lx->doc, at, "variable %s has more than %d dimensions", v->name, NC_MAX_VAR_DIMS);
        v->dim = cdl_push(lx->doc, v->dim, (size_t)v->ndims, sizeof *v->dim);
        v->dim[v->ndims++] = d;
    } while (accept(lx, ','));
    return expect(lx, ')');
}

static bool parse_var(struct cdl_lex *lx, struct cdl_group *g, const struct type *type, char *name,
                      struct cdl_place at)
{
    struct cdl_var *v = cdl_alloc(lx->doc, 1, sizeof *v);

    for (size_t i = 0; i < g->nvars; i++)
        if (names_match(g->var[i]->name, name))
            return cdl_fail(lx->doc, at, "variable %s is already defined", name);
    v->name = name;
    v->type = type;
    v->where = at;
    g->var = cdl_push(lx->doc, g->var, g->nvars, sizeof *g->var);
    g->var[g->nvars++] = v;
    return !accept(lx, '(') || parse_var_dims(lx, g, v);
}

/* Behind "type name": further variables of the type. */
static bool parse_more_vars(struct cdl_lex *lx, struct cdl_group *g, const struct type *type)
{
    while (accept(lx, ',')) {
        struct cdl_place at = lx->where;
        char *name = expect_name(lx, "the name of a variable");
        if (!name || !parse_var(lx, g, type, name, at))
            return false;
    }
    return expect(lx, ';');
}

/* "v:a =" or "type :a =", behind the colon. */
static bool parse_named_att(struct cdl_lex *lx, struct cdl_group *g, const char *first, struct cdl_place at)
{
    const struct type *type = find_var(lx->doc, g, first) ? NULL : find_type(lx->doc, g, first);

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

    if (accept(lx, ':'))
        return parse_att(lx, &g->atts, NULL, "");
    first = expect_name(lx, "a variable or an attribute");
    if (!first)
        return false;
    if (accept(lx, ':'))
        return parse_named_att(lx, g, first, first_at);
    type = find_type(lx->doc, g, first);
    if (!type)
        return no_such_type(lx->doc, g, first_at, first);
    at = lx->where;
    name = expect_name(lx, "the name of a variable");
    if (!name)
        return false;
    if (accept(lx, ':'))
        return parse_var_att(lx, g, type, name, at);
    return parse_var(lx, g, type, name, at) && parse_more_vars(lx, g, type);
}

/* --- data --------------------------------------------------------------------------------------------- */
static bool parse_data(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    char *name = expect_name(lx, "the name of a variable");
    struct cdl_var *v = name ? find_var(lx->doc, g, name) : NULL;

    if (!v)
        return name ? no_such_var(lx->doc, g, at, name) : false;
    if (v->has_data)
        return cdl_fail(lx->doc, at, "variable %s has its data already", name);
    if (!expect(lx, '='))
        return false;
    v->has_data = true;
    v->data_at = at;
    if (!at_punct(lx, ';') && !parse_list(lx, &v->data, 0))
        return false;
    return expect(lx, ';');
}

/* --- groups --------------------------------------------------------------------------------------------- */
typedef bool parse_item(struct cdl_lex *lx, struct cdl_group *g);

static parse_item *section(const char *word)
{
    static const struct {
        const char *word;
        parse_item *item;
    } known[] = {{"types", parse_type},
                 {"dimensions", parse_dims},
                 {"variables", parse_var_or_att},
                 {"data", parse_data}};

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
    g->name = expect_name(lx, "the name of a group");
    if (!g->name)
        return false;
    if (find_child(parent, g->name, strlen(g->name)))
        return cdl_fail(lx->doc, at, "group %s is already defined", g->name);
    if (depth > DEPTH_MAX)
        return cdl_fail(lx->doc, at, "groups are nested more than %d deep", DEPTH_MAX);
    parent->child = cdl_push(lx->doc, parent->child, parent->nchildren, sizeof *parent->child);
    parent->child[parent->nchildren++] = g;
    lx->doc->enhanced = true;
    return expect(lx, '{') && parse_body(lx, g, depth + 1);
}

static bool parse_body(struct cdl_lex *lx, struct cdl_group *g, int depth)
{
    parse_item *item = parse_var_or_att;
    bool ok = true;

    while (ok && !at_punct(lx, '}') && lx->tok != TOK_END) {
        if (lx->tok == TOK_SECTION) {
            bool group = strcasecmp(lx->name, "group") == 0;
            if (!group)
                item = section(lx->name);
            cdl_lex_next(lx);
            ok = !group || parse_group(lx, g, depth);
        } else if (at_punct(lx, ':')) {
            ok = parse_var_or_att(lx, g); /* global attributes may stand in any section */
        } else {
            ok = item(lx, g);
        }
    }
    return ok && expect(lx, '}');
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
    if (!expect(&lx, '{') || !parse_body(&lx, doc->root, 0))
        return false;
    return lx.tok == TOK_END || cdl_lex_expected(&lx, "nothing behind the last brace");
}
