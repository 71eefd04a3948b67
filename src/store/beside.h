/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BESIDE_H
#define CEL_BESIDE_H

/* A file that is written anew beside the old one, and then takes its place by a rename: at any moment the old one or the
 * new one is there, complete. Files in work have the names of temporary.h and the name of what they are for, and are
 * locked: that is how a second writer is told to wait, and how what a dead writer left is known. */

#include <stdbool.h>
#include <sys/types.h>

struct cel_beside {
    const char *path; /* as the user wrote it, for errors; borrowed */
    char *target;     /* the same once symbolic links are followed */
};

/* A link stays: what it leads to is written anew, in its own folder. */
int cel_beside_init(const char *path, struct cel_beside *out);
void cel_beside_dispose(struct cel_beside *b);

/* A new temporary file in the target's folder, locked; remove and close it also when this fails. */
int cel_beside_create(const struct cel_beside *b, mode_t mode, char **path, int *fd);

/* The same for a file that will take the target's place: it gives no user more rights than the old one did. */
int cel_beside_create_new(const struct cel_beside *b, char **path, int *fd);

/* NC_EPERM: another writer is at work. What dead ones left is removed. mine: the file of cel_beside_create. */
int cel_beside_check(const struct cel_beside *b, const char *mine);

/* The bytes are with the system, or on the disk where `flush` says so; then it is renamed over the target. */
int cel_beside_replace(const struct cel_beside *b, const char *path, int fd, bool flush);

/* That it was renamed is on the disk, too. */
int cel_beside_flush(const struct cel_beside *b);

#endif
