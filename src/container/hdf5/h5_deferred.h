/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_DEFERRED_H
#define CEL_H5_DEFERRED_H

/* Bytes written to a file that are not in it yet: those that would overwrite a byte of the last sync, and those that
 * the disk refused. All who have the file open in this process share one of these. h5_deferred.c says why;
 * docs/durability.md says what follows for users. */

#include "h5_overlay.h"
#include "thread.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* With more than this deferred, cel_h5_flush_deferred() is called at the next opportunity. */
#define CEL_H5_DEFERRED_MAX ((size_t)64 << 20)
#define CEL_H5_DEFERRED_BLOCKS_MAX 16384

struct cel_h5_failed { /* a write that the disk refused */
    uint64_t at;
    size_t n;
    bool lost;  /* there was no memory to keep its bytes */
    char *what; /* "v: chunk (3,0)"; NULL: the file's own structure */
};

struct cel_h5_deferred {
    /* the file: constant, but for next and refs, which the lock of the list guards */
    struct cel_h5_deferred *next;
    int refs;
    dev_t dev;
    ino_t ino;
    pid_t owner;
    atomic_bool written;   /* somebody has it open for writing, or had */
    struct cel_mutex lock; /* guards the rest */

    /* chunks between allocation and writing, against syncs */
    struct cel_cond changed; /* one of these three has */
    int writers;             /* calls that have allocated chunks and not written them all */
    int waiting;             /* syncs that wait for writers to become 0 */
    bool exclusive;          /* a sync works */

    /* the bytes */
    struct cel_h5_overlay overlay; /* where they will lie */
    uint64_t synced;               /* the last sync guarantees the bytes below */
    uint64_t end;                  /* length libhdf5 gives the file */
    unsigned generation;           /* of the overlay: grows when its bytes have gone to the file */
    size_t expected;               /* bytes of allocated chunks that will be deferred when they are written */

    /* what the disk refused */
    unsigned faults; /* writes that failed so far ... */
    int fault;       /* ... and errno of the last */
    struct cel_h5_failed *failed;
    size_t nfailed, failed_cap;
    bool lost_unlisted; /* one is lost and not listed, for want of memory */

    /* the next sync */
    bool unsound;     /* libhdf5 changed the file's structure in part, for want of memory: there is none */
    bool sync_folder; /* the file is new: its folder's entry goes to the disk, too */
    char *journal;    /* name of the journal; NULL: none can be made */
};

int cel_h5_deferred_get(int fd, struct cel_h5_deferred **out); /* the file's, shared with who has it already */
bool cel_h5_deferred_is_full(struct cel_h5_deferred *h);
bool cel_h5_deferred_is_shared(const struct cel_h5_deferred *h);
void cel_h5_deferred_release(struct cel_h5_deferred *h);

/* errno, or 0. in_place: the same bytes of the same object lay here at the last sync, and parts of them may be new.
 * What fails is kept to be tried again, while there is memory. */
int cel_h5_deferred_write(struct cel_h5_deferred *h, int fd, uint64_t at, const void *bytes, size_t n, bool in_place);
int cel_h5_deferred_read(struct cel_h5_deferred *h, int fd, uint64_t at, void *bytes, size_t n, size_t *moved);
/* Would these bytes go to the file at once, and is nothing kept or missing that they replace? */
bool cel_h5_deferred_is_free(struct cel_h5_deferred *h, uint64_t at, size_t n, bool in_place);
/* Name the failed writes within a range; forget those of a name, as the data has been written elsewhere since. */
void cel_h5_deferred_name_failed(struct cel_h5_deferred *h, uint64_t at, size_t n, const char *what);
void cel_h5_deferred_forget_failed(struct cel_h5_deferred *h, const char *what);

/* What libhdf5 holds of the file is not to be believed: the file stays as of the last sync, if there was one. */
void cel_h5_deferred_set_unsound(struct cel_h5_deferred *h);

/* Around the time between allocating chunks and writing their bytes. */
void cel_h5_deferred_begin(struct cel_h5_deferred *h);
void cel_h5_deferred_end(struct cel_h5_deferred *h);
/* Waits until nobody is between begin and end; nobody begins until cel_h5_deferred_resume(). */
void cel_h5_deferred_pause(struct cel_h5_deferred *h);
void cel_h5_deferred_resume(struct cel_h5_deferred *h);

/* --- h5_commit.c: everything deferred goes to the file ---------------------------- */

/* libhdf5 has flushed, and no chunk is on its way. After a failure the file, with its journal, is as of
 * the last sync or of this one. */
int cel_h5_commit(struct cel_h5_deferred *h, int fd);
int cel_h5_commit_new_file(struct cel_h5_deferred *h, const char *path); /* just created: no older journal counts */
/* A commit that was cut short is completed (writable) or laid over the file for reading. */
int cel_h5_recover(struct cel_h5_deferred *h, int fd, const char *path, bool writable);

#endif
