/* Data that does not go by chunks of numbers: text of any form, lists, half floats,
 * single values. A chunk is read whole and made into elements in memory form and C
 * order; a get hands those that are wanted over to the caller, a put lends the
 * caller's to the chunk while it is stored. Chunks are taken in order by as many
 * threads as there are, each with memory of its own; every chunk is a key of its own
 * (or has its place in a shard), so the bytes are the same for any number of them. */
#include "env.h"
#include "mem.h"
#include "pool.h"
#include "zarr_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAW_MAX ((size_t)1 << 31)      /* bytes of a chunk that is written */
#define SMALL_WORK ((size_t)256 << 10) /* bytes that are not worth waking a thread for */

/* One put or get, shared by all who work on it. */
struct call {
    struct cel_dataset *ds;
    struct cel_var *var;
    const struct cel_zarr_array *a;
    bool put;
    const size_t *start, *count;
    const ptrdiff_t *stride;
    unsigned char *data;                            /* count elements; not changed by a put */
    size_t size;                                    /* of an element in memory */
    size_t n;                                       /* elements of a chunk */
    size_t *element_at;                             /* the element at a stored position; NULL: the same */
    size_t first[CEL_RANK_MAX], last[CEL_RANK_MAX]; /* chunks touched */

    struct cel_mutex lock;             /* of what follows */
    size_t next[CEL_RANK_MAX], number; /* the chunk to be taken next */
    bool more;
    int rc; /* of the lowest chunk that failed */
    size_t failed;
    struct cel_status why;
};

/* One of those who work on it. */
struct hand {
    struct cel_task task; /* first: the pool knows only this */
    struct call *call;
    struct cel_scratch *scratch;
    unsigned char *element; /* of the chunk at work, in memory form; NULL: none yet */
    struct cel_buf stored;  /* its encoded bytes */
    struct cel_buf raw;     /* its decoded bytes, as stored */
};

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

/* --- stored order --------------------------------------------------------------------- */

/* Where element i (C order of the chunk) lies in the stored chunk. */
static size_t stored_position(const struct call *c, size_t i)
{
    const struct cel_var *var = c->var;
    size_t at[CEL_RANK_MAX], position = 0;

    for (int d = var->ndims; d-- > 0; i /= var->chunk[d])
        at[d] = i % var->chunk[d];
    for (int d = 0; d < var->ndims; d++)
        position = position * var->chunk[c->a->order[d]] + at[c->a->order[d]];
    return position;
}

static int map_positions(struct call *c)
{
    c->element_at = cel_malloc_array(c->n, sizeof *c->element_at);
    if (!c->element_at)
        return NC_ENOMEM;
    for (size_t i = 0; i < c->n; i++)
        c->element_at[stored_position(c, i)] = i;
    return CEL_OK;
}

/* --- whole chunks ----------------------------------------------------------------------- */

static int start_hand(struct hand *h)
{
    int rc = cel_scratch_make(&h->scratch);

    h->stored = (struct cel_buf)CEL_BUF_INIT(SIZE_MAX);
    h->raw = (struct cel_buf)CEL_BUF_INIT(RAW_MAX);
    return rc;
}

/* Elements of a whole chunk, all zero. They are asked for only when something says that there are so many. */
static int clear_elements(struct hand *h)
{
    if (!h->element) {
        h->element = cel_calloc(h->call->n, h->call->size);
        return h->element ? CEL_OK : NC_ENOMEM;
    }
    cel_value_reclaim(h->call->var->type, h->element, h->call->n);
    memset(h->element, 0, h->call->n * h->call->size);
    return CEL_OK;
}

static void end_hand(struct hand *h)
{
    if (h->element)
        cel_value_reclaim(h->call->var->type, h->element, h->call->n);
    free(h->element);
    cel_scratch_free(h->scratch);
    cel_buf_dispose(&h->stored);
    cel_buf_dispose(&h->raw);
}

static int fill_elements(struct hand *h)
{
    const struct cel_var *var = h->call->var;
    const void *fill = cel_var_fill_value(var);
    int rc = clear_elements(h);

    if (rc != CEL_OK || (var->fill.off && !var->type->varsized))
        return rc;
    for (size_t i = 0; rc == CEL_OK && fill && i < h->call->n; i++)
        rc = cel_value_copy(var->type, fill, 1, h->element + i * h->call->size);
    return rc;
}

static struct cel_zarr_objects objects_of(const struct hand *h)
{
    const struct call *c = h->call;

    return (struct cel_zarr_objects){&c->a->dtype, c->n, h->element, c->element_at, c->var->ndims, c->var->chunk};
}

static void *element_at(const struct hand *h, size_t stored)
{
    return h->element + (h->call->element_at ? h->call->element_at[stored] : stored) * h->call->size;
}

static int decode_objects(struct hand *h)
{
    struct cel_zarr_objects objects = objects_of(h);

    return cel_zarr_objects_decode(&objects, &h->raw);
}

static int elements_from_raw(struct hand *h)
{
    const struct cel_zarr_dtype *t = &h->call->a->dtype;
    int rc = t->size ? CEL_OK : cel_zarr_objects_plausible(t, h->call->n, &h->raw);

    if (rc == CEL_OK)
        rc = clear_elements(h);
    if (rc == CEL_OK && !t->size)
        return decode_objects(h);
    for (size_t i = 0; rc == CEL_OK && i < h->call->n; i++)
        rc = cel_zarr_element_take(t, (unsigned char *)h->raw.data + i * t->size, element_at(h, i));
    return rc;
}

static int elements_to_raw(struct hand *h)
{
    const struct cel_zarr_dtype *t = &h->call->a->dtype;
    struct cel_zarr_objects objects = objects_of(h);
    int rc;

    if (!t->size)
        return cel_zarr_objects_encode(&objects, &h->raw);
    rc = cel_buf_resize(&h->raw, h->call->n * t->size);
    for (size_t i = 0; rc == CEL_OK && i < h->call->n; i++)
        rc = cel_zarr_element_put(t, element_at(h, i), (unsigned char *)h->raw.data + i * t->size);
    return rc;
}

/* Nothing promises how long the elements are. */
static size_t most_decoded(const struct hand *h)
{
    bool json = h->call->a->dtype.form == ZARR_JSON;
    size_t least = cel_env_max_decoded(json ? ZARR_JSON_CHUNK_MAX : ZARR_CHUNK_MAX), most;

    if (!cel_mul(h->stored.len, ZARR_CHUNK_RATIO, &most))
        most = SIZE_MAX;
    return most > least ? most : least;
}

static int decode(struct hand *h)
{
    const struct cel_chain *chain = &h->call->var->chain;
    size_t size = h->call->a->dtype.size;
    int rc;

    if (!size) {
        h->raw.max = most_decoded(h);
        rc = cel_chain_decode_any(chain, h->scratch, h->stored.data, h->stored.len, &h->raw);
        h->raw.max = RAW_MAX;
        return rc;
    }
    rc = cel_chain_plausible(chain, h->stored.len, 0);
    if (rc == CEL_OK)
        rc = cel_buf_resize(&h->raw, h->call->n * size);
    return rc == CEL_OK ? cel_chain_decode(chain, h->scratch, h->stored.data, h->stored.len, 0, h->raw.data) : rc;
}

/* CEL_ABSENT: the store has no such chunk. */
static int load_chunk(struct hand *h, const size_t *index)
{
    const struct call *c = h->call;
    struct cel_chunk_location location;
    int rc;

    h->stored.len = 0;
    rc = cel_zarr_chunk_find(c->ds, c->var, index, &location);
    if (rc == CEL_OK)
        rc = cel_zarr_chunk_read(c->ds, c->var, index, &location, &h->stored);
    if (rc == CEL_OK)
        rc = decode(h);
    return rc == CEL_OK ? elements_from_raw(h) : rc;
}

static int store_chunk(struct hand *h, const size_t *index)
{
    const struct call *c = h->call;
    struct cel_chunk_location location;
    const void *encoded;
    uint32_t skipped;
    size_t n;
    int rc = elements_to_raw(h);

    if (rc == CEL_OK)
        rc = cel_chain_encode(&c->var->chain, h->scratch, h->raw.data, h->raw.len, &encoded, &n, &skipped);
    if (rc == CEL_OK)
        rc = cel_zarr_chunk_allocate(c->ds, c->var, index, encoded, n, skipped, &location);
    return rc == CEL_OK ? cel_zarr_chunk_write(c->ds, c->var, index, &location, encoded, n) : rc;
}

/* --- a region's part of a chunk -------------------------------------------------------------- */

/* n positions along each axis, from `first` of the request on. */
struct part {
    size_t first[CEL_RANK_MAX], n[CEL_RANK_MAX];
    bool whole;  /* all that the array has of the chunk */
    bool padded; /* ... which reaches beyond the array */
};

static size_t stride_of(const struct call *c, int d)
{
    return c->stride ? (size_t)c->stride[d] : 1;
}

/* false: the strides pass the chunk over. */
static bool part_along(const struct call *c, int d, size_t index, struct part *out)
{
    size_t lo = index * c->var->chunk[d], hi = lo + c->var->chunk[d] - 1, step = stride_of(c, d), last;
    size_t end = c->var->extent[d] - 1 < hi ? c->var->extent[d] - 1 : hi;

    if (hi < c->start[d])
        return false;
    out->first[d] = lo <= c->start[d] ? 0 : (lo - c->start[d] + step - 1) / step;
    last = (hi - c->start[d]) / step;
    last = last < c->count[d] ? last : c->count[d] - 1;
    if (out->first[d] > last)
        return false;
    out->n[d] = last - out->first[d] + 1;
    out->whole = out->whole && out->n[d] == end - lo + 1;
    out->padded = out->padded || end < hi;
    return true;
}

static bool find_part(const struct call *c, const size_t *index, struct part *out)
{
    out->whole = true;
    out->padded = false;
    for (int d = 0; d < c->var->ndims; d++)
        if (!part_along(c, d, index[d], out))
            return false;
    return true;
}

/* n elements of a chunk and of the caller's memory, both with their steps in bytes. */
struct row {
    const struct cel_type *type;
    unsigned char *element, *data;
    size_t n, element_step, data_step;
};
typedef void row_fn(const struct row *row);

/* The caller gets what the elements own. */
static void hand_over(const struct row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        memcpy(row->data + i * row->data_step, row->element + i * row->element_step, row->type->size);
        memset(row->element + i * row->element_step, 0, row->type->size);
    }
}

/* The chunk's elements are the caller's for a while ... */
static void lend(const struct row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        cel_value_reclaim(row->type, row->element + i * row->element_step, 1);
        memcpy(row->element + i * row->element_step, row->data + i * row->data_step, row->type->size);
    }
}

/* ... and own nothing afterwards. */
static void take_back(const struct row *row)
{
    for (size_t i = 0; i < row->n; i++)
        memset(row->element + i * row->element_step, 0, row->type->size);
}

/* The row of the part that starts at at[] of it. */
static struct row row_at(const struct hand *h, const struct part *part, const size_t *at)
{
    const struct call *c = h->call;
    size_t in_chunk = 0, in_data = 0;
    int rank = c->var->ndims;

    for (int d = 0; d < rank; d++) {
        size_t i = part->first[d] + at[d];
        in_chunk = in_chunk * c->var->chunk[d] + (c->start[d] + i * stride_of(c, d)) % c->var->chunk[d];
        in_data = in_data * c->count[d] + i;
    }
    return (struct row){.type = c->var->type,
                        .element = h->element ? h->element + in_chunk * c->size : NULL,
                        .data = c->data + in_data * c->size,
                        .n = rank ? part->n[rank - 1] : 1,
                        .element_step = c->size * (rank ? stride_of(c, rank - 1) : 1),
                        .data_step = c->size};
}

/* On to the next row of the part; false after the last. */
static bool next_row(const struct hand *h, const struct part *part, size_t *at)
{
    static const size_t zero[CEL_RANK_MAX];
    size_t last[CEL_RANK_MAX];
    int outer = h->call->var->ndims - 1;

    for (int d = 0; d < outer; d++)
        last[d] = part->n[d] - 1;
    return next(at, zero, last, outer < 0 ? 0 : outer);
}

static void each_row(const struct hand *h, const struct part *part, row_fn *act)
{
    size_t at[CEL_RANK_MAX] = {0};

    do {
        struct row row = row_at(h, part, at);
        act(&row);
    } while (next_row(h, part, at));
}

/* What the caller gets of a chunk that is not there. */
static int fill_rows(const struct hand *h, const struct part *part)
{
    const struct cel_var *var = h->call->var;
    const void *fill = var->fill.off && !var->type->varsized ? NULL : cel_var_fill_value(var);
    size_t at[CEL_RANK_MAX] = {0};
    int rc = CEL_OK;

    if (!fill)
        return CEL_OK; /* the caller's memory is zero */
    do {
        struct row row = row_at(h, part, at);
        for (size_t i = 0; rc == CEL_OK && i < row.n; i++)
            rc = cel_value_copy(row.type, fill, 1, row.data + i * row.data_step);
    } while (rc == CEL_OK && next_row(h, part, at));
    return rc;
}

static int get_chunk(struct hand *h, const size_t *index, const struct part *part)
{
    int rc = load_chunk(h, index);

    if (rc == CEL_ABSENT)
        return fill_rows(h, part);
    if (rc == CEL_OK)
        each_row(h, part, hand_over);
    return rc;
}

static int put_chunk(struct hand *h, const size_t *index, const struct part *part)
{
    int rc;

    if (part->whole) {
        rc = part->padded ? fill_elements(h) : clear_elements(h);
    } else {
        rc = load_chunk(h, index);
        rc = rc == CEL_ABSENT ? fill_elements(h) : rc;
    }
    if (rc != CEL_OK)
        return rc;
    each_row(h, part, lend);
    rc = store_chunk(h, index);
    each_row(h, part, take_back);
    return rc;
}

static int do_chunk(struct hand *h, const size_t *index)
{
    struct part part;

    if (!find_part(h->call, index, &part))
        return CEL_OK;
    return h->call->put ? put_chunk(h, index, &part) : get_chunk(h, index, &part);
}

/* --- all chunks, by many hands -------------------------------------------------------------------- */

static bool take_chunk(struct call *c, size_t *index, size_t *number)
{
    bool taken;

    cel_lock(&c->lock);
    taken = c->more && c->rc == CEL_OK;
    if (taken) {
        memcpy(index, c->next, sizeof c->next);
        *number = c->number++;
        c->more = next(c->next, c->first, c->last, c->var->ndims);
    }
    cel_unlock(&c->lock);
    return taken;
}

/* Chunks are taken in order, so those before the lowest that failed are all done. */
static void note_failure(struct call *c, const size_t *index, size_t number, int rc)
{
    cel_fail_in_chunk(rc, index, c->var->ndims);
    cel_lock(&c->lock);
    if (c->rc == CEL_OK || number < c->failed) {
        c->rc = rc;
        c->failed = number;
        cel_status_save(&c->why);
    }
    cel_unlock(&c->lock);
}

static void work(struct cel_task *task)
{
    struct hand *h = (struct hand *)task;
    size_t index[CEL_RANK_MAX], number;
    int rc = CEL_OK;

    while (rc == CEL_OK && take_chunk(h->call, index, &number)) {
        rc = h->scratch ? CEL_OK : start_hand(h);
        if (rc == CEL_OK)
            rc = do_chunk(h, index);
        if (rc != CEL_OK)
            note_failure(h->call, index, number, rc);
    }
    end_hand(h);
}

/* As many as find work. */
static size_t count_hands(const struct call *c)
{
    size_t threads = (size_t)cel_pool_size(), chunks = 1, each = c->a->dtype.size ? c->a->dtype.size : 2 * c->size;

    for (int d = 0; d < c->var->ndims && chunks < SMALL_WORK; d++)
        chunks *= c->last[d] - c->first[d] < SMALL_WORK ? c->last[d] - c->first[d] + 1 : SMALL_WORK;
    if (chunks < SMALL_WORK && c->n < SMALL_WORK && chunks * c->n * each < SMALL_WORK)
        return 1;
    return chunks < threads ? chunks : threads;
}

static int do_chunks(struct call *c)
{
    size_t n = count_hands(c);
    struct hand *hand = cel_calloc(n, sizeof *hand);
    struct cel_task_group tasks;

    if (!hand)
        return NC_ENOMEM;
    cel_mutex_init(&c->lock);
    cel_task_group_open(&tasks, n == 1);
    for (size_t i = 0; i < n; i++) {
        hand[i].task.run = work;
        hand[i].call = c;
        cel_task_group_push(&tasks, &hand[i].task, false);
    }
    for (size_t i = 0; i < n; i++)
        cel_task_group_finish(&tasks, &hand[i].task);
    cel_mutex_dispose(&c->lock);
    free(hand);
    if (c->rc != CEL_OK)
        cel_status_restore(&c->why);
    return c->rc;
}

static int do_region(struct call *c)
{
    int rc = CEL_OK;

    c->a = c->var->priv;
    c->size = c->var->type->size;
    c->n = 1;
    c->more = true;
    for (int d = 0; d < c->var->ndims; d++) {
        if (!c->count[d])
            return CEL_OK;
        if (!cel_mul(c->n, c->var->chunk[d], &c->n))
            return cel_fail(NC_EBADCHUNK, "its chunks are too large for this machine");
        c->next[d] = c->first[d] = c->start[d] / c->var->chunk[d];
        c->last[d] = (c->start[d] + (c->count[d] - 1) * stride_of(c, d)) / c->var->chunk[d];
    }
    if (c->a->order)
        rc = map_positions(c);
    if (rc == CEL_OK)
        rc = do_chunks(c);
    free(c->element_at);
    return rc;
}

int cel_zarr_unchunked_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                           const ptrdiff_t *stride, void *data)
{
    struct call call = {.ds = ds, .var = var, .start = start, .count = count, .stride = stride, .data = data};
    size_t n = 1;
    int rc;

    for (int d = 0; d < var->ndims; d++)
        n *= count[d];
    memset(data, 0, n * var->type->size);
    rc = do_region(&call);
    if (rc != CEL_OK)
        cel_value_reclaim(var->type, data, n);
    return rc;
}

int cel_zarr_unchunked_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                           const ptrdiff_t *stride, const void *data)
{
    struct call call = {.ds = ds,
                        .var = var,
                        .start = start,
                        .count = count,
                        .stride = stride,
                        .data = (unsigned char *)data,
                        .put = true};

    return do_region(&call);
}
