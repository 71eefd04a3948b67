/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_FILELIST_H
#define CELLAR_FILELIST_H

/* The datasets that the operands of a command name: files, URLs and stores as they are; of any other directory every dataset
 * in it and below, in the order of their names. */

#include "text.h"

struct filelist {
    char **at;
    size_t n;
    size_t passed_over; /* files in directories that are no datasets */
};

/* false after an error: the directory cannot be read, or there is no dataset in it. */
bool filelist_add(struct filelist *list, const char *operand);
void filelist_free(struct filelist *list);

#endif
