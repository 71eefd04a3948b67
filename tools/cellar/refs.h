/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_REFS_H
#define CELLAR_REFS_H

/* cellar refs: files as one Zarr dataset of references (kerchunk's JSON, version 1). The first file says what there is;
 * further ones follow it along one dimension. */

#include "look.h"

struct refs_request {
    const char *concat;         /* dimension along which files follow one another; NULL: the unlimited one */
    unsigned long long inlined; /* chunks smaller than this are in the document itself */
    bool as_given;              /* names of files as they are, not made absolute */
    bool quiet;
};

struct refs_var {
    const struct look_var *v; /* of the first file */
    int axis;                 /* that grows from file to file; -1: it does not */
    size_t length;            /* along it, so far */
    bool missing;             /* a chunk was never written: the fill value matters */
    bool unaligned;           /* a file does not begin at a chunk: values are in the document */
    bool left_out;            /* it has no values that could be referred to */
    struct text chunks;       /* members of the document */
    struct text values; /* all of them, of variables with one dimension; little-endian or as the machine has them */
};

struct refs {
    const struct refs_request *req;
    struct look first;
    struct refs_var *var;
    char *dim; /* NULL: one file */
    size_t nfiles;
};

/* Each says what is wrong; false: nothing can be made of it. */
bool refs_start(struct refs *r, const char *path, bool several);
bool refs_add(struct refs *r, const char *path); /* the first one too */
void refs_print(const struct refs *r, struct text *out);
void refs_free(struct refs *r);

/* --- refs_document.c: metadata of groups and arrays ------------------------------------------ */
const char *refs_dtype(const struct look *l, const struct look_var *v, bool native, char out[16]); /* NULL: none */
void refs_put_base64(struct text *out, const void *bytes, size_t n); /* "base64:..." with quotes */
void refs_put_key(struct text *out, const struct look_var *v, const size_t *index);
void refs_document(const struct refs *r, struct text *out);

#endif
