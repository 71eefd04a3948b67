/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_TMPFOLDER_H
#define TOOL_TMPFOLDER_H

/* A temporary folder beside a target, for an output that is not complete: ".<name>.cellar-<host>-<random>". Only its
 * owner can access it, and its name cannot be guessed. The process holds a lock in it until it ends; a folder whose
 * lock is free was left by a killed run. */

#include <stdbool.h>

char *tmpfolder_make(const char *target);       /* its path, yours to free; NULL with errno */
void tmpfolder_remove_left(const char *target); /* by killed runs to the same target */
void tmpfolder_remove(const char *path);        /* a folder or file, with all in it */

/* "." when there is none. Yours to free. */
char *tmpfolder_directory_of(const char *path);
const char *tmpfolder_name_of(const char *path);

#endif
