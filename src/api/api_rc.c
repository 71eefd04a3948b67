/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings by name, as netCDF-C keeps them for its .rc files. */
#include "api.h"
#include "rc.h"

char *nc_rc_get(const char *key)
{
    char *value = NULL;

    if (key)
        cel_rc_find(key, NULL, &value);
    return value;
}

int nc_rc_set(const char *key, const char *value)
{
    return key && value ? cel_rc_set(key, value) : cel_fail(NC_EINVAL, "nc_rc_set needs a key and a value");
}
