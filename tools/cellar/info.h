/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_INFO_H
#define CELLAR_INFO_H

/* cellar info, after its command line. */

#include "extents.h"
#include "look.h"

struct info_request {
    const char *chunks_of; /* a variable; NULL: none */
    const char *html;      /* write a page there; NULL: none */
    bool layout, json;
};

int info_file(const char *path, const struct info_request *r); /* the exit code */

/* --- info_notes.c: what is remarkable about one variable ------------------------------ */
struct info_notes {
    char *fill;     /* the value of its own that it is filled with; NULL: the type's */
    bool no_fill;   /* unwritten places hold anything */
    char *quantize; /* "bitround=9"; NULL: it is not */
    const char *checksum;
};
void info_notes_load(const struct look_var *v, struct info_notes *out);
void info_notes_free(struct info_notes *n);

/* --- info_chunks.c: --chunks ------------------------------------------------------------ */
struct info_chunks {
    size_t total, missing;
    struct info_chunk {
        size_t number; /* in order, the last dimension fastest */
        unsigned long long size, address;
    } * at; /* those that are there */
    size_t n;
    unsigned long long least, median, most, sum; /* of those that are there */
    unsigned long long raw;                      /* bytes of a whole one before its filters */
    size_t skipped;                              /* chunks that did not go through every filter */
    char *why;
};
bool info_chunks_load(const struct look_var *v, struct info_chunks *out); /* false: out->why is why not all are known */
void info_chunks_print(const struct look_var *v, const struct info_chunks *c);
void info_chunks_free(struct info_chunks *c);

/* --- info_layout.c: --layout -------------------------------------------------------------- */
struct info_run { /* neighbours of one variable, or what lies between */
    unsigned long long address, size;
    const struct look_var *var; /* NULL: metadata, or not in use */
    size_t pieces;
};
struct info_layout {
    struct info_run *run;
    size_t n;
    unsigned long long between;
};
void info_layout_make(const struct look *l, const struct extents *e, struct info_layout *out); /* files only */
void info_layout_print(const struct info_layout *layout);
void info_layout_free(struct info_layout *layout);

/* --- info_html.c: a page without anything outside it -------------------------------------- */
int info_html(const struct look *l, const struct extents *e, const char *path); /* the exit code */
char *info_chunks_of(const struct look_var *v); /* "8x91x180", "contiguous"; yours to free */

/* --- info_json.c -------------------------------------------------------------------------- */
int info_json(const struct look *l, const struct extents *e, const struct info_request *r);

#endif
