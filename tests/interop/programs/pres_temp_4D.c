/* SPDX-License-Identifier: BSD-3-Clause */
/* Records along an unlimited dimension, written one at a time. */
#include "say.h"

enum { NREC = 3, NLVL = 2, NLAT = 6, NLON = 12 };

int main(int argc, char **argv)
{
    static float record[NLVL][NLAT][NLON], back[NLVL][NLAT][NLON];
    size_t start[4] = {0, 0, 0, 0}, count[4] = {1, NLVL, NLAT, NLON}, len;
    int ncid, dims[4], pres, temp, time, unlimited;
    double when;

    (void)argc;
    DO(nc_create(argv[1], FORMAT, &ncid));
    DO(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    DO(nc_def_dim(ncid, "level", NLVL, &dims[1]));
    DO(nc_def_dim(ncid, "latitude", NLAT, &dims[2]));
    DO(nc_def_dim(ncid, "longitude", NLON, &dims[3]));
    DO(nc_def_var(ncid, "time", NC_DOUBLE, 1, dims, &time));
    DO(nc_def_var(ncid, "pressure", NC_FLOAT, 4, dims, &pres));
    DO(nc_def_var(ncid, "temperature", NC_FLOAT, 4, dims, &temp));
    DO(nc_put_att_text(ncid, pres, "units", 3, "hPa"));
    DO(nc_enddef(ncid));
    for (size_t r = 0; r < NREC; r++) {
        for (int l = 0; l < NLVL; l++)
            for (int i = 0; i < NLAT; i++)
                for (int j = 0; j < NLON; j++)
                    record[l][i][j] = (float)(r * 1000) + (float)(l * 100 + i * NLON + j);
        start[0] = r;
        when = 0.5 * (double)r;
        DO(nc_put_vara_float(ncid, pres, start, count, &record[0][0][0]));
        if (r != 1) /* one record of temperature is never written */
            DO(nc_put_vara_float(ncid, temp, start, count, &record[0][0][0]));
        DO(nc_put_var1_double(ncid, time, start, &when));
    }
    DO(nc_close(ncid));

    DO(nc_open(argv[1], NC_WRITE, &ncid));
    DO(nc_inq_unlimdim(ncid, &unlimited));
    DO(nc_inq_dimlen(ncid, unlimited, &len));
    printf("%zu records\n", len);
    start[0] = 1;
    DO(nc_get_vara_float(ncid, temp, start, count, &back[0][0][0]));
    printf("%g\n", (double)back[1][2][3]);
    start[0] = len;
    when = 99;
    DO(nc_put_var1_double(ncid, time, start, &when)); /* the others get a record of fill values */
    DO(nc_inq_dimlen(ncid, unlimited, &len));
    printf("%zu records\n", len);
    DO(nc_get_vara_float(ncid, pres, start, count, &back[0][0][0]));
    printf("%g\n", (double)back[0][0][0]);
    DO(nc_close(ncid));
    return 0;
}
