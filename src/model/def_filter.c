/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that define one filter, each with its checks in netCDF-C's order.
 * nc_def_var_filter and the codecs with a call of their own (szip, bzip2, ...) insist on define
 * mode (NC_EINDEFINE). deflate, shuffle and fletcher32 ask for write access and for a variable
 * that is not in the file yet. */
#include "model_int.h"

enum { DEFLATE_LEVEL_MAX = 9, FILTER_ID_MAX = 65535 };

static int check_format(const struct cel_var *var)
{
    return cel_dataset_refuse(var->group->dataset, CEL_KEEPS_FILTERS, "a filter");
}

static int check_defining(const struct cel_var *var)
{
    int rc = check_format(var);

    if (rc == CEL_OK && !var->group->dataset->defining)
        rc = cel_fail(NC_EINDEFINE, "filters are defined in define mode only, right after the variable");
    return rc;
}

int cel_var_may_filter(const struct cel_var *var)
{
    int rc = check_defining(var);

    return rc == CEL_OK ? cel_var_may_define(var) : rc;
}

static int add(struct cel_var *var, unsigned id, size_t n, const unsigned *params)
{
    struct cel_step step;
    int rc;

    if (id == 0 || id > FILTER_ID_MAX)
        return cel_fail(NC_EBADID, "%u is no filter id: they go from 1 to %d", id, FILTER_ID_MAX);
    rc = cel_step_make(id, n, params, &step);
    return rc == CEL_OK ? cel_var_add_filter(var, &step) : rc;
}

int cel_var_def_filter(struct cel_var *var, unsigned id, size_t n, const unsigned *params)
{
    int rc = check_defining(var);

    if (rc == CEL_OK && !var->ndims)
        rc = cel_fail(NC_EINVAL, "a single value cannot have filters");
    if (rc == CEL_OK)
        rc = cel_var_may_define(var);
    return rc == CEL_OK ? add(var, id, n, params) : rc;
}

/* What deflate, shuffle and fletcher32 ask. */
static int check_new(const struct cel_var *var)
{
    int rc = check_format(var);

    return rc == CEL_OK ? cel_var_may_define(var) : rc;
}

/* All is checked before the first of the two is added. */
static int check_deflate(const struct cel_var *var, bool shuffle, bool deflate, int level)
{
    if ((shuffle || deflate) && !var->ndims)
        return cel_fail(NC_EINVAL, "a single value cannot have filters");
    if (deflate && (level < 0 || level > DEFLATE_LEVEL_MAX))
        return cel_fail(NC_EINVAL, "deflate: level is %d; it must be from 0 to %d", level, DEFLATE_LEVEL_MAX);
    return deflate ? cel_check_rival(var, CEL_ID_DEFLATE) : CEL_OK;
}

/* Level 0 is no compression: nothing is added, as netCDF-C does for HDF5. */
static int add_deflate(struct cel_var *var, int level)
{
    const unsigned params[] = {(unsigned)level};

    return level == 0 && !cel_chain_find(&var->chain, CEL_ID_DEFLATE) ? CEL_OK : add(var, CEL_ID_DEFLATE, 1, params);
}

int cel_var_def_deflate(struct cel_var *var, bool shuffle, bool deflate, int level)
{
    int rc = check_new(var);

    if (rc == CEL_OK)
        rc = check_deflate(var, shuffle, deflate, level);
    if (rc == CEL_OK && shuffle)
        rc = add(var, CEL_ID_SHUFFLE, 0, NULL);
    return rc == CEL_OK && deflate ? add_deflate(var, level) : rc;
}

static void remove_shuffle(struct cel_chain *chain)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->step[i].id == CEL_ID_SHUFFLE) {
            cel_chain_remove(chain, i);
            return;
        }
}

int cel_var_def_shuffle(struct cel_var *var, bool on)
{
    int rc = check_new(var);

    if (rc == CEL_OK && on)
        return add(var, CEL_ID_SHUFFLE, 0, NULL);
    if (rc == CEL_OK)
        remove_shuffle(&var->chain); /* the one filter that can be taken out again */
    return rc;
}

int cel_var_def_fletcher32(struct cel_var *var, bool on)
{
    int rc = check_new(var);

    return rc == CEL_OK && on ? add(var, CEL_ID_FLETCHER32, 0, NULL) : rc;
}
