/* SPDX-License-Identifier: BSD-3-Clause */
/* The specification's own chain, bzip2 then szip (307,9|4,32,32), over 1000
 * chunks of all kinds of data: many leave bzip2 with a length szip cannot take.
 *
 *   bzip2_szip file.nc raw.bin       writes both, reads the first back */
#include <cellar.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 1000, N = 256 };

static int check(int code, const char *what)
{
    if (code != NC_NOERR)
        fprintf(stderr, "%s: %s\n", what, cellar_error());
    return code;
}

/* Constants, ramps, few values, many values, noise: by turns. */
static void fill(float *data)
{
    uint32_t x = 2026;

    for (int c = 0; c < CHUNKS; c++)
        for (int i = 0; i < N; i++) {
            x = x * 1664525 + 1013904223;
            switch (c % 5) {
            case 0:
                data[c * N + i] = (float)c;
                break;
            case 1:
                data[c * N + i] = (float)(i * c) * 0.125f;
                break;
            case 2:
                data[c * N + i] = (float)(x >> 30);
                break;
            case 3:
                data[c * N + i] = (float)(x >> (8 + c % 16));
                break;
            default:
                data[c * N + i] = (float)(x >> 8) / (float)(1 + i);
            }
        }
}

int main(int argc, char **argv)
{
    static float data[CHUNKS * N], back[CHUNKS * N];
    const size_t chunks[] = {1, N};
    int ncid, dims[2], v;
    FILE *raw;

    if (argc != 3)
        return 2;
    fill(data);
    if (check(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &ncid), "create") ||
        check(nc_def_dim(ncid, "c", CHUNKS, &dims[0]), "c") || check(nc_def_dim(ncid, "i", N, &dims[1]), "i") ||
        check(nc_def_var(ncid, "var", NC_FLOAT, 2, dims, &v), "var") ||
        check(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks), "chunking") ||
        check(cellar_def_var_chain(ncid, v, "307,9|4,32,32"), "chain") ||
        check(nc_put_var_float(ncid, v, data), "put") || check(nc_close(ncid), "close") ||
        check(nc_open(argv[1], NC_NOWRITE, &ncid), "open") || check(nc_get_var_float(ncid, v, back), "get") ||
        check(nc_close(ncid), "close"))
        return 1;
    if (memcmp(data, back, sizeof data) != 0) {
        fprintf(stderr, "what is read is not what was written\n");
        return 1;
    }
    raw = fopen(argv[2], "wb");
    if (!raw || fwrite(data, sizeof data, 1, raw) != 1)
        return 1;
    return fclose(raw) != 0;
}
