/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_ATT_H
#define TOOL_ATT_H

/* One attribute with all its values in memory. */

#include "types.h"

struct att {
    char name[NC_MAX_NAME + 1];
    const struct type *type;
    size_t n;
    char *values;
};

int att_get(const struct types *types, int group, int varid, const char *name, struct att *out); /* netCDF status */
int att_get_nth(const struct types *types, int group, int varid, int nth, struct att *out);
void att_free(struct att *a);

/* The text of a char or single-string attribute; NULL: absent or of another type. Yours to free. */
char *att_get_text(const struct types *types, int group, int varid, const char *name);

#endif
