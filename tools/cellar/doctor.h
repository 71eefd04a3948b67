/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_DOCTOR_H
#define CELLAR_DOCTOR_H

/* cellar doctor: what is at work here, and what does not. */

#include "text.h"
#include <stdbool.h>

/* --- doctor_codecs.c: every filter encodes and decodes a small field ---------------------- */
enum doctor_state { DOCTOR_WORKS, DOCTOR_LOSSY, DOCTOR_NOT_TRIED, DOCTOR_FAILS };
struct doctor_codec {
    char *name, *origin; /* origin: a library; "" for built in */
    unsigned id;
    enum doctor_state state;
    char *note; /* why it was not tried, or fails; NULL: nothing to say */
    bool spare; /* a plugin for a filter that is built in */
};
struct doctor_codecs {
    struct doctor_codec *at;
    size_t n, nfailed, nspare;
};
void doctor_codecs_load(struct doctor_codecs *out);
void doctor_codecs_free(struct doctor_codecs *c);
const char *doctor_state_name(enum doctor_state state);

/* --- doctor_place.c: what surrounds us ------------------------------------------------------ */
struct doctor_variable {
    const char *name, *does;
    const char *must; /* what a value must be, in words; NULL: any is accepted */
    bool (*accepts)(const struct doctor_variable *v);
    unsigned long long min, max; /* of a number */
    const char *value;           /* NULL: not set */
    bool ignored;                /* its value is not what it must be */
};
size_t doctor_environment(const struct doctor_variable **out); /* every variable the library looks at */

struct doctor_note {
    char *path, *why;
};
struct doctor_notes {
    struct doctor_note *at;
    size_t n;
};
void doctor_passed_over(struct doctor_notes *out); /* plugins that were not used */
void doctor_plugin_path(struct doctor_notes *out); /* directories; why is NULL */
void doctor_notes_free(struct doctor_notes *n);

/* Whether a file or directory can be locked; NULL: it can, else why not. Yours to free. */
char *doctor_locking(const char *path);

/* --- doctor_file.c: why can this not be read, and what is to be done? ------------------------- */
struct doctor_problem {
    char *what, *advice; /* advice may be NULL: `what` says it */
};
struct doctor_file {
    const char *path;
    size_t nvars;
    struct doctor_problem *problem;
    size_t n;
};
void doctor_file_load(const char *path, struct doctor_file *out);
void doctor_file_free(struct doctor_file *f);

#endif
