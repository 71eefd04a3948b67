/* SPDX-License-Identifier: BSD-3-Clause */
/* --dry-run: what the output would take, from samples. A few chunks spread over
 * each variable are written to a dataset in memory with the planned chunks and
 * filters; their ratio stands for all. */

#include "cellar.h"
#include "copy.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 8, SAMPLE_BYTES = 4 << 20 };

/* The block a sample covers: a chunk, or a run of that order where there are none. */
static size_t sample_box(const struct copy_var *v, size_t *box)
{
    size_t n = 1, most = SAMPLE_BYTES / v->type->size;

    for (int d = v->ndims - 1; d >= 0; d--) {
        size_t want = v->chunked ? v->chunk[d] : v->was_chunked ? v->in_chunk[d] : most / n;
        box[d] = want && want < v->shape[d] ? want : v->shape[d];
        if (!box[d])
            box[d] = 1;
        n *= box[d];
    }
    return n;
}

static size_t count_boxes(const struct copy_var *v, const size_t *box)
{
    size_t n = 1;

    for (int d = 0; d < v->ndims; d++)
        n *= (v->shape[d] + box[d] - 1) / box[d];
    return n;
}

/* Start of box number `nth`, moved back where it would pass the end. */
static void box_start(const struct copy_var *v, const size_t *box, size_t nth, size_t *start)
{
    for (int d = v->ndims - 1; d >= 0; d--) {
        size_t along = (v->shape[d] + box[d] - 1) / box[d];
        start[d] = nth % along * box[d];
        if (start[d] + box[d] > v->shape[d])
            start[d] = v->shape[d] - box[d];
        nth /= along;
    }
}

/* A variable of n boxes one behind the other along a new first axis. */
static int define_sample(const struct copy_var *v, const size_t *box, size_t n, int *ncid, int *varid)
{
    size_t chunk[NC_MAX_VAR_DIMS + 1];
    int dim[NC_MAX_VAR_DIMS + 1], status = nc_create("sample", NC_NETCDF4 | NC_DISKLESS, ncid);

    chunk[0] = 1;
    if (status == NC_NOERR)
        status = nc_def_dim(*ncid, "n", n, &dim[0]);
    for (int d = 0; status == NC_NOERR && d < v->ndims; d++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", d);
        chunk[d + 1] = box[d];
        status = nc_def_dim(*ncid, name, box[d], &dim[d + 1]);
    }
    if (status == NC_NOERR)
        status = nc_def_var(*ncid, "v", v->type->id, v->ndims + 1, dim, varid);
    if (status == NC_NOERR)
        status = nc_def_var_chunking(*ncid, *varid, NC_CHUNKED, chunk);
    if (status == NC_NOERR && *v->chain)
        status = cellar_def_var_chain(*ncid, *varid, v->chain);
    if (status == NC_NOERR && v->quantize)
        status = nc_def_var_quantize(*ncid, *varid, v->quantize, v->quantize_n);
    return status ? status : nc_enddef(*ncid);
}

static int write_samples(const struct copy_var *v, const size_t *box, size_t n, int ncid, int varid)
{
    size_t all = count_boxes(v, box), values = 1, start[NC_MAX_VAR_DIMS], at[NC_MAX_VAR_DIMS + 1] = {0},
           count[NC_MAX_VAR_DIMS + 1];
    int status = NC_NOERR;
    char *block;

    count[0] = 1;
    for (int d = 0; d < v->ndims; d++) {
        count[d + 1] = box[d];
        values *= box[d];
    }
    block = tool_alloc(values, v->type->size);
    for (size_t i = 0; status == NC_NOERR && i < n; i++) {
        box_start(v, box, n > 1 ? i * (all - 1) / (n - 1) : 0, start);
        status = nc_get_vara(v->group, v->id, start, box, block);
        at[0] = i;
        if (status == NC_NOERR)
            status = nc_put_vara(ncid, varid, at, count, block);
    }
    free(block);
    return status;
}

static int estimate_var(struct copy_var *v)
{
    size_t box[NC_MAX_VAR_DIMS], values = sample_box(v, box), all = count_boxes(v, box),
                                 n = all < SAMPLES ? all : SAMPLES;
    unsigned long long stored = 0;
    int ncid = -1, varid, status = define_sample(v, box, n, &ncid, &varid);

    if (status == NC_NOERR)
        status = write_samples(v, box, n, ncid, varid);
    if (status == NC_NOERR)
        status = cellar_inq_var_stored(ncid, varid, &stored);
    if (status == NC_NOERR)
        v->stored = (unsigned long long)((double)v->nbytes * (double)stored / (double)(values * n * v->type->size));
    if (ncid >= 0)
        nc_abort(ncid);
    return status;
}

bool copy_estimate(struct copy *c)
{
    for (size_t i = 0; i < c->nvars; i++) {
        struct copy_var *v = &c->var[i];
        int status;
        v->stored = v->with_data ? v->nbytes : 0;
        if (!v->with_data || !v->nbytes || !v->ndims || v->type->group >= 0 || v->type->has_pointers ||
            (!*v->chain && !v->quantize))
            continue;
        status = estimate_var(v);
        if (status)
            return msg_nc(status, "%s: variable %s", c->req->in, v->path), false;
    }
    return true;
}
