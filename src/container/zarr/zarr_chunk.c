/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks: index to key, and the bytes to and from the store. The key follows from the index, so there is nothing to find
 * or to allocate; all work is in read and write, which any thread may call. */
#include "mem.h"
#include "zarr_int.h"

int cel_zarr_chunk_key(const struct cel_zarr_array *a, int rank, const size_t *index, struct cel_buf *out)
{
    int rc;

    out->len = 0;
    rc = *a->path ? cel_buf_printf(out, "%s/", a->path) : CEL_OK;
    if (rc == CEL_OK && a->prefixed)
        rc = cel_buf_puts(out, "c");
    if (rc == CEL_OK && rank == 0 && !a->prefixed)
        rc = cel_buf_puts(out, "0");
    for (int i = 0; rc == CEL_OK && i < rank; i++) {
        if (i > 0 || a->prefixed)
            rc = cel_buf_add(out, &a->separator, 1);
        if (rc == CEL_OK)
            rc = cel_buf_printf(out, "%zu", index[i]);
    }
    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}

static const struct cel_zarr_array *array_of(const struct cel_var *var)
{
    return var->priv;
}

/* A scalar that is stored as an array of one has the key of its only chunk. */
static int key_of(const struct cel_var *var, const size_t *index, struct cel_buf *key)
{
    static const size_t zero = 0;
    const struct cel_zarr_array *a = array_of(var);

    return a->scalar ? cel_zarr_chunk_key(a, 1, &zero, key) : cel_zarr_chunk_key(a, var->ndims, index, key);
}

int cel_zarr_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out)
{
    (void)ds, (void)var, (void)index;
    *out = (struct cel_chunk_location){.nbytes = SIZE_MAX};
    return CEL_OK;
}

int cel_zarr_chunk_get(struct cel_store *store, const struct cel_var *var, const size_t *index, struct cel_buf *out)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    int rc = key_of(var, index, &key);

    if (rc == CEL_OK)
        rc = cel_store_get(store, key.data, out);
    cel_buf_dispose(&key);
    return rc;
}

int cel_zarr_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        const struct cel_chunk_location *at, struct cel_buf *out)
{
    (void)at;
    return array_of(var)->shard ? cel_zarr_shard_get(ds, var, index, out)
                                : cel_zarr_chunk_get(cel_zarr_of(ds)->store, var, index, out);
}

bool cel_zarr_chunk_want(struct cel_dataset *ds, struct cel_var *var, const size_t *index)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    bool of_use;

    if (array_of(var)->shard)
        return cel_zarr_shard_want(ds, var, index);
    of_use = key_of(var, index, &key) == CEL_OK && cel_store_want(cel_zarr_of(ds)->store, key.data);
    cel_buf_dispose(&key);
    return of_use;
}

int cel_zarr_chunk_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    int rc;

    if (array_of(var)->shard)
        return cel_zarr_shard_size(ds, var, index, out);
    rc = key_of(var, index, &key);
    if (rc == CEL_OK)
        rc = cel_store_size(cel_zarr_of(ds)->store, key.data, out);
    cel_buf_dispose(&key);
    return rc;
}

static int locate_value(struct cel_dataset *ds, const struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out, struct cel_buf *key)
{
    uint64_t size;
    int rc = key_of(var, index, key);

    if (rc == CEL_OK)
        rc = cel_store_size(cel_zarr_of(ds)->store, key->data, &size);
    if (rc == CEL_OK)
        *out = (struct cel_chunk_location){.nbytes = (size_t)size};
    return rc;
}

int cel_zarr_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out, char **key)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    int rc = array_of(var)->shard ? cel_zarr_shard_locate(ds, var, index, out, &text)
                                  : locate_value(ds, var, index, out, &text);

    if (rc == CEL_OK || rc == CEL_ABSENT) {
        *key = cel_strdup(text.data);
        rc = *key ? rc : NC_ENOMEM;
    }
    cel_buf_dispose(&text);
    return rc;
}

int cel_zarr_chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                            size_t n, uint32_t skipped, struct cel_chunk_location *out)
{
    (void)ds, (void)var, (void)index, (void)encoded;
    if (skipped)
        return cel_fail(NC_EFILTER,
                        "a filter cannot encode this chunk, and Zarr has no way to say that it was skipped");
    *out = (struct cel_chunk_location){.nbytes = n};
    return CEL_OK;
}

int cel_zarr_chunk_put(struct cel_store *store, const struct cel_var *var, const size_t *index, const void *encoded,
                       size_t n)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    int rc = key_of(var, index, &key);

    if (rc == CEL_OK)
        rc = cel_store_put_behind(store, key.data, encoded, n);
    cel_buf_dispose(&key);
    return rc;
}

int cel_zarr_chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                         const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    (void)at;
    atomic_store(&((struct cel_zarr_array *)var->priv)->changed, true);
    return array_of(var)->shard ? cel_zarr_shard_put(ds, var, index, encoded, n)
                                : cel_zarr_chunk_put(cel_zarr_of(ds)->store, var, index, encoded, n);
}
