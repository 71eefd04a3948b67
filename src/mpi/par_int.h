/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_PAR_INT_H
#define CEL_PAR_INT_H

/* Inside mpi/. */

#include "array_int.h"
#include "par.h"
#include "vec.h"

/* The way to other ranks. */
struct cel_par_link {
    MPI_Comm comm;          /* its own; errors come back as codes ... */
    MPI_Errhandler handler; /* ... and go to this, the program's */
    int error;              /* of MPI, the first: the dataset is cut off; 0: none */
    int ended;              /* because of MPI_Finalize */
    char *thrown_away;      /* what comes where there is no memory for it, a piece at a time */
};

struct cel_par {
    struct cel_par_link *link;
    MPI_Info info; /* hints, kept for whoever asks */
    int rank, size;
    bool nodes_known;
    int *node;                    /* rank 0: of each rank, the lowest rank on its machine; NULL: they count as one */
    struct cel_container_ops ops; /* of a dataset that only follows */
    bool uncompared;              /* define mode was left by a put or get, without nc_enddef */
    bool left; /* a rank has closed or given up the dataset while others had not: nobody waits for it */

    uint64_t inode;                          /* of rank 0's file; 0: it is on a server */
    bool peer_tried;                         /* this rank has tried to reach it ... */
    struct cel_peer *peer;                   /* ... and writes to it with this; NULL: rank 0 does */
    const struct cel_container_ops *own_ops; /* whose peer that is */
    struct cel_value_place position;         /* of the variable of the put at work (par_direct.c) */

    const struct cel_par_lent *lent; /* where the chunks of the get at work lie (par_read.c) */

    struct cel_vec granted;     /* variables that ranks move alone (par_grant.c) */
    struct cel_vec independent; /* struct cel_var *: with filters, and all the same put by ranks alone */
    struct cel_vec queued;      /* struct cel_par_item *: puts made alone, for the next meeting ... */
    struct cel_vec kept;        /* struct cel_captured *: whole chunks of such puts, encoded ... */
    size_t nqueued;             /* ... and how many bytes both are */
    uint64_t serial;            /* of the next chunk that is kept */
    bool keeps;                 /* what is captured will be kept: it is copied */
    struct cel_mutex lock;      /* guards the rest: chunks are encoded by many threads */
    struct cel_vec captured;    /* struct cel_captured *: encoded chunks of the put at work */
    struct cel_vec spare;       /* ... of earlier puts, whose memory is used again ... */
    size_t nspare;              /* ... and how many bytes they are */
};

/* A region of a variable and its values, as ranks send them to each other. */
struct cel_par_head {
    uint64_t n;      /* elements */
    uint64_t nbytes; /* of their values, packed */
    int64_t memtype;
    int64_t group, var; /* ids */
    int64_t direct;     /* this rank can write it to the file, or read it there, by itself */
    uint64_t nchunks;   /* put: that are encoded by this rank */
    uint64_t nparts;    /* put: chunks that it has in part */
    int64_t left;       /* regions that rank 0 is to move, as they are: this one, or those of its parts */
    uint64_t start[CEL_RANK_MAX], count[CEL_RANK_MAX], stride[CEL_RANK_MAX];
};

struct cel_par_item {
    struct cel_par_head head;
    char bytes[];
};

struct cel_captured {
    size_t index[CEL_RANK_MAX];
    int64_t var;     /* kept: of which variable ... */
    uint64_t serial; /* ... and in which order */
    uint32_t skipped;
    bool in_place; /* its bytes are the caller's values: they are gathered when they are written */
    size_t n, cap;
    char bytes[];
};

bool cel_par_any_collective(struct cel_dataset *ds); /* is any variable? */
int64_t cel_par_number(const struct cel_var *var);   /* the same on all ranks, from 1 on */
/* On rank 0: makes the array as long as the regions of all need it. */
int cel_par_extend(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads);

/* --- par_wait.c: calls of MPI; collective ones leave the core to others while they wait --------------- */
enum cel_par_tag { CEL_PAR_TAG = 1, CEL_PAR_TAG_ON /* what is sent on */ };
/* Collective; duplicates the communicator, if all ranks are ready for it. */
int cel_par_link_make(MPI_Comm comm, bool ready, struct cel_par_link **out);
void cel_par_link_free(struct cel_par_link *link, bool forget);
bool cel_par_is_cut_off(struct cel_par_link *link); /* MPI failed, or has ended */
int cel_par_fail_cut_off(const struct cel_par_link *link);
/* After a call of MPI that began something, and its answer; false: it failed, or one before. */
bool cel_par_wait(const struct cel_par *par, int begun, MPI_Request *request);
void cel_par_least(const struct cel_par *par, const int64_t *mine, int64_t *all, int n); /* of each of n numbers */
void cel_par_barrier(const struct cel_par *par);
void cel_par_learn_nodes(struct cel_par *par); /* if it is not known yet who is on whose machine */
void cel_par_tell(const struct cel_par *par, int from, void *bytes, size_t n); /* all ranks what one has */
/* n bytes of each rank, for all of which rank 0 has memory. */
void cel_par_gather(const struct cel_par *par, const void *mine, void *all, size_t n);
void cel_par_scatter(const struct cel_par *par, const void *all, void *mine, size_t n);
/* Bytes of any number. */
void cel_par_send(const struct cel_par *par, int to, const void *bytes, size_t n);
void cel_par_receive(const struct cel_par *par, int from, void *bytes, size_t n);
/* Without waiting: cel_par_requests_of(n) requests are begun, and the one behind them is the answer. */
MPI_Request *cel_par_send_start(const struct cel_par *par, int to, enum cel_par_tag tag, const void *bytes, size_t n,
                                MPI_Request *request);
MPI_Request *cel_par_receive_start(const struct cel_par *par, int from, enum cel_par_tag tag, void *bytes, size_t n,
                                   MPI_Request *request);
void cel_par_finish(const struct cel_par *par, MPI_Request *request, size_t n);
size_t cel_par_requests_of(size_t n);
/* Receives into memory of its own, yours to free; without memory the bytes are received and thrown away: NC_ENOMEM. */
int cel_par_receive_new(const struct cel_par *par, int from, size_t n, void **out);

/* --- par_message.c: regions and values --------------------------------------------------------- */
/* The request's values in the caller's memory, to or from packed ones; text and lists with all they point to. */
int cel_par_packed_bytes(const struct cel_request *req, uint64_t *nbytes);
int cel_par_pack(const struct cel_request *req, char *packed);
int cel_par_unpack(const struct cel_request *req, const char *packed);
/* cel_request_begin of a variable that may have no array yet, without a lock. */
int cel_par_begin(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                  nc_type memtype, bool writing, struct cel_request *req);
/* Check the region, and say what will be sent. */
int cel_par_prepare(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                    nc_type memtype, bool writing, struct cel_request *req, struct cel_par_head *head);
/* On rank 0: every rank's head, to be freed. Elsewhere NULL. */
int cel_par_gather_heads(const struct cel_par *par, const struct cel_par_head *mine, struct cel_par_head **out);
bool cel_par_touch(const struct cel_par_head *a, const struct cel_par_head *b, int rank); /* may they overlap? */
/* The region of a head; borrows its members. */
struct cel_region cel_par_region(const struct cel_par_head *head, ptrdiff_t *stride, int rank);

/* On rank 0: puts packed values of a region. */
int cel_par_put_packed(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *head,
                       const char *packed);

/* --- par_flat.c: elements and what they point to, as bytes -------------------------------------- */
int cel_par_flat_bytes(const struct cel_type *type, const void *elements, size_t n, uint64_t *nbytes);
void cel_par_flatten(const struct cel_type *type, const void *elements, size_t n, char *flat);
/* Into memory of its own, to be reclaimed and freed. */
int cel_par_unflatten(const struct cel_type *type, const char *flat, size_t n, void **elements);

/* --- par_read.c: collective gets, while the file is written -------------------------------------- */
/* On rank 0: tells the others where their chunks lie. left of their heads: rank 0 has to read for that rank. */
void cel_par_lend(struct cel_dataset *ds, struct cel_var *var, struct cel_par_head *heads);
/* On another rank: is told, and reads; left of its head as on rank 0. */
int cel_par_get_lent(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                     nc_type memtype, struct cel_par_head *head);

/* --- par_decode.c: collective gets of a file that is only read ------------------------------------ */
/* As cel_get_region, and collective: what several ranks touch is decoded once. The answer is not shared. */
int cel_par_get_decoded(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                        nc_type memtype);

/* --- par_queue.c: puts made alone ------------------------------------------------------------ */
int cel_par_queue_check(const struct cel_par *par, size_t nbytes); /* is there room for so many? */
/* NC_ERANGE: it is in the queue, some values did not fit. */
int cel_par_queue_add(struct cel_par *par, const struct cel_request *req, const struct cel_par_head *head);
bool cel_par_queue_has(const struct cel_par *par, const struct cel_var *var);
int cel_par_queue_run(struct cel_dataset *ds); /* collective */
void cel_par_queue_free(struct cel_par *par);

/* --- par_kept.c: whole chunks put alone ---------------------------------------------------------- */
bool cel_par_is_whole(struct cel_request *req); /* is it made of whole chunks, which can be encoded here? */
int cel_par_keep(struct cel_request *req);      /* NC_ERANGE: all of it is kept, some values did not fit */
bool cel_par_keeps_some(const struct cel_par *par, const struct cel_var *var);
int cel_par_kept_place(struct cel_dataset *ds); /* collective */
void cel_par_kept_free(struct cel_par *par);

/* --- par_grant.c: variables without chunks, moved by a rank alone ------------------------------- */
/* Moves the values between the file and memory. false: that must go through rank 0, and none or some were moved. Not
 * collective. NC_ERANGE: all of them, some did not fit. */
bool cel_par_alone(struct cel_request *req, int *rc);
void cel_par_grant_renew(struct cel_dataset *ds,
                         struct cel_var *var); /* rank 0 has moved some itself. Not collective */
void cel_par_grants_free(struct cel_par *par);

/* --- par_whole.c: whole chunks, encoded by the rank that has them ---------------------------- */
int cel_par_index_order(const uint64_t *a, const uint64_t *b); /* of chunks: negative, 0, positive */
bool cel_par_goes_by_chunks(const struct cel_request *req);    /* can ranks encode what it puts? */
void cel_par_set_extent(struct cel_request *req);              /* as long as the array must be for it */
/* Whole chunks of the request; they are captured. NC_ERANGE: all of them, some values did not fit. */
int cel_par_encode(struct cel_request *req);
/* Chunks that lie decoded one behind the other: n of them, which this rank has in part otherwise. */
struct cel_par_part;
int cel_par_encode_owned(struct cel_request *req, char *chunks, const struct cel_par_part *const *own, size_t n);
void cel_par_captured_free(struct cel_par *par); /* their memory is kept for the next put ... */
void cel_par_spare_free(struct cel_par *par);    /* ... until here */

/* --- par_parts.c: chunks that a put touches in part, and those that a get touches ------------------ */
struct cel_par_part {
    uint64_t index[CEL_RANK_MAX]; /* of the chunk */
    uint64_t n;                   /* elements */
    uint64_t rank, nth;           /* the nth part of that rank */
};

struct cel_par_fate {
    int64_t owner;    /* a rank; -1: none. Put: rank 0 completes the chunk; get: each rank reads by itself */
    int64_t from;     /* get: who sends the chunk to this rank: the owner, or who has it on this machine */
    uint64_t npieces; /* where the owner has this part, or who sends it on: to or from how many others */
    uint64_t number;  /* of the chunk, among those that several ranks touch; UINT64_MAX: no other does */
};

struct cel_par_piece {
    uint64_t rank, n; /* who has it, elements */
};

struct cel_par_answer {
    uint64_t left, owned, npieces; /* of one rank */
    uint64_t entire;               /* its region is put by rank 0, as it is */
    uint64_t nshared;              /* chunks that several ranks touch */
};

struct cel_par_parts {
    struct cel_par_part *mine; /* in chunk order */
    struct cel_par_fate *fate; /* of each */
    size_t n, nwhole;          /* ... and chunks that the put has whole */
    struct cel_par_answer answer;
    struct cel_par_piece *piece; /* what others have, of all owned chunks in order; get: also of those sent on */

    /* rank 0 alone: of all ranks */
    struct cel_par_part *all;
    struct cel_par_fate *all_fate;   /* by rank */
    int64_t *first_on;               /* by machine: who has the chunk at work there; -1: nobody yet */
    struct cel_par_piece *all_piece; /* by owner */
    struct cel_par_of_rank {
        size_t first, first_piece, next_piece; /* in these */
        struct cel_par_answer answer;
    } * of;
    size_t nall;
};

typedef const struct cel_par_part *cel_par_choose(const struct cel_par_part *part, size_t n, size_t number,
                                                  const struct cel_var *var, const struct cel_par_head *heads);
cel_par_choose cel_par_owner_of_put, cel_par_owner_of_get;

int cel_par_parts_list(const struct cel_request *req, struct cel_par_parts *out); /* not collective */
/* On rank 0, alone: memory for the parts of all. */
int cel_par_parts_lead(struct cel_par_parts *parts, const struct cel_par_head *heads, int size);
/* Collective: who owns what. left of mine, and left and nchunks of heads on rank 0, are set. */
int cel_par_parts_settle(struct cel_par_parts *parts, const struct cel_par *par, const struct cel_var *var,
                         struct cel_par_head *mine, struct cel_par_head *heads, cel_par_choose *choose);
void cel_par_parts_free(struct cel_par_parts *parts);

/* --- par_trade.c ----------------------------------------------------------------------------------- */
/* Collective: every owner gets the parts of its chunks and encodes them; they are captured. rc as for cel_par_share; the answer
 * is not shared. */
int cel_par_trade(struct cel_request *req, const struct cel_par_parts *parts, int rc, bool *range);

/* --- par_left.c: what rank 0 puts -------------------------------------------------------------------- */
struct cel_par_left {
    struct cel_request *req;
    const struct cel_par_head *head; /* of this rank */
    const struct cel_par_parts *parts;
    char *packed; /* where values are gathered; NULL: they are packed already */
    bool out_of_range;
};
int cel_par_left_take_memory(struct cel_par_left *left); /* once it is known what is left */
void cel_par_left_send(struct cel_par_left *left);       /* on other ranks ... */
int cel_par_left_put(struct cel_par_left *left, const struct cel_par_head *heads, int rc); /* ... and on rank 0 */

/* --- par_place.c --------------------------------------------------------------------------------- */
struct cel_placing; /* what was captured, on its way into the file */
int cel_par_placing_make(struct cel_request *req, struct cel_placing **out); /* not collective */
/* On rank 0, alone: memory for the chunks of all ranks, whose heads are borrowed. */
int cel_par_placing_lead(struct cel_placing *placing, const struct cel_par_head *heads);
int cel_par_place(struct cel_placing *placing); /* collective */
void cel_par_placing_free(struct cel_placing *placing);

/* --- par_direct.c ------------------------------------------------------------------------------ */
bool cel_par_is_direct(const struct cel_request *req);       /* may this rank write the values itself? Not collective */
bool cel_par_is_in_one_place(const struct cel_request *req); /* does the variable have a place to hand out at all? */
/* On rank 0, alone, after the array was made long enough: may they, and where? */
bool cel_par_direct_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads,
                              bool reading, struct cel_value_place *out);
/* Collective: those that may do, and nothing is left of their regions; flags, on rank 0: memory for a number of each rank.
 * true: some values of this rank did not fit. */
bool cel_par_direct(struct cel_request *req, const struct cel_value_place *position, struct cel_par_head *mine,
                    struct cel_par_head *heads, int *flags);

/* The request's values to or from the file, which has them at this place. Not collective. */
int cel_par_move_values(struct cel_request *req, const struct cel_value_place *position);

/* --- par_peer.c ---------------------------------------------------------------------------------- */
void cel_par_peer_open(struct cel_dataset *ds); /* if that was not tried yet */
int cel_par_peer_sync(struct cel_par *par);
int cel_par_peer_close(struct cel_par *par);

/* --- par_compare.c --------------------------------------------------------------------------- */
int cel_par_compare(struct cel_dataset *ds); /* do all ranks have the same definitions? */

#endif
