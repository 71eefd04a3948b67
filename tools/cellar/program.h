/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_PROGRAM_H
#define TOOL_PROGRAM_H

/* How a program gets at libnetcdf, from its file alone. */

#include <stdbool.h>

struct program {
    bool is_static;  /* it loads no libraries: it cannot be given another one */
    char *libnetcdf; /* the name under which it is linked to one; NULL: not, or a script */
    bool own_folder; /* it looks in folders of its own before all others (DT_RPATH) */
};

/* What is not known of a file (a script, another machine's program) is left empty. */
void program_look(const char *path, struct program *out);
void program_dispose(struct program *p);

/* Where the shell would find it in `folders` (a PATH); NULL: nowhere. Yours to free. */
char *program_find(const char *name, const char *folders);

#endif
