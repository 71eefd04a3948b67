/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_READ_H
#define CEL_H5_READ_H

/* HDF5 files read without libhdf5, over any source of bytes.
 *
 *   cel_h5r_open()          over bytes: the superblock
 *   cel_h5r_links_read()    what a group holds, by name and address
 *   cel_h5r_object_read()   what lies at an address: its kind, shape and type, and netCDF's own attributes
 *   cel_h5r_dataset_read()  how a dataset is stored: chunks, filters, fill value
 *   cel_h5r_index_find()    where one chunk lies
 *
 * The usual kinds of each are read. Everything else is answered by CEL_ASK_LIBHDF5: libhdf5 reads it or says what is
 * wrong with it. A message that contradicts itself or ends too early is a failure, with the object's offset: libhdf5 does
 * not survive all of those. An answer given here is never wrong. Nothing in this folder knows libhdf5 or its headers. */

#include "chain.h"
#include "container.h"
#include "h5_datatype.h"
#include "model.h"
#include "source.h"

/* Beside CEL_OK and the failures: this cannot be told without libhdf5. No text is set, and nothing was handed out.
 * No other code, and no `false`, has this meaning. */
#define CEL_ASK_LIBHDF5 4

/* --- the bytes and the file ---------------------------------------------------------- */
#define CEL_H5R_NOWHERE UINT64_MAX /* HDF5's undefined address */

/* Constant once open: any number of threads may read it, each with a reader of its own. */
struct cel_h5r_file {
    struct cel_source *source;
    uint64_t size;    /* of the source, as it was opened */
    uint64_t base;    /* offset of the superblock, from which addresses count; a user block may stand before it */
    uint64_t root;    /* address of the root group */
    int version;      /* of the superblock */
    unsigned chunk_k; /* half the children that a node of a chunk index has space for */
    uint64_t sohm;    /* table of shared messages ... */
    unsigned nsohm;   /* ... and how many indices it has; 0: the file has none */
    size_t offset_size, length_size; /* bytes of an address, and of a length: 2, 4 or 8 */
    uint64_t image, nimage;          /* a metadata cache image, and its length; CEL_H5R_NOWHERE: there is none */
};
/* The source is one of cel_h5r_cache_make(), or the file has no metadata cache image. */
int cel_h5r_open(struct cel_source *source, struct cel_h5r_file *out);

/* A source over another one, which stays the caller's, outlives it and does not change: small reads close together are
 * one of the other's. Close it as any source. */
int cel_h5r_cache_make(struct cel_source *below, struct cel_source **out);

/* Keeps what it read last, so that it may be looked at where it is. */
struct cel_h5r_reader;
int cel_h5r_reader_make(const struct cel_h5r_file *file, struct cel_h5r_reader **out);
void cel_h5r_reader_free(struct cel_h5r_reader *r);

/* --- objects --------------------------------------------------------------------------- */
enum cel_h5r_kind { CEL_H5R_OTHER, CEL_H5R_DATASET, CEL_H5R_GROUP, CEL_H5R_TYPE };

/* Classes of types, by their numbers in the file. */
enum cel_h5r_class {
    CEL_H5R_NO_CLASS = -1,
    CEL_H5R_INTEGER,
    CEL_H5R_FLOAT,
    CEL_H5R_TIME,
    CEL_H5R_STRING,
    CEL_H5R_BITFIELD,
    CEL_H5R_OPAQUE,
    CEL_H5R_COMPOUND,
    CEL_H5R_REFERENCE,
    CEL_H5R_ENUM,
    CEL_H5R_VLEN,
    CEL_H5R_ARRAY,
    CEL_H5R_COMPLEX /* everywhere but in the bytes of types: the compound that it means */
};
bool cel_h5r_is_user_class(int klass); /* one of netCDF's user types */

/* NAME of a dimension scale that is no variable, as netCDF writes it. */
#define CEL_H5R_DIM_ONLY "This is a netCDF dimension but not a netCDF variable."

struct cel_h5r_object {
    enum cel_h5r_kind kind;

    /* datasets: the shape */
    bool null_space;
    bool is_virtual; /* its length may be another than the file says: it follows from what it is made of */
    int rank;
    uint64_t dims[CEL_RANK_MAX], maxdims[CEL_RANK_MAX]; /* UINT64_MAX: unlimited */

    /* datasets and types: the type */
    int type_class; /* enum cel_h5r_class; CEL_H5R_NO_CLASS: a committed type, elsewhere */
    size_t type_size;
    bool big_endian;
    uint32_t type_sum;  /* user types: over its bytes, to find the same type elsewhere in the file */
    uint64_t type_addr; /* of the committed type; 0: none, or not known */
    bool unnamed_type;  /* a user type that the file may not name */

    /* the types of its attributes */
    bool unnamed_atts; /* some are user types that the file does not name */
    uint64_t att_addr; /* of the one committed type that attributes have; 0: none */

    /* netCDF's own attributes */
    bool is_scale; /* CLASS is DIMENSION_SCALE */
    bool dim_only; /* a dimension that is no variable */
    bool strict;   /* _nc3_strict is there: a file of the classic model */
    bool has_list; /* DIMENSION_LIST is there */
    int dimid;     /* _Netcdf4Dimid; -1: none */
    int ncoords;   /* _Netcdf4Coordinates; -1: none */
    int coords[CEL_RANK_MAX];
};
#define CEL_H5R_OBJECT_INIT \
    ((struct cel_h5r_object){.rank = -1, .type_class = CEL_H5R_NO_CLASS, .dimid = -1, .ncoords = -1})
int cel_h5r_object_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_object *out);

/* --- types and values ---------------------------------------------------------------------- */
/* The type of the dataset or committed type at an address, wherever the file keeps it; after CEL_OK yours to free. */
int cel_h5r_object_datatype(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_datatype **out);

/* Object `index` of the collection of the global heap at an address. The bytes stay until the next call. */
int cel_h5r_global_heap_get(struct cel_h5r_reader *r, uint64_t addr, size_t index, struct cel_h5_bytes *out);

/* n elements of a file's type into memory, as the model's type for it has them. `to` is zeroed and stays so that
 * cel_value_reclaim() may be called, also after a failure. left: what may be done for what lies in the global heap, made less; NULL: as
 * much as a file of this size is believed to need. */
struct cel_h5r_heap_budget {
    uint64_t memory; /* bytes that values take */
    uint64_t read;   /* bytes of collections, some of them many times */
};
int cel_h5r_values_read(struct cel_h5r_reader *r, const struct cel_h5r_datatype *from_type,
                        const struct cel_type *to_type, struct cel_h5_bytes from, size_t n,
                        struct cel_h5r_heap_budget *left, void *to);
struct cel_h5r_heap_budget cel_h5r_most_of_heap(const struct cel_h5r_file *file); /* that much */
/* Do the file's bytes have memory's layout, but for byte order (*swap)? */
bool cel_h5r_is_native(const struct cel_h5r_datatype *from_type, const struct cel_type *to_type, bool *swap);

/* --- attributes ----------------------------------------------------------------------------- */
struct cel_h5r_attributes { /* in the order of their creation, where the file keeps it */
    struct cel_h5r_attribute_message {
        unsigned char *bytes;
        size_t n;
        unsigned order;
        size_t nth;
        bool shared; /* never in a list that was read */
    } * at;
    size_t n, cap;
};
/* Of the object at an address; after CEL_OK yours to dispose of. None is looked at: a damaged one fails alone. */
int cel_h5r_attributes_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_attributes *out);
void cel_h5r_attributes_dispose(struct cel_h5r_attributes *list);
const char *cel_h5r_attribute_name(const struct cel_h5r_attribute_message *m); /* NULL: it has none ... */
int cel_h5r_attribute_check(const struct cel_h5r_attribute_message *m);        /* ... for this reason */

enum cel_h5r_shape { CEL_H5R_NULL, CEL_H5R_SCALAR, CEL_H5R_SIMPLE };
struct cel_h5r_attribute_value {
    struct cel_h5r_datatype *type; /* yours to free */
    uint64_t committed;            /* where the file has the type; 0: nowhere */
    enum cel_h5r_shape shape;
    size_t n;                 /* elements; all are there */
    struct cel_h5_bytes data; /* of the message */
};
int cel_h5r_attribute_look(struct cel_h5r_reader *r, const struct cel_h5r_attribute_message *m,
                           struct cel_h5r_attribute_value *out);

/* The addresses of the scales of each dimension of a dataset, as DIMENSION_LIST says; 0: none. */
int cel_h5r_dimension_list(struct cel_h5r_reader *r, uint64_t dataset, int ndims, uint64_t *addr);

/* --- groups ------------------------------------------------------------------------------- */
struct cel_h5r_link {
    char *name;
    char *path;    /* a soft link's, or of the object in the other file; NULL: a hard one */
    char *file;    /* the other file, of a link that leads there, also by way of soft ones; NULL: this one */
    uint64_t addr; /* a hard link's, and a soft one's once it was followed; CEL_H5R_NOWHERE: it leads nowhere */
    uint64_t order;
};
struct cel_h5r_links { /* in the order netCDF lists them */
    struct cel_h5r_link *at;
    size_t n, cap;
};
/* Hard and soft links, the soft ones followed, and links to other files. After CEL_OK yours to dispose of. */
int cel_h5r_links_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_links *out);
void cel_h5r_links_dispose(struct cel_h5r_links *links);
/* What a path from the root group leads to, as the rest of a link. CEL_ABSENT: to nothing. After CEL_OK yours to dispose of. */
int cel_h5r_find(struct cel_h5r_reader *r, const char *path, struct cel_h5r_link *out);
void cel_h5r_link_dispose(struct cel_h5r_link *link);

/* --- datasets, with built-in filters at most --------------------------------------------------- */
/* How the elements lie in the file, and how their chunks are found: by the numbers in the file. */
enum cel_h5r_storage { CEL_H5R_COMPACT, CEL_H5R_CONTIGUOUS, CEL_H5R_CHUNKED, CEL_H5R_VIRTUAL };
enum cel_h5r_index_kind {
    CEL_H5R_INDEX_BTREE1,
    CEL_H5R_INDEX_SINGLE,   /* one chunk is all there is */
    CEL_H5R_INDEX_IMPLICIT, /* all chunks, one behind the other */
    CEL_H5R_INDEX_FIXED,
    CEL_H5R_INDEX_EXTENSIBLE,
    CEL_H5R_INDEX_BTREE2,
    CEL_H5R_INDEX_KINDS
};
struct cel_h5r_layout {
    enum cel_h5r_storage storage;
    int version;
    uint64_t addr; /* of the elements, of the chunk index, or of the heap; CEL_H5R_NOWHERE: nothing was written */
    uint64_t size; /* of the elements, or of one chunk without filters */
    bool size_from_shape;   /* contiguous, and size is not told */
    unsigned char *compact; /* the elements themselves; yours to free */
    uint32_t heap_index;    /* virtual: what it is made of */

    /* chunks */
    int rank;
    uint64_t chunk[CEL_RANK_MAX];
    uint64_t elem; /* bytes of an element */
    enum cel_h5r_index_kind kind;
    bool raw_edges;       /* edge chunks are stored without filters and without saying so */
    bool single_filtered; /* of the one chunk these are known: */
    uint64_t single_size;
    uint32_t single_mask;
};
/* Files that hold the elements of a dataset one after the other. */
#define CEL_H5R_PARTS_MAX 64
struct cel_h5r_external {
    struct cel_h5r_part_file {
        char *name;
        uint64_t offset, size; /* UINT64_MAX: all that is left */
    } * part;
    size_t n; /* 0: they lie in this file */
};
struct cel_h5r_dataset {
    struct cel_h5r_datatype *form;
    uint64_t committed; /* where the file has the type; 0: only here */
    bool null_space;    /* no elements at all */
    int rank;
    uint64_t dims[CEL_RANK_MAX], maxdims[CEL_RANK_MAX]; /* UINT64_MAX: unlimited */
    struct cel_h5r_layout layout;
    struct cel_h5r_external external; /* contiguous only */
    unsigned char *fill;              /* nfill bytes, an element as the file has it; NULL: no fill value of its own */
    size_t nfill;
    bool never_filled; /* with a fill value or not: what was not written is not filled */
    bool filtered;     /* the chain is not empty, also when it was taken over */
    struct cel_chain chain;
};
/* After CEL_OK yours to dispose of. */
int cel_h5r_dataset_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_dataset *out);
void cel_h5r_dataset_dispose(struct cel_h5r_dataset *d);

/* Where its chunks lie. The file outlives the index. */
struct cel_h5r_index;
int cel_h5r_index_make(const struct cel_h5r_file *file, const struct cel_h5r_dataset *dataset,
                       struct cel_h5r_index **out);
void cel_h5r_index_free(struct cel_h5r_index *index);
enum cel_h5r_index_kind cel_h5r_index_kind(const struct cel_h5r_index *index);
/* The chunk at `at` in the grid of chunks; CEL_ABSENT: it was never written. One thread at a time. */
int cel_h5r_index_find(struct cel_h5r_index *index, const size_t *at, struct cel_chunk_location *out);
/* Moves `at` to the first chunk at or behind it, the last dimension fastest, of n[] along each dimension, that the index has;
 * CEL_ABSENT: there is none. CEL_ASK_LIBHDF5 and failures: moved to one of which it cannot be told. The steps of a walk over
 * all chunks are as many as the index has, however many the grid could have. */
int cel_h5r_index_next(struct cel_h5r_index *index, const size_t *n, size_t *at);

/* --- virtual datasets ------------------------------------------------------------------------------- */
/* `count` blocks of `block` elements each, whose beginnings are `stride` apart; count UINT64_MAX: there is no end. */
struct cel_h5r_axis {
    uint64_t start, stride, count, block;
};
uint64_t cel_h5r_axis_length(const struct cel_h5r_axis *a);                  /* elements; UINT64_MAX: no end */
uint64_t cel_h5r_axis_at(const struct cel_h5r_axis *a, uint64_t i);          /* where element i is */
uint64_t cel_h5r_axis_within(const struct cel_h5r_axis *a, uint64_t extent); /* how many elements are before there */
uint64_t cel_h5r_axis_end(const struct cel_h5r_axis *a, uint64_t n);         /* the extent that n elements need */

/* Blocks in no regular order, as boxes whose elements come box by box (h5_boxes.c). Lists are yours to dispose of, after
 * CEL_OK, and after failures of what changes them. CEL_ASK_LIBHDF5: they would be too long. */
struct cel_h5r_boxes {
    int rank;
    uint64_t *at; /* of each box: its first element, its last; rank numbers each */
    size_t n;
};
int cel_h5r_boxes_make(int rank, uint64_t n, struct cel_h5r_boxes *out); /* not set */
int cel_h5r_boxes_of_axes(const struct cel_h5r_axis *axis, const uint64_t *n, int rank, struct cel_h5r_boxes *out);
int cel_h5r_boxes_order(struct cel_h5r_boxes *b); /* of blocks in any order */
/* Cut so that both have as many boxes, each with as many elements. CEL_ASK_LIBHDF5: they have not as many in all. */
int cel_h5r_boxes_match(struct cel_h5r_boxes *a, struct cel_h5r_boxes *b);
uint64_t cel_h5r_boxes_end(const struct cel_h5r_boxes *b, int dim); /* the extent they need */
void cel_h5r_boxes_dispose(struct cel_h5r_boxes *b);

struct cel_h5r_selection {
    enum { CEL_H5R_SELECT_NONE, CEL_H5R_SELECT_ALL, CEL_H5R_SELECT_BLOCKS, CEL_H5R_SELECT_BOXES } kind;
    int rank; /* of blocks and boxes, and so the rest */
    struct cel_h5r_axis *axis;
    int endless;                /* the dimension without an end; -1: none */
    struct cel_h5r_boxes boxes; /* where the blocks are not regular */
};
struct cel_h5r_mappings {
    struct cel_h5r_mapping {
        const char *file, *dataset; /* file ".": this one */
        struct cel_h5r_selection from, to;
    } * at;
    size_t n;
    unsigned char *block; /* has the names */
};
/* Yours to dispose of, also after a failure. */
int cel_h5r_mappings_read(struct cel_h5r_reader *r, const struct cel_h5r_layout *layout, struct cel_h5r_mappings *out);
void cel_h5r_mappings_dispose(struct cel_h5r_mappings *list);
bool cel_h5r_is_numbered(const char *name); /* it stands for one name for each block */
/* The name for that block, as a text in `out`. */
int cel_h5r_numbered_name(const char *name, uint64_t number, struct cel_buf *out);

/* --- elements as they stand in the file --------------------------------------------------------- */
struct cel_h5r_region { /* within the shape */
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX], stride[CEL_RANK_MAX];
};
/* Of a dataset that is not in chunks, packed. fill: for what was never written. */
int cel_h5r_raw_read(const struct cel_h5r_file *file, const struct cel_h5r_dataset *d,
                     const struct cel_h5r_region *region, const unsigned char *fill, unsigned char *out);

/* Of one in chunks. The chain (as the file has it; taken over) is prepared for elements of the file's size. Yours to free,
 * also after a failure. The file and the dataset outlive it. One thread at a time. */
struct cel_h5r_chunks;
int cel_h5r_chunks_make(const struct cel_h5r_file *file, const struct cel_h5r_dataset *d, struct cel_chain *chain,
                        struct cel_h5r_chunks **out);
void cel_h5r_chunks_free(struct cel_h5r_chunks *c);
int cel_h5r_chunks_read(struct cel_h5r_chunks *c, const struct cel_h5r_region *region, const unsigned char *fill,
                        unsigned char *out);

#endif
