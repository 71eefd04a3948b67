/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_VIRTUAL_H
#define CEL_H5_VIRTUAL_H

/* A virtual dataset: its sources and shape (h5_virtual.c), and requests (h5_virtual_read.c). */

#include "h5_int.h"

enum { CEL_H5_PARTS = 4 };

struct cel_h5_part {                /* a dataset that elements come from */
    char *file, *dataset;           /* NULL: this one is free */
    struct cel_h5_outside *outside; /* NULL: it lies in this file, or nowhere */
    struct cel_h5_own *own;         /* NULL: there is none */
    const struct cel_type *number;  /* its numbers, where they are of another type than the virtual dataset's */
    uint64_t used;
};

struct cel_h5_virtual {
    struct cel_h5_where where;
    struct cel_h5r_reader *reader;
    const struct cel_h5r_dataset *dataset;
    struct cel_h5r_mappings list;
    uint64_t *have; /* of each mapping: elements in the dimension without an end */
    uint64_t dims[CEL_RANK_MAX];
    struct cel_h5_part part[CEL_H5_PARTS]; /* those used last */
    uint64_t used;
    uint64_t numbered;         /* sources found by their number when it was measured */
    uint64_t looked;           /* the first of those that lead to one another: since the call began */
    struct cel_buf file, name; /* of the source that is wanted */
};

bool cel_h5_is_numbered(const struct cel_h5r_mapping *m); /* each block has a source of its own */
/* The source of that number, where names have one; out->own is NULL where there is none. Valid until the next call. */
int cel_h5_virtual_part(struct cel_h5_virtual *v, const struct cel_h5r_mapping *m, uint64_t number,
                        struct cel_h5_part **out);

/* n numbers as libhdf5 converts them; in and out do not overlap. */
void cel_h5_number_convert(nc_type from, nc_type to, size_t n, const void *in, void *out);

#endif
