/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_MSG_H
#define TOOL_MSG_H

/* What a tool says when something is wrong: one line on standard error that
 * begins with the tool's name. Exit codes are the same for every tool. */

#include "text.h"
#include <stdnoreturn.h>

enum msg_exit {
    MSG_OK = 0,
    MSG_FAILED = 1, /* the work could not be done */
    MSG_USAGE = 2,  /* the command line was wrong; nothing was touched */
    MSG_DIFFERS = 3 /* nccopy --verify, cellar salvage: the output does not hold all of the input's values */
};

void msg_set_tool(const char *name);
const char *msg_tool(void);
void msg_error(const char *fmt, ...) TOOL_PRINTF(1, 2);
void msg_warn(const char *fmt, ...) TOOL_PRINTF(1, 2);
noreturn void msg_die(enum msg_exit code, const char *fmt, ...) TOOL_PRINTF(2, 3);

/* What was printed has left: the last call of every tool. Where it could not leave, one line says so, once, and
 * `failed` is given, else `code`. */
int msg_finish(int code, int failed);

/* All messages from now on show `shown` in place of `real`, so that a temporary
 * output appears under its final name. NULL ends it. Both are copied. */
void msg_set_alias(const char *real, const char *shown);

/* "<what>: <why>" where why is the library's own sentence if it has one, else
 * nc_strerror. Each gives MSG_FAILED back. */
int msg_nc(int status, const char *fmt, ...) TOOL_PRINTF(2, 3);

/* Why the last call failed, in the library's words, without the file and the
 * variable it begins with: for messages that name them in their own way. Yours
 * to free. */
char *msg_reason(int status);

/* The name among candidates nearest to `name`, or NULL when none is near enough
 * to be what was meant. */
const char *msg_nearest(const char *name, const char *const *candidates, size_t n);

#endif
