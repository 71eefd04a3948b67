/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_DIFF_H
#define CELLAR_DIFF_H

/* cellar diff: two files by what they mean, not by how they are stored. */

#include "look.h"
#include "select.h"

struct diff_request {
    double abs, rel; /* negative: not asked for */
    long long ulps;
    bool nan_differs; /* NaN is not equal to NaN */
    bool no_attributes, no_values;
    struct select only;   /* variables; none: all */
    struct select ignore; /* attributes that may differ */
    size_t first;         /* differences of a variable that are shown */
    bool json, quiet;
};

struct diff_value { /* one difference */
    size_t at;      /* number of the value in the variable */
    char *a, *b;
};

/* Of one variable; the largest of all differences, those within the tolerance included. */
struct diff_stats {
    unsigned long long values, differing; /* differing: beyond the tolerance */
    unsigned long long unequal;           /* not the same value */
    unsigned long long nan;               /* NaN on one side only */
    double max_abs, max_rel, sum_squares;
    unsigned long long max_ulps;
    struct diff_value *first;
    size_t nfirst;
};

struct diff_var {
    const struct look_var *a, *b;
    struct diff_stats stats;
    bool as_stored; /* all chunks were the same bytes */
};

struct diff {
    const struct diff_request *req;
    struct look a, b;
    char **structure; /* what differs beside values, a sentence each */
    size_t nstructure;
    struct diff_var *var; /* in both files */
    size_t nvars;
    bool failed; /* something could not be read, and was told */
};

void diff_note(struct diff *d, const char *fmt, ...) TOOL_PRINTF(2, 3);
void diff_structure(struct diff *d); /* dimensions, variables, attributes; fills d->var */
void diff_values(struct diff *d);    /* of every variable in both */

/* --- diff_number.c: values against each other ------------------------------------------------- */
/* n values of the type from number `at` on. */
void diff_compare(const struct diff_request *req, const struct type *type, const char *a, const char *b, size_t n,
                  size_t at, struct diff_stats *out);
void diff_stats_merge(const struct diff_request *req, struct diff_stats *into,
                      struct diff_stats *from); /* from is empty then */
void diff_stats_free(struct diff_stats *s);

/* --- diff_many.c: the same for the first of many, in blocks ------------------------------------------------------------- */
/* How many were compared; 0: diff_compare() must, because differences are to be shown, or some are tolerated and some not. */
enum { DIFF_BLOCK = 1024 };
size_t diff_compare_many(const struct diff_request *req, const struct type *type, const char *a, const char *b,
                         size_t n, struct diff_stats *out);

/* --- diff_stored.c: boxes of whole chunks of which at least one of two variables has stored something, in order --------- */
struct slab;
struct diff_stored {
    const struct look_var *a;
    size_t *cell, *n;       /* lengths of a box, and how many along each dimension ... */
    size_t total;           /* ... and in all */
    size_t *number, ncells; /* of those that there are, in order */
    size_t next;            /* of these */
    size_t values;          /* in all that were given */
    char *why[2];           /* why a side may have others behind its last; NULL: it has none */
};
bool diff_stored_can(const struct look_var *a, const struct look_var *b); /* must and can they be compared so? */
void diff_stored_start(struct diff_stored *s, const struct look_var *a, const struct look_var *b);
void diff_stored_end(struct diff_stored *s);
bool diff_stored_next(struct diff_stored *s, struct slab *block); /* false behind the last: see s->why */
bool diff_stored_absent(const struct diff_stored *s,
                        struct slab *block); /* one value that neither has; false: there is none */

/* --- diff_print.c ------------------------------------------------------------------------------- */
void diff_print(const struct diff *d);
bool diff_print_json(const struct diff *d);
bool diff_differs(const struct diff *d);

#endif
