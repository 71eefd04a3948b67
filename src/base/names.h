/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NAMES_H
#define CEL_NAMES_H

#include <stddef.h>

/* Name -> object, found in constant time. Keeps no copy of the names: each
 * belongs to its object and must stay while the object is in the map. Adding a name that is
 * there already replaces its object, and cannot fail. */
struct cel_names {
    struct cel_names_slot *slot;
    size_t cap;  /* a power of two, or 0 */
    size_t used; /* objects held */
};

int cel_names_add(struct cel_names *m, const char *name, void *object);
void *cel_names_find(const struct cel_names *m, const char *name); /* NULL: not there */
void cel_names_remove(struct cel_names *m, const char *name);
void cel_names_dispose(struct cel_names *m);

#endif
