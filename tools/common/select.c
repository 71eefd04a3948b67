/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing variables and groups by name. */

#include "select.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>

static void add_name(struct select *s, struct text *name)
{
    if (!name->len)
        return;
    s->name = tool_push(s->name, s->n, sizeof *s->name);
    s->name[s->n++] = text_take(name);
}

void select_add(struct select *s, const char *list)
{
    struct text name = {0};

    for (const char *p = list; *p; p++) {
        if (*p == '\\' && p[1])
            text_putc(&name, *++p);
        else if (*p == ',')
            add_name(s, &name);
        else
            text_putc(&name, *p);
    }
    add_name(s, &name);
    text_free(&name);
}

void select_free(struct select *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->name[i]);
    free(s->name);
    *s = (struct select){0};
}

/* Paths are compared without their leading slash: "t" and "/t" are the same in the root. */
static const char *bare(const char *path)
{
    return *path == '/' ? path + 1 : path;
}

static bool matches(const char *wanted, const char *path)
{
    const char *last = strrchr(path, '/');

    if (strchr(wanted, '/'))
        return strcmp(bare(wanted), bare(path)) == 0;
    return strcmp(wanted, last ? last + 1 : path) == 0;
}

static bool has_path(const struct select *s, const char *path)
{
    for (size_t i = 0; i < s->n; i++)
        if (matches(s->name[i], path))
            return true;
    return false;
}

bool select_has_var(const struct select *s, int group, int varid)
{
    char *path = walk_var_path(group, varid);
    bool found = has_path(s, path);

    free(path);
    return found;
}

bool select_has_group(const struct select *s, int group)
{
    char *path = walk_path(group);
    bool found = has_path(s, path);

    free(path);
    return found;
}

static void keep(struct select_names *names, char *path)
{
    names->at = tool_push(names->at, names->n, sizeof *names->at);
    names->at[names->n++] = path;
}

static int keep_vars(int group, void *arg)
{
    struct walk_ids var;
    int status = walk_vars(group, &var);

    for (int i = 0; status == NC_NOERR && i < var.n; i++)
        keep(arg, walk_var_path(group, var.at[i]));
    walk_free(&var);
    return status;
}

static int keep_group(int group, void *arg)
{
    keep(arg, walk_path(group));
    return NC_NOERR;
}

struct select_names select_all_vars(int root)
{
    struct select_names names = {0};

    walk_all(root, keep_vars, &names);
    return names;
}

struct select_names select_all_groups(int root)
{
    struct select_names names = {0};

    walk_all(root, keep_group, &names);
    return names;
}

void select_names_free(struct select_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->at[i]);
    free(names->at);
    *names = (struct select_names){0};
}

char *select_hint(const char *name, const struct select_names *names)
{
    const char *near = msg_nearest(name, (const char *const *)names->at, names->n);
    struct text t = {0};

    if (near)
        text_printf(&t, ": did you mean %s?", near);
    return text_take(&t);
}

static void check(const struct select *s, const struct select_names *names, const char *file, const char *what)
{
    for (size_t i = 0; i < s->n; i++) {
        bool found = false;
        for (size_t k = 0; k < names->n && !found; k++)
            found = matches(s->name[i], names->at[k]);
        if (!found)
            msg_die(MSG_FAILED, "%s: no %s named %s%s", file, what, s->name[i], select_hint(s->name[i], names));
    }
}

void select_check_vars(const struct select *s, int root, const char *file)
{
    struct select_names names = select_all_vars(root);

    check(s, &names, file, "variable");
    select_names_free(&names);
}

void select_check_groups(const struct select *s, int root, const char *file)
{
    struct select_names names = select_all_groups(root);

    check(s, &names, file, "group");
    select_names_free(&names);
}
