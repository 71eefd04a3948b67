/* SPDX-License-Identifier: BSD-3-Clause */
/* One variable: its sample is read once, and every chain encodes and decodes it. */

#include "tune.h"
#include "progress.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_BYTES = 1 << 16, BATCH = 32 << 20 };
#define DISK 1e9 /* bytes a second that the goals read and write reckon with */

struct racing {
    struct tune_var *t;
    size_t box_bytes, n; /* boxes at a time */
    char *values, *decoded;
    cellar_chunk *chunk;
    size_t *zero;
    ptrdiff_t *one, *byte_step;
};

bool tune_takes(const struct look_var *v)
{
    return !v->reason && !v->too_many && v->type && v->xtype > NC_NAT && v->xtype < NC_STRING && v->xtype != NC_CHAR &&
           v->ndims > 0 && v->nbytes >= LEAST_BYTES;
}

/* Of all threads. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- one chain over one batch -------------------------------------------------------------------- */

static void start_chunks(struct racing *r, char *memory)
{
    for (size_t i = 0; i < r->n; i++) {
        r->chunk[i].start = r->zero;
        r->chunk[i].count = r->t->box;
        r->chunk[i].step = r->one;
        r->chunk[i].byte_step = r->byte_step;
        r->chunk[i].memory = memory + i * r->box_bytes;
    }
}

static double largest_error(const struct racing *r)
{
    size_t n = r->n * r->box_bytes / r->t->v->type->size;
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double gap = r->t->v->xtype == NC_FLOAT
                         ? fabs((double)((float *)(void *)r->values)[i] - (double)((float *)(void *)r->decoded)[i])
                         : fabs(((double *)(void *)r->values)[i] - ((double *)(void *)r->decoded)[i]);

        most = gap > most ? gap : most;
    }
    return most;
}

static bool run_chain(struct racing *r, const cellar_coder *coder, struct tune_chain *c)
{
    double start = now();
    bool ok;

    memset(r->chunk, 0, r->n * sizeof *r->chunk);
    start_chunks(r, r->values);
    ok = cellar_coder_encode(coder, r->n, r->chunk) == NC_NOERR;
    c->write_seconds += now() - start;
    for (size_t i = 0; i < r->n; i++)
        c->stored += r->chunk[i].nencoded;
    start_chunks(r, r->decoded);
    start = now();
    ok = ok && cellar_coder_decode(coder, r->n, r->chunk) == NC_NOERR;
    c->read_seconds += now() - start;
    for (size_t i = 0; i < r->n; i++)
        cellar_free(r->chunk[i].encoded);
    if (ok && c->lossy)
        c->error = fmax(c->error, largest_error(r));
    return ok && (c->lossy || memcmp(r->values, r->decoded, r->n * r->box_bytes) == 0);
}

/* A bound holds for all chains but those that --bits asked for. */
static bool is_beyond(const struct tune_chain *c, double bound)
{
    return c->lossy && bound > 0 && !(c->error <= bound) && strncmp(c->text, TUNE_ROUND, strlen(TUNE_ROUND)) != 0;
}

static void race_batch(struct racing *r, double bound)
{
    const struct look_var *v = r->t->v;
    cellar_chunk_shape shape = {.size = v->type->size, .rank = v->ndims, .lengths = r->t->box};

    shape.kind = v->xtype == NC_FLOAT || v->xtype == NC_DOUBLE ? 'f' : v->xtype >= NC_UBYTE ? 'u' : 'i';
    if (v->xtype == NC_INT64)
        shape.kind = 'i';
    for (size_t i = 0; i < r->t->nchains; i++) {
        struct tune_chain *c = &r->t->chain[i];
        cellar_coder *coder = NULL;

        if (c->failed)
            continue;
        c->failed =
            cellar_coder_make(c->text, &shape, &coder) != NC_NOERR || !run_chain(r, coder, c) || is_beyond(c, bound);
        cellar_coder_free(coder);
    }
}

/* --- all batches ------------------------------------------------------------------------------------ */

static int read_batch(struct racing *r, size_t from)
{
    const struct look_var *v = r->t->v;
    size_t *start = tool_alloc((size_t)v->ndims + 1, sizeof *start);
    int status = NC_NOERR;

    for (size_t i = 0; i < r->n && status == NC_NOERR; i++) {
        tune_box_start(r->t, from + i, start);
        status = nc_get_vara(v->group, v->id, start, r->t->box, r->values + i * r->box_bytes);
    }
    free(start);
    return status;
}

static void prepare(struct racing *r, size_t most)
{
    int rank = r->t->v->ndims;
    ptrdiff_t bytes = (ptrdiff_t)r->t->v->type->size;

    r->zero = tool_alloc((size_t)rank + 1, sizeof *r->zero);
    r->one = tool_alloc((size_t)rank + 1, sizeof *r->one);
    r->byte_step = tool_alloc((size_t)rank + 1, sizeof *r->byte_step);
    for (int d = rank; d-- > 0; bytes *= (ptrdiff_t)r->t->box[d]) {
        r->one[d] = 1;
        r->byte_step[d] = bytes;
    }
    r->box_bytes = (size_t)bytes;
    r->n = BATCH / r->box_bytes ? BATCH / r->box_bytes : 1;
    r->n = r->n < most ? r->n : most;
    r->chunk = tool_alloc(r->n, sizeof *r->chunk);
    r->values = tool_alloc(r->n, r->box_bytes);
    r->decoded = tool_alloc(r->n, r->box_bytes);
}

static void dispose(struct racing *r)
{
    free(r->zero);
    free(r->one);
    free(r->byte_step);
    free(r->chunk);
    free(r->values);
    free(r->decoded);
}

/* --- who wins ------------------------------------------------------------------------------------------ */

static bool is_beaten(const struct tune_chain *a, const struct tune_chain *b)
{
    bool better = b->stored < a->stored || b->write_seconds < a->write_seconds || b->read_seconds < a->read_seconds;

    return better && b->stored <= a->stored && b->write_seconds <= a->write_seconds &&
           b->read_seconds <= a->read_seconds;
}

double tune_cost(const struct tune_request *req, const struct tune_var *t, const struct tune_chain *c)
{
    double threads = (double)cellar_get_threads(), stored = (double)c->stored;
    double read = stored / DISK + c->read_seconds / threads, write = stored / DISK + c->write_seconds / threads;

    (void)t;
    switch (req->goal) {
    case TUNE_ARCHIVE: return stored;
    case TUNE_READ: return read;
    case TUNE_WRITE: return write;
    default: return stored * sqrt(sqrt(read * write));
    }
}

static void choose(const struct tune_request *req, struct tune_var *t)
{
    for (size_t i = 0; i < t->nchains; i++) {
        struct tune_chain *c = &t->chain[i];

        c->front = !c->failed;
        for (size_t k = 0; k < t->nchains && c->front; k++)
            c->front = t->chain[k].failed || !is_beaten(c, &t->chain[k]);
        if (!c->failed && (!t->best || tune_cost(req, t, c) < tune_cost(req, t, t->best)))
            t->best = c;
    }
    t->now = t->chain[0].failed ? NULL : &t->chain[0];
}

int tune_race(const struct tune_request *req, const struct look_var *v, struct tune_var *out)
{
    struct racing r = {.t = out};
    size_t all;
    int status;

    *out = (struct tune_var){.v = v};
    status = tune_list_chains(req, v, out);
    tune_choose_boxes(req, v, out);
    prepare(&r, out->nboxes);
    all = r.n;
    for (size_t from = 0; from < out->nboxes && status == NC_NOERR; from += all) {
        r.n = out->nboxes - from < all ? out->nboxes - from : all;
        status = read_batch(&r, from);
        if (status == NC_NOERR)
            race_batch(&r, req->bound);
        out->sampled += r.n * r.box_bytes;
        progress_add(r.n * r.box_bytes, v->path);
    }
    dispose(&r);
    if (status == NC_NOERR)
        choose(req, out);
    return status;
}

void tune_var_free(struct tune_var *t)
{
    for (size_t i = 0; i < t->nchains; i++)
        free(t->chain[i].text);
    free(t->chain);
    free(t->box);
    *t = (struct tune_var){0};
}
