/* SPDX-License-Identifier: BSD-3-Clause */
/* Values from the input to the output: chunks as they are stored where nothing
 * changes, else blocks of bounded size. */

#include "cellar.h"
#include "copy.h"
#include "msg.h"
#include "slab.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The chunk lengths of the output, as the library chose them where it did. */
static void out_chunks(const struct copy_var *v, size_t *chunk)
{
    int storage = NC_CONTIGUOUS;

    if (v->out_id < 0 || nc_inq_var_chunking(v->out_group, v->out_id, &storage, chunk) != NC_NOERR ||
        storage != NC_CHUNKED)
        for (int d = 0; d < v->ndims; d++)
            chunk[d] = 1;
}

/* Start from a block that covers whole chunks of both sides, so that each is met
 * once; halve its longest axis while it is too large, then let it grow along the
 * last axes first, as files lie in that order. */
void copy_box(const struct copy_var *v, size_t buffer, size_t *box)
{
    size_t chunk[NC_MAX_VAR_DIMS], budget = buffer / v->type->size, n = 1;

    out_chunks(v, chunk);
    for (int d = 0; d < v->ndims; d++) {
        size_t unit = larger(chunk[d], v->was_chunked ? v->in_chunk[d] : 1);
        box[d] = unit < v->shape[d] ? unit : larger(v->shape[d], 1);
        n *= box[d];
    }
    while (n > larger(budget, 1)) {
        int longest = 0;
        for (int d = 1; d < v->ndims; d++)
            if (box[d] > box[longest])
                longest = d;
        n = n / box[longest] * ((box[longest] + 1) / 2);
        box[longest] = (box[longest] + 1) / 2;
    }
    for (int d = v->ndims - 1; d >= 0; d--) {
        size_t times = larger(budget, 1) / n, need = (v->shape[d] + box[d] - 1) / box[d];
        times = times < need ? times : need;
        if (times < 1)
            break;
        n = n / box[d];
        box[d] = box[d] * times < v->shape[d] ? box[d] * times : larger(v->shape[d], 1);
        n = n * box[d];
        if (box[d] < v->shape[d])
            break;
    }
}

static bool said(const struct copy *c, const struct copy_var *v, int status, bool reading)
{
    if (status)
        msg_nc(status, "%s: variable %s", reading ? c->req->in : c->req->out, v->path);
    return status == NC_NOERR;
}

/* Of a call that reads one file and writes the other: whose fault it was. */
static bool input_failed(const struct copy *c)
{
    const char *file = cellar_error_part(CELLAR_FILE);

    return !*file || strcmp(file, c->req->in) == 0;
}

static bool copy_blocks(struct copy *c, struct copy_var *v)
{
    struct slab s;
    size_t box[NC_MAX_VAR_DIMS], n = 1;
    bool ok = true;
    char *values;

    copy_box(v, c->req->buffer, box);
    for (int d = 0; d < v->ndims; d++)
        n *= box[d];
    slab_start_boxes(&s, v->ndims, v->shape, box);
    values = tool_alloc(n, v->type->size);
    while (ok && slab_next(&s)) {
        ok = said(c, v, nc_get_vara(v->group, v->id, s.start, s.count, values), true);
        if (!ok)
            break;
        ok = said(c, v, nc_put_vara(v->out_group, v->out_id, s.start, s.count, values), false);
        type_release(v->type, values, s.n);
        c->done += s.n * v->type->size;
        copy_progress(c, v);
    }
    free(values);
    return ok;
}

/* --- chunks that were never written ------------------------------------------------------------- */

enum { SPARSE = 8 }; /* less than this part of the chunks is written */

bool copy_keeps_fill(const struct copy_var *v)
{
    int off_in = 1, off_out = 0;
    char *in = tool_alloc(2, v->type->size), *out = in + v->type->size;
    bool same = !v->type->has_pointers && !v->retyped && nc_inq_var_fill(v->group, v->id, &off_in, in) == NC_NOERR &&
                nc_inq_var_fill(v->out_group, v->out_id, &off_out, out) == NC_NOERR && off_in == off_out &&
                (off_in || memcmp(in, out, v->type->size) == 0);

    free(in);
    return same;
}

static bool is_sparse(const struct copy_var *v)
{
    size_t index[NC_MAX_VAR_DIMS] = {0}, chunk[NC_MAX_VAR_DIMS], total = 1, written = 0;
    int more = 0, storage = NC_CONTIGUOUS;

    if (!v->was_chunked || nc_inq_var_chunking(v->out_group, v->out_id, &storage, chunk) != NC_NOERR ||
        storage != NC_CHUNKED || !copy_keeps_fill(v))
        return false;
    for (int d = 0; d < v->ndims; d++)
        if (__builtin_mul_overflow(total, v->shape[d] / v->in_chunk[d] + 1, &total))
            total = SIZE_MAX;
    for (; written < total / SPARSE; written++) {
        int status = cellar_next_chunk(v->group, v->id, index, &more);

        if (status || !more)
            return status == NC_NOERR;
    }
    return false;
}

/* Dimensions that grow are as long as the input's only once their last value is written. */
int copy_reach_end(const struct copy_var *v, char *value)
{
    size_t last[NC_MAX_VAR_DIMS], one[NC_MAX_VAR_DIMS], len = 0;
    int dimid[NC_MAX_VAR_DIMS], status = nc_inq_vardimid(v->out_group, v->out_id, dimid);
    bool shorter = false;

    for (int d = 0; status == NC_NOERR && d < v->ndims; d++) {
        status = nc_inq_dimlen(v->out_group, dimid[d], &len);
        shorter = shorter || len < v->shape[d];
        last[d] = v->shape[d] - 1;
        one[d] = 1;
    }
    if (status || !shorter)
        return status;
    status = nc_get_vara(v->group, v->id, last, one, value);
    return status ? status : nc_put_vara(v->out_group, v->out_id, last, one, value);
}

/* One chunk of the input at a time; what lies between them has the fill value on both sides. */
static bool copy_stored(struct copy *c, struct copy_var *v)
{
    size_t index[NC_MAX_VAR_DIMS], start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS], n = v->type->size;
    int more = 0;
    char *values;
    bool ok;

    for (int d = 0; d < v->ndims; d++)
        n *= v->in_chunk[d];
    values = tool_alloc(n, 1);
    for (ok = said(c, v, cellar_next_chunk(v->group, v->id, index, &more), true); ok && more;
         ok = ok && said(c, v, cellar_next_chunk(v->group, v->id, index, &more), true)) {
        for (int d = 0; d < v->ndims; d++) {
            start[d] = index[d] * v->in_chunk[d];
            count[d] = v->shape[d] - start[d] < v->in_chunk[d] ? v->shape[d] - start[d] : v->in_chunk[d];
        }
        ok = said(c, v, nc_get_vara(v->group, v->id, start, count, values), true) &&
             said(c, v, nc_put_vara(v->out_group, v->out_id, start, count, values), false);
        copy_progress(c, v);
    }
    if (ok)
        ok = said(c, v, copy_reach_end(v, values), false);
    free(values);
    c->done += v->nbytes;
    return ok;
}

static bool copy_var_data(struct copy *c, struct copy_var *v)
{
    double start = now();
    int as_stored = 0;
    bool ok = true;

    if (!v->refilter && !v->retyped && !v->quantize && v->ndims && !c->classic) {
        int status = cellar_copy_var_chunks(v->group, v->id, v->out_group, v->out_id, &as_stored);

        ok = said(c, v, status, input_failed(c));
    }
    v->as_stored = as_stored;
    if (ok && as_stored)
        c->done += v->nbytes;
    else if (ok)
        ok = is_sparse(v) ? copy_stored(c, v) : copy_blocks(c, v);
    v->seconds = now() - start;
    copy_progress(c, v);
    return ok;
}

/* Names of the output's filters, for the report. */
static char *filter_names(const struct copy_var *v)
{
    char *names = NULL, *copy;

    if (cellar_inq_var_chain(v->out_group, v->out_id, CELLAR_NAMES, &names) != NC_NOERR || !names)
        return NULL;
    copy = tool_strdup(names);
    cellar_free(names);
    return copy;
}

static void measure(const struct copy *c, struct copy_var *v)
{
    if (!v->defined)
        return;
    if (cellar_inq_var_stored(v->out_group, v->out_id, &v->stored) != NC_NOERR)
        v->stored = v->nbytes;
    if (!c->classic)
        v->filters = filter_names(v);
    if (v->quantize)
        cellar_inq_var_loss(v->out_group, v->out_id, &v->max_abs, &v->max_rel);
}

bool copy_data(struct copy *c)
{
    bool ok = true;

    for (size_t i = 0; ok && i < c->nvars; i++)
        if (c->var[i].with_data && c->var[i].nbytes)
            ok = copy_var_data(c, &c->var[i]);
    for (size_t i = 0; ok && i < c->nvars; i++)
        measure(c, &c->var[i]);
    return ok;
}
