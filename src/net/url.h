/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_URL_H
#define CEL_URL_H

/* URLs taken apart and put together. */

#include "buf.h"
#include <stdbool.h>

struct cel_url {
    char *text;         /* holds all below, each ended by a NUL */
    const char *scheme; /* lower case: "https" */
    const char *host;   /* "host" or "host:port", lower case */
    const char *path;   /* without its first '/', decoded nowhere: as it was given */
    const char *query;  /* behind '?', "" without */
};

/* "scheme://host/path?query". User info ("user:password@host") is refused, without being repeated: it would end up in
 * errors and in files. A fragment must be cut off before. */
int cel_url_parse(const char *text, struct cel_url *out);
void cel_url_dispose(struct cel_url *url);

/* Each byte that is not a letter, a digit or one of "-._~" becomes %XX (RFC 3986); '/' too unless keep_slashes. */
int cel_url_encode(const char *text, bool keep_slashes, struct cel_buf *out);
/* %XX becomes that byte, which must not be a NUL. */
int cel_url_decode(const char *text, size_t len, struct cel_buf *out);

#endif
