/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CONTAINER_SUITE_H
#define CONTAINER_SUITE_H

/* The contract of a container, through the public API alone: what it says it
 * keeps is kept by the same calls with the same results as everywhere, also after
 * reopening; the rest is refused when it is defined. A format joins by a row in
 * container_suite.c. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum keeps {
    GROUPS = 1,
    USER_TYPES = 2,
    STRINGS = 4,
    WIDE_INTEGERS = 8, /* unsigned ones and 64 bits */
    UNLIMITED = 16,    /* more than one */
    CHUNKS = 32,
    FILTERS = 64,
    CONTIGUOUS = 128,
    COMPACT = 256,
    ENDIANNESS = 512,
    FREE_DEFINITION = 1024, /* define mode is entered without nc_redef */
    NO_FILL = 2048,         /* remembers that a variable is not filled */
    ATT_RULES = 4096,       /* reserved names are refused, and a _FillValue of another type: not in classic files */
    LISTS = 8192,           /* variables of variable-length types of numbers */
    EVERYTHING = 16383
};

struct container {
    const char *name;
    const char *path; /* "%s" is the test's folder, "%d" counts files */
    int flags;        /* of nc_create */
    unsigned keeps;
    int no_type;      /* the code for a type it does not keep */
    int no_feature;   /* for a feature */
    int no_unlimited; /* for a second unlimited dimension */
};
extern const struct container *here;

static inline bool keeps(unsigned what)
{
    return (here->keeps & what) == what;
}

/* Fails the test with the call, its code and the library's own sentence. */
void check_code(int rc, int want, const char *call, const char *file, int line);
#define OK(call) check_code((call), NC_NOERR, #call, __FILE__, __LINE__)
#define FAILS(call, code) check_code((call), (code), #call, __FILE__, __LINE__)

/* One file at a time, of the container under test. */
int fresh(void);
int reopened(int ncid, int mode); /* closes, opens again */
void done(int ncid);
const char *file_path(void);

static inline int def_dim(int ncid, const char *name, size_t len)
{
    int id = -1;

    OK(nc_def_dim(ncid, name, len, &id));
    return id;
}

static inline int def_var(int ncid, const char *name, nc_type type, int ndims, const int *dims)
{
    int id = -1;

    OK(nc_def_var(ncid, name, type, ndims, dims, &id));
    return id;
}

static inline int var_named(int ncid, const char *name)
{
    int id = -1;

    OK(nc_inq_varid(ncid, name, &id));
    return id;
}

static inline int group_named(int ncid, const char *name)
{
    int id = -1;

    OK(nc_inq_grp_ncid(ncid, name, &id));
    return id;
}

static inline void define_again(int ncid)
{
    if (!keeps(FREE_DEFINITION))
        OK(nc_redef(ncid));
}

unsigned random_below(unsigned n); /* the same numbers in every run */

/* A test of something not every container keeps: run_parts() passes over it where it
 * is not; what is refused there is tested by suite_refuse.c. */
#define NEEDS(what, function) \
    { \
#function, function, NULL, NULL, (void *)(uintptr_t)(what) \
    }

#define PART(name) \
    extern const struct CMUnitTest name##_tests[]; \
    extern const size_t name##_count
PART(define);
PART(att);
PART(type);
PART(data);
PART(conversion);
PART(refuse);
PART(random);
#undef PART
#define END_PART(name) const size_t name##_count = sizeof name##_tests / sizeof *name##_tests

#endif
