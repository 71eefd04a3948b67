/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STORE_INT_H
#define CEL_STORE_INT_H

#include "store.h"
#include "temporary.h"
#include <stdatomic.h>

/* The head of each kind's drafts. */
struct cel_draft {
    struct cel_store *store;
};
struct cel_draft_ops {
    int (*make)(struct cel_store *s, struct cel_draft **out);
    int (*write)(struct cel_draft *d, uint64_t offset, const struct cel_bytes *part, size_t n);
    int (*read)(struct cel_draft *d, uint64_t offset, size_t n, void *dst);
    int (*put)(struct cel_draft *d, const char *key); /* frees d, if it goes well */
    void (*drop)(struct cel_draft *d);
};

/* What each kind of store provides. Keys arrive checked and with the prefix. */
struct cel_store_ops {
    const char *name;
    int (*get)(struct cel_store *s, const char *key, struct cel_buf *out);
    int (*get_range)(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst);
    int (*size)(struct cel_store *s, const char *key, uint64_t *size);
    /* NULL, both: only this process writes, and callers see to it that values stay as they are. */
    int (*stat)(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size);
    int (*get_range_of)(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                        size_t n, void *dst);
    /* It will be read soon: with n SIZE_MAX whole, else that range of the marked value. NULL: no use for it. */
    void (*want)(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset, size_t n);
    void (*want_ranges)(struct cel_store *s, const char *key, const struct cel_store_mark *mark,
                        const struct cel_range *range, size_t nranges); /* NULL: one by one */
    void (*want_document)(struct cel_store *s, const char *key);        /* NULL, both: no use for it */
    void (*settle)(struct cel_store *s);
    /* NULL: stat and get_range do it. */
    int (*get_first)(struct cel_store *s, const char *key, void *dst, size_t *n, struct cel_store_mark *mark,
                     uint64_t *size);
    /* NULL, both: opened for reading only. */
    int (*put)(struct cel_store *s, const char *key, const void *data, size_t n);
    int (*erase)(struct cel_store *s, const char *key);
    int (*put_behind)(struct cel_store *s, const char *key, const void *data, size_t n); /* NULL, both: put does it */
    int (*put_document)(struct cel_store *s, const char *key, const void *data, size_t n);
    /* NULL: a lock keeps other writers out, or there are none. */
    int (*put_if)(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data, size_t n,
                  struct cel_store_mark *now);
    /* NULL: such stores do not tell what lies in them. */
    int (*list)(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context);
    int (*lock)(struct cel_store *s, enum cel_store_lock how, int *fd); /* NULL: one writer only */
    int (*sync)(struct cel_store *s);                                   /* NULL: nothing to do */
    const struct cel_draft_ops *draft;                                  /* NULL: values are put whole only */
    int (*finish)(struct cel_store *s);                                 /* NULL, both: nothing to do */
    void (*abandon)(struct cel_store *s);
    void (*free)(struct cel_store *s); /* after finish or abandon */
};

struct cel_store {
    const struct cel_store_ops *ops;
    char *path;
    char *prefix; /* "" or "name/" */
    bool writable;
    bool created; /* by this process */
};

/* What an errno says of doing something ("read") to a file or key; the second takes errno itself. */
int cel_store_error(int error, const char *doing, const char *what);
int cel_store_failure(const char *doing, const char *what);

/* Parts of a key that no store has: "", ".", "..", temporary names, and any with a backslash. */
bool cel_store_part_is_legal(const char *part, size_t len);

/* How many bytes a value has is known: is that more than `out` may hold? */
int cel_store_check_size(const char *key, uint64_t size, const struct cel_buf *out);

/* The folder of a URL with its query, and the name in it, decoded where the URL is. CEL_ABSENT: it names no file. */
int cel_store_split_url(const char *url, char **folder, struct cel_buf *name);

/* The mark of the value that a source is made of. */
const struct cel_store_mark *cel_source_mark(const struct cel_source *source);

int cel_store_init(struct cel_store *s, const struct cel_store_ops *ops, const char *path, enum cel_store_mode mode);

#endif
