/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STORE_DIR_INT_H
#define CEL_STORE_DIR_INT_H

/* Inside the store in a directory: its verbs (store_dir.c), opening and closing it
 * (store_dir_open.c), what lies in a folder (store_dir_list.c), temporary files
 * (store_dir_tmp.c), drafts (store_dir_draft.c), the lock of processes that change one
 * value (store_dir_lock.c), and making all of it last (store_dir_sync.c). */

#include "store_int.h"
#include "thread.h"
#include "vec.h"
#include <sys/stat.h>

struct directory {
    struct cel_store store;
    int fd;                 /* of the root; every path is relative to it */
    bool follow;            /* symbolic links that lead out of the store, too */
    bool flush;             /* what is put is to survive a power cut once it is synchronised */
    _Atomic bool locked;    /* the lock of processes was taken */
    mode_t mode;            /* of new folders, and without the x bits of new files: no wider than the root's */
    _Atomic uint64_t stats; /* calls of stat so far */
    struct cel_mutex lock;  /* guards all below */
    struct cel_vec touched; /* char *: keys put or erased since the last sync, when they are to be flushed */
    char tmp[CEL_TMP_NAME]; /* the folder for this writer's temporary files; "": none yet */
    int tmp_fd;             /* the folder; its number stays when the folder is made anew */
    int tmp_lock;           /* held while this writer lives */
    pid_t tmp_owner;        /* a forked child leaves its parent's alone */
    unsigned serial;
};

static inline struct directory *directory_of(struct cel_store *s)
{
    return (struct directory *)s;
}

/* A temporary file is known by its number in the writer's folder. */
struct cel_dir_tmp {
    char name[16];
};

int cel_dir_make_temporary(struct directory *d, struct cel_dir_tmp *tmp, int *fd);
int cel_dir_open_temporary(struct directory *d, const struct cel_dir_tmp *tmp, int flags, int *fd);
void cel_dir_drop_temporary(struct directory *d, const struct cel_dir_tmp *tmp);
void cel_dir_remove_left(struct directory *d);        /* by writers that died */
void cel_dir_remove_temporaries(struct directory *d); /* of this writer, and the folder */

int cel_dir_open(struct directory *d, const char *path, int flags, int *fd); /* CEL_ABSENT: it is not there */
int cel_dir_rename(struct directory *d, const struct cel_dir_tmp *tmp,
                   const char *key); /* makes the folders above the key */
int cel_dir_read(int fd, const char *what, uint64_t offset, char *dst, size_t n);
int cel_dir_write(int fd, const char *what, uint64_t offset, const struct cel_bytes *part, size_t n);

int cel_dir_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context);

#define CEL_DIR_LOCK CEL_TMP_PREFIX "lock"
int cel_dir_lock(struct cel_store *s, enum cel_store_lock how, int *fd);
void cel_dir_remove_lock(struct directory *d); /* unless somebody has it */

extern const struct cel_store_ops cel_dir_ops;
extern const struct cel_draft_ops cel_dir_drafts;

int cel_dir_touch(struct directory *d, const char *key); /* before it is put or erased */
int cel_dir_sync(struct cel_store *s);
void cel_dir_forget(struct directory *d);

/* store_dir_open.c */
int cel_dir_finish(struct cel_store *s);
void cel_dir_abandon(struct cel_store *s);
void cel_dir_free(struct cel_store *s);

#endif
