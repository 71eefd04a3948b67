/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimension scales, as HDF5's high-level library keeps them, without its cost of
 * rewriting a scale's whole list of users for each of them:
 *   CLASS, NAME        on the scale
 *   DIMENSION_LIST     on a user: for each dimension, references to its scales
 *   REFERENCE_LIST     on the scale: its users, as (reference, dimension) */
#include "h5_int.h"
#include <stdlib.h>

struct user { /* the layout of REFERENCE_LIST in memory */
    hobj_ref_t var;
    int dim;
};

static int write_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    int rc = NC_EHDFERR;

    if (type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0)
        rc = cel_h5_att_write(object, name, type, type, 0, NULL, text);
    H5Tclose(type);
    return rc;
}

int cel_h5_scale_mark(hid_t dataset, const char *name, int dimid)
{
    int rc = write_text(dataset, "CLASS", "DIMENSION_SCALE");

    if (rc == CEL_OK)
        rc = write_text(dataset, "NAME", name);
    if (rc == CEL_OK)
        rc = cel_h5_att_write(dataset, "_Netcdf4Dimid", H5T_NATIVE_INT, H5T_NATIVE_INT, 0, NULL, &dimid);
    return rc;
}

int cel_h5_scale_unmark(hid_t dataset)
{
    static const char *const names[] = {"CLASS", "NAME", "REFERENCE_LIST", "_Netcdf4Dimid"};
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < sizeof names / sizeof *names; i++)
        rc = cel_h5_att_drop(dataset, names[i]);
    return rc;
}

static int note_user(struct cel_dim *dim, uint64_t var, int d)
{
    struct cel_h5_dim *priv = dim->priv;
    struct user user;

    memset(&user, 0, sizeof user);
    user.var = var;
    user.dim = d;
    return cel_buf_add(&priv->users, &user, sizeof user);
}

int cel_h5_scale_attach(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    hobj_ref_t refs[CEL_RANK_MAX];
    hvl_t lists[CEL_RANK_MAX];
    hsize_t n = (hsize_t)var->ndims;
    hid_t type;
    int d, rc = CEL_OK;

    for (d = 0; rc == CEL_OK && d < var->ndims; d++) {
        refs[d] = ((struct cel_h5_dim *)var->dim[d]->priv)->addr;
        lists[d] = (hvl_t){1, &refs[d]};
        rc = note_user(var->dim[d], v->addr, d);
    }
    if (rc != CEL_OK)
        return rc;
    type = H5Tvlen_create(H5T_STD_REF_OBJ);
    rc = cel_h5_att_write(v->id, "DIMENSION_LIST", type, type, 1, &n, lists);
    H5Tclose(type);
    return rc;
}

static hid_t user_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct user));

    H5Tinsert(type, "dataset", offsetof(struct user, var), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", offsetof(struct user, dim), H5T_NATIVE_INT);
    return type;
}

/* The users the file already lists go in front of the new ones. */
static int read_users(hid_t scale, hid_t type, struct cel_buf *out)
{
    hid_t att, space;
    hssize_t n;
    int rc;

    if (H5Aexists(scale, "REFERENCE_LIST") <= 0)
        return CEL_OK;
    att = H5Aopen(scale, "REFERENCE_LIST", H5P_DEFAULT);
    space = H5Aget_space(att);
    n = H5Sget_simple_extent_npoints(space);
    rc = n < 0 ? NC_EHDFERR : cel_buf_resize(out, (size_t)n * sizeof(struct user));
    if (rc == CEL_OK && n > 0 && H5Aread(att, type, out->data) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "REFERENCE_LIST cannot be read");
    H5Sclose(space);
    H5Aclose(att);
    return rc;
}

static int write_users(struct cel_dataset *ds, struct cel_dim *dim)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    struct cel_h5_dim *priv = dim->priv;
    struct cel_buf all = CEL_BUF_INIT(SIZE_MAX / 2);
    hid_t type = user_type(), scale = H5Oopen_by_addr(f->id, priv->addr);
    hsize_t n;
    int rc = scale < 0 ? cel_h5_fail(NC_EHDFERR, "the scale cannot be opened") : CEL_OK;

    if (rc == CEL_OK && !f->relink)
        rc = read_users(scale, type, &all);
    if (rc == CEL_OK)
        rc = cel_buf_add(&all, priv->users.data, priv->users.len);
    n = all.len / sizeof(struct user);
    if (rc == CEL_OK)
        rc = cel_h5_att_write(scale, "REFERENCE_LIST", type, type, 1, &n, all.data);
    priv->users.len = 0;
    cel_buf_dispose(&all);
    H5Tclose(type);
    if (scale >= 0)
        H5Oclose(scale);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "dimension %s", dim->name);
}

int cel_h5_scale_note_users(struct cel_dataset *ds)
{
    struct cel_dim *dim;
    size_t i;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < ds->dims.n; i++) {
        dim = ds->dims.at[i];
        if (dim && dim->priv && ((struct cel_h5_dim *)dim->priv)->users.len > 0)
            rc = write_users(ds, dim);
    }
    return rc;
}

/* Each entry may name several scales; the first is the dimension. */
int cel_h5_scale_list(struct cel_var *var, uint64_t *addr)
{
    struct cel_h5_var *v = var->priv;
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), att = H5Aopen(v->id, "DIMENSION_LIST", H5P_DEFAULT);
    hid_t space = H5Aget_space(att);
    hvl_t lists[CEL_RANK_MAX];
    int d, rc = CEL_OK;

    memset(lists, 0, sizeof lists);
    if (H5Sget_simple_extent_npoints(space) != var->ndims || H5Aread(att, type, lists) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "DIMENSION_LIST cannot be read");
    for (d = 0; rc == CEL_OK && d < var->ndims; d++)
        addr[d] = lists[d].len > 0 ? ((hobj_ref_t *)lists[d].p)[0] : 0;
    if (rc == CEL_OK)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    H5Sclose(space);
    H5Aclose(att);
    H5Tclose(type);
    return rc;
}
