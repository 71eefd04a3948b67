/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STORE_H
#define CEL_STORE_H

/* Keys and bytes, in a directory, a zip archive, memory, an S3 bucket or on a web server. Keys are segments
 * joined by '/'; no segment is empty, "." or "..", or starts with
 * ".cellar-tmp-". Any thread may make any call; readers see a value as it was
 * before or after a put, never in between. */

#include "buf.h"
#include "file.h"
#include "source.h"
#include <stdbool.h>
#include <stdint.h>

struct cel_store;

/* --- opening --------------------------------------------------------- */
enum cel_store_mode { CEL_STORE_READ, CEL_STORE_WRITE, CEL_STORE_CREATE, CEL_STORE_REPLACE };

/* READ and WRITE: it must be there. CREATE: it must not (NC_EEXIST). REPLACE:
 * what was there goes away (directory: at once; zip: at close). */
int cel_store_open_dir(const char *path, enum cel_store_mode mode, struct cel_store **out);
int cel_store_open_zip(const char *path, enum cel_store_mode mode, struct cel_store **out);
int cel_store_open_memory(struct cel_store **out);
int cel_store_open_refs(const char *path, enum cel_store_mode mode, struct cel_store **out); /* READ only */

/* Over the network: http and https READ only, s3 and gs in every mode; s3: an https URL is one of S3, https://host/bucket/key. No
 * fragment. READ and WRITE ask the server nothing. */
int cel_store_open_url(const char *url, bool s3, enum cel_store_mode mode, struct cel_store **out);
int cel_store_open_http(const char *url, enum cel_store_mode mode, struct cel_store **out);
int cel_store_open_s3(const char *url, enum cel_store_mode mode, struct cel_store **out);

/* A value as a file (source.h). The store is the source's from now on, also when it fails. CEL_ABSENT: there is none. */
int cel_source_of_key(struct cel_store *store, const char *key, struct cel_source **out);
int cel_source_of_url(const char *url, bool s3, struct cel_source **out);

/* A zip archive on a server, read by ranges; s3 as above. On S3 it can be written, too: it is made on this machine and put
 * whole at a sync and at close, on condition that what is there is still what was read. source: NULL, or where the archive's
 * bytes may be open already, which are the store's from then on. CEL_ABSENT, of READ and WRITE: there is none. */
int cel_store_open_zip_url(const char *url, bool s3, enum cel_store_mode mode, struct cel_source **source,
                           struct cel_store **out);
uint64_t cel_store_archive_bytes(const struct cel_store *s); /* of a zip archive; 0: it is none, or there is none yet */

int cel_store_remove_dir(const char *path); /* the folder and all in it */

/* Finish: a zip archive gets its directory and takes the place of the old one.
 * The store is freed, whatever the answer. NULL is fine. */
int cel_store_close(struct cel_store *s);

/* Drop what was not finished: a zip archive stays as it was, and a store that
 * this process created is removed. The store is freed. */
void cel_store_abandon(struct cel_store *s);

/* From now on every key is meant below this prefix ("name/"); "" for the root. */
int cel_store_set_prefix(struct cel_store *s, const char *prefix);

/* --- verbs: CEL_ABSENT when there is no such key ------------------------ */
/* out->len becomes the size. A value of more than out->max bytes is an error before memory is asked for. */
int cel_store_get(struct cel_store *s, const char *key, struct cel_buf *out);
int cel_store_get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n,
                        void *dst); /* NC_EIO if shorter */
int cel_store_size(struct cel_store *s, const char *key, uint64_t *size);
int cel_store_put(struct cel_store *s, const char *key, const void *data, size_t n); /* whole value, at once */
/* The same, of a value that nothing read elsewhere depends on: it may still be under way, and who asks this store for the key
 * gets it. Where it failed cel_store_sync and cel_store_close do, until it could be put, or the key was put anew. */
int cel_store_put_behind(struct cel_store *s, const char *key, const void *data, size_t n);
/* The same, of a document, which tells of values: it starts once those that were put behind before it are there. Other documents
 * may be under way with it. */
int cel_store_put_document(struct cel_store *s, const char *key, const void *data, size_t n);
int cel_store_erase(struct cel_store *s, const char *key);

/* A mark tells the value a key has now from every other it had or will have, so that
 * parts of a value read at different times are known to belong together. A key that is
 * absent has one too. */
struct cel_store_mark {
    bool known;
    uint64_t word[6];
};
#define CEL_STALE 3 /* the value is no longer the marked one; no text is set */
int cel_store_stat(struct cel_store *s, const char *key, struct cel_store_mark *mark,
                   uint64_t *size); /* CEL_ABSENT: *size is 0 */
int cel_store_get_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                           size_t n, void *dst);
/* Only while the value is the marked one (CEL_STALE). Where a lock keeps other writers out, the caller has it, and
 * nothing is compared. */
int cel_store_put_if(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data,
                     size_t n);
/* The same; *now becomes the mark of what was put, or one that is not known where the store does not tell. mark NULL: whatever is
 * there. */
int cel_store_put_marked(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data,
                         size_t n, struct cel_store_mark *now);
/* This value, or that range of it, will be read soon: it may be fetched ahead, several at a time. Only a hint. False: the
 * store has no use for any. */
bool cel_store_want(struct cel_store *s, const char *key);
bool cel_store_want_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                             size_t n);

/* The same of several ranges, which a server may send with one answer. */
void cel_store_want_ranges_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark,
                              const struct cel_range *range, size_t nranges);

/* On a server: each request takes as long as thousands of bytes do. Hints are of use there. */
bool cel_store_is_remote(const struct cel_store *s);

/* While a store is opened, by the thread that opens it: this document will be read, perhaps more than once, or asked for its
 * size. It is fetched ahead and answered from memory until cel_store_settle. Only a hint. */
void cel_store_want_document(struct cel_store *s, const char *key);
void cel_store_settle(struct cel_store *s);

/* The first *n bytes, or all where there are fewer (*n becomes that), with what stat tells; of a server in one request. */
int cel_store_get_first(struct cel_store *s, const char *key, void *dst, size_t *n, struct cel_store_mark *mark,
                        uint64_t *size);
bool cel_store_mark_same(const struct cel_store_mark *a, const struct cel_store_mark *b);

/* A draft is a value that is not complete yet. Its parts are written in any order and by any
 * thread; then it replaces a key's value in one step. No file stays open between
 * calls, so there may be any number of drafts. */
struct cel_draft;
bool cel_store_has_drafts(const struct cel_store *s);
int cel_draft_make(struct cel_store *s, struct cel_draft **out);
int cel_draft_write(struct cel_draft *d, uint64_t offset, const struct cel_bytes *part,
                    size_t n); /* one after the other */
int cel_draft_read(struct cel_draft *d, uint64_t offset, size_t n, void *dst);
int cel_draft_put(struct cel_draft *d, const char *key); /* frees the draft, if it goes well */
void cel_draft_drop(struct cel_draft *d);                /* frees it; NULL is fine */

/* The names right below a prefix ("" or "a/b"), sorted: keys, and prefixes of
 * longer keys. The visitor must not call the store; an answer other than CEL_OK ends
 * the walk and is given back. */
typedef int cel_store_visit(void *context, const char *name, bool is_prefix);
bool cel_store_has_lists(const struct cel_store *s); /* not of a web server: listing fails */
int cel_store_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context);

/* Keep other processes and threads that ask for this lock out: alone, for a short
 * read-change-write of a value; together, for replacing values whole, which must not
 * fall between another's read and write but may go on side by side. *lock is for
 * cel_store_unlock; -1 where one writer is all there can be. */
enum cel_store_lock { CEL_LOCK_EXCLUSIVE, CEL_LOCK_SHARED };
int cel_store_lock(struct cel_store *s, enum cel_store_lock how, int *lock);
void cel_store_unlock(int lock);

/* What was put or erased so far survives the end of the process and, where CELLAR_FSYNC=1 was set
 * as the store was opened, a power cut. */
int cel_store_sync(struct cel_store *s);
const char *cel_store_path(const struct cel_store *s);

#endif
