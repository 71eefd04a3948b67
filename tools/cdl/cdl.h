/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_H
#define CDL_H

/* A CDL text as a document: what ncgen reads. Parsing resolves every name it
 * meets (CDL defines before it uses); cdl_check then gives unlimited dimensions
 * their lengths and turns all values into memory of their type; cdl_build and
 * cdl_emit_c make a file, or a C program that makes it, from that.
 *
 * Everything belongs to the document and goes with it. The first error is kept
 * with its place; after it nothing more is read. */

#include "text.h"
#include "types.h"
#include <stdint.h>
#include <stdio.h>

struct cdl_place {
    int line, column;
};

/* --- constants -------------------------------------------------------------- */
enum cdl_kind { CDL_INT, CDL_REAL, CDL_STRING, CDL_BYTE, CDL_OPAQUE, CDL_NAME, CDL_FILL, CDL_NIL, CDL_LIST };

struct cdl_list {
    struct cdl_const *at;
    size_t n;
};

struct cdl_const {
    enum cdl_kind kind;
    nc_type type; /* CDL_INT, CDL_REAL: by tag or size */
    struct cdl_place where;
    bool negative;    /* CDL_INT */
    const char *word; /* as written, where it is a name: nan and NIL may be members of an enum */
    union {
        uint64_t magnitude; /* CDL_INT; CDL_BYTE: the character */
        double real;
        struct {
            char *s; /* CDL_STRING; CDL_NAME; CDL_OPAQUE: hex digits */
            size_t len;
        } text;
        struct cdl_list list;
    } v;
};

/* --- the document --------------------------------------------------------------- */
struct cdl_array {
    const struct type *type;
    size_t n;
    char *values;
};

struct cdl_att {
    char *name;
    const struct type *type; /* NULL: from the values */
    struct cdl_list list;
    struct cdl_place where;
    struct cdl_array array; /* after cdl_check */
};

struct cdl_atts {
    struct cdl_att **at;
    size_t n;
};

struct cdl_dim {
    char *name;
    size_t len;
    bool unlimited;
    struct cdl_place where;
    int id;
    const char *ident; /* what a C program calls it (cdl_emit_c) */
};

struct cdl_type {
    struct type t; /* first: a type of the document is found by it */
    const char *ident;
    struct cdl_place where;
};

/* How a variable is to be stored, from its special attributes. Places are kept
 * for those that the library may refuse. */
struct cdl_storage {
    int layout; /* NC_CHUNKED, NC_CONTIGUOUS, NC_COMPACT; -1: not said */
    struct cdl_place layout_at;
    size_t nchunks;
    size_t *chunk;
    struct cdl_place chunk_at;
    bool fletcher32, shuffle;
    int deflate; /* -1: not said */
    struct cdl_place deflate_at;
    char *filter; /* the _Filter attributes, joined by | */
    struct cdl_place filter_at;
    char *codecs;
    struct cdl_place codecs_at;
    int endian;
    bool no_fill;
    int quantize; /* NC_QUANTIZE_*, 0: none */
    int quantize_n;
    struct cdl_place quantize_at;
    bool any;
};

struct cdl_var {
    char *name;
    const struct type *type;
    int ndims;
    struct cdl_dim **dim;
    struct cdl_atts atts;
    struct cdl_list data;
    bool has_data;
    struct cdl_place where;
    struct cdl_place data_at;
    /* after cdl_check */
    struct cdl_storage storage;
    size_t *count; /* values given along each axis */
    struct cdl_array array;
    void *fill; /* one value of the type */
    int id;
    const char *ident;
};

struct cdl_group {
    char *name;
    struct cdl_group *parent;
    struct cdl_group **child;
    struct cdl_dim **dim;
    struct cdl_type **type;
    struct cdl_var **var;
    size_t nchildren, ndims, ntypes, nvars;
    struct cdl_atts atts;
    int id;
    const char *ident;
};

struct cdl_doc {
    const char *file;
    char *name;
    struct cdl_group *root;
    int format;          /* NC_FORMAT_* of a _Format attribute; 0: not said */
    bool enhanced;       /* needs netCDF-4: types, groups, several unlimited dimensions, storage */
    const char *keyword; /* the first name that is a type of some kind of file; NULL: none */
    struct cdl_place keyword_at;
    struct text error; /* "line:column: what"; empty while all is well */
    void *blocks;      /* memory of the document */
};

/* Each of the three gives false after recording the error. */
bool cdl_parse(struct cdl_doc *doc, const char *file, const char *text, size_t len);
bool cdl_check(struct cdl_doc *doc);
void cdl_free(struct cdl_doc *doc);

struct cdl_build_options {
    int mode;         /* creation flags of nc_create */
    bool no_fill;     /* -x */
    bool header_only; /* -h: definitions, no data */
};

/* Make the file at `path`; the caller removes what is left after a failure. */
bool cdl_build(struct cdl_doc *doc, const char *path, const struct cdl_build_options *opt);
void cdl_emit_c(struct cdl_doc *doc, const char *path, const char *main_name, const struct cdl_build_options *opt,
                FILE *out);

/* --- for the parts --------------------------------------------------------------- */
void *cdl_alloc(struct cdl_doc *doc, size_t n, size_t size); /* zeroed, lives as long as the document */
char *cdl_strndup(struct cdl_doc *doc, const char *s, size_t len);
void *cdl_push(struct cdl_doc *doc, void *list, size_t n, size_t size);                          /* as tool_push */
bool cdl_fail(struct cdl_doc *doc, struct cdl_place at, const char *fmt, ...) TOOL_PRINTF(3, 4); /* gives false */
bool cdl_failed(const struct cdl_doc *doc);

/* Values: each needs room for the type's size; what they point to is the document's. */
bool cdl_convert(struct cdl_doc *doc, const struct type *t, const struct cdl_const *c, char *dst);
bool cdl_convert_flat(struct cdl_doc *doc, const struct type *t, const struct cdl_list *list, size_t n,
                      const void *fill, char *dst, size_t *used);
bool cdl_collect_chars(struct cdl_doc *doc, const struct cdl_list *list, size_t row, struct text *out);
size_t cdl_count_flat(const struct type *t, const struct cdl_list *list);
void cdl_default_fill(struct cdl_doc *doc, const struct type *t, char *dst);
bool cdl_const_int(const struct cdl_const *c, long long *out);

/* Special attributes: whether the name is one; taking the variable's into its storage. */
bool cdl_is_special(const char *name, bool global);
bool cdl_take_storage(struct cdl_doc *doc, struct cdl_var *v);
bool cdl_take_global(struct cdl_doc *doc, const struct cdl_att *a);
int cdl_kind_of_name(const char *name); /* NC_FORMAT_*, 0: no such kind */
int cdl_kind_of_digit(int letter);      /* the same for the options -3 to -7; 0: none of these */
int cdl_mode_of_kind(int format);       /* what nc_create() is given for it */

#endif
