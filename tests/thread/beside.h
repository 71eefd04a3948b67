/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BESIDE_H
#define BESIDE_H

/* One writer and reader of a zstd-compressed field, compiled twice: against Cellar
 * (beside_ours) and against netCDF-C (beside_theirs). 0, or the line that failed. */
int beside_ours(const char *path, int rounds);
int beside_theirs(const char *path, int rounds);

#endif
