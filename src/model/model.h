/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_MODEL_H
#define CEL_MODEL_H

/* A dataset in memory: groups, dimensions, variables, types and attributes, and
 * netCDF's rules about them. No I/O happens here. The dataset owns the tree;
 * freeing it frees all. Everything but a variable's data is guarded by the
 * dataset's lock. Names are NFC-normalised UTF-8. */

#include "buf.h"
#include "chain.h"
#include "convert.h"
#include "names.h"
#include "thread.h"
#include "vec.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Features of a format: what it can keep; the rest is refused at define time. */
enum {
    CEL_KEEPS_GROUPS = 1 << 0,
    CEL_KEEPS_USER_TYPES = 1 << 1,
    CEL_KEEPS_STRINGS = 1 << 2,
    CEL_KEEPS_INT64 = 1 << 3,     /* unsigned and 64-bit integers too */
    CEL_KEEPS_UNLIMITED = 1 << 4, /* more than one unlimited dimension, anywhere */
    CEL_KEEPS_CHUNKS = 1 << 5,
    CEL_KEEPS_FILTERS = 1 << 6,
    CEL_KEEPS_CONTIGUOUS = 1 << 7,
    CEL_KEEPS_COMPACT = 1 << 8,
    CEL_KEEPS_ENDIAN = 1 << 9,
    CEL_KEEPS_SKIP_MASK = 1 << 10, /* a chunk may have optional filters skipped */
    CEL_KEEPS_ALL = (1 << 11) - 1, /* netCDF-4's features: all of the above */

    CEL_KEEPS_SHARDS = 1 << 11,        /* many chunks in one value */
    CEL_KEEPS_TEXT_CODECS = 1 << 12,   /* a chain may say how strings become bytes: vlen-utf8 ... */
    CEL_KEEPS_OBJECT_CODECS = 1 << 13, /* ... and json2, categorize, vlen-array */
    CEL_KEEPS_LISTS = 1 << 14,         /* variable-length types of numbers, if no other user types */
    CEL_KEEPS_COMPLEX = 1 << 18,       /* complex numbers (cel_type_is_complex), if no other user types */

    /* The format's own rules. */
    CEL_FILTERS_AS_CALLED =
        1 << 15, /* filters stay in the order they were defined; else fletcher32 and shuffle go first */
    CEL_FILTERS_VARSIZED = 1 << 16, /* filters apply to strings and other variable-sized types too */
    CEL_ONE_NAMESPACE = 1 << 17     /* a dimension cannot share its name with a group or type beside it */
};

/* Whether the container has an object as it is here. */
enum cel_saved { CEL_NEW, CEL_CHANGED, CEL_SAVED };

struct cel_field {
    char *name;
    const struct cel_type *type;
    size_t offset;
    int ndims; /* 0: a single value */
    int *dims;
    size_t n; /* elements in all */
};

struct cel_member { /* of an enum */
    char *name;
    unsigned char value[8]; /* in memory form of the base type */
};

struct cel_type {
    nc_type id;
    char *name;
    int klass;               /* NC_BYTE..NC_STRING for atomic types, else NC_COMPOUND, NC_ENUM, NC_OPAQUE, NC_VLEN */
    size_t size;             /* of one element in memory */
    bool varsized;           /* holds a string or vlen at any depth */
    struct cel_group *group; /* NULL: atomic */
    const struct cel_type *base; /* enum, vlen */
    struct cel_field *field;
    size_t nfields;
    struct cel_member *member;
    size_t nmembers;
    enum cel_saved saved;
    bool loaded;           /* false: only name and group are known yet (container->load_types) */
    bool in_use;           /* part of another type, or values of it exist: it can no longer change */
    _Atomic(void *) zeros; /* one zeroed element, made on first need (cel_type_zeros) */
    void *priv;            /* the container's own */
};

struct cel_att {
    char *name;
    const struct cel_type *type;
    size_t n;
    void *data; /* n elements in memory form, owned (strings and vlens too) */
    enum cel_saved saved;
    char *saved_name; /* the container's name for it when renamed since; else NULL */
};

/* The attributes of a group or variable. */
struct cel_atts {
    struct cel_vec list; /* struct cel_att *, in order */
    struct cel_names index;
    struct cel_vec removed; /* char *: names the container must drop at save */
    bool loaded;            /* false: container->load_atts first */
};

struct cel_dim {
    int id; /* unique in the dataset */
    char *name;
    size_t len; /* current length, also of an unlimited one */
    bool unlimited;
    struct cel_group *group;
    enum cel_saved saved;
    char *saved_name;      /* as in cel_att */
    struct cel_var *coord; /* coordinate variable, or NULL */
    void *priv;
};

enum cel_storage {
    CEL_CHUNKED = NC_CHUNKED,
    CEL_CONTIGUOUS = NC_CONTIGUOUS,
    CEL_COMPACT = NC_COMPACT,
    CEL_UNKNOWN_STORAGE = NC_UNKNOWN_STORAGE,
    CEL_VIRTUAL = NC_VIRTUAL
};

/* How a chunk cache is set, as nc_set_chunk_cache() and nc_set_var_chunk_cache() say. */
struct cel_cache_settings {
    size_t size, nelems;
    float preemption;
};

struct cel_fill_state {
    bool off;     /* nc_def_var_fill(NC_NOFILL) */
    void *value;  /* one element in memory form when the user gave one; else NULL */
    bool never;   /* what was not written is zeros all the same: the file says not to fill */
    bool changed; /* since the container made the variable */
    bool settled; /* through an nc_enddef(), or data was put: in a netCDF-4 file it can no longer change.
                     cel_mode_settle_fill and the array engine set it */
};

struct cel_quantize_state {
    int mode, nsd;
    bool known; /* false: the attributes of a variable in a file have not been asked yet */
};

/* Where the elements lie: in chunks of which shape, and how those hold them. */
struct cel_layout {
    enum cel_storage storage;
    bool chosen;      /* the user chose storage or chunk sizes */
    bool unchunked;   /* chunks do not hold elements as memory has them: the container moves or codes those itself */
    size_t *chunk;    /* ndims chunk lengths; NULL: not chosen yet, or not chunked */
    size_t *extent;   /* ndims: current lengths of the array as the container keeps it */
    const int *order; /* axis i of a chunk as stored is axis order[i]; NULL: as they are. Borrowed from `priv` */
    struct cel_shards *shards; /* chunks lie together in shards; NULL: each for itself */
};

struct cel_var {
    int id; /* within its group */
    char *name;
    struct cel_group *group;
    const struct cel_type *type;
    int ndims;
    struct cel_dim **dim; /* ndims of them */
    struct cel_atts atts;

    struct cel_layout layout;
    int endian; /* NC_ENDIAN_NATIVE, _LITTLE or _BIG, as asked or as found */
    struct cel_fill_state fill;
    struct cel_chain chain;
    bool collective; /* of a dataset that ranks share: its data is moved by all of them together */
    bool watch_loss; /* decode chunks of lossy filters again to know their errors */
    struct cel_quantize_state quantize;
    struct cel_cache_settings cache;

    enum cel_saved saved; /* CEL_NEW until the container has made it */
    char *saved_name;
    bool loaded;     /* false: container->load_var before type, storage, chain or fill are looked at */
    bool unreadable; /* type or layout the container cannot give: why[] says */
    char *why;
    void *priv;                      /* the container's own */
    struct cel_array *_Atomic array; /* the array engine's own: cache and lock; made on first use */
};

/* An object of the file that the container does not understand. */
struct cel_unreadable {
    char *name; /* "t2m": a variable, group or type; "t2m:units", ":title": an attribute of a variable, of the group */
    char *reason; /* one sentence */
};

struct cel_group {
    int id;     /* unique in the dataset; root is 0 */
    char *name; /* "/" for the root */
    struct cel_dataset *dataset;
    struct cel_group *parent; /* NULL: root */
    struct cel_vec groups;    /* struct cel_group *, in order */
    struct cel_vec dims;      /* struct cel_dim * */
    struct cel_vec vars;      /* struct cel_var *; index is the varid */
    struct cel_vec types;     /* struct cel_type * */
    struct cel_names group_index, dim_index, var_index, type_index;
    struct cel_vec unreadable; /* struct cel_unreadable *: what the file has here and cannot be given */
    struct cel_atts atts;
    enum cel_saved saved;
    char *saved_name;
    void *priv;
};

/* Space that nc__enddef() asks a classic file to leave. */
struct cel_header_padding {
    size_t header;    /* bytes after the header */
    size_t var_align; /* the fixed variables start at a multiple of this */
    size_t vars;      /* bytes after the fixed variables */
    size_t rec_align; /* the records start at a multiple of this */
};

/* Which file, however its path is written; zeros: none, as of a dataset in memory. */
struct cel_file_id {
    uint64_t device, inode;
};

struct cel_dataset {
    char *path;
    struct cel_file_id file;
    int format; /* NC_FORMAT_NETCDF4, NC_FORMAT_NETCDF4_CLASSIC, NC_FORMAT_CLASSIC, ... */
    int mode;   /* as given to create or open */
    bool writable;
    bool classic_model;
    bool defining;                     /* define mode */
    bool created;                      /* made by this nc_create and not yet through its first enddef */
    int fill_mode;                     /* NC_FILL or NC_NOFILL, from nc_set_fill */
    struct cel_header_padding padding; /* of the nc__enddef() at work */
    bool cf_quantization;
    struct cel_group *root;
    struct cel_vec groups; /* by group id; NULL where none */
    struct cel_vec dims;   /* by dimension id */
    struct cel_vec types;  /* user types, by id - NC_FIRSTUSERTYPEID */
    size_t types_loaded;   /* at least this many first ones of them need not be looked at again (cel_load_types) */
    struct cel_cache_settings cache; /* defaults for new variables */
    struct cel_mutex *lock;          /* while it has an id: in the table of ids (api_id.c) ... */
    struct cel_mutex own_lock;       /* ... before and after: this one */
    unsigned features;               /* CEL_KEEPS_* and the format's rules; CEL_KEEPS_ALL until the container says */
    const struct cel_container_ops *ops;
    void *container;                   /* the container's own */
    struct cel_par *par;               /* the ranks that share it (mpi/); NULL: it is this process's own */
    struct cel_behind *_Atomic behind; /* chunks that were put and are not stored yet (array/); NULL: never any */
};

/* --- dataset.c ---------------------------------------------------------- */
int cel_dataset_make(const char *path, int mode, struct cel_dataset **out); /* root group, nothing in it */
void cel_dataset_free(struct cel_dataset *ds);
struct cel_group *cel_dataset_group(const struct cel_dataset *ds, int grpid); /* NULL: none */

/* CEL_OK when the format keeps all of `need`; else the one code (NC_EBADTYPE for
 * types, NC_ENOTNC4 for features) and a sentence. what: "type uint64", "group sea". */
int cel_dataset_refuse(const struct cel_dataset *ds, unsigned need, const char *what);

/* The conversion by this dataset's rules: in the classic model unsigned bytes in
 * memory and NC_BYTE are one type. NULL as cel_converter(). */
cel_convert_fn *cel_dataset_converter(const struct cel_dataset *ds, nc_type from, nc_type to);

/* --- where.c: where an error happened. Variables and chunks are written into texts here and nowhere else ---- */
enum { CEL_WHERE_TEXT = 256 };
/* Widen the error by the variable, "/ocean/temp" or "t2m" in the root group, or by "chunk (3,0,1)"; once each. */
int cel_fail_in_var(int rc, const struct cel_var *var);
int cel_fail_in_new_var(int rc, const struct cel_group *group, const char *name); /* one that could not be made */
int cel_fail_in_chunk(int rc, const size_t *index, int rank);
/* The same words for texts that are no error of this call: a warning, a note for later. Both give `text` back. */
const char *cel_var_path(const struct cel_var *var, char text[CEL_WHERE_TEXT]);
const char *cel_chunk_text(const size_t *index, int rank, char text[CEL_WHERE_TEXT]);

/* --- mode.c: define and data mode, and the mode argument of nc_create and nc_open -------- */
#define CEL_MODE_FORMATS (NC_NETCDF4 | NC_64BIT_OFFSET | NC_64BIT_DATA)
int cel_mode_check_create(int mode); /* flags that exclude each other */
int cel_mode_check_open(int mode);
int cel_mode_data(const struct cel_dataset *ds); /* about to move data: NC_EINDEFINE in the classic model */
int cel_mode_set_fill(struct cel_dataset *ds, int fill_mode, int *old); /* nc_set_fill */
bool cel_is_strict(const struct cel_dataset *ds);                       /* classic model, or a classic format */
bool cel_is_classic_file(const struct cel_dataset *ds);                 /* CDF-1, -2 or -5 */
int cel_mode_write(const struct cel_dataset *ds);                       /* NC_EPERM unless writable */
int cel_mode_define(struct cel_dataset *ds);              /* about to define: classic model must be in define mode
                                                       (NC_ENOTINDEFINE), others enter it */
int cel_mode_check_strict(const struct cel_dataset *ds);  /* NC_ENOTINDEFINE, whether it is writable or not */
int cel_mode_redef(struct cel_dataset *ds);               /* nc_redef: NC_EINDEFINE, NC_EPERM */
int cel_mode_check_enddef(const struct cel_dataset *ds);  /* nc_enddef's checks; the caller then saves */
void cel_mode_settle_fill(const struct cel_group *group); /* nc_enddef was called: its fill values stay as they are */

/* --- name.c ----------------------------------------------------------------- */
int cel_name_check(const char *name, char **normal); /* legal and not too long; NFC copy, yours */
/* One to look for: NC_EMAXNAME in netCDF-4 files; a classic file just does not have it. */
int cel_name_check_sought(const struct cel_dataset *ds, const char *name);
int cel_name_normal(const char *name, char **normal); /* NFC copy without the checks, for look-ups */

/* --- group.c ------------------------------------------------------------- */
int cel_group_def(struct cel_group *parent, const char *name, struct cel_group **out);
int cel_group_rename(struct cel_group *group, const char *name);
/* All find functions take a name as the user wrote it, normalised or not. */
struct cel_group *cel_group_find(const struct cel_group *parent, const char *name);      /* child */
int cel_group_by_path(struct cel_group *from, const char *path, struct cel_group **out); /* "/a/b" */
int cel_group_path(const struct cel_group *group, struct cel_buf *out);                  /* "/a/b", "/" for the root */

/* --- dim.c ---------------------------------------------------------------- */
int cel_dim_def(struct cel_group *group, const char *name, size_t len, bool unlimited, struct cel_dim **out);
int cel_dim_rename(struct cel_dim *dim, const char *name);
struct cel_dim *cel_dim_find(const struct cel_group *group, const char *name); /* here or in an ancestor */
struct cel_dim *cel_dim_by_id(const struct cel_dataset *ds, int dimid);

/* --- type.c ---------------------------------------------------------------- */
const struct cel_type *cel_type_atomic(nc_type id); /* NULL: not atomic; constant, shared by all datasets */
const struct cel_type *cel_type_by_id(const struct cel_dataset *ds, nc_type id);       /* atomic or user */
const struct cel_type *cel_type_find(const struct cel_group *group, const char *name); /* here, in an ancestor, else
                                                   anywhere in the dataset; "/g/t" names one in that group */
int cel_dataset_has_types(const struct cel_dataset *ds); /* NC_ENOTNC4 in classic files: there are no user types */
int cel_type_def_compound(struct cel_group *group, size_t size, const char *name, struct cel_type **out);
int cel_type_insert_field(struct cel_type *type, const char *name, size_t offset, const struct cel_type *field,
                          int ndims, const int *dims);
int cel_type_def_enum(struct cel_group *group, nc_type base, const char *name, struct cel_type **out);
int cel_type_insert_member(struct cel_type *type, const char *name, const void *value);
int cel_type_def_vlen(struct cel_group *group, const char *name, const struct cel_type *base, struct cel_type **out);
int cel_type_def_opaque(struct cel_group *group, size_t size, const char *name, struct cel_type **out);
bool cel_type_equal(const struct cel_type *a,
                    const struct cel_type *b);           /* same parts in the same order; names of types do not count */
bool cel_type_is_complex(const struct cel_type *type);   /* a compound of two floats or doubles, r and i */
bool cel_type_has_holes(const struct cel_type *type);    /* bytes no field owns, also in what vlens point to */
const void *cel_type_zeros(const struct cel_type *type); /* one zeroed element, borrowed; NULL: NC_ENOMEM */

/* --- value.c: elements in memory form, with their strings and vlens ---------- */
int cel_value_copy(const struct cel_type *type, const void *from, size_t n, void *to); /* deep; `to` is raw memory,
                                                   holes in it become zero */
void cel_value_reclaim(const struct cel_type *type, void *data, size_t n); /* frees what the elements own, not `data` */

/* --- att.c ------------------------------------------------------------------ */
struct cel_att *cel_att_find(const struct cel_atts *atts, const char *name);
/* Set an attribute from n values of memtype (converted to `type`; NC_ERANGE after
 * storing; NC_NAT: they are of that type already). Mode and _FillValue rules
 * included; var NULL: a group's; type NULL: NC_EBADTYPID, in classic files NC_EBADTYPE. The list must be loaded. */
int cel_att_put(struct cel_group *group, struct cel_var *var, const char *name, const struct cel_type *type, size_t n,
                const void *data, nc_type memtype);
int cel_att_get(const struct cel_dataset *ds, const struct cel_att *att, void *data,
                nc_type memtype); /* strings and vlens are copied */
int cel_att_rename(struct cel_group *group, struct cel_var *var, const char *name, const char *to);
int cel_att_del(struct cel_group *group, struct cel_var *var, const char *name);
void cel_atts_dispose(struct cel_atts *atts);
void cel_atts_saved(struct cel_atts *atts); /* the container has them all as they are */

/* --- var.c ------------------------------------------------------------------- */
/* type NULL: NC_EBADTYPE; a NULL among dims: NC_EBADDIM; so that results of look-ups need no check. */
int cel_var_def(struct cel_group *group, const char *name, const struct cel_type *type, int ndims,
                struct cel_dim *const *dims, struct cel_var **out);
int cel_var_rename(struct cel_var *var, const char *name);
struct cel_var *cel_var_find(const struct cel_group *group, const char *name);
struct cel_var *cel_var_by_id(const struct cel_group *group, int varid);
/* Rules of the nc_def_var_* calls: scalar, late definition, chunk sizes ... */
int cel_var_set_storage(struct cel_var *var, int storage, const size_t *chunks);
int cel_var_shown_storage(
    const struct cel_var *var); /* as nc_inq_var_chunking says it: NC_CONTIGUOUS while undecided */
int cel_var_set_fill(struct cel_var *var, bool no_fill, const void *value); /* value NULL: keep */
int cel_var_set_endian(struct cel_var *var, int endian);
int cel_dataset_has_endian(const struct cel_dataset *ds); /* NC_ENOTNC4 in classic files */
int cel_var_may_define(const struct cel_var *var); /* NC_EPERM, NC_ELATEDEF: for deflate, quantize, chunking ... */

/* One element in memory form, which elements never written read as: the user's fill
 * value or the type's default (zeros for compound, opaque, vlen). Borrowed. */
const void *cel_var_fill_value(const struct cel_var *var);

/* Settle what the user left open before the variable is made: storage kind,
 * default chunk sizes (netCDF-C's, exactly). Until then storage may be
 * CEL_UNKNOWN_STORAGE. */
int cel_var_settle(struct cel_var *var);

/* Default chunk lengths; target: the bytes a chunk should have, about. */
#define CEL_DEFAULT_CHUNK_BYTES 16777216
void cel_default_chunks_near(size_t target, size_t elem_size, int ndims, const size_t *lens, const bool *unlimited,
                             size_t *chunks);
void cel_default_chunks(size_t elem_size, int ndims, const size_t *lens, const bool *unlimited, size_t *chunks);

/* The chunk's shape as the codecs want to know it. */
int cel_var_shape(const struct cel_var *var, struct cel_shape *out);

/* --- var_cache.c ------------------------------------------------------------------ */
int cel_cache_check(const struct cel_cache_settings *settings); /* NC_EINVAL */
int cel_dataset_has_cache(const struct cel_dataset *ds);        /* NC_ENOTNC4 */
int cel_var_set_cache(struct cel_var *var, const struct cel_cache_settings *settings);

/* --- var_shards.c: many chunks in one value ----------------------------------------- */
int cel_var_def_shards(struct cel_var *var, const size_t *lengths); /* cellar_def_var_shards; NULL: none */
int cel_var_set_sharding(struct cel_var *var, const struct cel_sharding *sharding); /* from the JSON of a chain */

/* --- quantize setting of a variable: var_quantize.c -------------------------------- */
int cel_dataset_may_quantize(const struct cel_dataset *ds);          /* NC_ENOTNC4 */
int cel_var_set_quantize(struct cel_var *var, int mode, int digits); /* nc_def_var_quantize */
int cel_var_note_quantize(struct cel_var *var);   /* before the variable is made: write it as an attribute */
void cel_var_learn_quantize(struct cel_var *var); /* from its attributes, once; the variable and they are loaded */

/* --- cf.c: the CF conventions' attributes of quantized variables ------------------------ */
int cel_cf_set(struct cel_dataset *ds, bool on); /* cellar_set_cf_quantization */
int cel_cf_describe(struct cel_var *var);        /* before define mode is left; every variable of the dataset and its
                                                    attributes are loaded */
int cel_cf_note_error(struct cel_var *var, double max_rel); /* all data is written: the largest error made */

/* --- def_filter.c: the calls that define one filter ------------------------------------- */
enum { /* HDF5's ids of the filters that have calls of their own */
       CEL_ID_DEFLATE = 1,
       CEL_ID_SHUFFLE = 2,
       CEL_ID_FLETCHER32 = 3,
       CEL_ID_SZIP = 4,
       CEL_ID_BZIP2 = 307,
       CEL_ID_BLOSC = 32001,
       CEL_ID_ZSTD = 32015
};
int cel_var_may_filter(const struct cel_var *var); /* NC_ENOTNC4, NC_EINDEFINE, NC_EPERM, NC_ELATEDEF */
int cel_var_def_filter(struct cel_var *var, unsigned id, size_t n, const unsigned *params); /* nc_def_var_filter */
int cel_var_def_deflate(struct cel_var *var, bool shuffle, bool deflate, int level);
int cel_var_def_shuffle(struct cel_var *var, bool on);
int cel_var_def_fletcher32(struct cel_var *var, bool on);

/* --- var_compress.c: nc_def_var_compress ------------------------------------------------- */
int cel_var_def_compress(struct cel_var *var, const char *algorithm, int nparams, const unsigned *params);
/* The name of the compressor, "" for none, and its parameters (params may be NULL). */
const char *cel_var_compress(const struct cel_var *var, int *nparams, unsigned *params);

/* --- filters of a variable: var_filter.c --------------------------------------- */
/* Add or re-define a filter with netCDF's order rules (fletcher32 first, shuffle
 * second, the rest in call order; a known id keeps its position). Takes the step over,
 * also on failure. */
int cel_var_add_filter(struct cel_var *var, struct cel_step *step);

/* In place of all filters: this chain, in its own order. Taken over (`chain` is
 * empty afterwards) when all is well. */
int cel_var_set_chain(struct cel_var *var, struct cel_chain *chain);

/* The chain's object codec; taken over when all is well. NULL: none. */
int cel_var_set_object(struct cel_var *var, char *object);

/* --- add.c: what a container found in a file. No rules are applied, objects are
 * marked CEL_SAVED; names must be unique where netCDF says so, else NC_ENAMEINUSE. */
int cel_group_add(struct cel_group *parent, const char *name, struct cel_group **out);
int cel_dim_add(struct cel_group *group, const char *name, size_t len, bool unlimited, int id,
                struct cel_dim **out); /* id -1: next */
int cel_type_add(struct cel_group *group, const char *name, int klass, size_t size, struct cel_type **out);
int cel_type_add_field(struct cel_type *type, const char *name, size_t offset, const struct cel_type *field, int ndims,
                       const int *dims);
int cel_type_add_member(struct cel_type *type, const char *name, const void *value);
void cel_type_drop_parts(struct cel_type *type); /* its fields and members: it becomes another kind */
int cel_var_add(struct cel_group *group, const char *name, int ndims, struct cel_var **out); /* dim[] to be set */
void cel_var_link_coord(struct cel_var *var); /* once name and dim[] are set: dim->coord follows */
int cel_att_add(struct cel_atts *atts, const char *name, const struct cel_type *type, size_t n,
                void *data /* taken over */, struct cel_att **out);

/* --- unreadable.c: what a container found and cannot give. It is listed with the reason, all else goes on ------ */
int cel_group_note_unreadable(struct cel_group *group, const char *name,
                              const char *reason); /* no object is made of it */
int cel_var_note_unreadable(struct cel_var *var,
                            const char *reason); /* its header is shown, its data fails with the reason */
int cel_var_check_access(const struct cel_var *var, bool mapped); /* its data is asked for: NC_EMAPTYPE, NC_EBADTYPE */
int cel_var_check_rank(const struct cel_var *var);                /* NC_EMAXDIMS: it can be shown, and that is all */
const struct cel_unreadable *cel_group_find_unreadable(const struct cel_group *group,
                                                       const char *name); /* NULL: none */

#endif
