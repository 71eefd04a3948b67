/* SPDX-License-Identifier: BSD-3-Clause */
/* The dataset: it owns the tree and the lists that ids index. This file also refuses, in one
 * place, what a format cannot store. */
#include "model_int.h"

int cel_dataset_make(const char *path, int mode, struct cel_dataset **out)
{
    struct cel_dataset *ds = cel_calloc(1, sizeof *ds);
    char *root = NULL;
    int rc = NC_ENOMEM;

    if (!ds)
        return NC_ENOMEM;
    cel_mutex_init(&ds->own_lock);
    ds->lock = &ds->own_lock;
    ds->mode = mode;
    ds->classic_model = (mode & NC_CLASSIC_MODEL) != 0;
    ds->format = ds->classic_model ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4;
    ds->fill_mode = NC_FILL;
    ds->features = CEL_KEEPS_ALL;
    ds->path = cel_strdup(path);
    if (ds->path)
        root = cel_strdup("/");
    if (root)
        rc = cel_group_make(ds, NULL, root, &ds->root);
    if (rc != CEL_OK) {
        cel_dataset_free(ds);
        return rc;
    }
    *out = ds;
    return CEL_OK;
}

void cel_dataset_free(struct cel_dataset *ds)
{
    if (!ds)
        return;
    /* Attributes and variables hold values that are freed by their types: these go last. */
    for (size_t i = 0; i < ds->groups.n; i++)
        cel_group_free(ds->groups.at[i]);
    for (size_t i = 0; i < ds->dims.n; i++)
        cel_dim_free(ds->dims.at[i]);
    for (size_t i = 0; i < ds->types.n; i++)
        cel_type_free(ds->types.at[i]);
    cel_vec_dispose(&ds->groups);
    cel_vec_dispose(&ds->dims);
    cel_vec_dispose(&ds->types);
    cel_mutex_dispose(&ds->own_lock);
    free(ds->path);
    free(ds);
}

struct cel_group *cel_dataset_group(const struct cel_dataset *ds, int grpid)
{
    return grpid >= 0 && (size_t)grpid < ds->groups.n ? ds->groups.at[grpid] : NULL;
}

static const struct {
    unsigned need;
    int code;
    const char *advice;
} refusals[] = {
    {CEL_KEEPS_USER_TYPES, NC_EBADTYPE, "use an atomic type, or create the file with NC_NETCDF4"},
    {CEL_KEEPS_STRINGS, NC_EBADTYPE, "use NC_CHAR, or create the file with NC_NETCDF4"},
    {CEL_KEEPS_INT64, NC_EBADTYPE, "use a classic type, or create the file with NC_NETCDF4 or NC_64BIT_DATA"},
    {CEL_KEEPS_GROUPS, NC_ENOTNC4, "create the file with NC_NETCDF4"},
    {CEL_KEEPS_UNLIMITED, NC_ENOTNC4, "one dimension may be unlimited; create the file with NC_NETCDF4 for more"},
    {CEL_KEEPS_CHUNKS, NC_ENOTNC4, "create the file with NC_NETCDF4"},
    {CEL_KEEPS_FILTERS, NC_ENOTNC4, "create the file with NC_NETCDF4"},
    {CEL_KEEPS_CONTIGUOUS, NC_ENOTNC4, "all variables are chunked there: leave the storage alone or give chunk sizes"},
    {CEL_KEEPS_COMPACT, NC_ENOTNC4, "leave the storage alone"},
    {CEL_KEEPS_SHARDS, NC_ENOTNC4, "shards are for Zarr version 3: create it with mode=zarr,v3"},
    {CEL_KEEPS_TEXT_CODECS, NC_ENOTNC4, "codecs for strings are for Zarr"},
    {CEL_KEEPS_OBJECT_CODECS, NC_ENOTNC4, "it is for Zarr version 2: create that with mode=zarr or mode=nczarr"},
    {CEL_KEEPS_ENDIAN, NC_ENOTNC4, "leave the byte order alone, or create the file with NC_NETCDF4"},
};

int cel_dataset_refuse(const struct cel_dataset *ds, unsigned need, const char *what)
{
    unsigned missing = need & ~ds->features;

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (missing & refusals[i].need)
            return cel_fail(refusals[i].code, "%s: the format of this file cannot keep it: %s", what,
                            refusals[i].advice);
    return CEL_OK;
}

cel_convert_fn *cel_dataset_converter(const struct cel_dataset *ds, nc_type from, nc_type to)
{
    bool one_byte_type = cel_is_strict(ds) && ds->format != NC_FORMAT_64BIT_DATA; /* CDF-5 has both kinds of byte */

    return one_byte_type ? cel_converter_classic(from, to) : cel_converter(from, to);
}
