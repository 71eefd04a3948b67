/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STORE_ZIP_INT_H
#define CEL_STORE_ZIP_INT_H

/* Inside the zip store: the archive's records and what its files share.
 *
 *   local header      30  PK\3\4, version, flags, method, time, date, crc32, sizes, name and extra length
 *   central entry     46  PK\1\2, ... and the offset of the local header
 *   zip64 end         56  PK\6\6   } only when a count, size or offset
 *   zip64 locator     20  PK\6\7   } needs more than 16 or 32 bits
 *   end of directory  22  PK\5\6, counts, size and offset of the directory, comment */

#include "beside.h"
#include "keys.h"
#include "store_int.h"
#include "thread.h"

enum { LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, ZIP64_ID = 1 };
enum { METHOD_STORED = 0, METHOD_DEFLATED = 8 };
#define DIRECTORY_MAX ((size_t)1 << 31)

struct zip_entry {
    bool in_scratch; /* in the scratch file; else in the archive */
    uint64_t offset; /* of the local header */
    uint32_t header; /* its bytes, with name and extra fields; 0: to be read there */
    uint32_t crc;
    uint64_t packed, size;
    uint16_t method, flags;
};

struct zip {
    struct cel_store store;
    struct cel_mutex lock; /* all below */
    struct cel_cond idle;
    size_t users;    /* calls that read entries or write values, without the lock ... */
    bool publishing; /* ... and must wait now: offsets are changing */
    struct cel_keys keys;
    struct cel_beside beside;
    struct cel_source *source;     /* the archive on a server; NULL: it is a file, or there is none yet */
    struct cel_zip_remote *remote; /* on a server, where the archive is put (store_zip_url.c); NULL: beside `beside` */
    int archive;                   /* fd, -1: none yet, or on a server */
    uint64_t archive_size;
    uint64_t entries_end; /* the archive is ours, and its directory begins here; 0: it is not */
    uint64_t dead;        /* bytes of it that no key leads to any more */
    bool in_order;        /* its entries are in the order of keys, and none is dead */
    int scratch;          /* fd, -1: not writing */
    char *scratch_path;
    uint64_t scratch_end;
    bool changed; /* since the archive was written */
    bool flush;   /* CELLAR_FSYNC */
    pid_t owner;  /* a forked child leaves the scratch file alone */
};

static inline struct zip *zip_of(struct cel_store *s)
{
    return (struct zip *)s;
}

static inline bool cel_zip_has_archive(const struct zip *z)
{
    return z->archive >= 0 || z->source;
}

/* Between these two no offset changes. */
void cel_zip_begin(struct zip *z);
void cel_zip_end(struct zip *z);

/* store_zip.c: a store without an archive, of a path or of what an error calls it. */
int cel_zip_make(const char *path, enum cel_store_mode mode, const struct cel_store_ops *kind, struct zip **out);
int cel_zip_open_scratch(struct zip *z);
extern const struct cel_store_ops cel_zip_remote_ops;

/* store_zip_read.c */
int cel_zip_load_directory(struct zip *z);
/* Replaces; under the lock once the store is open. */
int cel_zip_add_entry(struct zip *z, const char *name, const struct zip_entry *e);
int cel_zip_data_offset(struct zip *z, const char *key, const struct zip_entry *e, uint64_t *out);
int cel_zip_read_at(int fd, const char *what, uint64_t offset, void *dst, size_t n);
int cel_zip_read_archive(struct zip *z, const char *what, uint64_t offset, void *dst, size_t n);
int cel_zip_get(struct cel_store *s, const char *key, struct cel_buf *out);
int cel_zip_get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst);
int cel_zip_size(struct cel_store *s, const char *key, uint64_t *out);
void cel_zip_want(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset, size_t n);
int cel_zip_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context);

/* store_zip_write.c: the archive's records. */
struct zip_output {
    int fd;
    const char *path;
    uint64_t at;
    struct cel_buf directory;
    uint64_t count;
};
enum { LOCAL_EXTRA = 20 }; /* bytes of a local header's extra field, where there is one */
int cel_zip_put(struct cel_store *s, const char *key, const void *data, size_t n);
int cel_zip_erase(struct cel_store *s, const char *key);
int cel_zip_copy(struct zip_output *o, int from, uint64_t offset, uint64_t n);
int cel_zip_emit_local(struct zip_output *o, const char *name, const struct zip_entry *e);
int cel_zip_note(struct zip_output *o, const char *name, const struct zip_entry *e,
                 uint64_t local_at); /* for the directory */
int cel_zip_emit_directory(struct zip_output *o);

/* store_zip_publish.c: the whole archive. */
int cel_zip_sync(struct cel_store *s);
int cel_zip_finish(struct cel_store *s);

/* store_zip_url.c: an archive on a server. */
int cel_zip_fetch(struct zip *z);                      /* all of it, to this machine */
int cel_zip_upload(struct zip *z, int fd, uint64_t n); /* the new one */
void cel_zip_withdraw(struct zip *z);                  /* what was put to claim the name */
void cel_zip_remote_free(struct cel_zip_remote *remote);

#endif
