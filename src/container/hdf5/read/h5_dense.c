/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes and links in dense storage (an object with more than eight, or a large one): a fractal heap holds the
 * messages, a version 2 B-tree where they lie in it.
 *
 *   record of an attribute (type 8): heap id(8) message flags(1) creation order(4) hash of the name(4)
 *   record of a link (type 5): hash of the name(4) heap id(7)
 * HDF5 File Format Specification version 3, III.A.2. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { FLAG_SHARED = 2, RECORD_MAX = 17, WANTED_MAX = 64 };

const struct cel_h5r_dense_kind cel_h5r_dense_atts = {
    .type = 8, .message = CEL_H5R_ATTRIBUTE, .record = 17, .id_at = 0, .id_n = 8, .flags_at = 8, .order_at = 9};
const struct cel_h5r_dense_kind cel_h5r_dense_links = {
    .type = 5, .message = CEL_H5R_LINK, .record = 11, .id_at = 4, .id_n = 7, .flags_at = -1};

struct walk {
    struct cel_h5r_reader *reader;
    const struct cel_h5r_dense_kind *kind;
    struct cel_h5r_fractal_heap *heap;
    struct entry { /* a record, and where it stands in the index */
        size_t nth;
        uint64_t position; /* in the heap */
        unsigned char record[RECORD_MAX];
    } * at;
    size_t n;
    struct cel_buf copy;
    cel_h5r_body_fn *visit;
    void *data;
};

static int visit_message(struct walk *w, const unsigned char *record, size_t nth)
{
    const struct cel_h5r_dense_kind *kind = w->kind;
    bool shared = kind->flags_at >= 0 && (record[kind->flags_at] & FLAG_SHARED);
    unsigned order = kind->order_at ? cel_get_le32(record + kind->order_at) : 0;
    struct cel_h5_bytes body;
    int rc;

    if (shared) {
        rc = cel_h5r_sohm_get(w->reader, kind->message, record + kind->id_at, &w->copy);
        body = cel_h5r_bytes_of(&w->copy);
    } else {
        rc = cel_h5r_fractal_heap_get(w->heap, record + kind->id_at, &w->copy, &body);
    }
    return rc == CEL_OK ? w->visit(&body, order, nth, w->data) : rc;
}

/* --- a heap of one block: in the order of the index ------------------------------------------- */

static int visit_record(const unsigned char *record, void *data)
{
    struct walk *w = data;

    return visit_message(w, record, w->n++);
}

/* --- any other: in the order of the heap -------------------------------------------------------- */

static int note_record(const unsigned char *record, void *data)
{
    struct walk *w = data;
    struct entry *e = &w->at[w->n];

    e->nth = w->n++;
    e->position = cel_h5r_fractal_heap_position(w->heap, record + w->kind->id_at);
    memcpy(e->record, record, w->kind->record);
    return CEL_OK;
}

/* Names are hashed in the index: what lies together in the heap is visited together, so that each block is read once. */
static int by_position(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/* The blocks that will be visited first. */
static void want_blocks(struct walk *w)
{
    struct cel_range range[WANTED_MAX];
    size_t n = 0;

    for (size_t i = 0; i < w->n && n < WANTED_MAX; i++) {
        struct cel_range at = cel_h5r_fractal_heap_block_of(w->heap, w->at[i].record + w->kind->id_at);

        if (at.n && (n == 0 || at.offset != range[n - 1].offset))
            range[n++] = at;
    }
    cel_source_want(w->reader->file->source, range, n);
}

static int visit_sorted(struct walk *w, struct cel_h5r_btree2 *tree)
{
    int rc;

    w->at = cel_malloc_array((size_t)cel_h5r_btree2_count(tree), sizeof *w->at);
    if (!w->at)
        return NC_ENOMEM;
    rc = cel_h5r_btree2_each(tree, note_record, w);
    if (rc == CEL_OK && w->n > 1)
        qsort(w->at, w->n, sizeof *w->at, by_position);
    if (rc == CEL_OK)
        want_blocks(w);
    for (size_t i = 0; rc == CEL_OK && i < w->n; i++)
        rc = visit_message(w, w->at[i].record, w->at[i].nth);
    free(w->at);
    return rc;
}

static void want(const struct cel_h5r_file *file, struct cel_range a, struct cel_range b)
{
    const struct cel_range both[] = {a, b};

    cel_source_want(file->source, both, 2);
}

int cel_h5r_dense_each(struct cel_h5r_reader *r, const struct cel_h5r_dense_kind *kind,
                       const struct cel_h5r_dense *dense, cel_h5r_body_fn *visit, void *data)
{
    struct walk w = {
        .reader = r, .kind = kind, .visit = visit, .data = data, .copy = CEL_BUF_INIT((size_t)r->file->size)};
    struct cel_h5r_btree2 *tree = NULL;
    int rc;

    want(r->file, cel_h5r_range(r->file, dense->heap, CEL_H5R_HEAD_MAX),
         cel_h5r_range(r->file, dense->index, CEL_H5R_HEAD_MAX));
    rc = cel_h5r_fractal_heap_make(r->file, dense->heap, &w.heap);
    if (rc == CEL_OK && cel_h5r_fractal_heap_id_size(w.heap) != kind->id_n)
        rc = cel_h5r_damaged(r->file, dense->heap, "fractal heap", "its ids have another size");
    if (rc == CEL_OK)
        rc = cel_h5r_btree2_make(r->file, dense->index, kind->type, kind->record, &tree);
    if (rc == CEL_OK)
        want(r->file, cel_h5r_fractal_heap_root(w.heap), cel_h5r_btree2_root(tree));
    if (rc == CEL_OK)
        rc = cel_h5r_fractal_heap_is_one_block(w.heap) ? cel_h5r_btree2_each(tree, visit_record, &w)
                                                       : visit_sorted(&w, tree);
    cel_h5r_btree2_free(tree);
    cel_h5r_fractal_heap_free(w.heap);
    cel_buf_dispose(&w.copy);
    return rc;
}
