/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_TEXT_FILE_H
#define CEL_TEXT_FILE_H

/* Settings files, which may contain secrets: they are read whole, and their memory is wiped after use. */

#include "buf.h"
#include <stdbool.h>

#define CEL_TEXT_FILE_MAX ((size_t)1 << 20)

/* Whom beside this user, and root, the file's mode lets in. A file of somebody else is both. */
struct cel_text_access {
    bool others_read, others_write;
};

/* The whole file and a NUL. CEL_ABSENT: there is none, or none that can be read. */
int cel_text_load(const char *path, struct cel_buf *out, struct cel_text_access *access); /* NULL is fine */
void cel_text_wipe(struct cel_buf *text);                                                 /* and disposes of it */

/* The next line from *at on, in place and without its end; NULL: there is none. */
char *cel_text_line(char **at);
char *cel_text_trim(char *text); /* of blanks at both ends, in place */

#endif
