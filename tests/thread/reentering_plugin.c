/* SPDX-License-Identifier: BSD-3-Clause */
/* An HDF5 filter plugin whose code calls back into the library it runs in: each
 * chunk it sees makes, writes, reads and closes a small compressed file in memory. */
#include <H5PLextern.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define ID 40321
#define N 512

static int use_the_api(void)
{
    int nc, dim, var, field[N], back[N] = {0};
    size_t chunk = 64;

    for (int i = 0; i < N; i++)
        field[i] = i;
    if (nc_create("reentered", NC_NETCDF4 | NC_DISKLESS, &nc) != NC_NOERR)
        return 0;
    if (nc_def_dim(nc, "x", N, &dim) != NC_NOERR || nc_def_var(nc, "v", NC_INT, 1, &dim, &var) != NC_NOERR ||
        nc_def_var_chunking(nc, var, NC_CHUNKED, &chunk) != NC_NOERR ||
        nc_def_var_deflate(nc, var, 1, 1, 1) != NC_NOERR || nc_enddef(nc) != NC_NOERR ||
        nc_put_var_int(nc, var, field) != NC_NOERR || nc_get_var_int(nc, var, back) != NC_NOERR) {
        nc_close(nc);
        return 0;
    }
    return nc_close(nc) == NC_NOERR && memcmp(field, back, sizeof field) == 0;
}

/* Adds 1 to every byte; takes it away when reading. */
static size_t filter(unsigned flags, size_t n, const unsigned words[], size_t nbytes, size_t *size, void **buf)
{
    unsigned char *bytes = *buf;
    int step = flags & H5Z_FLAG_REVERSE ? -1 : 1;

    (void)n, (void)words, (void)size;
    if (!use_the_api())
        return 0;
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (unsigned char)(bytes[i] + step);
    return nbytes;
}

static const H5Z_class2_t class = {H5Z_CLASS_T_VERS, ID, 1, 1, "re-entering", NULL, NULL, filter};

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &class;
}
