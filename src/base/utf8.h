/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_UTF8_H
#define CEL_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is plain ASCII, and so its own normal form. */
bool cel_utf8_is_ascii(const char *text);

/* Bytes of the character at text, of which `left` more may be read, at least 1; 0: it is no UTF-8. */
size_t cel_utf8_length(const char *text, size_t left);
bool cel_utf8_valid(const char *text);

/* utf8_normal.c: copy in normal form C, yours to free. NC_EBADNAME when it is not UTF-8. */
int cel_utf8_normal(const char *text, char **out);

#endif
