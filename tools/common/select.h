/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_SELECT_H
#define TOOL_SELECT_H

/* The -v and -g choices of the tools: comma-separated names of variables or
 * groups, with or without a path. A name that matches nothing ends the tool with
 * the nearest name there is. */

#include "walk.h"

struct select {
    char **name;
    size_t n;
};

void select_add(struct select *s, const char *list); /* "a,b\,c,/g/d": the backslash keeps the next character */
void select_free(struct select *s);

/* A name with a path means that one object; without, every object of the name
 * in any group. */
bool select_has_var(const struct select *s, int group, int varid);
bool select_has_group(const struct select *s, int group);

/* Ends the tool (exit code 1) when a name stands for nothing in the file. */
void select_check_vars(const struct select *s, int root, const char *file);
void select_check_groups(const struct select *s, int root, const char *file);

/* All paths of variables ("t", "/g/t") or groups ("/g"), for suggestions. */
struct select_names {
    char **at;
    size_t n;
};
struct select_names select_all_vars(int root);
struct select_names select_all_groups(int root);
void select_names_free(struct select_names *names);

/* ": did you mean X?", or "" when nothing is near; yours to free. */
char *select_hint(const char *name, const struct select_names *names);

#endif
