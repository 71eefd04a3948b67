/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_DATATYPE_H
#define CEL_H5_DATATYPE_H

/* A type as the file describes it: a tree whose leaves are numbers, texts and bytes. What netCDF makes of it is
 * h5_type.c's business, and h5_value.c turns values of it into values in memory.
 *
 *   cel_h5r_datatype_decode()   from the bytes of a datatype message
 *   cel_h5r_object_datatype()   of the dataset or committed type at an address
 *   cel_h5r_datatype_equal()    whether two are the same type, as libhdf5 sees it */

#include "h5_bytes.h"
#include "rank.h"

/* Where the bits of a number lie, counted from the least significant one. */
struct cel_h5r_bits {
    unsigned at, n;                                                     /* of all that count */
    unsigned sign_at, exponent_at, exponent_n, mantissa_at, mantissa_n; /* floats */
    unsigned norm;                                                      /* 2: the mantissa's first bit is implied */
    uint32_t bias;
};

struct cel_h5r_datatype {
    int klass;   /* enum cel_h5r_class; a variable-length string is a string */
    size_t size; /* of one element in the file, at least 1 */
    /* numbers */
    bool big_endian;
    bool odd_order; /* neither: VAX */
    bool is_signed;
    struct cel_h5r_bits bits;
    /* strings */
    bool varies; /* length and position in the global heap */
    /* any */
    bool varsized; /* it, or a part of it, leads into the global heap */
    /* what it is made of */
    struct cel_h5r_datatype *base; /* enum, vlen, array */
    int ndims;                     /* array */
    size_t dims[CEL_RANK_MAX];
    size_t nparts; /* compound, enum */
    struct cel_h5r_part *part;
    /* the message; the whole tree's lies in one block */
    const unsigned char *message;
    size_t nmessage;
    unsigned char *own; /* that block; NULL in all but the root */
};

struct cel_h5r_part {
    char *name;
    /* of a compound */
    size_t offset;
    struct cel_h5r_datatype *type;
    /* of an enum: as many bytes as the base has, in the tree's block */
    const unsigned char *value;
};

/* After CEL_OK yours to free. */
int cel_h5r_datatype_decode(const unsigned char *message, size_t n, struct cel_h5r_datatype **out);
void cel_h5r_datatype_free(struct cel_h5r_datatype *t); /* NULL is fine */
bool cel_h5r_datatype_equal(const struct cel_h5r_datatype *a, const struct cel_h5r_datatype *b);

size_t cel_h5r_array_length(const struct cel_h5r_datatype *array); /* elements in all; fits, as decoding checked */
bool cel_h5r_is_fixed_text(const struct cel_h5r_datatype *t);      /* a string of one length for all */
bool cel_h5r_is_long_text(const struct cel_h5r_datatype *t);       /* the same, of more than one byte */

#endif
