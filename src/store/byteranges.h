/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BYTERANGES_H
#define CEL_BYTERANGES_H

/* Several ranges of a value in one answer: multipart/byteranges (RFC 9110, 14.6). Nothing of it is trusted: each part says which bytes
 * it has, and must have them. */

#include "buf.h"
#include "source.h"
#include <stdbool.h>

/* "bytes=0-99,500-599" */
int cel_byteranges_print(const struct cel_range *range, size_t n, struct cel_buf *out);

/* Of the header Content-Type: does it say multipart/byteranges, with a boundary? Only then: */
bool cel_byteranges_is(const char *type);

/* The bytes of one range in the body; NULL: there is no part that has all of them. *total: of the whole value, as that part says. */
const char *cel_byteranges_find(const char *type, const struct cel_buf *body, const struct cel_range *range,
                                uint64_t *total);

#endif
