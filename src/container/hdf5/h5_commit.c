/* Everything held back goes to the file, in an order that can be cut short anywhere: bytes behind the end of the last
 * sync first, then the journal (what is to be overwritten), then the file itself, then the journal goes. A file that has
 * never been synced has nothing to lose and needs none. */
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

static const struct cel_h5_missing *first_missing(const struct cel_h5_deferred *h, bool gone_only)
{
    const struct cel_h5_missing *first = NULL;

    for (size_t i = 0; i < h->nmissing; i++)
        if ((h->missing[i].gone || !gone_only) && (!first || (!first->what && h->missing[i].what)))
            first = &h->missing[i];
    return first;
}

static int fail(const struct cel_h5_deferred *h, int e)
{
    const struct cel_h5_missing *m = first_missing(h, false);
    int rc = cel_fail(e == ENOMEM ? NC_ENOMEM : NC_EHDFERR, "%s; the file is as the last nc_sync left it", strerror(e));

    return cel_fail_in(rc, "%s could not be written", m && m->what ? m->what : "the file's structure");
}

/* --- steps: errno, or 0 ------------------------------------------------------------------- */

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

/* What libhdf5 has given up at the end of the file. */
static int drop_beyond(struct cel_h5_deferred *h)
{
    int e;

    cel_lock(&h->lock);
    e = cel_h5_overlay_drop(&h->overlay, h->end, (size_t)(SIZE_MAX / 2 - h->end));
    cel_unlock(&h->lock);
    return e;
}

/* Nobody has these bytes any more: the file stays as it is. */
static int gone(const struct cel_h5_deferred *h)
{
    return h->unnoted || first_missing(h, true) ? h->fault : 0;
}

/* Blocks that failed before, and the length: nobody has looked there yet. They stay in the overlay until all is
 * there, for those who read meanwhile. */
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

        if (from >= b->at + b->n)
            break;
        e = write_all(fd, b, (size_t)(from - b->at));
    }
    return e;
}

static int write_changed(struct cel_h5_deferred *h, int fd, uint64_t length)
{
    int e = 0;

    for (size_t i = 0; !e && i < h->overlay.n; i++)
        e = write_all(fd, &h->overlay.block[i], 0);
    if (!e && h->end < length && ftruncate(fd, (off_t)h->end) != 0)
        e = errno;
    return e ? e : cel_disk_sync(fd);
}

static int overwrite(struct cel_h5_deferred *h, int fd, uint64_t length)
{
    int e = cel_h5_journal_write(h->journal, fd, length, h->end, &h->overlay);
    bool bare = e == CEL_H5_NO_JOURNAL;

    e = bare ? 0 : e;
    if (!e && !bare)
        h->synced = h->end; /* the journal counts: from now on what it speaks of must stay */
    if (!e)
        e = write_changed(h, fd, length);
    return e || bare ? e : cel_h5_journal_remove(h->journal);
}

/* Is anything below the end of the last sync to be overwritten? */
static bool has_changes(const struct cel_h5_deferred *h)
{
    return h->overlay.n && h->overlay.block[0].at < h->synced;
}

static int renew_folder(struct cel_h5_deferred *h)
{
    int e = h->renew_folder && h->journal ? cel_disk_sync_folder(h->journal) : 0;

    h->renew_folder = h->renew_folder && e;
    return e;
}

static void all_is_there(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    while (h->nmissing)
        free(h->missing[--h->nmissing].what);
    h->synced = h->end;
    h->acknowledged = 0;
    cel_h5_overlay_clear(&h->overlay);
    h->turns++;
    cel_unlock(&h->lock);
}

int cel_h5_commit(struct cel_h5_deferred *h, int fd)
{
    uint64_t length = 0;
    int e = gone(h);

    if (!e)
        e = drop_beyond(h);
    if (!e)
        e = write_new(h, fd, &length);
    if (!e)
        e = cel_disk_sync(fd);
    if (!e && (has_changes(h) || h->end < length))
        e = overwrite(h, fd, length);
    if (!e)
        e = renew_folder(h);
    if (e)
        return fail(h, e);
    all_is_there(h);
    return CEL_OK;
}

/* --- after a sync that was cut short -------------------------------------------------------- */

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

int cel_h5_start_anew(struct cel_h5_deferred *h, const char *path)
{
    int e;

    free(h->journal);
    h->journal = cel_h5_journal_name(path, true);
    h->renew_folder = true;
    e = h->journal ? cel_h5_journal_remove(h->journal) : 0;
    return e ? cel_fail(NC_EHDFERR, "%s cannot be removed: %s", h->journal, strerror(e)) : CEL_OK;
}
