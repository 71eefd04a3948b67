/* SPDX-License-Identifier: BSD-3-Clause */
/* Every key that a store lists, read whole and in part. */
#ifndef CEL_FUZZ_STORE_H
#define CEL_FUZZ_STORE_H

#include "store.h"
#include "target.h"
#include <stdlib.h>
#include <string.h>

enum { KEYS = 64, VALUE = 1 << 18 };

struct listing {
    char *key[KEYS];
    bool is_prefix[KEYS];
    int n;
};

static inline int fuzz_note_key(void *context, const char *name, bool is_prefix)
{
    struct listing *l = context;

    if (l->n < KEYS) {
        l->is_prefix[l->n] = is_prefix;
        l->key[l->n++] = strdup(name);
    }
    return CEL_OK;
}

static inline void fuzz_read_key(struct cel_store *s, const char *key)
{
    struct cel_buf value = CEL_BUF_INIT(VALUE);
    struct cel_store_mark mark;
    uint64_t size = 0;
    char part[16];

    if (cel_store_stat(s, key, &mark, &size) == CEL_OK && size >= sizeof part)
        cel_store_get_range_of(s, key, &mark, size - sizeof part, sizeof part, part);
    if (cel_store_get(s, key, &value) == CEL_OK)
        FUZZ_EXPECT(value.len == size, "%s has %zu bytes of %llu", key, value.len, (unsigned long long)size);
    cel_store_get_range(s, key, size / 2, size < sizeof part ? (size_t)size : sizeof part, part);
    cel_buf_dispose(&value);
}

static inline void fuzz_read_keys(struct cel_store *s, const char *prefix, int depth)
{
    struct listing l = {.n = 0};
    char key[1024];

    cel_store_list(s, prefix, fuzz_note_key, &l);
    for (int i = 0; i < l.n; i++) {
        int len = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "/" : "", l.key[i]);
        bool whole = len > 0 && (size_t)len < sizeof key; /* a key that was cut would be another one */

        if (whole)
            fuzz_read_key(s, key);
        if (whole && l.is_prefix[i] && depth < 4)
            fuzz_read_keys(s, key, depth + 1);
        free(l.key[i]);
    }
}

#endif
