/* SPDX-License-Identifier: BSD-3-Clause */
/* One object that is not understood does not close the file: it is listed in its group
 * with the reason. Memory and the machine's own faults are never taken for the
 * object's: they stay errors of the call. */
#include "h5_int.h"
#include <stdarg.h>
#include <stdio.h>

static bool is_of_object(int rc)
{
    static const int others[] = {NC_ENOMEM, NC_EIO, NC_EPERM, NC_ECANTWRITE};
    size_t i;

    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (rc == others[i])
            return false;
    return rc < 0 && !cel_h5_of_machine();
}

int cel_h5_note(struct cel_group *group, int rc, const char *fmt, ...)
{
    char name[1024];
    va_list ap;

    if (!is_of_object(rc))
        return rc;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    rc = cel_group_find_unreadable(group, name) ? CEL_OK : cel_group_note_unreadable(group, name, cel_error_text());
    if (rc == CEL_OK)
        cel_error_clear();
    return rc;
}

int cel_h5_note_var(struct cel_var *var, int rc)
{
    if (!is_of_object(rc))
        return rc;
    rc = cel_var_note_unreadable(var, cel_error_text());
    if (rc != CEL_OK)
        return rc;
    cel_error_clear();
    var->layout.unchunked = true;
    if (!var->type) {
        var->type = cel_type_atomic(NC_BYTE);
        var->layout.storage = CEL_UNKNOWN_STORAGE;
    }
    return CEL_OK;
}
