/* SPDX-License-Identifier: BSD-3-Clause */
/* Which part of a variable is tried: whole chunks where the share allows at least a few, else parts of chunks. They are spread
 * along every dimension by multiples of irrational numbers, so that no regular pattern of the data meets a regular one of ours. */

#include "tune.h"
#include <math.h>
#include <stdlib.h>

enum { FEW = 4, LEAST = 4096, SHORT = 8, WHOLE_BYTES = 1 << 20 };

static double volume(const struct look_var *v, const size_t *box)
{
    double n = 1;

    for (int d = 0; d < v->ndims; d++)
        n *= (double)box[d];
    return n;
}

/* The slow dimensions are cut first, and none to less than a few while another is longer. */
static void halve(const struct look_var *v, size_t *box, double most)
{
    while (volume(v, box) > most) {
        int at = -1;

        for (int d = 0; d < v->ndims && at < 0; d++)
            at = box[d] > SHORT ? d : -1;
        for (int d = 0; d < v->ndims && at < 0; d++)
            at = box[d] > 1 ? d : -1;
        if (at < 0)
            return;
        box[at] = (box[at] + 1) / 2;
    }
}

void tune_choose_boxes(const struct tune_request *req, const struct look_var *v, struct tune_var *out)
{
    double total = (double)v->nvalues, chunks, most;

    out->box = tool_alloc((size_t)v->ndims + 1, sizeof *out->box);
    for (int d = 0; d < v->ndims; d++)
        out->box[d] = v->piece[d] < v->shape[d] ? v->piece[d] : v->shape[d];
    if (v->storage != NC_CHUNKED) {
        for (int d = 0; d < v->ndims; d++)
            out->box[d] = v->shape[d];
        halve(v, out->box, WHOLE_BYTES / (double)v->type->size);
    }
    chunks = floor(req->share * total / volume(v, out->box));
    if (chunks < FEW && req->share < 1) {
        most = req->share * total / FEW;
        halve(v, out->box, most > LEAST ? most : LEAST);
        chunks = floor(req->share * total / volume(v, out->box));
    }
    out->nboxes = chunks < 1 ? 1 : (size_t)chunks;
}

/* Numbers of the grid where all are taken, else places that are spread. */
void tune_box_start(const struct tune_var *t, size_t i, size_t *start)
{
    const struct look_var *v = t->v;
    double step = 1;
    bool chunks = v->storage == NC_CHUNKED;

    for (int d = 0; chunks && d < v->ndims; d++)
        chunks = t->box[d] == v->piece[d] || t->box[d] == v->shape[d];
    for (int d = 0; d < v->ndims; d++) {
        double at;

        step /= 1.32471795724474602596; /* the plastic number: its powers are spread well together */
        at = (double)(i + 1) * step;
        at -= floor(at);
        start[d] = (size_t)(at * (double)(v->shape[d] - t->box[d] + 1));
        if (chunks)
            start[d] -= start[d] % t->box[d];
    }
}
