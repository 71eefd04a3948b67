/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything deferred goes to the file, so that a process killed at any moment leaves the last sync or this one.
 *
 * The problem: the blocks of the overlay (h5_deferred.c) overwrite the last sync's bytes in many places, and no system
 * writes many places at once.
 *
 * The idea is a redo journal beside the file (h5_journal.c), made in this order:
 *
 *     step                                      killed after it, the file is
 *     1  blocks behind `synced`, the length     the last sync; new bytes lie behind its end
 *     2  fsync                                  the same, now also after a power cut
 *     3  the journal: all blocks, old and new   this sync: the journal counts, whoever opens the file finds it
 *     4  all blocks into the file               this sync, part in the file and all in the journal
 *     5  the file is cut, if it became shorter  this sync
 *     6  fsync                                  the same
 *     7  the journal is removed                 this sync, in the file alone
 *
 * (fsync with CELLAR_FSYNC=1 only.) Steps 3 to 7 are left out when nothing of the last sync is overwritten: so for a
 * file that was never synced, which has nothing to lose.
 *
 * Why it is right: before step 3 nothing below `synced` has changed. A journal counts as a whole or not at all (its
 * sum), so step 3 is the one moment in which the last sync becomes this one. From then on steps 4 and 5 may be repeated
 * as often as needed: they write the same bytes. From step 3 on `synced` is the new end, as the journal speaks of those
 * bytes; a commit that failed in step 4 leaves its journal, and the next one replaces it with a journal of all blocks
 * since. The blocks stay in the overlay until step 7, for those who read meanwhile.
 *
 * What it costs: what is overwritten is read once and written three times (old and new bytes to the journal, new ones
 * to the file); new chunks are written once. The overlay is mostly metadata.
 *
 * What would break it: chunks on their way to the file, so callers wait for them (cel_h5_deferred_pause); metadata that
 * libhdf5 has not flushed; a folder in which no journal can be made: there step 4 follows step 2, and a kill
 * within it does what it does to other libraries' files. */
#include "disk.h"
#include "file.h"
#include "h5_int.h"
#include "h5_journal.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what failed ------------------------------------------------------------------------ */

static const struct cel_h5_failed *first_failed(const struct cel_h5_deferred *h, bool lost_only)
{
    const struct cel_h5_failed *first = NULL;

    for (size_t i = 0; i < h->nfailed; i++)
        if ((h->failed[i].lost || !lost_only) && (!first || (!first->what && h->failed[i].what)))
            first = &h->failed[i];
    return first;
}

static int fail(const struct cel_h5_deferred *h, int e)
{
    const struct cel_h5_failed *m = first_failed(h, false);
    int rc = cel_fail(e == ENOMEM ? NC_ENOMEM : NC_EHDFERR, "%s; the file is as the last nc_sync left it", strerror(e));

    return cel_fail_in(rc, "%s could not be written", m && m->what ? m->what : "the file's structure");
}

/* --- steps: errno, or 0 ------------------------------------------------------------------- */

static uint64_t end_of(const struct cel_h5_block *b)
{
    return b->at + b->n;
}

static int write_all(int fd, const struct cel_h5_block *b, size_t from)
{
    assert(from <= b->n);
    return cel_file_write(fd, b->at + from, b->bytes + from, b->n - from);
}

static int length_of(int fd, uint64_t *out)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return errno;
    *out = (uint64_t)st.st_size;
    return 0;
}

/* Blocks behind the end: libhdf5 has given up that part of the file. */
static int drop_beyond(struct cel_h5_deferred *h)
{
    int e;

    cel_lock(&h->lock);
    e = cel_h5_overlay_drop(&h->overlay, h->end, (size_t)(SIZE_MAX / 2 - h->end));
    cel_unlock(&h->lock);
    return e;
}

/* errno of a write whose bytes nobody has any more: nothing may be committed without them. */
static int find_lost(const struct cel_h5_deferred *h)
{
    return h->lost_unlisted || first_failed(h, true) ? h->fault : 0;
}

/* Step 1. Blocks behind `synced` are writes that failed before. */
static int write_new(struct cel_h5_deferred *h, int fd, uint64_t *length)
{
    int e = length_of(fd, length);

    if (!e && *length < h->end) {
        e = ftruncate(fd, (off_t)h->end) != 0 ? errno : 0;
        *length = h->end;
    }
    for (size_t i = h->overlay.n; !e && i-- > 0;) {
        const struct cel_h5_block *b = &h->overlay.block[i];
        uint64_t from = b->at < h->synced ? h->synced : b->at;

        if (from >= end_of(b))
            break;
        e = write_all(fd, b, (size_t)(from - b->at));
    }
    return e;
}

/* Steps 4 to 6. */
static int write_changed(struct cel_h5_deferred *h, int fd, uint64_t length)
{
    int e = 0;

    for (size_t i = 0; !e && i < h->overlay.n; i++)
        e = write_all(fd, &h->overlay.block[i], 0);
    if (!e && h->end < length && ftruncate(fd, (off_t)h->end) != 0)
        e = errno;
    return e ? e : cel_disk_sync(fd);
}

/* Steps 3 to 7. */
static int overwrite(struct cel_h5_deferred *h, int fd, uint64_t length)
{
    int e = cel_h5_journal_write(h->journal, fd, length, h->end, &h->overlay);
    bool bare = e == CEL_H5_NO_JOURNAL;

    e = bare ? 0 : e;
    if (!e && !bare)
        h->synced = h->end; /* the journal counts */
    if (!e)
        e = write_changed(h, fd, length);
    return e || bare ? e : cel_h5_journal_remove(h->journal);
}

/* Is a byte of the last sync to be overwritten? */
static bool has_changes(const struct cel_h5_deferred *h)
{
    return h->overlay.n && h->overlay.block[0].at < h->synced;
}

static int sync_folder(struct cel_h5_deferred *h)
{
    int e = h->sync_folder && h->journal ? cel_disk_sync_folder(h->journal) : 0;

    h->sync_folder = h->sync_folder && e;
    return e;
}

static void finish(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    while (h->nfailed)
        free(h->failed[--h->nfailed].what);
    h->synced = h->end;
    h->expected = 0;
    cel_h5_overlay_clear(&h->overlay);
    h->generation++;
    cel_unlock(&h->lock);
}

int cel_h5_commit(struct cel_h5_deferred *h, int fd)
{
    uint64_t length = 0;
    int e = find_lost(h);

    assert(h->owner == getpid());
    if (h->unsound)
        return cel_fail(NC_ENOMEM, "libhdf5 ran out of memory within a change of definitions; the file is as the last "
                                   "nc_sync left it: close it, and open it again");
    if (!e)
        e = drop_beyond(h);
    assert(e || !h->overlay.n || end_of(&h->overlay.block[h->overlay.n - 1]) <= h->end);
    if (!e)
        e = write_new(h, fd, &length);
    if (!e)
        e = cel_disk_sync(fd);
    if (!e && (has_changes(h) || h->end < length))
        e = overwrite(h, fd, length);
    if (!e)
        e = sync_folder(h);
    if (e)
        return fail(h, e);
    finish(h);
    return CEL_OK;
}

/* --- after a commit that was cut short ------------------------------------------------------ */

static int complete(struct cel_h5_deferred *h, int fd, uint64_t length)
{
    uint64_t now;
    int e = length_of(fd, &now);

    h->end = length;
    if (!e)
        e = write_changed(h, fd, now);
    if (e)
        return e;
    cel_h5_overlay_clear(&h->overlay);
    h->synced = length;
    return 0;
}

int cel_h5_recover(struct cel_h5_deferred *h, int fd, const char *path, bool writable)
{
    char *name = cel_h5_journal_name(path, writable);
    uint64_t length;
    int e = name ? cel_h5_journal_read(name, fd, &h->overlay, &length) : 0;

    if (!e && name && writable && h->overlay.n)
        e = complete(h, fd, length);
    else if (!e && name)
        h->end = length;
    if (!e && name && writable)
        e = cel_h5_journal_remove(name);
    if (e)
        cel_fail(NC_EHDFERR, "%s holds the rest of the last nc_sync and cannot be used: %s", name, strerror(e));
    free(h->journal);
    h->journal = name;
    return e ? NC_EHDFERR : CEL_OK;
}

int cel_h5_commit_new_file(struct cel_h5_deferred *h, const char *path)
{
    int e;

    free(h->journal);
    h->journal = cel_h5_journal_name(path, true);
    h->sync_folder = true;
    e = h->journal ? cel_h5_journal_remove(h->journal) : 0;
    return e ? cel_fail(NC_EHDFERR, "%s cannot be removed: %s", h->journal, strerror(e)) : CEL_OK;
}
