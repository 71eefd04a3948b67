/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_MANIFEST_H
#define CELLAR_MANIFEST_H

/* Hashes of the values of every piece of some files, in a text file: one line for each,
 *
 *     <16 hex digits> TAB <file> TAB <variable> TAB <chunk, "0,3,1"> LF
 *
 * after the line "# cellar checksums 1". Control characters in names stand as \ooo. Values are hashed by XXH64 as they are in memory
 * on a little-endian machine, so that a file that was copied with other filters still agrees. Any thread may add or check. */

#include <pthread.h>
#include <stdint.h>
#include "text.h"

struct manifest_line {
    char *what; /* file TAB variable TAB chunk */
    uint64_t hash;
    bool seen;
};

struct manifest {
    const char *path;
    bool checking; /* it was there: lines are compared; else they are gathered, to be written */
    pthread_mutex_t lock;
    struct manifest_line *line; /* checking: in the order of what */
    size_t n;
};

enum manifest_answer { MANIFEST_AGREES, MANIFEST_DIFFERS, MANIFEST_NEW };

bool manifest_open(const char *path, struct manifest *out); /* false after saying what is wrong with it */
enum manifest_answer manifest_note(struct manifest *m, const char *file, const char *var, const char *chunk,
                                   uint64_t hash);
/* Whether anything is known of this file; also while a manifest is gathered. */
bool manifest_has(const struct manifest *m, const char *file);
/* Lines of this file that nothing was noted for: each is given to visit(). */
void manifest_unseen(struct manifest *m, const char *file, void (*visit)(void *arg, const char *var, const char *chunk),
                     void *arg);
bool manifest_save(struct manifest *m); /* what was gathered; false after saying why not */
void manifest_close(struct manifest *m);

#endif
