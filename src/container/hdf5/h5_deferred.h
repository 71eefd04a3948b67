#ifndef CEL_H5_DEFERRED_H
#define CEL_H5_DEFERRED_H

/* What was written to a file and is not in it: bytes that would overwrite what the last sync answers for, held
 * back until the next one, and bytes that the disk did not take, to be tried again. All who have the
 * file open in this process share one of these. docs/durability.md says what follows for users. */

#include "h5_overlay.h"
#include "thread.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From here on the next chance to write them out is taken. */
#define CEL_H5_DEFERRED_MAX ((size_t)64 << 20)
#define CEL_H5_DEFERRED_BLOCKS_MAX 16384

struct cel_h5_missing { /* bytes the disk did not take */
    uint64_t at;
    size_t n;
    bool gone;  /* and nobody has them any more */
    char *what; /* "v: chunk (3,0)"; NULL: the file's own structure */
};

struct cel_h5_deferred {
    struct cel_h5_deferred *next; /* of the process; this and refs under its lock */
    int refs;
    dev_t dev;
    ino_t ino;
    pid_t owner;
    atomic_bool written; /* somebody has it open for writing, or had */

    struct cel_mutex lock; /* guards the rest */
    struct cel_cond quiet;
    int moving;     /* calls whose placed chunks are on their way */
    int waiting;    /* calls that want none to be */
    bool exclusive; /* one of them works */

    struct cel_h5_overlay overlay;
    uint64_t synced;     /* bytes of the file that the last sync answers for */
    uint64_t end;        /* length libhdf5 gives the file */
    unsigned turns;      /* times that bytes went from here to the file */
    size_t acknowledged; /* bytes of placed chunks that are held back when they come */
    unsigned faults;     /* writes that failed so far ... */
    int fault;           /* ... and errno of the last */
    struct cel_h5_missing *missing;
    size_t nmissing, missing_cap;
    bool unnoted;      /* one that failed is not among them */
    bool renew_folder; /* the file is new: its folder's entry goes to the disk with the next fsync */
    char *journal;     /* name of the journal; NULL: none can be made */
};

int cel_h5_deferred_get(int fd, struct cel_h5_deferred **out); /* the file's, shared with who has it already */
bool cel_h5_deferred_is_full(struct cel_h5_deferred *h);
bool cel_h5_deferred_is_shared(const struct cel_h5_deferred *h);
void cel_h5_deferred_release(struct cel_h5_deferred *h);

/* errno, or 0. in_place: the same bytes of the same object lay here at the last sync, and parts of them may be new.
 * What fails is kept to be tried again, while there is room. */
int cel_h5_deferred_write(struct cel_h5_deferred *h, int fd, uint64_t at, const void *bytes, size_t n, bool in_place);
int cel_h5_deferred_read(struct cel_h5_deferred *h, int fd, uint64_t at, void *bytes, size_t n, size_t *moved);
/* Name what could not be written; what was written elsewhere since is missing no more. */
void cel_h5_deferred_name(struct cel_h5_deferred *h, uint64_t at, size_t n, const char *what);
void cel_h5_deferred_found(struct cel_h5_deferred *h, const char *what);

/* Around the time between placing chunks and writing their bytes. */
void cel_h5_deferred_begin(struct cel_h5_deferred *h);
void cel_h5_deferred_end(struct cel_h5_deferred *h);
/* With no chunk of anybody on its way, and none placed until cel_h5_deferred_resume(). */
void cel_h5_deferred_pause(struct cel_h5_deferred *h);
void cel_h5_deferred_resume(struct cel_h5_deferred *h);

/* --- h5_commit.c: everything held back to the file ------------------------------- */

/* libhdf5 has flushed, and nobody moves. A failure leaves the file as of the last sync. */
int cel_h5_commit(struct cel_h5_deferred *h, int fd);
/* What a sync that was cut short left beside the file: completed, or read over it. */
int cel_h5_start_anew(struct cel_h5_deferred *h, const char *path); /* a file just created: no older journal counts */
int cel_h5_recover(struct cel_h5_deferred *h, int fd, const char *path, bool writable);

#endif
