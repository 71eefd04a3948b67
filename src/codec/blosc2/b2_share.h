/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_B2_SHARE_H
#define CEL_B2_SHARE_H

/* The blocks of one chunk on several threads: for calls that touch fewer chunks than there are threads. */

#include <stddef.h>

struct cel_b2_work;
typedef int cel_b2_block_fn(const void *what, struct cel_b2_work *work, size_t i);

/* Calls fn for every i below n: on this thread, in that order and until one fails, or, where the work may be shared and nbytes,
 * what all of them decode, are enough, on several, each with a work of its own. Gives the failure of the lowest i. */
int cel_b2_each_block(struct cel_b2_work *work, size_t n, size_t nbytes, cel_b2_block_fn *fn, const void *what);

#endif
