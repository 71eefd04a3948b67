/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOSC2_OUTPUT_H
#define CEL_BLOSC2_OUTPUT_H

/* A file that is being written. Chunks go to a scratch file beside the target as they arrive, after the space for the header. A
 * sync copies them to a new file, which replaces the target once it is complete; at close the scratch file itself replaces it. */

#include "beside.h"
#include "blosc2_int.h"
#include <sys/types.h>

/* Where a chunk lies, counted from the end of the header. A special chunk that is its header alone has no bytes in the file:
 * c-blosc2 does not open files with such bytes. */
struct cel_blosc2_slot {
    uint64_t address; /* of its bytes, if it ever had any */
    uint64_t at;      /* the same, or CEL_BLOSC2_SPECIAL_OF */
    uint32_t n, cap;  /* its bytes, and those that it can have there; n 0: never written */
    bool lost;        /* it could not be written */
};

struct blosc2_output {
    struct cel_beside beside;
    char *path; /* both as the user gave it ... */
    char *scratch;
    int fd;
    pid_t owner; /* a forked child leaves the scratch file alone */
    struct cel_blosc2_slot *slots;
    size_t nslots;
    struct cel_var *var; /* the one variable; NULL: not defined yet */
    bool changed;        /* since the last sync */
};

#endif
