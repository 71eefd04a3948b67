/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_KEYS_H
#define CEL_KEYS_H

#include "store.h"
#include "names.h"
#include "thread.h"
#include "vec.h"

/* The keys of a store that lives in memory or in one file: found by hash, listed
 * in order. Objects are the owner's; each key is a copy. Locked by the owner. */
struct cel_keys {
    struct cel_names index;
    struct cel_vec sorted; /* struct cel_key *; sorted when in_order */
    size_t ndead;          /* of them: removed, with no object */
    bool in_order;
};

struct cel_key {
    void *object;
    char name[];
};

void *cel_keys_find(const struct cel_keys *k, const char *name);
int cel_keys_set(struct cel_keys *k, const char *name, void *object, void **old); /* *old: what it replaced, or NULL */
void *cel_keys_remove(struct cel_keys *k, const char *name);
void cel_keys_sort(struct cel_keys *k); /* `sorted` is in order until the next new key */
int cel_keys_list(struct cel_keys *k, struct cel_mutex *lock, const char *prefix, cel_store_visit *visit,
                  void *context); /* sorts: takes the owner's lock */
void cel_keys_dispose(struct cel_keys *k, void (*free_object)(void *));

#endif
