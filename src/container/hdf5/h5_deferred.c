/* Bytes written to a file that are not in it. Where the last sync's bytes lie nothing is overwritten before the next:
 * neither libhdf5's own blocks, nor chunks that it puts where another lay. So a process that is killed leaves the file
 * as the last sync left it. Behind the end of the last sync everything is written at once.
 *
 * A write that fails is never an error to libhdf5, which would keep the file half closed and crash at exit: its
 * bytes are kept here, reads find them, and the next sync tries again. */
#include "h5_deferred.h"
#include "fork.h"
#include "file.h"
#include "mem.h"
#include "status.h"
#include <errno.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MISSING_MAX = 4096 };

static struct cel_mutex files = CEL_MUTEX_INIT;
static struct cel_h5_deferred *all; /* under `files` */

CEL_FORK_LOCK(CEL_FORK_FILES, &files, false, NULL);

/* --- one for a file -------------------------------------------------------------------- */

static struct cel_h5_deferred *find(const struct stat *st)
{
    struct cel_h5_deferred *h = all;

    while (h && (h->dev != st->st_dev || h->ino != st->st_ino || h->owner != getpid()))
        h = h->next;
    return h;
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
    cel_cond_init(&h->quiet);
    h->next = all;
    all = h;
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
    full = h->acknowledged > CEL_H5_DEFERRED_MAX || h->overlay.nbytes > CEL_H5_DEFERRED_MAX ||
           h->overlay.n > CEL_H5_DEFERRED_BLOCKS_MAX;
    cel_unlock(&h->lock);
    return full;
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
    for (size_t i = 0; i < h->nmissing; i++)
        free(h->missing[i].what);
    free(h->missing);
    cel_h5_overlay_clear(&h->overlay);
    cel_mutex_dispose(&h->lock);
    cel_cond_dispose(&h->quiet);
    free(h->journal);
    free(h);
}

void cel_h5_deferred_release(struct cel_h5_deferred *h)
{
    struct cel_h5_deferred **at = &all;
    bool last;

    cel_lock(&files);
    last = --h->refs == 0;
    while (last && *at != h)
        at = &(*at)->next;
    if (last)
        *at = h->next;
    cel_unlock(&files);
    if (last)
        dispose(h);
}

/* --- what is missing, under the lock ----------------------------------------------------- */

static void note_missing(struct cel_h5_deferred *h, uint64_t at, size_t n, bool gone)
{
    if (h->nmissing == h->missing_cap) {
        size_t cap = h->missing_cap ? h->missing_cap * 2 : 16;
        struct cel_h5_missing *more = cap <= MISSING_MAX ? cel_realloc(h->missing, cap, sizeof *more) : NULL;

        if (!more) {
            h->unnoted = h->unnoted || gone;
            return;
        }
        h->missing = more;
        h->missing_cap = cap;
    }
    h->missing[h->nmissing++] = (struct cel_h5_missing){at, n, gone, NULL};
}

static void forget(struct cel_h5_deferred *h, size_t i)
{
    free(h->missing[i].what);
    h->missing[i] = h->missing[--h->nmissing];
}

static void forget_within(struct cel_h5_deferred *h, uint64_t at, size_t n)
{
    for (size_t i = h->nmissing; i-- > 0;)
        if (h->missing[i].at >= at && h->missing[i].at + h->missing[i].n <= at + n)
            forget(h, i);
}

void cel_h5_deferred_name(struct cel_h5_deferred *h, uint64_t at, size_t n, const char *what)
{
    cel_lock(&h->lock);
    for (size_t i = 0; i < h->nmissing; i++)
        if (!h->missing[i].what && h->missing[i].at >= at && h->missing[i].at + h->missing[i].n <= at + n)
            h->missing[i].what = cel_strdup(what);
    cel_unlock(&h->lock);
}

void cel_h5_deferred_found(struct cel_h5_deferred *h, const char *what)
{
    cel_lock(&h->lock);
    for (size_t i = h->nmissing; i-- > 0;)
        if (h->missing[i].what && strcmp(h->missing[i].what, what) == 0)
            forget(h, i);
    cel_unlock(&h->lock);
}

/* --- writing and reading ------------------------------------------------------------------- */

/* Under the lock. */
static int keep(struct cel_h5_deferred *h, uint64_t at, const void *bytes, size_t n)
{
    int e = cel_h5_overlay_put(&h->overlay, at, bytes, n);

    if (!e)
        return 0;
    h->faults++;
    h->fault = e;
    forget_within(h, at, n);
    note_missing(h, at, n, true);
    return e;
}

static int hold(struct cel_h5_deferred *h, uint64_t at, const void *bytes, size_t n)
{
    int e;

    cel_lock(&h->lock);
    e = keep(h, at, bytes, n);
    if (!e && h->nmissing)
        forget_within(h, at, n);
    cel_unlock(&h->lock);
    return e;
}

static int write_through(struct cel_h5_deferred *h, int fd, uint64_t at, const void *bytes, size_t n)
{
    int e = cel_file_write(fd, at, bytes, n);

    cel_lock(&h->lock);
    if (e) {
        forget_within(h, at, n);
        if (keep(h, at, bytes, n) == 0)
            note_missing(h, at, n, false);
        h->faults++;
        h->fault = e;
    } else {
        forget_within(h, at, n);
        e = cel_h5_overlay_drop(&h->overlay, at, n);
        if (e) /* no memory to split the block around it: then it says the same as the file */
            e = cel_h5_overlay_put(&h->overlay, at, bytes, n);
    }
    cel_unlock(&h->lock);
    return e;
}

int cel_h5_deferred_write(struct cel_h5_deferred *h, int fd, uint64_t at, const void *bytes, size_t n, bool in_place)
{
    size_t old = at >= h->synced ? 0 : h->synced - at < n ? (size_t)(h->synced - at) : n;
    int e = 0, e2 = 0;

    if (old && in_place) {
        cel_lock(&h->lock);
        old = cel_h5_overlay_touches(&h->overlay, at, old) ? old : 0;
        cel_unlock(&h->lock);
    }
    if (old)
        e = hold(h, at, bytes, old);
    if (n > old)
        e2 = write_through(h, fd, at + old, (const char *)bytes + old, n - old);
    return e ? e : e2;
}

static unsigned turns_of(struct cel_h5_deferred *h)
{
    unsigned turns;

    cel_lock(&h->lock);
    turns = h->turns;
    cel_unlock(&h->lock);
    return turns;
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

/* Once more when bytes went from here to the file in between. */
static int read_written(struct cel_h5_deferred *h, int fd, uint64_t at, void *bytes, size_t n, size_t *moved)
{
    unsigned turn;
    bool again;
    int e;

    do {
        turn = turns_of(h);
        e = cel_file_read(fd, at, bytes, n, moved);
        cel_lock(&h->lock);
        again = turn != h->turns;
        patch(h, at, bytes, n, moved);
        cel_unlock(&h->lock);
    } while (again && !e);
    return e;
}

int cel_h5_deferred_read(struct cel_h5_deferred *h, int fd, uint64_t at, void *bytes, size_t n, size_t *moved)
{
    int e;

    if (atomic_load(&h->written))
        return read_written(h, fd, at, bytes, n, moved);
    e = cel_file_read(fd, at, bytes, n, moved);
    patch(h, at, bytes, n, moved);
    return e;
}

/* --- turns ------------------------------------------------------------------------------- */

void cel_h5_deferred_begin(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    while (h->waiting || h->exclusive)
        cel_cond_wait(&h->quiet, &h->lock);
    h->moving++;
    cel_unlock(&h->lock);
}

void cel_h5_deferred_end(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    if (--h->moving == 0)
        cel_cond_wake_all(&h->quiet);
    cel_unlock(&h->lock);
}

void cel_h5_deferred_pause(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    h->waiting++;
    while (h->moving || h->exclusive)
        cel_cond_wait(&h->quiet, &h->lock);
    h->waiting--;
    h->exclusive = true;
    cel_unlock(&h->lock);
}

void cel_h5_deferred_resume(struct cel_h5_deferred *h)
{
    cel_lock(&h->lock);
    h->exclusive = false;
    cel_cond_wake_all(&h->quiet);
    cel_unlock(&h->lock);
}
