/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_RC_H
#define CEL_RC_H

/* Settings by name, as netCDF-C keeps them. Lines "KEY=VALUE" of ~/.ncrc, ~/.daprc and ~/.dodsrc, each counting more than the one
 * before, or of the file that NCRCENV_RC names; "[host:port]KEY=VALUE" is for that host alone. They are read when the first setting is
 * asked for. A file that others may write is not read; what is secret is taken only from one that nobody else may read. */

#include <stdbool.h>

int cel_rc_set(const char *key, const char *value); /* for all hosts */

/* For a host ("host:port" of a URL, NULL: any), else for all; yours to free. *out NULL: it is not set. */
int cel_rc_find(const char *key, const char *host, char **out);
bool cel_rc_any(void); /* is anything set? */
void cel_rc_tidy(void);

/* --- for tests ----------------------------------------------------------------------- */
int cel_rc_parse(char *text, const char *path, bool is_private); /* cut up */

#endif
