/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake.h"
#include "array.h"
#include "mem.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake *fake_of(struct cel_dataset *ds)
{
    return ds->container;
}

static struct fake_chunk *live_chunk(struct fake *f, struct cel_var *var, const size_t *index)
{
    for (size_t i = f->n; i-- > 0;)
        if (f->chunk[i].live && f->chunk[i].var == var &&
            memcmp(f->chunk[i].index, index, (size_t)var->ndims * sizeof *index) == 0)
            return &f->chunk[i];
    return NULL;
}

static void must_be_caller(struct cel_dataset *ds)
{
    if (!(ds->ops->thread_rules & CEL_CONCURRENT))
        assert(pthread_equal(fake_of(ds)->caller, pthread_self()));
}

static int extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    must_be_caller(ds);
    memcpy(var->layout.extent, extent, (size_t)var->ndims * sizeof *extent);
    return CEL_OK;
}

static int chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out)
{
    struct fake *f = fake_of(ds);
    struct fake_chunk *chunk;

    must_be_caller(ds);
    cel_lock(&f->lock);
    f->finds++;
    chunk = live_chunk(f, var, index);
    if (ds->ops->thread_rules & CEL_CONCURRENT)
        *out = (struct cel_chunk_location){chunk ? (uint64_t)(chunk - f->chunk) : SIZE_MAX, SIZE_MAX, 0, false};
    else if (chunk)
        *out = (struct cel_chunk_location){(uint64_t)(chunk - f->chunk), chunk->n, chunk->skipped, false};
    cel_unlock(&f->lock);
    return chunk || ds->ops->thread_rules & CEL_CONCURRENT ? CEL_OK : CEL_ABSENT;
}

static int chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, struct cel_buf *out)
{
    struct fake *f = fake_of(ds);
    int rc;

    if (at->address == SIZE_MAX)
        return CEL_ABSENT;
    cel_lock(&f->lock);
    f->reads++;
    assert(f->chunk[at->address].live && f->chunk[at->address].written);
    if (f->fail_read && --f->fail_read == 0)
        rc = cel_fail(NC_EHDFERR, "fake: this read fails");
    else
        rc = cel_buf_resize(out, f->chunk[at->address].n);
    if (rc == CEL_OK)
        memcpy(out->data, f->chunk[at->address].bytes, out->len);
    cel_unlock(&f->lock);
    return rc;
}

static int chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                          size_t n, uint32_t skipped, struct cel_chunk_location *out)
{
    struct fake *f = fake_of(ds);
    struct fake_chunk *old;

    must_be_caller(ds);
    for (int d = 0; d < var->ndims; d++)
        assert(index[d] * var->layout.chunk[d] < var->layout.extent[d]);
    cel_lock(&f->lock);
    f->places++;
    if (f->fail_place < 0 || (f->fail_place && --f->fail_place == 0)) {
        cel_unlock(&f->lock);
        return cel_fail(NC_EHDFERR, "fake: no room");
    }
    old = live_chunk(f, var, index);
    if (old)
        old->live = false;
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 64;
        f->chunk = realloc(f->chunk, f->cap * sizeof *f->chunk);
    }
    f->chunk[f->n] = (struct fake_chunk){.var = var, .bytes = malloc(n + 1), .n = n, .skipped = skipped, .live = true};
    memcpy(f->chunk[f->n].index, index, (size_t)var->ndims * sizeof *index);
    *out = (struct cel_chunk_location){f->n++, n, skipped, false};
    cel_unlock(&f->lock);
    return CEL_OK;
}

static int chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    struct fake *f = fake_of(ds);

    cel_lock(&f->lock);
    assert(f->chunk[at->address].live && f->chunk[at->address].n == n);
    memcpy(f->chunk[at->address].bytes, encoded, n);
    f->chunk[at->address].written = true;
    cel_unlock(&f->lock);
    return CEL_OK;
}

static int plain_move(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                      const ptrdiff_t *stride, char *data, bool put)
{
    struct fake *f = fake_of(ds);
    size_t at[CEL_RANK_MAX] = {0}, size = var->type->size;

    must_be_caller(ds);
    for (int d = 0; d < var->ndims; d++)
        assert(count[d] && start[d] + (count[d] - 1) * (size_t)(stride ? stride[d] : 1) < var->layout.extent[d]);
    for (;;) {
        size_t where = 0;
        int d;

        for (d = 0; d < var->ndims; d++)
            where = where * f->plain_shape[d] + start[d] + at[d] * (size_t)(stride ? stride[d] : 1);
        if (put)
            memcpy(f->plain + where * size, data, size);
        else
            memcpy(data, f->plain + where * size, size);
        data += size;
        for (d = var->ndims - 1; d >= 0 && ++at[d] == count[d]; d--)
            at[d] = 0;
        if (d < 0)
            return CEL_OK;
    }
}

static int unchunked_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, void *data)
{
    return plain_move(ds, var, start, count, stride, data, false);
}

static int unchunked_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, const void *data)
{
    return plain_move(ds, var, start, count, stride, (char *)data, true);
}

static const struct cel_container_ops ops[2] = {{.name = "fake",
                                                 .features = CEL_KEEPS_ALL,
                                                 .extend = extend,
                                                 .chunk_find = chunk_find,
                                                 .chunk_read = chunk_read,
                                                 .chunk_allocate = chunk_allocate,
                                                 .chunk_write = chunk_write,
                                                 .unchunked_get = unchunked_get,
                                                 .unchunked_put = unchunked_put},
                                                {.name = "fake",
                                                 .features = CEL_KEEPS_ALL,
                                                 .thread_rules = CEL_CONCURRENT,
                                                 .extend = extend,
                                                 .chunk_find = chunk_find,
                                                 .chunk_read = chunk_read,
                                                 .chunk_allocate = chunk_allocate,
                                                 .chunk_write = chunk_write,
                                                 .unchunked_get = unchunked_get,
                                                 .unchunked_put = unchunked_put}};

int fake_make(struct cel_dataset **ds, unsigned more_keeps)
{
    int rc = cel_dataset_make("fake", NC_NETCDF4, ds);

    if (rc != CEL_OK)
        return rc;
    (*ds)->writable = (*ds)->defining = true;
    (*ds)->ops = &ops[more_keeps ? 1 : 0];
    (*ds)->container = calloc(1, sizeof(struct fake));
    fake_of(*ds)->caller = pthread_self();
    cel_mutex_init(&fake_of(*ds)->lock);
    return CEL_OK;
}

void fake_free(struct cel_dataset *ds)
{
    struct fake *f = fake_of(ds);

    cel_array_forget_puts(ds);
    for (size_t v = 0; v < ds->root->vars.n; v++)
        cel_array_free(ds->root->vars.at[v]);
    for (size_t i = 0; i < f->n; i++)
        free(f->chunk[i].bytes);
    free(f->chunk);
    free(f->plain);
    cel_mutex_dispose(&f->lock);
    free(f);
    cel_dataset_free(ds);
}

struct cel_var *fake_var(struct cel_dataset *ds, const char *name, const struct cel_type *type, int ndims,
                         const size_t *lens, const bool *unlimited, const size_t *chunks, const char *chain)
{
    struct cel_dim *dims[CEL_RANK_MAX];
    struct cel_var *var = NULL;
    char dim_name[64];
    int rc = CEL_OK;

    for (int d = 0; rc == CEL_OK && d < ndims; d++) {
        snprintf(dim_name, sizeof dim_name, "%s_dim%d", name, d);
        rc = cel_dim_def(ds->root, dim_name, unlimited && unlimited[d] ? 0 : lens[d], unlimited && unlimited[d],
                         &dims[d]);
    }
    if (rc == CEL_OK)
        rc = cel_var_def(ds->root, name, type, ndims, dims, &var);
    assert(rc == CEL_OK);
    if (chain && *chain) {
        struct cel_chain parsed = {0};

        rc = cel_chain_parse(chain, &parsed, NULL);
        assert(rc == CEL_OK);
        var->chain = parsed;
    }
    free(var->layout.chunk);
    var->layout.chunk = chunks || !ndims ? cel_memdup(chunks ? chunks : lens, (size_t)ndims * sizeof *chunks) : NULL;
    var->layout.storage = chunks || !ndims ? CEL_CHUNKED : CEL_CONTIGUOUS;
    var->layout.unchunked = ndims && !chunks;
    var->loaded = true;
    var->saved = CEL_SAVED;
    return var;
}

uint64_t fake_digest(struct cel_dataset *ds)
{
    struct fake *f = fake_of(ds);
    uint64_t h = 1469598103934665603u;

    for (size_t i = 0; i < f->n; i++) {
        const struct fake_chunk *chunk = &f->chunk[i];

        for (int d = 0; d < chunk->var->ndims; d++)
            h = (h ^ chunk->index[d]) * 1099511628211u;
        for (size_t b = 0; b < chunk->n; b++)
            h = (h ^ (unsigned char)chunk->bytes[b]) * 1099511628211u;
        h = (h ^ chunk->n ^ ((uint64_t)chunk->skipped << 32)) * 1099511628211u;
    }
    return h;
}
