/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_UNREADABLE_H
#define TOOL_UNREADABLE_H

#include <stddef.h>

/* The objects of one group that the file has and the library could not read. */

struct unreadable {
    int n;
    char **name;
    char **reason;
};

int unreadable_load(int group, struct unreadable *out); /* a netCDF status; to be freed in any case */
const char *unreadable_reason(const struct unreadable *u, const char *name); /* NULL: it can be read */
void unreadable_free(struct unreadable *u);

/* One warning for each in the file: it is not `done` ("copied", "shown"). *n: how many; may be NULL. */
int unreadable_warn(int root, const char *done, size_t *n);

#endif
