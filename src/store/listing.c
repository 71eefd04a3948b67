/* SPDX-License-Identifier: BSD-3-Clause */
/* Names sorted as keys sort: a prefix counts as its name and the '/' that follows it. */
#include "listing.h"
#include "mem.h"
#include "store_int.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    bool is_prefix;
    char name[];
};

int cel_listing_add(struct cel_listing *l, const char *name, size_t len, bool is_prefix)
{
    struct entry *copy;

    if (!cel_store_part_is_legal(name, len))
        return CEL_OK;
    copy = cel_malloc(sizeof *copy + len + 1);
    if (!copy)
        return NC_ENOMEM;
    copy->is_prefix = is_prefix;
    memcpy(copy->name, name, len);
    copy->name[len] = '\0';
    if (cel_vec_add(&l->entries, copy) == CEL_OK)
        return CEL_OK;
    free(copy);
    return NC_ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    size_t n = 0;

    while (x->name[n] && x->name[n] == y->name[n])
        n++;
    return (x->name[n]     ? (unsigned char)x->name[n]
            : x->is_prefix ? '/'
                           : 0) -
           (y->name[n]     ? (unsigned char)y->name[n]
            : y->is_prefix ? '/'
                           : 0);
}

int cel_listing_visit(struct cel_listing *l, cel_store_visit *visit, void *context)
{
    int rc = CEL_OK;

    if (l->entries.n)
        qsort(l->entries.at, l->entries.n, sizeof *l->entries.at, by_name);
    for (size_t i = 0; rc == CEL_OK && i < l->entries.n; i++) {
        const struct entry *entry = l->entries.at[i];

        rc = visit(context, entry->name, entry->is_prefix);
    }
    return rc;
}

void cel_listing_dispose(struct cel_listing *l)
{
    for (size_t i = 0; i < l->entries.n; i++)
        free(l->entries.at[i]);
    cel_vec_dispose(&l->entries);
}
