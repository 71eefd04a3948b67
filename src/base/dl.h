/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DL_H
#define CEL_DL_H

/* Shared libraries, opened by hand. Another platform is one other file. */

#include <stdbool.h>
#include <stddef.h>

struct cel_dl; /* an open library */

/* NULL on failure, with the loader's reason as the thread's error text. All of
 * its symbols are bound at once, so that a library with something missing fails
 * here and not in the middle of a read. */
struct cel_dl *cel_dl_open(const char *path);
void cel_dl_close(struct cel_dl *lib);

typedef void (*cel_function)(void);
cel_function cel_dl_function(struct cel_dl *lib, const char *name); /* NULL lib: the whole process; NULL: absent */

/* The folder `name` in the folder of the library or program that this code is part of; "" when there is none, or when
 * the loader was given a name relative to the working directory, which may be another one by now. */
void cel_dl_beside(const char *name, char *out, size_t cap);

bool cel_dl_is_loaded(const char *name); /* is a library loaded into this process whose file name begins so? */

#endif
