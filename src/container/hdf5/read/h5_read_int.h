/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_READ_INT_H
#define CEL_H5_READ_INT_H

/* What the files of this folder share. Functions that return int answer as those of h5_read.h do: CEL_OK, a failure, or
 * CEL_ASK_LIBHDF5. */

#include "h5_bytes.h"
#include "h5_read.h"
#include <string.h>

/* --- h5_block.c: the blocks of the file read last --------------------------------- */
enum { CEL_H5R_BLOCKS = 8, CEL_H5R_COLLECTIONS = 8 };
struct cel_h5r_reader {
    const struct cel_h5r_file *file;
    int turn; /* the block to be replaced next */
    struct cel_h5r_block {
        uint64_t at;
        size_t n, cap;
        unsigned char *bytes;
    } block[CEL_H5R_BLOCKS];
    struct cel_h5r_collection *collection; /* CEL_H5R_COLLECTIONS of them; NULL until one is needed */
    uint64_t collections_used;
    uint64_t collections_read; /* bytes */
};
/* n bytes at an address, which stay until CEL_H5R_BLOCKS other blocks were asked for; NULL: not there, or more than is
 * kept together. */
const unsigned char *cel_h5r_look(struct cel_h5r_reader *r, uint64_t addr, size_t n);
void cel_h5r_reader_forget(struct cel_h5r_reader *r); /* the file may have changed */

/* An address in the file's size of them; CEL_H5R_NOWHERE: all its bits are set. */
uint64_t cel_h5r_take_address(const struct cel_h5r_file *file, struct cel_h5_bytes *b);
uint64_t cel_h5r_take_length(const struct cel_h5r_file *file, struct cel_h5_bytes *b); /* all bits set: UINT64_MAX */

/* --- h5_kept.c: structures of the file with a checksum ------------------------------ */
/* "the <what> at offset N is damaged: <why>" */
int cel_h5r_damaged(const struct cel_h5r_file *file, uint64_t addr, const char *what, const char *why);
/* "its <what> is damaged: <why>", of a message, which may have no checksum: libhdf5 does not survive all of those. */
int cel_h5r_bad_message(const char *what, const char *why);
int cel_h5r_ended(const struct cel_h5_bytes *b, const char *what); /* a failure if more was taken than was there */
/* "the object at offset N: <why>"; gives rc, and leaves other answers alone. */
int cel_h5r_fail_in_object(const struct cel_h5r_file *file, uint64_t addr, int rc);
bool cel_h5r_is_inside(const struct cel_h5r_file *file, uint64_t addr, uint64_t n);
/* n bytes at an address, all of them inside the file. */
int cel_h5r_get(const struct cel_h5r_file *file, uint64_t addr, const char *what, unsigned char *out, size_t n);
/* The same, which begin with this signature (NULL: with none) and version 0, and end with their checksum. */
int cel_h5r_get_summed(const struct cel_h5r_file *file, uint64_t addr, const char *signature, const char *what,
                       unsigned char *out, size_t n);
/* n bytes at an address will be read soon, as a range for cel_source_want(). */
struct cel_range cel_h5r_range(const struct cel_h5r_file *file, uint64_t addr, uint64_t n);
#define CEL_H5R_HEAD_MAX 256 /* no header of a structure is longer */

/* One such structure in memory of its own, read when another address is asked for. */
struct cel_h5r_kept {
    uint64_t addr;
    size_t n;             /* 0: holds nothing */
    unsigned char *bytes; /* yours to free */
};
int cel_h5r_kept_get(const struct cel_h5r_file *file, struct cel_h5r_kept *kept, uint64_t addr, size_t n,
                     const char *signature, const char *what);

/* --- h5_image.c: a metadata cache image ------------------------------------------------- */
struct cel_h5r_patches { /* bytes that count instead of the source's, in ascending order, none over another */
    struct cel_h5r_patch {
        uint64_t at; /* in the source */
        size_t n;
        const unsigned char *bytes; /* of the block */
    } * at;
    size_t n, nblock;
    unsigned char *block;
};
void cel_h5r_patches_dispose(struct cel_h5r_patches *p);
/* Over all that is read from now on. */
int cel_h5r_image_lay(const struct cel_h5r_file *file, uint64_t addr, uint64_t n);
/* h5_cache.c: takes the patches over, after CEL_OK. */
int cel_h5r_cache_lay(struct cel_source *cache, struct cel_h5r_patches *p);

/* --- h5_btree2.c: B-trees of version 2 ------------------------------------------------ */
struct cel_h5r_btree2;
/* type: that of its records; record: their size, 0: whatever it says. Yours to free, also after a failure. The file
 * outlives the tree. One thread at a time. */
int cel_h5r_btree2_make(const struct cel_h5r_file *file, uint64_t addr, int type, size_t record,
                        struct cel_h5r_btree2 **out);
void cel_h5r_btree2_free(struct cel_h5r_btree2 *t);
uint64_t cel_h5r_btree2_count(const struct cel_h5r_btree2 *t);
size_t cel_h5r_btree2_record(const struct cel_h5r_btree2 *t); /* its size */
/* Where what is sought stands: *side < 0 before this record, 0 it is the one, > 0 behind it. */
typedef int cel_h5r_record_order(const unsigned char *record, void *sought, int *side);
typedef int cel_h5r_record_fn(const unsigned char *record, void *data);
/* The record, until the tree is used again; CEL_ABSENT: there is none such. */
int cel_h5r_btree2_find(struct cel_h5r_btree2 *t, cel_h5r_record_order *order, void *sought,
                        const unsigned char **record);
/* The records, one of each level at most, among which is the first of those that do not stand before what is sought; as
 * long as the answers are CEL_OK. None: there is no such record. */
int cel_h5r_btree2_seek(struct cel_h5r_btree2 *t, cel_h5r_record_order *order, void *sought, cel_h5r_record_fn *visit,
                        void *data);
/* Where its root is, to be announced. */
struct cel_range cel_h5r_btree2_root(const struct cel_h5r_btree2 *t);
/* Each record in its order, as long as the answers are CEL_OK; any other is then the answer. */
int cel_h5r_btree2_each(struct cel_h5r_btree2 *t, cel_h5r_record_fn *visit, void *data);

/* --- h5_message.c: the messages of an object header ----------------------------------- */
enum {
    CEL_H5R_NIL = 0,
    CEL_H5R_DATASPACE = 1,
    CEL_H5R_LINK_INFO = 2,
    CEL_H5R_DATATYPE = 3,
    CEL_H5R_OLD_FILL = 4,
    CEL_H5R_FILL = 5,
    CEL_H5R_LINK = 6,
    CEL_H5R_EXTERNAL = 7,
    CEL_H5R_LAYOUT = 8,
    CEL_H5R_GROUP_INFO = 10,
    CEL_H5R_FILTERS = 11,
    CEL_H5R_ATTRIBUTE = 12,
    CEL_H5R_CONTINUATION = 16,
    CEL_H5R_SYMBOL_TABLE = 17,
    CEL_H5R_ATTRIBUTE_INFO = 21
};
struct cel_h5r_message {
    int type;
    bool shared;    /* the body is only a reference */
    unsigned order; /* of creation where the header keeps it, else of its messages */
    struct cel_h5_bytes body;
};
/* Each of them, as long as the answers are CEL_OK; any other is then the answer. A visitor does not use the reader: the
 * messages lie in its blocks. */
typedef int cel_h5r_message_fn(const struct cel_h5r_message *m, void *data);
int cel_h5r_messages_each(struct cel_h5r_reader *r, uint64_t addr, cel_h5r_message_fn *visit, void *data);

/* --- h5_fractal_heap.c --------------------------------------------------------------------- */
struct cel_h5r_fractal_heap;
/* Yours to free, also after a failure. The file outlives the heap. One thread at a time. */
int cel_h5r_fractal_heap_make(const struct cel_h5r_file *file, uint64_t addr, struct cel_h5r_fractal_heap **out);
void cel_h5r_fractal_heap_free(struct cel_h5r_fractal_heap *h);
size_t cel_h5r_fractal_heap_id_size(const struct cel_h5r_fractal_heap *h);
bool cel_h5r_fractal_heap_is_one_block(const struct cel_h5r_fractal_heap *h);     /* all objects lie together */
struct cel_range cel_h5r_fractal_heap_root(const struct cel_h5r_fractal_heap *h); /* a block, or its table */
/* The block in which the object of that id lies; empty: in none. It reads tables only. */
struct cel_range cel_h5r_fractal_heap_block_of(struct cel_h5r_fractal_heap *h, const unsigned char *id);
/* Where the object lies, for sorting; UINT64_MAX: not among the others. */
uint64_t cel_h5r_fractal_heap_position(const struct cel_h5r_fractal_heap *h, const unsigned char *id);
/* The object of that id, until the heap is used again or `copy` is, which holds it if it does not lie in a block. */
int cel_h5r_fractal_heap_get(struct cel_h5r_fractal_heap *h, const unsigned char *id, struct cel_buf *copy,
                             struct cel_h5_bytes *out);

/* --- h5_sohm.c: messages that the file keeps once for all ------------------------------------ */
int cel_h5r_sohm_note(struct cel_h5_bytes body, struct cel_h5r_file *file); /* where they are, from the extension */
int cel_h5r_sohm_get(struct cel_h5r_reader *r, int type, const unsigned char *id, struct cel_buf *out); /* a copy */

/* --- h5_symbols.c: links of the oldest kind of groups ------------------------------------------ */
struct cel_h5r_symbol {
    const char *name;
    uint64_t addr;
    const char *path; /* a soft link's; NULL: a hard one */
};
typedef int cel_h5r_symbol_fn(const struct cel_h5r_symbol *s, void *data);
int cel_h5r_symbols_each(const struct cel_h5r_file *file, struct cel_h5_bytes message, cel_h5r_symbol_fn *visit,
                         void *data);

/* --- h5_dense.c: messages kept in a heap ------------------------------------------------ */
struct cel_h5r_dense { /* where; NOWHERE: the messages are in the header */
    uint64_t heap, index;
};
struct cel_h5r_dense_kind { /* of the index of names: its type, and what a record of it looks like */
    int type, message;
    size_t record, id_at, id_n;
    int flags_at;    /* -1: none */
    size_t order_at; /* 0: none */
};
extern const struct cel_h5r_dense_kind cel_h5r_dense_atts, cel_h5r_dense_links;
/* Every message of the heap, with its order of creation where that is kept and its number in the index of names, in any
 * order; visit as above. */
typedef int cel_h5r_body_fn(const struct cel_h5_bytes *body, unsigned order, size_t nth, void *data);
int cel_h5r_dense_each(struct cel_h5r_reader *r, const struct cel_h5r_dense_kind *kind,
                       const struct cel_h5r_dense *dense, cel_h5r_body_fn *visit, void *data);

/* --- h5_global_heap.c --------------------------------------------------------------------- */
void cel_h5r_global_heap_forget(struct cel_h5r_reader *r);

/* --- h5_shared.c: messages that lie elsewhere --------------------------------------------- */
/* The committed type that a reference leads to; 0: it leads elsewhere. */
uint64_t cel_h5r_committed_at(const struct cel_h5r_reader *r, struct cel_h5_bytes body);
/* The message of that type in the header at an address, as a copy in `out`. */
int cel_h5r_message_copy(struct cel_h5r_reader *r, uint64_t addr, int type, bool *shared, struct cel_buf *out);
static inline struct cel_h5_bytes cel_h5r_bytes_of(const struct cel_buf *b)
{
    return (struct cel_h5_bytes){.p = (const unsigned char *)b->data, .n = b->len};
}
/* The message of that type which a shared one stands for, as a copy in `out`. */
int cel_h5r_shared_read(struct cel_h5r_reader *r, int type, struct cel_h5_bytes body, struct cel_buf *out);

/* --- h5_local_heap.c, h5_external.c ------------------------------------------------------------ */
/* Its bytes are yours to free, also after a failure. */
int cel_h5r_local_heap_read(const struct cel_h5r_file *file, uint64_t addr, unsigned char **bytes, size_t *n);
/* Yours to dispose of, also after a failure. */
int cel_h5r_external_read(const struct cel_h5r_file *file, struct cel_h5_bytes body, struct cel_h5r_external *out);
void cel_h5r_external_dispose(struct cel_h5r_external *e);

/* --- h5_selection.c ---------------------------------------------------------------------------- */
/* Yours to dispose of, also after a failure. */
int cel_h5r_selection_take(struct cel_h5_bytes *b, struct cel_h5r_selection *out);
void cel_h5r_selection_dispose(struct cel_h5r_selection *s);

/* --- h5_filters.c ------------------------------------------------------------------------------- */
/* Adds to a chain, which is yours to dispose of, also after a failure. */
int cel_h5r_filters_read(struct cel_h5_bytes b, struct cel_chain *out);
/* n bytes that went through these filters, on their own, as the `size` bytes that they were, in `out`. */
int cel_h5r_filters_decode(const struct cel_chain *filters, uint32_t skipped, const unsigned char *from, size_t n,
                           struct cel_buf *out, size_t size);

/* --- h5_layout.c ---------------------------------------------------------------------------- */
/* Also after a failure out->compact is yours to free. */
int cel_h5r_layout_read(const struct cel_h5r_file *file, struct cel_h5_bytes body, struct cel_h5r_layout *out);

/* --- h5_index.c, and a file for each kind of chunk index ---------------------------------------- */
struct cel_h5r_grid { /* of chunks, as all kinds are told of it */
    const struct cel_h5r_file *file;
    struct cel_h5r_layout layout;
    int rank;
    uint64_t chunk[CEL_RANK_MAX]; /* lengths of one */
    uint64_t most[CEL_RANK_MAX];  /* chunks that there may be; UINT64_MAX: no end */
    bool filtered;
};
struct cel_h5r_index_ops {
    size_t state; /* bytes of what this kind keeps, zeroed at first; 0: nothing, and the first and the last are NULL */
    int (*open)(const struct cel_h5r_grid *grid, void *state); /* the grid outlives the state */
    /* The chunk's address, size and mask as they stand in the index, without the base; CEL_H5R_NOWHERE or CEL_ABSENT:
     * it was never written. */
    int (*find)(const struct cel_h5r_grid *grid, void *state, const size_t *at, struct cel_chunk_location *out);
    /* Moves `at`, one of n[] chunks, to the first at or behind it that the index has, also if that is none of them;
     * CEL_ABSENT: there is none. CEL_ASK_LIBHDF5 and failures: moved to where it cannot be told. */
    int (*next)(const struct cel_h5r_grid *grid, void *state, const size_t *n, size_t *at);
    void (*dispose)(void *state); /* of what it holds, also after a failure to open it */
};
extern const struct cel_h5r_index_ops cel_h5r_index_btree1, cel_h5r_index_fixed, cel_h5r_index_extensible,
    cel_h5r_index_btree2;
/* The number of a chunk in a grid as large as it may ever be, along dimension `first` last; false: there is none such. */
bool cel_h5r_grid_number(const struct cel_h5r_grid *grid, int first, const size_t *at, uint64_t *out);
bool cel_h5r_grid_last(const struct cel_h5r_grid *grid, int first, const size_t *n,
                       uint64_t *out); /* the number of the last of n[] chunks */
/* A position that memory has no number for lies outside every grid. */
static inline size_t cel_h5r_clamp(uint64_t at)
{
    return at < SIZE_MAX ? (size_t)at : SIZE_MAX;
}
/* The chunk of a number. */
void cel_h5r_grid_position(const struct cel_h5r_grid *grid, int first, uint64_t number, size_t *at);
/* The elements of an array that lie together from element i on, and how many; *p NULL: none of those was ever written. */
typedef int cel_h5r_elements_fn(const struct cel_h5r_grid *grid, void *state, uint64_t i, const unsigned char **p,
                                uint64_t *n);
/* Moves *i to the first element of `elem` bytes, at or behind it and before `end`, that has an address. */
int cel_h5r_grid_scan(const struct cel_h5r_grid *grid, void *state, cel_h5r_elements_fn *elements, size_t elem,
                      uint64_t end, uint64_t *i);
/* One element of an array of chunks, or the beginning of a B-tree's record:
 *   address(O), and with filters stored bytes(1 to 8) mask(4) */
void cel_h5r_grid_element(const struct cel_h5r_grid *grid, const unsigned char *p, size_t size_n,
                          struct cel_chunk_location *out);
/* The bytes of `stored bytes` in an element of n bytes; false: no element has n. */
bool cel_h5r_grid_size_bytes(const struct cel_h5r_grid *grid, size_t n, size_t *size_n);
/* Bit i of a map, the highest of a byte first. */
static inline bool cel_h5r_bit(const unsigned char *map, uint64_t i)
{
    return map[i / 8] >> (7 - i % 8) & 1;
}

/* --- h5_object.c, h5_attribute.c: parts of an object ------------------------------------------ */
int cel_h5r_space_read(const struct cel_h5r_reader *r, struct cel_h5_bytes b, struct cel_h5r_object *out);
int cel_h5r_type_class(const struct cel_h5_bytes *type); /* enum cel_h5r_class, strings of any length alike */
int cel_h5r_type_read(struct cel_h5_bytes b, struct cel_h5r_object *out);

struct cel_h5r_attribute { /* a message taken apart */
    const char *name;      /* ends within the message */
    bool type_shared, space_shared;
    struct cel_h5_bytes type, space, data;
};
int cel_h5r_attribute_split(struct cel_h5_bytes body, struct cel_h5r_attribute *out);
/* What of an attribute matters when files are opened. CEL_ABSENT: a part of it lies elsewhere, and cel_h5r_attributes_note()
 * finds it for all of them. */
int cel_h5r_attribute_note(const struct cel_h5r_reader *r, struct cel_h5_bytes body, struct cel_h5r_object *out);
int cel_h5r_attributes_note(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_object *out);
int cel_h5r_attribute_info_read(const struct cel_h5r_reader *r, struct cel_h5_bytes b, struct cel_h5r_dense *out);

#endif
