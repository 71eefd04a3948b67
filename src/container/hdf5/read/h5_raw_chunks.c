/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a dataset in chunks, as they stand in the file: for elements that memory has in another form, which the
 * array engine cannot take from chunks itself. The chunk decoded last is kept. */
#include "chunk_grid.h"
#include "h5_read_int.h"
#include <stdlib.h>

struct cel_h5r_chunks {
    const struct cel_h5r_file *file;
    const struct cel_h5r_dataset *dataset;
    struct cel_h5r_index *index;
    struct cel_chain chain;
    struct cel_scratch *scratch;
    size_t len[CEL_RANK_MAX];     /* of a chunk */
    struct cel_buf encoded, kept; /* kept: a chunk's elements, ... */
    size_t at[CEL_RANK_MAX];      /* ... of this one */
    bool holds;
};

static enum cel_kind kind_of(const struct cel_h5r_datatype *t)
{
    if (t->klass == CEL_H5R_FLOAT)
        return CEL_KIND_FLOAT;
    if (t->klass != CEL_H5R_INTEGER)
        return CEL_KIND_OTHER;
    return t->is_signed ? CEL_KIND_INT : CEL_KIND_UINT;
}

static int prepare(struct cel_h5r_chunks *c, const struct cel_h5r_datatype *form)
{
    struct cel_shape shape = {.elem_size = form->size, .kind = kind_of(form), .nbytes = form->size};

    shape.rank = c->dataset->rank;
    shape.big_endian = form->big_endian;

    for (int i = 0; i < shape.rank; i++) {
        shape.dims[i] = c->len[i];
        if (!cel_mul(shape.nbytes, c->len[i], &shape.nbytes))
            return cel_fail(NC_EBADCHUNK, "a chunk is larger than memory can be");
    }
    c->kept.max = shape.nbytes;
    return c->chain.n ? cel_chain_prepare(&c->chain, &shape, true) : CEL_OK;
}

int cel_h5r_chunks_make(const struct cel_h5r_file *file, const struct cel_h5r_dataset *d, struct cel_chain *chain,
                        struct cel_h5r_chunks **out)
{
    struct cel_h5r_chunks *c = *out = cel_calloc(1, sizeof *c);
    int rc;

    if (!c)
        return NC_ENOMEM;
    c->file = file;
    c->dataset = d;
    c->chain = *chain;
    *chain = (struct cel_chain){0};
    c->encoded = CEL_BUF_INIT(SIZE_MAX / 2);
    c->kept = CEL_BUF_INIT(SIZE_MAX / 2);
    for (int i = 0; i < d->rank; i++)
        c->len[i] = (size_t)d->layout.chunk[i];
    rc = prepare(c, d->form);
    if (rc == CEL_OK)
        rc = cel_scratch_make(&c->scratch);
    return rc == CEL_OK ? cel_h5r_index_make(file, d, &c->index) : rc;
}

void cel_h5r_chunks_free(struct cel_h5r_chunks *c)
{
    if (!c)
        return;
    cel_chain_dispose(&c->chain);
    cel_scratch_free(c->scratch);
    cel_h5r_index_free(c->index);
    cel_buf_dispose(&c->encoded);
    cel_buf_dispose(&c->kept);
    free(c);
}

/* --- one chunk --------------------------------------------------------------------------- */

static bool is_raw_edge(const struct cel_h5r_chunks *c, const size_t *at)
{
    const struct cel_h5r_dataset *d = c->dataset;

    for (int i = 0; d->layout.raw_edges && i < d->rank; i++)
        if (at[i] >= d->dims[i] / c->len[i])
            return true;
    return false;
}

static int decode(struct cel_h5r_chunks *c, const struct cel_chunk_location *at)
{
    size_t n = (size_t)c->dataset->layout.size;
    int rc = c->chain.n ? cel_chain_plausible(&c->chain, at->nbytes, at->skipped) : CEL_OK;

    if (rc == CEL_OK && !c->chain.n && at->nbytes < n)
        rc = cel_fail(NC_EHDFERR, "it has %zu bytes instead of %zu", at->nbytes, n);
    c->encoded.len = 0;
    if (rc == CEL_OK)
        rc = cel_buf_resize(&c->encoded, c->chain.n ? at->nbytes : n);
    if (rc == CEL_OK)
        rc = cel_source_read_at(c->file->source, at->address, c->encoded.data, c->encoded.len);
    if (rc == CEL_OK)
        rc = cel_buf_resize(&c->kept, n);
    if (rc == CEL_OK && c->chain.n)
        return cel_chain_decode(&c->chain, c->scratch, c->encoded.data, c->encoded.len, at->skipped, c->kept.data);
    if (rc == CEL_OK)
        memcpy(c->kept.data, c->encoded.data, n);
    return rc == CEL_BEYOND_END ? cel_fail(NC_EHDFERR, "it lies beyond the end of the file") : rc;
}

/* Its elements; CEL_ABSENT: it was never written. */
static int get_chunk(struct cel_h5r_chunks *c, const size_t *at)
{
    size_t nbytes = (size_t)c->dataset->rank * sizeof *at;
    struct cel_chunk_location found = {0};
    int rc;

    if (c->holds && memcmp(c->at, at, nbytes) == 0)
        return CEL_OK;
    c->holds = false;
    rc = cel_h5r_index_find(c->index, at, &found);
    if (rc == CEL_OK && is_raw_edge(c, at))
        found.skipped = UINT32_MAX;
    if (rc == CEL_OK)
        rc = decode(c, &found);
    if (rc < 0)
        cel_fail_in_chunk(rc, at, c->dataset->rank);
    if (rc != CEL_OK)
        return rc;
    memcpy(c->at, at, nbytes);
    c->holds = true;
    return CEL_OK;
}

/* --- a region ------------------------------------------------------------------------------- */

struct part { /* of the region in one chunk: positions in the region, and elements of the chunk */
    size_t from[CEL_RANK_MAX], count[CEL_RANK_MAX], first[CEL_RANK_MAX];
};

static void cut_part(const struct cel_h5r_chunks *c, const struct cel_h5r_region *r, const size_t *at, struct part *p)
{
    for (int i = 0; i < c->dataset->rank; i++) {
        size_t end = cel_chunk_end(c->len[i], at[i]), begin = at[i] * c->len[i];

        p->from[i] = cel_chunk_count_before(r->start[i], r->count[i], r->stride[i], begin);
        p->count[i] = cel_chunk_count_before(r->start[i], r->count[i], r->stride[i], end) - p->from[i];
        p->first[i] = r->start[i] + p->from[i] * r->stride[i] - begin;
    }
}

/* Element by element: what is read so is converted element by element, too. chunk NULL: the fill value instead. */
static void copy_part(const struct cel_h5r_chunks *c, const struct cel_h5r_region *r, const struct part *p,
                      const unsigned char *chunk, const unsigned char *fill, unsigned char *out)
{
    int rank = c->dataset->rank, d = 0;
    size_t index[CEL_RANK_MAX] = {0}, elem = c->dataset->form->size;

    while (d >= 0) {
        size_t to = 0, from = 0;

        for (int i = 0; i < rank; i++) {
            to = to * r->count[i] + p->from[i] + index[i];
            from = from * c->len[i] + p->first[i] + index[i] * r->stride[i];
        }
        memcpy(out + to * elem, chunk ? chunk + from * elem : fill, elem);
        for (d = rank - 1; d >= 0 && ++index[d] == p->count[d]; d--)
            index[d] = 0;
    }
}

int cel_h5r_chunks_read(struct cel_h5r_chunks *c, const struct cel_h5r_region *r, const unsigned char *fill,
                        unsigned char *out)
{
    struct cel_chunk_walk walk;
    int rc = CEL_OK;

    cel_chunk_walk_begin(&walk, c->dataset->rank, c->len, r->start, r->count, r->stride);
    for (; rc == CEL_OK && walk.more; cel_chunk_walk_next(&walk)) {
        struct part p;

        cut_part(c, r, walk.index, &p);
        rc = get_chunk(c, walk.index);
        if (rc == CEL_OK || rc == CEL_ABSENT)
            copy_part(c, r, &p, rc == CEL_OK ? (const unsigned char *)c->kept.data : NULL, fill, out);
        if (rc == CEL_ABSENT)
            rc = CEL_OK;
    }
    return rc;
}
