/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SECRET_H
#define CEL_SECRET_H

/* Takes out of a text what URLs in it may hold that is not for others: a user's name and password, and the query, which may be
 * a signature or a token. Every text of an error or a warning goes through this. */
void cel_hide_secrets(char *text);

#endif
