/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that does not go by chunks, read without libhdf5: elements as they stand in the file (h5_raw.c, h5_raw_chunks.c),
 * made elements of memory (h5_value.c), and those of virtual datasets (h5_virtual.c). Numbers that are not in chunks need
 * neither lock nor copy; what leads into the global heap or to another dataset, or needs a chunk decoded, is read by one
 * thread at a time. */
#include "convert.h"
#include "env.h"
#include "h5_int.h"
#include <stdlib.h>

#define ELEMENTS_MAX ((size_t)64 << 20)
#define ELEMENTS_RATIO 64

struct cel_h5_own {
    struct cel_h5_where where;
    struct cel_h5r_dataset dataset;
    struct cel_h5r_file outside; /* other files that hold the elements; its source is NULL: there are none */
    const unsigned char *fill;   /* an element, for what was never written */
    unsigned char *zeros;
    struct cel_mutex lock;         /* guards the next three */
    struct cel_h5_virtual *parts;  /* NULL: it is not virtual */
    struct cel_h5r_chunks *chunks; /* NULL: the data is not in chunks */
    struct cel_h5r_reader *reader; /* of the global heap; NULL: not needed yet */
};

/* --- which types ------------------------------------------------------------------------- */

static bool is_known(const struct cel_h5r_datatype *t, int depth)
{
    if (t->odd_order || depth > 32 || t->klass == CEL_H5R_TIME || t->klass == CEL_H5R_BITFIELD ||
        t->klass == CEL_H5R_REFERENCE)
        return false;
    for (size_t i = 0; t->klass == CEL_H5R_COMPOUND && i < t->nparts; i++)
        if (!is_known(t->part[i].type, depth + 1))
            return false;
    return !t->base || is_known(t->base, depth + 1);
}

/* --- its life ------------------------------------------------------------------------------ */

static int make_chunks(struct cel_h5_own *own, const struct cel_chain *chain)
{
    struct cel_chain copy = {0};
    int rc = cel_chain_copy(chain, &copy);

    if (rc == CEL_OK)
        rc = cel_h5r_chunks_make(own->where.read, &own->dataset, &copy, &own->chunks);
    cel_chain_dispose(&copy);
    return rc;
}

/* The parts are a file of their own, in which the elements come first. */
static int open_external(struct cel_h5_own *own)
{
    own->dataset.layout.addr = 0;
    own->outside.size = own->dataset.layout.size;
    return cel_h5_external_open(own->where.io, &own->dataset, &own->outside.source);
}

static int make_reader(struct cel_h5_own *own)
{
    return own->reader ? CEL_OK : cel_h5r_reader_make(own->where.read, &own->reader);
}

static int make_virtual(struct cel_h5_own *own)
{
    int rc = make_reader(own);

    return rc == CEL_OK ? cel_h5_virtual_make(&own->where, own->reader, &own->dataset, &own->parts) : rc;
}

static int start(struct cel_h5_own *own, const struct cel_chain *chain)
{
    switch (own->dataset.layout.storage) {
    case CEL_H5R_CHUNKED:
        return make_chunks(own, chain);
    case CEL_H5R_VIRTUAL:
        return make_virtual(own);
    default:
        return own->dataset.external.n ? open_external(own) : CEL_OK;
    }
}

int cel_h5_own_make(const struct cel_h5_where *where, struct cel_h5r_dataset *d, const struct cel_chain *chain,
                    struct cel_h5_own **out)
{
    struct cel_h5_own *own;
    int rc;

    if (!is_known(d->form, 0) || (d->layout.storage == CEL_H5R_CHUNKED && cel_chain_usable(chain) != CEL_OK)) {
        cel_error_clear();
        return CEL_ASK_LIBHDF5;
    }
    own = cel_calloc(1, sizeof *own);
    if (!own)
        return NC_ENOMEM;
    cel_mutex_init(&own->lock);
    own->where = *where;
    own->dataset = *d;
    *d = (struct cel_h5r_dataset){0};
    own->zeros = cel_calloc(own->dataset.form->size, 1);
    own->fill = own->dataset.fill && !own->dataset.never_filled ? own->dataset.fill : own->zeros;
    rc = own->zeros ? start(own, chain) : NC_ENOMEM;
    if (rc == CEL_OK)
        *out = own;
    else
        cel_h5_own_free(own);
    return rc;
}

void cel_h5_own_free(struct cel_h5_own *own)
{
    if (!own)
        return;
    cel_h5_virtual_free(own->parts);
    cel_h5r_chunks_free(own->chunks);
    cel_h5r_reader_free(own->reader);
    cel_source_close(own->outside.source);
    cel_h5r_dataset_dispose(&own->dataset);
    cel_mutex_dispose(&own->lock);
    free(own->zeros);
    free(own);
}

const struct cel_h5r_dataset *cel_h5_own_dataset(const struct cel_h5_own *own)
{
    return &own->dataset;
}

const uint64_t *cel_h5_own_dims(const struct cel_h5_own *own)
{
    return own->parts ? cel_h5_virtual_dims(own->parts) : own->dataset.dims;
}

int cel_h5_own_locate(const struct cel_var *var, struct cel_chunk_location *out)
{
    const struct cel_h5_own *own = ((const struct cel_h5_var *)var->priv)->own;
    const struct cel_h5r_layout *l = &own->dataset.layout;
    bool contiguous = l->storage == CEL_H5R_CONTIGUOUS && !own->outside.source,
         written = !contiguous || l->addr != CEL_H5R_NOWHERE;
    uint64_t base = own->where.read->base;

    if (own->parts) {
        *out = (struct cel_chunk_location){.address = UINT64_MAX};
        return CEL_ABSENT;
    }
    *out = (struct cel_chunk_location){.address = contiguous && written ? l->addr + base : UINT64_MAX,
                                       .nbytes = (size_t)l->size};
    return written && l->size ? CEL_OK : CEL_ABSENT;
}

/* --- values ---------------------------------------------------------------------------------- */

/* A few bytes of a file can claim elements of any size: memory for them is in proportion to the file. */
static int check_size(const struct cel_h5_own *own, size_t n)
{
    uint64_t most = cel_env_max_decoded(ELEMENTS_MAX) + own->where.io->eof * ELEMENTS_RATIO;
    size_t elem = own->dataset.form->size;

    if (elem <= most / n)
        return CEL_OK;
    return cel_fail(NC_EHDFERR,
                    "%zu elements of %zu bytes each are more than a file of this size is believed to hold: "
                    "set CELLAR_MAX_DECODED to the bytes they may take, e.g. 4G",
                    n, elem);
}

static int read_raw(struct cel_h5_own *own, const struct cel_h5r_region *region, unsigned char *out)
{
    const struct cel_h5r_file *file = own->outside.source ? &own->outside : own->where.read;

    return own->chunks ? cel_h5r_chunks_read(own->chunks, region, own->fill, out)
                       : cel_h5r_raw_read(file, &own->dataset, region, own->fill, out);
}

static int convert(struct cel_h5_own *own, const struct cel_type *type, const unsigned char *raw, size_t n, void *data)
{
    struct cel_h5_bytes bytes = {.p = raw, .n = n * own->dataset.form->size};
    int rc = make_reader(own);

    memset(data, 0, n * type->size);
    if (rc == CEL_OK)
        rc = cel_h5r_values_read(own->reader, own->dataset.form, type, bytes, n, NULL, data);
    if (rc == CEL_OK)
        return CEL_OK;
    if (type->varsized)
        cel_value_reclaim(type, data, n);
    memset(data, 0, n * type->size);
    return rc == CEL_ASK_LIBHDF5 ? cel_fail(NC_EHDFERR, "values lead to where the file has none: it is damaged") : rc;
}

static int get_converted(struct cel_h5_own *own, const struct cel_type *type, const struct cel_h5r_region *region,
                         size_t n, void *data)
{
    int rc = check_size(own, n);
    unsigned char *raw = rc == CEL_OK ? cel_malloc_array(n, own->dataset.form->size) : NULL;

    if (rc == CEL_OK && !raw)
        rc = NC_ENOMEM;
    if (rc == CEL_OK) {
        cel_lock(&own->lock);
        rc = read_raw(own, region, raw);
        if (rc == CEL_OK)
            rc = convert(own, type, raw, n, data);
        cel_unlock(&own->lock);
    }
    free(raw);
    return rc;
}

int cel_h5_own_read(struct cel_h5_own *own, const struct cel_type *type, const struct cel_h5r_region *region, size_t n,
                    void *data)
{
    int rc;

    if (!own->parts)
        return get_converted(own, type, region, n, data);
    cel_lock(&own->lock);
    rc = cel_h5_virtual_get(own->parts, type, region, n, data);
    cel_unlock(&own->lock);
    return rc;
}

int cel_h5_own_get(const struct cel_var *var, const struct cel_h5r_region *region, size_t n, void *data)
{
    const struct cel_h5_var *v = var->priv;
    int rc;

    if (v->own->parts || v->own->chunks || !v->native || (v->swap && var->type->group))
        return cel_h5_own_read(v->own, var->type, region, n, data);
    rc = read_raw(v->own, region, data);
    if (rc == CEL_OK && v->swap)
        cel_swap_bytes(data, data, n, var->type->size);
    return rc;
}
