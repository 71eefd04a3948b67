/* One value of a store as a source: what reads the format of a file then reads a file on a server. Each request takes as
 * long as thousands of bytes do, so small reads fetch blocks, which are kept; reads that go on where the last fetch ended
 * fetch more each time. Large reads are passed on as they are, from any thread.
 *
 * All parts are of the value as it was when the source was made: one that is replaced meanwhile is an error. */
#include "mem.h"
#include "store.h"
#include "thread.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BLOCK = 64 << 10, BLOCKS = 256, RUN_MAX = 16 };

struct block {
    uint64_t index; /* of BLOCK bytes each */
    uint64_t used;  /* the count of uses, when it was used last */
    char *bytes;    /* NULL: none */
};

struct key_source {
    struct cel_source source; /* must be first */
    struct cel_store *store;  /* the source's own */
    char *key;
    struct cel_store_mark mark;
    uint64_t size;
    struct cel_mutex lock; /* guards what follows */
    struct block block[BLOCKS];
    uint64_t uses;
    uint64_t next; /* the block behind the last fetch */
    size_t run;    /* how many that fetched */
};

static struct key_source *source_of(struct cel_source *s)
{
    return (struct key_source *)s;
}

static int size(struct cel_source *s, uint64_t *out)
{
    *out = source_of(s)->size;
    return CEL_OK;
}

static int read_direct(struct key_source *k, uint64_t offset, void *dst, size_t n)
{
    int rc = cel_store_get_range_of(k->store, k->key, &k->mark, offset, n, dst);

    return rc == CEL_STALE || rc == CEL_ABSENT
               ? cel_fail(NC_EIO, "the file was replaced or removed while it was open: open it again")
               : rc;
}

/* --- blocks, with the lock held --------------------------------------------------------- */

static struct block *find(struct key_source *k, uint64_t index)
{
    for (int i = 0; i < BLOCKS; i++)
        if (k->block[i].bytes && k->block[i].index == index)
            return &k->block[i];
    return NULL;
}

static struct block *oldest(struct key_source *k)
{
    struct block *b = &k->block[0];

    for (int i = 1; b->bytes && i < BLOCKS; i++)
        if (!k->block[i].bytes || k->block[i].used < b->used)
            b = &k->block[i];
    return b;
}

/* Another thread may have fetched it meanwhile; without memory it is not kept. */
static void keep(struct key_source *k, uint64_t index, const char *bytes, size_t n)
{
    struct block *b = find(k, index);

    if (b)
        return;
    b = oldest(k);
    if (!b->bytes)
        b->bytes = malloc(BLOCK);
    if (!b->bytes)
        return;
    memcpy(b->bytes, bytes, n);
    b->index = index;
    b->used = ++k->uses;
}

/* How many blocks from one on are fetched together: more each time, as long as they follow one another and are not kept. */
static size_t plan(struct key_source *k, uint64_t index, size_t wanted)
{
    uint64_t end = (k->size + BLOCK - 1) / BLOCK;
    size_t n = 1;

    k->run = index == k->next && k->run < RUN_MAX ? 2 * k->run + !k->run : index == k->next ? RUN_MAX : 1;
    if (k->run < wanted)
        k->run = wanted;
    while (n < k->run && index + n < end && !find(k, index + n))
        n++;
    k->next = index + n;
    return n;
}

/* --- reading ------------------------------------------------------------------------------ */

static size_t bytes_of(const struct key_source *k, uint64_t index, size_t n)
{
    uint64_t left = k->size - index * BLOCK;

    return left < n * BLOCK ? (size_t)left : n * BLOCK;
}

static void keep_all(struct key_source *k, uint64_t index, const char *bytes, size_t n)
{
    cel_lock(&k->lock);
    for (size_t at = 0; at < n; at += BLOCK)
        keep(k, index + at / BLOCK, bytes + at, n - at < BLOCK ? n - at : BLOCK);
    cel_unlock(&k->lock);
}

/* Block `index` and perhaps some behind it; the part of the first that is asked for goes to dst. */
static int fetch(struct key_source *k, uint64_t index, size_t nblocks, size_t skip, char *dst, size_t n)
{
    size_t total = bytes_of(k, index, nblocks);
    char *bytes = cel_malloc(total);
    int rc = bytes ? read_direct(k, index * BLOCK, bytes, total) : NC_ENOMEM;

    if (rc == CEL_OK) {
        memcpy(dst, bytes + skip, n);
        keep_all(k, index, bytes, total);
    }
    free(bytes);
    return rc;
}

static int read_in_block(struct key_source *k, uint64_t index, size_t wanted, size_t skip, char *dst, size_t n)
{
    struct block *b;
    size_t nblocks = 0;

    cel_lock(&k->lock);
    b = find(k, index);
    if (b) {
        memcpy(dst, b->bytes + skip, n);
        b->used = ++k->uses;
    } else {
        nblocks = plan(k, index, wanted);
    }
    cel_unlock(&k->lock);
    return b ? CEL_OK : fetch(k, index, nblocks, skip, dst, n);
}

static int read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    struct key_source *k = source_of(s);
    char *out = dst;
    int rc = CEL_OK;

    if (offset > k->size || n > k->size - offset)
        return CEL_BEYOND_END;
    if (n >= BLOCK)
        return read_direct(k, offset, dst, n);
    while (rc == CEL_OK && n > 0) {
        size_t skip = (size_t)(offset % BLOCK), part = n < BLOCK - skip ? n : BLOCK - skip;

        rc = read_in_block(k, offset / BLOCK, 1 + (n > part), skip, out, part);
        offset += part;
        out += part;
        n -= part;
    }
    return rc;
}

/* As they will be asked for: those of a block or more. */
static void want(struct cel_source *s, const struct cel_range *range, size_t nranges)
{
    struct key_source *k = source_of(s);

    for (size_t i = 0; i < nranges; i++)
        if (range[i].n >= BLOCK && range[i].offset <= k->size && range[i].n <= k->size - range[i].offset)
            cel_store_want_range_of(k->store, k->key, &k->mark, range[i].offset, (size_t)range[i].n);
}

/* --- its life ------------------------------------------------------------------------------- */

static int close_source(struct cel_source *s)
{
    struct key_source *k = source_of(s);
    int rc = cel_store_close(k->store);

    for (int i = 0; i < BLOCKS; i++)
        free(k->block[i].bytes);
    cel_mutex_dispose(&k->lock);
    free(k->key);
    free(k);
    return rc;
}

static const struct cel_source_ops ops = {.size = size, .read_at = read_at, .want = want, .close = close_source};

/* The first block comes with the size, in one request. */
static int look(struct key_source *k)
{
    char *first = cel_malloc(BLOCK);
    size_t n = BLOCK;
    int rc = first ? cel_store_get_first(k->store, k->key, first, &n, &k->mark, &k->size) : NC_ENOMEM;

    if (rc == CEL_OK && n)
        keep_all(k, 0, first, n);
    k->next = 1;
    k->run = 1;
    free(first);
    return rc;
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
    cel_mutex_init(&k->lock);
    rc = look(k);
    if (rc == CEL_OK)
        *out = &k->source;
    else
        close_source(&k->source);
    return rc;
}

/* The folder's URL with the query, and the name in it, decoded where the URL is. CEL_ABSENT: it names no file. */
static int split(const char *url, char **folder, struct cel_buf *name)
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
    int rc = split(url, &folder, &name);

    *out = NULL;
    if (rc == CEL_OK)
        rc = cel_store_open_url(folder, s3, CEL_STORE_READ, &store);
    if (rc == CEL_OK)
        rc = cel_source_of_key(store, name.data, out);
    free(folder);
    cel_buf_dispose(&name);
    return rc;
}
