/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks: found and allocated by libhdf5 while the driver captures their address (h5_driver.c), moved by us.
 *
 *     write: cel_h5_chunk_allocate()  HDF5 lock, calling thread   cel_h5_chunk_write()  no lock, any thread
 *     read:  cel_h5_chunk_find()      the same, or no libhdf5     cel_h5_chunk_read()   no lock, any thread
 *
 * The rules libhdf5 leaves to its callers, each learnt the hard way:
 *   a chunk is allocated only inside the extent (an extent of 0 crashes libhdf5, and
 *     beyond it an orphan is made); without filters only with its exact size;
 *   a chunk rewritten with its old size keeps its old filter mask on disk, so with
 *     another mask it is first given another size;
 *   right after a masked write libhdf5 forgets that mask, so we remember the masks
 *     of this session, and reopen the dataset before libhdf5 reads it itself;
 *   space of a chunk that moved is given to others at once, so what would overwrite bytes of the last sync is deferred
 *     (h5_deferred.c), unless it is the same chunk without filters: torn, that is still old and new values;
 *   a chunk that is not found is unwritten only if libhdf5's innermost error says exactly that:
 *     any other error is damage. */
#include "h5_int.h"
#include <assert.h>
#include <stdio.h>

/* --- where a chunk is -------------------------------------------------------------------- */

/* Its first element, and whether that lies inside the array. */
static bool origin(const struct cel_var *var, const size_t *index, hsize_t *out)
{
    bool inside = true;
    int d;

    for (d = 0; d < var->ndims; d++) {
        inside = inside && index[d] <= SIZE_MAX / var->layout.chunk[d] &&
                 index[d] * var->layout.chunk[d] < var->layout.extent[d];
        out[d] = (hsize_t)index[d] * var->layout.chunk[d];
    }
    return inside;
}

static bool at_the_edge(const struct cel_var *var, const hsize_t *first)
{
    int d;

    for (d = 0; d < var->ndims; d++)
        if (first[d] + var->layout.chunk[d] > var->layout.extent[d])
            return true;
    return false;
}

static int find(struct cel_var *var, const size_t *index, struct cel_chunk_location *out)
{
    static char buffer; /* never filled: the driver captures the transfer */
    struct cel_h5_var *v = var->priv;
    hsize_t first[CEL_RANK_MAX];
    herr_t ok;

    if (!origin(var, index, first))
        return CEL_ABSENT;
    cel_h5_capture_start(&buffer);
    ok = H5Dread_chunk(v->id, H5P_DEFAULT, first, &out->skipped, &buffer);
    if (!cel_h5_capture_stop(&out->address, &out->nbytes) || ok < 0)
        return ok < 0 && cel_h5_chunk_missing() ? CEL_ABSENT : cel_h5_fail(NC_EHDFERR, "it cannot be found");
    cel_h5_masks_find(&v->masks, index, var->ndims, &out->skipped);
    if (v->raw_edges && at_the_edge(var, first))
        out->skipped = UINT32_MAX;
    return CEL_OK;
}

static int fail_chunk(int rc, const struct cel_var *var, const size_t *index)
{
    cel_fail_in_chunk(rc, index, var->ndims);
    return cel_fail_in_var(rc, var);
}

/* A file nobody writes has no masks of this session. */
static int find_directly(const struct cel_var *var, const size_t *index, struct cel_chunk_location *out)
{
    const struct cel_h5_var *v = var->priv;
    hsize_t first[CEL_RANK_MAX];
    int rc;

    if (!v->index)
        return CEL_ASK_LIBHDF5;
    if (!origin(var, index, first))
        return CEL_ABSENT;
    rc = cel_h5r_index_find(v->index, index, out);
    if (rc == CEL_OK && v->raw_edges && at_the_edge(var, first))
        out->skipped = UINT32_MAX;
    return rc;
}

int cel_h5_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out)
{
    struct cel_h5_entry entry;
    int rc = find_directly(var, index, out);

    if (rc != CEL_ASK_LIBHDF5)
        return rc < 0 ? fail_chunk(rc, var, index) : rc;
    rc = cel_h5_enter_var(var, &entry);
    if (rc != CEL_OK)
        return rc;
    rc = find(var, index, out);
    cel_h5_leave(&entry);
    return rc < 0 ? fail_chunk(rc, var, index) : rc;
}

/* What libhdf5 alone can tell is asked for chunk by chunk. */
int cel_h5_chunk_next(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index)
{
    const struct cel_h5_var *v = var->priv;
    int rc = v->index ? cel_h5r_index_next(v->index, n, index) : CEL_ASK_LIBHDF5;

    (void)ds;
    return rc == CEL_ASK_LIBHDF5 ? CEL_OK : rc < 0 ? fail_chunk(rc, var, index) : rc;
}

/* A size the index claims is believed only as far as the file reaches. */
static int check_location(const struct cel_h5_io *io, const struct cel_chunk_location *at)
{
    if (at->address > io->eof || at->nbytes > io->eof - at->address)
        return cel_fail(NC_EHDFERR, "its %zu bytes at offset %llu lie beyond the end of the file", at->nbytes,
                        (unsigned long long)at->address);
    return CEL_OK;
}

/* On a server; of a local file the system reads ahead by itself. */
bool cel_h5_chunk_want(struct cel_dataset *ds, struct cel_var *var, const size_t *index)
{
    struct cel_h5_io *io = cel_h5_where(cel_h5_file(ds), ((const struct cel_h5_var *)var->priv)->addr).io;
    struct cel_chunk_location at;
    struct cel_status before;

    if (!io->remote)
        return false;
    cel_status_save(&before);
    if (cel_h5_chunk_find(ds, var, index, &at) == CEL_OK && check_location(io, &at) == CEL_OK)
        cel_source_want(io->remote, &(struct cel_range){at.address, at.nbytes}, 1);
    cel_status_restore(&before);
    return true;
}

int cel_h5_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, struct cel_buf *out)
{
    struct cel_h5_io *io = cel_h5_where(cel_h5_file(ds), ((const struct cel_h5_var *)var->priv)->addr).io;
    int rc = io->writable ? CEL_OK : check_location(io, at);

    if (rc == CEL_OK)
        rc = cel_buf_resize(out, at->nbytes);
    if (rc == CEL_OK)
        rc = cel_h5_io_read(io, at->address, out->data, at->nbytes);
    return rc == CEL_OK ? rc : fail_chunk(rc, var, index);
}

/* --- allocating ------------------------------------------------------------------------------------ */

static int allocate_once(struct cel_var *var, const hsize_t *first, const void *encoded, size_t n, uint32_t skipped,
                         struct cel_chunk_location *out)
{
    struct cel_h5_var *v = var->priv;
    herr_t ok;

    cel_h5_capture_start(encoded);
    ok = H5Dwrite_chunk(v->id, H5P_DEFAULT, skipped, first, n, encoded);
    if (!cel_h5_capture_stop(&out->address, &out->nbytes) || ok < 0)
        return cel_h5_fail(NC_EHDFERR, "no room could be made for its %zu bytes", n);
    assert(out->nbytes == n); /* libhdf5 moves a chunk in one piece */
    return CEL_OK;
}

/* Same size, other mask: libhdf5 would keep the old mask on disk. With another size in between it does not. */
static int drop_old_mask(struct cel_var *var, const size_t *index, const hsize_t *first, const void *encoded, size_t n,
                         uint32_t skipped)
{
    struct cel_h5_var *v = var->priv;
    struct cel_chunk_location old;
    int rc;

    if (!v->masked && !skipped)
        return CEL_OK;
    rc = find(var, index, &old);
    if (rc != CEL_OK || old.nbytes != n || old.skipped == skipped)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    return allocate_once(var, first, encoded, n + 1, skipped, &old);
}

/* Where the chunk lies now, if it could be overwritten there. */
static int find_old(struct cel_var *var, const size_t *index, uint64_t *addr)
{
    struct cel_chunk_location old;
    int rc = CEL_ABSENT;

    if (var->chain.n == 0 && cel_h5_io_is_synced(cel_h5_file(var->group->dataset)->io, 0))
        rc = find(var, index, &old);
    *addr = rc == CEL_OK ? old.address : UINT64_MAX;
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static void note_location(struct cel_h5_io *io, uint64_t old, struct cel_chunk_location *at)
{
    at->in_place = at->address == old;
    if (at->in_place || !cel_h5_io_is_synced(io, at->address))
        return;
    cel_lock(&io->deferred->lock);
    io->deferred->expected += at->nbytes;
    cel_unlock(&io->deferred->lock);
}

static int allocate(struct cel_var *var, const size_t *index, const void *encoded, size_t n, uint32_t skipped,
                    struct cel_chunk_location *out)
{
    struct cel_h5_var *v = var->priv;
    hsize_t first[CEL_RANK_MAX];
    uint64_t old;
    int rc;

    assert(!var->layout.unchunked && !v->raw_edges);
    if (!origin(var, index, first))
        return cel_fail(NC_EINVALCOORDS, "it lies outside the array");
    if (var->chain.n == 0 && n != v->chunk_nbytes)
        return cel_fail(NC_EHDFERR, "it has %zu bytes instead of %zu", n, v->chunk_nbytes);
    rc = find_old(var, index, &old);
    if (rc == CEL_OK)
        rc = drop_old_mask(var, index, first, encoded, n, skipped);
    if (rc == CEL_OK)
        rc = allocate_once(var, first, encoded, n, skipped, out);
    if (rc == CEL_OK)
        note_location(cel_h5_file(var->group->dataset)->io, old, out);
    if (rc == CEL_OK)
        rc = cel_h5_masks_put(&v->masks, index, var->ndims, skipped);
    out->skipped = skipped;
    v->stale = v->stale || skipped;
    v->masked = v->masked || skipped;
    return rc;
}

int cel_h5_chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                          size_t n, uint32_t skipped, struct cel_chunk_location *out)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_var(var, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = allocate(var, index, encoded, n, skipped, out);
    cel_h5_leave(&entry);
    return rc == CEL_OK ? rc : fail_chunk(rc, var, index);
}

int cel_h5_chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    struct cel_h5_io *io = cel_h5_file(ds)->io;
    int rc = cel_h5_io_write(io, at->address, encoded, n, at->in_place), e;
    char path[CEL_WHERE_TEXT], chunk[CEL_WHERE_TEXT], what[sizeof path + sizeof chunk];

    if (rc == CEL_OK && !cel_h5_io_faults(io, &e))
        return CEL_OK;
    snprintf(what, sizeof what, "%s: %s", cel_var_path(var, path), cel_chunk_text(index, var->ndims, chunk));
    if (rc == CEL_OK)
        cel_h5_deferred_forget_failed(io->deferred, what);
    else if (io->deferred)
        cel_h5_deferred_name_failed(io->deferred, at->address, n, what);
    return rc == CEL_OK ? rc : fail_chunk(rc, var, index);
}

int cel_h5_chunk_refresh(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;

    if (!v->stale || v->id < 0)
        return CEL_OK;
    H5Dclose(v->id);
    v->id = -1;
    v->stale = false;
    return cel_h5_var_open(var);
}
