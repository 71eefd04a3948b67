/* SPDX-License-Identifier: BSD-3-Clause */
/* Define mode and data mode. netCDF-4 files change between them by themselves;
 * the classic model, and classic files, insist. */
#include "model_int.h"

bool cel_is_classic_file(const struct cel_dataset *ds)
{
    return ds->format != NC_FORMAT_NETCDF4 && ds->format != NC_FORMAT_NETCDF4_CLASSIC;
}

bool cel_is_strict(const struct cel_dataset *ds)
{
    return ds->classic_model || cel_is_classic_file(ds);
}

int cel_mode_write(const struct cel_dataset *ds)
{
    if (!ds->writable)
        return cel_fail(NC_EPERM, "the file is open for reading only: open it with NC_WRITE");
    return CEL_OK;
}

int cel_mode_check_strict(const struct cel_dataset *ds)
{
    if (!ds->defining && cel_is_strict(ds))
        return cel_fail(NC_ENOTINDEFINE, "a file of the classic model is defined in define mode only: "
                                         "call nc_redef first");
    return CEL_OK;
}

/* Of a classic file opened for reading netCDF-C says that it is not in define mode, of others that they are not writable. */
int cel_mode_define(struct cel_dataset *ds)
{
    int rc = cel_is_classic_file(ds) ? cel_mode_check_strict(ds) : CEL_OK;

    if (rc == CEL_OK)
        rc = cel_mode_write(ds);
    if (rc == CEL_OK)
        rc = cel_mode_check_strict(ds);
    if (rc == CEL_OK)
        ds->defining = true;
    return rc;
}

int cel_mode_redef(struct cel_dataset *ds)
{
    int rc;

    if (ds->defining && cel_is_strict(ds))
        return cel_fail(NC_EINDEFINE, "the file is in define mode already");
    rc = cel_mode_write(ds);
    if (rc == CEL_OK)
        ds->defining = true;
    return rc;
}

int cel_mode_data(const struct cel_dataset *ds)
{
    if (ds->defining && cel_is_strict(ds))
        return cel_fail(NC_EINDEFINE, "a file of the classic model has no data while it is in define mode: "
                                      "call nc_enddef first");
    return CEL_OK;
}

int cel_mode_check_create(int mode)
{
    int format = mode & CEL_MODE_FORMATS;

    if (format & (format - 1))
        return cel_fail(NC_EINVAL, "NC_NETCDF4, NC_64BIT_OFFSET and NC_64BIT_DATA exclude each other");
    if ((mode & NC_DISKLESS) && (mode & NC_INMEMORY))
        return cel_fail(NC_EDISKLESS, "NC_DISKLESS and NC_INMEMORY exclude each other");
    if ((mode & NC_MMAP) && (mode & NC_NETCDF4))
        return cel_fail(NC_EINVAL, "NC_MMAP is for classic files: use NC_DISKLESS");
    return CEL_OK;
}

int cel_mode_check_open(int mode)
{
    if ((mode & NC_DISKLESS) && (mode & NC_INMEMORY))
        return cel_fail(NC_EINVAL, "NC_DISKLESS and NC_INMEMORY exclude each other");
    return CEL_OK;
}

int cel_mode_set_fill(struct cel_dataset *ds, int fill_mode, int *old)
{
    int rc = cel_mode_write(ds);

    if (rc != CEL_OK)
        return rc;
    if (fill_mode != NC_FILL && fill_mode != NC_NOFILL)
        return cel_fail(NC_EINVAL, "%d is neither NC_FILL nor NC_NOFILL", fill_mode);
    *old = ds->fill_mode;
    ds->fill_mode = fill_mode;
    return CEL_OK;
}

/* Where types are not kept for themselves, one that nothing has is not written, and what it lacks matters to nobody. */
static int check_type(const struct cel_type *type)
{
    if (!(type->group->dataset->features & CEL_KEEPS_USER_TYPES))
        return CEL_OK;
    if (type->klass == NC_COMPOUND && !type->nfields)
        return cel_fail(NC_EINVAL, "compound type %s has no fields: insert some before leaving define mode",
                        type->name);
    if (type->klass == NC_ENUM && !type->nmembers)
        return cel_fail(NC_EINVAL, "enum type %s has no members: insert some before leaving define mode", type->name);
    return CEL_OK;
}

void cel_mode_settle_fill(const struct cel_group *group)
{
    for (size_t i = 0; i < group->vars.n; i++)
        ((struct cel_var *)group->vars.at[i])->fill.settled = true;
}

int cel_mode_check_enddef(const struct cel_dataset *ds)
{
    int rc = CEL_OK;

    if (!ds->defining)
        return cel_fail(NC_ENOTINDEFINE, "the file is not in define mode");
    for (size_t i = 0; rc == CEL_OK && i < ds->types.n; i++) {
        const struct cel_type *type = ds->types.at[i];
        if (type && type->saved == CEL_NEW)
            rc = check_type(type);
    }
    return rc;
}
