/* SPDX-License-Identifier: BSD-3-Clause */
/* Values are read whole, or as many records as fit the memory; pairs are counted on all cores. */

#include "bits_var.h"
#include "cellar.h"
#include "parallel.h"
#include "progress.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX ((size_t)1 << 30) /* bytes that are read */
enum { PART = 1 << 18 };             /* values, or pairs, that a thread takes at a time */

struct field {
    const struct look_var *v;
    size_t size, n;
    size_t shape[NC_MAX_VAR_DIMS]; /* of what was read */
    char *values;
    bool *valid; /* NULL: all are */
};

/* --- reading ------------------------------------------------------------------------------------------ */

static bool is_fill(const struct field *f, size_t i, const double *fill, int nfill)
{
    double v = f->size == 4 ? (double)((float *)(void *)f->values)[i] : ((double *)(void *)f->values)[i];

    if (isnan(v))
        return true;
    for (int k = 0; k < nfill; k++)
        if (v == fill[k])
            return true;
    return false;
}

/* NaN, the fill value and missing_value are no data. */
struct preparing {
    struct field *f;
    double fill[2];
    int nfill;
    bool *whole; /* of each part: there is no hole in it */
};

static size_t count_parts(size_t n)
{
    return (n + PART - 1) / PART;
}

static size_t part_length(size_t n, size_t part)
{
    return n - part * PART < PART ? n - part * PART : PART;
}

static void look_for_holes(void *arg, size_t part)
{
    struct preparing *p = arg;
    size_t i = part * PART, end = i + part_length(p->f->n, part);

    while (i < end && !is_fill(p->f, i, p->fill, p->nfill))
        i++;
    p->whole[part] = i == end;
}

static void note_holes(void *arg, size_t part)
{
    struct preparing *p = arg;
    size_t from = part * PART, n = part_length(p->f->n, part);

    for (size_t i = from; i < from + n; i++)
        p->f->valid[i] = p->whole[part] || !is_fill(p->f, i, p->fill, p->nfill);
}

static void find_fill(const struct field *f, struct preparing *p)
{
    float narrow;
    int no_fill = 0;

    if (f->size == 4 && nc_inq_var_fill(f->v->group, f->v->id, &no_fill, &narrow) == NC_NOERR && !no_fill)
        p->fill[p->nfill++] = narrow;
    else if (f->size == 8 && nc_inq_var_fill(f->v->group, f->v->id, &no_fill, p->fill) == NC_NOERR && !no_fill)
        p->nfill++;
    if (nc_get_att_double(f->v->group, f->v->id, "missing_value", &p->fill[p->nfill]) == NC_NOERR)
        p->nfill++;
}

static void prepare(struct field *f)
{
    struct preparing p = {.f = f, .whole = tool_alloc(count_parts(f->n) + 1, sizeof *p.whole)};
    bool all = true;

    find_fill(f, &p);
    parallel_for((size_t)cellar_get_threads(), count_parts(f->n), look_for_holes, &p);
    for (size_t i = 0; i < count_parts(f->n); i++)
        all = all && p.whole[i];
    if (!all) {
        f->valid = tool_alloc(f->n, sizeof *f->valid);
        parallel_for((size_t)cellar_get_threads(), count_parts(f->n), note_holes, &p);
    }
    free(p.whole);
}

static int read_field(const struct look_var *v, struct field *f)
{
    size_t start[NC_MAX_VAR_DIMS] = {0}, rest = 1;
    int status;

    *f = (struct field){.v = v, .size = v->type->size, .n = 1};
    for (int d = 0; d < v->ndims; d++) {
        f->shape[d] = v->shape[d];
        rest *= d ? v->shape[d] : 1;
    }
    if (v->nbytes > VALUES_MAX && rest * f->size < VALUES_MAX)
        f->shape[0] = VALUES_MAX / (rest * f->size);
    for (int d = 0; d < v->ndims; d++)
        f->n *= f->shape[d];
    f->values = tool_alloc(f->n, f->size);
    status = nc_get_vara(v->group, v->id, start, f->shape, f->values);
    if (status)
        return status;
    prepare(f);
    return NC_NOERR;
}

static void free_field(struct field *f)
{
    free(f->values);
    free(f->valid);
}

/* --- counting along one dimension ------------------------------------------------------------------------ */

/* Neighbours lie `apart` values from one another; the pairs of one block of `len` values are `len - apart` in a row. */
struct counting {
    const struct field *f;
    size_t apart, len, parts_of_block;
    struct bits_counts *part;
};

static void count_part(void *arg, size_t i)
{
    struct counting *c = arg;
    size_t block = i / c->parts_of_block, from = i % c->parts_of_block * PART, pairs = c->len - c->apart;
    size_t n = pairs - from < PART ? pairs - from : PART, at = block * c->len + from, size = c->f->size;

    bits_count(c->f->values + at * size, c->f->values + (at + c->apart) * size, c->f->valid ? c->f->valid + at : NULL,
               c->f->valid ? c->f->valid + at + c->apart : NULL, n, size, &c->part[i]);
}

/* Short blocks are counted many at a time, by one thread after the other. */
static void count_along(const struct field *f, int axis, struct bits_counts *out)
{
    struct counting c = {.f = f, .apart = 1};
    size_t blocks, group, n;

    for (int d = axis + 1; d < f->v->ndims; d++)
        c.apart *= f->shape[d];
    c.len = c.apart * f->shape[axis];
    c.parts_of_block = (c.len - c.apart + PART - 1) / PART;
    blocks = f->n / c.len;
    n = blocks * c.parts_of_block;
    group = 4096;
    c.part = tool_alloc(n < group ? n : group, sizeof *c.part);
    for (size_t from = 0; from < n; from += group) {
        size_t m = n - from < group ? n - from : group;
        struct field shifted = *f;

        shifted.values += from / c.parts_of_block * c.len * f->size;
        shifted.valid = f->valid ? f->valid + from / c.parts_of_block * c.len : NULL;
        c.f = &shifted;
        memset(c.part, 0, m * sizeof *c.part);
        parallel_for((size_t)cellar_get_threads(), m, count_part, &c);
        for (size_t i = 0; i < m; i++)
            bits_counts_add(out, &c.part[i]);
    }
    free(c.part);
}

/* --- what follows --------------------------------------------------------------------------------------------- */

static char *sentence(const struct bits_var *b, const struct field *f)
{
    struct text t = {0};
    uint64_t most = 0;

    for (int d = 0; d < b->ndims; d++)
        most = b->along[d].pairs > most ? b->along[d].pairs : most;
    if (b->data.valid == 0)
        text_puts(&t, "no values: no advice");
    else if (b->data.constant)
        text_puts(&t, "all values are the same: no advice");
    else if (most < BITS_LEAST_PAIRS)
        text_printf(&t, "%llu pairs are too few to tell information from chance: no advice", (unsigned long long)most);
    else if (b->data.step > 0)
        text_printf(&t, "values lie on a lattice of step %.6g, as unpacked ones do: cut at the first minimum",
                    b->data.step);
    else if (b->data.zeros > 0)
        text_printf(&t, "rounded already: the last %d bits of the mantissa are 0", b->data.zeros);
    else
        text_printf(&t, "%zu values", b->data.valid);
    if (f->n < f->v->nvalues)
        text_printf(&t, " (the first %zu of %zu along %s)", f->shape[0], f->v->shape[0], f->v->dim[0]);
    return text_take(&t);
}

/* What rounding makes of the values, in parts. */
struct rounding {
    const struct field *f;
    int keep;
    double *abs, *rel;
};

static void round_part(void *arg, size_t part)
{
    struct rounding *r = arg;
    const struct field *f = r->f;
    size_t from = part * PART;

    bits_error(f->values + from * f->size, f->valid ? f->valid + from : NULL, part_length(f->n, part), f->size, r->keep,
               &r->abs[part], &r->rel[part]);
}

static void measure_rounding(const struct field *f, int keep, double *abs, double *rel)
{
    size_t n = count_parts(f->n);
    struct rounding r = {f, keep, tool_alloc(n, sizeof(double)), tool_alloc(n, sizeof(double))};

    parallel_for((size_t)cellar_get_threads(), n, round_part, &r);
    for (size_t i = 0; i < n; i++) {
        *abs = r.abs[i] > *abs ? r.abs[i] : *abs;
        *rel = r.rel[i] > *rel ? r.rel[i] : *rel;
    }
    free(r.abs);
    free(r.rel);
}

static void advise(struct bits_var *b, const struct field *f)
{
    for (int d = 1; d < b->ndims; d++)
        if (b->along[d].total > b->along[b->best].total)
            b->best = d;
    b->advised = b->ndims > 0 && b->along[b->best].pairs >= BITS_LEAST_PAIRS && b->along[b->best].total > 0;
    if (b->ndims > 0)
        memcpy(b->keep, b->along[b->best].keep, sizeof b->keep);
    b->advised = b->advised && !b->data.constant;
    for (int i = 0; b->advised && i < BITS_LEVELS; i++) {
        if (i && b->keep[i] == b->keep[i - 1]) {
            b->abs[i] = b->abs[i - 1];
            b->rel[i] = b->rel[i - 1];
        } else {
            measure_rounding(f, b->keep[i], &b->abs[i], &b->rel[i]);
        }
    }
}

static void measure_along(const struct bits_request *req, const struct field *f, struct bits_var *b)
{
    b->axis = tool_alloc((size_t)f->v->ndims + 1, sizeof *b->axis);
    b->along = tool_alloc((size_t)f->v->ndims + 1, sizeof *b->along);
    for (int d = 0; d < f->v->ndims; d++) {
        struct bits_counts counts = {0};

        if (f->shape[d] < 2)
            continue;
        count_along(f, d, &counts);
        b->axis[b->ndims] = d;
        bits_information(&counts, bits_form_of(f->size), req->threshold, req->confidence, b->data.step > 0,
                         &b->along[b->ndims++]);
    }
}

int bits_var_measure(const struct bits_request *req, const struct look_var *v, struct bits_var *out)
{
    struct field f;
    int status;

    *out = (struct bits_var){0};
    if (v->reason || v->too_many || !v->type || (v->xtype != NC_FLOAT && v->xtype != NC_DOUBLE) || !v->nvalues)
        return NC_NOERR;
    progress_grow(v->nbytes);
    status = read_field(v, &f);
    if (status == NC_NOERR) {
        out->v = v;
        bits_look(f.values, f.valid, f.n, f.size, &out->data);
        if (out->data.valid)
            measure_along(req, &f, out);
        advise(out, &f);
        out->what = sentence(out, &f);
        progress_add(v->nbytes, v->path);
    }
    free_field(&f);
    return status;
}

void bits_var_free(struct bits_var *b)
{
    free(b->what);
    free(b->axis);
    free(b->along);
}
