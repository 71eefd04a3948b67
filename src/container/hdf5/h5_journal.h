/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_JOURNAL_H
#define CEL_H5_JOURNAL_H

/* The journal beside a file: what a sync is about to overwrite in it. docs/formats/hdf5-journal.md has its bytes. */

#include "h5_overlay.h"
#include <sys/types.h>

/* The journal's name for a file, whatever links lead to the file; one to be kept is good in any working
 * directory. NULL: none can be made. Yours to free. */
char *cel_h5_journal_name(const char *path, bool kept);

/* What the file open at fd (now `length` bytes long) will hold where these blocks lie, and how long it will be.
 * errno, or 0; CEL_H5_NO_JOURNAL: nothing may be made in that folder. */
#define CEL_H5_NO_JOURNAL (-1)
int cel_h5_journal_write(const char *name, int fd, uint64_t length, uint64_t new_length,
                         const struct cel_h5_overlay *blocks);

/* The journal of this file, if it is complete and the file is the one it was written for. Without one the
 * blocks are empty and *new_length is the file's. errno, or 0. */
int cel_h5_journal_read(const char *name, int fd, struct cel_h5_overlay *blocks, uint64_t *new_length);

int cel_h5_journal_remove(const char *name); /* if it is one; errno, or 0 */

#endif
