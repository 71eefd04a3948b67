/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes that wait for the next sync.
 *
 * The problem: libhdf5 overwrites its metadata in place and gives the space of a chunk that moved to another at once. A
 * process killed between two such writes leaves a file that is half old and half new, and often one that nobody opens.
 *
 * The idea: nothing that the last sync guarantees is overwritten before the next sync. A write there goes to memory, as
 * a block of an overlay, and reads see the overlay on top of the file. Bytes behind the end of the last sync belong to
 * nobody yet and are written at once: new chunks, the bulk of the data, cost no memory.
 *
 *     offset 0                                synced                    end
 *     file     |== as of the last sync ==========|== new since then =====|
 *     overlay      [block]     [block] [block]        [block]
 *                  will be overwritten                refused by the disk:
 *                  by the next sync                   tried again by the next sync
 *
 * A write that crosses `synced` is cut there. One exception: bytes of an unfiltered chunk, or of contiguous data, that
 * lay at the same offset at the last sync (in_place) are overwritten at once. Torn, they are old and new values side by
 * side, which is what a put without a sync promises. That must not pass over a deferred block, which would win later: so
 * where the overlay has bytes of the range already, the write is deferred all the same.
 *
 * A write that fails is never an error to libhdf5, which would keep the file half closed and crash at exit. Its bytes
 * become a block behind `synced`, reads find them there, and the next sync tries again. If there is no memory for the
 * block either, the bytes are lost, and every sync fails until the same data has been written again (or for good, if
 * there was no memory to list the failure).
 *
 * Why it is right: the file below `synced` changes only in h5_commit.c, in_place writes apart (asserted in
 * cel_h5_deferred_write). What a reader gets is the file with the overlay on top. A commit moves blocks from the one to
 * the other, and a reader could miss a block in both: it would read the file before, the overlay after. So each
 * commit counts up `generation`, and a read that spans one is done again.
 *
 * What it costs: memory for what is overwritten, up to CEL_H5_DEFERRED_MAX bytes or CEL_H5_DEFERRED_BLOCKS_MAX blocks,
 * then a flush; a binary search for each read of a file that is open for writing. A file that is only read has an
 * overlay only where a journal lies beside it, and that does not change: no lock is taken.
 *
 * What would break it: two descriptions of one file in this process. They are found by device and inode number, and
 * shared; another process is kept out by the file lock that libhdf5 takes, too. */
#include "h5_deferred.h"
#include "fork.h"
#include "file.h"
#include "mem.h"
#include "status.h"
#include <assert.h>
#include <errno.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAILED_MAX = 4096, FIRST_SLOTS = 64 };

static struct cel_mutex files = CEL_MUTEX_INIT; /* guards the table of files */
static struct cel_h5_deferred *first_slots[FIRST_SLOTS], **slot = first_slots;
static size_t nslots = FIRST_SLOTS, nfiles; /* as many slots as files, about, where there is memory for them */

CEL_FORK_LOCK(CEL_FORK_FILES, &files, false, NULL);

/* --- one for each file -------------------------------------------------------------------- */

static struct cel_h5_deferred **slot_of(ino_t ino)
{
    return &slot[(uint64_t)ino * 0x9e3779b97f4a7c15u >> 32 & (nslots - 1)];
}

static void add(struct cel_h5_deferred *h)
{
    struct cel_h5_deferred **at = slot_of(h->ino);

    h->next = *at;
    *at = h;
}

static void grow(void)
{
    struct cel_h5_deferred **old = slot, **more = cel_calloc(nslots, 2 * sizeof *more), *next;
    size_t n = nslots;

    if (!more)
        return;
    slot = more;
    nslots *= 2;
    for (size_t i = 0; i < n; i++)
        for (struct cel_h5_deferred *h = old[i]; h; h = next) {
            next = h->next;
            add(h);
        }
    if (old != first_slots)
        free(old);
}

static struct cel_h5_deferred *find(const struct stat *st)
{
    struct cel_h5_deferred *h = *slot_of(st->st_ino);

    while (h && (h->dev != st->st_dev || h->ino != st->st_ino || h->owner != getpid()))
        h = h->next;
    return h;
}

static void take_out(const struct cel_h5_deferred *h)
{
    struct cel_h5_deferred **at = slot_of(h->ino);

    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    nfiles--;
}

static struct cel_h5_deferred *make(const struct stat *st)
{
    struct cel_h5_deferred *h = cel_calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->dev = st->st_dev;
    h->ino = st->st_ino;
    h->owner = getpid();
    h->end = h->synced = (uint64_t)st->st_size;
    cel_mutex_init(&h->lock);
    cel_cond_init(&h->changed);
    if (nfiles++ >= nslots)
        grow();
    add(h);
    return h;
}

int cel_h5_deferred_get(int fd, struct cel_h5_deferred **out)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cel_fail(NC_ECANTREAD, "the file cannot be examined: %s", strerror(errno));
    cel_lock(&files);
    *out = find(&st);
    if (!*out)
        *out = make(&st);
    if (*out)
        (*out)->refs++;
    cel_unlock(&files);
    return *out ? CEL_OK : NC_ENOMEM;
}

bool cel_h5_deferred_is_full(struct cel_h5_deferred *h)
{
    bool full;

    cel_lock(&h->lock);
    full = h->expected > CEL_H5_DEFERRED_MAX || h->overlay.nbytes > CEL_H5_DEFERRED_MAX ||
           h->overlay.n > CEL_H5_DEFERRED_BLOCKS_MAX;
    cel_unlock(&h->lock);
    return full;
}

void cel_h5_deferred_set_unsound(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    h->unsound = h->synced > 0;
    cel_unlock(&h->lock);
}

bool cel_h5_deferred_is_shared(const struct cel_h5_deferred *h)
{
    bool shared;

    cel_lock(&files);
    shared = h->refs > 1;
    cel_unlock(&files);
    return shared;
}

static void dispose(struct cel_h5_deferred *h)
{
    for (size_t i = 0; i < h->nfailed; i++)
        free(h->failed[i].what);
    free(h->failed);
    cel_h5_overlay_clear(&h->overlay);
    cel_mutex_dispose(&h->lock);
    cel_cond_dispose(&h->changed);
    free(h->journal);
    free(h);
}

void cel_h5_deferred_release(struct cel_h5_deferred *h)
{
    bool last;

    cel_lock(&files);
    assert(h->refs > 0);
    last = --h->refs == 0;
    if (last)
        take_out(h);
    cel_unlock(&files);
    if (last)
        dispose(h);
}

/* --- failed writes, under the lock -------------------------------------------------------- */

static void note_failed(struct cel_h5_deferred *h, uint64_t at, size_t n, bool lost)
{
    if (h->nfailed == h->failed_cap) {
        size_t cap = h->failed_cap ? h->failed_cap * 2 : 16;
        struct cel_h5_failed *more = cap <= FAILED_MAX ? cel_realloc(h->failed, cap, sizeof *more) : NULL;

        if (!more) {
            h->lost_unlisted = h->lost_unlisted || lost;
            return;
        }
        h->failed = more;
        h->failed_cap = cap;
    }
    h->failed[h->nfailed++] = (struct cel_h5_failed){at, n, lost, NULL};
}

static void forget(struct cel_h5_deferred *h, size_t i)
{
    free(h->failed[i].what);
    h->failed[i] = h->failed[--h->nfailed];
}

static void forget_within(struct cel_h5_deferred *h, uint64_t at, size_t n)
{
    for (size_t i = h->nfailed; i-- > 0;)
        if (h->failed[i].at >= at && h->failed[i].at + h->failed[i].n <= at + n)
            forget(h, i);
}

void cel_h5_deferred_name_failed(struct cel_h5_deferred *h, uint64_t at, size_t n, const char *what)
{
    cel_lock(&h->lock);
    for (size_t i = 0; i < h->nfailed; i++)
        if (!h->failed[i].what && h->failed[i].at >= at && h->failed[i].at + h->failed[i].n <= at + n)
            h->failed[i].what = cel_strdup(what);
    cel_unlock(&h->lock);
}

void cel_h5_deferred_forget_failed(struct cel_h5_deferred *h, const char *what)
{
    cel_lock(&h->lock);
    for (size_t i = h->nfailed; i-- > 0;)
        if (h->failed[i].what && strcmp(h->failed[i].what, what) == 0)
            forget(h, i);
    cel_unlock(&h->lock);
}

/* --- writing and reading ------------------------------------------------------------------- */

/* Under the lock. What cannot be kept is lost. */
static int keep(struct cel_h5_deferred *h, uint64_t at, const void *bytes, size_t n)
{
    int e = cel_h5_overlay_put(&h->overlay, at, bytes, n);

    if (!e)
        return 0;
    h->faults++;
    h->fault = e;
    forget_within(h, at, n);
    note_failed(h, at, n, true);
    return e;
}

static int defer(struct cel_h5_deferred *h, uint64_t at, const void *bytes, size_t n)
{
    int e;

    cel_lock(&h->lock);
    e = keep(h, at, bytes, n);
    if (!e && h->nfailed)
        forget_within(h, at, n);
    cel_unlock(&h->lock);
    return e;
}

/* To the file, and out of the overlay. Where there is no memory to cut a hole into a block, the block is given the same
 * bytes as the file. */
static int write_through(struct cel_h5_deferred *h, int fd, uint64_t at, const void *bytes, size_t n)
{
    int e = cel_file_write(fd, at, bytes, n);

    cel_lock(&h->lock);
    if (e) {
        forget_within(h, at, n);
        if (keep(h, at, bytes, n) == 0)
            note_failed(h, at, n, false);
        h->faults++;
        h->fault = e;
    } else {
        forget_within(h, at, n);
        e = cel_h5_overlay_drop(&h->overlay, at, n);
        if (e)
            e = cel_h5_overlay_put(&h->overlay, at, bytes, n);
    }
    cel_unlock(&h->lock);
    return e;
}

/* The first `old` bytes lie below `synced`. */
int cel_h5_deferred_write(struct cel_h5_deferred *h, int fd, uint64_t at, const void *bytes, size_t n, bool in_place)
{
    size_t old = at >= h->synced ? 0 : h->synced - at < n ? (size_t)(h->synced - at) : n;
    int e = 0, e2 = 0;

    if (old && in_place) {
        cel_lock(&h->lock);
        old = cel_h5_overlay_touches(&h->overlay, at, old) ? old : 0;
        cel_unlock(&h->lock);
    }
    assert(in_place || at + old >= h->synced || old == n); /* what is written at once is not of the last sync */
    if (old)
        e = defer(h, at, bytes, old);
    if (n > old)
        e2 = write_through(h, fd, at + old, (const char *)bytes + old, n - old);
    return e ? e : e2;
}

bool cel_h5_deferred_is_free(struct cel_h5_deferred *h, uint64_t at, size_t n, bool in_place)
{
    bool free;

    cel_lock(&h->lock);
    free = (in_place || at >= h->synced) && !h->nfailed && !h->lost_unlisted &&
           !cel_h5_overlay_touches(&h->overlay, at, n);
    cel_unlock(&h->lock);
    return free;
}

static unsigned generation_of(struct cel_h5_deferred *h)
{
    unsigned generation;

    cel_lock(&h->lock);
    generation = h->generation;
    cel_unlock(&h->lock);
    return generation;
}

static void patch(const struct cel_h5_deferred *h, uint64_t at, void *bytes, size_t n, size_t *moved)
{
    size_t reach;

    if (!h->overlay.n)
        return;
    memset((char *)bytes + *moved, 0, n - *moved);
    reach = cel_h5_overlay_patch(&h->overlay, at, bytes, n);
    *moved = *moved > reach ? *moved : reach;
}

/* Once more when a commit emptied the overlay between the two steps. */
static int read_shared(struct cel_h5_deferred *h, int fd, uint64_t at, void *bytes, size_t n, size_t *moved)
{
    unsigned before;
    bool again;
    int e;

    do {
        before = generation_of(h);
        e = cel_file_read(fd, at, bytes, n, moved);
        cel_lock(&h->lock);
        again = before != h->generation;
        patch(h, at, bytes, n, moved);
        cel_unlock(&h->lock);
    } while (again && !e);
    return e;
}

int cel_h5_deferred_read(struct cel_h5_deferred *h, int fd, uint64_t at, void *bytes, size_t n, size_t *moved)
{
    int e;

    if (atomic_load(&h->written))
        return read_shared(h, fd, at, bytes, n, moved);
    e = cel_file_read(fd, at, bytes, n, moved);
    patch(h, at, bytes, n, moved);
    return e;
}

/* --- writers and syncs ------------------------------------------------------------------------------- */

void cel_h5_deferred_begin(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    while (h->waiting || h->exclusive)
        cel_cond_wait(&h->changed, &h->lock);
    h->writers++;
    cel_unlock(&h->lock);
}

void cel_h5_deferred_end(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    assert(h->writers > 0 && !h->exclusive);
    if (--h->writers == 0)
        cel_cond_wake_all(&h->changed);
    cel_unlock(&h->lock);
}

void cel_h5_deferred_pause(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    h->waiting++;
    while (h->writers || h->exclusive)
        cel_cond_wait(&h->changed, &h->lock);
    h->waiting--;
    h->exclusive = true;
    cel_unlock(&h->lock);
}

void cel_h5_deferred_resume(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    assert(h->exclusive && h->writers == 0);
    h->exclusive = false;
    cel_cond_wake_all(&h->changed);
    cel_unlock(&h->lock);
}
