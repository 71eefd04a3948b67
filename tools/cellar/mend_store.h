#ifndef CELLAR_MEND_STORE_H
#define CELLAR_MEND_STORE_H

/* Arrays of a Zarr store in a directory whose documents are damaged. */

#include "mend.h"

/* Where just one changed bit of a document makes one of the lost arrays readable, a store with that document and hard links to all
 * else is made in `folder`. Gives its path, yours to free, and notes what was done; NULL: nothing could be mended. */
char *mend_store(struct mend *m, const char *store, const char *folder, char *const *lost, size_t nlost);

#endif
