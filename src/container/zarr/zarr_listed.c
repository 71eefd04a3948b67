/* SPDX-License-Identifier: BSD-3-Clause */
/* Which chunks of an array the store has: the keys below the array are listed once, and kept in the order of the grid as long
 * as nothing is written and no walk begins anew, since others may write to the store, too. Of shards the keys say where to
 * look, and their indices say the rest. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

/* So many keys are asked for one by one: to list a folder takes the calls of two or three. */
enum { FEW = 8 };

/* n entries of rank + 1 numbers, of which the first is the rank: an order of entries is told of nothing else. */
struct cel_zarr_listed {
    size_t *entry, n, cap;
    int rank;
    size_t grid[CEL_RANK_MAX];
};

void cel_zarr_listed_free(struct cel_zarr_listed *l)
{
    if (l)
        free(l->entry);
    free(l);
}

static size_t *entry_at(const struct cel_zarr_listed *l, size_t i)
{
    return l->entry + i * ((size_t)l->rank + 1);
}

static int add(struct cel_zarr_listed *l, const size_t *index)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64, nbytes;
        size_t *more = cel_mul(cap, ((size_t)l->rank + 1) * sizeof *more, &nbytes)
                           ? cel_realloc(l->entry, cap, ((size_t)l->rank + 1) * sizeof *more)
                           : NULL;

        if (!more)
            return NC_ENOMEM;
        l->entry = more;
        l->cap = cap;
    }
    *entry_at(l, l->n) = (size_t)l->rank;
    memcpy(entry_at(l, l->n++) + 1, index, (size_t)l->rank * sizeof *index);
    return CEL_OK;
}

static int compare(const void *x, const void *y)
{
    const size_t *a = x, *b = y;

    for (size_t d = 1; d <= *a; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

static void sort(struct cel_zarr_listed *l)
{
    if (l->n)
        qsort(l->entry, l->n, ((size_t)l->rank + 1) * sizeof *l->entry, compare);
}

/* Are there few keys from dimension d on? */
static bool are_few(int rank, const size_t *n, int d)
{
    size_t all = 1;

    for (; d < rank; d++)
        if (!cel_mul(all, n[d], &all) || all > FEW)
            return false;
    return true;
}

/* --- keys ----------------------------------------------------------------------------- */

struct keys {
    struct cel_store *store;
    const struct cel_zarr_array *a;
    const size_t *n; /* values of the store along each dimension */
    struct cel_zarr_listed *out;
    struct cel_buf prefix; /* what is listed, with a NUL behind it */
    size_t at[CEL_RANK_MAX];
    int depth;             /* numbers that the prefix has */
    struct cel_buf deeper; /* size_t: numbers that further keys begin with */
};

/* As we write it: no sign, no zeros before it; false: none, or one that the array does not have. */
static bool take_number(const char **text, size_t most, size_t *out)
{
    const char *p = *text;
    size_t n = 0;

    if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
        return false;
    for (; *p >= '0' && *p <= '9'; p++)
        if (!cel_mul(n, 10, &n) || (n += (size_t)(*p - '0')) >= most)
            return false;
    *text = p;
    *out = n;
    return true;
}

/* One number of many, or all that there are. */
static bool take_name(struct keys *k, const char *name, int end)
{
    if (k->a->separator != '/' && k->a->prefixed && (*name++ != 'c' || *name++ != k->a->separator))
        return false;
    for (int d = k->depth; d < end; d++) {
        if (d > k->depth && *name++ != k->a->separator)
            return false;
        if (!take_number(&name, k->n[d], &k->at[d]))
            return false;
    }
    return *name == '\0';
}

/* All that may begin with the numbers before dimension `from`. */
static int add_all(struct keys *k, int from)
{
    int d, rank = k->out->rank, rc;

    for (d = from; d < rank; d++)
        k->at[d] = 0;
    do {
        rc = add(k->out, k->at);
        for (d = rank - 1; d >= from && ++k->at[d] == k->n[d]; d--)
            k->at[d] = 0;
    } while (rc == CEL_OK && d >= from);
    return rc;
}

static int note(void *context, const char *name, bool is_prefix)
{
    struct keys *k = context;
    int rank = k->out->rank, end = k->a->separator == '/' ? k->depth + 1 : rank;

    if (is_prefix != (end < rank) || !take_name(k, name, end))
        return CEL_OK;
    if (is_prefix && are_few(rank, k->n, end))
        return add_all(k, end);
    return is_prefix ? cel_buf_add(&k->deeper, &k->at[k->depth], sizeof k->at[0]) : add(k->out, k->at);
}

/* The store is not asked again while it lists: what lies deeper comes afterwards. */
static int list(struct keys *k)
{
    struct cel_buf deeper;
    size_t len = k->prefix.len - 1;
    int rc;

    k->deeper = CEL_BUF_INIT(SIZE_MAX / 2);
    rc = cel_store_list(k->store, k->prefix.data, note, k);
    deeper = k->deeper;
    for (size_t i = 0; rc == CEL_OK && i < deeper.len; i += sizeof k->at[0]) {
        memcpy(&k->at[k->depth], deeper.data + i, sizeof k->at[0]);
        k->prefix.len = len;
        rc = cel_buf_printf(&k->prefix, len ? "/%zu" : "%zu", k->at[k->depth]);
        if (rc == CEL_OK)
            rc = cel_buf_add(&k->prefix, "", 1);
        k->depth++;
        if (rc == CEL_OK)
            rc = list(k);
        k->depth--;
    }
    cel_buf_dispose(&deeper);
    return rc;
}

/* n[]: values of the store along each dimension. */
static int list_values(struct cel_dataset *ds, const struct cel_zarr_array *a, const size_t *n,
                       struct cel_zarr_listed *out)
{
    struct keys k = {.store = cel_zarr_of(ds)->store, .a = a, .n = n, .out = out, .prefix = CEL_BUF_INIT(1 << 20)};
    int rc = cel_buf_puts(&k.prefix, a->path);

    if (rc == CEL_OK && a->prefixed && a->separator == '/')
        rc = cel_buf_puts(&k.prefix, *a->path ? "/c" : "c");
    if (rc == CEL_OK)
        rc = cel_buf_add(&k.prefix, "", 1);
    if (rc == CEL_OK)
        rc = list(&k);
    cel_buf_dispose(&k.prefix);
    return rc;
}

struct of_shard {
    struct cel_zarr_listed *out;
    size_t before; /* entries of other shards */
};

static int add_of_shard(void *context, const size_t *index)
{
    struct of_shard *one = context;

    if (index)
        return add(one->out, index);
    one->out->n = one->before;
    return CEL_OK;
}

/* What waits for its shard is put first: a shard that is not in the store has no key. */
static int list_in_shards(struct cel_dataset *ds, struct cel_var *var, const size_t *n, struct cel_zarr_listed *out)
{
    const struct cel_zarr_array *a = var->priv;
    struct cel_zarr_listed shards = {.rank = out->rank};
    size_t count[CEL_RANK_MAX];
    int rc = cel_zarr_shard_flush(ds, var);

    cel_zarr_shard_count(a->shard, n, count);
    if (rc == CEL_OK)
        rc = list_values(ds, a, count, &shards);
    sort(&shards);
    for (size_t i = 0; rc == CEL_OK && i < shards.n; i++) {
        struct of_shard one = {.out = out, .before = out->n};

        rc = cel_zarr_shard_each(ds, var, entry_at(&shards, i) + 1, n, add_of_shard, &one);
    }
    free(shards.entry);
    return rc;
}

/* --- for the array engine --------------------------------------------------------------- */

static bool is_first(int rank, const size_t *index)
{
    for (int d = 0; d < rank; d++)
        if (index[d])
            return false;
    return true;
}

static int list_again(struct cel_dataset *ds, struct cel_var *var, const size_t *n)
{
    struct cel_zarr_array *a = var->priv;
    struct cel_zarr_listed *l = cel_calloc(1, sizeof *l);
    int rc;

    cel_zarr_listed_free(a->listed);
    a->listed = NULL;
    if (!l)
        return NC_ENOMEM;
    l->rank = var->ndims;
    memcpy(l->grid, n, (size_t)l->rank * sizeof *n);
    atomic_store(&a->changed, false);
    rc = a->shard ? list_in_shards(ds, var, n, l) : list_values(ds, a, n, l);
    if (rc != CEL_OK) {
        cel_zarr_listed_free(l);
        return rc;
    }
    sort(l);
    a->listed = l;
    return CEL_OK;
}

static int next_listed(const struct cel_zarr_listed *l, size_t *index)
{
    size_t low = 0, high = l->n, wanted[CEL_RANK_MAX + 1] = {(size_t)l->rank};

    memcpy(wanted + 1, index, (size_t)l->rank * sizeof *index);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(entry_at(l, middle), wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == l->n)
        return CEL_ABSENT;
    memcpy(index, entry_at(l, low) + 1, (size_t)l->rank * sizeof *index);
    return CEL_OK;
}

int cel_zarr_chunk_next(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index)
{
    const struct cel_zarr_array *a = var->priv;
    size_t nbytes = (size_t)var->ndims * sizeof *n;
    int rc = CEL_OK;

    if (!cel_store_has_lists(cel_zarr_of(ds)->store))
        return CEL_OK; /* any may be stored */
    if (a->scalar || are_few(var->ndims, n, 0) || (a->shard && !cel_zarr_shard_counts(a->shard, var->ndims)))
        return CEL_OK;
    if (!a->listed || atomic_load(&a->changed) || memcmp(a->listed->grid, n, nbytes) != 0 ||
        is_first(var->ndims, index))
        rc = list_again(ds, var, n);
    return rc == CEL_OK ? next_listed(a->listed, index) : rc;
}
