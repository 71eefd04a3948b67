/* SPDX-License-Identifier: BSD-3-Clause */
/* A libhdf5 of another version: it has every name that Cellar asks for. Compiled with NAMES_MISSING, it has none. */
#ifndef NAMES_MISSING
#define H5_VERSION_GE(major, minor, release) 1
#define FUNCTION(name) \
    __attribute__((visibility("default"))) int name(unsigned *a, unsigned *b, unsigned *c); \
    int name(unsigned *a, unsigned *b, unsigned *c) \
    { \
        static const char version[] = "H5get_libversion"; \
        if (__builtin_strcmp(#name, version) == 0) { \
            *a = 9; \
            *b = 8; \
            *c = 7; \
        } \
        return 0; \
    }
#define ID(name) __attribute__((visibility("default"))) long long name;
#include "h5_lib_list.h"
#endif
