/* SPDX-License-Identifier: BSD-3-Clause */
/* A listing of keys also has their sizes. Iterating over the chunks of a store that is open for reading lists the keys first, so
 * that asking for the size of each needs no further request for some time. */
#include "mem.h"
#include "store_remote_int.h"
#include <stdlib.h>
#include <string.h>

#define OLD_SECONDS 30         /* the server is asked again */
#define MOST ((size_t)1 << 18) /* keys whose sizes are kept */

struct listed {
    uint64_t size;
    time_t since;
    char key[];
};

/* Without memory for it the server is asked. */
static void add(struct cel_s3_sizes *s, const char *key, uint64_t size)
{
    struct listed *l = cel_names_find(&s->index, key);
    size_t len = strlen(key) + 1;

    if (!l && s->all.n < MOST && (l = malloc(sizeof *l + len))) {
        memcpy(l->key, key, len);
        if (cel_vec_add(&s->all, l) != CEL_OK) {
            free(l);
            return;
        }
        if (cel_names_add(&s->index, l->key, l) != CEL_OK)
            return;
    }
    if (l) {
        l->size = size;
        l->since = time(NULL);
    }
}

void cel_s3_sizes_note(struct cel_s3_sizes *s, const char *key, uint64_t size)
{
    struct cel_status before;

    cel_status_save(&before);
    cel_lock(&s->lock);
    add(s, key, size);
    cel_unlock(&s->lock);
    cel_status_restore(&before);
}

bool cel_s3_sizes_find(struct cel_s3_sizes *s, const char *key, uint64_t *size)
{
    const struct listed *l;
    bool found;

    cel_lock(&s->lock);
    l = cel_names_find(&s->index, key);
    found = l && time(NULL) - l->since <= OLD_SECONDS;
    if (found)
        *size = l->size;
    cel_unlock(&s->lock);
    return found;
}

void cel_s3_sizes_init(struct cel_s3_sizes *s)
{
    cel_mutex_init(&s->lock);
}

void cel_s3_sizes_dispose(struct cel_s3_sizes *s)
{
    for (size_t i = 0; i < s->all.n; i++)
        free(s->all.at[i]);
    cel_vec_dispose(&s->all);
    cel_names_dispose(&s->index);
    cel_mutex_dispose(&s->lock);
}
