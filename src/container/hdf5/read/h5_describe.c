/* A dataset as its header describes it, read without libhdf5: numbers of the usual
 * forms in chunks with an index of version 1, and filters that are built in. All else
 * is libhdf5's to read, and so is every message that looks unusual.
 *
 *   type: class and version(1) bits(3) size(4) bit offset(2) precision(2)
 *         [float: exponent at(1) size(1) mantissa at(1) size(1) bias(4)]
 *   fill: 2 when(1) when(1) defined(1) [size(4) value], or 3 flags(1) [size(4) value]
 *   layout: 3 2 rank+1(1) index address(8) lengths(4 each), the last one that of an element
 *   filters: 1 n(1) pad(6) then each: id(2) name length(2) flags(2) words(2) name (padded to 8) words(4 each) [pad 4]
 *            2 n(1)        then each: id(2) [name length(2)] flags(2) words(2) [name] words(4 each)
 * HDF5 File Format Specification version 3, IV.A.2. */
#include "env.h"
#include "h5_raw.h"

enum { SEEN_TYPE = 1, SEEN_FILL = 2, SEEN_LAYOUT = 4, SEEN_ALL = 7 };

struct describing {
    struct cel_h5_described *out;
    int seen;
    size_t elem;         /* as the type says ... */
    uint64_t last, fill; /* ... as the layout does, and the fill value; 0: it has none */
    int rc;              /* a failure that is no "ask libhdf5" */
};

/* --- type -------------------------------------------------------------------------- */

/* By class, bits without byte order and signs, and what follows the size. */
static const struct form {
    nc_type type;
    unsigned klass, bits, size;
    unsigned char rest[12]; /* bit offset, precision, exponent, mantissa, bias */
} forms[] = {
    {NC_BYTE, H5T_INTEGER, 8, 1, {0, 0, 8, 0}},
    {NC_UBYTE, H5T_INTEGER, 0, 1, {0, 0, 8, 0}},
    {NC_SHORT, H5T_INTEGER, 8, 2, {0, 0, 16, 0}},
    {NC_USHORT, H5T_INTEGER, 0, 2, {0, 0, 16, 0}},
    {NC_INT, H5T_INTEGER, 8, 4, {0, 0, 32, 0}},
    {NC_UINT, H5T_INTEGER, 0, 4, {0, 0, 32, 0}},
    {NC_INT64, H5T_INTEGER, 8, 8, {0, 0, 64, 0}},
    {NC_UINT64, H5T_INTEGER, 0, 8, {0, 0, 64, 0}},
    {NC_FLOAT, H5T_FLOAT, 0x1f20, 4, {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0}},
    {NC_DOUBLE, H5T_FLOAT, 0x3f20, 8, {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0}},
};

static bool read_type(struct describing *d, struct cel_h5_bytes b)
{
    uint64_t first, bits, size;
    size_t i;

    if (!cel_h5_take_number(&b, 1, &first) || !cel_h5_take_number(&b, 3, &bits) || !cel_h5_take_number(&b, 4, &size) ||
        first >> 4 < 1 || first >> 4 > 3)
        return false;
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *f = &forms[i];
        size_t rest = f->klass == H5T_FLOAT ? 12 : 4;

        if ((first & 15) != f->klass || size != f->size || (bits & ~(uint64_t)1) != f->bits || b.n < rest ||
            memcmp(b.p, f->rest, rest) != 0)
            continue;
        d->out->type = f->type;
        d->out->big_endian = bits & 1;
        d->elem = f->size;
        d->seen |= SEEN_TYPE;
        return true;
    }
    return false;
}

/* --- fill value ------------------------------------------------------------------------ */

/* A fill value of its own has a size; libhdf5's default, and none at all, have not. */
static bool read_fill(struct describing *d, struct cel_h5_bytes b)
{
    uint64_t version, flags, skipped, size = 0;
    bool sized;

    if (!cel_h5_take_number(&b, 1, &version) || (version != 2 && version != 3))
        return false;
    if ((version == 2 && !cel_h5_take_number(&b, 2, &skipped)) || !cel_h5_take_number(&b, 1, &flags))
        return false;
    sized = version == 2 ? flags != 0 : (flags & 32) != 0;
    if (sized && !cel_h5_take_number(&b, 4, &size))
        return false;
    if (size > sizeof d->out->fill || size > b.n)
        return false;
    d->fill = size;
    d->out->has_fill = size > 0;
    memcpy(d->out->fill, b.p, (size_t)size);
    d->seen |= SEEN_FILL;
    return true;
}

/* --- layout -------------------------------------------------------------------------------- */

static bool read_layout(struct describing *d, struct cel_h5_bytes b)
{
    struct cel_h5_described *out = d->out;
    uint64_t version, klass, n, len;
    int i;

    if (!cel_h5_take_number(&b, 1, &version) || !cel_h5_take_number(&b, 1, &klass) || !cel_h5_take_number(&b, 1, &n) ||
        version != 3 || klass != 2 || n < 2 || n > CEL_RANK_MAX + 1 || !cel_h5_take_number(&b, 8, &out->index))
        return false;
    out->rank = (int)n - 1;
    for (i = 0; i < out->rank; i++) {
        if (!cel_h5_take_number(&b, 4, &len) || len == 0)
            return false;
        out->chunk[i] = (size_t)len;
    }
    d->seen |= SEEN_LAYOUT;
    return cel_h5_take_number(&b, 4, &d->last);
}

/* --- filters --------------------------------------------------------------------------------- */

/* Plugins are left to the way through libhdf5, which gives them the lock they need. */
static bool is_ours(uint64_t id)
{
    return !cel_env_prefer_plugins() && cel_codec_by_id((unsigned)id) != NULL;
}

static bool read_filter(struct describing *d, uint64_t version, struct cel_h5_bytes *b)
{
    uint64_t id, nname = 0, flags, n, word;
    unsigned words[CEL_WORDS_MAX];
    const unsigned char *name;
    struct cel_step step;
    size_t i;

    if (!cel_h5_take_number(b, 2, &id) || ((version == 1 || id >= 256) && !cel_h5_take_number(b, 2, &nname)) ||
        !cel_h5_take_number(b, 2, &flags) || !cel_h5_take_number(b, 2, &n) || n > CEL_WORDS_MAX || !is_ours(id))
        return false;
    if (!cel_h5_take(b, version == 1 ? (size_t)(nname + 7) / 8 * 8 : (size_t)nname, &name))
        return false;
    for (i = 0; i < n; i++) {
        if (!cel_h5_take_number(b, 4, &word))
            return false;
        words[i] = (unsigned)word;
    }
    if (version == 1 && n % 2 && !cel_h5_take_number(b, 4, &word))
        return false;
    d->rc = cel_step_from_file((unsigned)id, flags & 1, (size_t)n, words, &step);
    if (d->rc == CEL_OK)
        d->rc = cel_chain_insert(&d->out->chain, SIZE_MAX, &step);
    return d->rc == CEL_OK;
}

static bool read_filters(struct describing *d, struct cel_h5_bytes b)
{
    uint64_t version, n, pad;
    bool ok = cel_h5_take_number(&b, 1, &version) && cel_h5_take_number(&b, 1, &n) && (version == 1 || version == 2) &&
              (version == 2 || cel_h5_take_number(&b, 6, &pad)) && d->out->chain.n == 0;

    while (ok && n-- > 0)
        ok = read_filter(d, version, &b);
    return ok;
}

/* --- all of it ---------------------------------------------------------------------------------- */

static bool visit(const struct cel_h5_message *m, void *data)
{
    static const struct {
        int type;
        bool (*read)(struct describing *d, struct cel_h5_bytes b);
    } readers[] = {{CEL_H5_DATATYPE, read_type},
                   {CEL_H5_FILL, read_fill},
                   {CEL_H5_LAYOUT, read_layout},
                   {CEL_H5_FILTERS, read_filters}};
    size_t i;

    for (i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].type == m->type)
            return !m->shared && readers[i].read(data, m->body);
    return m->type != CEL_H5_EXTERNAL;
}

int cel_h5_describe(struct cel_h5_reader *r, uint64_t addr, struct cel_h5_described *out)
{
    struct describing d = {.out = out};

    *out = (struct cel_h5_described){.type = NC_NAT};
    if (cel_h5_messages_each(r, addr, visit, &d) && d.seen == SEEN_ALL && d.last == d.elem &&
        (!d.fill || d.fill == d.elem))
        return CEL_OK;
    cel_chain_dispose(&out->chain);
    if (d.rc == CEL_OK)
        return CEL_ABSENT;
    if (d.rc != NC_ENOMEM)
        cel_error_clear(); /* the other way says it better */
    return d.rc == NC_ENOMEM ? d.rc : CEL_ABSENT;
}
