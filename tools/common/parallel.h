/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_PARALLEL_H
#define TOOL_PARALLEL_H

/* fn(arg, i) for i from 0 to n - 1, by at most `threads` threads at once; returns when all are done. */

#include <stddef.h>

void parallel_for(size_t threads, size_t n, void (*fn)(void *arg, size_t i), void *arg);

#endif
