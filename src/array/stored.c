/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoded chunks: the stored size of a variable, and copying it to another file without
 * decoding. Nearly all codecs write the same bytes in every format, so the condition for
 * copying is that the filters are equal. */
#include "array_int.h"
#include "chunk_grid.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef int on_chunk(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                     const struct cel_chunk_location *at, void *arg);

static void extent_of(struct cel_dataset *ds, const struct cel_var *var, size_t *out)
{
    cel_lock(ds->lock);
    for (int d = 0; d < var->ndims; d++)
        out[d] = var->layout.extent ? var->layout.extent[d] : var->dim[d]->len;
    cel_unlock(ds->lock);
}

static void lengths_of(struct cel_dataset *ds, const struct cel_var *var, size_t *out)
{
    cel_lock(ds->lock);
    for (int d = 0; d < var->ndims; d++)
        out[d] = var->dim[d]->len;
    cel_unlock(ds->lock);
}

/* The variable's array, with all that was put in the container. */
static int get_flushed(struct cel_dataset *ds, struct cel_var *var, struct cel_array **out)
{
    int rc = cel_array_get(ds, var, out);

    return rc == CEL_OK ? cel_array_flush(ds, var) : rc;
}

static size_t chunks_in(size_t length, size_t chunk)
{
    return length / chunk + (length % chunk != 0);
}

/* A variable without chunks is one, or one for each record of a file whose records lie apart. */
static size_t chunk_length(const struct cel_dataset *ds, const struct cel_var *var, int d, size_t extent)
{
    if (var->layout.chunk)
        return var->layout.chunk[d];
    if (d == 0 && cel_is_classic_file(ds) && var->dim[0]->unlimited)
        return 1;
    return extent ? extent : 1;
}

/* --- the chunks that are stored ------------------------------------------------------- */

/* Chunks along each dimension. */
static void grid_of(const struct cel_dataset *ds, const struct cel_var *var, const size_t *extent, size_t *n)
{
    for (int d = 0; d < var->ndims; d++)
        n[d] = chunks_in(extent[d], chunk_length(ds, var, d, extent[d]));
}

/* To the first chunk behind this one, or to the first of all, that may be stored; CEL_ABSENT: there is none. With the
 * variable's lock held. */
static int next_chunk(struct cel_dataset *ds, struct cel_var *var, const size_t *n, bool first, size_t *index)
{
    if (first)
        memset(index, 0, (size_t)var->ndims * sizeof *index);
    else if (var->ndims == 0)
        return CEL_ABSENT;
    else if (index[var->ndims - 1] < SIZE_MAX)
        index[var->ndims - 1]++;
    if (!cel_chunk_wrap(var->ndims, n, index))
        return CEL_ABSENT;
    return ds->ops->chunk_next && var->ndims > 0 ? ds->ops->chunk_next(ds, var, n, index) : CEL_OK;
}

/* Every chunk that was written, in order. With the variable's lock held. */
static int each_chunk(struct cel_dataset *ds, struct cel_var *var, const size_t *extent, on_chunk *visit, void *arg)
{
    size_t index[CEL_RANK_MAX], n[CEL_RANK_MAX];
    int rc;

    grid_of(ds, var, extent, n);
    for (rc = next_chunk(ds, var, n, true, index); rc == CEL_OK; rc = next_chunk(ds, var, n, false, index)) {
        struct cel_chunk_location at;

        rc = ds->ops->chunk_find(ds, var, index, &at);
        if (rc == CEL_OK)
            rc = visit(ds, var, index, &at, arg);
        if (rc != CEL_OK && rc != CEL_ABSENT)
            return rc;
    }
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

int cel_array_next_chunk(struct cel_dataset *ds, struct cel_var *var, bool first, size_t *index)
{
    size_t extent[CEL_RANK_MAX], n[CEL_RANK_MAX], at[CEL_RANK_MAX], nbytes = (size_t)var->ndims * sizeof *index;
    struct cel_array *array;
    int rc = get_flushed(ds, var, &array);

    if (rc != CEL_OK)
        return rc;
    if (nbytes)
        memcpy(at, index, nbytes);
    extent_of(ds, var, extent);
    grid_of(ds, var, extent, n);
    cel_lock(&array->lock);
    rc = next_chunk(ds, var, n, first, at);
    cel_unlock(&array->lock);
    if (rc == CEL_OK && nbytes)
        memcpy(index, at, nbytes);
    return rc;
}

/* --- size --------------------------------------------------------------------- */

static int add_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                    const struct cel_chunk_location *at, void *arg)
{
    uint64_t *sum = arg, nbytes = at->nbytes;
    int rc = ds->ops->chunk_size ? ds->ops->chunk_size(ds, var, index, &nbytes) : CEL_OK;

    assert(ds->ops->chunk_size || at->nbytes != SIZE_MAX);
    if (rc == CEL_OK)
        *sum += nbytes;
    return rc;
}

/* No chunk is read. Without chunks the values lie as they are in memory. */
int cel_array_stored(struct cel_dataset *ds, struct cel_var *var, uint64_t *out)
{
    size_t extent[CEL_RANK_MAX];
    struct cel_array *array;
    int rc = get_flushed(ds, var, &array);

    *out = 0;
    if (rc != CEL_OK)
        return rc;
    extent_of(ds, var, extent);
    if (var->layout.unchunked && !ds->ops->chunk_size) {
        size_t n = var->type->size;

        for (int d = 0; d < var->ndims; d++)
            if (!cel_mul(n, extent[d], &n))
                return cel_fail(NC_EVARSIZE, "the variable has more bytes than memory could");
        *out = n;
        return CEL_OK;
    }
    cel_lock(&array->lock);
    rc = ds->ops->stored_size ? ds->ops->stored_size(ds, var, out) : CEL_ABSENT;
    if (rc == CEL_ABSENT)
        rc = each_chunk(ds, var, extent, add_size, out);
    cel_unlock(&array->lock);
    return rc;
}

/* --- where a chunk lies ------------------------------------------------------- */

/* CEL_ABSENT: a chunk of records that other variables have and this one was never given. */
static int check_index(struct cel_dataset *ds, const struct cel_var *var, const size_t *index)
{
    size_t extent[CEL_RANK_MAX], length[CEL_RANK_MAX];
    int rc = CEL_OK;

    extent_of(ds, var, extent);
    lengths_of(ds, var, length);
    for (int d = 0; d < var->ndims; d++) {
        size_t chunk = chunk_length(ds, var, d, extent[d]), own = chunks_in(extent[d], chunk);
        size_t n = var->dim[d]->unlimited && length[d] > extent[d] ? chunks_in(length[d], chunk) : own;

        if (index[d] >= n && index[d] > 0)
            return cel_fail(NC_EINVALCOORDS, "chunk %zu in dimension %s, which has %zu", index[d], var->dim[d]->name,
                            n);
        if (index[d] >= own && index[d] > 0)
            rc = CEL_ABSENT;
    }
    return rc;
}

int cel_array_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out,
                     char **key)
{
    struct cel_array *array;
    int rc = get_flushed(ds, var, &array);

    *out = (struct cel_chunk_location){0};
    *key = NULL;
    if (rc != CEL_OK)
        return rc;
    rc = check_index(ds, var, index);
    cel_lock(&array->lock);
    if (rc == CEL_OK)
        rc = ds->ops->chunk_locate(ds, var, index, out, key);
    cel_unlock(&array->lock);
    return rc;
}

/* Finding is one thread's at a time, reading is not. */
int cel_array_read_stored(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_buf *out,
                          uint32_t *skipped)
{
    struct cel_chunk_location at;
    struct cel_array *array;
    int rc = cel_array_get(ds, var, &array);

    if (rc == CEL_OK && (var->layout.storage != CEL_CHUNKED || !ds->ops->chunk_read))
        rc = cel_fail(NC_EINVAL, "the variable has no chunks");
    if (rc == CEL_OK)
        rc = cel_array_flush(ds, var);
    if (rc != CEL_OK)
        return rc;
    rc = check_index(ds, var, index);
    if (rc != CEL_OK)
        return rc;
    cel_lock(&array->lock);
    rc = ds->ops->chunk_find(ds, var, index, &at);
    cel_unlock(&array->lock);
    if (rc == CEL_OK)
        rc = ds->ops->chunk_read(ds, var, index, &at, out);
    *skipped = rc == CEL_OK ? at.skipped : 0;
    return rc;
}

/* --- copying ------------------------------------------------------------------------ */

static bool words_equal(const struct cel_words *a, const struct cel_words *b)
{
    return a->n == b->n && memcmp(a->w, b->w, a->n * sizeof *a->w) == 0;
}

static bool chains_equal(const struct cel_chain *a, const struct cel_chain *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct cel_codec *codec = a->step[i].codec;

        if (!a->step[i].id || a->step[i].id != b->step[i].id || !words_equal(&a->step[i].working, &b->step[i].working))
            return false;
        if (codec && codec->flags & CEL_CODEC_BY_FORMAT && a->maskless != b->maskless && a->n > 1)
            return false;
    }
    return true;
}

/* The codec that makes chunks of the one format chunks of the other; NULL: they are the same bytes. */
static const struct cel_codec *reformatter(const struct cel_chain *a, const struct cel_chain *b)
{
    const struct cel_codec *codec = a->n == 1 && a->maskless != b->maskless ? a->step[0].codec : NULL;

    return codec && codec->reformat ? codec : NULL;
}

static bool fills_equal(const struct cel_var *a, const struct cel_var *b)
{
    const void *x = cel_var_fill_value(a), *y = cel_var_fill_value(b);

    return a->fill.off == b->fill.off && a->fill.never == b->fill.never && !x == !y &&
           (!x || memcmp(x, y, a->type->size) == 0);
}

static bool byte_orders_equal(const struct cel_var *a, const struct cel_var *b)
{
    int one = 1, native = *(char *)&one ? NC_ENDIAN_LITTLE : NC_ENDIAN_BIG;

    return a->type->size == 1 || (a->endian ? a->endian : native) == (b->endian ? b->endian : native);
}

/* Types of the file's own would have to be compared field by field: those are
 * decoded. */
static bool same_encoding(const struct cel_var *a, const struct cel_var *b)
{
    bool same = !a->layout.unchunked && !b->layout.unchunked && !a->layout.order && !b->layout.order &&
                a->ndims == b->ndims && a->ndims > 0 && a->type->id == b->type->id && a->type->id < NC_STRING &&
                chains_equal(&a->chain, &b->chain) && fills_equal(a, b) && byte_orders_equal(a, b);

    for (int d = 0; same && d < a->ndims; d++)
        same = a->layout.chunk[d] == b->layout.chunk[d];
    return same;
}

struct target {
    struct cel_dataset *ds;
    struct cel_var *var;
    const struct cel_codec *reformatter; /* or NULL */
    struct cel_buf bytes;
    size_t next[CEL_RANK_MAX], n[CEL_RANK_MAX]; /* the chunk of the input announced last, and how many there are */
    size_t left;                                /* how many more may be announced before the next one is copied */
    bool first, on;
};

/* Chunks of the input, before they are read one after the other. */
static void announce(struct cel_dataset *ds, struct cel_var *var, struct target *to)
{
    struct cel_status before;

    if (!to->on)
        return;
    cel_status_save(&before);
    for (; to->on && to->left; to->left--) {
        to->on = next_chunk(ds, var, to->n, to->first, to->next) == CEL_OK && ds->ops->chunk_want(ds, var, to->next);
        to->first = false;
    }
    to->left++;
    cel_status_restore(&before);
}

static int copy_chunk(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, void *arg)
{
    struct target *to = arg;
    const struct cel_container_ops *ops = to->ds->ops;
    struct cel_chunk_location there;
    int rc;

    announce(ds, var, to);
    if (at->skipped && ds->ops != to->ds->ops)
        return CEL_SKIP; /* another format cannot record filters that were skipped for a chunk */
    to->bytes.len = 0;
    rc = ds->ops->chunk_read(ds, var, index, at, &to->bytes);
    if (rc == CEL_OK && to->reformatter)
        rc = to->reformatter->reformat(to->var->chain.maskless, &to->bytes);
    if (rc == CEL_OK && ops->chunk_io_begin)
        ops->chunk_io_begin(to->ds);
    if (rc != CEL_OK)
        return rc;
    rc = ops->chunk_allocate(to->ds, to->var, index, to->bytes.data, to->bytes.len, at->skipped, &there);
    if (rc == CEL_OK)
        rc = ops->chunk_write(to->ds, to->var, index, &there, to->bytes.data, to->bytes.len);
    if (ops->chunk_io_end)
        ops->chunk_io_end(to->ds);
    return rc == CEL_OK && ops->must_flush && ops->must_flush(to->ds) ? ops->flush_deferred(to->ds) : rc;
}

/* The output as large as the input: what is longer there stays. */
static int extend_to(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    size_t longest[CEL_RANK_MAX];
    bool longer = false;
    int rc = CEL_OK;

    cel_lock(ds->lock);
    var->fill.settled = true;
    for (int d = 0; rc == CEL_OK && d < var->ndims; d++) {
        size_t now = var->layout.extent ? var->layout.extent[d] : var->dim[d]->len;

        longest[d] = now > extent[d] ? now : extent[d];
        longer = longer || longest[d] > now;
        if (longest[d] > now && !var->dim[d]->unlimited)
            rc = cel_fail(NC_EEDGE, "dimension %s has length %zu, and the input is %zu long", var->dim[d]->name, now,
                          extent[d]);
    }
    if (rc == CEL_OK && longer)
        rc = ds->ops->extend(ds, var, longest);
    for (int d = 0; rc == CEL_OK && d < var->ndims; d++)
        if (var->dim[d]->unlimited && longest[d] > var->dim[d]->len)
            var->dim[d]->len = longest[d];
    cel_unlock(ds->lock);
    return rc;
}

int cel_array_copy(struct cel_dataset *ds, struct cel_var *var, struct cel_dataset *to_ds, struct cel_var *to_var)
{
    struct target to = {.ds = to_ds, .var = to_var, .bytes = CEL_BUF_INIT(SIZE_MAX / 2), .first = true};
    size_t extent[CEL_RANK_MAX];
    struct cel_array *a, *b;
    int rc = cel_array_get(ds, var, &a);

    if (rc == CEL_OK)
        rc = cel_array_get(to_ds, to_var, &b);
    if (rc != CEL_OK)
        return rc;
    if (ds == to_ds || b->quantizer || !same_encoding(var, to_var))
        return CEL_SKIP;
    rc = cel_array_flush(ds, var);
    if (rc == CEL_OK)
        rc = cel_behind_flush(to_ds);
    if (rc != CEL_OK)
        return rc;
    extent_of(ds, var, extent);
    grid_of(ds, var, extent, to.n);
    to.left = cel_read_ahead_most(a);
    to.reformatter = reformatter(&var->chain, &to_var->chain);
    to.on = ds->ops->chunk_want;
    cel_lock(a < b ? &a->lock : &b->lock); /* two copies in opposite directions never wait for one another */
    cel_lock(a < b ? &b->lock : &a->lock);
    rc = extend_to(to_ds, to_var, extent);
    if (rc == CEL_OK)
        rc = each_chunk(ds, var, extent, copy_chunk, &to);
    cel_unlock(&a->lock);
    cel_unlock(&b->lock);
    cel_buf_dispose(&to.bytes);
    return rc;
}
