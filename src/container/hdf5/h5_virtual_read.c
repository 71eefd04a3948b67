/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to a virtual dataset. Each is cut along what it has in common with each mapping, and each piece is read from
 * its source as any dataset is. What nothing is mapped to, and what a source should have that is not there, is the fill
 * value.
 *
 *        request          mapping: to         mapping: from
 *      +---------+       +-----+             +-----+
 *      |     ####|.......|#### |.............|#### |  the same elements, counted in the order of each selection
 *      +---------+       +-----+             +-----+
 */
#include "h5_virtual.h"
#include <stdlib.h>

enum { OVERLAP = 16, OVERLAP_MIN = 1 << 20 }; /* elements read for one of a request: more is an attack */
enum { BOXES_MAX = 1 << 25 };                 /* that a request looks at */

/* --- what a request and a mapping have in common --------------------------------------------------------- */

struct span { /* of a selection, along one dimension */
    struct cel_h5r_axis axis;
    uint64_t n; /* elements */
};
struct run { /* equally far apart in the request and in the source */
    size_t to, to_step, n;
    uint64_t from, from_step; /* positions in the source or, where its shape is another, counted in the selection */
};
struct request {
    struct cel_h5_virtual *v;
    const struct cel_type *type;
    const struct cel_h5r_region *region;
    char *data;
    unsigned char *seen; /* elements that own memory, and are there; NULL: none own any */
    uint64_t left;       /* elements that may still be read ... */
    uint64_t boxes;      /* ... and boxes looked at */
};
struct common {
    struct request *r;
    const struct cel_h5r_mapping *mapping;
    struct cel_h5_part *source;
    int rank;               /* of the request */
    int from_rank;          /* of the source */
    bool reshaped;          /* the selections have other shapes: element by element */
    int pair[CEL_RANK_MAX]; /* dimension of the source; -1: of length 1 there */
    struct span to[CEL_RANK_MAX], from[CEL_RANK_MAX];
    struct run *run[CEL_RANK_MAX];
    size_t nruns[CEL_RANK_MAX];
};

static int set_spans(const struct cel_h5r_selection *s, const uint64_t *dims, int rank, uint64_t have, struct span *out)
{
    if (s->axis && s->rank != rank)
        return cel_fail(NC_EHDFERR, "a part of it has another number of dimensions than the file says");
    if (s->kind == CEL_H5R_SELECT_BOXES)
        return CEL_OK;
    for (int i = 0; i < rank; i++) {
        if (s->kind == CEL_H5R_SELECT_ALL)
            out[i].axis = (struct cel_h5r_axis){.stride = 1, .block = 1, .count = dims[i]};
        else
            out[i].axis = s->axis[i];
        out[i].n = s->kind == CEL_H5R_SELECT_BLOCKS && i == s->endless ? have : cel_h5r_axis_length(&out[i].axis);
    }
    return CEL_OK;
}

/* The element of the span at a position; false: it has none there. */
static bool index_at(const struct span *s, uint64_t at, uint64_t *i)
{
    uint64_t block, within;

    if (at < s->axis.start)
        return false;
    block = (at - s->axis.start) / s->axis.stride;
    within = (at - s->axis.start) % s->axis.stride;
    *i = block * s->axis.block + within;
    return within < s->axis.block && *i < s->n;
}

/* The positions of the request, along a dimension, between the ends of a span. */
static void clip(const struct request *r, int d, const struct span *s, size_t *begin, size_t *end)
{
    uint64_t start = r->region->start[d], step = r->region->stride[d], last = cel_h5r_axis_end(&s->axis, s->n);

    *begin = s->axis.start > start ? (size_t)((s->axis.start - start + step - 1) / step) : 0;
    *end = last > start ? (size_t)((last - start + step - 1) / step) : 0;
    *end = *end > r->region->count[d] ? r->region->count[d] : *end;
}

static bool has_common(const struct common *c)
{
    for (int d = 0; d < c->rank; d++) {
        size_t begin, end;

        clip(c->r, d, &c->to[d], &begin, &end);
        if (c->to[d].n == 0 || begin >= end)
            return false;
    }
    return true;
}

/* Does it go on as the run did? */
static bool extend_run(struct run *run, size_t to, uint64_t from)
{
    if (run->n == 1 && from > run->from) {
        run->to_step = to - run->to;
        run->from_step = from - run->from;
    } else if (run->n == 1 || to != run->to + run->n * run->to_step || from != run->from + run->n * run->from_step) {
        return false;
    }
    run->n++;
    return true;
}

static int make_runs(struct common *c, int d)
{
    const struct cel_h5r_region *region = c->r->region;
    const struct span *from = c->pair[d] >= 0 ? &c->from[c->pair[d]] : NULL;
    size_t begin, end, n = 0;
    struct run *run;

    clip(c->r, d, &c->to[d], &begin, &end);
    c->run[d] = run = cel_malloc_array(end - begin, sizeof *run);
    if (!run)
        return NC_ENOMEM;
    for (size_t k = begin; k < end; k++) {
        uint64_t i;

        if (!index_at(&c->to[d], region->start[d] + (uint64_t)k * region->stride[d], &i))
            continue;
        if (from && !c->reshaped)
            i = cel_h5r_axis_at(&from->axis, i);
        if (n == 0 || c->reshaped || !extend_run(&run[n - 1], k, i))
            run[n++] = (struct run){.to = k, .to_step = 1, .n = 1, .from = i, .from_step = 1};
    }
    c->nruns[d] = n;
    return CEL_OK;
}

/* Which dimension of the source each one of the request is: those of length 1 are left out on both sides. */
static void pair_dims(struct common *c)
{
    int s = 0;

    for (int d = 0; d < c->rank; d++) {
        c->pair[d] = -1;
        if (c->to[d].n == 1)
            continue;
        while (s < c->from_rank && c->from[s].n == 1)
            s++;
        if (s < c->from_rank && c->from[s].n == c->to[d].n)
            c->pair[d] = s++;
        else
            c->reshaped = true;
    }
    for (; s < c->from_rank; s++)
        c->reshaped = c->reshaped || c->from[s].n != 1;
}

/* --- one piece ------------------------------------------------------------------------------------------- */

/* The source's elements for the run `at` of each dimension. */
static void set_piece(const struct common *c, const size_t *at, struct cel_h5r_region *out)
{
    uint64_t number = 0;

    for (int s = 0; s < c->from_rank; s++) {
        out->start[s] = (size_t)c->from[s].axis.start;
        out->count[s] = out->stride[s] = 1;
    }
    for (int d = 0; d < c->rank; d++) {
        const struct run *run = &c->run[d][at[d]];

        number = number * c->to[d].n + run->from;
        if (c->pair[d] < 0 || c->reshaped)
            continue;
        out->start[c->pair[d]] = (size_t)run->from;
        out->count[c->pair[d]] = run->n;
        out->stride[c->pair[d]] = (size_t)run->from_step;
    }
    for (int s = c->from_rank - 1; c->reshaped && s >= 0; s--) {
        out->start[s] = (size_t)cel_h5r_axis_at(&c->from[s].axis, number % c->from[s].n);
        number /= c->from[s].n;
    }
}

static void put_element(struct request *r, size_t to, const char *from)
{
    size_t size = r->type->size;

    if (r->seen && r->seen[to])
        cel_value_reclaim(r->type, r->data + to * size, 1);
    if (r->seen)
        r->seen[to] = 1;
    memcpy(r->data + to * size, from, size);
}

/* Elements in the order of the request's dimensions go where they belong. */
static void scatter(const struct common *c, const size_t *at, const char *from)
{
    const struct cel_h5r_region *region = c->r->region;
    size_t index[CEL_RANK_MAX] = {0};
    int d = 0;

    while (d >= 0) {
        size_t to = 0;

        for (int i = 0; i < c->rank; i++)
            to = to * region->count[i] + c->run[i][at[i]].to + index[i] * c->run[i][at[i]].to_step;
        put_element(c->r, to, from);
        from += c->r->type->size;
        for (d = c->rank - 1; d >= 0 && ++index[d] == c->run[d][at[d]].n; d--)
            index[d] = 0;
    }
}

/* The numbers of a piece, made the request's. */
static int read_numbers(const struct common *c, const struct cel_h5r_region *piece, size_t n, char *data)
{
    const struct cel_type *number = c->source->number;
    char *raw = cel_malloc_array(n, number->size);
    int rc = raw ? cel_h5_own_read(c->source->own, number, piece, n, raw) : NC_ENOMEM;

    if (rc == CEL_OK)
        cel_h5_number_convert(number->id, c->r->type->id, n, raw, data);
    free(raw);
    return rc;
}

static int read_piece(const struct common *c, const size_t *at)
{
    struct request *r = c->r;
    struct cel_h5r_region piece;
    size_t n = 1;
    char *data;
    int rc;

    for (int d = 0; d < c->rank; d++)
        n *= c->run[d][at[d]].n;
    if (n > r->left)
        return cel_fail(NC_EHDFERR, "its parts lie over one another more than %d times", OVERLAP);
    r->left -= n;
    set_piece(c, at, &piece);
    data = cel_malloc_array(n, r->type->size);
    if (!data)
        return NC_ENOMEM;
    rc = c->source->number ? read_numbers(c, &piece, n, data)
                           : cel_h5_own_read(c->source->own, r->type, &piece, n, data);
    if (rc == CEL_OK)
        scatter(c, at, data);
    free(data);
    return rc < 0 && rc != NC_ENOMEM ? cel_fail_in(rc, "its part %s of %s", c->source->dataset, c->source->file) : rc;
}

/* --- what two selections have in common --------------------------------------------------------------------- */

static int read_pieces(struct common *c)
{
    size_t at[CEL_RANK_MAX] = {0};
    int d = 0, rc = CEL_OK;

    pair_dims(c);
    for (int i = 0; rc == CEL_OK && i < c->rank; i++) {
        rc = make_runs(c, i);
        if (rc == CEL_OK && c->nruns[i] == 0)
            return CEL_OK;
    }
    while (rc == CEL_OK && d >= 0) {
        rc = read_piece(c, at);
        for (d = c->rank - 1; d >= 0 && ++at[d] == c->nruns[d]; d--)
            at[d] = 0;
    }
    return rc;
}

/* As many elements on both sides, and all of them in the source. */
static int check_source(const struct common *c)
{
    const uint64_t *dims = cel_h5_own_dims(c->source->own);
    uint64_t to = 1, from = 1;

    for (int i = 0; i < c->rank; i++)
        if (c->to[i].n > (uint64_t)1 << 56 || __builtin_mul_overflow(to, c->to[i].n, &to))
            return CEL_ASK_LIBHDF5;
    for (int i = 0; i < c->from_rank; i++)
        if (__builtin_mul_overflow(from, c->from[i].n, &from))
            return CEL_ASK_LIBHDF5;
    for (int i = 0; i < c->from_rank; i++)
        if (c->from[i].n > 0 && cel_h5r_axis_end(&c->from[i].axis, c->from[i].n) > dims[i])
            return cel_fail(NC_EHDFERR, "its part %s of %s has fewer elements than it takes from there",
                            c->source->dataset, c->source->file);
    return to == from ? CEL_OK : CEL_ASK_LIBHDF5;
}

static int read_spans(struct common *c)
{
    int rc = check_source(c);

    if (rc == CEL_OK)
        rc = read_pieces(c);
    for (int d = 0; d < c->rank; d++) {
        free(c->run[d]);
        c->run[d] = NULL;
    }
    return rc;
}

/* --- one mapping of blocks in no regular order: box by box ----------------------------------------------------- */

static int take_boxes(const struct cel_h5r_selection *s, const struct span *span, int rank, struct cel_h5r_boxes *out)
{
    struct cel_h5r_axis axis[CEL_RANK_MAX];
    uint64_t n[CEL_RANK_MAX];
    int rc;

    if (rank == 0) /* one element is not as many as boxes have */
        return CEL_ASK_LIBHDF5;
    for (int i = 0; i < rank; i++) {
        axis[i] = span[i].axis;
        n[i] = span[i].n;
        if (axis[i].stride == axis[i].block) /* nothing lies between its blocks: they are one */
            axis[i].stride = axis[i].block = n[i];
    }
    if (s->kind != CEL_H5R_SELECT_BOXES)
        return cel_h5r_boxes_of_axes(axis, n, rank, out);
    rc = cel_h5r_boxes_make(rank, s->boxes.n, out);
    if (rc == CEL_OK)
        memcpy(out->at, s->boxes.at, s->boxes.n * 2 * (size_t)rank * sizeof *out->at);
    return rc;
}

static void set_box(const struct cel_h5r_boxes *b, size_t nth, struct span *out)
{
    const uint64_t *first = b->at + nth * 2 * (size_t)b->rank, *last = first + b->rank;

    for (int i = 0; i < b->rank; i++) {
        uint64_t n = last[i] - first[i] + 1;

        out[i] = (struct span){.axis = {.start = first[i], .stride = n, .count = 1, .block = n}, .n = n};
    }
}

static int read_boxes(const struct common *c)
{
    struct cel_h5r_boxes to = {0}, from = {0};
    struct common *box = cel_memdup(c, sizeof *c);
    int rc = box ? take_boxes(&c->mapping->to, c->to, c->rank, &to) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = take_boxes(&c->mapping->from, c->from, c->from_rank, &from);
    if (rc == CEL_OK)
        rc = cel_h5r_boxes_match(&to, &from);
    if (rc == CEL_OK && to.n > c->r->boxes)
        rc = CEL_ASK_LIBHDF5;
    c->r->boxes -= rc == CEL_OK ? to.n : 0;
    for (size_t i = 0; rc == CEL_OK && i < to.n; i++) {
        set_box(&to, i, box->to);
        set_box(&from, i, box->from);
        box->reshaped = false;
        if (has_common(box))
            rc = read_spans(box);
    }
    cel_h5r_boxes_dispose(&to);
    cel_h5r_boxes_dispose(&from);
    free(box);
    return rc;
}

/* --- one mapping -------------------------------------------------------------------------------------------- */

static int read_part(struct request *r, size_t nth, uint64_t number, struct common *c)
{
    const struct cel_h5r_mapping *m = &r->v->list.at[nth];
    int rc;

    if (m->to.kind != CEL_H5R_SELECT_BOXES && !has_common(c))
        return CEL_OK;
    rc = cel_h5_virtual_part(r->v, m, number, &c->source);
    if (rc != CEL_OK || !c->source->own)
        return rc;
    c->from_rank = cel_h5_own_dataset(c->source->own)->rank;
    rc = set_spans(&m->from, cel_h5_own_dims(c->source->own), c->from_rank, r->v->have[nth], c->from);
    if (rc != CEL_OK)
        return rc;
    return m->to.kind == CEL_H5R_SELECT_BOXES || m->from.kind == CEL_H5R_SELECT_BOXES ? read_boxes(c) : read_spans(c);
}

/* Each block has a source of its own. */
static int read_numbered(struct request *r, size_t nth, struct common *c)
{
    int u = r->v->list.at[nth].to.endless, rc = CEL_OK;
    struct cel_h5r_axis axis = c->to[u].axis;
    uint64_t first = r->region->start[u], last = first + (uint64_t)(r->region->count[u] - 1) * r->region->stride[u],
             from = first > axis.start ? (first - axis.start) / axis.stride : 0, n = r->v->have[nth] / axis.block;

    c->to[u].n = axis.block;
    for (uint64_t i = from; rc == CEL_OK && i < n && axis.start + i * axis.stride <= last; i++) {
        c->to[u].axis = (struct cel_h5r_axis){axis.start + i * axis.stride, axis.stride, 1, axis.block};
        rc = read_part(r, nth, i, c);
    }
    return rc;
}

static int read_mapping(struct request *r, size_t nth, struct common *c)
{
    const struct cel_h5r_mapping *m = &r->v->list.at[nth];
    int rc;

    *c = (struct common){.r = r, .mapping = m, .rank = r->v->dataset->rank};
    if (m->to.kind == CEL_H5R_SELECT_NONE || m->from.kind == CEL_H5R_SELECT_NONE)
        return CEL_OK;
    rc = set_spans(&m->to, r->v->dims, c->rank, r->v->have[nth], c->to);
    if (rc != CEL_OK)
        return rc;
    return m->to.endless >= 0 && cel_h5_is_numbered(m) ? read_numbered(r, nth, c) : read_part(r, nth, 0, c);
}

/* --- a request ------------------------------------------------------------------------------------------------ */

/* The fill value, as memory has it. */
static int make_fill(const struct cel_h5_virtual *v, const struct cel_type *type, void *out)
{
    struct cel_h5_bytes bytes = {.p = v->dataset->fill, .n = v->dataset->nfill};
    int rc = v->dataset->fill ? cel_h5r_values_read(v->reader, v->dataset->form, type, bytes, 1, NULL, out) : CEL_OK;

    return rc == CEL_ASK_LIBHDF5 ? cel_fail(NC_EHDFERR, "its fill value leads to where the file has none") : rc;
}

static int fill_rest(struct request *r, const void *fill, size_t n)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        if (r->seen[i])
            continue;
        rc = cel_value_copy(r->type, fill, 1, r->data + i * r->type->size);
        r->seen[i] = rc == CEL_OK;
    }
    return rc;
}

static int read_mappings(struct request *r)
{
    struct common *c = cel_malloc(sizeof *c);
    int rc = c ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < r->v->list.n; i++)
        rc = read_mapping(r, i, c);
    free(c);
    return rc;
}

static void drop_seen(struct request *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (r->seen[i])
            cel_value_reclaim(r->type, r->data + i * r->type->size, 1);
}

/* Elements that own memory are filled at the end, so that each is made once. */
static int read_filled(struct request *r, const void *fill, size_t n)
{
    size_t size = r->type->size;
    int rc = CEL_OK;

    if (r->type->varsized && !(r->seen = cel_calloc(n, 1)))
        return NC_ENOMEM;
    for (size_t i = 0; !r->seen && r->v->dataset->fill && i < n; i++)
        memcpy(r->data + i * size, fill, size);
    rc = read_mappings(r);
    if (rc == CEL_OK && r->seen)
        rc = fill_rest(r, fill, n);
    if (rc != CEL_OK && r->seen)
        drop_seen(r, n);
    if (rc != CEL_OK)
        memset(r->data, 0, n * size);
    free(r->seen);
    return rc;
}

int cel_h5_virtual_get(struct cel_h5_virtual *v, const struct cel_type *type, const struct cel_h5r_region *region,
                       size_t n, void *data)
{
    struct request r = {.v = v, .type = type, .region = region, .data = data, .boxes = BOXES_MAX};
    void *fill = cel_calloc(1, type->size);
    int rc = fill ? make_fill(v, type, fill) : NC_ENOMEM;

    v->looked = 0;
    r.left = n < UINT64_MAX / OVERLAP / 2 ? (uint64_t)n * OVERLAP + OVERLAP_MIN : UINT64_MAX;
    memset(data, 0, n * type->size);
    if (rc == CEL_OK)
        rc = read_filled(&r, fill, n);
    if (fill && type->varsized)
        cel_value_reclaim(type, fill, 1);
    free(fill);
    return rc;
}
