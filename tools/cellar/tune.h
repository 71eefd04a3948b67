/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_TUNE_H
#define CELLAR_TUNE_H

/* cellar tune: chains that race over a sample of a variable's chunks. */

#include "cellar.h"
#include "look.h"
#include "select.h"

enum tune_goal { TUNE_ARCHIVE, TUNE_READ, TUNE_WRITE, TUNE_BALANCED };

struct tune_request {
    enum tune_goal goal;
    double share; /* of the values that is tried, at most */
    double bound; /* the largest error that lossy chains may make; 0: lossless ones only */
    struct select only;
    bool bits; /* chains that keep only the bits with information */
    bool all, json, quiet;
    const char *out;
};

/* What one chain came to. */
struct tune_chain {
    char *text;
    bool lossy;
    bool failed;                        /* it is not here, or not for this type, or beyond the bound */
    bool front;                         /* no other is better in one way and not worse in the others */
    unsigned long long stored;          /* bytes of the sample, encoded */
    double write_seconds, read_seconds; /* of a processor */
    double error;                       /* largest, of a lossy one */
};

struct tune_var {
    const struct look_var *v;
    size_t *box; /* what is encoded at a time: a chunk, or a part of one */
    size_t nboxes;
    unsigned long long sampled; /* bytes */
    struct tune_chain *chain;
    size_t nchains;
    const struct tune_chain *now;  /* the chain it has; NULL: it does not run on a sample */
    const struct tune_chain *best; /* NULL: none ran */
};

/* --- tune_chains.c: who races ------------------------------------------------------------------ */
/* A netCDF status: --bits reads the variable. */
int tune_list_chains(const struct tune_request *req, const struct look_var *v, struct tune_var *out);
#define TUNE_ROUND "bitround,nsb=" /* what a chain of --bits begins with: nccopy --quantize does it */

/* --- tune_sample.c: over what ------------------------------------------------------------------- */
/* Boxes of one shape, spread over the variable. */
void tune_choose_boxes(const struct tune_request *req, const struct look_var *v, struct tune_var *out);
void tune_box_start(const struct tune_var *t, size_t i, size_t *start); /* the first element of the i-th */

/* --- tune.c --------------------------------------------------------------------------------------- */
bool tune_takes(const struct look_var *v); /* numbers, and enough of them */
int tune_race(const struct tune_request *req, const struct look_var *v, struct tune_var *out); /* a netCDF status */
/* What the goal makes of a chain: the less the better. */
double tune_cost(const struct tune_request *req, const struct tune_var *t, const struct tune_chain *c);
void tune_var_free(struct tune_var *t);

#endif
