/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STATS_FILE_H
#define CEL_STATS_FILE_H

#include "buf.h"

/* Appends a line to the file that CELLAR_STATS names, in a single write, so that several processes may share the file. The first
 * failure of a process is told on standard error; nothing else depends on it. */
void cel_stats_append(const struct cel_buf *line);

#endif
