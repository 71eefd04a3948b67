/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STORE_CACHE_H
#define CEL_STORE_CACHE_H

/* A cache on disk for values from servers; CELLAR_CACHE names its folder and size. An entry belongs to a URL and an ETag: callers use it
 * only if the server has confirmed that ETag. These functions never fail: a damaged entry, or one that could not be written, counts as
 * absent. Any number of processes may share the folder. */

#include "buf.h"
#include "net.h"
#include <stdbool.h>

bool cel_cache_is_on(void);

/* A part of a value; n SIZE_MAX: the whole value. */
struct cel_cache_part {
    const char *url; /* with its query */
    uint64_t offset;
    size_t n;
};

/* What is kept of it, and under which ETag. false: nothing. */
bool cel_cache_take(const struct cel_cache_part *part, char etag[CEL_NET_TEXT], struct cel_buf *out);
void cel_cache_keep(const struct cel_cache_part *part, const char *etag, const void *data, size_t n);

#endif
