/* SPDX-License-Identifier: BSD-3-Clause */
/* Surface pressure and temperature with coordinate variables and units. */
#include "say.h"

#define NLAT 6
#define NLON 12

static void put_text(int ncid, int varid, const char *name, const char *text)
{
    DO(nc_put_att_text(ncid, varid, name, strlen(text), text));
}

int main(int argc, char **argv)
{
    int ncid, dims[2], lat, lon, pres, temp;
    float lats[NLAT], lons[NLON], pressure[NLAT][NLON], temperature[NLAT][NLON], back[NLAT][NLON];
    char units[64] = "";
    size_t len;

    (void)argc;
    for (int i = 0; i < NLAT; i++)
        lats[i] = 25.0f + 5.0f * (float)i;
    for (int i = 0; i < NLON; i++)
        lons[i] = -125.0f + 5.0f * (float)i;
    for (int i = 0; i < NLAT; i++)
        for (int j = 0; j < NLON; j++) {
            pressure[i][j] = 900.0f + (float)(j * NLAT + i);
            temperature[i][j] = 9.0f + 0.25f * (float)(j * NLAT + i);
        }
    DO(nc_create(argv[1], FORMAT, &ncid));
    DO(nc_def_dim(ncid, "latitude", NLAT, &dims[0]));
    DO(nc_def_dim(ncid, "longitude", NLON, &dims[1]));
    DO(nc_def_var(ncid, "latitude", NC_FLOAT, 1, &dims[0], &lat));
    DO(nc_def_var(ncid, "longitude", NC_FLOAT, 1, &dims[1], &lon));
    put_text(ncid, lat, "units", "degrees_north");
    put_text(ncid, lon, "units", "degrees_east");
    DO(nc_def_var(ncid, "pressure", NC_FLOAT, 2, dims, &pres));
    DO(nc_def_var(ncid, "temperature", NC_FLOAT, 2, dims, &temp));
    put_text(ncid, pres, "units", "hPa");
    put_text(ncid, temp, "units", "celsius");
    put_text(ncid, NC_GLOBAL, "title", "made in two ways");
    DO(nc_enddef(ncid));
    DO(nc_put_var_float(ncid, lat, lats));
    DO(nc_put_var_float(ncid, lon, lons));
    DO(nc_put_var_float(ncid, pres, &pressure[0][0]));
    DO(nc_put_var_float(ncid, temp, &temperature[0][0]));
    DO(nc_close(ncid));

    DO(nc_open(argv[1], NC_NOWRITE, &ncid));
    DO(nc_inq_varid(ncid, "temperature", &temp));
    DO(nc_get_var_float(ncid, temp, &back[0][0]));
    DO(nc_inq_attlen(ncid, temp, "units", &len));
    DO(nc_get_att_text(ncid, temp, "units", units));
    printf("%.*s %g %g\n", (int)len, units, (double)back[0][0], (double)back[NLAT - 1][NLON - 1]);
    DO(nc_close(ncid));
    return 0;
}
