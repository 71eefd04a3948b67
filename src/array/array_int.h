/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ARRAY_INT_H
#define CEL_ARRAY_INT_H

/* Inside the array engine: what put.c and get.c conduct. A *request* is a
 * checked region; a *cached chunk* is a decoded chunk in the cache; a *job*
 * moves one chunk; a *stream* is the ordered row of jobs of one call. */

#include "array.h"
#include "chunk_grid.h"
#include "convert.h"
#include "pool.h"
#include "quantize.h"

#define CEL_SLICE ((size_t)4 << 20)   /* most bytes libhdf5 is given at a time */
#define CEL_AHEAD ((size_t)64 << 20)  /* chunks announced to the container before they are read: bytes, decoded */
#define CEL_AHEAD_CHUNKS 64           /* ... and how many at most */
#define CEL_WINDOW ((size_t)16 << 20) /* memory of jobs in flight, beyond two chunks per thread */
#define CEL_RAW_MAX ((size_t)1 << 31) /* a chunk whose elements are stored in another form */
#define CEL_KEPT ((size_t)4 << 20)    /* buffers up to this size are kept between calls */
#define CEL_NONTEMPORAL_MIN ((size_t)4 << 20) /* a read of more bytes goes around the processor's caches */
#define CEL_GROWTH ((size_t)256 << 20)        /* a cache that adapts: most for one variable ... */
#define CEL_GROWTH_ALL ((size_t)1 << 30)      /* ... and for the process */

/* --- how one element is converted ---------------------------------------------- */

/* Bytes inside an element that belong to no field. */
struct cel_hole {
    size_t offset, nbytes;
};

struct cel_transfer {
    size_t user_size, size_in_chunk;       /* of one element in the caller's memory, in the chunk */
    cel_convert_fn *convert;               /* NULL: the same type on both sides */
    bool swap;                             /* chunks hold the other byte order */
    const struct cel_quantizer *quantizer; /* writing only; NULL: off */
    struct cel_quantize_error *worst;      /* where its errors are noted; each job has its own */
    bool bitgroom_per_element;             /* BitGroom starts anew with every element */
    const struct cel_hole *hole;           /* writing only: to be zeroed */
    size_t nholes;
    bool deep_holes;  /* writing only: what vlens point to has some */
    bool same;        /* bytes are copied as they are */
    bool nontemporal; /* reading only: more bytes than a cache would keep */

    /* What absent elements read as, in both forms; NULL: zeros. */
    const void *user_fill, *fill_in_chunk;
    unsigned char user_fill_bytes[8], chunk_fill_bytes[8];
    const struct cel_type *deep; /* elements own memory: fill is copied with all it points to */
    bool fill_out_of_range;      /* the fill value does not fit the caller's type */
};

/* Elements that lie in two memories at once: the caller's and a chunk's (unchunked.c: a packed slice's). */
struct cel_box {
    int rank;
    size_t n[CEL_RANK_MAX];
    ptrdiff_t user[CEL_RANK_MAX];  /* bytes from one to the next in the caller's memory */
    ptrdiff_t chunk[CEL_RANK_MAX]; /* ... in the chunk */
    size_t nth[CEL_RANK_MAX];      /* ... and how many positions further in the request */
    char *user_at, *chunk_at;      /* the first element */
    size_t nth_at;
};

/* gather.c. Each simplifies the box and gives back how many values did not fit their new type. */
size_t cel_gather(const struct cel_transfer *transfer, struct cel_box *box);       /* caller -> chunk */
size_t cel_scatter(const struct cel_transfer *transfer, struct cel_box *box);      /* chunk -> caller */
size_t cel_scatter_fill(const struct cel_transfer *transfer, struct cel_box *box); /* fill -> caller */
/* Byte planes -> caller, where transfer->same. box->chunk_at lies within planes->at. */
void cel_scatter_planes(const struct cel_transfer *transfer, const struct cel_planes *planes, struct cel_box *box);
void cel_fill_chunk(const struct cel_transfer *transfer, void *chunk, size_t n);
/* The number of its elements, if they are one run in both memories; else 0. */
size_t cel_box_run(struct cel_box *box, const struct cel_transfer *transfer);

/* edge.c: would fill values in the padding of this edge chunk spoil what the codec makes of the data beside them? */
bool cel_edge_needs_padding(const struct cel_var *var, const size_t *index);
void cel_edge_pad(const struct cel_var *var, const size_t *index, void *chunk); /* ... then give it other padding */

/* copy_nontemporal.c. After the last copy of a job, cel_nontemporal_fence() makes them visible to other threads. */
void cel_copy_nontemporal(char *dst, const char *src, size_t nbytes);
void cel_nontemporal_fence(void);

/* --- the request --------------------------------------------------------- */

struct cel_request {
    struct cel_dataset *ds;
    struct cel_var *var;
    struct cel_array *array;
    bool writing;
    bool must_extend; /* writing: the array must become longer, or is written for the first time */
    int rank;
    size_t n; /* elements in all */
    char *data;
    bool packed; /* the caller's memory has no gaps and is in order */
    struct cel_transfer transfer;
    /* `rank` entries of each; a call for one element must not pay for the others */
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX], stride[CEL_RANK_MAX];
    ptrdiff_t step[CEL_RANK_MAX]; /* bytes between neighbours in the caller's memory */
    size_t nth[CEL_RANK_MAX];     /* positions between them, as BitGroom counts */
    size_t extent[CEL_RANK_MAX];  /* of the stored array, after extending */
    size_t before[CEL_RANK_MAX];  /* ... and before: what lies beyond was never written */
};

/* region.c. With the variable's lock held; the dataset's is taken inside. */
int cel_request_begin(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                      nc_type memtype, bool writing, struct cel_request *out);
int cel_request_extend(struct cel_request *req); /* writing: make the array as long as the region needs */
void cel_request_clip(struct cel_request *req);  /* reading: to the stored array */
/* Reading: fill what a request of these counts lost when it was clipped; gives the number of values that did not fit. */
size_t cel_request_fill_rest(const struct cel_request *req, const size_t *count);

/* transfer.c: which conversions this request's values need. */
int cel_transfer_init(struct cel_request *req, nc_type memtype);
/* The steps of it as a timeline names them; NULL: values are only moved. */
const char *cel_trace_of_transfer(const struct cel_transfer *transfer);

/* --- grid.c ------------------------------------------------------------------ */

/* The chunks a request touches. */
struct cel_walk {
    const struct cel_request *req;
    struct cel_chunk_walk chunks;
    size_t total;    /* chunks touched */
    size_t npartial; /* of these, covered only in part (not whole) */
};
void cel_walk_begin(struct cel_walk *walk, const struct cel_request *req);

enum cel_cover {
    CEL_COVER_PART,
    CEL_COVER_EXTENT, /* all of it that lies in the array now, but an unlimited dimension may grow */
    CEL_COVER_WHOLE
};
enum cel_cover cel_grid_cover(const struct cel_request *req, const size_t *index);
bool cel_grid_is_padded(const struct cel_request *req, const size_t *index); /* reaches beyond the array */
bool cel_grid_is_new(const struct cel_request *req, const size_t *index);    /* wholly beyond the old extent */
/* Where in the caller's memory the whole chunk lies just as it is stored; NULL: nowhere. */
void *cel_grid_in_place(const struct cel_request *req, const size_t *index);
/* The elements of the request that chunk `index` has. chunk NULL: only their places in the caller's memory. */
void cel_grid_box(const struct cel_request *req, const size_t *index, void *chunk, struct cel_box *out);
/* What is wanted of the chunk, and what lies between; the box when that is all there is in memory. */
void cel_grid_part(const struct cel_request *req, const size_t *index, struct cel_chunk_part *out);
void cel_grid_part_box(const struct cel_request *req, const size_t *index, const struct cel_chunk_part *part, void *at,
                       struct cel_box *out);

/* --- share.c ------------------------------------------------------------------------ */

cel_share_fn cel_share;

/* --- workspace.c: what one job works with ------------------------------------------- */

struct cel_workspace {
    struct cel_workspace *next;
    struct cel_scratch *scratch;
    struct cel_buf encoded; /* as read */
    struct cel_buf raw;     /* decoded, of elements that have another form in memory */
    struct cel_buf decoded; /* a chunk that cannot be decoded in place */
    size_t chunk;           /* the largest chunk its scratch has worked on */
};

/* An encoded chunk that waits for its turn to be written, while the workspace serves the next chunk. */
struct cel_parked_chunk {
    struct cel_parked_chunk *next;
    struct cel_buf bytes;
};
int cel_parked_chunk_make(const void *bytes, size_t n, struct cel_parked_chunk **out);
void cel_parked_chunk_give(struct cel_parked_chunk *parked);

int cel_workspace_take(struct cel_workspace **out);
void cel_workspace_give(struct cel_workspace *workspace);
void cel_workspace_trim(void); /* free the large ones no job works with */

/* --- cache.c ---------------------------------------------------------------- */

struct cel_cached_chunk {
    struct cel_cached_chunk *same_slot;     /* hash chain */
    struct cel_cached_chunk *older, *newer; /* use order */
    struct cel_job *job;                    /* that works on it; NULL: none */
    struct cel_job *ahead;                  /* that reads it ahead (read_ahead.c); NULL: its bytes are there */
    bool dirty;
    bool planes;    /* kept as the shuffle left it, in files that are only read */
    bool was_ahead; /* nobody had asked for it when it came */
    char *data;
    size_t index[]; /* rank of them */
};

#define CEL_READ_HASHES 256
struct cel_cache {
    struct cel_cached_chunk **slot;
    size_t nslots, n;
    struct cel_cached_chunk *oldest, *newest;
    struct cel_cached_chunk *spare; /* buffers to be used again, by older */
    size_t nspare;
    size_t budget;                       /* bytes it may hold now */
    size_t grown;                        /* of these, taken from CEL_GROWTH_ALL */
    uint64_t read_hash[CEL_READ_HASHES]; /* of chunks that gets decoded and did not keep */
    bool revisited;                      /* a get came to one of them again */
    double credit; /* decoded chunks that gets saved which came to one again, less what was spent on keeping some */
};

struct cel_stream;

/* Let the cache hold what this walk touches in part, where that pays. */
void cel_cache_adapt(struct cel_array *array, const struct cel_walk *walk);
/* Should a chunk that a get wants in part enter the cache? Also notes that it was read. */
bool cel_cache_should_keep(const struct cel_stream *stream, const size_t *index);
void cel_cache_note_again(const struct cel_stream *stream, const size_t *index); /* a get came to a chunk again */
struct cel_cached_chunk *cel_cache_find(struct cel_array *array, const size_t *index);
/* A new cached chunk, its bytes not set; evicts others through the stream. */
int cel_cache_add(struct cel_stream *stream, const size_t *index, struct cel_cached_chunk **out);
void cel_cache_use(struct cel_array *array, struct cel_cached_chunk *cached); /* it is the newest now */
void cel_cache_drop(struct cel_array *array, struct cel_cached_chunk *cached);
void cel_cache_free_spares(struct cel_array *array); /* those beyond what is kept without need */
/* An evicted one that could not be written. */
void cel_cache_put_back(struct cel_array *array, struct cel_cached_chunk *cached);
void cel_cached_chunk_free(struct cel_array *array, struct cel_cached_chunk *cached);
int cel_cache_trim(struct cel_stream *stream, size_t budget); /* evict, oldest first */
int cel_cache_write(struct cel_stream *stream);               /* send every dirty chunk, in order; they stay, clean */
size_t cel_cache_count_dirty(const struct cel_array *array);
void cel_cache_reset(struct cel_array *array, size_t budget); /* gives grown bytes back */
void cel_cache_dispose(struct cel_array *array);

/* --- job.c: one chunk, or slice of an unchunked variable, to be moved -------------- */

/* job.c has the transitions. */
enum cel_job_state {
    CEL_JOB_PREPARING,
    CEL_JOB_WORKING, /* sent; work() runs or has run */
    CEL_JOB_WRITING, /* its output has an address in the container and is being written */
    CEL_JOB_DONE
};

enum cel_job_input {
    CEL_INPUT_NONE,   /* the cached chunk as it is, or everything is overwritten */
    CEL_INPUT_STORED, /* the stored chunk at `at` */
    CEL_INPUT_FILL    /* there is no stored chunk */
};

enum cel_job_output {
    CEL_OUTPUT_NONE,
    CEL_OUTPUT_CHUNK,  /* a chunk goes to the container */
    CEL_OUTPUT_EVICTED /* ... and its cached chunk has left the cache and ends with the job */
};

struct cel_job {
    struct cel_task task; /* first: the pool knows only this */
    struct cel_stream *stream;
    size_t number; /* in the stream */
    enum cel_job_state state;
    int (*work)(struct cel_job *job);     /* by any thread */
    int (*in_order)(struct cel_job *job); /* then by the calling thread, in order, if all before went well; or NULL */
    size_t index[CEL_RANK_MAX];           /* of the chunk; unchunked.c: of the slice's first element in the request */
    struct cel_cached_chunk *cached;      /* NULL: not through the cache */
    bool drops;                           /* ... where it is of no use afterwards */
    enum cel_job_input input;
    enum cel_job_output output;
    struct cel_chunk_location at; /* of the stored input, or where the output goes */
    struct cel_workspace *workspace;
    struct cel_parked_chunk *parked;
    struct {
        const void *data;
        size_t nbytes;
        uint32_t skipped; /* filters, as bits */
    } out;                /* the output, encoded */
    size_t nrange;        /* values that did not fit their new type */
    struct cel_quantize_error worst;
    struct cel_loss loss; /* of lossy filters, while the variable watches them */
    int rc;
    struct cel_status why;
};

/* Before sending: where the stored chunk lies. Sets the input. */
int cel_job_find(struct cel_job *job);
/* Before sending: where the output will lie, if its stored size is known by now. src is never looked into. */
int cel_job_allocate_early(struct cel_job *job, const void *src);

/* For work(): the job's stored chunk, decoded into dst (fill, if only now the
 * container sees that there is none); and a whole chunk to the container. */
int cel_job_load(struct cel_job *job, void *dst);
/* The same into its cached chunk, as byte planes or as elements; none there: CEL_ABSENT. And elements of planes. */
int cel_job_load_cached(struct cel_job *job, bool planes);
int cel_job_unshuffle_cached(struct cel_job *job);
/* Only what is wanted of it, alone, in the job's buffer. CEL_SKIP: not of this chunk; none there: the input becomes fill. */
int cel_job_load_part(struct cel_job *job, const struct cel_chunk_part *part, void **out);
int cel_job_load_planes(struct cel_job *job, struct cel_planes *out); /* where the chain has them; none there: the
                                                                         input becomes fill */
int cel_job_store(struct cel_job *job, const void *src);
/* The same with workspace->raw, which is as long as its elements make it; CEL_ABSENT: there is no stored chunk. */
int cel_job_load_raw(struct cel_job *job);
int cel_job_store_raw(struct cel_job *job);
int cel_job_buffer(struct cel_job *job, size_t nbytes, void **out); /* a buffer that lives as long as the job */
int cel_job_buffer_to_encode(struct cel_job *job, void **out);      /* ... for a chunk, until cel_job_store() */

/* For the stream. */
void cel_job_set_state(struct cel_job *job, enum cel_job_state state);
void cel_job_run(struct cel_task *task);                /* what its state says: work(), or write its output */
bool cel_job_awaits_address(const struct cel_job *job); /* its output gets one in chunk order, after work() */
int cel_job_allocate(struct cel_job *job);              /* the output's address, from the container */
int cel_job_place(struct cel_job *job);                 /* the same, and its bytes; may be tried again */
int cel_job_fail(const struct cel_job *job, int rc);    /* the error names the chunk; gives rc */
void cel_job_release(struct cel_job *job);              /* its buffers; also of a job that is not sent after all */

/* --- stream.c: the jobs of one call, in order --------------------------------------- */

struct cel_stream {
    const struct cel_request *req;
    struct cel_dataset *ds;
    struct cel_var *var;
    struct cel_array *array;
    struct cel_task_group tasks;
    struct cel_job *ring;
    size_t width;
    size_t part;                   /* bytes of the caller's memory that a job touches, about */
    size_t sent, collected, freed; /* numbers of the next job to be sent, collected, freed */
    size_t nrange;
    bool stores_later;                /* its one job is of put_behind.c */
    struct cel_first_failure failure; /* of the lowest job; last: its text is not cleared */
};

/* With fewer bytes than this, waking a thread costs more than it saves. A constant; tests make it 0. */
extern size_t cel_small_work;

/* njobs, job_bytes: how much is expected, to choose how many work on it. */
int cel_stream_open(struct cel_stream *stream, struct cel_dataset *ds, struct cel_var *var,
                    const struct cel_request *req, size_t njobs, size_t job_bytes);
struct cel_job *cel_stream_next(struct cel_stream *stream,
                                const size_t *index); /* an empty job; waits for a free slot */
void cel_stream_send(struct cel_job *job);
void cel_stream_await(struct cel_stream *stream, size_t number);             /* until that job has been freed */
void cel_stream_await_chunk(struct cel_stream *stream, const size_t *index); /* until it is not being evicted */
void cel_stream_note(struct cel_stream *stream, int rc); /* the next job could not be sent, if rc says so */
int cel_stream_failed(const struct cel_stream *stream);
int cel_stream_close(struct cel_stream *stream); /* everything is done; the error of the lowest job */
/* A stream over every chunk of a request: send() makes the job of one. NC_ERANGE: all is done, some values did not fit. */
typedef int cel_send_chunk(struct cel_stream *stream, const size_t *index);
int cel_stream_chunks(const struct cel_request *req, cel_send_chunk *send);
/* All values of a request: in a stream of chunks, or as the variable keeps them otherwise. */
int cel_request_move(const struct cel_request *req, cel_send_chunk *send);

/* --- read_ahead.c: with the variable's lock held ------------------------------------ */

struct cel_read_ahead {
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX]; /* of the last get */
    unsigned met;                                    /* gets that make a sweep so far */
    int dim;                                         /* ... along this dimension */
    size_t distance;                                 /* ... so many elements each */
    size_t until;                                    /* all chunks before this element are wanted already */
    bool fetches;                                    /* the container has a use for hints */
    bool is_open;                                    /* what follows is set */
    size_t n;                                        /* chunks in the cache that nobody has asked for yet */
    struct cel_task_group tasks;
    struct cel_stream stream; /* for the jobs to know what they work on */
};

/* This chunk will be read soon. left: how many may be decoded into the cache; NULL: it is for the container only. false: to
 * want more is of no use. */
bool cel_read_ahead_want(struct cel_stream *stream, const size_t *index, size_t *left);
size_t cel_read_ahead_most(const struct cel_array *array);          /* chunks that the container is told of at a time */
void cel_read_ahead_note(const struct cel_request *req);            /* a get begins */
void cel_read_ahead_go_on(struct cel_stream *stream, size_t total); /* it ends, and had so many chunks */
/* Its bytes are there afterwards, or it could not be read: false. */
bool cel_read_ahead_finish(struct cel_array *array, struct cel_cached_chunk *cached);
void cel_read_ahead_stop(struct cel_array *array); /* nothing is read ahead any more, nor in the cache for that */

/* --- put_behind.c: chunks that are encoded and stored after their put; with the variable's lock held --------- */

/* The put is taken, and the caller's memory is its own again. CEL_SKIP: it must be done now, after cel_behind_settle(). */
int cel_behind_put(const struct cel_request *req);
/* What was put before is stored, or its failure is this request's: for puts any, for gets that of a chunk they touch. */
int cel_behind_settle(const struct cel_request *req);
/* All is stored, also what could not be before; or the first failure. Not the variable's lock. */
int cel_behind_flush(struct cel_dataset *ds);
/* Meanwhile nothing is stored; with the dataset's lock held. */
void cel_behind_hold(struct cel_dataset *ds);
void cel_behind_release(struct cel_dataset *ds);

/* --- array.c --------------------------------------------------------------------- */

/* --- tally.c: bytes and time of gets [0] and puts [1], where CELLAR_STATS asks for them; with the variable's lock held - */
struct cel_tally {
    bool on;
    uint64_t bytes[2], ns[2];
};
void cel_tally_init(struct cel_tally *tally);
uint64_t cel_tally_start(const struct cel_tally *tally);
void cel_tally_add(struct cel_tally *tally, const struct cel_var *var, const struct cel_region *region, bool put,
                   uint64_t since); /* region NULL: time only */
void cel_tally_report(const struct cel_tally *tally, const struct cel_var *var);

struct cel_array {
    struct cel_mutex lock; /* the variable's */
    int rank;
    bool has_codec;            /* the container codes the elements: see elements.c */
    size_t elem, nbytes;       /* of an element, of a chunk; as in memory */
    size_t step[CEL_RANK_MAX]; /* bytes between neighbours in a chunk */
    struct cel_hole *hole;
    size_t nholes;
    struct cel_quantizer *quantizer; /* NULL: not quantized, or not written yet */
    struct cel_quantize_error worst; /* made so far */
    struct cel_loss loss;
    struct cel_cache cache;
    struct cel_read_ahead read_ahead;
    struct cel_stream *stream; /* the one that is open; NULL: no job is in flight */
    struct cel_job *ring;      /* of that stream */
    size_t ring_cap;
    struct cel_failed_put *failed_puts; /* the last first ... */
    _Atomic size_t nfailed_puts;        /* ... and how many, also those there was no memory for */
    struct cel_tally tally;
};
int cel_array_get(struct cel_dataset *ds, struct cel_var *var, struct cel_array **out); /* made on first use */

/* --- failed_puts.c: with the variable's lock held, but for the check ---------------------- */
/* How a put of n[] values each stride[] apart (NULL: 1) ended. */
void cel_failed_put_note(struct cel_array *array, const size_t *start, const size_t *n, const size_t *stride, int rc);
int cel_failed_puts_check(struct cel_array *array, const struct cel_var *var); /* the error of a put that failed */
void cel_failed_puts_free(struct cel_array *array);

/* --- get.c, put.c: for work(), the chunk's part of the request ---------------------- */
void cel_job_scatter(struct cel_job *job, void *chunk); /* or fill, if the input is */
bool cel_get_wants_planes(const struct cel_request *req, const struct cel_chunk_location *at);
void cel_job_gather(struct cel_job *job, void *chunk);
int cel_job_gather_whole(struct cel_job *job,
                         void **chunk);         /* a chunk that the request covers, in memory to encode from */
int cel_job_put_whole(struct cel_job *job);     /* work() of such a chunk */
int cel_flush_deferred(struct cel_dataset *ds); /* what a container keeps until a sync, if that is too much */

/* --- elements.c ---------------------------------------------------------------------- */
int cel_elements_move(const struct cel_request *req); /* put or get, as the request says */
int cel_elements_check(struct cel_job *job);          /* work() that makes elements and drops them */

/* --- unchunked.c ------------------------------------------------------------------------ */
int cel_unchunked_move(const struct cel_request *req);  /* put or get, as the request says */
int cel_unchunked_check(const struct cel_request *req); /* get, slice after slice into the same memory */
/* One number as it is stored, within the array: moved without a request. false: it is more than that, and nothing was done. */
bool cel_unchunked_single(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                          nc_type memtype, bool writing, int *rc);

#endif
