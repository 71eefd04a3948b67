/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

/* One line on a terminal that tells how far long work is; nothing elsewhere. Any thread may add. */

#include <stdbool.h>

void progress_start(bool quiet, unsigned long long total); /* total 0: not known */
void progress_grow(unsigned long long n);                  /* there is so much more to do */
void progress_add(unsigned long long done, const char *name);
void progress_pause(void); /* the line is empty, for something to be printed */
void progress_end(void);

#endif
