/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of chunks on their way to the rank that owns the chunk (par_parts.c). They travel as elements of the chunk, converted
 * by the rank that has them, each behind its place in the chunk. All ranks send first and receive then, in chunk order, so
 * nobody waits in a circle. An owner puts together as many chunks as a batch has bytes, encodes them on its threads,
 * and goes on to the next. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define BATCH ((size_t)64 << 20)

/* A message is where the part lies in its chunk (of each dimension the start, then the numbers of elements, then the strides)
 * and its elements. */
static size_t message_bytes(const struct cel_request *req, uint64_t n)
{
    return 3 * (size_t)req->rank * sizeof(uint64_t) + (size_t)n * req->array->elem;
}

static void convert(struct cel_request *req, struct cel_box *box, bool *range)
{
    struct cel_quantize_error worst = {0};
    struct cel_transfer transfer = req->transfer;

    transfer.worst = &worst;
    *range = cel_gather(&transfer, box) > 0 || *range;
    cel_lock(&req->array->lock);
    cel_quantize_error_join(&req->array->worst, &worst);
    cel_unlock(&req->array->lock);
}

/* --- sending --------------------------------------------------------------------------------------- */

struct outbox {
    char **message;
    MPI_Request *request;
    size_t n;
};

/* The part's elements as the chunk has them, packed. */
static void convert_part(struct cel_request *req, const size_t *index, char *packed, bool *range)
{
    ptrdiff_t step = (ptrdiff_t)req->array->elem;
    struct cel_box box;

    cel_grid_box(req, index, NULL, &box);
    for (int d = req->rank - 1; d >= 0; d--) {
        box.chunk[d] = step;
        step *= (ptrdiff_t)box.n[d];
    }
    box.chunk_at = packed;
    convert(req, &box, range);
}

static void write_place(const struct cel_request *req, const size_t *index, uint64_t *out)
{
    struct cel_chunk_part part;
    struct cel_box box;

    cel_grid_part(req, index, &part);
    cel_grid_box(req, index, NULL, &box);
    for (int d = 0; d < req->rank; d++) {
        out[d] = part.start[d];
        out[req->rank + d] = box.n[d];
        out[2 * req->rank + d] = req->stride[d];
    }
}

static bool goes_out(const struct cel_par_parts *parts, size_t i, int rank)
{
    return parts->fate[i].owner >= 0 && parts->fate[i].owner != rank;
}

static int pack_parts(struct cel_request *req, const struct cel_par_parts *parts, struct outbox *out, bool *range)
{
    out->message = cel_calloc(parts->n + 1, sizeof *out->message);
    if (!out->message)
        return NC_ENOMEM;
    for (size_t i = 0; i < parts->n; i++) {
        const struct cel_par_part *part = &parts->mine[i];
        const size_t *index = (const size_t *)part->index;

        if (!goes_out(parts, i, req->ds->par->rank))
            continue;
        out->message[i] = cel_malloc(message_bytes(req, part->n));
        if (!out->message[i])
            return NC_ENOMEM;
        out->n += cel_par_requests_of(message_bytes(req, part->n));
        write_place(req, index, (uint64_t *)out->message[i]);
        convert_part(req, index, out->message[i] + message_bytes(req, 0), range);
    }
    out->request = cel_malloc_array(out->n + 1, sizeof *out->request);
    return out->request ? CEL_OK : NC_ENOMEM;
}

static void start_sending(const struct cel_request *req, const struct cel_par_parts *parts, struct outbox *out)
{
    const struct cel_par *par = req->ds->par;
    MPI_Request *next = out->request;

    for (size_t i = 0; i < parts->n; i++)
        if (goes_out(parts, i, par->rank))
            next = cel_par_send_start(par, (int)parts->fate[i].owner, CEL_PAR_TAG, out->message[i],
                                      message_bytes(req, parts->mine[i].n), next);
}

static void outbox_free(struct outbox *out, size_t n)
{
    for (size_t i = 0; out->message && i < n; i++)
        free(out->message[i]);
    free(out->message);
    free(out->request);
}

/* --- receiving ------------------------------------------------------------------------------------- */

/* The part of another rank, from its message into the chunk. */
static void add_received(const struct cel_request *req, const char *message, char *chunk)
{
    const struct cel_array *array = req->array;
    const uint64_t *start = (const uint64_t *)message, *n = start + req->rank, *stride = n + req->rank;
    struct cel_transfer transfer = {.user_size = array->elem, .size_in_chunk = array->elem, .same = true};
    struct cel_box box = {.rank = req->rank, .user_at = (char *)message + message_bytes(req, 0), .chunk_at = chunk};
    ptrdiff_t step = (ptrdiff_t)array->elem;

    for (int d = req->rank - 1; d >= 0; d--) {
        box.n[d] = (size_t)n[d];
        box.user[d] = step;
        box.chunk[d] = (ptrdiff_t)(stride[d] * array->step[d]);
        box.chunk_at += start[d] * array->step[d];
        step *= (ptrdiff_t)n[d];
    }
    cel_gather(&transfer, &box);
}

/* chunk NULL: there is no memory, and what is sent is thrown away. */
static int put_together(struct cel_request *req, const size_t *index, const struct cel_par_piece *piece, size_t npieces,
                        char *chunk, bool *range)
{
    struct cel_box box;
    int rc = chunk ? CEL_OK : NC_ENOMEM;

    if (chunk) {
        if (cel_grid_is_padded(req, index))
            cel_fill_chunk(&req->transfer, chunk, req->array->nbytes / req->array->elem);
        cel_grid_box(req, index, chunk, &box);
        convert(req, &box, range);
    }
    for (size_t i = 0; i < npieces; i++) {
        void *message;
        int got = cel_par_receive_new(req->ds->par, (int)piece[i].rank, message_bytes(req, piece[i].n), &message);

        if (got == CEL_OK && chunk)
            add_received(req, message, chunk);
        free(message);
        rc = rc == CEL_OK ? got : rc;
    }
    return rc;
}

/* The next chunks that this rank owns, up to a batch: next is the part to look at, piece the first of its chunk. */
struct inbox {
    size_t next, piece;
    char *chunks;
    size_t cap, n;                   /* chunks in a batch, and how many there are */
    const struct cel_par_part **own; /* ... of these parts */
};

static int fill_batch(struct cel_request *req, const struct cel_par_parts *parts, struct inbox *in, bool *range)
{
    int rc = CEL_OK;

    for (in->n = 0; in->next < parts->n && in->n < in->cap; in->next++) {
        const struct cel_par_fate *fate = &parts->fate[in->next];
        const struct cel_par_part *part = &parts->mine[in->next];
        char *chunk = in->chunks ? in->chunks + in->n * req->array->nbytes : NULL;
        int put;

        if (fate->owner != req->ds->par->rank)
            continue;
        put = put_together(req, (const size_t *)part->index, parts->piece + in->piece, (size_t)fate->npieces, chunk,
                           range);
        rc = rc == CEL_OK ? put : rc;
        in->piece += (size_t)fate->npieces;
        if (in->own)
            in->own[in->n] = part;
        in->n++;
    }
    return rc;
}

/* After a failure the rest is received all the same. */
static int receive_all(struct cel_request *req, const struct cel_par_parts *parts, bool *range)
{
    size_t most = BATCH / req->array->nbytes + 1, owned = (size_t)parts->answer.owned;
    struct inbox in = {.cap = most < owned ? most : owned};
    int rc = CEL_OK;

    in.chunks = cel_malloc_array(in.cap + !in.cap, req->array->nbytes);
    in.own = cel_malloc_array(in.cap + 1, sizeof *in.own);
    while (owned && in.next < parts->n) {
        int got = fill_batch(req, parts, &in, range);

        if (rc == CEL_OK && got == CEL_OK && in.chunks && in.own)
            got = cel_par_encode_owned(req, in.chunks, in.own, in.n);
        rc = rc != CEL_OK ? rc : !in.own ? NC_ENOMEM : got;
    }
    free(in.chunks);
    free(in.own);
    return rc;
}

int cel_par_trade(struct cel_request *req, const struct cel_par_parts *parts, int rc, bool *range)
{
    struct cel_par *par = req->ds->par;
    struct outbox out = {0};

    if (rc == CEL_OK && parts->n)
        rc = pack_parts(req, parts, &out, range);
    rc = cel_par_share(par, rc);
    if (rc == CEL_OK && parts->n) {
        start_sending(req, parts, &out);
        rc = receive_all(req, parts, range);
        cel_par_finish(par, out.request, out.n);
    }
    outbox_free(&out, parts->n);
    return rc;
}
