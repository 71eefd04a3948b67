/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a file with every method of nc_def_var_compress, for other programs to read: a
 * field of floats and doubles in 1 to 4 dimensions, and one with fill values and
 * NaN between the data. compress_peers.py knows the values. */
#include <cellar.h>
#include <math.h>
#include <nc4compress.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call) \
    do { \
        int e = (call); \
        if (e) { \
            printf("%s: %s: %s\n", #call, nc_strerror(e), cellar_error()); \
            exit(1); \
        } \
    } while (0)

enum { SIDE = 10, MOST = SIDE * SIDE * SIDE * SIDE };

static double values[MOST];

static size_t fill_in(int ndims, int masked)
{
    size_t n = 1;

    for (int d = 0; d < ndims; d++)
        n *= SIDE;
    for (size_t i = 0; i < n; i++)
        values[i] = masked && i % 7 == 0 ? NC_FILL_FLOAT
                    : masked && i == 5   ? NAN
                                         : 280 + (double)(i % 41) / 8 + (double)(i / 41 % 512) / 64;
    return n;
}

static void put(int ncid, const int *dims, const char *method, int nwords, unsigned *words, nc_type type, int ndims,
                int masked, const char *label)
{
    size_t chunks[] = {8, 6, 4, 3};
    char name[64];
    int v;

    snprintf(name, sizeof name, "%s_%s_%d_%s", label, type == NC_FLOAT ? "f4" : "f8", ndims,
             masked ? "masked" : "plain");
    TRY(nc_redef(ncid));
    TRY(nc_def_var(ncid, name, type, ndims, dims, &v));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    TRY(nc_def_var_compress(ncid, v, method, nwords, words));
    TRY(nc_enddef(ncid));
    fill_in(ndims, masked);
    TRY(nc_put_var_double(ncid, v, values));
}

int main(int argc, char **argv)
{
    int ncid, dims[4];
    nc_compression_t c;

    if (argc != 2)
        return 2;
    TRY(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &ncid));
    for (int d = 0; d < 4; d++) {
        char name[] = {'d', (char)('0' + d), 0};
        TRY(nc_def_dim(ncid, name, SIDE, &dims[d]));
    }
    TRY(nc_enddef(ncid));
    for (int ndims = 1; ndims <= 4; ndims++)
        for (nc_type type = NC_FLOAT; type <= NC_DOUBLE; type++)
            for (int masked = 0; masked < 2; masked++) {
                put(ncid, dims, "zip", nc_compress_zip(&c, 5), c.params, type, ndims, masked, "zip");
                put(ncid, dims, "szip", nc_compress_szip(&c, 32, 4), c.params, type, ndims, masked, "szip");
                put(ncid, dims, "bzip2", nc_compress_bzip2(&c, 9), c.params, type, ndims, masked, "bzip2");
                put(ncid, dims, "fpzip", nc_compress_fpzip(&c, 0), c.params, type, ndims, masked, "fpzip");
                put(ncid, dims, "zfp", nc_compress_zfp(&c, 0, 0, 0.01), c.params, type, ndims, masked, "zfpaccuracy");
                put(ncid, dims, "zfp", nc_compress_zfp(&c, 0, 0, 0), c.params, type, ndims, masked, "zfpreversible");
                put(ncid, dims, "zfp", nc_compress_zfp(&c, 0, 16, 0), c.params, type, ndims, masked, "zfprate");
            }
    TRY(nc_close(ncid));
    return 0;
}
