/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_SAFE_H
#define TOOL_SAFE_H

/* Text from files, made safe to print: names, values and file names may hold control characters, which a terminal
 * would obey. All such text that a tool prints goes through here. */

#include "text.h"

#define SAFE_NO_CHAR 0xffffffffu /* a byte that is not part of any UTF-8 character */

/* The length of the character at s, of `len` bytes left (at least 1), and its code; what is not UTF-8 is one byte. */
size_t safe_next(const char *s, size_t len, unsigned *code);

/* C0, DEL, C1 (U+0080 to U+009F) and SAFE_NO_CHAR: never shown as they are. */
bool safe_is_hidden(unsigned code);

/* Hidden characters as \ooo, byte by byte; the rest as it is. */
void safe_put(struct text *out, const char *s, size_t len);
char *safe_copy(const char *s); /* the same of a string; yours to free */

bool safe_is_remote(const char *path); /* the URL of a server */

/* A path as it is; of the URL of a server neither user nor password nor query, which may be secret. Yours to free. */
char *safe_url(const char *path);

/* One word of a shell's command line that means the same there: quoted where a shell would change it. A name that
 * begins with - gets ./ before it. */
void safe_put_word(struct text *out, const char *s);

void safe_print(struct text *line); /* to standard output with a line end; the text is empty then */

/* For a JSON document, with the quotes; a byte that is no character becomes U+FFFD. */
void safe_put_json(struct text *out, const char *s, size_t len);

#endif
