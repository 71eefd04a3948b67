#ifndef CEL_H5_RAW_H
#define CEL_H5_RAW_H

/* Pieces of an HDF5 file read without libhdf5: what the files that do so share. */

#include "h5_int.h"
#include <string.h>

struct cel_h5_bytes {
    const unsigned char *p;
    size_t n;
};

uint64_t cel_h5_little(const unsigned char *p, size_t n); /* a little-endian number of n bytes */

/* Take n bytes (a number of n bytes) off the front; false when there are not that many. */
bool cel_h5_take(struct cel_h5_bytes *b, size_t n, const unsigned char **p);
bool cel_h5_take_number(struct cel_h5_bytes *b, size_t n, uint64_t *v);

uint32_t cel_h5_sum(const unsigned char *p, size_t n);

/* Do these bytes end with their checksum? */
bool cel_h5_checks(const unsigned char *p, size_t n);
#if defined(CEL_FUZZ)
extern void (*cel_h5_mend)(const unsigned char *p, size_t n); /* told of each sum that would have been checked */
#endif

/* n bytes at a relative address; NULL: not there, or too many. Good until the
 * reader has been asked for CEL_H5_BLOCKS other places. */
const unsigned char *cel_h5_look(struct cel_h5_reader *r, uint64_t addr, size_t n);

/* --- h5_message.c: the messages of an object header ---------------------------- */
enum {
    CEL_H5_DATASPACE = 1,
    CEL_H5_LINK_INFO = 2,
    CEL_H5_DATATYPE = 3,
    CEL_H5_OLD_FILL = 4,
    CEL_H5_FILL = 5,
    CEL_H5_LINK = 6,
    CEL_H5_EXTERNAL = 7,
    CEL_H5_LAYOUT = 8,
    CEL_H5_GROUP_INFO = 10,
    CEL_H5_FILTERS = 11,
    CEL_H5_ATTRIBUTE = 12,
    CEL_H5_CONTINUATION = 16,
    CEL_H5_SYMBOL_TABLE = 17,
    CEL_H5_ATTRIBUTE_INFO = 21
};
struct cel_h5_message {
    int type;
    bool shared; /* the body is only a reference */
    struct cel_h5_bytes body;
};
/* Each of them until one answers false, which is then the answer. A visitor does not use the reader:
 * its blocks would move under the messages. */
typedef bool cel_h5_message_fn(const struct cel_h5_message *m, void *data);
bool cel_h5_messages_each(struct cel_h5_reader *r, uint64_t addr, cel_h5_message_fn *visit, void *data);

/* --- h5_dense.c: messages kept in a heap ---------------------------------------- */
struct cel_h5_dense_kind { /* of the index of names: its type, and what a record of it looks like */
    int type;
    size_t record, id_at, id_n;
    int flags_at; /* -1: none */
};
extern const struct cel_h5_dense_kind cel_h5_dense_atts, cel_h5_dense_links;
/* Every message in a heap, by its index of names; false: cannot tell. */
bool cel_h5_dense_each(struct cel_h5_reader *r, const struct cel_h5_dense_kind *kind, uint64_t heap, uint64_t index,
                       bool (*visit)(struct cel_h5_bytes message, void *data), void *data);

/* --- h5_super.c ------------------------------------------------------------------- */
struct cel_h5_super {
    uint64_t base;    /* where the superblock is: a user block may stand before it */
    uint64_t root;    /* address of the root group's header */
    unsigned chunk_k; /* half the children a node of a chunk index has room for */
};
bool cel_h5_super_read(struct cel_h5_reader *r, struct cel_h5_super *out); /* false: ask libhdf5 */

/* --- h5_links.c --------------------------------------------------------------------- */
struct cel_h5_link {
    char *name;
    uint64_t addr, order;
};
struct cel_h5_links { /* in the order netCDF lists them */
    struct cel_h5_link *at;
    size_t n, cap;
};
/* The links of a group, if all are hard; CEL_ABSENT: ask libhdf5. */
int cel_h5_links_read(struct cel_h5_reader *r, uint64_t addr, struct cel_h5_links *out);
void cel_h5_links_dispose(struct cel_h5_links *links);

/* --- h5_describe.c ------------------------------------------------------------------- */
/* A dataset of numbers in chunks, with filters of ours at most. */
struct cel_h5_described {
    nc_type type;
    bool big_endian;
    int rank;
    size_t chunk[CEL_RANK_MAX];
    uint64_t index; /* address of the chunk index; UINT64_MAX: no chunk was written */
    bool has_fill;
    unsigned char fill[8];  /* in the file's byte order */
    struct cel_chain chain; /* yours to dispose of */
};
/* CEL_ABSENT: it is none such, or cannot be read: ask libhdf5. */
int cel_h5_describe(struct cel_h5_reader *r, uint64_t addr, struct cel_h5_described *out);

#endif
