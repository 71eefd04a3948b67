/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STORE_REMOTE_INT_H
#define CEL_STORE_REMOTE_INT_H

/* Inside the stores over the network. What HTTP alone gives is in store_remote.c: values read whole and in ranges. S3 adds
 * where a bucket is and who asks (s3_address.c), lists and removes (store_s3.c), writes (s3_put.c), and values in parts (s3_multipart.c). */

#include "credentials.h"
#include "names.h"
#include "net.h"
#include "spares.h"
#include "store_int.h"
#include "thread.h"
#include "vec.h"
#include "xml.h"

/* Where requests go, and in whose name. It changes when credentials end or a bucket turns out to be elsewhere; requests
 * under way keep the older one, so that none is freed before the store is. */
struct cel_target {
    char *base;  /* encoded URL of the bucket, or of what all keys lie below; ends in '/' */
    char *query; /* for every request; "" without */
    struct cel_credentials who;
    char *region; /* S3 only, as the next */
    struct cel_signer signer;
    struct cel_target *older;
};

/* Values and ranges fetched ahead (store_ahead.c). */
struct cel_ahead {
    struct cel_mutex lock; /* guards the list */
    struct cel_ahead_entry *first;
    size_t n;
    unsigned forgotten;    /* how often anything was */
    _Atomic size_t budget; /* bytes that may still be fetched */
    struct cel_spares spares;
};
struct cel_part_of {
    const char *key;
    bool whole; /* else the range */
    uint64_t offset;
    size_t n;
    const struct cel_store_mark *mark; /* of the value that is meant; NULL: any */
    bool kept;                         /* a document: it stays in the list when it was asked for */
};

/* Values that are put while their writer goes on (s3_behind.c). */
struct cel_s3_behind {
    struct cel_mutex lock; /* guards all */
    struct cel_cond landed;
    struct cel_s3_behind_entry *first; /* the oldest */
    size_t nbytes, nfailed;            /* of all; of those that failed */
    _Atomic size_t n;
    _Atomic bool proven; /* this store could put a value */
    struct cel_spares spares;
};

/* Sizes that lists of keys told, of a store that is open for reading (s3_sizes.c). */
struct cel_s3_sizes {
    struct cel_mutex lock; /* guards the others */
    struct cel_names index;
    struct cel_vec all;
};

struct cel_remote {
    struct cel_store store;
    struct cel_ahead ahead;
    struct cel_s3_sizes sizes;
    struct cel_s3_behind behind;
    struct cel_env_settings *settings; /* that it was opened with; NULL: the environment's */
    struct cel_mutex lock;             /* guards the next */
    struct cel_target *target;         /* the newest */
    bool is_s3;
    _Atomic bool one_by_one;        /* the server sends no several ranges with one answer */
    bool pays;                      /* S3: for requests to buckets of others */
    char *endpoint, *bucket, *root; /* S3: "https://host", the bucket, and what stands before each key: "" or "a/b/" */
    bool in_host;                   /* S3: the bucket is part of the host's name */
    bool is_aws;                    /* S3: another region has another host */
    _Atomic bool claimed;           /* S3: the first put of a store that is made was begun */
    _Atomic bool lost;              /* S3: it found that somebody else had made one there */
    _Atomic int conditions;         /* S3: whether puts honour them, enum cel_s3_conditions */
    _Atomic bool warned;            /* that ranges are ignored */
    _Atomic bool warned_of_marks;   /* S3: that values cannot be put on condition */
};

static inline struct cel_remote *cel_remote_of(struct cel_store *s)
{
    return (struct cel_remote *)s;
}

/* One request for a key, or with key NULL for the bucket. */
struct cel_remote_request {
    const char *method, *key, *query; /* query encoded, "" without */
    const struct cel_net_header *header;
    size_t nheaders;
    const void *body;
    size_t body_len;
    bool ranged;
    uint64_t offset;
    size_t n;
    void *dst;
    struct cel_buf *into;
    bool ahead;             /* nobody waits for it yet */
    _Atomic size_t *budget; /* as net.h has it */
};
struct cel_remote_call {
    struct cel_net_call *call;
    struct cel_net_header header[8]; /* those given, and those every request has */
    char *url;
    const char *region;   /* that it was sent to; the target's */
    bool keeps;           /* the answer goes to the cache on disk, or comes from it */
    struct cel_buf *into; /* NULL: a range, which goes to dst */
    void *dst;
    uint64_t offset;
    size_t n;
    struct cel_buf kept;          /* what is there already, under this ETag */
    char kept_etag[CEL_NET_TEXT]; /* "": nothing */
    struct cel_net_answer answer; /* made of that */
};
int cel_remote_start(struct cel_remote *r, const struct cel_remote_request *request, struct cel_remote_call *call);
int cel_remote_wait(struct cel_remote_call *call, const struct cel_net_answer **answer);
void cel_remote_end(struct cel_remote_call *call);

/* Both at once. The answer is good until cel_remote_end. A request to S3 that went to the wrong region goes to the right one. */
int cel_remote_ask(struct cel_remote *r, const struct cel_remote_request *request, struct cel_remote_call *call,
                   const struct cel_net_answer **answer);

/* What an answer that is not good means: CEL_ABSENT for 404, else a failure to do that ("read") to the key. */
int cel_remote_refused(struct cel_remote *r, const struct cel_net_answer *answer, const char *doing, const char *key);

bool cel_remote_says(const struct cel_net_answer *answer, const char *code); /* S3's own word for it */

/* --- verbs of both kinds ----------------------------------------------------------------- */
int cel_remote_get(struct cel_store *s, const char *key, struct cel_buf *out);
int cel_remote_get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst);
int cel_remote_size(struct cel_store *s, const char *key, uint64_t *size);
int cel_remote_stat(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size);
int cel_remote_get_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                            size_t n, void *dst);
int cel_remote_get_first(struct cel_store *s, const char *key, void *dst, size_t *n, struct cel_store_mark *mark,
                         uint64_t *size);
void cel_remote_free(struct cel_store *s);
void cel_target_free(struct cel_target *target);
int cel_remote_make(const char *path, const struct cel_store_ops *ops, enum cel_store_mode mode,
                    struct cel_remote **out);

/* The mark of a value with this ETag; not known where the ETag is "", or is none that says all. */
void cel_remote_mark_etag(const char *etag, struct cel_store_mark *mark);
/* The ETag of a mark, as a condition; NULL: it has none that can be one. */
const char *cel_remote_condition(const struct cel_store_mark *mark);
bool cel_remote_is_of(const struct cel_net_answer *answer, const struct cel_store_mark *mark); /* NULL: of any */

/* --- store_ahead.c ------------------------------------------------------------------------- */
void cel_ahead_want(struct cel_remote *r, const struct cel_part_of *part);
/* Into out, or for a range to dst. CEL_SKIP: it was not fetched, or could not be: ask for it. */
int cel_ahead_take(struct cel_remote *r, const struct cel_part_of *part, struct cel_buf *out, void *dst);
void cel_ahead_forget(struct cel_remote *r, const char *key); /* it is written or removed */
int cel_ahead_size(struct cel_remote *r, const char *key,
                   uint64_t *size); /* of a document; CEL_SKIP: it was not fetched */
void cel_remote_want_document(struct cel_store *s, const char *key);
void cel_remote_settle(struct cel_store *s); /* no document is kept any more */
void cel_ahead_init(struct cel_ahead *ahead);
void cel_ahead_dispose(struct cel_ahead *ahead);
void cel_remote_want(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset,
                     size_t n);
void cel_remote_want_ranges(struct cel_store *s, const char *key, const struct cel_store_mark *mark,
                            const struct cel_range *range, size_t nranges);

/* --- store_ranges.c: several ranges with one request; who sends them so, and where, is store_ahead.c's ------------ */
struct cel_ranges; /* shared by the entries of its ranges */
struct cel_ranges *cel_ranges_start(struct cel_remote *r, const char *key, const struct cel_store_mark *mark,
                                    const struct cel_range *range, size_t n); /* with one user; NULL: it could not be */
void cel_ranges_hold(struct cel_ranges *g);
void cel_ranges_release(struct cel_ranges *g); /* the last user ends it; NULL is fine */
/* One of them, to dst, of the value that is marked. CEL_SKIP: it is not there; *never: as the server sends no such answers. */
int cel_ranges_take(struct cel_ranges *g, const struct cel_range *range, const struct cel_store_mark *mark, void *dst,
                    bool *never);

/* --- s3_sizes.c ----------------------------------------------------------------------------- */
void cel_s3_sizes_init(struct cel_s3_sizes *sizes);
void cel_s3_sizes_note(struct cel_s3_sizes *sizes, const char *key, uint64_t size);
bool cel_s3_sizes_find(struct cel_s3_sizes *sizes, const char *key, uint64_t *size);
void cel_s3_sizes_dispose(struct cel_s3_sizes *sizes);

/* --- s3_behind.c ---------------------------------------------------------------------------- */
void cel_s3_behind_init(struct cel_s3_behind *b);
void cel_s3_behind_dispose(struct cel_s3_behind *b); /* what is under way is given up */
int cel_s3_put_in_order(struct cel_store *s, const char *key, const void *data, size_t n); /* behind all of them */
int cel_s3_put_behind(struct cel_store *s, const char *key, const void *data, size_t n);
int cel_s3_put_document(struct cel_store *s, const char *key, const void *data,
                        size_t n); /* behind those that are none */
/* Whether conditions are looked at is learned while the writer goes on: a put that must be refused, of what is there. What goes
 * wrong with it is nobody's failure. */
void cel_s3_behind_try(struct cel_remote *r, const char *key, const void *data, size_t n);
void cel_s3_behind_end_try(struct cel_remote *r);
int cel_s3_behind_settle(struct cel_remote *r, const char *key);   /* it is on the server, or cannot be put */
void cel_s3_behind_replace(struct cel_remote *r, const char *key); /* another value comes: it does not count any more */
bool cel_s3_behind_has(struct cel_remote *r, const char *key);
int cel_s3_behind_flush(struct cel_store *s); /* all of them; what failed before is tried once more */

/* --- s3_address.c ------------------------------------------------------------------------- */
int cel_s3_locate(struct cel_remote *r, const char *url);
/* A target for the region, or with NULL for the one it has; under the lock. */
int cel_s3_retarget(struct cel_remote *r, const char *region);

/* --- s3_put.c ------------------------------------------------------------------------------- */
enum cel_s3_conditions { CEL_S3_UNTRIED, CEL_S3_HONOURED, CEL_S3_IGNORED };
int cel_s3_check_mine(const struct cel_remote *r); /* fails where somebody else made the store */
/* What the answer to a put with If-None-Match: * says, where there is a value. */
void cel_s3_note_conditions(struct cel_remote *r, const struct cel_net_answer *answer);
extern const struct cel_net_header cel_s3_only_new; /* If-None-Match: * */
int cel_s3_put(struct cel_store *s, const char *key, const void *data, size_t n);
int cel_s3_put_now(struct cel_remote *r, const char *key, const void *data,
                   size_t n); /* without looking at s3_behind.c */
int cel_s3_put_if(struct cel_store *s, const char *key, const struct cel_store_mark *mark, const void *data, size_t n,
                  struct cel_store_mark *now);

/* --- s3_multipart.c ------------------------------------------------------------------------ */
#define CEL_S3_WHOLE ((size_t)16 << 20) /* values of more bytes go in parts */
struct cel_s3_value {
    const char *key;
    const void *data;
    size_t n;
    const struct cel_net_header *condition; /* of putting it; NULL: none */
    char *etag; /* CEL_NET_TEXT bytes for its new ETag, "" where none is told; NULL: not wanted */
};
/* What an answer to the put, or to the last request for its parts, means. NC_EEXIST: the condition does not hold; CEL_SKIP: the
 * server takes none. */
int cel_s3_put_refused(struct cel_remote *r, const struct cel_net_answer *answer, const struct cel_s3_value *value);
int cel_s3_put_parts(struct cel_remote *r, const struct cel_s3_value *value, int *attempts);

#endif
