/* SPDX-License-Identifier: BSD-3-Clause */
/* Files flushed and closed, and the time between the allocation of chunks and the writing of their bytes.
 *
 * A sync must find the bytes of every chunk that libhdf5's metadata speaks of. So calls that allocate chunks stand
 * between cel_h5_chunk_io_begin() and _end(), a sync waits until none does, and none begins until it is done. */
#include "h5_int.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- while chunks are written ------------------------------------------------------------ */

void cel_h5_chunk_io_begin(struct cel_dataset *ds)
{
    const struct cel_h5_io *io = cel_h5_file(ds)->io;

    if (cel_h5_io_defers(io))
        cel_h5_deferred_begin(io->deferred);
    cel_h5_row_begin();
}

void cel_h5_chunk_io_end(struct cel_dataset *ds)
{
    const struct cel_h5_io *io = cel_h5_file(ds)->io;

    cel_h5_row_end();
    if (cel_h5_io_defers(io))
        cel_h5_deferred_end(io->deferred);
}

bool cel_h5_is_full(struct cel_dataset *ds)
{
    struct cel_h5_deferred *h = cel_h5_file(ds)->io->deferred;

    return h && cel_h5_deferred_is_full(h);
}

/* Until resume_chunks(): no chunk of anybody in this process is on its way to the file. */
static bool pause_chunks(const struct cel_h5_file *f)
{
    bool paused = cel_h5_io_defers(f->io);

    if (paused)
        cel_h5_deferred_pause(f->io->deferred);
    return paused;
}

static void resume_chunks(const struct cel_h5_file *f, bool paused)
{
    if (paused)
        cel_h5_deferred_resume(f->io->deferred);
}

/* --- flushing ------------------------------------------------------------------------------- */

static int flush_file(struct cel_dataset *ds)
{
    struct cel_h5_file *f = cel_h5_file(ds);

    if (H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0)
        return cel_h5_fail(NC_EHDFERR, "%s could not be flushed", ds->path);
    return cel_h5_io_commit(f->io);
}

static int sync_file(struct cel_dataset *ds)
{
    int rc = ds->writable ? cel_h5_extend_coordinates(ds) : CEL_OK;

    if (rc == CEL_OK)
        rc = flush_file(ds);
    return rc == CEL_OK && ds->writable ? cel_h5_others_flush(ds) : rc;
}

/* Inside libhdf5, with no chunk on its way. */
static int run_alone(struct cel_dataset *ds, int (*step)(struct cel_dataset *ds))
{
    struct cel_h5_file *f = cel_h5_file(ds);
    struct cel_h5_entry entry;
    bool paused = pause_chunks(f);
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc == CEL_OK) {
        rc = step(ds);
        cel_h5_synced_forget(ds);
        cel_h5_leave(&entry);
    }
    resume_chunks(f, paused);
    return rc;
}

int cel_h5_sync(struct cel_dataset *ds)
{
    return run_alone(ds, sync_file);
}

int cel_h5_flush_deferred(struct cel_dataset *ds)
{
    return run_alone(ds, flush_file);
}

/* --- closing -------------------------------------------------------------------------------- */

/* libhdf5 keeps a file that it cannot finish half open: its lock is let go, or others could not open the file until
 * the process ends. A commit that failed is tried once more, as no later sync will. */
static int close_inside(struct cel_h5_file *f)
{
    int rc = CEL_OK;

    cel_h5_privs_free(f->ds);
    if (f->string_type >= 0)
        H5Tclose(f->string_type);
    f->io->closing = true;
    if (f->id >= 0 && H5Fclose(f->id) < 0) {
        rc = cel_h5_fail(NC_EHDFERR, "the file could not be finished");
        cel_h5_io_unlock(f->io);
    }
    f->io->closing = false;
    if (rc == CEL_OK && f->io->write_error)
        rc = cel_fail(NC_EHDFERR, "the file could not be finished: %s", strerror(f->io->write_error));
    if (rc == CEL_OK && f->id >= 0 && (rc = cel_h5_io_commit(f->io)) != CEL_OK)
        rc = cel_h5_io_commit(f->io);
    return rc == CEL_OK && f->id >= 0 ? cel_h5_others_failed() : rc;
}

/* The lock is not taken for a file that libhdf5 never opened: it may not even be started. */
int cel_h5_file_drop(struct cel_h5_file *f)
{
    struct cel_h5_entry entry;
    bool inside = f->id >= 0 || f->string_type >= 0, paused = pause_chunks(f);
    int rc = inside ? cel_h5_enter(&entry) : CEL_OK;

    f->ds->container = NULL;
    if (rc == CEL_OK) {
        rc = close_inside(f);
        if (inside)
            cel_h5_leave(&entry);
    }
    resume_chunks(f, paused);
    return rc;
}

static int extend_last(struct cel_dataset *ds)
{
    struct cel_h5_entry entry;
    int rc;

    if (!ds->writable || cel_h5_io_is_parents(cel_h5_file(ds)->io))
        return CEL_OK;
    rc = cel_h5_enter(&entry);
    if (rc != CEL_OK)
        return rc;
    rc = cel_h5_extend_coordinates(ds);
    cel_h5_leave(&entry);
    return rc;
}

static void give_away(struct cel_h5_io *io, struct cel_memory *memory)
{
    memory->data = io->data;
    memory->size = (size_t)io->eof;
    io->data = NULL;
    io->cap = 0;
    io->eof = 0;
}

/* A file in memory goes to whoever closes it, or to the disk. */
static int hand_out(struct cel_h5_file *f, const char *path, struct cel_memory *memory)
{
    if (!memory || f->io->fd >= 0)
        return f->persist ? cel_h5_io_write_out(f->io, path) : CEL_OK;
    give_away(f->io, memory);
    return CEL_OK;
}

int cel_h5_close(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    int rc = f && keep ? extend_last(ds) : CEL_OK, rc2, e;

    if (!f)
        return CEL_OK;
    rc2 = cel_h5_file_drop(f);
    rc = rc == CEL_OK ? rc2 : rc;
    if (keep && rc == CEL_OK)
        rc = hand_out(f, ds->path, memory);
    if (!keep && f->made)
        unlink(ds->path);
    cel_h5_outsides_free(f);
    e = cel_h5_io_release(f->io);
    if (e && rc == CEL_OK)
        rc = cel_fail(NC_EHDFERR, "%s could not be closed: %s", ds->path, strerror(e));
    cel_h5r_reader_free(f->reader);
    cel_source_close(f->cache);
    free(f);
    return rc;
}
