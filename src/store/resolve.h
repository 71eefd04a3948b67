/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_RESOLVE_H
#define CEL_RESOLVE_H

#include <stdbool.h>

/* Open `path`, which is relative, below the folder `root` without leaving it: a
 * symbolic link that leads out of the folder, or is absolute, is not followed. `follow`:
 * every link is. A descriptor, or -1 with errno; EXDEV: a link leads out. Nothing is
 * created. Never waits for the other end of a pipe. */
int cel_resolve_open(int root, const char *path, int flags, bool follow);

/* The same for systems whose kernel cannot do it at once. For tests. */
int cel_resolve_walk(int root, const char *path, int flags);

#ifdef __linux__
#define CEL_OPEN_TO_STAT O_PATH /* for fstat() alone */
#else
#define CEL_OPEN_TO_STAT O_RDONLY
#endif

#endif
