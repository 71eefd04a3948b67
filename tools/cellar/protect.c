/* Which filters notice damage. */

#include "protect.h"
#include <stddef.h>
#include <string.h>

/* Those made for it first, then compressors whose format ends with a checksum of the data. */
static const char *const filters[] = {"fletcher32", "crc32c", "crc32", "adler32", "gzip", "zlib", "deflate", "bzip2"};

static int has(const char *chain, const char *name)
{
    size_t n = strlen(name);

    for (const char *step = chain; step && *step; step = strchr(step, '|'), step = step ? step + 1 : NULL)
        if (strncmp(step, name, n) == 0 && (!step[n] || strchr(",|", step[n])))
            return 1;
    return 0;
}

const char *protect_by(const char *chain)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (has(chain, filters[i]))
            return filters[i];
    return NULL;
}
