/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk cache a variable asks for. The array engine makes it. */
#include "model.h"

int cel_cache_check(const struct cel_cache_settings *settings)
{
    if (!(settings->preemption >= 0 && settings->preemption <= 1))
        return cel_fail(NC_EINVAL, "a preemption of %g is not between 0 and 1", (double)settings->preemption);
    return CEL_OK;
}

int cel_dataset_has_cache(const struct cel_dataset *ds)
{
    return cel_dataset_refuse(ds, CEL_KEEPS_CHUNKS, "a chunk cache");
}

int cel_var_set_cache(struct cel_var *var, const struct cel_cache_settings *settings)
{
    int rc = cel_cache_check(settings);

    if (rc == CEL_OK)
        rc = cel_dataset_has_cache(var->group->dataset);
    if (rc == CEL_OK)
        var->cache = *settings;
    return rc;
}
