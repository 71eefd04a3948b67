/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_SALVAGE_H
#define CELLAR_SALVAGE_H

/* cellar salvage: all that can be read of a damaged file, in another. */

#include "copy.h"
#include "mend.h"

/* A box of a variable whose values are lost, or an object that is lost as a whole. */
struct salvage_lost {
    char *path;
    int ndims; /* -1: all of it */
    size_t *start, *count;
    char *why;
};

struct salvage {
    struct copy copy;
    struct mend mend; /* bytes NULL: the input is a directory */
    struct salvage_lost *lost;
    size_t nlost;
    char **unprotected; /* variables whose damage may have gone unnoticed */
    size_t nunprotected;
    unsigned long long values, lost_values; /* of all variables that the output has */
    size_t searched;                        /* chunks whose place was looked for */
};

void salvage_lose(struct salvage *s, const char *path, const char *why); /* as a whole */
void salvage_forget(struct salvage *s);                                  /* all of that */
bool salvage_data(struct salvage *s);                                    /* false after saying why: the output failed */
void salvage_free(struct salvage *s);

/* --- salvage_chunk.c: a chunk whose place in the file is damaged ------------------------------------------ */
/* The whole chunk at `index`, from where one changed byte of its address or size leads to bytes that its filters' checksum
 * accepts; NULL: there is none. Yours to free. */
char *salvage_find_chunk(struct salvage *s, const struct copy_var *v, const size_t *index);

/* --- salvage_print.c -------------------------------------------------------------------------------------------- */
void salvage_print(const struct salvage *s, bool quiet);
bool salvage_print_json(const struct salvage *s);

#endif
