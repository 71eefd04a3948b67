/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksums of chunks: adding them, and comparing them before the data is passed on. */
#include "checksum.h"
#include "bytes.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

enum { SUM_BYTES = 4 };

static bool comes_first(const struct cel_checksum *check, const struct cel_coding *coding)
{
    return check->comes_first && check->comes_first(coding);
}

size_t cel_checksum_bound(const struct cel_coding *coding, size_t n)
{
    return n + SUM_BYTES;
}

int cel_checksum_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_checksum *check = coding->codec->variant;
    bool first = comes_first(check, coding);
    char *out = dst;

    if (cap < SUM_BYTES || n > cap - SUM_BYTES)
        return cel_fail(NC_EFILTER, "%s: the output buffer is too small for %zu bytes and a checksum",
                        coding->codec->name, n);
    if (n)
        memcpy(first ? out + SUM_BYTES : out, src, n);
    cel_put_le32(first ? out : out + n, check->sum(coding, src, n));
    *len = n + SUM_BYTES;
    return CEL_OK;
}

int cel_checksum_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_checksum *check = coding->codec->variant;
    bool first = comes_first(check, coding);
    const char *in = src, *data = first ? in + SUM_BYTES : in;
    uint32_t stored, sum;

    if (n < SUM_BYTES)
        return cel_fail(NC_EFILTER, "%s: %zu bytes cannot hold a checksum", coding->codec->name, n);
    n -= SUM_BYTES;
    if (n > cap)
        return cel_fail(NC_EFILTER, "%s: the chunk has %zu bytes, expected at most %zu", coding->codec->name, n, cap);
    stored = cel_get_le32(first ? in : in + n);
    sum = check->sum(coding, data, n);
    if (stored != sum && !(check->accepted && stored == check->accepted(sum)))
        return cel_fail(NC_EFILTER, "%s: the checksum does not match: the chunk is damaged", coding->codec->name);
    if (n)
        memcpy(dst, data, n);
    *len = n;
    return CEL_OK;
}
