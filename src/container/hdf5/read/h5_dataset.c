/* How a dataset is stored, as its header says: numbers of the usual forms in chunks with an
 * index of version 1, and filters that are built in. All else is libhdf5's to read, and so is
 * every message that looks unusual.
 *
 *   type: class and version(1) bits(3) size(4) bit offset(2) precision(2)
 *         [float: exponent at(1) size(1) mantissa at(1) size(1) bias(4)]
 *   fill: 2 when(1) when(1) defined(1) [size(4) value], or 3 flags(1) [size(4) value]
 *   layout: 3 2 rank+1(1) index address(8) lengths(4 each), the last one that of an element
 *   filters: 1 n(1) pad(6) then each: id(2) name length(2) flags(2) words(2) name (padded to 8) words(4 each) [pad 4]
 *            2 n(1)        then each: id(2) [name length(2)] flags(2) words(2) [name] words(4 each)
 * HDF5 File Format Specification version 3, IV.A.2. */
#include "env.h"
#include "h5_read_int.h"

enum { SEEN_TYPE = 1, SEEN_FILL = 2, SEEN_LAYOUT = 4, SEEN_ALL = 7 };
enum { LAYOUT_CHUNKED = 2 };

struct parse {
    struct cel_h5r_dataset *out;
    int seen;
    size_t elem;         /* as the type says ... */
    uint64_t last, fill; /* ... as the layout does, and the fill value; 0: it has none */
};

/* --- type -------------------------------------------------------------------------- */

/* By class, bits without byte order and signs, and what follows the size. */
static const struct form {
    nc_type type;
    unsigned klass, bits, size;
    unsigned char rest[12]; /* bit offset, precision, exponent, mantissa, bias */
} forms[] = {
    {NC_BYTE, CEL_H5R_INTEGER, 8, 1, {0, 0, 8, 0}},
    {NC_UBYTE, CEL_H5R_INTEGER, 0, 1, {0, 0, 8, 0}},
    {NC_SHORT, CEL_H5R_INTEGER, 8, 2, {0, 0, 16, 0}},
    {NC_USHORT, CEL_H5R_INTEGER, 0, 2, {0, 0, 16, 0}},
    {NC_INT, CEL_H5R_INTEGER, 8, 4, {0, 0, 32, 0}},
    {NC_UINT, CEL_H5R_INTEGER, 0, 4, {0, 0, 32, 0}},
    {NC_INT64, CEL_H5R_INTEGER, 8, 8, {0, 0, 64, 0}},
    {NC_UINT64, CEL_H5R_INTEGER, 0, 8, {0, 0, 64, 0}},
    {NC_FLOAT, CEL_H5R_FLOAT, 0x1f20, 4, {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0}},
    {NC_DOUBLE, CEL_H5R_FLOAT, 0x3f20, 8, {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0}},
};

static bool has_form(const struct form *f, unsigned klass, uint64_t bits, uint64_t size, struct cel_h5_bytes rest)
{
    size_t n = f->klass == CEL_H5R_FLOAT ? 12 : 4;

    return klass == f->klass && size == f->size && (bits & ~(uint64_t)1) == f->bits && rest.n >= n &&
           memcmp(rest.p, f->rest, n) == 0;
}

static int read_type(struct parse *d, struct cel_h5_bytes b)
{
    uint64_t first = cel_h5_take_number(&b, 1), bits = cel_h5_take_number(&b, 3), size = cel_h5_take_number(&b, 4);

    if (b.ended || first >> 4 < 1 || first >> 4 > 3)
        return CEL_ASK_LIBHDF5;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!has_form(&forms[i], first & 15, bits, size, b))
            continue;
        d->out->type = forms[i].type;
        d->out->big_endian = bits & 1;
        d->elem = forms[i].size;
        d->seen |= SEEN_TYPE;
        return CEL_OK;
    }
    return CEL_ASK_LIBHDF5;
}

/* --- fill value ------------------------------------------------------------------------ */

/* A fill value of its own has a size; libhdf5's default, and none at all, have not. */
static int read_fill(struct parse *d, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags, size;

    cel_h5_take_if(&b, version == 2, 2); /* when space is taken and values are written */
    flags = cel_h5_take_number(&b, 1);
    size = cel_h5_take_if(&b, version == 2 ? flags != 0 : (flags & 32) != 0, 4);
    if (b.ended || (version != 2 && version != 3) || size > sizeof d->out->fill || size > b.n)
        return CEL_ASK_LIBHDF5;
    d->fill = size;
    d->out->has_fill = size > 0;
    memcpy(d->out->fill, b.p, (size_t)size);
    d->seen |= SEEN_FILL;
    return CEL_OK;
}

/* --- layout -------------------------------------------------------------------------------- */

static int read_layout(struct parse *d, struct cel_h5_bytes b)
{
    struct cel_h5r_dataset *out = d->out;
    uint64_t version = cel_h5_take_number(&b, 1), klass = cel_h5_take_number(&b, 1), n = cel_h5_take_number(&b, 1);

    out->index = cel_h5_take_number(&b, 8);
    if (b.ended || version != 3 || klass != LAYOUT_CHUNKED || n < 2 || n > CEL_RANK_MAX + 1)
        return CEL_ASK_LIBHDF5;
    out->rank = (int)n - 1;
    for (int i = 0; i < out->rank; i++) {
        out->chunk[i] = (size_t)cel_h5_take_number(&b, 4);
        if (out->chunk[i] == 0)
            return CEL_ASK_LIBHDF5;
    }
    d->last = cel_h5_take_number(&b, 4);
    d->seen |= SEEN_LAYOUT;
    return b.ended ? CEL_ASK_LIBHDF5 : CEL_OK;
}

/* --- filters --------------------------------------------------------------------------------- */

/* Filters of plugins are read through libhdf5, under the lock that they need. */
static bool is_built_in(uint64_t id)
{
    return !cel_env_prefer_plugins() && cel_codec_by_id((unsigned)id) != NULL;
}

/* libhdf5 says better what is wrong with a filter; want of memory is all the same to both. */
static int add_filter(struct parse *d, unsigned id, bool optional, size_t n, const unsigned *words)
{
    struct cel_step step;
    int rc = cel_step_from_file(id, optional, n, words, &step);

    if (rc == CEL_OK)
        rc = cel_chain_insert(&d->out->chain, SIZE_MAX, &step);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    cel_error_clear();
    return CEL_ASK_LIBHDF5;
}

static int read_filter(struct parse *d, uint64_t version, struct cel_h5_bytes *b)
{
    uint64_t id = cel_h5_take_number(b, 2), name = cel_h5_take_if(b, version == 1 || id >= 256, 2);
    uint64_t flags = cel_h5_take_number(b, 2), n = cel_h5_take_number(b, 2);
    unsigned words[CEL_WORDS_MAX];

    if (b->ended || n > CEL_WORDS_MAX || !is_built_in(id))
        return CEL_ASK_LIBHDF5;
    cel_h5_take(b, version == 1 ? (size_t)(name + 7) / 8 * 8 : (size_t)name);
    for (size_t i = 0; i < n; i++)
        words[i] = (unsigned)cel_h5_take_number(b, 4);
    cel_h5_take_if(b, version == 1 && n % 2, 4);
    return b->ended ? CEL_ASK_LIBHDF5 : add_filter(d, (unsigned)id, flags & 1, (size_t)n, words);
}

static int read_filters(struct parse *d, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), n = cel_h5_take_number(&b, 1);
    int rc = CEL_OK;

    cel_h5_take_if(&b, version == 1, 6);
    if (b.ended || (version != 1 && version != 2) || d->out->chain.n != 0)
        return CEL_ASK_LIBHDF5;
    while (rc == CEL_OK && n-- > 0)
        rc = read_filter(d, version, &b);
    return rc;
}

/* --- all of it ---------------------------------------------------------------------------------- */

static int read_message(const struct cel_h5r_message *m, void *data)
{
    static const struct {
        int type;
        int (*read)(struct parse *d, struct cel_h5_bytes b);
    } readers[] = {{CEL_H5R_DATATYPE, read_type},
                   {CEL_H5R_FILL, read_fill},
                   {CEL_H5R_LAYOUT, read_layout},
                   {CEL_H5R_FILTERS, read_filters}};

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].type == m->type)
            return m->shared ? CEL_ASK_LIBHDF5 : readers[i].read(data, m->body);
    return m->type == CEL_H5R_EXTERNAL ? CEL_ASK_LIBHDF5 : CEL_OK;
}

static bool is_consistent(const struct parse *d)
{
    return d->seen == SEEN_ALL && d->last == d->elem && (!d->fill || d->fill == d->elem);
}

int cel_h5r_dataset_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_dataset *out)
{
    struct parse d = {.out = out};
    int rc;

    *out = (struct cel_h5r_dataset){.type = NC_NAT};
    rc = cel_h5r_messages_each(r, addr, read_message, &d);
    if (rc == CEL_OK && !is_consistent(&d))
        rc = CEL_ASK_LIBHDF5;
    if (rc != CEL_OK)
        cel_chain_dispose(&out->chain);
    return rc;
}
