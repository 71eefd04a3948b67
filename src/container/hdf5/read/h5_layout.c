/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the elements of a dataset lie: its layout message.
 *
 *   versions 1, 2: version(1) dimensions(1) class(1) 0(5) [address(O), not compact] lengths(4 each)
 *                  [chunked: length of an element(4)] [compact: bytes(4) data]
 *   version 3:     3 class(1), then
 *     compact      bytes(2) data
 *     contiguous   address(O) bytes(L)
 *     chunked      dimensions + 1(1) index address(O) lengths(4 each), the last one that of an element
 *   versions 4, 5: version(1) class(1); compact and contiguous as in 3, and
 *     chunked      flags(1) dimensions + 1(1) bytes of a length(1) lengths index kind(1) parameters index address(O)
 *                  flags: 1 edge chunks have no filters, 2 the one chunk's size is told here
 *                  parameters: one chunk [bytes(L) mask(4)], fixed array(1), extensible array(5), B-tree 2(6)
 *     virtual      heap address(O) heap index(4)
 * Classes: 0 compact, 1 contiguous, 2 chunked, 3 virtual. In version 1 and 2 of a contiguous dataset the size follows
 * from its shape and type. From version 5 on chunks may have 4 GiB and more.
 * HDF5 File Format Specification version 3, IV.A.2.i. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { FLAG_RAW_EDGES = 1, FLAG_SINGLE_FILTERED = 2 };

struct parse {
    const struct cel_h5r_file *file;
    struct cel_h5_bytes b;
    struct cel_h5r_layout *out;
};

static int ended(const struct parse *p)
{
    return cel_h5r_ended(&p->b, "layout");
}

static int take_compact(struct parse *p, size_t width)
{
    size_t n = (size_t)cel_h5_take_number(&p->b, width);
    const unsigned char *bytes = cel_h5_take(&p->b, n);

    if (p->b.ended)
        return ended(p);
    p->out->compact = cel_malloc(n ? n : 1);
    if (!p->out->compact)
        return NC_ENOMEM;
    if (n)
        memcpy(p->out->compact, bytes, n);
    p->out->size = n;
    return CEL_OK;
}

static int take_contiguous(struct parse *p)
{
    p->out->addr = cel_h5r_take_address(p->file, &p->b);
    p->out->size = cel_h5_take_number(&p->b, p->file->length_size);
    return ended(p);
}

/* --- chunks ---------------------------------------------------------------------------- */

/* The last length is that of an element. Before version 5 no chunk has 4 GiB. */
static int take_lengths(struct parse *p, uint64_t n, size_t width)
{
    struct cel_h5r_layout *out = p->out;
    uint64_t most = out->version < 5 ? UINT32_MAX : INT64_MAX;

    if (p->b.ended || n < 2 || n > CEL_RANK_MAX + 1 || width == 0 || width > 8)
        return cel_h5r_bad_message("layout", "its chunks have an impossible number of dimensions");
    out->rank = (int)n - 1;
    for (int i = 0; i < out->rank; i++)
        out->chunk[i] = cel_h5_take_number(&p->b, width);
    out->elem = out->size = cel_h5_take_number(&p->b, width);
    if (p->b.ended)
        return ended(p);
    for (int i = 0; i < out->rank; i++) {
        if (out->chunk[i] == 0 || out->elem == 0)
            return cel_h5r_bad_message("layout", "its chunks have no elements");
        if (out->chunk[i] > most / out->size)
            return cel_fail(NC_EHDFERR, "its chunks have 4 GiB or more, which this kind of dataset cannot have");
        out->size *= out->chunk[i];
    }
    return CEL_OK;
}

static int take_chunked_v3(struct parse *p)
{
    uint64_t n = cel_h5_take_number(&p->b, 1);

    p->out->kind = CEL_H5R_INDEX_BTREE1;
    p->out->addr = cel_h5r_take_address(p->file, &p->b);
    return take_lengths(p, n, 4);
}

static int take_index(struct parse *p, bool single_filtered)
{
    static const unsigned char parameters[] = {[CEL_H5R_INDEX_SINGLE] = 0,
                                               [CEL_H5R_INDEX_IMPLICIT] = 0,
                                               [CEL_H5R_INDEX_FIXED] = 1,
                                               [CEL_H5R_INDEX_EXTENSIBLE] = 5,
                                               [CEL_H5R_INDEX_BTREE2] = 6};
    uint64_t kind = cel_h5_take_number(&p->b, 1);

    if (kind < CEL_H5R_INDEX_SINGLE || kind > CEL_H5R_INDEX_BTREE2)
        return CEL_ASK_LIBHDF5;
    p->out->kind = (enum cel_h5r_index_kind)kind;
    p->out->single_filtered = kind == CEL_H5R_INDEX_SINGLE && single_filtered;
    if (p->out->single_filtered) {
        p->out->single_size = cel_h5_take_number(&p->b, p->file->length_size);
        p->out->single_mask = (uint32_t)cel_h5_take_number(&p->b, 4);
    }
    cel_h5_take(&p->b, parameters[kind]); /* the index itself has them, too */
    p->out->addr = cel_h5r_take_address(p->file, &p->b);
    return ended(p);
}

static int take_chunked_v4(struct parse *p)
{
    uint64_t flags = cel_h5_take_number(&p->b, 1), n = cel_h5_take_number(&p->b, 1);
    size_t width = (size_t)cel_h5_take_number(&p->b, 1);
    int rc = flags & ~(uint64_t)(FLAG_RAW_EDGES | FLAG_SINGLE_FILTERED) ? CEL_ASK_LIBHDF5 : take_lengths(p, n, width);

    p->out->raw_edges = flags & FLAG_RAW_EDGES;
    return rc == CEL_OK ? take_index(p, flags & FLAG_SINGLE_FILTERED) : rc;
}

static int take_virtual(struct parse *p)
{
    p->out->addr = cel_h5r_take_address(p->file, &p->b);
    p->out->heap_index = (uint32_t)cel_h5_take_number(&p->b, 4);
    return p->out->version < 4 ? CEL_ASK_LIBHDF5 : ended(p);
}

/* --- all versions ------------------------------------------------------------------------ */

static int take_old(struct parse *p)
{
    uint64_t n = cel_h5_take_number(&p->b, 1);

    p->out->storage = (enum cel_h5r_storage)cel_h5_take_number(&p->b, 1);
    cel_h5_take(&p->b, 5);
    if (p->out->storage != CEL_H5R_COMPACT)
        p->out->addr = cel_h5r_take_address(p->file, &p->b);
    if (p->out->storage == CEL_H5R_CHUNKED) {
        p->out->kind = CEL_H5R_INDEX_BTREE1;
        return take_lengths(p, n, 4);
    }
    cel_h5_take(&p->b, (size_t)n * 4);
    p->out->size_from_shape = p->out->storage == CEL_H5R_CONTIGUOUS;
    if (p->out->storage == CEL_H5R_COMPACT)
        return take_compact(p, 4);
    return p->out->storage != CEL_H5R_CONTIGUOUS ? CEL_ASK_LIBHDF5 : ended(p);
}

static int take_new(struct parse *p)
{
    p->out->storage = (enum cel_h5r_storage)cel_h5_take_number(&p->b, 1);
    switch (p->out->storage) {
    case CEL_H5R_COMPACT:
        return take_compact(p, 2);
    case CEL_H5R_CONTIGUOUS:
        return take_contiguous(p);
    case CEL_H5R_CHUNKED:
        return p->out->version == 3 ? take_chunked_v3(p) : take_chunked_v4(p);
    case CEL_H5R_VIRTUAL:
        return take_virtual(p);
    }
    return CEL_ASK_LIBHDF5;
}

int cel_h5r_layout_read(const struct cel_h5r_file *file, struct cel_h5_bytes body, struct cel_h5r_layout *out)
{
    struct parse p = {.file = file, .b = body, .out = out};

    *out = (struct cel_h5r_layout){.addr = CEL_H5R_NOWHERE};
    out->version = (int)cel_h5_take_number(&p.b, 1);
    if (p.b.ended || out->version < 1 || out->version > 5)
        return p.b.ended ? ended(&p) : CEL_ASK_LIBHDF5;
    return out->version < 3 ? take_old(&p) : take_new(&p);
}
