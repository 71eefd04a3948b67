/* SPDX-License-Identifier: BSD-3-Clause */
/* numpy's times: datetime64 counts from 1970-01-01, timedelta64 from nothing; both are 64-bit integers here. What they
 * count is in the data type ("<M8[10us]", or "unit" and "scale_factor") and becomes the attribute "units" where the
 * store has none. Years and months have no length that CF knows. */
#include "zarr_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *unit, *name;
} units[] = {
    {"W", "weeks"},        {"D", "days"},          {"h", "hours"},         {"m", "minutes"},
    {"s", "seconds"},      {"ms", "milliseconds"}, {"us", "microseconds"}, {"ns", "nanoseconds"},
    {"ps", "picoseconds"}, {"fs", "femtoseconds"}, {"as", "attoseconds"},
};

/* "<M8[10us]": the unit is in [from, from + len). */
static bool parse_v2(const char *text, bool *since, unsigned long long *scale, const char **from, size_t *len)
{
    const char *open = text ? strchr(text, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
    char *end;

    if (!close || (text[1] != 'M' && text[1] != 'm'))
        return false;
    *since = text[1] == 'M';
    *scale = strtoull(open + 1, &end, 10);
    *scale = end == open + 1 ? 1 : *scale;
    *from = end;
    *len = (size_t)(close - end);
    return true;
}

static bool parse_v3(const struct cel_json *type, bool *since, unsigned long long *scale, const char **from,
                     size_t *len)
{
    const char *name = cel_zarr_v3_name(type);
    const struct cel_json *about = cel_json_get(type, "configuration");
    uint64_t factor = 1;

    if (!name || (strcmp(name, "numpy.datetime64") != 0 && strcmp(name, "numpy.timedelta64") != 0))
        return false;
    *since = strcmp(name, "numpy.datetime64") == 0;
    cel_json_uint(cel_json_get(about, "scale_factor"), false, &factor);
    *scale = factor;
    *from = cel_json_string(cel_json_get(about, "unit"), len);
    return *from != NULL;
}

void cel_zarr_time_units(const struct cel_zarr_array *a, char *text, size_t cap)
{
    const struct cel_json *v3 = cel_json_get(a->doc, "data_type");
    const char *unit, *v2 = cel_json_string(cel_json_get(a->doc, "dtype"), NULL);
    unsigned long long scale;
    size_t len;
    bool since;

    *text = '\0';
    if (!(v3 ? parse_v3(v3, &since, &scale, &unit, &len) : parse_v2(v2, &since, &scale, &unit, &len)))
        return;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].unit) != len || strncmp(units[i].unit, unit, len) != 0)
            continue;
        if (scale == 1)
            snprintf(text, cap, "%s%s", units[i].name, since ? " since 1970-01-01" : "");
        else
            snprintf(text, cap, "%llu %s%s", scale, units[i].name, since ? " since 1970-01-01" : "");
    }
}
