/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_TEMPORARY_H
#define CEL_TEMPORARY_H

/* Names of temporary files and folders, and whether the one who made such a thing
 * is gone. A name is ".cellar-tmp-nHOST-RANDOM": HOST tells a running kernel from every
 * other one and is the same in all containers on it; RANDOM is 64 bits nobody can foresee.
 * Process ids are in no name: they say nothing in another container or on another node. */

#include <stdbool.h>

#define CEL_TMP_PREFIX ".cellar-tmp-" /* listings never show what starts so */
#define CEL_TMP_NAME 64

void cel_tmp_name(char name[CEL_TMP_NAME]);
bool cel_tmp_is_named(const char *name); /* starts with the prefix */

/* Its maker holds a lock (flock) on a file for as long as it lives. */
int cel_tmp_lock(int fd); /* 0, or -1 with errno; EWOULDBLOCK: another has it */
void cel_tmp_unlock(int fd);

/* What has this name, and is locked through fd, was left by one that died. On another
 * host a lock may not be seen: there it must also be `old`. */
bool cel_tmp_is_left(int fd, const char *name, bool old);
bool cel_tmp_is_old(int fd); /* unchanged for a day */

#endif
