/* SPDX-License-Identifier: BSD-3-Clause */
/* One value of a store as a source: what reads the format of a file then reads a file on a server. Each request takes as
 * long as thousands of bytes do, so small reads fetch blocks, which are kept; reads that go on where the last fetch ended
 * fetch more each time. Large reads are passed on as they are, from any thread.
 *
 * All parts are of the value as it was when the source was made: one that is replaced meanwhile is an error. */
#include "blocks.h"
#include "mem.h"
#include "store_int.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIRST ((size_t)64 << 10) /* bytes of the first request */
#define LARGE ((size_t)64 << 10) /* reads from which on they are passed on */
enum {
    GAP = 4 /* blocks between two ranges that are fetched together with them */,
    TOGETHER = 32 /* ranges asked for at once */
};

struct key_source {
    struct cel_source source; /* must be first */
    struct cel_store *store;  /* the source's own */
    char *key;
    struct cel_store_mark mark;
    struct cel_blocks blocks; /* has the size */
};

static struct key_source *source_of(struct cel_source *s)
{
    return (struct key_source *)s;
}

static int size(struct cel_source *s, uint64_t *out)
{
    *out = source_of(s)->blocks.size;
    return CEL_OK;
}

static int read_direct(struct key_source *k, uint64_t offset, void *dst, size_t n)
{
    int rc = cel_store_get_range_of(k->store, k->key, &k->mark, offset, n, dst);

    return rc == CEL_STALE || rc == CEL_ABSENT
               ? cel_fail(NC_EIO, "the file was replaced or removed while it was open: open it again")
               : rc;
}

/* --- blocks -------------------------------------------------------------------------- */

static void start_wanted(struct key_source *k)
{
    struct cel_range range[TOGETHER];
    struct cel_run run;
    size_t n;

    do {
        for (n = 0; n < TOGETHER && cel_blocks_start(&k->blocks, &run); n++)
            range[n] = (struct cel_range){run.index * CEL_BLOCK, cel_blocks_bytes(&k->blocks, run)};
        cel_store_want_ranges_of(k->store, k->key, &k->mark, range, n);
    } while (n == TOGETHER);
}

/* n bytes from `at` on, all in one block of the run, go to dst. */
static int fetch(struct key_source *k, struct cel_run run, uint64_t at, char *dst, size_t n)
{
    size_t total = cel_blocks_bytes(&k->blocks, run);
    char *bytes = cel_malloc(total);
    int rc = bytes ? read_direct(k, run.index * CEL_BLOCK, bytes, total) : NC_ENOMEM;

    if (rc == CEL_OK)
        memcpy(dst, bytes + (at - run.index * CEL_BLOCK), n);
    cel_blocks_put(&k->blocks, run, rc == CEL_OK ? bytes : NULL);
    free(bytes);
    start_wanted(k);
    return rc;
}

static int read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    struct key_source *k = source_of(s);
    uint64_t size = k->blocks.size;
    char *out = dst;
    int rc = CEL_OK;

    if (offset > size || n > size - offset)
        return CEL_BEYOND_END;
    if (n >= LARGE)
        return read_direct(k, offset, dst, n);
    while (rc == CEL_OK && n > 0) {
        size_t skip = (size_t)(offset % CEL_BLOCK), part = n < CEL_BLOCK - skip ? n : CEL_BLOCK - skip;
        struct cel_run run;

        if (!cel_blocks_get(&k->blocks, offset / CEL_BLOCK, skip, out, part, (skip + n + CEL_BLOCK - 1) / CEL_BLOCK,
                            &run))
            rc = fetch(k, run, offset, out, part);
        offset += part;
        out += part;
        n -= part;
    }
    return rc;
}

/* --- announcements ------------------------------------------------------------------------ */

static struct cel_run run_of(const struct cel_range *r)
{
    uint64_t first = r->offset / CEL_BLOCK, last = (r->offset + r->n - 1) / CEL_BLOCK;

    return (struct cel_run){first, (size_t)(last - first) + 1};
}

static int by_index(const void *a, const void *b)
{
    const struct cel_run *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

/* Runs in their order, those close together as one. */
static void want_joined(struct key_source *k, const struct cel_run *run, size_t n)
{
    struct cel_run all = run[0];

    for (size_t i = 1; i < n; i++) {
        size_t to = run[i].index + run[i].n > all.index ? (size_t)(run[i].index + run[i].n - all.index) : 0;

        if (run[i].index <= all.index + all.n + GAP && to <= CEL_BLOCKS_RUN) {
            all.n = to > all.n ? to : all.n;
            continue;
        }
        cel_blocks_want(&k->blocks, all);
        all = run[i];
    }
    cel_blocks_want(&k->blocks, all);
}

/* Small ranges in blocks, large ones as they will be asked for. One alone is mostly followed by others. */
static void want(struct cel_source *s, const struct cel_range *range, size_t nranges)
{
    struct key_source *k = source_of(s);
    struct cel_run *run = malloc(nranges * sizeof *run);
    uint64_t size = k->blocks.size;
    size_t n = 0;

    for (size_t i = 0; run && i < nranges; i++) {
        if (!range[i].n || range[i].offset > size || range[i].n > size - range[i].offset)
            continue;
        if (range[i].n >= LARGE)
            cel_store_want_range_of(k->store, k->key, &k->mark, range[i].offset, (size_t)range[i].n);
        else
            run[n++] = run_of(&range[i]);
    }
    if (n > 1) {
        qsort(run, n, sizeof *run, by_index);
        want_joined(k, run, n);
    } else if (n) {
        cel_blocks_want_more(&k->blocks, run[0]);
    }
    free(run);
    start_wanted(k);
}

/* --- its life ------------------------------------------------------------------------------- */

static int close_source(struct cel_source *s)
{
    struct key_source *k = source_of(s);
    int rc = cel_store_close(k->store);

    cel_blocks_dispose(&k->blocks);
    free(k->key);
    free(k);
    return rc;
}

static const struct cel_source_ops ops = {.size = size, .read_at = read_at, .want = want, .close = close_source};

/* The first blocks come with the size, in one request. */
static int look(struct key_source *k)
{
    char *first = cel_malloc(FIRST);
    size_t n = FIRST;
    int rc = first ? cel_store_get_first(k->store, k->key, first, &n, &k->mark, &k->blocks.size) : NC_ENOMEM;

    if (rc == CEL_OK && n) {
        k->blocks.last = (struct cel_run){0, (n + CEL_BLOCK - 1) / CEL_BLOCK};
        cel_blocks_put(&k->blocks, k->blocks.last, first);
    }
    free(first);
    return rc;
}

const struct cel_store_mark *cel_source_mark(const struct cel_source *source)
{
    return &((const struct key_source *)source)->mark;
}

int cel_source_of_key(struct cel_store *store, const char *key, struct cel_source **out)
{
    struct key_source *k = cel_calloc(1, sizeof *k);
    int rc;

    *out = NULL;
    if (!k || !(k->key = cel_strdup(key))) {
        free(k);
        cel_store_close(store);
        return NC_ENOMEM;
    }
    k->source.ops = &ops;
    k->store = store;
    rc = cel_blocks_init(&k->blocks);
    if (rc == CEL_OK)
        rc = look(k);
    if (rc == CEL_OK)
        *out = &k->source;
    else
        close_source(&k->source);
    return rc;
}

int cel_store_split_url(const char *url, char **folder, struct cel_buf *name)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    size_t len = strcspn(url, "?"), slash = len, host = (size_t)(strstr(url, "://") + 3 - url);
    bool encoded = strncasecmp(url, "http", 4) == 0;
    int rc;

    while (slash && url[slash - 1] != '/')
        slash--;
    if (slash <= host || slash == len)
        return CEL_ABSENT;
    rc = encoded ? cel_url_decode(url + slash, len - slash, name) : cel_buf_add(name, url + slash, len - slash);
    if (rc == CEL_OK)
        rc = cel_buf_add(name, "", 1);
    if (rc == CEL_OK)
        rc = cel_buf_printf(&text, "%.*s%s", (int)slash, url, url + len);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, folder);
    cel_buf_dispose(&text);
    return rc;
}

int cel_source_of_url(const char *url, bool s3, struct cel_source **out)
{
    struct cel_buf name = CEL_BUF_INIT(1 << 20);
    struct cel_store *store = NULL;
    char *folder = NULL;
    int rc = cel_store_split_url(url, &folder, &name);

    *out = NULL;
    if (rc == CEL_OK)
        rc = cel_store_open_url(folder, s3, CEL_STORE_READ, &store);
    if (rc == CEL_OK)
        rc = cel_source_of_key(store, name.data, out);
    free(folder);
    cel_buf_dispose(&name);
    return rc;
}
