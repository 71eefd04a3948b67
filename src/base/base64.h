/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BASE64_H
#define CEL_BASE64_H

/* Bytes as text (RFC 4648, with padding). */

#include <stdbool.h>
#include <stddef.h>

size_t cel_base64_size(size_t n);                               /* characters that n bytes take */
void cel_base64_encode(const void *bytes, size_t n, char *out); /* cel_base64_size(n) of them, no NUL */

/* At most cap bytes; false: text[*at] is no such character (*at is len where the length is wrong),
 * or there is no room (*n is cap then). */
bool cel_base64_decode(const char *text, size_t len, void *out, size_t cap, size_t *n, size_t *at);

#endif
