/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective get of a variable with filters, in a file that is only read. Where no chunk is touched by two ranks, every
 * rank reads for itself: rank 0 sees that in the regions of all. Else one of those who touch a chunk, in turn, decodes it
 * and sends it decoded to the others (par_parts.c says who): once to each machine, where one rank sends it on. That goes on in groups of chunks, the same groups on all
 * ranks: within one, all messages are on their way before anybody waits, and memory is two groups at most. Chunks of
 * which ranks want a part only are read by each for itself, through its cache. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define GROUP ((size_t)64 << 20) /* bytes of decoded chunks, at least one chunk */
#define SIZE_MOST 1024           /* with more ranks, rank 0 would compare regions for too long */

struct decoding {
    struct cel_request *req;
    struct cel_par_parts *parts;
    nc_type memtype;
    size_t cap;           /* chunks of a group */
    char *own, *received; /* a group of each */
    const struct cel_par_part **own_part, **received_part;
    size_t *own_piece, *received_piece; /* of each, the first of those it is sent to */
    size_t nown, nreceived;             /* in the group at work */
    MPI_Request *request;
    size_t nrequests, next_piece;
    size_t nrange;
};

/* --- is anything shared? ------------------------------------------------------------------------- */

static bool share_chunks(const struct cel_par_head *a, const struct cel_par_head *b, const struct cel_var *var)
{
    for (int d = 0; d < var->ndims; d++) {
        uint64_t chunk = var->layout.chunk[d];
        uint64_t last_a = a->start[d] + (a->count[d] - 1) * a->stride[d];
        uint64_t last_b = b->start[d] + (b->count[d] - 1) * b->stride[d];

        if (a->start[d] / chunk > last_b / chunk || b->start[d] / chunk > last_a / chunk)
            return false;
    }
    return true;
}

static bool any_shared(const struct cel_par *par, const struct cel_var *var, const struct cel_par_head *heads)
{
    for (int a = 0; a < par->size; a++)
        for (int b = a + 1; heads[a].n && b < par->size; b++)
            if (heads[b].n && share_chunks(&heads[a], &heads[b], var))
                return true;
    return false;
}

static bool may_be_shared(const struct cel_par *par, const struct cel_var *var)
{
    const struct cel_layout *layout = &var->layout;

    return par->size > 1 && par->size <= SIZE_MOST && var->chain.n && layout->chunk && !layout->unchunked &&
           layout->storage == CEL_CHUNKED && !var->type->varsized;
}

static void set_head(const struct cel_request *req, struct cel_par_head *head)
{
    head->n = req->n;
    for (int d = 0; d < req->rank; d++) {
        head->start[d] = req->start[d];
        head->count[d] = req->count[d];
        head->stride[d] = req->stride[d];
    }
}

/* --- a group --------------------------------------------------------------------------------------- */

static int load(struct cel_job *job)
{
    const struct cel_stream *s = job->stream;
    char *chunk = s->req->data + job->number * s->array->nbytes;

    if (job->input == CEL_INPUT_STORED)
        return cel_job_load(job, chunk);
    cel_fill_chunk(&s->req->transfer, chunk, s->array->nbytes / s->array->elem);
    return CEL_OK;
}

static int send_loads(struct cel_stream *stream, const struct decoding *d)
{
    for (size_t i = 0; i < d->nown && cel_stream_failed(stream) == CEL_OK; i++) {
        struct cel_job *job = cel_stream_next(stream, (const size_t *)d->own_part[i]->index);
        int rc = cel_job_find(job);

        job->work = load;
        cel_stream_note(stream, rc);
        if (rc == CEL_OK)
            cel_stream_send(job);
    }
    return cel_stream_close(stream);
}

static int decode_own(const struct decoding *d)
{
    struct cel_request decoded = *d->req;
    struct cel_stream stream;
    int rc;

    if (!d->nown)
        return CEL_OK;
    decoded.data = d->own;
    cel_lock(&d->req->array->lock);
    rc = cel_stream_open(&stream, d->req->ds, d->req->var, &decoded, d->nown, d->req->array->nbytes);
    if (rc == CEL_OK)
        rc = send_loads(&stream, d);
    cel_unlock(&d->req->array->lock);
    return rc;
}

static void scatter_chunks(struct decoding *d, char *chunks, const struct cel_par_part *const *part, size_t n)
{
    size_t nbytes = d->req->array->nbytes;
    struct cel_box box;

    for (size_t i = 0; i < n; i++) {
        cel_grid_box(d->req, (const size_t *)part[i]->index, chunks + i * nbytes, &box);
        d->nrange += cel_scatter(&d->req->transfer, &box);
    }
}

/* The chunks numbered [from, to), those that are this rank's to decode and the others; with from UINT64_MAX those that no
 * other rank touches, from part *next on, up to a group. */
static void collect(struct decoding *d, uint64_t from, uint64_t to, size_t *next)
{
    const struct cel_par_parts *parts = d->parts;
    int rank = d->req->ds->par->rank;

    d->nown = d->nreceived = 0;
    for (; *next < parts->n && d->nown < d->cap; ++*next) {
        const struct cel_par_fate *fate = &parts->fate[*next];

        if (fate->owner < 0 || (from == UINT64_MAX) != (fate->number == UINT64_MAX))
            continue;
        if (fate->number >= to && from != UINT64_MAX)
            return;
        if (fate->owner == rank) {
            d->own_piece[d->nown] = d->next_piece;
            d->own_part[d->nown++] = &parts->mine[*next];
        } else {
            d->received_piece[d->nreceived] = d->next_piece;
            d->received_part[d->nreceived++] = &parts->mine[*next];
        }
        d->next_piece += (size_t)fate->npieces;
    }
}

static void start_receiving(struct decoding *d)
{
    size_t nbytes = d->req->array->nbytes;

    for (size_t i = 0; i < d->nreceived; i++) {
        const struct cel_par_fate *fate = &d->parts->fate[d->received_part[i]->nth];
        MPI_Request *end = cel_par_receive_start(d->req->ds->par, (int)fate->from,
                                                 fate->from == fate->owner ? CEL_PAR_TAG : CEL_PAR_TAG_ON,
                                                 d->received + i * nbytes, nbytes, d->request + d->nrequests);

        d->nrequests = (size_t)(end - d->request);
    }
}

static void start_sending(struct decoding *d, enum cel_par_tag tag, const char *chunk, const struct cel_par_part *part,
                          size_t first_piece)
{
    for (size_t k = 0; k < d->parts->fate[part->nth].npieces; k++) {
        MPI_Request *end = cel_par_send_start(d->req->ds->par, (int)d->parts->piece[first_piece + k].rank, tag, chunk,
                                              d->req->array->nbytes, d->request + d->nrequests);

        d->nrequests = (size_t)(end - d->request);
    }
}

static void send_own(struct decoding *d)
{
    for (size_t i = 0; i < d->nown; i++)
        start_sending(d, CEL_PAR_TAG, d->own + i * d->req->array->nbytes, d->own_part[i], d->own_piece[i]);
}

/* What is sent on comes from its owner, who waits for nobody before: so ranks do not wait for each other in a circle. */
static void send_on(struct decoding *d)
{
    size_t nbytes = d->req->array->nbytes, each = cel_par_requests_of(nbytes);

    for (size_t i = 0; i < d->nreceived; i++) {
        if (!d->parts->fate[d->received_part[i]->nth].npieces)
            continue;
        cel_par_finish(d->req->ds->par, d->request + i * each, each);
        start_sending(d, CEL_PAR_TAG_ON, d->received + i * nbytes, d->received_part[i], d->received_piece[i]);
    }
}

/* A chunk that could not be decoded is sent all the same: nobody waits for ever, and all learn of it at the end. */
static int run_group(struct decoding *d, uint64_t from, uint64_t to, size_t *next)
{
    int rc;

    collect(d, from, to, next);
    d->nrequests = 0;
    start_receiving(d);
    rc = decode_own(d);
    send_own(d);
    send_on(d);
    cel_par_finish(d->req->ds->par, d->request, d->nrequests);
    scatter_chunks(d, d->own, d->own_part, d->nown);
    scatter_chunks(d, d->received, d->received_part, d->nreceived);
    return rc;
}

/* --- all groups ------------------------------------------------------------------------------------ */

static int take_memory(struct decoding *d)
{
    size_t nbytes = d->req->array->nbytes, n = d->parts->n ? d->parts->n : 1;

    d->cap = GROUP / nbytes ? GROUP / nbytes : 1;
    if (n > d->cap)
        n = d->cap;
    d->own = cel_malloc_array(n, nbytes);
    d->received = cel_malloc_array(n, nbytes);
    d->own_part = cel_malloc_array(n, sizeof *d->own_part);
    d->received_part = cel_malloc_array(n, sizeof *d->received_part);
    d->request =
        cel_malloc_array((n + (size_t)d->parts->answer.npieces) * cel_par_requests_of(nbytes), sizeof *d->request);
    d->own_piece = cel_malloc_array(n, sizeof *d->own_piece);
    d->received_piece = cel_malloc_array(n, sizeof *d->received_piece);
    return d->own && d->received && d->own_part && d->received_part && d->own_piece && d->received_piece && d->request
               ? CEL_OK
               : NC_ENOMEM;
}

/* The part of one chunk, by itself. */
static int get_part(struct decoding *d, const struct cel_par_part *part)
{
    const struct cel_request *req = d->req;
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
    ptrdiff_t stride[CEL_RANK_MAX], imap[CEL_RANK_MAX];
    struct cel_box box;
    int rc;

    cel_grid_box(req, (const size_t *)part->index, NULL, &box);
    for (int i = 0; i < req->rank; i++) {
        size_t begin = (size_t)part->index[i] * req->var->layout.chunk[i];
        size_t before = cel_chunk_count_before(req->start[i], req->count[i], req->stride[i], begin);

        start[i] = req->start[i] + before * req->stride[i];
        count[i] = box.n[i];
        stride[i] = (ptrdiff_t)req->stride[i];
        imap[i] = req->step[i] / (ptrdiff_t)req->transfer.user_size;
    }
    rc = cel_get_region(req->ds, req->var, &(struct cel_region){start, count, stride, imap}, box.user_at, d->memtype);
    d->nrange += rc == NC_ERANGE;
    return rc == NC_ERANGE ? CEL_OK : rc;
}

static int run_groups(struct decoding *d)
{
    struct cel_first_failure first = {0};
    size_t next = 0;

    for (uint64_t from = 0; from < d->parts->answer.nshared; from += d->cap)
        cel_first_failure_note(&first, run_group(d, from, from + d->cap, &next));
    for (next = 0; next < d->parts->n;)
        cel_first_failure_note(&first, run_group(d, UINT64_MAX, 0, &next));
    for (size_t i = 0; first.rc == CEL_OK && i < d->parts->n; i++)
        if (d->parts->fate[i].owner < 0)
            cel_first_failure_note(&first, get_part(d, &d->parts->mine[i]));
    return cel_first_failure_restore(&first);
}

static void decoding_free(struct decoding *d)
{
    free(d->own);
    free(d->received);
    free(d->own_part);
    free(d->received_part);
    free(d->own_piece);
    free(d->received_piece);
    free(d->request);
}

/* --- the get --------------------------------------------------------------------------------------- */

/* What rank 0 has found out: is anything shared, and is there memory to say by whom? */
static int look(const struct cel_par *par, const struct cel_var *var, const struct cel_par_head *heads,
                struct cel_par_parts *parts)
{
    if (!any_shared(par, var, heads))
        return 0;
    return cel_par_parts_lead(parts, heads, par->size) == CEL_OK;
}

/* What all ranks know of the get at work. */
struct agreed {
    struct cel_request req;
    struct cel_par_parts parts;
    struct cel_par_head head;
    nc_type memtype;
    bool shared;   /* some chunks were decoded for several ranks, and all values are there */
    size_t nrange; /* of these, values that did not fit */
};

static int get_shared(struct agreed *a, struct cel_par_head *heads)
{
    struct cel_par *par = a->req.ds->par;
    struct decoding d = {.req = &a->req, .parts = &a->parts, .memtype = a->memtype};
    bool shared;
    int rc;

    cel_par_learn_nodes(par);
    rc = cel_par_parts_settle(&a->parts, par, a->req.var, &a->head, heads, cel_par_owner_of_get);
    shared = a->parts.n && a->parts.answer.nshared; /* rank 0 knows the number also where it touches none of them */

    if (rc == CEL_OK && shared)
        rc = take_memory(&d);
    rc = cel_par_share(par, rc);
    a->shared = shared;
    if (rc == CEL_OK && a->shared)
        rc = run_groups(&d);
    decoding_free(&d);
    a->nrange = d.nrange;
    return rc;
}

static int get_agreed(struct agreed *a)
{
    struct cel_par *par = a->req.ds->par;
    struct cel_par_head *heads;
    int verdict = 0, rc = cel_par_gather_heads(par, &a->head, &heads);

    if (rc != CEL_OK)
        return rc;
    if (par->rank == 0)
        verdict = look(par, a->req.var, heads, &a->parts);
    cel_par_tell(par, 0, &verdict, sizeof verdict);
    if (verdict)
        rc = get_shared(a, heads);
    free(heads);
    return rc;
}

int cel_par_get_decoded(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                        nc_type memtype)
{
    struct agreed a = {.req = {.ds = ds, .var = var}, .memtype = memtype};
    size_t count[CEL_RANK_MAX] = {0};
    int own, rc;

    if (!may_be_shared(ds->par, var))
        return cel_get_region(ds, var, region, data, memtype);
    own = cel_par_begin(ds, var, region, data, memtype, false, &a.req);
    if (own == CEL_OK && a.req.n)
        own = cel_chain_usable(&var->chain);
    if (own == CEL_OK) {
        memcpy(count, a.req.count, (size_t)var->ndims * sizeof *count);
        cel_request_clip(&a.req);
        own = a.req.n ? cel_par_parts_list(&a.req, &a.parts) : CEL_OK;
        set_head(&a.req, &a.head);
    }
    if (own != CEL_OK)
        a.parts.n = a.head.n = 0; /* it says so at the end, and the others need not wait */
    a.head.nparts = a.parts.n;
    rc = get_agreed(&a);
    if (own == CEL_OK && rc == CEL_OK && !a.shared)
        rc = cel_get_region(ds, var, region, data, memtype);
    else if (own == CEL_OK && rc == CEL_OK && a.nrange + cel_request_fill_rest(&a.req, count) > 0)
        rc = NC_ERANGE;
    cel_par_parts_free(&a.parts);
    return own != CEL_OK ? own : rc;
}
