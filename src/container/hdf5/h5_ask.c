/* SPDX-License-Identifier: BSD-3-Clause */
/* What an object is, asked of libhdf5 where read/h5_object.c cannot tell: it is opened, and its shape, type and netCDF's
 * own attributes are read. */
#include "h5_int.h"
#include <stdlib.h>

_Static_assert((int)CEL_H5R_INTEGER == (int)H5T_INTEGER && (int)CEL_H5R_ARRAY == (int)H5T_ARRAY,
               "libhdf5 numbers classes of types as the file does");

static int ask_space(hid_t dataset, struct cel_h5r_object *h)
{
    hsize_t dims[CEL_RANK_MAX], maxdims[CEL_RANK_MAX];
    hid_t space = H5Dget_space(dataset);
    int d;

    h->null_space = H5Sget_simple_extent_type(space) == H5S_NULL;
    h->rank = h->null_space ? 0 : H5Sget_simple_extent_dims(space, dims, maxdims);
    for (d = 0; d < h->rank; d++) {
        h->dims[d] = dims[d];
        h->maxdims[d] = maxdims[d] == H5S_UNLIMITED ? UINT64_MAX : maxdims[d];
    }
    H5Sclose(space);
    return h->rank < 0 ? cel_h5_fail(NC_EHDFERR, "its shape cannot be read") : CEL_OK;
}

/* HDF5 2.x has a class for complex numbers. */
static int class_of(hid_t type)
{
    int klass = H5Tget_class(type);

    return klass == CEL_H5R_COMPLEX ? CEL_H5R_COMPOUND : klass;
}

static int ask_type(hid_t dataset, struct cel_h5r_object *h)
{
    hid_t type = H5Dget_type(dataset);

    if (type < 0)
        return cel_h5_fail(NC_EHDFERR, "its type cannot be read");
    h->type_class = class_of(type);
    h->type_size = H5Tget_size(type);
    h->unnamed_type = cel_h5r_is_user_class(h->type_class);
    H5Tclose(type);
    return CEL_OK;
}

static bool att_starts(hid_t object, const char *name, const char *text)
{
    hid_t att = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = att < 0 ? -1 : H5Aget_type(att), space = att < 0 ? -1 : H5Aget_space(att);
    bool same = false;
    char *value;

    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) >= strlen(text)) {
        value = cel_malloc(H5Tget_size(type));
        same = value && H5Aread(att, type, value) >= 0 && memcmp(value, text, strlen(text)) == 0;
        free(value);
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (att >= 0)
        H5Aclose(att);
    return same;
}

/* How many ints there are (-1: none such); at most `most` are read. */
static int att_ints(hid_t object, const char *name, int *out, int most)
{
    hid_t att = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t space = att < 0 ? -1 : H5Aget_space(att);
    hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);

    if (n > most || (n > 0 && H5Aread(att, H5T_NATIVE_INT, out) < 0))
        n = -1;
    if (space >= 0)
        H5Sclose(space);
    if (att >= 0)
        H5Aclose(att);
    return (int)n;
}

/* Whether their types have names is found out by reading them. */
static bool has_atts(hid_t object)
{
    H5O_info_t info;

    return H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) >= 0 && info.num_attrs > 0;
}

static void ask_atts(hid_t dataset, struct cel_h5r_object *h)
{
    h->unnamed_atts = has_atts(dataset);
    h->is_scale = att_starts(dataset, "CLASS", "DIMENSION_SCALE");
    h->dim_only = h->is_scale && att_starts(dataset, "NAME", CEL_H5R_DIM_ONLY);
    h->has_list = H5Aexists(dataset, "DIMENSION_LIST") > 0;
    if (att_ints(dataset, "_Netcdf4Dimid", &h->dimid, 1) != 1)
        h->dimid = -1;
    h->ncoords = att_ints(dataset, "_Netcdf4Coordinates", h->coords, CEL_RANK_MAX);
}

static int ask_inside(hid_t group, const char *name, struct cel_h5r_object *h)
{
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
    int rc = CEL_OK;

    *h = CEL_H5R_OBJECT_INIT;
    if (object < 0)
        return cel_h5_fail(NC_EHDFERR, "%s cannot be opened", name);
    h->kind = kind == H5I_DATASET    ? CEL_H5R_DATASET
              : kind == H5I_GROUP    ? CEL_H5R_GROUP
              : kind == H5I_DATATYPE ? CEL_H5R_TYPE
                                     : CEL_H5R_OTHER;
    if (h->kind == CEL_H5R_DATASET) {
        rc = ask_space(object, h);
        if (rc == CEL_OK)
            rc = ask_type(object, h);
        if (rc == CEL_OK)
            ask_atts(object, h);
    } else if (h->kind == CEL_H5R_TYPE) {
        h->type_class = class_of(object);
    }
    H5Oclose(object);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "%s", name);
}

int cel_h5_ask_object(const struct cel_group *group, const char *name, struct cel_h5r_object *h)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(group->dataset, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = ask_inside(cel_h5_group_id(group), name, h);
    cel_h5_leave(&entry);
    return rc;
}
