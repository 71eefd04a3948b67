/* SPDX-License-Identifier: BSD-3-Clause */
/* What object headers say. To learn of 1000 datasets whether each is a variable or only a
 * dimension, opening them through libhdf5 takes 17 to 40 ms, and one pread each 0.6. All
 * metadata must be on disk: files just opened, and files that nobody writes.
 *
 *   space: version(1) rank(1) flags(1) [version 1: reserved 5 | version 2: kind 1] dims(length each) [maxdims(length each)]
 *   type: class and version(1) bits(3) size(4) ...
 *   layout: version(1), from version 3 on class(1)
 * HDF5 File Format Specification version 3, chapter IV.A. */
#include "h5_read_int.h"

enum { LAYOUT_VIRTUAL = 3 };

struct parse {
    const struct cel_h5r_reader *reader;
    struct cel_h5r_object *out;
    bool datatype, layout;
    struct cel_h5r_dense atts;  /* all attributes, where a heap has them */
    bool again;                 /* some are not where they should be: all are looked at once more */
    struct cel_buf space, type; /* references to messages that lie elsewhere; empty: none */
};

bool cel_h5r_is_user_class(int klass)
{
    return klass == CEL_H5R_COMPOUND || klass == CEL_H5R_ENUM || klass == CEL_H5R_OPAQUE || klass == CEL_H5R_VLEN;
}

/* Where lengths are shorter than 8 bytes libhdf5 does not see that a dimension is unlimited, so that it is not. */
int cel_h5r_space_read(const struct cel_h5r_reader *r, struct cel_h5_bytes b, struct cel_h5r_object *out)
{
    uint64_t version = cel_h5_take_number(&b, 1), rank = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);
    uint64_t kind = cel_h5_take_number(&b, version == 1 ? 5 : 1);

    if ((version != 1 && version != 2) || rank > CEL_RANK_MAX)
        return CEL_ASK_LIBHDF5;
    out->null_space = version == 2 && kind == 2;
    out->rank = (int)rank;
    for (int d = 0; d < out->rank; d++)
        out->dims[d] = cel_h5_take_number(&b, r->file->length_size);
    for (int d = 0; d < out->rank; d++)
        out->maxdims[d] = flags & 1 ? cel_h5_take_number(&b, r->file->length_size) : out->dims[d];
    return cel_h5r_ended(&b, "shape");
}

int cel_h5r_type_class(const struct cel_h5_bytes *type)
{
    int klass = type->n < 8 ? CEL_H5R_NO_CLASS : type->p[0] & 15;

    if (klass == CEL_H5R_COMPLEX)
        return CEL_H5R_COMPOUND;
    return klass == CEL_H5R_VLEN && (type->p[1] & 15) == 1 ? CEL_H5R_STRING : klass;
}

int cel_h5r_type_read(struct cel_h5_bytes b, struct cel_h5r_object *out)
{
    uint64_t bits, size;

    out->type_class = cel_h5r_type_class(&b);
    cel_h5_take(&b, 1);
    bits = cel_h5_take_number(&b, 3);
    size = cel_h5_take_number(&b, 4);
    out->type_size = (size_t)size;
    out->big_endian = (out->type_class == CEL_H5R_INTEGER || out->type_class == CEL_H5R_FLOAT) && (bits & 1);
    return cel_h5r_ended(&b, "type");
}

/* netCDF-C writes a copy of a committed type with each variable: equal bytes, equal types. */
static int read_type(const struct cel_h5r_message *m, struct parse *p)
{
    struct cel_h5r_object *o = p->out;
    int rc;

    if (m->shared) {
        o->type_addr = cel_h5r_committed_at(p->reader, m->body);
        return cel_buf_add(&p->type, m->body.p, m->body.n);
    }
    rc = cel_h5r_type_read(m->body, o);
    if (rc == CEL_OK && cel_h5r_is_user_class(o->type_class))
        o->type_sum = cel_h5_sum(m->body.p, m->body.n);
    return rc;
}

/* How long a virtual dataset is depends on what it is made of. */
static bool is_virtual(struct cel_h5_bytes layout)
{
    return layout.n >= 2 && layout.p[0] >= 4 && layout.p[1] == LAYOUT_VIRTUAL;
}

static int note_attribute(const struct cel_h5r_message *m, struct parse *p)
{
    int rc = m->shared ? CEL_ABSENT : cel_h5r_attribute_note(p->reader, m->body, p->out);

    p->again = p->again || rc == CEL_ABSENT;
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int read_message(const struct cel_h5r_message *m, void *data)
{
    struct parse *p = data;

    switch (m->type) {
    case CEL_H5R_DATASPACE:
        return m->shared ? cel_buf_add(&p->space, m->body.p, m->body.n)
                         : cel_h5r_space_read(p->reader, m->body, p->out);
    case CEL_H5R_DATATYPE:
        p->datatype = true;
        return read_type(m, p);
    case CEL_H5R_LAYOUT:
        p->layout = true;
        p->out->is_virtual = is_virtual(m->body);
        return CEL_OK;
    case CEL_H5R_LINK_INFO:
    case CEL_H5R_LINK:
    case CEL_H5R_GROUP_INFO:
    case CEL_H5R_SYMBOL_TABLE:
        p->out->kind = CEL_H5R_GROUP;
        return CEL_OK;
    case CEL_H5R_ATTRIBUTE:
        return note_attribute(m, p);
    case CEL_H5R_ATTRIBUTE_INFO:
        return cel_h5r_attribute_info_read(p->reader, m->body, &p->atts);
    default:
        return CEL_OK;
    }
}

static enum cel_h5r_kind kind_of(const struct parse *p)
{
    if (p->layout && p->datatype && p->out->rank >= 0)
        return CEL_H5R_DATASET;
    if (p->out->kind == CEL_H5R_GROUP)
        return CEL_H5R_GROUP;
    return p->datatype ? CEL_H5R_TYPE : CEL_H5R_OTHER;
}

static int note_dense(const struct cel_h5_bytes *body, unsigned order, size_t nth, void *data)
{
    const struct cel_h5r_message m = {.body = *body, .order = order};

    (void)nth;
    return note_attribute(&m, data);
}

/* Damage of attributes is not the object's: libhdf5 says what is left of it. */
static int read_other_atts(struct cel_h5r_reader *r, uint64_t addr, struct parse *p)
{
    int rc =
        p->atts.heap == CEL_H5R_NOWHERE ? CEL_OK : cel_h5r_dense_each(r, &cel_h5r_dense_atts, &p->atts, note_dense, p);

    if (rc == CEL_OK && p->again)
        rc = cel_h5r_attributes_note(r, addr, p->out);
    if (rc == CEL_OK || rc == NC_ENOMEM || rc == CEL_ASK_LIBHDF5)
        return rc;
    cel_error_clear();
    return CEL_ASK_LIBHDF5;
}

/* Of a type that the file does not name, equal bytes mean equal types here, too. */
static int read_shared_parts(struct cel_h5r_reader *r, struct parse *p)
{
    struct cel_buf real = CEL_BUF_INIT((size_t)r->file->size);
    int rc = CEL_OK;

    if (p->space.len > 0) {
        rc = cel_h5r_shared_read(r, CEL_H5R_DATASPACE, cel_h5r_bytes_of(&p->space), &real);
        rc = rc == CEL_OK ? cel_h5r_space_read(r, cel_h5r_bytes_of(&real), p->out) : rc;
    }
    real.len = 0;
    if (rc == CEL_OK && p->type.len > 0) {
        rc = cel_h5r_shared_read(r, CEL_H5R_DATATYPE, cel_h5r_bytes_of(&p->type), &real);
        rc = rc == CEL_OK ? cel_h5r_type_read(cel_h5r_bytes_of(&real), p->out) : rc;
    }
    if (rc == CEL_OK && p->type.len > 0 && !p->out->type_addr && cel_h5r_is_user_class(p->out->type_class))
        p->out->type_sum = cel_h5_sum((const unsigned char *)real.data, real.len);
    cel_buf_dispose(&real);
    return rc;
}

int cel_h5r_object_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_object *out)
{
    struct parse p = {.reader = r,
                      .out = out,
                      .atts = {CEL_H5R_NOWHERE, CEL_H5R_NOWHERE},
                      .space = CEL_BUF_INIT(UINT16_MAX),
                      .type = CEL_BUF_INIT(UINT16_MAX)};
    int rc;

    *out = CEL_H5R_OBJECT_INIT;
    rc = cel_h5r_messages_each(r, addr, read_message, &p);
    if (rc == CEL_OK)
        rc = read_shared_parts(r, &p);
    if (rc == CEL_OK)
        rc = read_other_atts(r, addr, &p);
    cel_buf_dispose(&p.space);
    cel_buf_dispose(&p.type);
    if (rc != CEL_OK)
        return cel_h5r_fail_in_object(r->file, addr, rc);
    out->dim_only = out->dim_only && out->is_scale;
    out->kind = kind_of(&p);
    return out->kind == CEL_H5R_OTHER ? CEL_ASK_LIBHDF5 : CEL_OK;
}
