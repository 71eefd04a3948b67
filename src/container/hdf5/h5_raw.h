#ifndef CEL_H5_RAW_H
#define CEL_H5_RAW_H

/* Pieces of an HDF5 file read without libhdf5: what h5_header.c and h5_dense.c share. */

#include "h5_int.h"
#include <string.h>

struct cel_h5_bytes {
    const unsigned char *p;
    size_t n;
};

uint64_t cel_h5_little(const unsigned char *p, size_t n); /* a little-endian number of n bytes */

/* Take n bytes (a number of n bytes) off the front; false when there are not that many. */
bool cel_h5_take(struct cel_h5_bytes *b, size_t n, const unsigned char **p);
bool cel_h5_take_number(struct cel_h5_bytes *b, size_t n, uint64_t *v);

uint32_t cel_h5_sum(const unsigned char *p, size_t n);

/* Do these bytes end with their checksum? */
bool cel_h5_checks(const unsigned char *p, size_t n);

/* n bytes at a relative address; NULL: not there, or too many. Good until the
 * reader has been asked for CEL_H5_BLOCKS other places. */
const unsigned char *cel_h5_look(struct cel_h5_reader *r, uint64_t addr, size_t n);

/* Every attribute message in a heap, by its index of names; false: cannot tell. */
bool cel_h5_dense_each(struct cel_h5_reader *r, uint64_t heap, uint64_t index,
                       bool (*visit)(struct cel_h5_bytes message, void *data), void *data);

#endif
