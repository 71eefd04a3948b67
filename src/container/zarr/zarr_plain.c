/* Data that does not go by chunks of numbers: text of any form, half floats,
 * permuted axes, single values. A chunk is read whole, made into elements in
 * memory form and C order, and the region is copied; a put reads, changes and
 * writes each chunk it touches. */
#include "convert.h"
#include "half.h"
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

/* One chunk at work: its elements in memory form. */
struct work {
    struct cel_dataset *ds;
    struct cel_var *var;
    const struct zarr_array *a;
    struct cel_scratch *scratch;
    size_t n;               /* elements of a chunk */
    size_t size;            /* of one in memory */
    unsigned char *element; /* n of them */
    size_t *element_at;     /* the element at a stored position; NULL: the same */
    struct cel_buf stored;  /* encoded bytes */
    struct cel_buf raw;     /* decoded bytes, as stored */
};

/* --- stored position of element i ---------------------------------------------------- */

/* Where element i (C order of the chunk) lies in the stored chunk. */
static size_t stored_position(const struct work *w, size_t i)
{
    const struct cel_var *var = w->var;
    size_t at[NC_MAX_VAR_DIMS], position = 0;

    if (!w->a->order)
        return i;
    for (int d = var->ndims; d-- > 0; i /= var->chunk[d])
        at[d] = i % var->chunk[d];
    for (int d = 0; d < var->ndims; d++)
        position = position * var->chunk[w->a->order[d]] + at[w->a->order[d]];
    return position;
}

/* Text of variable length comes in stored order, so the way back is needed too. */
static int map_positions(struct work *w)
{
    w->element_at = cel_malloc_array(w->n, sizeof *w->element_at);
    if (!w->element_at)
        return NC_ENOMEM;
    for (size_t i = 0; i < w->n; i++)
        w->element_at[stored_position(w, i)] = i;
    return cel_scratch_make(&w->scratch);
}

static int start_work(struct work *w, struct cel_dataset *ds, struct cel_var *var)
{
    *w = (struct work){.ds = ds, .var = var, .a = var->place, .n = 1, .size = var->type->size,
                       .stored = CEL_BUF_INIT(SIZE_MAX), .raw = CEL_BUF_INIT((size_t)1 << 31)};
    for (int i = 0; i < var->ndims; i++)
        if (!cel_mul(w->n, var->chunk[i], &w->n))
            return cel_fail(NC_EBADCHUNK, "%s: its chunks are too large for this machine", var->name);
    w->element = cel_calloc(w->n, w->size);
    if (!w->element)
        return NC_ENOMEM;
    return w->a->order && w->a->dtype.form == ZARR_VLEN ? map_positions(w) : cel_scratch_make(&w->scratch);
}

static void clear_elements(struct work *w)
{
    cel_value_reclaim(w->var->type, w->element, w->n);
    memset(w->element, 0, w->n * w->size);
}

static void end_work(struct work *w)
{
    if (w->element)
        clear_elements(w);
    free(w->element);
    free(w->element_at);
    cel_scratch_free(w->scratch);
    cel_buf_dispose(&w->stored);
    cel_buf_dispose(&w->raw);
}

/* --- one element, by form ---------------------------------------------------------------- */

static int take_utf32(const unsigned char *p, size_t nbytes, bool big, char **out)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 28);
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i + 4 <= nbytes; i += 4) {
        uint32_t c = big ? (uint32_t)p[i] << 24 | (uint32_t)p[i + 1] << 16 | (uint32_t)p[i + 2] << 8 | p[i + 3]
                         : (uint32_t)p[i + 3] << 24 | (uint32_t)p[i + 2] << 16 | (uint32_t)p[i + 1] << 8 | p[i];
        char utf8[4];
        size_t n = 0;
        if (!c)
            break;
        if (c < 0x80) {
            utf8[n++] = (char)c;
        } else if (c < 0x800) {
            utf8[n++] = (char)(0xc0 | c >> 6);
        } else if (c < 0x10000) {
            utf8[n++] = (char)(0xe0 | c >> 12);
            utf8[n++] = (char)(0x80 | (c >> 6 & 63));
        } else {
            utf8[n++] = (char)(0xf0 | (c >> 18 & 7));
            utf8[n++] = (char)(0x80 | (c >> 12 & 63));
            utf8[n++] = (char)(0x80 | (c >> 6 & 63));
        }
        if (c >= 0x80)
            utf8[n++] = (char)(0x80 | (c & 63));
        rc = cel_buf_add(&text, utf8, n);
    }
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, out);
    cel_buf_dispose(&text);
    return rc;
}

static int put_utf32(const char *text, unsigned char *p, size_t nbytes, bool big)
{
    memset(p, 0, nbytes);
    for (size_t i = 0; *text; i += 4) {
        unsigned char lead = (unsigned char)*text++;
        int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        uint32_t c = more ? lead & (0x3f >> more) : lead;
        for (; more > 0 && (*text & 0xc0) == 0x80; more--)
            c = c << 6 | (*text++ & 0x3f);
        if (i + 4 > nbytes)
            return NC_ERANGE;
        for (int k = 0; k < 4; k++)
            p[i + (size_t)(big ? 3 - k : k)] = (unsigned char)(c >> 8 * k);
    }
    return CEL_OK;
}

static int take_element(const struct work *w, const unsigned char *p, void *out)
{
    const struct zarr_dtype *t = &w->a->dtype;
    uint16_t half;
    float f;
    char *text = NULL;
    int rc = CEL_OK;

    switch (t->form) {
    case ZARR_HALF:
        half = (uint16_t)(t->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
        f = cel_half_to_float(half);
        memcpy(out, &f, sizeof f);
        return CEL_OK;
    case ZARR_BYTES:
        text = cel_strndup((const char *)p, strnlen((const char *)p, t->size));
        rc = text ? CEL_OK : NC_ENOMEM;
        break;
    case ZARR_UTF32: rc = take_utf32(p, t->size, t->big, &text); break;
    case ZARR_CATEGORY: rc = zarr_category_take(t, p, &text); break;
    default:
        if (t->big)
            cel_swap_bytes(out, p, 1, t->size);
        else
            memcpy(out, p, t->size);
        return CEL_OK;
    }
    if (rc == CEL_OK)
        memcpy(out, &text, sizeof text);
    return rc;
}

static int put_element(const struct work *w, const void *in, unsigned char *p)
{
    const struct zarr_dtype *t = &w->a->dtype;
    uint16_t half;
    float f;
    const char *text;
    size_t len;

    switch (t->form) {
    case ZARR_HALF:
        memcpy(&f, in, sizeof f);
        half = cel_float_to_half(f);
        p[t->big] = (unsigned char)half;
        p[!t->big] = (unsigned char)(half >> 8);
        return CEL_OK;
    case ZARR_BYTES:
        memcpy(&text, in, sizeof text);
        len = text ? strlen(text) : 0;
        memset(p, 0, t->size);
        if (len > t->size)
            return cel_fail(NC_ERANGE, "a string of %zu bytes does not fit in %zu; set the attribute _nczarr_maxstrlen of "
                                       "the variable before data is written", len, t->size);
        memcpy(p, text ? text : "", len);
        return CEL_OK;
    case ZARR_CATEGORY:
        memcpy(&text, in, sizeof text);
        return zarr_category_put(t, text ? text : "", p);
    case ZARR_UTF32:
        memcpy(&text, in, sizeof text);
        return put_utf32(text ? text : "", p, t->size, t->big) == CEL_OK
                   ? CEL_OK
                   : cel_fail(NC_ERANGE, "a string has more than the %zu characters that fit", t->size / 4);
    default:
        if (t->big)
            cel_swap_bytes(p, in, 1, t->size);
        else
            memcpy(p, in, t->size);
        return CEL_OK;
    }
}

/* --- whole chunks ----------------------------------------------------------------------------- */

static int fill_elements(struct work *w)
{
    const void *fill = cel_var_fill_value(w->var);
    int rc = CEL_OK;

    if (w->var->no_fill && !w->var->type->varsized)
        return CEL_OK;
    for (size_t i = 0; rc == CEL_OK && fill && i < w->n; i++)
        rc = cel_value_copy(w->var->type, fill, 1, w->element + i * w->size);
    return rc;
}

static struct zarr_objects objects_of(const struct work *w)
{
    return (struct zarr_objects){&w->a->dtype, w->n, w->element, w->element_at, w->var->ndims, w->var->chunk};
}

static int elements_from_raw(struct work *w)
{
    struct zarr_objects objects = objects_of(w);
    int rc = CEL_OK;

    if (!w->a->dtype.size)
        return zarr_objects_decode(&objects, &w->raw);
    for (size_t i = 0; rc == CEL_OK && i < w->n; i++)
        rc = take_element(w, (unsigned char *)w->raw.data + stored_position(w, i) * w->a->dtype.size,
                          w->element + i * w->size);
    return rc;
}

static int elements_to_raw(struct work *w)
{
    struct zarr_objects objects = objects_of(w);
    int rc;

    if (!w->a->dtype.size)
        return zarr_objects_encode(&objects, &w->raw);
    rc = cel_buf_resize(&w->raw, w->n * w->a->dtype.size);
    for (size_t i = 0; rc == CEL_OK && i < w->n; i++)
        rc = put_element(w, w->element + i * w->size,
                         (unsigned char *)w->raw.data + stored_position(w, i) * w->a->dtype.size);
    return rc;
}

static int decode(struct work *w)
{
    int rc;

    if (!w->a->dtype.size)
        return cel_chain_decode_any(&w->var->chain, w->scratch, w->stored.data, w->stored.len, &w->raw);
    rc = cel_chain_plausible(&w->var->chain, w->stored.len, 0);
    if (rc == CEL_OK)
        rc = cel_buf_resize(&w->raw, w->n * w->a->dtype.size);
    return rc == CEL_OK ? cel_chain_decode(&w->var->chain, w->scratch, w->stored.data, w->stored.len, 0, w->raw.data) : rc;
}

static int load_chunk(struct work *w, const size_t *index)
{
    struct cel_chunk_place place;
    int rc;

    clear_elements(w);
    w->stored.len = 0;
    rc = zarr_chunk_find(w->ds, w->var, index, &place);
    if (rc == CEL_OK)
        rc = zarr_chunk_read(w->ds, w->var, index, &place, &w->stored);
    if (rc == CEL_ABSENT)
        return fill_elements(w);
    if (rc == CEL_OK)
        rc = decode(w);
    return rc == CEL_OK ? elements_from_raw(w) : rc;
}

static int store_chunk(struct work *w, const size_t *index)
{
    struct cel_chunk_place place;
    const void *encoded;
    uint32_t skipped;
    size_t n;
    int rc = elements_to_raw(w);

    if (rc == CEL_OK)
        rc = cel_chain_encode(&w->var->chain, w->scratch, w->raw.data, w->raw.len, &encoded, &n, &skipped);
    if (rc == CEL_OK)
        rc = zarr_chunk_place(w->ds, w->var, index, encoded, n, skipped, &place);
    return rc == CEL_OK ? zarr_chunk_write(w->ds, w->var, index, &place, encoded, n) : rc;
}

/* --- regions ------------------------------------------------------------------------------------ */

struct request {
    const size_t *start, *count;
    const ptrdiff_t *stride;
    unsigned char *data; /* count elements; const for a put */
    bool put;
};

static size_t stride_of(const struct request *r, int d)
{
    return r->stride ? (size_t)r->stride[d] : 1;
}

/* The first and last requested position along axis d that fall into chunk number c. */
static bool part_in_chunk(const struct work *w, const struct request *r, int d, size_t c, size_t *first, size_t *last)
{
    size_t lo = c * w->var->chunk[d], hi = lo + w->var->chunk[d] - 1, step = stride_of(r, d);

    *first = lo <= r->start[d] ? 0 : (lo - r->start[d] + step - 1) / step;
    if (hi < r->start[d])
        return false;
    *last = (hi - r->start[d]) / step;
    if (*last >= r->count[d])
        *last = r->count[d] - 1;
    return *first <= *last;
}

static int copy_element(struct work *w, const struct request *r, const size_t *at)
{
    size_t in_chunk = 0, in_data = 0;
    unsigned char *element, *data;

    for (int d = 0; d < w->var->ndims; d++) {
        in_chunk = in_chunk * w->var->chunk[d] + (r->start[d] + at[d] * stride_of(r, d)) % w->var->chunk[d];
        in_data = in_data * r->count[d] + at[d];
    }
    element = w->element + in_chunk * w->size;
    data = r->data + in_data * w->size;
    if (!r->put)
        return cel_value_copy(w->var->type, element, 1, data);
    cel_value_reclaim(w->var->type, element, 1);
    memset(element, 0, w->size);
    return cel_value_copy(w->var->type, data, 1, element);
}

/* Count at[] up through [first, last] in C order; false after the last. */
static bool next(size_t *at, const size_t *first, const size_t *last, int rank)
{
    for (int d = rank; d-- > 0;) {
        if (at[d] < last[d]) {
            at[d]++;
            return true;
        }
        at[d] = first[d];
    }
    return false;
}

static int do_chunk(struct work *w, const struct request *r, const size_t *index)
{
    size_t first[NC_MAX_VAR_DIMS], last[NC_MAX_VAR_DIMS], at[NC_MAX_VAR_DIMS];
    int rank = w->var->ndims, rc;

    for (int d = 0; d < rank; d++) {
        if (!part_in_chunk(w, r, d, index[d], &first[d], &last[d]))
            return CEL_OK;
        at[d] = first[d];
    }
    rc = load_chunk(w, index);
    if (rc == CEL_OK) {
        do
            rc = copy_element(w, r, at);
        while (rc == CEL_OK && next(at, first, last, rank));
    }
    return rc == CEL_OK && r->put ? store_chunk(w, index) : rc;
}

static int do_region(struct cel_dataset *ds, struct cel_var *var, const struct request *r)
{
    size_t first[NC_MAX_VAR_DIMS] = {0}, last[NC_MAX_VAR_DIMS], index[NC_MAX_VAR_DIMS] = {0};
    struct work w;
    int rc = start_work(&w, ds, var);

    for (int d = 0; rc == CEL_OK && d < var->ndims; d++) {
        if (!r->count[d])
            goto out;
        index[d] = first[d] = r->start[d] / var->chunk[d];
        last[d] = (r->start[d] + (r->count[d] - 1) * stride_of(r, d)) / var->chunk[d];
    }
    if (rc == CEL_OK) {
        do
            rc = do_chunk(&w, r, index);
        while (rc == CEL_OK && next(index, first, last, var->ndims));
    }
out:
    end_work(&w);
    return rc;
}

int zarr_plain_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                   const ptrdiff_t *stride, void *data)
{
    size_t n = 1;
    int rc;

    for (int d = 0; d < var->ndims; d++)
        n *= count[d];
    memset(data, 0, n * var->type->size);
    rc = do_region(ds, var, &(struct request){start, count, stride, data, false});
    if (rc != CEL_OK)
        cel_value_reclaim(var->type, data, n);
    return rc;
}

int zarr_plain_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                   const ptrdiff_t *stride, const void *data)
{
    return do_region(ds, var, &(struct request){start, count, stride, (unsigned char *)data, true});
}
