/* SPDX-License-Identifier: BSD-3-Clause */
/* The version-2 interface. */
#include "say.h"

int main(int argc, char **argv)
{
    int ncid, time, x, v, dims[2], values[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0}, n, ndims, nvars, natts, unlimited;
    int ids[4];
    long start[2] = {0, 0}, count[2] = {2, 3}, stride[2] = {1, 2}, map[2] = {8, 4}, len, sizes[4];
    char name[NC_MAX_NAME + 1];
    double when[2] = {0.5, 1.5};
    void *record[4] = {values, when}, *none[4] = {NULL, when};
    nc_type type;

    (void)argc;
    ncopts = 0;
    ncid = nccreate(argv[1], FORMAT);
    printf("%d\n", ncid > 0);
    SAY(time = ncdimdef(ncid, "time", NC_UNLIMITED));
    SAY(x = ncdimdef(ncid, "x", 3));
    SAY(ncdimdef(ncid, "x", 3));
    printf("%d\n", ncerr);
    dims[0] = time, dims[1] = x;
    SAY(v = ncvardef(ncid, "v", NC_INT, 2, dims));
    SAY(ncvardef(ncid, "time", NC_DOUBLE, 1, &time));
    SAY(ncattput(ncid, v, "units", NC_CHAR, 3, "mmm"));
    SAY(ncendef(ncid));
    SAY(ncvarput(ncid, v, start, count, values));
    count[1] = 2;
    SAY(ncvargets(ncid, v, start, count, stride, back));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SAY(ncvargetg(ncid, v, start, count, NULL, map, back));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    start[0] = 1;
    SAY(ncvarget1(ncid, v, start, back));
    printf("%d\n", back[0]);
    SAY(ncvarput1(ncid, v, start, &(int){77}));
    SAY(ncinquire(ncid, &ndims, &nvars, &natts, &unlimited) > 0);
    printf("%d %d %d %d\n", ndims, nvars, natts, unlimited);
    SAY(ncdiminq(ncid, time, name, &len));
    printf("%s %ld\n", name, len);
    SAY(ncdimid(ncid, "x"));
    SAY(ncvarid(ncid, "nothing"));
    printf("%d\n", ncerr);
    SAY(ncvarinq(ncid, v, name, &type, &ndims, dims, &natts));
    printf("%s %d %d %d\n", name, type, ndims, natts);
    SAY(ncattinq(ncid, v, "units", &type, &n));
    printf("%d %d\n", type, n);
    SAY(ncattname(ncid, v, 0, name));
    printf("%s\n", name);
    SAY(ncattget(ncid, v, "nothing", name));
    printf("%d\n", ncerr);
    SAY(ncrecinq(ncid, &n, ids, sizes));
    printf("%d %d %d %ld %ld\n", n, ids[0], ids[1], sizes[0], sizes[1]);
    SAY(ncrecput(ncid, 2, record));
    when[0] = 9;
    SAY(ncrecput(ncid, 0, none));
    when[0] = 0;
    SAY(ncrecget(ncid, 2, record));
    printf("%d %g\n", values[2], when[0]);
    SAY(nctypelen(NC_SHORT));
    SAY(nctypelen(99));
    printf("%d\n", ncerr);
    SAY(ncredef(ncid));
    SAY(ncattcopy(ncid, v, "units", ncid, NC_GLOBAL));
    SAY(ncattrename(ncid, NC_GLOBAL, "units", "u"));
    SAY(ncattdel(ncid, v, "units"));
    SAY(ncvarrename(ncid, v, "w"));
    SAY(ncdimrename(ncid, x, "y"));
    SAY(ncsetfill(ncid, NC_NOFILL));
    SAY(ncendef(ncid));
    SAY(ncsync(ncid));
    SAY(ncclose(ncid));
    SAY(ncclose(ncid));
    SAY(ncopen("no such file", NC_NOWRITE));
    printf("%d\n", ncerr);
    return 0;
}
