/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_BITS_VAR_H
#define CELLAR_BITS_VAR_H

/* One variable of a file, measured along each of its dimensions. */

#include "bits.h"
#include "look.h"

struct bits_request {
    enum bits_threshold threshold;
    double confidence;
};

struct bits_var {
    const struct look_var *v; /* NULL: it has no real numbers */
    char *what;               /* a sentence: what was found, why there is no advice */
    struct bits_data data;
    int ndims; /* dimensions with neighbours ... */
    int *axis; /* ... which */
    struct bits_result *along;
    bool advised;
    int best; /* of `along`: the dimension with most information, whose bits are kept */
    int keep[BITS_LEVELS];
    double abs[BITS_LEVELS], rel[BITS_LEVELS];
};

int bits_var_measure(const struct bits_request *req, const struct look_var *v,
                     struct bits_var *out); /* a netCDF status */
void bits_var_free(struct bits_var *b);

#endif
