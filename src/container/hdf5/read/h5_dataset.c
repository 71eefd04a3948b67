/* SPDX-License-Identifier: BSD-3-Clause */
/* How a dataset is stored, as its header says: shape, type, fill value, filters that are built in, and layout. All else is
 * libhdf5's to read, and so is every message that looks unusual.
 *
 *   type: h5_datatype.c, shape: h5_object.c, layout: h5_layout.c, other files: h5_external.c, filters: h5_filters.c
 *   fill: 1 when(1) when(1) defined(1) size(4) value, 2 when(1) when(1) defined(1) [size(4) value],
 *         3 flags(1) [size(4) value]
 *   old fill: size(4) value
 * HDF5 File Format Specification version 3, IV.A.2. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { SEEN_TYPE = 1, SEEN_SPACE = 2, SEEN_LAYOUT = 4, SEEN_ALL = 7 };
enum { NEVER = 1, IF_SET = 2 }; /* when fill values are written; what libhdf5 makes of all else depends on the layout */
enum { SHARED_MAX = 4 };

struct parse {
    const struct cel_h5r_reader *reader;
    struct cel_h5r_dataset *out;
    int seen;
    bool new_fill; /* the fill value is of the message that counts, where there are two */
    struct {       /* messages that lie elsewhere: read after the header, whose messages lie in the reader's blocks */
        int type;
        struct cel_buf body;
    } shared[SHARED_MAX];
    int nshared;
};

/* --- type -------------------------------------------------------------------------- */

static int read_type(struct parse *d, struct cel_h5_bytes b)
{
    d->seen |= SEEN_TYPE;
    return cel_h5r_datatype_decode(b.p, b.n, &d->out->form);
}

/* --- fill value ------------------------------------------------------------------------ */

/* A fill value of its own has a size; libhdf5's default, and none at all, have not. -1: none at all. */
static int take_fill(struct parse *d, struct cel_h5_bytes b, uint64_t size)
{
    struct cel_h5r_dataset *out = d->out;

    if (size == UINT32_MAX)
        size = 0;
    if (b.ended || size > b.n)
        return cel_h5r_bad_message("fill value", "it ends too early");
    free(out->fill);
    out->fill = size ? cel_memdup(b.p, (size_t)size) : NULL;
    out->nfill = (size_t)size;
    return size && !out->fill ? NC_ENOMEM : CEL_OK;
}

static int read_fill(struct parse *d, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags, when, size;
    bool told;

    if (version < 1 || version > 3)
        return CEL_ASK_LIBHDF5;
    d->new_fill = true;
    cel_h5_take_if(&b, version < 3, 1); /* when space is taken */
    when = cel_h5_take_if(&b, version < 3, 1);
    flags = cel_h5_take_number(&b, 1);
    if (version == 3)
        when = flags >> 2 & 3;
    if (when > IF_SET)
        return CEL_ASK_LIBHDF5;
    d->out->never_filled = when == NEVER;
    told = version == 1 || (version == 2 ? flags != 0 : (flags & 32) != 0);
    size = cel_h5_take_if(&b, told, 4);
    return take_fill(d, b, size);
}

static int read_old_fill(struct parse *d, struct cel_h5_bytes b)
{
    uint64_t size = cel_h5_take_number(&b, 4);

    return d->new_fill ? CEL_OK : take_fill(d, b, size);
}

/* --- shape and layout ---------------------------------------------------------------------- */

static int read_space(struct parse *d, struct cel_h5_bytes b)
{
    struct cel_h5r_object o = CEL_H5R_OBJECT_INIT;
    int rc = cel_h5r_space_read(d->reader, b, &o);

    if (rc != CEL_OK)
        return rc;
    d->out->rank = o.rank;
    d->out->null_space = o.null_space;
    memcpy(d->out->dims, o.dims, sizeof o.dims);
    memcpy(d->out->maxdims, o.maxdims, sizeof o.maxdims);
    d->seen |= SEEN_SPACE;
    return CEL_OK;
}

static int read_layout(struct parse *d, struct cel_h5_bytes b)
{
    d->seen |= SEEN_LAYOUT;
    return cel_h5r_layout_read(d->reader->file, b, &d->out->layout);
}

static int read_external(struct parse *d, struct cel_h5_bytes b)
{
    return cel_h5r_external_read(d->reader->file, b, &d->out->external);
}

static int read_filters(struct parse *d, struct cel_h5_bytes b)
{
    return d->out->chain.n != 0 ? CEL_ASK_LIBHDF5 : cel_h5r_filters_read(b, &d->out->chain);
}

/* --- all of it ---------------------------------------------------------------------------------- */

static int read_body(struct parse *d, int type, struct cel_h5_bytes body)
{
    static const struct {
        int type;
        int (*read)(struct parse *d, struct cel_h5_bytes b);
    } readers[] = {{CEL_H5R_DATATYPE, read_type},  {CEL_H5R_DATASPACE, read_space},
                   {CEL_H5R_FILL, read_fill},      {CEL_H5R_OLD_FILL, read_old_fill},
                   {CEL_H5R_LAYOUT, read_layout},  {CEL_H5R_EXTERNAL, read_external},
                   {CEL_H5R_FILTERS, read_filters}};

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].type == type)
            return readers[i].read(d, body);
    return CEL_OK;
}

static int note_shared(struct parse *d, const struct cel_h5r_message *m)
{
    if (m->type == CEL_H5R_DATATYPE)
        d->out->committed = cel_h5r_committed_at(d->reader, m->body);
    if (m->type == CEL_H5R_ATTRIBUTE)
        return CEL_OK;
    if (d->nshared == SHARED_MAX)
        return CEL_ASK_LIBHDF5;
    d->shared[d->nshared].type = m->type;
    d->shared[d->nshared].body = CEL_BUF_INIT(SIZE_MAX / 2);
    return cel_buf_add(&d->shared[d->nshared++].body, m->body.p, m->body.n);
}

static int read_message(const struct cel_h5r_message *m, void *data)
{
    return m->shared ? note_shared(data, m) : read_body(data, m->type, m->body);
}

static int read_shared(struct parse *d, struct cel_h5r_reader *r, int i)
{
    struct cel_buf real = CEL_BUF_INIT(SIZE_MAX / 2);
    int rc = cel_h5r_shared_read(r, d->shared[i].type, cel_h5r_bytes_of(&d->shared[i].body), &real);

    if (rc == CEL_OK)
        rc = read_body(d, d->shared[i].type, cel_h5r_bytes_of(&real));
    cel_buf_dispose(&real);
    return rc;
}

/* The bytes that all elements take; false: more than there can be. */
static bool size_of(const struct cel_h5r_dataset *d, uint64_t *out)
{
    *out = d->form->size;
    for (int i = 0; i < d->rank; i++) {
        if (d->dims[i] && *out > UINT64_MAX / d->dims[i])
            return false;
        *out *= d->dims[i];
    }
    return true;
}

/* Elements in a row: a dataset without data may be larger than any file. */
static int check_row(struct cel_h5r_dataset *d)
{
    struct cel_h5r_layout *l = &d->layout;
    bool unwritten = l->addr == CEL_H5R_NOWHERE && l->storage == CEL_H5R_CONTIGUOUS;
    uint64_t size;

    if (!size_of(d, &size) || (size > INT64_MAX && !unwritten))
        return cel_h5r_bad_message("shape", "it has more elements than a file can hold");
    if (l->size_from_shape || d->external.n)
        l->size = size;
    return unwritten || l->size >= size ? CEL_OK
                                        : cel_h5r_bad_message("layout", "it has fewer bytes than its elements");
}

static int check_layout(struct cel_h5r_dataset *d)
{
    struct cel_h5r_layout *l = &d->layout;

    if (d->external.n && l->storage != CEL_H5R_CONTIGUOUS)
        return CEL_ASK_LIBHDF5;
    if (l->storage == CEL_H5R_VIRTUAL)
        return d->filtered ? CEL_ASK_LIBHDF5 : CEL_OK;
    if (l->storage == CEL_H5R_CHUNKED)
        return l->rank == d->rank && l->elem == d->form->size
                   ? CEL_OK
                   : cel_h5r_bad_message("layout", "its chunks are not those of its shape and type");
    return d->filtered ? CEL_ASK_LIBHDF5 : check_row(d);
}

static int check(const struct parse *d)
{
    if (d->seen != SEEN_ALL)
        return cel_h5r_bad_message("header", "it lacks type, shape or layout");
    if (d->out->nfill && d->out->nfill != d->out->form->size)
        return cel_h5r_bad_message("fill value", "it has another size than an element");
    return d->out->null_space ? CEL_OK : check_layout(d->out);
}

int cel_h5r_dataset_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_dataset *out)
{
    struct parse d = {.reader = r, .out = out};
    int rc;

    *out = (struct cel_h5r_dataset){0};
    rc = cel_h5r_messages_each(r, addr, read_message, &d);
    for (int i = 0; i < d.nshared; i++) {
        if (rc == CEL_OK)
            rc = read_shared(&d, r, i);
        cel_buf_dispose(&d.shared[i].body);
    }
    out->filtered = out->chain.n > 0;
    if (rc == CEL_OK)
        rc = check(&d);
    if (rc != CEL_OK)
        cel_h5r_dataset_dispose(out);
    return cel_h5r_fail_in_object(r->file, addr, rc);
}

void cel_h5r_dataset_dispose(struct cel_h5r_dataset *d)
{
    cel_chain_dispose(&d->chain);
    cel_h5r_datatype_free(d->form);
    cel_h5r_external_dispose(&d->external);
    free(d->fill);
    free(d->layout.compact);
    *d = (struct cel_h5r_dataset){0};
}
