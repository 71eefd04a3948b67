#ifndef TOOL_TMPFOLDER_H
#define TOOL_TMPFOLDER_H

/* A folder beside a target, for an output in the making: ".<name>.cellar-<host>-<random>",
 * open to its owner alone, so that nobody can plant anything in it or foresee its name. A lock
 * in it is held until the process ends; that is how one that a killed run left is known. */

#include <stdbool.h>

char *tmpfolder_make(const char *target);       /* its path, yours to free; NULL with errno */
void tmpfolder_remove_left(const char *target); /* by killed runs to the same target */
void tmpfolder_remove(const char *path);        /* a folder or file, with all in it */

/* "." when there is none. Yours to free. */
char *tmpfolder_directory_of(const char *path);
const char *tmpfolder_name_of(const char *path);

#endif
