/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_LEX_H
#define CDL_LEX_H

/* Tokens of CDL, one at a time, each with its place. */

#include "cdl.h"

enum cdl_tok {
    TOK_END,
    TOK_NAME,    /* a name or path, escapes undone */
    TOK_SECTION, /* types: dimensions: variables: data: group: */
    TOK_CONST,   /* a number, string, character, opaque, _ */
    TOK_PUNCT
};

struct cdl_lex {
    struct cdl_doc *doc;
    const char *p, *end;
    const char *line_start;
    int line;
    enum cdl_tok tok;
    struct cdl_place where;
    const char *start;      /* of the token in the text */
    char punct;             /* TOK_PUNCT */
    char *name;             /* TOK_NAME, TOK_SECTION */
    bool escaped;           /* TOK_NAME: a backslash stands in it, so that it is no keyword */
    struct cdl_const value; /* TOK_CONST */
};

void cdl_lex_start(struct cdl_lex *lx, struct cdl_doc *doc, const char *text, size_t len);
void cdl_lex_next(struct cdl_lex *lx);

/* The name after "netcdf": everything up to the brace. */
char *cdl_lex_dataset_name(struct cdl_lex *lx);

/* "expected ... near 'token'". */
bool cdl_lex_expected(struct cdl_lex *lx, const char *what);

/* Small steps: is the next token this, take it if it is, or fail. */
bool cdl_at_punct(const struct cdl_lex *lx, char c);
bool cdl_accept(struct cdl_lex *lx, char c);
bool cdl_expect(struct cdl_lex *lx, char c);
char *cdl_expect_name(struct cdl_lex *lx, const char *what);
char *cdl_expect_own_name(struct cdl_lex *lx, const char *what); /* of something defined here, or of its data */
bool cdl_expect_int(struct cdl_lex *lx, const char *what, long long lo, long long *out);

#endif
