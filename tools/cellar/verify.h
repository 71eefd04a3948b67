/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_VERIFY_H
#define CELLAR_VERIFY_H

/* cellar verify: one file looked at whole. */

#include "extents.h"
#include "look.h"
#include "manifest.h"

enum verify_state { VERIFY_WHOLE, VERIFY_DAMAGED, VERIFY_UNKNOWN };

struct verify_damage {
    char *var;                  /* NULL: the file itself */
    char *chunk;                /* "0,3,1"; NULL: not one */
    unsigned long long address; /* CELLAR_NO_ADDRESS: not known */
    char *key;                  /* of the value it lies in; NULL: a file */
    char *what;
    bool not_looked; /* it could not be looked at, which is not damage */
};

struct verify_result {
    char *path;
    enum verify_state state;
    size_t nvars, pieces, missing;
    unsigned long long bytes;      /* of the values that were read */
    unsigned long long between;    /* bytes of a file that belong to no variable: metadata, or not in use */
    size_t holes;                  /* classic files: places between variables that are longer than padding ... */
    unsigned long long hole_bytes; /* ... and their bytes */
    struct verify_damage *damage;
    size_t ndamage;
    char **unprotected; /* variables whose damage may go unnoticed */
    size_t nunprotected;
};

/* What one file's check needs to know. */
struct verify_job {
    struct verify_result *out;
    struct look look;
    struct extents extents;
    struct manifest *manifest; /* NULL: none */
    size_t most;               /* bytes to read at once */
};

void verify_file(const char *path, struct manifest *manifest, size_t most, struct verify_result *out);
void verify_result_free(struct verify_result *r);

/* Whether a status means that something could not be looked at: a system error, no permission, another format, a missing filter, a
 * server that does not answer. All others mean damage. */
bool verify_is_not_looked(const struct verify_job *job, int status);

/* fmt, ...: what is wrong. v, index NULL: the file, the whole variable. */
void verify_note(struct verify_job *job, const struct look_var *v, const size_t *index, bool not_looked,
                 const char *fmt, ...) TOOL_PRINTF(5, 6);

/* --- verify_extents.c: do stored pieces lie where they can? ------------------------------- */
void verify_extents(struct verify_job *job);
void verify_keys(struct verify_job *job);

/* --- verify_values.c: does every piece decode, to what the manifest has? -------------------- */
void verify_values(struct verify_job *job);

/* --- verify_print.c -------------------------------------------------------------------------- */
void verify_print(const struct verify_result *r, bool quiet);
bool verify_print_json(const struct verify_result *r, size_t n);

#endif
