/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_PARSE_H
#define CDL_PARSE_H

/* Inside the CDL parser. */

#include "cdl_lex.h"

/* --- cdl_find.c: NULL where there is none such; no_such_... fail and name the nearest --- */
bool cdl_names_match(const char *a, const char *b);
struct cdl_group *cdl_find_child(const struct cdl_group *g, const char *name, size_t len);
const struct type *cdl_type_in(const struct cdl_group *g, const char *name);
const struct type *cdl_atomic_type(const char *name);
const struct type *cdl_find_type(const struct cdl_doc *doc, const struct cdl_group *g, const char *path);
struct cdl_dim *cdl_dim_in(const struct cdl_group *g, const char *name);
struct cdl_dim *cdl_find_dim(const struct cdl_doc *doc, const struct cdl_group *g, const char *path);
struct cdl_var *cdl_find_var(const struct cdl_doc *doc, const struct cdl_group *g, const char *path);
bool cdl_no_such_var(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name);
bool cdl_no_such_dim(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name);
bool cdl_no_such_type(struct cdl_doc *doc, const struct cdl_group *g, struct cdl_place at, const char *name);

/* --- cdl_parse_type.c --- */
bool cdl_parse_type(struct cdl_lex *lx, struct cdl_group *g);

/* --- cdl_parse.c: an attribute after its owner's name --- */
bool cdl_parse_named_att(struct cdl_lex *lx, struct cdl_group *g, const char *first, struct cdl_place at);

#endif
