/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_WALK_H
#define TOOL_WALK_H

/* The groups, variables and attributes of an open file as lists, in file order. */

#include "text.h"
#include <netcdf.h>

struct walk_ids {
    int *at;
    int n;
};

int walk_groups(int group, struct walk_ids *out); /* the groups directly inside */
int walk_vars(int group, struct walk_ids *out);
int walk_dims(int group, struct walk_ids *out);      /* defined in this group */
int walk_types(int group, struct walk_ids *out);     /* defined in this group */
int walk_unlimited(int group, struct walk_ids *out); /* seen from this group */
void walk_free(struct walk_ids *ids);
bool walk_has(const struct walk_ids *ids, int id); /* ids: of walk_unlimited, which are in order */
bool walk_is_unlimited(int group, int dimid);      /* a dimension of this group or of one around it */

/* "/" or "/a/b"; yours to free. NULL when the library cannot say. */
char *walk_path(int group);
char *walk_var_path(int group, int varid); /* "t" in the root group, else "/g/t" */

/* Every group from the root down, parents first; stops at the first failure. */
int walk_all(int root, int (*visit)(int group, void *arg), void *arg);

#endif
