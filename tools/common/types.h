/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_TYPES_H
#define TOOL_TYPES_H

/* Every type of an open file, looked up once: what printing, generating, copying
 * and comparing values need to know about one. */

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>

/* A value of any numeric type. */
union number {
    signed char b;
    unsigned char ub;
    short s;
    unsigned short us;
    int i;
    unsigned u;
    long long ll;
    unsigned long long ull;
    float f;
    double d;
};

struct type_field {
    char name[NC_MAX_NAME + 1];
    size_t offset;
    const struct type *type;
    int ndims;
    int dims[NC_MAX_VAR_DIMS];
    size_t count; /* product of dims */
};

struct type_member {
    char name[NC_MAX_NAME + 1];
    unsigned char value[8]; /* in the base type's own bytes */
};

struct type {
    nc_type id;
    int kind; /* the id itself for atomic types; else NC_VLEN, NC_OPAQUE, NC_ENUM, NC_COMPOUND */
    char name[NC_MAX_NAME + 1];
    size_t size;             /* of one value in memory */
    int group;               /* where it is defined; -1 for atomic types */
    bool has_pointers;       /* strings or sequences somewhere inside */
    const struct type *base; /* NC_VLEN, NC_ENUM */
    size_t nfields;
    struct type_field *field;
    size_t nmembers;
    struct type_member *member;
};

struct types {
    struct type **at;
    size_t n;
};

int types_load(int root, struct types *out); /* a netCDF status */
const struct type *types_find(const struct types *t, nc_type id);
void types_free(struct types *t);

/* Atomic types by their CDL names. */
const struct type *types_atomic(nc_type id); /* NULL: not atomic */
const struct type *types_atomic_by_name(const char *name);

/* Whether two values are equal, NaNs among themselves included. */
bool type_equal(const struct type *t, const void *a, const void *b);

/* Release what a value of the type points to (strings, sequences). */
void type_release(const struct type *t, void *values, size_t n);

const struct type_member *type_member_of(const struct type *t, const void *value); /* enums; NULL: no such member */

#endif
