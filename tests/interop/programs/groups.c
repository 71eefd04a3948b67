/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested groups, inherited dimensions, several unlimited ones, renames. */
#include "say.h"

static void show(int ncid)
{
    int grps[10], dims[10], vars[10], unlim[10], n, ndims, nvars, nunlim, unlimdim;
    char name[NC_MAX_NAME + 1], full[1024];
    size_t len, full_len;

    DO(nc_inq_grpname(ncid, name));
    DO(nc_inq_grpname_full(ncid, &full_len, full));
    DO(nc_inq_grps(ncid, &n, grps));
    DO(nc_inq_dimids(ncid, &ndims, dims, 1));
    DO(nc_inq_unlimdims(ncid, &nunlim, unlim));
    DO(nc_inq_unlimdim(ncid, &unlimdim));
    DO(nc_inq_varids(ncid, &nvars, vars));
    printf("%s %s %zu: %d groups, %d dimensions, %d variables, %d unlimited, first %d\n", name, full, full_len, n,
           ndims, nvars, nunlim, unlimdim);
    for (int i = 0; i < ndims; i++) {
        DO(nc_inq_dim(ncid, dims[i], name, &len));
        printf("  dimension %d %s %zu\n", dims[i], name, len);
    }
    for (int i = 0; i < nunlim; i++)
        printf("  unlimited %d\n", unlim[i]);
    DO(nc_inq_dimids(ncid, &ndims, NULL, 0));
    printf("  own dimensions: %d\n", ndims);
    for (int i = 0; i < nvars; i++) {
        int var_dims[10], natts;
        nc_type type;

        DO(nc_inq_var(ncid, vars[i], name, &type, &ndims, var_dims, &natts));
        printf("  variable %d %s %d, %d attributes:", vars[i], name, type, natts);
        for (int d = 0; d < ndims; d++)
            printf(" %d", var_dims[d]);
        printf("\n");
    }
    for (int i = 0; i < n; i++)
        show(grps[i]);
}

int main(int argc, char **argv)
{
    int ncid, sea, deep, air, time, depth, x, dims[3], varid, id;
    size_t start[2] = {0, 0}, count[2] = {2, 3};
    short values[6] = {1, 2, 3, 4, 5, 6};

    (void)argc;
    DO(nc_create(argv[1], NC_NETCDF4, &ncid));
    DO(nc_def_dim(ncid, "time", NC_UNLIMITED, &time));
    DO(nc_def_dim(ncid, "x", 3, &x));
    DO(nc_def_grp(ncid, "sea", &sea));
    DO(nc_def_grp(sea, "deep", &deep));
    DO(nc_def_grp(ncid, "air", &air));
    DO(nc_def_dim(sea, "depth", NC_UNLIMITED, &depth));
    dims[0] = time, dims[1] = x;
    DO(nc_def_var(deep, "salt", NC_SHORT, 2, dims, &varid));
    DO(nc_put_att_int(deep, varid, "valid", NC_SHORT, 1, &(int){7}));
    DO(nc_put_vara_short(deep, varid, start, count, values));
    dims[0] = depth, dims[1] = time;
    DO(nc_def_var(deep, "both", NC_BYTE, 2, dims, &varid));
    DO(nc_def_dim(air, "x", 5, &id)); /* hides the root's */
    DO(nc_def_var(air, "x", NC_FLOAT, 1, &id, &varid));
    DO(nc_put_att_text(air, NC_GLOBAL, "note", 4, "high"));
    SAY(nc_def_grp(ncid, "sea", &id));
    SAY(nc_def_var(ncid, "sea", NC_INT, 0, NULL, &id));
    SAY(nc_def_dim(ncid, "x", 3, &id));
    SAY(nc_rename_grp(ncid, "root"));
    SAY(nc_rename_grp(air, "sea"));
    SAY(nc_rename_grp(air, "sky"));
    SAY(nc_inq_ncid(ncid, "sky", &id));
    SAY(nc_inq_grp_ncid(ncid, "nothing", &id));
    SAY(nc_inq_grp_full_ncid(ncid, "/sea/deep", &id));
    printf("%d\n", id == deep);
    SAY(nc_inq_grp_full_ncid(ncid, "/sea/nothing", &id));
    SAY(nc_inq_grp_full_ncid(ncid, "/", &id));
    printf("%d\n", id == ncid);
    SAY(nc_inq_grp_parent(ncid, &id));
    SAY(nc_inq_grp_parent(deep, &id));
    printf("%d\n", id == sea);
    SAY(nc_inq_dimid(deep, "time", &id));
    SAY(nc_inq_dimid(ncid, "depth", &id));
    show(ncid);
    DO(nc_close(ncid));
    DO(nc_open(argv[1], NC_NOWRITE, &ncid));
    show(ncid);
    SAY(nc_def_grp(ncid, "late", &id));
    SAY(nc_rename_grp(ncid + 1, "late"));
    DO(nc_close(ncid));
    return 0;
}
