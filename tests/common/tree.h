/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder and all below it, or a single file, removed; a missing one is no failure. */
#ifndef CEL_TEST_TREE_H
#define CEL_TEST_TREE_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    return remove(path);
}

static inline void remove_tree(const char *top)
{
    nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
