/* SPDX-License-Identifier: BSD-3-Clause */
/* _FillValue put, changed, removed and put back after the first nc_enddef, with data and without: what ncatted,
 * ncap2 and gmt grdedit do. Records written later show which fill value holds. */
#include "say.h"

static int ncid, var, rec;
static size_t next;

static void make(const char *path, int fill)
{
    int x, t, values[2] = {5, 6};

    DO(nc_create(path, FORMAT, &ncid));
    DO(nc_def_dim(ncid, "x", 2, &x));
    DO(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    DO(nc_def_var(ncid, "v", NC_INT, 1, &x, &var));
    DO(nc_def_var(ncid, "r", NC_INT, 1, &t, &rec));
    DO(nc_put_att_int(ncid, rec, "missing", NC_INT, 1, &(int){-1}));
    if (fill)
        DO(nc_put_att_int(ncid, rec, "_FillValue", NC_INT, 1, &(int){-7}));
    DO(nc_enddef(ncid));
    DO(nc_put_var_int(ncid, var, values));
    DO(nc_put_var1_int(ncid, rec, &(size_t){0}, &(int){0}));
    next = 0;
}

/* A record two further on: the one between is filled. */
static void add_records(void)
{
    int back = 0, fill = 0, off = 0;

    next += 2;
    SAY(nc_put_var1_int(ncid, rec, &next, &(int){100}));
    SAY(nc_get_var1_int(ncid, rec, &(size_t){next - 1}, &back));
    SAY(nc_inq_var_fill(ncid, rec, &off, &fill));
    printf("record %zu: %d, fill value %d, off %d\n", next - 1, back, fill, off);
}

static void change(void)
{
    SAY(nc_redef(ncid));
    SAY(nc_put_att_int(ncid, rec, "_FillValue", NC_INT, 1, &(int){-1}));
    SAY(nc_put_att_int(ncid, var, "_FillValue", NC_INT, 1, &(int){-1}));
    SAY(nc_enddef(ncid));
    add_records();
    SAY(nc_put_att_int(ncid, rec, "_FillValue", NC_INT, 1, &(int){-2})); /* as long as before: allowed in data mode */
    add_records();
    SAY(nc_redef(ncid));
    SAY(nc_del_att(ncid, rec, "_FillValue"));
    SAY(nc_enddef(ncid));
    add_records();
    SAY(nc_redef(ncid));
    SAY(nc_rename_att(ncid, rec, "missing", "_FillValue"));
    SAY(nc_enddef(ncid));
    add_records();
    SAY(nc_rename_att(ncid, rec, "_FillValue", "old"));
    add_records();
    SAY(nc_redef(ncid));
    SAY(nc_def_var_fill(ncid, rec, NC_FILL, &(int){-9}));
    SAY(nc_def_var_fill(ncid, var, NC_NOFILL, NULL));
    SAY(nc_enddef(ncid));
    add_records();
}

int main(int argc, char **argv)
{
    (void)argc;
    for (int fill = 0; fill < 2; fill++) {
        make(argv[1], fill);
        change();
        SAY(nc_close(ncid));
        make(argv[1], fill);
        SAY(nc_close(ncid));
        SAY(nc_open(argv[1], NC_WRITE, &ncid));
        change();
        SAY(nc_close(ncid));
    }
    return 0;
}
