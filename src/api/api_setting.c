/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for the whole process: the default format, alignment, and the
 * chunk cache of variables not yet opened. One lock for all of it. */
#include "api.h"
#include "fork.h"
#include <limits.h>
#include <netcdf_f.h>

static struct cel_mutex lock = CEL_MUTEX_INIT;
static struct cel_settings now = {
    .format = NC_FORMAT_CLASSIC,
    .cache.size = 64 << 20,
    .cache.nelems = 1000,
    .cache.preemption = 0.75f,
};

CEL_FORK_LOCK(CEL_FORK_SETTINGS, &lock, false, NULL);

void cel_settings_get(struct cel_settings *out)
{
    cel_lock(&lock);
    *out = now;
    cel_unlock(&lock);
}

int nc_set_default_format(int format, int *old_formatp)
{
    struct cel_settings old;

    cel_settings_get(&old);
    cel_output(old_formatp, old.format);
    if (format < NC_FORMAT_CLASSIC || format > NC_FORMAT_64BIT_DATA)
        return cel_fail(NC_EINVAL, "%d is not one of the NC_FORMAT_ constants", format);
    cel_lock(&lock);
    now.format = format;
    cel_unlock(&lock);
    return NC_NOERR;
}

int nc_set_alignment(int threshold, int alignment)
{
    if (threshold < 0 || alignment < 0)
        return cel_fail(NC_EINVAL, "alignment %d from %d bytes on: neither can be negative", alignment, threshold);
    cel_lock(&lock);
    now.align_threshold = threshold;
    now.alignment = alignment;
    cel_unlock(&lock);
    return NC_NOERR;
}

int nc_get_alignment(int *thresholdp, int *alignmentp)
{
    struct cel_settings s;

    cel_settings_get(&s);
    cel_output(thresholdp, s.align_threshold);
    cel_output(alignmentp, s.alignment);
    return NC_NOERR;
}

int nc_set_meta_block_size(size_t size)
{
    cel_lock(&lock);
    now.meta_block_size = size;
    cel_unlock(&lock);
    return NC_NOERR;
}

int nc_get_meta_block_size(size_t *sizep)
{
    struct cel_settings s;

    cel_settings_get(&s);
    cel_output(sizep, s.meta_block_size);
    return NC_NOERR;
}

int nc_set_chunk_cache(size_t size, size_t nelems, float preemption)
{
    const struct cel_cache_settings settings = {.size = size, .nelems = nelems, .preemption = preemption};
    int rc = cel_cache_check(&settings);

    if (rc != CEL_OK)
        return rc;
    cel_lock(&lock);
    now.cache = settings;
    cel_unlock(&lock);
    return NC_NOERR;
}

int nc_get_chunk_cache(size_t *sizep, size_t *nelemsp, float *preemptionp)
{
    struct cel_settings s;

    cel_settings_get(&s);
    cel_output(sizep, s.cache.size);
    cel_output(nelemsp, s.cache.nelems);
    cel_output(preemptionp, s.cache.preemption);
    return NC_NOERR;
}

int nc_set_chunk_cache_ints(int size, int nelems, int preemption)
{
    if (size <= 0 || nelems <= 0 || preemption < 0 || preemption > 100)
        return cel_fail(NC_EINVAL, "a chunk cache of %d bytes, %d chunks and %d %% makes no sense", size, nelems,
                        preemption);
    return nc_set_chunk_cache((size_t)size, (size_t)nelems, (float)preemption / 100);
}

int nc_get_chunk_cache_ints(int *sizep, int *nelemsp, int *preemptionp)
{
    struct cel_settings s;

    cel_settings_get(&s);
    cel_output(sizep, s.cache.size > INT_MAX ? INT_MAX : (int)s.cache.size);
    cel_output(nelemsp, s.cache.nelems > INT_MAX ? INT_MAX : (int)s.cache.nelems);
    cel_output(preemptionp, (int)(s.cache.preemption * 100));
    return NC_NOERR;
}
