/* SPDX-License-Identifier: BSD-3-Clause */
/* Which filters notice damage. */

#include "protect.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Those made for it first, then compressors whose format ends with a checksum of the data. */
static const struct {
    const char *name, *with; /* a parameter that switches it on; NULL: it always has one */
} filters[] = {{"fletcher32", NULL}, {"crc32c", NULL}, {"crc32", NULL}, {"adler32", NULL}, {"gzip", NULL},
               {"deflate", NULL},    {"bzip2", NULL},  {"lzma", NULL},  {"fpzip", NULL},   {"zstd", "checksum=1"}};

static bool has(const char *chain, const char *name, const char *with)
{
    size_t n = strlen(name);

    for (const char *step = chain; step && *step;) {
        size_t len = strcspn(step, "|");
        const char *found = with ? strstr(step, with) : step;

        if (strncmp(step, name, n) == 0 && strchr(",|", step[n]) && found && found < step + len)
            return true;
        step += len + (step[len] == '|');
    }
    return false;
}

const char *protect_by(const char *chain)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (has(chain, filters[i].name, filters[i].with))
            return filters[i].name;
    return NULL;
}
