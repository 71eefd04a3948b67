/* What object headers say, read without libhdf5. Opening 1000 datasets through
 * libhdf5 to learn whether each is a variable or only a dimension takes 17 to 40 ms;
 * one pread each takes 0.6. Only for files just opened, whose metadata is all on
 * disk. Anything unusual answers "ask libhdf5": a wrong answer is never given.
 * HDF5 File Format Specification version 3, chapter IV.A. */
#include "h5_raw.h"

struct scan {
    struct cel_h5_header *out;
    bool datatype, layout;
    uint64_t heap, index; /* of attributes; UINT64_MAX: none */
};

/* --- messages: false means "ask libhdf5" ------------------------------------------- */

/* version(1) rank(1) flags(1) [reserved 5 | type 1] dims(8 each) [maxdims] */
static bool read_space(struct cel_h5_bytes b, struct cel_h5_header *h)
{
    uint64_t version, rank, flags, kind = 1;
    int d;

    if (!cel_h5_take_number(&b, 1, &version) || !cel_h5_take_number(&b, 1, &rank) ||
        !cel_h5_take_number(&b, 1, &flags) ||
        !cel_h5_take_number(&b, version == 1 ? 5 : 1, version == 1 ? &(uint64_t){0} : &kind))
        return false;
    if ((version != 1 && version != 2) || rank > CEL_RANK_MAX)
        return false;
    h->null_space = kind == 2;
    h->rank = (int)rank;
    for (d = 0; d < h->rank; d++)
        if (!cel_h5_take_number(&b, 8, &h->dims[d]))
            return false;
    for (d = 0; d < h->rank; d++)
        if (!(flags & 1))
            h->maxdims[d] = h->dims[d];
        else if (!cel_h5_take_number(&b, 8, &h->maxdims[d]))
            return false;
    return true;
}

/* class and version(1) bits(3) size(4) */
static bool read_type(struct cel_h5_bytes b, struct cel_h5_header *h)
{
    uint64_t first, bits, size;

    if (!cel_h5_take_number(&b, 1, &first) || !cel_h5_take_number(&b, 3, &bits) || !cel_h5_take_number(&b, 4, &size))
        return false;
    h->type_class = (int)(first & 15);
    h->type_size = (size_t)size;
    h->big_endian = (h->type_class == H5T_INTEGER || h->type_class == H5T_FLOAT) && (bits & 1);
    return true;
}

struct attribute {
    const char *name;           /* NUL-terminated within the message */
    struct cel_h5_header shape; /* only type and space */
    struct cel_h5_bytes data;
};

static size_t rounded(size_t n, uint64_t version)
{
    return version == 1 ? (n + 7) & ~(size_t)7 : n;
}

/* version(1) flags(1) sizes of name, type, space(2 each) [encoding 1] name type space data;
 * in version 1 each of the three is padded to 8 bytes. */
static bool split_attribute(struct cel_h5_bytes b, struct attribute *a)
{
    uint64_t version, flags, nname, ntype, nspace, encoding;
    const unsigned char *name, *type, *space;

    if (!cel_h5_take_number(&b, 1, &version) || !cel_h5_take_number(&b, 1, &flags) ||
        !cel_h5_take_number(&b, 2, &nname) || !cel_h5_take_number(&b, 2, &ntype) ||
        !cel_h5_take_number(&b, 2, &nspace) || version < 1 || version > 3)
        return false;
    if (version == 3 && !cel_h5_take_number(&b, 1, &encoding))
        return false;
    if (!cel_h5_take(&b, rounded(nname, version), &name) || !cel_h5_take(&b, rounded(ntype, version), &type) ||
        !cel_h5_take(&b, rounded(nspace, version), &space) || nname == 0 || name[nname - 1] != '\0')
        return false;
    a->name = (const char *)name;
    a->data = b;
    a->shape.type_class = H5T_NO_CLASS;
    a->shape.rank = -1;
    if (version > 1 && (flags & 3))
        return true; /* type or space kept elsewhere: only the name is known */
    return read_type((struct cel_h5_bytes){type, ntype}, &a->shape) &&
           read_space((struct cel_h5_bytes){space, nspace}, &a->shape);
}

static bool is_text(const struct attribute *a, const char *text, size_t n)
{
    return a->shape.type_class == H5T_STRING && a->shape.rank == 0 && a->data.n >= n && a->shape.type_size >= n &&
           memcmp(a->data.p, text, n) == 0;
}

static bool read_ints(const struct attribute *a, int *out, int n)
{
    int i;

    if (a->shape.type_class != H5T_INTEGER || a->shape.type_size != 4 || a->shape.big_endian ||
        a->data.n / 4 < (size_t)n)
        return false;
    for (i = 0; i < n; i++)
        out[i] = (int)(uint32_t)cel_h5_little(a->data.p + 4 * (size_t)i, 4);
    return true;
}

static bool read_class(const struct attribute *a, struct cel_h5_header *h)
{
    h->is_scale = is_text(a, "DIMENSION_SCALE", 15);
    return true;
}

static bool read_name(const struct attribute *a, struct cel_h5_header *h)
{
    h->dim_only = is_text(a, CEL_H5_DIM_ONLY, sizeof CEL_H5_DIM_ONLY - 1);
    return true;
}

static bool read_list(const struct attribute *a, struct cel_h5_header *h)
{
    (void)a;
    h->has_list = true;
    return true;
}

static bool pass_over(const struct attribute *a, struct cel_h5_header *h)
{
    (void)a;
    (void)h;
    return true;
}

static bool read_dimid(const struct attribute *a, struct cel_h5_header *h)
{
    return read_ints(a, &h->dimid, 1);
}

static bool read_coords(const struct attribute *a, struct cel_h5_header *h)
{
    if (a->shape.rank != 1 || a->shape.dims[0] > CEL_RANK_MAX)
        return false;
    h->ncoords = (int)a->shape.dims[0];
    return read_ints(a, h->coords, h->ncoords);
}

static bool read_strict(const struct attribute *a, struct cel_h5_header *h)
{
    (void)a;
    h->strict = true;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(const struct attribute *a, struct cel_h5_header *h);
} wanted[] = {{"CLASS", read_class},         {"NAME", read_name},           {"DIMENSION_LIST", read_list},
              {"REFERENCE_LIST", pass_over}, {"_Netcdf4Dimid", read_dimid}, {"_Netcdf4Coordinates", read_coords},
              {"_nc3_strict", read_strict}};

bool cel_h5_is_user_class(int klass)
{
    return klass == H5T_COMPOUND || klass == H5T_ENUM || klass == H5T_OPAQUE || klass == H5T_VLEN;
}

/* A reference to a message of another header; 0: not one of a committed type.
 * version 1: 1 kind(1) 0(6) unused(8) address(8); 2: 2 kind(1) address(8); 3: the same, of kind 2. */
static uint64_t committed_at(struct cel_h5_bytes b)
{
    uint64_t version, kind, addr = 0;
    const unsigned char *p;

    if (!cel_h5_take_number(&b, 1, &version) || !cel_h5_take_number(&b, 1, &kind) || version < 1 || version > 3 ||
        (version == 3 && kind != 2) || (version == 1 && !cel_h5_take(&b, 14, &p)))
        return 0;
    return cel_h5_take_number(&b, 8, &addr) ? addr : 0;
}

/* Committed types may have lost their name: the first is remembered, several count as unnamed. */
static void note_committed(struct cel_h5_header *h, uint64_t addr)
{
    if (!addr || (h->att_addr && h->att_addr != addr))
        h->unnamed_atts = true;
    else
        h->att_addr = addr;
}

/* Is the type one that the file does not name, and netCDF has no name for either? */
static void note_att_type(struct cel_h5_bytes b, size_t at, struct cel_h5_header *h)
{
    size_t name = rounded((size_t)cel_h5_little(b.p + 2, 2), b.p[0]);

    if (name >= b.n - at)
        return;
    if (b.p[0] > 1 && (b.p[1] & 1))
        note_committed(h, committed_at((struct cel_h5_bytes){b.p + at + name, b.n - at - name}));
    else if (cel_h5_is_user_class(b.p[at + name] & 15))
        h->unnamed_atts = true;
}

/* Most attributes are none of ours: only name and type are looked at. */
static bool read_attribute(struct cel_h5_bytes body, struct cel_h5_header *h)
{
    size_t i, at = body.n > 0 && body.p[0] == 3 ? 9 : 8;

    for (i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t n = strlen(wanted[i].name) + 1;

        if (body.n >= at + n && memcmp(body.p + at, wanted[i].name, n) == 0) {
            struct attribute a = {0};

            return split_attribute(body, &a) && wanted[i].read(&a, h);
        }
    }
    if (body.n <= at)
        return false;
    note_att_type(body, at, h);
    return true;
}

/* version(1) flags(1) [most creation index 2] heap address(8) index address(8) ...; a heap
 * means that all attributes are in it. It is read once the header is: the reader's
 * blocks would move under the messages. */
static bool read_attribute_info(struct scan *s, struct cel_h5_bytes b)
{
    uint64_t version, flags, most;

    return cel_h5_take_number(&b, 1, &version) && cel_h5_take_number(&b, 1, &flags) && version == 0 &&
           (!(flags & 1) || cel_h5_take_number(&b, 2, &most)) && cel_h5_take_number(&b, 8, &s->heap) &&
           cel_h5_take_number(&b, 8, &s->index);
}

static bool visit_attribute(struct cel_h5_bytes body, void *data)
{
    return read_attribute(body, data);
}

/* netCDF-C writes a copy of a committed type with each variable: equal bytes, equal types. */
static bool sum_type(struct cel_h5_bytes body, struct cel_h5_header *h)
{
    if (cel_h5_is_user_class(h->type_class))
        h->type_sum = cel_h5_sum(body.p, body.n);
    return true;
}

static bool read_dataset_type(const struct cel_h5_message *m, struct cel_h5_header *h)
{
    if (!m->shared)
        return read_type(m->body, h) && sum_type(m->body, h);
    h->type_addr = committed_at(m->body);
    h->unnamed_type = !h->type_addr;
    return true;
}

/* version(1) class(1) from version 3 on. What a virtual dataset is made of says how long it is: libhdf5 looks. */
static bool is_virtual(struct cel_h5_bytes layout)
{
    return layout.n >= 2 && layout.p[0] >= 4 && layout.p[1] == H5D_VIRTUAL;
}

static bool read_message(const struct cel_h5_message *m, void *data)
{
    struct scan *s = data;
    struct cel_h5_header *h = s->out;

    switch (m->type) {
    case CEL_H5_DATASPACE:
        return !m->shared && read_space(m->body, h);
    case CEL_H5_DATATYPE:
        s->datatype = true;
        return read_dataset_type(m, h);
    case CEL_H5_LAYOUT:
        s->layout = true;
        return !is_virtual(m->body);
    case CEL_H5_LINK_INFO:
    case CEL_H5_LINK:
    case CEL_H5_GROUP_INFO:
    case CEL_H5_SYMBOL_TABLE:
        h->kind = CEL_H5_GROUP;
        return true;
    case CEL_H5_ATTRIBUTE:
        return !m->shared && read_attribute(m->body, h);
    case CEL_H5_ATTRIBUTE_INFO:
        return read_attribute_info(s, m->body);
    default:
        return true;
    }
}

int cel_h5_header_read(struct cel_h5_reader *reader, uint64_t addr, struct cel_h5_header *out)
{
    struct scan s = {.out = out, .heap = UINT64_MAX};

    *out = (struct cel_h5_header){.rank = -1, .type_class = H5T_NO_CLASS, .dimid = -1, .ncoords = -1};
    if (!cel_h5_messages_each(reader, addr, read_message, &s) ||
        (s.heap != UINT64_MAX && !cel_h5_dense_each(reader, &cel_h5_dense_atts, s.heap, s.index, visit_attribute, out)))
        return CEL_ABSENT;
    out->dim_only = out->dim_only && out->is_scale;
    if (s.layout && s.datatype && out->rank >= 0)
        out->kind = CEL_H5_DATASET;
    else if (out->kind != CEL_H5_GROUP && s.datatype)
        out->kind = CEL_H5_TYPE;
    return out->kind == CEL_H5_OTHER ? CEL_ABSENT : CEL_OK;
}
