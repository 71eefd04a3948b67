/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 allocates file space for encoded chunks, in chunk order, so that the file has the same bytes for any number of
 * ranks. Each rank then writes its own chunks at the addresses that it receives.
 *
 *     rank 0                                       every rank
 *     gathers which chunks there are     <-------  index, size, mask
 *     allocates a batch of them
 *     hands out their places             ------->  writes those it can reach by itself
 *     writes the rest                    <-------  sends the others, and those that failed
 *     flushes what it had to defer, and begins the next batch
 *
 * What would overwrite bytes of the last sync only rank 0 may write (chunk_hand_over). A write that fails on another rank is
 * tried again by rank 0: so a full disk has the same rules, and the same way out, as with one process. A batch ends where
 * the container has deferred as much as it will keep in memory, because no chunk may be without its bytes while it flushes.
 * Where two ranks have put the same chunk, that of the higher rank counts, and the other is not written at all. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

/* What rank 0 knows of a chunk before it has a place. */
struct entry {
    uint64_t index[CEL_RANK_MAX];
    uint64_t n, skipped, rank, nth; /* the nth of that rank */
    uint64_t reaches;               /* that rank can write to the file by itself */
};

struct grant {
    uint64_t entry, nth; /* which one it is on rank 0, and on the rank that has the chunk */
    uint64_t address, in_place;
    uint64_t handed_over; /* to that rank; else it sends the bytes */
};

struct batch {
    uint64_t n; /* of this rank's chunks */
    uint64_t more;
};

struct cel_placing {
    struct cel_request *req;
    struct cel_dataset *ds;
    struct cel_var *var;
    char *gathered;      /* a chunk whose bytes are the caller's values */
    struct entry *mine;  /* of this rank */
    struct grant *grant; /* of one batch: of this rank, on rank 0 of all, by rank */
    uint64_t *rest;      /* this rank's that rank 0 writes */

    /* rank 0 alone */
    const struct cel_par_head *heads; /* of all ranks */
    struct entry *entry;              /* in chunk order */
    size_t n, next;
    struct cel_chunk_location *at; /* of the entries of a batch, from its first one */
    struct batch *batch;           /* of each rank */
    size_t *first;                 /* where the places of each rank begin */
    void *unread;                  /* stands for the bytes of chunks: only its address is looked at */
};

/* --- which chunks there are -------------------------------------------------------------------- */

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    int order = cel_par_index_order(x->index, y->index);

    return order ? order : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void list_entries(const struct cel_par *par, struct entry *out)
{
    for (size_t i = 0; i < par->captured.n; i++) {
        const struct cel_captured *chunk = par->captured.at[i];

        out[i] = (struct entry){.n = chunk->n,
                                .skipped = chunk->skipped,
                                .rank = (uint64_t)par->rank,
                                .nth = i,
                                .reaches = par->rank && par->peer};
        memcpy(out[i].index, chunk->index, sizeof out[i].index);
    }
}

/* Of the same chunk the last one counts. */
static size_t drop_overwritten(struct entry *entry, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || memcmp(entry[i].index, entry[i + 1].index, sizeof entry[i].index) != 0)
            entry[kept++] = entry[i];
    return kept;
}

/* --- its memory ---------------------------------------------------------------------------------- */

static bool any_in_place(const struct cel_par *par)
{
    for (size_t i = 0; i < par->captured.n; i++)
        if (((const struct cel_captured *)par->captured.at[i])->in_place)
            return true;
    return false;
}

int cel_par_placing_make(struct cel_request *req, struct cel_placing **out)
{
    const struct cel_par *par = req->ds->par;
    bool gathers = any_in_place(par);
    struct cel_placing *p = cel_calloc(1, sizeof *p);
    size_t own = par->captured.n;

    *out = p;
    if (!p)
        return NC_ENOMEM;
    p->req = req;
    p->ds = req->ds;
    p->var = req->var;
    p->gathered = gathers ? cel_malloc(req->array->nbytes) : NULL;
    p->mine = cel_malloc_array(own + 1, sizeof *p->mine);
    p->rest = cel_malloc_array(own + 1, sizeof *p->rest);
    p->grant = par->rank ? cel_malloc_array(own + 1, sizeof *p->grant) : NULL;
    return p->mine && p->rest && (p->grant || !par->rank) && (p->gathered || !gathers) ? CEL_OK : NC_ENOMEM;
}

int cel_par_placing_lead(struct cel_placing *p, const struct cel_par_head *heads)
{
    size_t size = (size_t)p->ds->par->size, n = 0;

    p->heads = heads;
    for (size_t r = 0; r < size; r++)
        n += (size_t)heads[r].nchunks;
    p->entry = cel_malloc_array(n + 1, sizeof *p->entry);
    p->grant = cel_malloc_array(n + 1, sizeof *p->grant);
    p->at = cel_malloc_array(n + 1, sizeof *p->at);
    p->batch = cel_calloc(size, sizeof *p->batch);
    p->first = cel_calloc(size, sizeof *p->first);
    return p->entry && p->grant && p->at && p->batch && p->first ? CEL_OK : NC_ENOMEM;
}

void cel_par_placing_free(struct cel_placing *p)
{
    if (!p)
        return;
    free(p->gathered);
    free(p->mine);
    free(p->rest);
    free(p->entry);
    free(p->grant);
    free(p->at);
    free(p->batch);
    free(p->first);
    free(p->unread);
    free(p);
}

/* A chunk's bytes, valid until the next are asked for. */
static const char *bytes_of(const struct cel_placing *p, const struct cel_captured *chunk)
{
    const struct cel_request *req = p->req;
    struct cel_box box;

    if (!chunk->in_place)
        return chunk->bytes;
    if (cel_grid_is_padded(req, chunk->index))
        cel_fill_chunk(&req->transfer, p->gathered, req->array->nbytes / req->array->elem);
    cel_grid_box(req, chunk->index, p->gathered, &box);
    cel_gather(&req->transfer, &box);
    return p->gathered;
}

/* --- gathering ----------------------------------------------------------------------------------- */

static void receive_entries(struct cel_placing *p)
{
    const struct cel_par *par = p->ds->par;

    memcpy(p->entry, p->mine, par->captured.n * sizeof *p->mine);
    p->n = par->captured.n;
    for (int r = 1; r < par->size; r++) {
        size_t n = (size_t)p->heads[r].nchunks;

        if (n)
            cel_par_receive(par, r, p->entry + p->n, n * sizeof *p->mine);
        p->n += n;
    }
    qsort(p->entry, p->n, sizeof *p->entry, entry_order);
    p->n = drop_overwritten(p->entry, p->n);
}

static void gather_entries(struct cel_placing *p)
{
    const struct cel_par *par = p->ds->par;

    list_entries(par, p->mine);
    if (par->rank == 0)
        receive_entries(p);
    else if (par->captured.n)
        cel_par_send(par, 0, p->mine, par->captured.n * sizeof *p->mine);
}

/* --- rank 0: allocating ------------------------------------------------------------------------ */

static bool must_flush(struct cel_dataset *ds)
{
    return ds->ops->must_flush && ds->ops->must_flush(ds);
}

static const struct cel_captured *own_chunk(const struct cel_placing *p, const struct entry *entry)
{
    return p->ds->par->captured.at[entry->nth];
}

/* A chunk that is written whole is in nobody's cache any more. */
static int allocate(struct cel_placing *p, const struct entry *entry, struct cel_chunk_location *at)
{
    const size_t *index = (const size_t *)entry->index;
    struct cel_cached_chunk *cached = cel_cache_find(p->var->array, index);

    if (cached)
        cel_cache_drop(p->var->array, cached);
    return p->ds->ops->chunk_allocate(p->ds, p->var, index, p->unread, (size_t)entry->n, (uint32_t)entry->skipped, at);
}

/* The next entries up to a flush, or a failure. *end is behind those that have a place now. */
static int allocate_batch(struct cel_placing *p, size_t *end)
{
    struct cel_dataset *ds = p->ds;
    size_t i = p->next;
    int rc = CEL_OK;

    for (; rc == CEL_OK && i < p->n && (i == p->next || !must_flush(ds)); i += rc == CEL_OK)
        rc = allocate(p, &p->entry[i], &p->at[i - p->next]);
    *end = i;
    return rc;
}

static bool may_hand_over(const struct cel_placing *p, const struct entry *entry, const struct cel_chunk_location *at)
{
    return entry->reaches && p->ds->ops->chunk_hand_over(p->ds, p->var, at, (size_t)entry->n);
}

/* Their places, those of one rank side by side. */
static void sort_grants(struct cel_placing *p, size_t end, bool more)
{
    int size = p->ds->par->size;

    for (int r = 0; r < size; r++)
        p->batch[r] = (struct batch){.more = more};
    for (size_t i = p->next; i < end; i++)
        p->batch[p->entry[i].rank].n++;
    for (int r = 1; r < size; r++)
        p->first[r] = p->first[r - 1] + p->batch[r - 1].n;
    for (int r = 0; r < size; r++)
        p->batch[r].n = 0;
    for (size_t i = p->next; i < end; i++) {
        const struct entry *entry = &p->entry[i];
        const struct cel_chunk_location *at = &p->at[i - p->next];

        p->grant[p->first[entry->rank] + p->batch[entry->rank].n++] =
            (struct grant){.entry = i,
                           .nth = entry->nth,
                           .address = at->address,
                           .in_place = at->in_place,
                           .handed_over = may_hand_over(p, entry, at)};
    }
}

/* --- rank 0: writing ------------------------------------------------------------------------------ */

static int write_here(const struct cel_placing *p, const struct grant *grant, const void *bytes)
{
    const struct entry *entry = &p->entry[grant->entry];

    return p->ds->ops->chunk_write(p->ds, p->var, (const size_t *)entry->index, &p->at[grant->entry - p->next], bytes,
                                   (size_t)entry->n);
}

static void write_own(const struct cel_placing *p, struct cel_first_failure *first)
{
    for (size_t i = 0; i < p->batch[0].n; i++) {
        const struct cel_captured *chunk = own_chunk(p, &p->entry[p->grant[i].entry]);

        cel_first_failure_note(first, write_here(p, &p->grant[i], bytes_of(p, chunk)));
    }
}

/* After a failure the rest is still received: no rank waits for ever. */
static void write_received(const struct cel_placing *p, int from, struct cel_first_failure *first)
{
    const struct cel_par *par = p->ds->par;
    uint64_t n;

    cel_par_receive(par, from, &n, sizeof n);
    for (uint64_t i = 0; i < n; i++) {
        const struct grant *grant;
        uint64_t which;
        void *bytes;
        int rc;

        cel_par_receive(par, from, &which, sizeof which);
        grant = &p->grant[p->first[from] + which];
        rc = cel_par_receive_new(par, from, (size_t)p->entry[grant->entry].n, &bytes);
        if (rc == CEL_OK)
            rc = write_here(p, grant, bytes);
        free(bytes);
        cel_first_failure_note(first, rc);
    }
}

static int lead_batch(struct cel_placing *p, int rc, bool *more)
{
    const struct cel_par *par = p->ds->par;
    const struct cel_container_ops *ops = p->ds->ops;
    struct cel_first_failure first = {0};
    struct batch own;
    size_t end;

    cel_first_failure_note(&first, rc);
    if (rc == CEL_OK && must_flush(p->ds))
        cel_first_failure_note(&first, ops->flush_deferred(p->ds));
    if (ops->chunk_io_begin)
        ops->chunk_io_begin(p->ds);
    end = p->next;
    if (first.rc == CEL_OK)
        cel_first_failure_note(&first, allocate_batch(p, &end));
    *more = first.rc == CEL_OK && end < p->n;
    sort_grants(p, end, *more);
    cel_par_scatter(par, p->batch, &own, sizeof own);
    for (int r = 1; r < par->size; r++)
        cel_par_send(par, r, p->grant + p->first[r], p->batch[r].n * sizeof *p->grant);
    write_own(p, &first);
    for (int r = 1; r < par->size; r++)
        write_received(p, r, &first);
    if (ops->chunk_io_begin)
        ops->chunk_io_end(p->ds);
    p->next = end;
    return cel_first_failure_restore(&first);
}

/* --- every other rank ------------------------------------------------------------------------------- */

static int write_directly(const struct cel_placing *p, const struct grant *grant)
{
    struct cel_par *par = p->ds->par;
    const struct cel_captured *chunk = par->captured.at[grant->nth];
    struct cel_chunk_location at = {.address = grant->address, .nbytes = chunk->n, .in_place = grant->in_place};

    return par->own_ops->peer_write(par->peer, p->var, chunk->index, &at, bytes_of(p, chunk), chunk->n);
}

static bool follow_batch(const struct cel_placing *p)
{
    const struct cel_par *par = p->ds->par;
    struct batch batch;
    uint64_t nrest = 0;

    cel_par_scatter(par, NULL, &batch, sizeof batch);
    cel_par_receive(par, 0, p->grant, (size_t)batch.n * sizeof *p->grant);
    for (uint64_t i = 0; i < batch.n; i++)
        if (!p->grant[i].handed_over || write_directly(p, &p->grant[i]) != CEL_OK)
            p->rest[nrest++] = i;
    cel_par_send(par, 0, &nrest, sizeof nrest);
    for (uint64_t i = 0; i < nrest; i++) {
        const struct cel_captured *chunk = par->captured.at[p->grant[p->rest[i]].nth];

        cel_par_send(par, 0, &p->rest[i], sizeof p->rest[i]);
        cel_par_send(par, 0, bytes_of(p, chunk), chunk->n);
    }
    return batch.more;
}

/* --- all ------------------------------------------------------------------------------------------ */

static int take_unread(struct cel_placing *p)
{
    size_t most = 1;

    for (size_t i = 0; i < p->n; i++)
        most = p->entry[i].n > most ? (size_t)p->entry[i].n : most;
    p->unread = cel_malloc(most);
    return p->unread ? CEL_OK : NC_ENOMEM;
}

static int lead(struct cel_placing *p, bool *more)
{
    int rc = p->unread ? CEL_OK : take_unread(p);

    cel_lock(&p->var->array->lock);
    rc = lead_batch(p, rc, more);
    cel_unlock(&p->var->array->lock);
    return rc;
}

int cel_par_place(struct cel_placing *p)
{
    struct cel_par *par = p->ds->par;
    bool more = true;
    int rc = CEL_OK;

    if (par->rank)
        cel_par_peer_open(p->ds);
    gather_entries(p);
    if (par->link->error)
        rc = cel_par_fail_cut_off(par->link);
    while (rc == CEL_OK && more) {
        if (par->rank == 0)
            rc = lead(p, &more);
        else
            more = follow_batch(p);
        rc = cel_par_share(par, rc);
    }
    cel_par_captured_free(par);
    return rc;
}
