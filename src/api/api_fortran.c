/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls made for Fortran, which counts ids from 1 and names dimensions from the last to the first. */
#include "api.h"
#include "rank.h"
#include <netcdf_f.h>

static void count_from_1(int *ids, int n)
{
    for (int i = 0; ids && i < n; i++)
        ids[i]++;
}

static void turn_round(int *sizes, int n)
{
    for (int i = 0; sizes && i < n / 2; i++) {
        int first = sizes[i];

        sizes[i] = sizes[n - 1 - i];
        sizes[n - 1 - i] = first;
    }
}

int nc_inq_varids_f(int ncid, int *nvars, int *fvarids)
{
    int n = 0, rc = nc_inq_varids(ncid, &n, fvarids);

    if (rc == NC_NOERR) {
        cel_output(nvars, n);
        count_from_1(fvarids, n);
    }
    return rc;
}

int nc_inq_dimids_f(int ncid, int *ndims, int *fdimids, int parent)
{
    int n = 0, rc = nc_inq_dimids(ncid, &n, fdimids, parent);

    if (rc == NC_NOERR) {
        cel_output(ndims, n);
        count_from_1(fdimids, n);
    }
    return rc;
}

int nc_insert_array_compound_f(int ncid, int typeid1, char *name, size_t offset, nc_type field_typeid, int ndims,
                               int *dim_sizesp)
{
    int sizes[CEL_RANK_MAX];

    for (int i = 0; dim_sizesp && i < ndims && i < CEL_RANK_MAX; i++)
        sizes[i] = dim_sizesp[i];
    if (dim_sizesp && ndims > 0 && ndims <= CEL_RANK_MAX)
        turn_round(sizes, ndims);
    return nc_insert_array_compound(ncid, typeid1, name, offset, field_typeid, ndims, dim_sizesp ? sizes : NULL);
}

int nc_inq_compound_field_f(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type *field_typeidp,
                            int *ndimsp, int *dim_sizesp)
{
    int n = 0, rc = nc_inq_compound_field(ncid, xtype, fieldid, name, offsetp, field_typeidp, &n, dim_sizesp);

    if (rc == NC_NOERR) {
        cel_output(ndimsp, n);
        turn_round(dim_sizesp, n);
    }
    return rc;
}
