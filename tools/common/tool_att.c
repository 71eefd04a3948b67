/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes read whole. */

#include "tool_att.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

int att_get(const struct types *types, int group, int varid, const char *name, struct att *out)
{
    nc_type id;
    int status;

    memset(out, 0, sizeof *out);
    status = nc_inq_att(group, varid, name, &id, &out->n);
    if (status)
        return status;
    strncpy(out->name, name, NC_MAX_NAME);
    out->type = types_find(types, id);
    if (!out->type)
        return NC_EBADTYPE;
    out->values = tool_alloc(out->n + 1, out->type->size);
    if (out->n)
        status = nc_get_att(group, varid, name, out->values);
    if (status)
        out->n = 0;
    return status;
}

int att_get_nth(const struct types *types, int group, int varid, int nth, struct att *out)
{
    char name[NC_MAX_NAME + 1];
    int status = nc_inq_attname(group, varid, nth, name);

    memset(out, 0, sizeof *out);
    return status ? status : att_get(types, group, varid, name, out);
}

void att_free(struct att *a)
{
    if (a->values)
        type_release(a->type, a->values, a->n);
    free(a->values);
    a->values = NULL;
}

char *att_get_text(const struct types *types, int group, int varid, const char *name)
{
    struct att a;
    char *found = NULL, *s;

    if (att_get(types, group, varid, name, &a) == NC_NOERR) {
        if (a.type->kind == NC_CHAR) {
            found = tool_strndup(a.values, a.n);
        } else if (a.type->kind == NC_STRING && a.n == 1) {
            memcpy(&s, a.values, sizeof s);
            found = s ? tool_strdup(s) : NULL;
        }
    }
    att_free(&a);
    return found;
}
