#ifndef CEL_STORE_DIR_INT_H
#define CEL_STORE_DIR_INT_H

/* Inside the store in a directory: its verbs (store_dir.c), its drafts
 * (store_dir_draft.c), and making all of it last (store_dir_sync.c). */

#include "store_int.h"
#include "thread.h"
#include "vec.h"

#define CEL_TMP_NAME 64

struct directory {
    struct cel_store store;
    int fd; /* of the root; every path is relative to it */
    _Atomic unsigned serial;
    _Atomic uint64_t looks;
    struct cel_mutex lock;  /* guards all below */
    struct cel_vec touched; /* char *: keys put or erased since the last sync ... */
    bool much;              /* ... or too many to be counted */
};

static inline struct directory *directory_of(struct cel_store *s)
{
    return (struct directory *)s;
}

int cel_dir_make_temporary(struct directory *d, char name[CEL_TMP_NAME], int *fd);
int cel_dir_rename(struct directory *d, const char *tmp, const char *key); /* makes the folders above the key */
int cel_dir_read(int fd, const char *what, uint64_t offset, char *dst, size_t n);
int cel_dir_write(int fd, const char *what, uint64_t offset, const struct cel_bytes *part, size_t n);

extern const struct cel_draft_ops cel_dir_drafts;

void cel_dir_touch(struct directory *d, const char *key);
int cel_dir_sync(struct cel_store *s);
void cel_dir_forget(struct directory *d);

#endif
