/* SPDX-License-Identifier: BSD-3-Clause */
/* The types: section: compounds, enums, opaque and variable-length types. */

#include "cdl_parse.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>

static const struct type *expect_type(struct cdl_lex *lx, const struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    char *name = cdl_expect_name(lx, "a type");
    const struct type *t = name ? cdl_find_type(lx->doc, g, name) : NULL;

    if (name && !t)
        cdl_no_such_type(lx->doc, g, at, name);
    return t;
}

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
    if (cdl_type_in(g, name) || cdl_atomic_type(name)) {
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
    if (!cdl_accept(lx, '('))
        return true;
    do {
        if (!cdl_expect_int(lx, "the length of an array in a compound", 1, &len))
            return false;
        if (f->ndims >= 32 || len > INT32_MAX || f->count > SIZE_MAX / 1024 / (size_t)len)
            return cdl_fail(lx->doc, lx->where, "the array %s is too large for a compound", f->name);
        f->dims[f->ndims++] = (int)len;
        f->count *= (size_t)len;
    } while (cdl_accept(lx, ','));
    return cdl_expect(lx, ')');
}

static bool parse_field(struct cdl_lex *lx, struct type *t, const struct type *of)
{
    struct cdl_place at = lx->where;
    char *name = cdl_expect_name(lx, "the name of a field");
    struct type_field *f;

    if (!name)
        return false;
    for (size_t i = 0; i < t->nfields; i++)
        if (cdl_names_match(t->field[i].name, name))
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
    struct cdl_type *t = add_type(lx, g, NC_COMPOUND, cdl_expect_name(lx, "the name of a compound type"), at);

    if (!t || !cdl_expect(lx, '{'))
        return false;
    while (!cdl_at_punct(lx, '}')) {
        const struct type *of = expect_type(lx, g);
        if (of == &t->t)
            return cdl_fail(lx->doc, lx->where, "compound %s cannot hold itself", t->t.name);
        do
            if (!of || !parse_field(lx, &t->t, of))
                return false;
        while (cdl_accept(lx, ','));
        if (!cdl_expect(lx, ';'))
            return false;
    }
    if (!t->t.nfields)
        return cdl_fail(lx->doc, lx->where, "compound %s has no fields", t->t.name);
    t->t.size = round_up(t->t.size, alignment(&t->t));
    return cdl_expect(lx, '}');
}

static bool parse_member(struct cdl_lex *lx, struct type *t)
{
    struct type_member *m;
    struct cdl_place at = lx->where;
    char *name = cdl_expect_name(lx, "the name of an enum member");

    if (!name || !cdl_expect(lx, '='))
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
    struct cdl_type *t = add_type(lx, g, NC_ENUM, cdl_expect_name(lx, "the name of an enum type"), at);

    if (!t || !cdl_expect(lx, '{'))
        return false;
    if (base->group >= 0 || base->kind == NC_FLOAT || base->kind == NC_DOUBLE || base->kind == NC_CHAR ||
        base->kind == NC_STRING)
        return cdl_fail(lx->doc, at, "an enum is kept in a whole-number type, not in %s", base->name);
    t->t.base = base;
    t->t.size = base->size;
    do
        if (!parse_member(lx, &t->t))
            return false;
    while (cdl_accept(lx, ','));
    return cdl_expect(lx, '}');
}

static bool parse_opaque(struct cdl_lex *lx, struct cdl_group *g)
{
    long long size;
    struct cdl_place at;
    struct cdl_type *t;

    if (!cdl_expect(lx, '(') || !cdl_expect_int(lx, "the size of an opaque type in bytes", 1, &size) ||
        !cdl_expect(lx, ')'))
        return false;
    at = lx->where;
    if (size > INT32_MAX)
        return cdl_fail(lx->doc, at, "an opaque type of %lld bytes is too large", size);
    t = add_type(lx, g, NC_OPAQUE, cdl_expect_name(lx, "the name of an opaque type"), at);
    if (t)
        t->t.size = (size_t)size;
    return t != NULL;
}

static bool parse_vlen(struct cdl_lex *lx, struct cdl_group *g, const struct type *base)
{
    struct cdl_place at;
    struct cdl_type *t;

    if (!cdl_expect(lx, '(') || !cdl_expect(lx, '*') || !cdl_expect(lx, ')'))
        return false;
    at = lx->where;
    t = add_type(lx, g, NC_VLEN, cdl_expect_name(lx, "the name of a variable-length type"), at);
    if (!t)
        return false;
    t->t.base = base;
    t->t.size = sizeof(nc_vlen_t);
    t->t.has_pointers = true;
    return true;
}

bool cdl_parse_type(struct cdl_lex *lx, struct cdl_group *g)
{
    struct cdl_place at = lx->where;
    char *word = cdl_expect_name(lx, "a type definition");
    const struct type *base;
    bool ok;

    if (!word)
        return false;
    if (cdl_names_match(word, "compound")) {
        ok = parse_compound(lx, g);
    } else if (cdl_names_match(word, "opaque")) {
        ok = parse_opaque(lx, g);
    } else if (cdl_names_match(word, "enum")) {
        ok = parse_enum(lx, g, types_atomic(NC_INT));
    } else {
        if (cdl_accept(lx, ':')) /* an attribute among the types */
            return cdl_parse_named_att(lx, g, word, at);
        base = cdl_find_type(lx->doc, g, word);
        if (!base)
            return cdl_no_such_type(lx->doc, g, at, word);
        if (lx->tok == TOK_NAME && cdl_names_match(lx->name, "enum")) {
            cdl_lex_next(lx);
            ok = parse_enum(lx, g, base);
        } else {
            ok = parse_vlen(lx, g, base);
        }
    }
    cdl_accept(lx, ';'); /* may be left out behind a brace */
    return ok;
}
