/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_EXTENTS_H
#define CELLAR_EXTENTS_H

/* Where the stored pieces of all variables lie, sorted by key and address. */

#include "look.h"

struct extent {
    unsigned long long address, size;
    size_t var;    /* in look.var */
    size_t number; /* of the piece */
    char *key;     /* of a store; NULL in a file */
};

struct extents {
    struct extent *at;
    size_t n;
    unsigned long long stored;    /* bytes of all pieces ... */
    unsigned long long *of_var;   /* ... and of each variable */
    size_t *written, *missing;    /* pieces of each variable */
    unsigned long long unlocated; /* bytes without an address of their own: inside metadata, in other files */
};

/* What cannot be found of a variable is left out; fail(arg, ...) is told of it, unless NULL. index NULL: all from somewhere on.
 * status: what the library answered; 0: there is more than can be looked at. */
typedef void extents_fail(void *arg, const struct look_var *v, const size_t *index, int status, const char *why);
void extents_load(const struct look *l, extents_fail *fail, void *arg, struct extents *out);
void extents_free(struct extents *e);

#endif
