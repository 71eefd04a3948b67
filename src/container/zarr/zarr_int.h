/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ZARR_INT_H
#define CEL_ZARR_INT_H

/* Inside the Zarr container: what it keeps of a store, a group and an array. */

#include "container.h"
#include "json.h"
#include "store.h"

/* A few compressed bytes may decode to any number. Decoded sizes that no document tells have limits, which
 * CELLAR_MAX_DECODED raises (docs/zarr.md). */
#define ZARR_META_MAX ((size_t)64 << 20)   /* one metadata document */
#define ZARR_PACKED_META ((size_t)1 << 20) /* all of those in an archive, and ... */
#define ZARR_PACKED_RATIO 128              /* ... this many for each of its bytes */
#define ZARR_CHUNK_MAX ((size_t)64 << 20)  /* one chunk of elements without fixed size, and 64 for each stored byte */
#define ZARR_JSON_CHUNK_MAX ((size_t)4 << 20) /* ... the same where it is JSON, which takes more memory than its text */
#define ZARR_CHUNK_RATIO 64
#define ZARR_ELEMENT_MAX \
    ((size_t)64 << 10) /* one element of raw bytes, or a structure: each variable may hold one to fill with */

#define ZARR_DEPTH_MAX 128 /* levels of groups */

/* --- the store: ds->container ------------------------------------------------ */
struct zarr {
    struct cel_store *store;
    int version;           /* 2 or 3 */
    bool nczarr;           /* keep what plain Zarr cannot say in _nczarr_* attributes */
    bool xarray;           /* v2: dimension names in _ARRAY_DIMENSIONS */
    bool utf8;             /* v2: documents are written in UTF-8, not in ASCII */
    bool consolidated;     /* read from, and write, one document with all metadata */
    struct cel_json *all;  /* that document's map of key -> document; NULL: not used */
    struct cel_json *tree; /* ... and its folders: an object for each, whose members are those in it */
    bool changed;          /* a document was written or removed since that one was */
    uint64_t archive;      /* bytes of the zip archive; 0: it is none */
    uint64_t unpacked;     /* bytes of documents read from it so far */
    struct cel_vec late; /* while loading: struct cel_zarr_late *, variables whose dimensions may lie in other groups */
    bool groups_known;   /* ... all groups have been read */
};

/* --- a group: group->priv ----------------------------------------------------- */
struct cel_zarr_group {
    char *path;             /* "" or "a/b" */
    struct cel_json *doc;   /* v3: zarr.json as it was read; NULL: new */
    struct cel_json *attrs; /* the attributes as the store has them, ours included */
    bool consolidated;      /* v3: its document has those of all below it */
    char *saved;            /* text of the documents as they are here, to see what changed */
    bool unsaved;           /* ... but not in the store */
};

/* How the elements of an array are stored. */
enum cel_zarr_form {
    ZARR_NUMBERS, /* as in memory, up to byte order */
    ZARR_HALF,    /* float16, read as float */
    ZARR_BFLOAT,  /* bfloat16, read as float */
    ZARR_BYTES,   /* NUL-padded bytes of fixed length -> NC_STRING */
    ZARR_UTF32,   /* NUL-padded code points -> NC_STRING */
    ZARR_VLEN,    /* vlen-utf8 -> NC_STRING; vlen-bytes, vlen-array -> NC_VLEN */
    ZARR_JSON,    /* json2 -> NC_STRING */
    ZARR_CATEGORY /* categorize: numbers of labels -> NC_STRING */
};
/* Numbers or text in a structure that may be stored otherwise than memory has them: zarr_struct.c. */
struct cel_zarr_leaf {
    size_t at, size, n; /* where the first is, the bytes of one, how many */
    bool text;          /* code points, in memory UTF-8; else numbers */
    bool big;           /* v2; in v3 the order is that of the whole structure */
};
struct cel_zarr_dtype {
    enum cel_zarr_form form;
    size_t size; /* bytes of one stored element; ZARR_VLEN, ZARR_JSON: 0 */
    bool big;
    const struct cel_type *type;
    const struct cel_json *labels; /* ZARR_CATEGORY: borrowed from the array's document */
    struct cel_zarr_leaf *leaf;    /* structures: their numbers and text; NULL: it is none */
    size_t nleaf;
};

struct cel_zarr_shard;  /* zarr_shard.c */
struct cel_zarr_listed; /* zarr_listed.c */

/* --- an array: var->priv --------------------------------------------------------- */
struct cel_zarr_array {
    char *path;
    struct cel_json *doc;   /* .zarray or zarr.json */
    struct cel_json *attrs; /* .zattrs, or the attributes of zarr.json */
    char *saved;
    bool unsaved; /* both as in zarr_group */
    struct cel_zarr_dtype dtype;
    bool implied_units;             /* the attribute "units" is the data type's, not the store's */
    bool serialized;                /* v3: a filter of the chain stands in place of "bytes" */
    bool scalar;                    /* stored as shape [1], one value for netCDF */
    bool prefixed;                  /* keys start with "c" */
    char separator;                 /* between chunk indices */
    int *order;                     /* stored axis i is axis order[i]; NULL: as they are */
    struct cel_zarr_shard *shard;   /* the innermost shards; NULL: none */
    struct cel_zarr_listed *listed; /* chunks that the store has; NULL: not asked for */
    atomic_bool changed;            /* ... since which some were written */
};

static inline struct zarr *cel_zarr_of(const struct cel_dataset *ds)
{
    return ds->container;
}

/* --- zarr_store.c: documents ------------------------------------------------------- */
/* The JSON document at path/name; CEL_ABSENT when there is none. */
int cel_zarr_get_json(struct zarr *z, const char *path, const char *name, struct cel_json **out);
int cel_zarr_put_json(struct zarr *z, const char *path, const char *name, const struct cel_json *doc);
int cel_zarr_put_json_last(struct zarr *z, const char *path, const char *name,
                           const struct cel_json *doc);                    /* once all that were put before are there */
int cel_zarr_key(const char *path, const char *name, struct cel_buf *out); /* NUL-terminated */
int cel_zarr_bad(const char *path, const char *pointer, const char *fmt, ...)
    CEL_PRINTF(3, 4); /* NC_ENCZARR, with the place */

/* --- zarr_root.c --------------------------------------------------------------------- */
int cel_zarr_find_root(struct zarr *z, const char *path);  /* sets the version, and the prefix of keys; NC_ENOTZARR */
int cel_zarr_find_below(struct zarr *z, const char *path); /* CEL_ABSENT: no array or group lies below this folder */

/* --- zarr_consolidated.c ------------------------------------------------------------- */
int cel_zarr_consolidated_load(struct zarr *z);         /* sets z->all, where the store has such a document */
int cel_zarr_consolidated_save(struct cel_dataset *ds); /* writes it, where it is wanted or there already */
int cel_zarr_tree_list(const struct zarr *z, const char *path, cel_store_visit *visit,
                       void *context); /* what z->all has right below path */

/* --- zarr_load.c, zarr_save.c -------------------------------------------------------- */
int cel_zarr_load(struct cel_dataset *ds);
int cel_zarr_load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var);
int cel_zarr_save(struct cel_dataset *ds);
bool cel_zarr_is_left_out(const struct cel_group *group,
                          const char *name); /* unreadable, and no object was made of it */
void cel_zarr_group_free(struct cel_zarr_group *g);
void cel_zarr_array_free(struct cel_zarr_array *a);
void cel_zarr_array_unmake(struct cel_zarr_array *a); /* back to an array that has no document yet */

/* --- zarr_v2.c, zarr_v3.c: one array's document -------------------------------------------- */
/* What both versions say of an array, gathered before a variable is made of it. */
struct cel_zarr_facts {
    int rank; /* may be more than CEL_RANK_MAX: then only shape and names are known */
    size_t *shape;
    size_t chunk[CEL_RANK_MAX];
    const struct cel_json *fill;  /* borrowed from the document; JSON null: no fill */
    const struct cel_json *names; /* dimension names; NULL: none */
    struct cel_chain chain;
};
void cel_zarr_facts_dispose(struct cel_zarr_facts *facts);
int cel_zarr_v3_codecs(const struct cel_json *codecs, struct cel_zarr_array *a, struct cel_zarr_facts *out);
const char *cel_zarr_v3_name(const struct cel_json *v); /* of an extension point; NULL: it has none */
/* Read a->doc and a->attrs. */
int cel_zarr_v2_read(struct cel_dataset *ds, struct cel_zarr_array *a, struct cel_zarr_facts *out);
int cel_zarr_v3_read(struct cel_dataset *ds, struct cel_zarr_array *a, struct cel_zarr_facts *out);
/* Make a->doc for a new variable. */
int cel_zarr_v2_make(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a);
int cel_zarr_v3_make(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a);

/* --- zarr_members.c: a JSON document as a table of its members ------------------------------ */
/* What the rows of a table work on. */
struct cel_zarr_document {
    struct cel_dataset *ds;
    struct cel_group *group;      /* a group's document */
    struct cel_var *var;          /* making an array's document */
    struct cel_zarr_array *array; /* its document is read from, or made for, this array */
    struct cel_zarr_facts *facts; /* reading: what the document says */
    struct cel_json *dtype;       /* making: the value of the data type's row, which takes it */
};
enum {
    CEL_ZARR_OPTIONAL = 0, /* an absent member, or one of another type, is passed over */
    CEL_ZARR_REQUIRED = 1,
    CEL_ZARR_LAYOUT = 2 /* passed over where the array has more axes than its data could have */
};
/* One member. A table ends with a row without name. */
struct cel_zarr_member {
    const char *name;
    unsigned types;      /* reading: the JSON types it may have, as CEL_ZARR_TYPE() */
    unsigned flags;      /* CEL_ZARR_* */
    const char *must_be; /* ... the error's text */
    /* NULL: not looked at. CEL_ABSENT: it is not what it must be. */
    int (*read)(const struct cel_zarr_document *d, const struct cel_json *v);
    const char *text; /* writing: it is always this */
    /* NULL, without text: never written. CEL_ABSENT: not in this document. */
    int (*make)(struct cel_zarr_document *d, struct cel_json **out);
};
#define CEL_ZARR_TYPE(t) (1u << CEL_JSON_##t)
#define CEL_ZARR_ANY 0 /* also an absent one: read() is given NULL */
int cel_zarr_members_read(const struct cel_zarr_document *d, const struct cel_zarr_member *row);
int cel_zarr_members_make(struct cel_zarr_document *d, const struct cel_zarr_member *row, struct cel_json *out);
int cel_zarr_members_object(struct cel_zarr_document *d, const struct cel_zarr_member *row, struct cel_json **out);
bool cel_zarr_members_know(const struct cel_zarr_member *row, const char *name);

/* --- zarr_array.c: what the two share ---------------------------------------------------------- */
/* At most CEL_RANK_MAX. */
int cel_zarr_lengths(const char *path, const char *pointer, const struct cel_json *list, size_t least, int *n,
                     size_t *out);
/* Rows of both versions: "shape" and "fill_value". */
#define CEL_ZARR_SHAPE_IS "a list of at most " CEL_ZARR_DIGITS(NC_MAX_VAR_DIMS) " lengths"
#define CEL_ZARR_DIGITS(n) CEL_ZARR_DIGITS_OF(n)
#define CEL_ZARR_DIGITS_OF(n) #n
int cel_zarr_shape_read(const struct cel_zarr_document *d, const struct cel_json *list);
int cel_zarr_fill_read(const struct cel_zarr_document *d, const struct cel_json *v);
struct cel_json *cel_zarr_lengths_json(int n, const size_t *lengths);
int cel_zarr_array_prepare(struct cel_var *var, struct cel_zarr_array *a); /* its chain, and who codes its elements */

/* --- zarr_dtype.c --------------------------------------------------------------------------- */
int cel_zarr_dtype_from_v2(struct cel_dataset *ds, const char *path, const struct cel_json *dtype, bool nczarr,
                           struct cel_zarr_dtype *out);
/* A user type of this name in the root group, made once. */
int cel_zarr_user_type(struct cel_dataset *ds, const char *name, int klass, size_t size, struct cel_type **out,
                       bool *fresh);
int cel_zarr_dtype_from_v3(struct cel_dataset *ds, const char *path, const struct cel_json *data_type,
                           struct cel_zarr_dtype *out);
int cel_zarr_dtype_to_v2(const struct zarr *z, const struct cel_var *var, struct cel_zarr_dtype *dtype,
                         struct cel_json **out);
bool cel_zarr_is_truth(const struct cel_var *var); /* v3: a new variable's data type is bool */
int cel_zarr_dtype_to_v3(const struct cel_var *var, struct cel_zarr_dtype *dtype, struct cel_json **out);
/* The dtype string of an atomic type, as _nczarr_attr wants it: "<i4", ">S1". */
const char *cel_zarr_dtype_text(nc_type type, bool big);
nc_type cel_zarr_dtype_atomic(const char *text, bool *big); /* NC_NAT: none of ours */

/* --- zarr_struct.c --------------------------------------------------------------------------- */
/* The list of fields of a structure. */
int cel_zarr_struct_read(struct cel_dataset *ds, const char *path, const struct cel_json *list, int version,
                         struct cel_zarr_dtype *out);
bool cel_zarr_struct_is_stored_so(const struct cel_zarr_dtype *t); /* its bytes are those in memory */
void cel_zarr_dtype_dispose(struct cel_zarr_dtype *t);

/* --- zarr_time.c: numpy's times, which are numbers here ----------------------------------------- */
/* The units that an array's data type gives, as CF has them; *text "": none. */
void cel_zarr_time_units(const struct cel_zarr_array *a, char *text, size_t cap);
#define CEL_ZARR_UNITS_MAX 80

/* --- zarr_fill.c -------------------------------------------------------------------------------- */
int cel_zarr_fill_from_json(const char *path, const struct cel_json *v, const struct cel_zarr_dtype *dtype, bool nczarr,
                            void *out);
bool cel_zarr_number_from_json(const struct cel_json *v, nc_type type,
                               void *out); /* also the names of NaN and infinities */
struct cel_json *cel_zarr_text_to_json(const char *text, size_t n);
struct cel_json *cel_zarr_number_to_json(const void *value, nc_type type);
int cel_zarr_fill_to_json(const void *value, const struct cel_zarr_dtype *dtype, int version, struct cel_json **out);

/* --- zarr_att.c ------------------------------------------------------------------------------------ */
int cel_zarr_atts_from_json(struct cel_dataset *ds, const struct cel_json *attrs, struct cel_atts *out,
                            struct cel_var *var);
int cel_zarr_atts_to_json(struct cel_dataset *ds, struct cel_atts *atts, struct cel_json *attrs, struct cel_var *var);

/* --- zarr_chunk.c ---------------------------------------------------------- */
int cel_zarr_chunk_key(const struct cel_zarr_array *a, int rank, const size_t *index, struct cel_buf *out);
int cel_zarr_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out);
int cel_zarr_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        const struct cel_chunk_location *at, struct cel_buf *out);
bool cel_zarr_chunk_want(struct cel_dataset *ds, struct cel_var *var, const size_t *index);
int cel_zarr_chunk_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out);
int cel_zarr_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out, char **key);
int cel_zarr_chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                            size_t n, uint32_t skipped, struct cel_chunk_location *out);
int cel_zarr_chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                         const struct cel_chunk_location *at, const void *encoded, size_t n);

int cel_zarr_chunk_get(struct cel_store *store, const struct cel_var *var, const size_t *index, struct cel_buf *out);
int cel_zarr_chunk_put(struct cel_store *store, const struct cel_var *var, const size_t *index, const void *encoded,
                       size_t n); /* of an array without shards */

/* --- zarr_peer.c: chunks that other processes write ------------------------- */
bool cel_zarr_chunk_lend(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at);
bool cel_zarr_chunk_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                              size_t n);
int cel_zarr_peer_open(const struct cel_location *where, struct cel_peer **out);
int cel_zarr_peer_read(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, struct cel_buf *out);
int cel_zarr_peer_write(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                        const struct cel_chunk_location *at, const void *encoded, size_t n);
int cel_zarr_peer_sync(struct cel_peer *peer);
int cel_zarr_peer_close(struct cel_peer *peer);

/* --- zarr_listed.c: which chunks the store has --------------------------------- */
int cel_zarr_chunk_next(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index);
void cel_zarr_listed_free(struct cel_zarr_listed *l);

/* --- zarr_keys.c ----------------------------------------------------------- */
int cel_zarr_keys(struct cel_dataset *ds, char **out);

/* --- zarr_element.c: one element of fixed size, as stored and in memory ----------------------------------------- */
int cel_zarr_element_take(const struct cel_zarr_dtype *t, const unsigned char *p,
                          void *out); /* a string becomes the caller's */
int cel_zarr_nul_in_text(void);       /* the failure of an element that has one */
int cel_zarr_element_put(const struct cel_zarr_dtype *t, const void *in, unsigned char *p);

/* --- zarr_object_meta.c: the codec that makes bytes of elements, in version 2 ------------------------------------- */
/* CEL_ABSENT: there is none, and the data type stands for itself. */
int cel_zarr_object_from_v2(struct cel_dataset *ds, const struct cel_zarr_array *a, struct cel_zarr_dtype *out);
/* Lists of these numbers; alias: what the type is called, NULL: "vlen_int" and the like. */
int cel_zarr_lists_type(struct cel_dataset *ds, const char *alias, nc_type base, bool big, struct cel_zarr_dtype *out);
int cel_zarr_object_to_v2(struct cel_var *var, struct cel_zarr_dtype *dtype,
                          struct cel_json **out); /* var->chain has it complete */

/* --- zarr_elements.c: a chunk's elements, as stored and in memory ------------------------------------------- */
struct cel_zarr_elements {
    const struct cel_zarr_dtype *dtype;
    size_t n;
    unsigned char *element; /* n of them in memory form, C order; encoding does not change them */
    int rank;               /* of the chunk ... */
    const size_t *lens;     /* ... and its lengths */
    const int *order;       /* as in cel_zarr_array */
};
/* The elements in the order in which they are stored. */
struct cel_zarr_order {
    size_t next;                                                    /* in C order */
    size_t at[CEL_RANK_MAX], len[CEL_RANK_MAX], step[CEL_RANK_MAX]; /* by stored axes; step: in C order */
};
void cel_zarr_order_begin(const struct cel_zarr_elements *e, struct cel_zarr_order *out);
void *cel_zarr_order_next(const struct cel_zarr_elements *e, struct cel_zarr_order *order);
bool cel_zarr_elements_bytes(const struct cel_var *var, size_t encoded, size_t *nbytes);
int cel_zarr_elements_check(const struct cel_var *var, const struct cel_buf *raw);
int cel_zarr_elements_decode(const struct cel_var *var, const struct cel_buf *raw, void *element);
int cel_zarr_elements_encode(const struct cel_var *var, const void *element, struct cel_buf *raw);

/* --- zarr_object.c: elements without fixed size ------------------------------------------------------------- */
/* Whether these bytes can be n elements; asked before memory for them is taken. */
int cel_zarr_objects_plausible(const struct cel_zarr_dtype *t, size_t n, const struct cel_buf *raw);
int cel_zarr_objects_decode(const struct cel_zarr_elements *e, const struct cel_buf *raw);
int cel_zarr_objects_encode(const struct cel_zarr_elements *e, struct cel_buf *raw);
int cel_zarr_category_take(const struct cel_zarr_dtype *t, const unsigned char *p, char **out);
int cel_zarr_category_put(const struct cel_zarr_dtype *t, const char *text, unsigned char *p);

/* Shards: *out is the level this configuration describes; byte codecs around it are added, then it is finished. */
int cel_zarr_shard_read(const struct cel_json *config, struct cel_zarr_array *a, struct cel_zarr_facts *facts,
                        struct cel_zarr_shard **out);
int cel_zarr_shard_add_after(struct cel_zarr_shard *s, struct cel_step *step);
int cel_zarr_shard_finish(struct cel_zarr_shard *s);
/* false: no shards, or none that can be made here. */
bool cel_zarr_shard_describe(const struct cel_zarr_array *a, struct cel_shards *out);
int cel_zarr_shard_get(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_buf *out);
bool cel_zarr_shard_want(struct cel_dataset *ds, struct cel_var *var, const size_t *index); /* as chunk_want */
int cel_zarr_shard_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out);
/* The range of a chunk in the value of the store it lies in, and that value's key; address UINT64_MAX: it is not one. */
int cel_zarr_shard_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out, struct cel_buf *key);
/* Of the shard of that number along each axis, with n[] innermost chunks in the array: each that is there, in any order.
 * Index NULL: it begins, also anew, and what was given before does not count. */
typedef int cel_zarr_index_visit(void *context, const size_t *index);
int cel_zarr_shard_each(struct cel_dataset *ds, struct cel_var *var, const size_t *number, const size_t *n,
                        cel_zarr_index_visit *visit, void *context);
bool cel_zarr_shard_counts(const struct cel_zarr_shard *s, int rank); /* shards have so many axes as the array */
void cel_zarr_shard_count(struct cel_zarr_shard *s, const size_t *n, size_t *out); /* values of the store */
int cel_zarr_shard_put(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded, size_t n);
int cel_zarr_shard_flush(struct cel_dataset *ds, struct cel_var *var);
void cel_zarr_shard_free(struct cel_zarr_shard *shard);

#endif
