/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CONTAINER_H
#define CEL_CONTAINER_H

/* Keeps one dataset in some file format. It knows where things lie, never what
 * the user asked for: no type conversion, no filters, no argument checks; all
 * that is done above. What a format can keep (CEL_KEEPS_*) is declared in model.h. Adding
 * a format is one ops table and one row in container.c. */

#include "model.h"
#include "source.h"

/* Where a dataset is: a path or URL, or memory. */
struct cel_location {
    const char *path;
    const char *fragment; /* after '#' of a URL, "" without */
    bool is_url;
    bool is_remote;             /* on a server: http, https, s3 or gs */
    bool looked_at;             /* there, by cel_where_look_remote */
    struct cel_source **source; /* there, the file's bytes, for whoever opens it to take; NULL, both: none */
    void *memory;               /* open: the file's bytes; NULL: not in memory */
    size_t memory_size;         /* create: first size */
    bool in_memory;             /* NC_INMEMORY or NC_DISKLESS */
    bool persist;               /* in memory, written to path at close */
    bool memory_locked;         /* the caller keeps and never moves `memory` */
    unsigned char head[1024];   /* the first bytes, for bid(); zeros beyond head_len */
    size_t head_len;
    size_t size; /* of the file, or of `memory` */
    bool exists, is_directory;
};

struct cel_options {
    int mode;            /* NC_NOCLOBBER, NC_WRITE, NC_CLASSIC_MODEL, NC_DISKLESS, ... */
    int align_threshold; /* objects of this size and above start at ... */
    int alignment;       /* ... multiples of this; 0: not asked for (nc_set_alignment) */
    size_t meta_block; /* metadata is allocated in blocks of so many bytes; 0: not asked for (nc_set_meta_block_size) */
};

/* The file's bytes after close, for nc_close_memio(); yours to free. */
struct cel_memory {
    void *data;
    size_t size;
};

/* Where one encoded chunk lies. Found or made by the calling thread; its bytes
 * may then be moved by any thread. */
struct cel_chunk_location {
    uint64_t address;
    size_t nbytes; /* encoded size; SIZE_MAX: ask chunk_size */
    uint32_t skipped;
    bool in_place; /* HDF5: it overwrites what the last sync left there */
};

/* Something known of a file that is readable as an attribute but not listed. */
struct cel_fact {
    int number;
    char *text; /* yours to free; NULL: it is the number */
};

/* Thread rules: what may be called by any thread beside chunk_read and chunk_write. */
enum { CEL_CONCURRENT = 1 /* chunk_find and chunk_allocate too */ };

/* Values of a variable that does not go by chunks, by their numbers in C order. */
struct cel_value_range {
    uint64_t first, end; /* those that are put lie in [first, end) ... */
    bool all;            /* ... and are all of these */
    bool reading;        /* they are only read: no room is made for them */
};

/* Where its values lie: in one piece, or `record` bytes from one index of the first dimension to the next. */
struct cel_value_place {
    uint64_t begin, record; /* record 0: one piece */
    bool swap;              /* in the other byte order */
};

struct cel_peer; /* a container's own: what it writes with in a process that does not keep the dataset */

struct cel_container_ops {
    const char *name;      /* "hdf5" */
    int formatx;           /* NC_FORMATX_NC_HDF5 ..., for nc_inq_format_extended() */
    unsigned features;     /* of the format: CEL_KEEPS_* and its rules (model.h) */
    unsigned thread_rules; /* CEL_CONCURRENT, or 0 */

    /* How sure this format is about a location: 0 = not mine. `create` asks for a new one. */
    int (*bid)(const struct cel_location *where, const struct cel_options *options, bool create);

    /* Fill a fresh dataset (path, mode and root are set). open() loads the
     * structure: groups, dimensions, names and dimensions of variables. After a
     * failure close() is called if ds->container is set. */
    int (*create)(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);
    int (*open)(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);

    /* What open() left for later. */
    int (*load_types)(struct cel_dataset *ds);
    int (*load_var)(struct cel_dataset *ds, struct cel_var *var);
    int (*load_atts)(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var); /* var NULL: the group's */

    /* Write whatever is not CEL_SAVED, and mark it so. */
    int (*save)(struct cel_dataset *ds);

    /* Make the stored array as large as extent[]; var->layout.extent follows. */
    int (*extend)(struct cel_dataset *ds, struct cel_var *var, const size_t *extent);

    /* Chunks, by index in the chunk grid. 
     * find      CEL_ABSENT when it was never written; a chunk whose size is not known may turn out absent
     *           when it is read. Damage is an error, never absence.
     * allocate  finds space for it: in chunk order, by the calling thread (unless CEL_CONCURRENT).
     * read, write  move the bytes, from any thread. */
    int (*chunk_find)(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out);
    /* Moves index, one of n[] chunks along each dimension, to the first at or behind it (the last dimension fastest) that may
     * be stored: chunk_find tells whether it is. CEL_ABSENT: there is none. After a failure it is one of which that cannot be
     * told. A walk over all chunks takes as long as what is stored, however large the grid is. NULL: any may be stored. */
    int (*chunk_next)(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index);
    int (*chunk_read)(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, struct cel_buf *out);
    /* Some bytes of a chunk, which lie within those that chunk_fetch_size says it has; from any thread. NULL, both: only all
     * of them, by chunk_read. */
    int (*chunk_fetch_size)(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                            size_t *nbytes);
    int (*chunk_fetch)(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at, size_t offset,
                       size_t n, void *dst);
    /* The chunk will be read soon: it may be fetched ahead, many at a time. Only a hint, by the calling thread. False: hints are
     * of no use for this dataset. NULL: never of use. */
    bool (*chunk_want)(struct cel_dataset *ds, struct cel_var *var, const size_t *index);
    /* The encoded size of a chunk, from an index, a directory or the like: its bytes are not read. CEL_ABSENT: never
     * written. NULL: chunk_find tells it, or there are no chunks. */
    int (*chunk_size)(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out);
    /* The encoded size of all chunks of a variable, where that is quicker than to ask for each. CEL_ABSENT: it is not. */
    int (*stored_size)(struct cel_dataset *ds, struct cel_var *var, uint64_t *out);
    /* Where a chunk lies, for those who ask. As chunk_find; where chunks lie in values of a store also the key of that
     * value, to be freed by the caller, with the range in it. A variable without chunks is one chunk, or one for each record
     * where records lie apart. Address UINT64_MAX: it has bytes, but none of them for itself. */
    int (*chunk_locate)(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out, char **key);
    int (*chunk_allocate)(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                          size_t n, uint32_t skipped, struct cel_chunk_location *out);
    int (*chunk_write)(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, const void *encoded, size_t n);

    /* One process keeps a dataset, and others write chunks of it: it allocates a chunk, and between chunk_io_begin and
     * chunk_io_end the bytes are written by another, which has the same definitions. All or none of these, but for the two
     * that hand over: what is NULL is never handed over.
     * chunk_hand_over  in the one that keeps it: may another write these bytes? chunk_write always may.
     * chunk_lend       in the one that keeps it: may another read these bytes?
     * values_hand_over in the one that keeps it: may others write these values? Then it counts on them: what fails there is
     *                  put again here.
     * peer_open        in another: makes ready to write to what lies there. CEL_ABSENT: it cannot be written so.
     * peer_read        what chunk_read does.
     * peer_write       what chunk_write does; after a failure chunk_write of the one that keeps it is still to do it.
     * peer_write_at    bytes of such values; peer_read_at reads them.
     * peer_sync        the bytes to the system, with cel_env_fsync() to the disk.
     * peer_close       frees it, whatever the answer. */
    bool (*chunk_hand_over)(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at, size_t n);
    bool (*chunk_lend)(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at);
    bool (*values_hand_over)(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range,
                             struct cel_value_place *out);
    int (*peer_open)(const struct cel_location *where, struct cel_peer **out);
    int (*peer_read)(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                     const struct cel_chunk_location *at, struct cel_buf *out);
    int (*peer_write)(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, const void *encoded, size_t n);
    int (*peer_write_at)(struct cel_peer *peer, uint64_t address, const void *bytes, size_t n);
    int (*peer_read_at)(struct cel_peer *peer, uint64_t address, void *bytes, size_t n);
    int (*peer_sync)(struct cel_peer *peer);
    int (*peer_close)(struct cel_peer *peer);

    /* Elements that are stored in another form than memory has them (text, lists, half floats), where var->layout.unchunked is
     * set. The engine moves, decodes and encodes their chunks as all others; these make elements of a decoded chunk's
     * bytes and back, in C order and memory form. Any thread may call them. NULL: unchunked_get and unchunked_put move
     * such variables instead. Not for formats that must know a chunk's size beforehand: CEL_CONCURRENT is set. */
    /* What so many encoded bytes of a chunk decode to: exactly *nbytes; false: at most. */
    bool (*elements_bytes)(const struct cel_var *var, size_t encoded, size_t *nbytes);
    /* Can these bytes be a chunk's elements? Asked before memory is taken for so many. */
    int (*elements_check)(const struct cel_var *var, const struct cel_buf *raw);
    /* Into memory that is zero. Strings and lists become the elements' own, also when it fails halfway. */
    int (*elements_decode)(const struct cel_var *var, const struct cel_buf *raw, void *element);
    int (*elements_encode)(const struct cel_var *var, const void *element, struct cel_buf *raw);

    /* Data that does not go by chunks: elements of the variable's own type in
     * memory form. stride is never 0 and NULL means all 1. The region lies within
     * var->layout.extent. */
    int (*unchunked_get)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, void *data);
    int (*unchunked_put)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, const void *data);
    /* One element, with the dataset's lock held, if that takes no call of the system. false: nothing was done.
     * exclusive: nobody else is in the dataset, so no other lock is needed. NULL: by unchunked_get and unchunked_put
     * only. */
    bool (*get_value)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *value, bool exclusive);
    bool (*put_value)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *value,
                      bool exclusive);
    bool takes_any_size; /* they cut large requests themselves, and better */
    bool moves_directly; /* where ds->file says which: chunk_read and chunk_write are one call on a file that is open */

    /* Where all four are not NULL: a call tells when it begins to allocate chunks and when all their bytes are written,
     * and takes no lock of the dataset between. Where must_flush says so, flush_deferred is called outside such a call. */
    void (*chunk_io_begin)(struct cel_dataset *ds);
    void (*chunk_io_end)(struct cel_dataset *ds);
    bool (*must_flush)(struct cel_dataset *ds);
    int (*flush_deferred)(struct cel_dataset *ds);

    /* All bytes to the system, so that they outlive the process; with cel_env_fsync() to the disk. */
    int (*sync)(struct cel_dataset *ds);

    /* Always frees the container's own memory and every `priv`. keep false: the
     * dataset was never finished (abort): leave no file that this create made. */
    int (*close)(struct cel_dataset *ds, bool keep, struct cel_memory *memory);

    /* Remove what is at a location that this format bid for; NULL: a file, for the caller to unlink. */
    int (*remove)(const struct cel_location *where);

    /* _SuperblockVersion, _IsNetcdf4, _NCProperties of the root group (var NULL),
     * _Codecs of a variable; CEL_ABSENT: none such. */
    int (*fact)(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out);

    /* The version of the library that the format is kept by, yours to free. NULL: we keep it ourselves. */
    int (*library)(char **out);

    /* All keys of a store, each ended by a NUL and an empty one at the end; yours to free. NULL: a file, which has none. */
    int (*keys)(struct cel_dataset *ds, char **out);
};

extern const struct cel_container_ops cel_hdf5_ops;
extern const struct cel_container_ops cel_zarr_ops;
extern const struct cel_container_ops cel_classic_ops;
extern const struct cel_container_ops cel_blosc2_ops;

/* --- location.c: what a path given by the user means ------------------------------- */
struct cel_where {
    struct cel_location at;
    char *text;                /* holds at.path and at.fragment */
    int error;                 /* errno when there is something that cannot be looked at */
    struct cel_source *source; /* on a server; of whoever takes it */
};
int cel_where_init(const char *path, struct cel_where *out); /* splits, looks at the file; none there is no error */
/* What is on a server is looked at by a request of its own, and only if no format bids for its name already. */
int cel_where_look_remote(struct cel_where *where);
int cel_where_in_memory(const char *path, void *memory, size_t nbytes, struct cel_where *out);
void cel_where_dispose(struct cel_where *where);

/* The format that bids most for this location; the error says what it is when none does. */
int cel_container_for(const struct cel_location *where, const struct cel_options *options, bool create,
                      const struct cel_container_ops **out);

/* The version of the libhdf5 at work, yours to free; NC_ENOTBUILT in a build without. */
int cel_container_hdf5(char **version);

#endif
