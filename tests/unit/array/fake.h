/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKE_H
#define FAKE_H

/* A container in memory for tests of the array engine. It is as strict as HDF5 is
 * where that matters: chunks are found and placed by one thread, inside the
 * extent; a chunk placed again moves, and bytes sent to its old place are an
 * error. It keeps a log of what was placed in which order. The concurrent kind is as
 * Zarr stores are: only reading tells whether a chunk is there. */

#include "container.h"

struct fake_chunk {
    struct cel_var *var;
    size_t index[CEL_RANK_MAX];
    char *bytes;
    size_t n;
    uint32_t skipped;
    bool live, written;
};

struct fake {
    struct cel_mutex lock;
    pthread_t caller;
    struct fake_chunk *chunk;
    size_t n, cap;
    char *plain; /* of one variable: plain_shape elements */
    size_t plain_shape[CEL_RANK_MAX];
    long fail_read, fail_place; /* count down to a failure; 0: never; fail_place below: always */
    size_t finds, reads, places;
};

int fake_make(struct cel_dataset **ds, unsigned more_keeps);
void fake_free(struct cel_dataset *ds);
struct fake *fake_of(struct cel_dataset *ds);

/* A variable as if it had been defined and saved. */
struct cel_var *fake_var(struct cel_dataset *ds, const char *name, const struct cel_type *type, int ndims,
                         const size_t *lens, const bool *unlimited, const size_t *chunks, const char *chain);

/* A number that stands for everything placed and written so far, in order. */
uint64_t fake_digest(struct cel_dataset *ds);

#endif
