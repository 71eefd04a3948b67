/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of both files in blocks: chunks that are stored alike are not decoded, the rest is compared on all cores. */

#include "cellar.h"
#include "diff.h"
#include "msg.h"
#include "parallel.h"
#include "progress.h"
#include "slab.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 8 << 20, PART = 1 << 16 }; /* bytes of each file at a time; values a thread takes at a time */

struct pair {
    struct diff *d;
    struct diff_request req; /* d's, less the differences that are known */
    struct diff_var *v;
    const struct type *type; /* that both are read as */
    bool as_double;
    bool stored_alike;          /* same type, chunks and filters: bytes may be compared before they are decoded */
    struct diff_stored *stored; /* NULL: blocks of all values; else of the chunks that there are */
    char *a, *b;
    const struct slab *block;
    struct diff_stats *part;
    size_t nparts;
    _Atomic bool differs;
};

/* --- chunks as they are stored ------------------------------------------------------------------ */

static bool same_byte_order(const struct look_var *a, const struct look_var *b)
{
    int x = NC_ENDIAN_NATIVE, y = NC_ENDIAN_NATIVE;

    return nc_inq_var_endian(a->group, a->id, &x) == NC_NOERR && nc_inq_var_endian(b->group, b->id, &y) == NC_NOERR &&
           x == y;
}

static bool is_stored_alike(const struct look_var *a, const struct look_var *b)
{
    bool same = a->chain[0] && a->storage == NC_CHUNKED && b->storage == NC_CHUNKED && a->xtype == b->xtype &&
                a->xtype < NC_STRING && strcmp(a->chain, b->chain) == 0 && same_byte_order(a, b);

    for (int d = 0; same && d < a->ndims; d++)
        same = a->piece[d] == b->piece[d];
    return same;
}

static void compare_stored(void *arg, size_t number)
{
    struct pair *p = arg;
    size_t index[NC_MAX_VAR_DIMS], n[2];
    unsigned skipped[2];
    void *bytes[2] = {NULL, NULL};
    const struct look_var *v[2] = {p->v->a, p->v->b};
    bool ok = !atomic_load(&p->differs);

    for (int d = v[0]->ndims; d-- > 0;) {
        size_t across = (p->block->count[d] + v[0]->piece[d] - 1) / v[0]->piece[d];

        index[d] = p->block->start[d] / v[0]->piece[d] + number % across;
        number /= across;
    }
    for (int k = 0; ok && k < 2; k++)
        ok = cellar_get_chunk(v[k]->group, v[k]->id, index, &n[k], &skipped[k], &bytes[k]) == NC_NOERR && n[k] > 0;
    if (!ok || n[0] != n[1] || skipped[0] != skipped[1] || memcmp(bytes[0], bytes[1], n[0]) != 0)
        atomic_store(&p->differs, true);
    cellar_free(bytes[0]);
    cellar_free(bytes[1]);
}

/* NaN that is to differ from itself cannot be told from bytes. */
static bool block_is_stored_alike(struct pair *p, const struct slab *block)
{
    size_t chunks = 1;

    if (!p->stored_alike || p->d->req->nan_differs)
        return false;
    for (int d = 0; d < block->ndims; d++)
        chunks *= (block->count[d] + p->v->a->piece[d] - 1) / p->v->a->piece[d];
    p->block = block;
    atomic_store(&p->differs, false);
    parallel_for((size_t)cellar_get_threads(), chunks, compare_stored, p);
    return !atomic_load(&p->differs);
}

/* --- values ------------------------------------------------------------------------------------------ */

static int get(const struct pair *p, const struct look_var *v, const struct slab *block, char *out)
{
    return p->as_double ? nc_get_vara_double(v->group, v->id, block->start, block->count, (double *)(void *)out)
                        : nc_get_vara(v->group, v->id, block->start, block->count, out);
}

static void compare_part(void *arg, size_t i)
{
    struct pair *p = arg;
    size_t from = i * PART, n = p->block->n - from < PART ? p->block->n - from : PART, size = p->type->size;

    p->part[i].max_rel = p->v->stats.max_rel; /* what is not above it need not be known */
    diff_compare(&p->req, p->type, p->a + from * size, p->b + from * size, n, from, &p->part[i]);
}

/* From a value's number in the block to its number in the variable. */
static size_t number_of(const struct look_var *v, const struct slab *block, size_t at)
{
    size_t number = 0, index[NC_MAX_VAR_DIMS];

    for (int d = v->ndims; d-- > 0;) {
        index[d] = block->start[d] + at % block->count[d];
        at /= block->count[d];
    }
    for (int d = 0; d < v->ndims; d++)
        number = number * v->shape[d] + index[d];
    return number;
}

static void compare_block(struct pair *p, const struct slab *block)
{
    size_t n = (block->n + PART - 1) / PART;

    p->block = block;
    p->req = *p->d->req;
    p->req.first -= p->v->stats.nfirst;
    p->part = tool_alloc(n, sizeof *p->part);
    parallel_for((size_t)cellar_get_threads(), n, compare_part, p);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < p->part[i].nfirst; k++)
            p->part[i].first[k].at = number_of(p->v->a, block, p->part[i].first[k].at);
        diff_stats_merge(p->d->req, &p->v->stats, &p->part[i]);
    }
    free(p->part);
}

static bool read_block(struct pair *p, const struct slab *block)
{
    int status = get(p, p->v->a, block, p->a);

    if (status) {
        msg_nc(status, "%s: %s", p->d->a.path, p->v->a->path);
        return false;
    }
    status = get(p, p->v->b, block, p->b);
    if (status) {
        msg_nc(status, "%s: %s", p->d->b.path, p->v->b->path);
        type_release(p->type, p->a, block->n);
        return false;
    }
    return true;
}

static bool next_block(struct pair *p, struct slab *block)
{
    return p->stored ? diff_stored_next(p->stored, block) : slab_next(block);
}

/* Chunks that neither has hold one value on either side: what is found of one pair counts for all of them. */
static void count_absent(struct pair *p, const struct slab *value, size_t n)
{
    struct diff_stats one = {0};

    diff_compare(p->d->req, p->type, p->a, p->b, 1, number_of(p->v->a, value, 0), &one);
    one.values *= n;
    one.unequal *= n;
    one.differing *= n;
    one.nan *= n;
    one.sum_squares *= (double)n;
    diff_stats_merge(p->d->req, &p->v->stats, &one);
    type_release(p->type, p->a, 1);
    type_release(p->type, p->b, 1);
}

static bool compare_absent(struct pair *p, struct slab *value)
{
    const char *path[2] = {p->d->a.path, p->d->b.path};
    size_t left = p->v->a->nvalues - p->stored->values;

    for (int k = 0; k < 2; k++)
        if (p->stored->why[k]) {
            msg_error("%s: %s: not compared to its end: %s", path[k], p->v->a->path, p->stored->why[k]);
            return false;
        }
    if (!diff_stored_absent(p->stored, value))
        return true;
    if (!read_block(p, value))
        return false;
    count_absent(p, value, left);
    progress_add(left * p->type->size, p->v->a->path);
    return true;
}

/* Stored bytes are compared first. Once they differed in a block, they mostly differ in the next ones too: from there
 * on they are compared in every eighth block only. */
static bool compare_blocks(struct pair *p, struct slab *block)
{
    size_t number = 0;
    bool try = p->stored_alike;

    p->v->as_stored = p->stored_alike;
    for (; next_block(p, block); number++) {
        if (try || number % 8 == 0)
            try = block_is_stored_alike(p, block);
        if (try) {
            p->v->stats.values += block->n;
        } else {
            p->v->as_stored = false;
            if (!read_block(p, block))
                return false;
            compare_block(p, block);
            type_release(p->type, p->a, block->n);
            type_release(p->type, p->b, block->n);
        }
        progress_add(block->n * p->type->size, p->v->a->path);
    }
    return !p->stored || compare_absent(p, block);
}

/* A block is made of whole chunks of both, as far as one is a multiple of the other. */
static void start_blocks(struct pair *p, struct slab *block)
{
    const struct look_var *a = p->v->a, *b = p->v->b;
    struct look_var larger = *a;
    size_t *box = tool_alloc((size_t)a->ndims + 1, sizeof *box), most = MEMORY / p->type->size + 1;

    larger.piece = tool_alloc((size_t)a->ndims + 1, sizeof *larger.piece);
    for (int d = 0; d < a->ndims; d++)
        larger.piece[d] = b->storage == NC_CHUNKED && (a->storage != NC_CHUNKED || b->piece[d] > a->piece[d])
                              ? b->piece[d]
                              : a->piece[d];
    if (p->stored)
        slab_start_boxes(block, a->ndims, a->shape, p->stored->cell);
    else if (look_piece_values(&larger) > most)
        slab_start(block, a->ndims, a->shape, a->storage == NC_CHUNKED ? a->piece : NULL, most);
    else
        slab_start_boxes(block, a->ndims, a->shape, look_box(&larger, most, box));
    free(larger.piece);
    free(box);
}

static bool is_number(const struct look_var *v)
{
    return v->xtype > NC_NAT && v->xtype < NC_STRING && v->xtype != NC_CHAR;
}

static void compare_var(struct diff *d, struct diff_var *v)
{
    struct pair p = {.d = d, .v = v, .type = v->a->type, .stored_alike = is_stored_alike(v->a, v->b)};
    struct slab *block = tool_alloc(1, sizeof *block);
    struct diff_stored stored = {0};
    size_t capacity = 1;

    if (diff_stored_can(v->a, v->b)) {
        diff_stored_start(&stored, v->a, v->b);
        p.stored = &stored;
    }
    p.as_double = v->a->xtype != v->b->xtype && is_number(v->a) && is_number(v->b);
    if (p.as_double)
        p.type = types_atomic(NC_DOUBLE);
    start_blocks(&p, block);
    for (int i = 0; i < v->a->ndims; i++)
        capacity *= block->step[i] < v->a->shape[i] ? block->step[i] : v->a->shape[i];
    p.a = tool_alloc(capacity, p.type->size);
    p.b = tool_alloc(capacity, p.type->size);
    if (!compare_blocks(&p, block))
        d->failed = true;
    diff_stored_end(&stored);
    free(p.a);
    free(p.b);
    free(block);
}

static bool is_comparable(const struct look_var *a, const struct look_var *b)
{
    return a->type && b->type && a->nvalues &&
           ((is_number(a) && is_number(b)) || (a->type->kind == b->type->kind && a->type->size == b->type->size));
}

/* NULL: all its values can be had, or what is stored of them. */
static const char *why_not(const struct look_var *v, bool by_stored)
{
    return v->reason || by_stored ? v->reason : v->too_many;
}

void diff_values(struct diff *d)
{
    unsigned long long total = 0;

    for (size_t i = 0; i < d->nvars; i++)
        total += d->var[i].a->nbytes;
    progress_start(d->req->quiet, total);
    for (size_t i = 0; i < d->nvars; i++) {
        struct diff_var *v = &d->var[i];
        bool by_stored = diff_stored_can(v->a, v->b);
        const char *a = why_not(v->a, by_stored), *b = why_not(v->b, by_stored);

        if (a || b) {
            msg_error("%s: %s: not compared: %s", a ? d->a.path : d->b.path, v->a->path, a ? a : b);
            d->failed = true;
        } else if (is_comparable(v->a, v->b)) {
            compare_var(d, v);
        }
    }
    progress_end();
}
