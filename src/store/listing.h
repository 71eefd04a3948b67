/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_LISTING_H
#define CEL_LISTING_H

/* Names found in any order, visited in the order of keys. */

#include "store.h"
#include "vec.h"

struct cel_listing {
    struct cel_vec entries;
};

/* Names that no key can have are passed over. */
int cel_listing_add(struct cel_listing *l, const char *name, size_t len, bool is_prefix);
int cel_listing_visit(struct cel_listing *l, cel_store_visit *visit, void *context);
void cel_listing_dispose(struct cel_listing *l);

#endif
