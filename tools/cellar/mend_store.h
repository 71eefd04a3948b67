/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_MEND_STORE_H
#define CELLAR_MEND_STORE_H

/* A Zarr store in a directory whose documents are damaged. */

#include "mend.h"

/* Where a copy or just one changed bit of a document makes one of the lost arrays readable, or a group's document can be written
 * anew, a store with these documents and hard links to all else is made in `folder`. Gives its path, yours to free, and notes what was done; NULL: nothing could be mended. */
char *mend_store(struct mend *m, const char *store, const char *folder, char *const *lost, size_t nlost);

/* As that, for a store whose root group has a damaged document, which keeps it from being opened. */
char *mend_store_root(struct mend *m, const char *store, const char *folder);

/* Signs of damage in an array that the library reads: its document lacks a member that it must have; its chunks need a codec
 * that there is none of. */
bool mend_store_lacks(const char *store, const char *name);
bool mend_store_has_codecs(int ncid, int varid);
bool mend_store_is_document(const char *key); /* not a chunk */

#endif
