/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CONTAINER_H
#define CEL_CONTAINER_H

/* A container reads and writes one dataset in some file format. It knows where metadata and
 * encoded chunks lie. Type conversion, filters and argument checks are done above it. model.h
 * declares what a format can store (CEL_KEEPS_*). A new format is one ops table and one row in
 * container.c. */

#include "model.h"
#include "source.h"

/* Where a dataset is: a path or URL, or memory. */
struct cel_location {
    const char *path;
    const char *fragment; /* after '#' of a URL, "" without */
    bool is_url;
    bool is_remote;             /* on a server: http, https, s3 or gs */
    bool looked_at;             /* there, by cel_where_look_remote */
    struct cel_source **source; /* there, the file's bytes; whoever opens the file takes them; NULL, both: none */
    void *memory;               /* open: the file's bytes; NULL: not in memory */
    size_t memory_size;         /* create: the initial size */
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

/* Where one encoded chunk lies. The calling thread finds or allocates it; any thread
 * may then move its bytes. */
struct cel_chunk_location {
    uint64_t address;
    size_t nbytes;    /* encoded size; SIZE_MAX: ask chunk_size */
    uint32_t skipped; /* filter mask: the filters that were not applied */
    bool in_place;    /* HDF5: it overwrites bytes of the last sync */
};

/* A property of a file that can be read as an attribute but is not listed as one. */
struct cel_fact {
    int number;
    char *text; /* yours to free; NULL: it is the number */
};

/* Thread rules: what any thread may call, besides chunk_read and chunk_write. */
enum { CEL_CONCURRENT = 1 /* chunk_find and chunk_allocate too */ };

/* Values of a variable without chunks, by their position in C order. */
struct cel_value_range {
    uint64_t first, end; /* the values of a put lie in [first, end) ... */
    bool all;            /* ... and are all of it */
    bool reading;        /* they are only read: no space is allocated */
};

/* Where its values lie: in one piece, or `record` bytes from one index of the first dimension to the next. */
struct cel_value_place {
    uint64_t begin, record; /* record 0: one piece */
    bool swap;              /* in the other byte order */
};

struct cel_peer; /* private: the open file in a process that writes chunks for the one that has the dataset */

struct cel_container_ops {
    const char *name;      /* "hdf5" */
    int formatx;           /* NC_FORMATX_NC_HDF5 ..., for nc_inq_format_extended() */
    unsigned features;     /* of the format: CEL_KEEPS_* and its rules (model.h) */
    unsigned thread_rules; /* CEL_CONCURRENT, or 0 */

    /* How sure this format is that the location is its own; 0: not at all. create: for a new dataset. */
    int (*bid)(const struct cel_location *where, const struct cel_options *options, bool create);

    /* Initialise a new dataset, whose path, mode and root are set. open() loads the structure:
     * groups, dimensions, and the names and dimensions of variables. If they fail with
     * ds->container set, close() is called. */
    int (*create)(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);
    int (*open)(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);

    /* Load what open() postponed. */
    int (*load_types)(struct cel_dataset *ds);
    int (*load_var)(struct cel_dataset *ds, struct cel_var *var);
    int (*load_atts)(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var); /* var NULL: the group's */

    /* Writes everything that is not marked CEL_SAVED, and marks it. */
    int (*save)(struct cel_dataset *ds);

    /* Makes the stored array as large as extent[], and sets var->layout.extent. */
    int (*extend)(struct cel_dataset *ds, struct cel_var *var, const size_t *extent);

    /* Chunks, by index in the chunk grid.
     * find      CEL_ABSENT: the chunk was never written. If its size is not known, chunk_read may find it absent.
     *           Damage is an error, never absence.
     * allocate  allocates space, in chunk order, by the calling thread (unless CEL_CONCURRENT).
     * read, write  move the bytes, in any thread. */
    int (*chunk_find)(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out);
    /* Moves index, in a grid of n[] chunks along each dimension, forward to the first chunk that may be stored, the last
     * dimension fastest; it may stay where it is. chunk_find tells whether that chunk is stored. CEL_ABSENT: there are no more.
     * After a failure index is a chunk for which this cannot be told. Iterating takes time proportional to the stored chunks,
     * however large the grid is. NULL: any chunk may be stored. */
    int (*chunk_next)(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index);
    int (*chunk_read)(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, struct cel_buf *out);
    /* n bytes of a chunk, from offset on, within the size that chunk_fetch_size returns; in any thread. Both NULL: chunks can
     * only be read whole, by chunk_read. */
    int (*chunk_fetch_size)(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                            size_t *nbytes);
    int (*chunk_fetch)(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at, size_t offset,
                       size_t n, void *dst);
    /* A hint by the calling thread: the chunk will be read soon, and may be fetched ahead. False: this dataset does not use
     * hints. NULL: the format does not. */
    bool (*chunk_want)(struct cel_dataset *ds, struct cel_var *var, const size_t *index);
    /* The encoded size of a chunk, from an index or a directory, without reading its bytes. CEL_ABSENT: never written.
     * NULL: chunk_find returns it, or there are no chunks. */
    int (*chunk_size)(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out);
    /* The encoded size of all chunks of a variable. CEL_ABSENT: there is no faster way than asking for each chunk. */
    int (*stored_size)(struct cel_dataset *ds, struct cel_var *var, uint64_t *out);
    /* Where a chunk lies, for inquiries. Like chunk_find; if chunks are in values of a store, also the value's key, which the
     * caller frees, and the range in that value. A variable without chunks counts as one chunk, or as one per record if
     * records are not contiguous. Address UINT64_MAX: the chunk has no bytes of its own. */
    int (*chunk_locate)(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out, char **key);
    int (*chunk_allocate)(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                          size_t n, uint32_t skipped, struct cel_chunk_location *out);
    int (*chunk_write)(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, const void *encoded, size_t n);

    /* Several processes write one dataset. The owner has it open and allocates chunks; between chunk_io_begin and
     * chunk_io_end a peer with the same definitions writes the bytes. A format has all of these functions or none, except
     * that chunk_hand_over and values_hand_over may be NULL: then nothing of that kind is handed over.
     * chunk_hand_over  owner: may a peer write these bytes? The owner's chunk_write always may.
     * chunk_lend       owner: may a peer read these bytes?
     * values_hand_over owner: may peers write these values? The owner then relies on them, and puts again what fails there.
     * peer_open        peer: opens what lies at the location for writing. CEL_ABSENT: it cannot be written in this way.
     * peer_read        like chunk_read.
     * peer_write       like chunk_write. If it fails, the owner must still call chunk_write.
     * peer_write_at    writes bytes of values; peer_read_at reads them.
     * peer_sync        hands the bytes to the system; with cel_env_fsync() waits for the disk.
     * peer_close       always frees the peer. */
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

    /* Elements whose stored form is not that of memory (text, lists, half floats), if var->layout.unchunked is set. The array
     * engine moves, decodes and encodes their chunks like any others; these functions convert a decoded chunk's bytes to
     * elements in C order, and back. Any thread may call them. NULL: unchunked_get and unchunked_put move such variables.
     * Only for formats that need not know a chunk's size beforehand: CEL_CONCURRENT is set. */
    /* The decoded size of a chunk of so many encoded bytes. True: exactly *nbytes; false: at most. */
    bool (*elements_bytes)(const struct cel_var *var, size_t encoded, size_t *nbytes);
    /* Can these bytes be a chunk's elements? Called before memory for them is allocated. */
    int (*elements_check)(const struct cel_var *var, const struct cel_buf *raw);
    /* Decodes into zeroed memory. The elements own their strings and lists, even if it fails halfway. */
    int (*elements_decode)(const struct cel_var *var, const struct cel_buf *raw, void *element);
    int (*elements_encode)(const struct cel_var *var, const void *element, struct cel_buf *raw);

    /* Data that is not moved in chunks: elements of the variable's own type, as in memory. stride
     * is never 0; NULL means all 1. The region lies within var->layout.extent. */
    int (*unchunked_get)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, void *data);
    int (*unchunked_put)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, const void *data);
    /* One element, with the dataset's lock held, if no system call is needed. False: nothing was done. exclusive: no other
     * call is in the dataset, so no other lock is needed. NULL: the format has only unchunked_get and unchunked_put. */
    bool (*get_value)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *value, bool exclusive);
    bool (*put_value)(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *value,
                      bool exclusive);
    bool takes_any_size; /* unchunked_get and unchunked_put split large requests themselves */
    bool moves_directly; /* if ds->file is known: chunk_read and chunk_write are one system call on an open file */

    /* All four or none. A call that allocates chunks announces when it begins and when all bytes are written,
     * and takes no lock of the dataset in between. If must_flush is true, flush_deferred is called outside such a call. */
    void (*chunk_io_begin)(struct cel_dataset *ds);
    void (*chunk_io_end)(struct cel_dataset *ds);
    bool (*must_flush)(struct cel_dataset *ds);
    int (*flush_deferred)(struct cel_dataset *ds);

    /* Hands all bytes to the system, so that they outlive the process; with cel_env_fsync() waits for the disk. */
    int (*sync)(struct cel_dataset *ds);

    /* Always frees the container's memory and every `priv`. keep false: the dataset was never
     * finished (abort), so a file that was created for it is removed. */
    int (*close)(struct cel_dataset *ds, bool keep, struct cel_memory *memory);

    /* Removes the dataset at a location that this format bid for. NULL: it is a file, which the caller unlinks. */
    int (*remove)(const struct cel_location *where);

    /* _SuperblockVersion, _IsNetcdf4, _NCProperties of the root group (var NULL),
     * _Codecs of a variable. CEL_ABSENT: there is no such fact. */
    int (*fact)(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out);

    /* The version of the external library for this format; the caller frees it. NULL: there is no such library. */
    int (*library)(char **out);

    /* All keys of a store, each terminated by a NUL, with an empty key at the end; the caller frees them. NULL: a file has none. */
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
