/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a classic file, read and made.
 *
 *   magic      4  "CDF" and 1, 2 or 5
 *   numrecs    N  number of records; all ones while a stream is written
 *   dim_list      tag 10, count, {name, N length (0: the record dimension)}
 *   gatt_list     tag 12, count, {name, 4 type, N count, values padded to 4}
 *   var_list      tag 11, count, {name, N ndims, N dimids.., att_list, 4 type, N vsize, B begin}
 *
 * N is 8 bytes in kind 5, else 4; B is 4 bytes in kind 1, else 8; a name is N
 * length and bytes padded to 4; an empty list is two zeros (4 and N bytes). Every
 * count is checked against the bytes that are left before memory is taken. */
#include "bytes.h"
#include "classic_int.h"
#include "convert.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

enum { TAG_DIMENSION = 10, TAG_VARIABLE = 11, TAG_ATTRIBUTE = 12 };
enum { READ_BLOCK = 1 << 16 };

/* The unlimited dimension; NULL: none. */
static struct cel_dim *find_record_dim(const struct cel_dataset *ds)
{
    for (size_t i = 0; i < ds->dims.n; i++) {
        struct cel_dim *dim = ds->dims.at[i];
        if (dim && dim->unlimited)
            return dim;
    }
    return NULL;
}

bool cel_classic_is_record(const struct cel_var *var)
{
    return var->ndims > 0 && var->dim[0]->unlimited;
}

/* --- reading ---------------------------------------------------------------------- */

struct reader {
    struct cel_dataset *ds;
    struct classic *c;
    unsigned char *bytes; /* the header as far as it was read */
    size_t have;
    size_t at;
};

static int bad(const struct reader *r, const char *what)
{
    return cel_fail(NC_ENOTNC, "the header is damaged at byte %zu: %s", r->at, what);
}

/* At least n more bytes from r->at on. */
static int need(struct reader *r, uint64_t n)
{
    uint64_t left = r->c->io.size - r->at;
    size_t want;
    unsigned char *bytes;
    int rc;

    if (n > left)
        return bad(r, "the file ends within it");
    if (r->at + n <= r->have)
        return CEL_OK;
    want = r->at + (size_t)n + READ_BLOCK;
    if (want > r->c->io.size)
        want = (size_t)r->c->io.size;
    bytes = cel_realloc(r->bytes, want, 1);
    if (!bytes)
        return NC_ENOMEM;
    r->bytes = bytes;
    rc = cel_classic_io_read(&r->c->io, r->have, bytes + r->have, want - r->have);
    if (rc == CEL_OK)
        r->have = want;
    return rc;
}

static int take(struct reader *r, int nbytes, uint64_t *out)
{
    int rc = need(r, (uint64_t)nbytes);

    *out = 0;
    if (rc == CEL_OK) {
        *out = cel_get_be(r->bytes + r->at, (size_t)nbytes);
        r->at += (size_t)nbytes;
    }
    return rc;
}

static int count_size(const struct classic *c)
{
    return c->kind == 5 ? 8 : 4;
}

static int begin_size(const struct classic *c)
{
    return c->kind == 1 ? 4 : 8;
}

/* A count of things that take at least `least` bytes each. */
static int take_count(struct reader *r, size_t least, uint64_t *out)
{
    int rc = take(r, count_size(r->c), out);

    if (rc == CEL_OK && *out > (r->c->io.size - r->at) / least)
        return bad(r, "a count larger than the file");
    return rc;
}

static int skip_padding(struct reader *r, uint64_t n)
{
    uint64_t pad = (4 - n % 4) % 4;
    int rc = need(r, pad);

    r->at += rc == CEL_OK ? pad : 0;
    return rc;
}

/* A name ends at its first zero: netCDF-C shortens names in place and leaves zeros behind them. Like
 * netCDF-C we take an empty one as well: it is one odd object, and no reason to refuse a file. */
static int take_name(struct reader *r, char **out)
{
    uint64_t n;
    int rc = take_count(r, 1, &n);

    *out = NULL;
    if (rc == CEL_OK && n > NC_MAX_NAME)
        return bad(r, "a name that is too long");
    if (rc == CEL_OK)
        rc = need(r, n);
    if (rc != CEL_OK)
        return rc;
    *out = cel_strndup((const char *)r->bytes + r->at, (size_t)n);
    r->at += n;
    return *out ? skip_padding(r, n) : NC_ENOMEM;
}

/* The tag and count of a list; of an empty one netCDF-C does not look at the tag. */
static int take_list(struct reader *r, unsigned tag, size_t least, uint64_t *count)
{
    size_t start = r->at;
    uint64_t found;
    int rc = take(r, 4, &found);

    if (rc == CEL_OK)
        rc = take_count(r, least, count);
    if (rc == CEL_OK && found != tag && *count) {
        r->at = start;
        return bad(r, "the mark of a list is missing");
    }
    return rc;
}

static int load_dims(struct reader *r)
{
    uint64_t n, len;
    int rc = take_list(r, TAG_DIMENSION, 8, &n);

    for (uint64_t i = 0; rc == CEL_OK && i < n; i++) {
        struct cel_dim *dim;
        char *name;
        rc = take_name(r, &name);
        if (rc == CEL_OK)
            rc = take(r, count_size(r->c), &len);
        if (rc == CEL_OK && len > (uint64_t)SIZE_MAX - 3)
            rc = bad(r, "a dimension too long for this machine");
        if (rc == CEL_OK && !len && find_record_dim(r->ds))
            rc = bad(r, "a second record dimension");
        if (rc == CEL_OK)
            rc = cel_dim_add(r->ds->root, name, len ? (size_t)len : (size_t)r->c->numrecs, !len, -1, &dim);
        free(name);
    }
    return rc;
}

static int take_type(struct reader *r, const struct cel_type **out)
{
    uint64_t id;
    int rc = take(r, 4, &id);

    if (rc == CEL_OK && (id < NC_BYTE || id > (r->c->kind == 5 ? NC_UINT64 : NC_DOUBLE))) {
        r->at -= 4;
        return bad(r, "an unknown type");
    }
    *out = rc == CEL_OK ? cel_type_atomic((nc_type)id) : NULL;
    return rc;
}

static bool host_is_big(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static int take_values(struct reader *r, const struct cel_type *type, uint64_t n, void **out)
{
    int rc = need(r, n * type->size);

    *out = rc == CEL_OK ? cel_malloc((size_t)n * type->size) : NULL;
    if (!*out)
        return rc == CEL_OK ? NC_ENOMEM : rc;
    if (host_is_big() || type->size == 1)
        memcpy(*out, r->bytes + r->at, (size_t)n * type->size);
    else
        cel_swap_bytes(*out, r->bytes + r->at, (size_t)n, type->size);
    r->at += n * type->size;
    rc = skip_padding(r, n * type->size);
    if (rc != CEL_OK) {
        free(*out);
        *out = NULL;
    }
    return rc;
}

static int load_atts(struct reader *r, struct cel_atts *atts)
{
    uint64_t n, count;
    int rc = take_list(r, TAG_ATTRIBUTE, 12, &n);

    for (uint64_t i = 0; rc == CEL_OK && i < n; i++) {
        const struct cel_type *type;
        struct cel_att *att;
        char *name;
        void *data;
        rc = take_name(r, &name);
        if (rc == CEL_OK)
            rc = take_type(r, &type);
        if (rc == CEL_OK)
            rc = take_count(r, type->size, &count);
        if (rc == CEL_OK)
            rc = take_values(r, type, count, &data);
        if (rc == CEL_OK)
            rc = cel_att_add(atts, name, type, (size_t)count, data, &att);
        free(name);
    }
    atts->loaded = true;
    return rc;
}

static int take_dimids(struct reader *r, struct cel_var *var)
{
    uint64_t id;
    int rc = CEL_OK;

    for (int d = 0; rc == CEL_OK && d < var->ndims; d++) {
        rc = take(r, count_size(r->c), &id);
        if (rc == CEL_OK && (id >= r->ds->dims.n || !r->ds->dims.at[id]))
            rc = bad(r, "a variable with a dimension that is not there");
        if (rc == CEL_OK)
            var->dim[d] = r->ds->dims.at[id];
        if (rc == CEL_OK && d > 0 && var->dim[d]->unlimited)
            rc = bad(r, "a record dimension that is not the first of its variable");
        if (rc == CEL_OK)
            var->layout.extent[d] = var->dim[d]->len;
    }
    return rc;
}

static int note_fill(struct cel_var *var)
{
    const struct cel_att *fill = cel_att_find(&var->atts, "_FillValue");

    if (!fill || fill->type != var->type || fill->n != 1)
        return CEL_OK;
    var->fill.value = cel_memdup(fill->data, var->type->size);
    return var->fill.value ? CEL_OK : NC_ENOMEM;
}

/* One of too many dimensions is shown, and its data says why it cannot be had. */
static int note_rank(struct cel_var *var)
{
    int rc = cel_var_check_rank(var);

    if (rc == CEL_OK)
        return CEL_OK;
    rc = cel_var_note_unreadable(var, cel_error_text());
    if (rc == CEL_OK)
        cel_error_clear();
    return rc;
}

static int load_var(struct reader *r)
{
    struct cel_classic_var *priv;
    struct cel_var *var;
    uint64_t ndims, vsize;
    char *name;
    int rc = take_name(r, &name);

    if (rc == CEL_OK)
        rc = take_count(r, 4, &ndims);
    if (rc == CEL_OK && ndims > NC_MAX_VAR_DIMS)
        rc = bad(r, "a variable with more dimensions than netCDF has");
    if (rc == CEL_OK)
        rc = cel_var_add(r->ds->root, name, (int)ndims, &var);
    free(name);
    if (rc != CEL_OK)
        return rc;
    var->priv = priv = cel_classic_var_make();
    rc = priv ? take_dimids(r, var) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = load_atts(r, &var->atts);
    if (rc == CEL_OK)
        rc = take_type(r, &var->type);
    if (rc == CEL_OK)
        rc = take(r, count_size(r->c), &vsize); /* redundant, and wrong for large ones: not used */
    if (rc == CEL_OK)
        rc = take(r, begin_size(r->c), &priv->begin);
    if (rc == CEL_OK && priv->begin > (uint64_t)INT64_MAX)
        rc = bad(r, "a variable that begins outside any file");
    if (rc != CEL_OK)
        return rc;
    var->layout.storage = CEL_CONTIGUOUS;
    var->layout.unchunked = var->loaded = true;
    var->saved = CEL_SAVED;
    cel_var_link_coord(var);
    rc = note_rank(var);
    return rc == CEL_OK ? note_fill(var) : rc;
}

static int load_vars(struct reader *r)
{
    uint64_t n;
    int rc = take_list(r, TAG_VARIABLE, 20, &n);

    for (uint64_t i = 0; rc == CEL_OK && i < n; i++)
        rc = load_var(r);
    return rc;
}

/* No variable may begin within the header; where each ends is checked when it is read. */
static int check_begins(const struct reader *r)
{
    for (size_t i = 0; i < r->ds->root->vars.n; i++) {
        const struct cel_var *var = r->ds->root->vars.at[i];
        if (priv_of(var)->begin < r->at && priv_of(var)->len)
            return cel_fail_in_var(
                cel_fail(NC_ENOTNC,
                         "the header is damaged: the data begins at byte %llu, within the header of %zu bytes",
                         (unsigned long long)priv_of(var)->begin, r->at),
                var);
    }
    return CEL_OK;
}

/* The fixed variables, or those with records, lie one behind another in the order of the header: netCDF-C refuses a
 * file where they do not, since it would write one over another. *at: where the first may begin, then their end. */
static int check_order(const struct cel_dataset *ds, bool records, uint64_t *at)
{
    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_var *var = ds->root->vars.at[i];
        const struct cel_classic_var *p = priv_of(var);

        if (p->is_record != records)
            continue;
        if (p->begin < *at)
            return cel_fail_in_var(cel_fail(NC_ENOTNC,
                                            "the header is damaged: the data begins at byte %llu, before the end of "
                                            "another variable's at byte %llu",
                                            (unsigned long long)p->begin, (unsigned long long)*at),
                                   var);
        *at = p->begin + p->len;
    }
    return CEL_OK;
}

static int check_orders(const struct cel_dataset *ds)
{
    uint64_t at = 0;
    int rc = check_order(ds, false, &at);

    return rc == CEL_OK ? check_order(ds, true, &at) : rc;
}

/* "Streaming": the number of records follows from the size of the file. */
static bool is_streaming(const struct classic *c, uint64_t numrecs)
{
    return numrecs == (c->kind == 5 ? UINT64_MAX : UINT32_MAX);
}

static uint64_t count_records(const struct classic *c)
{
    return c->recsize && c->io.size > c->begin_rec ? (c->io.size - c->begin_rec) / c->recsize : 0;
}

static void set_records(struct classic *c, struct cel_dataset *ds, uint64_t n)
{
    struct cel_dim *dim = find_record_dim(ds);

    c->numrecs = n;
    if (dim)
        dim->len = (size_t)c->numrecs;
    for (size_t i = 0; i < ds->root->vars.n; i++) {
        struct cel_var *var = ds->root->vars.at[i];
        if (cel_classic_is_record(var))
            var->layout.extent[0] = dim->len;
    }
}

static void note_begins(struct classic *c, const struct cel_dataset *ds, uint64_t header)
{
    uint64_t first = UINT64_MAX, end = header;

    c->begin_rec = UINT64_MAX;
    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);
        if (p->is_record) {
            c->begin_rec = p->begin < c->begin_rec ? p->begin : c->begin_rec;
        } else {
            first = p->begin < first ? p->begin : first;
            end = p->begin + p->len > end ? p->begin + p->len : end;
        }
    }
    if (c->begin_rec == UINT64_MAX)
        c->begin_rec = end;
    c->begin_var = first != UINT64_MAX ? first : c->begin_rec;
    c->laid_out = ds->root->vars.n > 0;
}

int cel_classic_header_load(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    struct reader r = {.ds = ds, .c = c};
    bool streaming;
    uint64_t magic;
    int rc = take(&r, 4, &magic);

    if (rc == CEL_OK)
        rc = take(&r, count_size(c), &c->numrecs);
    streaming = is_streaming(c, c->numrecs);
    if (streaming)
        c->numrecs = 0;
    if (rc == CEL_OK && c->numrecs > (uint64_t)PTRDIFF_MAX)
        rc = bad(&r, "more records than this machine can count");
    c->numrecs_saved = c->numrecs;
    if (rc == CEL_OK)
        rc = load_dims(&r);
    if (rc == CEL_OK)
        rc = load_atts(&r, &ds->root->atts);
    if (rc == CEL_OK)
        rc = load_vars(&r);
    if (rc == CEL_OK)
        rc = cel_classic_lengths(ds);
    if (rc == CEL_OK)
        rc = check_begins(&r);
    if (rc == CEL_OK)
        rc = check_orders(ds);
    if (rc == CEL_OK)
        note_begins(c, ds, r.at);
    if (rc == CEL_OK && streaming)
        set_records(c, ds, count_records(c));
    ds->root->saved = CEL_SAVED;
    free(r.bytes);
    return rc;
}

int cel_classic_numrecs_read(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    struct reader r = {.ds = ds, .c = c, .at = 4};
    uint64_t n;
    int rc = take(&r, count_size(c), &n);

    if (rc == CEL_OK && is_streaming(c, n))
        n = count_records(c);
    if (rc == CEL_OK && n > (uint64_t)PTRDIFF_MAX)
        rc = bad(&r, "more records than this machine can count");
    if (rc == CEL_OK)
        set_records(c, ds, n);
    free(r.bytes);
    return rc;
}

/* --- making ------------------------------------------------------------------------- */

static int add_int(struct cel_buf *out, uint64_t v, int nbytes)
{
    unsigned char b[8];

    cel_put_be(b, v, (size_t)nbytes);
    return cel_buf_add(out, b, (size_t)nbytes);
}

static int add_count(struct cel_buf *out, const struct classic *c, uint64_t v)
{
    return add_int(out, v, count_size(c));
}

static int add_padding(struct cel_buf *out, uint64_t n)
{
    return cel_buf_add(out, "\0\0\0", (4 - n % 4) % 4);
}

static int add_name(struct cel_buf *out, const struct classic *c, const char *name)
{
    size_t n = strlen(name);
    int rc = add_count(out, c, n);

    if (rc == CEL_OK)
        rc = cel_buf_add(out, name, n);
    return rc == CEL_OK ? add_padding(out, n) : rc;
}

static int add_list(struct cel_buf *out, const struct classic *c, unsigned tag, size_t n)
{
    int rc = add_int(out, n ? tag : 0, 4);

    return rc == CEL_OK ? add_count(out, c, n) : rc;
}

static int add_att(struct cel_buf *out, const struct classic *c, const struct cel_att *att)
{
    size_t nbytes = att->n * att->type->size, at;
    int rc = add_name(out, c, att->name);

    if (rc == CEL_OK)
        rc = add_int(out, (uint64_t)att->type->id, 4);
    if (rc == CEL_OK)
        rc = add_count(out, c, att->n);
    at = out->len;
    if (rc == CEL_OK)
        rc = cel_buf_add(out, att->data, nbytes);
    if (rc == CEL_OK && !host_is_big() && att->type->size > 1)
        cel_swap_bytes(out->data + at, out->data + at, att->n, att->type->size);
    return rc == CEL_OK ? add_padding(out, nbytes) : rc;
}

static int add_atts(struct cel_buf *out, const struct classic *c, const struct cel_atts *atts)
{
    int rc = add_list(out, c, TAG_ATTRIBUTE, atts->list.n);

    for (size_t i = 0; rc == CEL_OK && i < atts->list.n; i++)
        rc = add_att(out, c, atts->list.at[i]);
    return rc;
}

static int add_var(struct cel_buf *out, const struct classic *c, const struct cel_var *var)
{
    const struct cel_classic_var *p = priv_of(var);
    uint64_t most = c->kind == 5 ? UINT64_MAX : UINT32_MAX;
    int rc = add_name(out, c, var->name);

    if (rc == CEL_OK)
        rc = add_count(out, c, (uint64_t)var->ndims);
    for (int d = 0; rc == CEL_OK && d < var->ndims; d++)
        rc = add_count(out, c, (uint64_t)var->dim[d]->id);
    if (rc == CEL_OK)
        rc = add_atts(out, c, &var->atts);
    if (rc == CEL_OK)
        rc = add_int(out, (uint64_t)var->type->id, 4);
    if (rc == CEL_OK)
        rc = add_count(out, c, p->len > most ? most : p->len);
    return rc == CEL_OK ? add_int(out, p->begin, begin_size(c)) : rc;
}

int cel_classic_header_make(struct cel_dataset *ds, struct cel_buf *out)
{
    struct classic *c = cel_classic_of(ds);
    const struct cel_group *root = ds->root;
    const char magic[4] = {'C', 'D', 'F', (char)c->kind};
    int rc = cel_buf_add(out, magic, 4);

    if (rc == CEL_OK)
        rc = add_count(out, c, c->numrecs);
    if (rc == CEL_OK)
        rc = add_list(out, c, TAG_DIMENSION, root->dims.n);
    for (size_t i = 0; rc == CEL_OK && i < root->dims.n; i++) {
        const struct cel_dim *dim = root->dims.at[i];
        rc = add_name(out, c, dim->name);
        if (rc == CEL_OK)
            rc = add_count(out, c, dim->unlimited ? 0 : dim->len);
    }
    if (rc == CEL_OK)
        rc = add_atts(out, c, &root->atts);
    if (rc == CEL_OK)
        rc = add_list(out, c, TAG_VARIABLE, root->vars.n);
    for (size_t i = 0; rc == CEL_OK && i < root->vars.n; i++)
        rc = add_var(out, c, root->vars.at[i]);
    return rc;
}

int cel_classic_numrecs_write(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    struct cel_buf b = CEL_BUF_INIT(64);
    int rc;

    if (c->numrecs == c->numrecs_saved)
        return CEL_OK;
    rc = add_count(&b, c, c->numrecs);
    if (rc == CEL_OK)
        rc = cel_classic_io_write(&c->io, 4, b.data, b.len);
    if (rc == CEL_OK)
        c->numrecs_saved = c->numrecs;
    cel_buf_dispose(&b);
    return rc;
}
