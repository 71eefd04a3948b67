/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DISK_H
#define CEL_DISK_H

/* fsync(), where the user asks for it (cel_env_fsync()); else these do nothing. errno, or 0. */

int cel_disk_sync(int fd);                  /* the file's bytes */
int cel_disk_sync_folder(const char *path); /* the entry for this path: it was made, renamed or removed */

#endif
