/* SPDX-License-Identifier: BSD-3-Clause */
/* How elements of a user type lie in memory, as a type of libhdf5. Numbers are those of the model: a half float is a
 * float of C here, where H5Tget_native_type() of HDF5 1.14 and later answers with two bytes. What has no number is as
 * libhdf5 sees it. */
#include "h5_int.h"

static hid_t native_array(hid_t file, const struct cel_type *type)
{
    hsize_t dims[CEL_RANK_MAX];
    int rank = H5Tget_array_dims2(file, dims);
    hid_t super = H5Tget_super(file), element = super < 0 ? -1 : cel_h5_native_type(super, type), id = -1;

    if (rank > 0 && element >= 0)
        id = H5Tarray_create2(element, (unsigned)rank, dims);
    if (element >= 0)
        H5Tclose(element);
    if (super >= 0)
        H5Tclose(super);
    return id;
}

static hid_t native_vlen(hid_t file, const struct cel_type *type)
{
    hid_t super = H5Tget_super(file), element = super < 0 ? -1 : cel_h5_native_type(super, type->base), id = -1;

    if (element >= 0) {
        id = H5Tvlen_create(element);
        H5Tclose(element);
    }
    if (super >= 0)
        H5Tclose(super);
    return id;
}

static bool insert_field(hid_t file, const struct cel_field *field, hid_t compound)
{
    int at = H5Tget_member_index(file, field->name);
    hid_t member = at < 0 ? -1 : H5Tget_member_type(file, (unsigned)at);
    hid_t id = member < 0 ? -1 : cel_h5_native_type(member, field->type);
    bool ok = id >= 0 && H5Tinsert(compound, field->name, field->offset, id) >= 0;

    if (id >= 0)
        H5Tclose(id);
    if (member >= 0)
        H5Tclose(member);
    return ok;
}

static hid_t native_compound(hid_t file, const struct cel_type *type)
{
    hid_t id = H5Tcreate(H5T_COMPOUND, type->size);
    bool ok = id >= 0;

    for (size_t i = 0; ok && i < type->nfields; i++)
        ok = insert_field(file, &type->field[i], id);
    if (ok || id < 0)
        return id;
    H5Tclose(id);
    return -1;
}

hid_t cel_h5_native_type(hid_t file, const struct cel_type *type)
{
    H5T_class_t klass = H5Tget_class(file);

    if (klass == H5T_ARRAY)
        return native_array(file, type);
    if (klass == H5T_VLEN && type->klass == NC_VLEN)
        return native_vlen(file, type);
    if (klass == H5T_COMPOUND && type->klass == NC_COMPOUND)
        return native_compound(file, type);
    if ((klass == H5T_INTEGER || klass == H5T_FLOAT) && !type->group && type->klass != NC_CHAR)
        return H5Tcopy(cel_h5_native_number(type->id));
    return H5Tget_native_type(file, H5T_DIR_DEFAULT);
}
