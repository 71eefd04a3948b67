/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SESSION_H
#define SESSION_H

/* What a program does with a dataset while calls fail under it: one session from opening to nc_close. Puts go on
 * after a failure, as programs do that ignore it. */

#include "container.h"

enum { SESSION_VARS = 2, SESSION_BEFORE = 4, SESSION_RECORDS = 8 };

struct outcome {
    size_t acked; /* records that an nc_sync or nc_close has acknowledged */
    int nvars;    /* variables with these records */
    bool failed;  /* some call did */
    bool put_failed;
    bool lost_track; /* nc_sync or nc_close said 0 after a put had failed */
    bool wrong;      /* values were read that are wrong, with no error */
    char first[160]; /* the call that failed first, and its sentence */
};

struct session {
    const char *name;
    bool on_a_file; /* SESSION_BEFORE records of SESSION_VARS variables are there before it */
    void (*run)(const struct container *c, const char *path, struct outcome *out);
};

/* The end is a row without a name. */
extern const struct session sessions[];

#endif
