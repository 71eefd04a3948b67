/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_EMIT_H
#define CDL_EMIT_H

/* Values and names of a document in C: for ncgen -lc. */

#include "cdl.h"

/* A name as part of a C identifier: '-' is _MINUS_, and so on. `dot` stands for a full stop. */
void cdl_put_ident(struct text *out, const char *name, const char *dot);

/* The type of a value in C: "signed char", or the name of a typedef (its ident). */
void cdl_emit_type(FILE *out, const struct type *t);

/* Text in quotes, every byte of it. */
void cdl_emit_string(FILE *out, const char *s, size_t len);

/* "{1, 2}". Arrays that sequences point to come first, as statements of their own; *nvlens counts them for their names. */
void cdl_emit_vlens(FILE *out, const struct type *t, const char *values, size_t n, size_t *nvlens);
void cdl_emit_values(FILE *out, const struct type *t, const char *values, size_t n, size_t *nvlens);
void cdl_emit_value(FILE *out, const struct type *t, const char *value, size_t *nvlens);

/* --- the program: cdl_emit_c.c has its declarations and main, cdl_emit_define.c what main calls ---------------- */
struct emitter {
    struct cdl_doc *doc;
    FILE *out;
    bool data;
    bool classic;  /* ids are those of the file; no groups */
    size_t nvlens; /* arrays of sequences so far */
    char **used;   /* identifiers */
    size_t nused;
};

typedef void emit_group(struct emitter *e, struct cdl_group *g);

void emit(struct emitter *e, const char *fmt, ...) TOOL_PRINTF(2, 3);
void emit_name(struct emitter *e, const char *name); /* in quotes */
void emit_group_id(struct emitter *e, const struct cdl_group *g);
void emit_field(struct emitter *e, const struct type *t, const char *name); /* of its struct */
void emit_each(struct emitter *e, struct cdl_group *g, emit_group *visit);  /* every group, parents first */

/* The chain as ids and parameters; false: names or JSON, which the library reads itself. */
struct NC_H5_Filterspec;
bool emit_parse_chain(const char *text, size_t *n, struct NC_H5_Filterspec ***list);
void emit_free_chain(struct NC_H5_Filterspec **list, size_t n);

/* Calls that define everything, behind nc_create, and those that write the data. */
void emit_definitions(struct emitter *e);
void emit_data(struct emitter *e);

#endif
