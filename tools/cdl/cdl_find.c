/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of types, dimensions, variables and groups, looked up as CDL has it: in the group
 * itself, then outwards; and what to say when there is none such. */

#include "cdl_parse.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cdl_names_match(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

struct cdl_group *cdl_find_child(const struct cdl_group *g, const char *name, size_t len)
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
        g = cdl_find_child(g, path, (size_t)(slash - path));
    *last = path;
    return g;
}

const struct type *cdl_type_in(const struct cdl_group *g, const char *name)
{
    for (size_t i = 0; i < g->ntypes; i++)
        if (cdl_names_match(g->type[i]->t.name, name))
            return &g->type[i]->t;
    return NULL;
}

static const struct type *type_below(const struct cdl_group *g, const char *name)
{
    const struct type *t = cdl_type_in(g, name);

    for (size_t i = 0; !t && i < g->nchildren; i++)
        t = type_below(g->child[i], name);
    return t;
}

const struct type *cdl_atomic_type(const char *name)
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
        if (cdl_names_match(alias[i].alias, lower))
            return types_atomic_by_name(alias[i].name);
    return types_atomic_by_name(lower);
}

/* In the group, then the groups around it, then anywhere. */
const struct type *cdl_find_type(const struct cdl_doc *doc, const struct cdl_group *g, const char *path)
{
    const struct type *t = strchr(path, '/') ? NULL : cdl_atomic_type(path);
    const char *last;

    if (t)
        return t;
    if (strchr(path, '/')) {
        g = walk_to(doc, g, path, &last);
        return g ? cdl_type_in(g, last) : NULL;
    }
    for (const struct cdl_group *up = g; up && !t; up = up->parent)
        t = cdl_type_in(up, path);
    return t ? t : type_below(doc->root, path);
}

struct cdl_dim *cdl_dim_in(const struct cdl_group *g, const char *name)
{
    for (size_t i = 0; i < g->ndims; i++)
        if (cdl_names_match(g->dim[i]->name, name))
            return g->dim[i];
    return NULL;
}

struct cdl_dim *cdl_find_dim(const struct cdl_doc *doc, const struct cdl_group *g, const char *path)
{
    struct cdl_dim *d = NULL;
    const char *last;

    if (strchr(path, '/')) {
        g = walk_to(doc, g, path, &last);
        return g ? cdl_dim_in(g, last) : NULL;
    }
    for (; g && !d; g = g->parent)
        d = cdl_dim_in(g, path);
    return d;
}

struct cdl_var *cdl_find_var(const struct cdl_doc *doc, const struct cdl_group *g, const char *path)
{
    const char *last;

    g = walk_to(doc, g, path, &last);
    for (size_t i = 0; g && i < g->nvars; i++)
        if (cdl_names_match(g->var[i]->name, last))
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

bool cdl_no_such_var(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name)
{
    const char **names = cdl_alloc(doc, g->nvars + 1, sizeof *names);

    for (size_t i = 0; i < g->nvars; i++)
        names[i] = g->var[i]->name;
    return cdl_fail(doc, at, "no variable named %s in this group%s", name, hint(doc, name, names, g->nvars));
}

bool cdl_no_such_dim(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name)
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

bool cdl_no_such_type(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name)
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
