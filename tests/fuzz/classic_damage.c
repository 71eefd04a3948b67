/* SPDX-License-Identifier: BSD-3-Clause */
/* classic_damage N: N damaged headers of classic files, opened in memory and read.
 * Bytes are flipped, replaced by edge values, cut off or moved. Any answer is fine
 * but a crash, an overrun, a leak or a hang. */
#include "common/random.h"
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 0x9e3779b97f4a7c15ull;

static uint32_t roll(uint32_t n)
{
    return (uint32_t)(random_step(&state) >> 32) % n;
}

#define TRY(call) \
    do { \
        int e_ = (call); \
        if (e_) { \
            printf("%s: %s\n", #call, nc_strerror(e_)); \
            exit(1); \
        } \
    } while (0)

static NC_memio make_sample(int mode)
{
    NC_memio out;
    int ncid, dims[3], var;
    double value = 3;
    size_t start[3] = {0}, count[3] = {2, 3, 4};
    float data[24] = {1, 2, 3};

    TRY(nc_create_mem("sample", mode, 1 << 16, &ncid));
    TRY(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_dim(ncid, "y", 3, &dims[1]));
    TRY(nc_def_dim(ncid, "x", 4, &dims[2]));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "title", 11, "some header"));
    TRY(nc_put_att_double(ncid, NC_GLOBAL, "number", NC_DOUBLE, 1, &value));
    TRY(nc_def_var(ncid, "t", NC_FLOAT, 3, dims, &var));
    TRY(nc_put_att_text(ncid, var, "units", 1, "K"));
    TRY(nc_def_var(ncid, "z", NC_SHORT, 2, dims + 1, &var));
    TRY(nc_def_var(ncid, "name", NC_CHAR, 1, dims + 2, &var));
    TRY(nc_enddef(ncid));
    TRY(nc_put_vara_float(ncid, 0, start, count, data));
    TRY(nc_close_memio(ncid, &out));
    return out;
}

static void damage(unsigned char *bytes, size_t *n)
{
    static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff, 10, 11, 12};
    size_t header = *n < 400 ? *n : 400;

    for (uint32_t k = 1 + roll(4); k-- > 0;) {
        size_t at = 4 + roll((uint32_t)header - 4);
        switch (roll(5)) {
        case 0:
            bytes[at] ^= (unsigned char)(1 << roll(8));
            break;
        case 1:
            bytes[at] = edges[roll(8)];
            break;
        case 2:
            memset(bytes + at, roll(2) ? 0xff : 0, header - at < 8 ? header - at : 8);
            break;
        case 3:
            memmove(bytes + at, bytes + 4 + roll((uint32_t)(at - 3)), header - at < 12 ? header - at : 12);
            break;
        default:
            if (roll(8) == 0)
                *n = 8 + roll((uint32_t)*n - 8);
            if (header > *n)
                return;
        }
    }
}

static void read_all(int ncid)
{
    int nvars = 0;
    static double values[4096];
    static char text[65536];

    nc_inq_nvars(ncid, &nvars);
    for (int v = 0; v < nvars; v++) {
        int ndims, ids[NC_MAX_VAR_DIMS], natts;
        size_t total = 1;
        nc_type type;
        if (nc_inq_var(ncid, v, NULL, &type, &ndims, ids, &natts))
            continue;
        for (int d = 0; d < ndims; d++) {
            size_t len = 0;
            nc_inq_dimlen(ncid, ids[d], &len);
            total = len && total > 4096 / len ? 4097 : total * len;
        }
        if (total > 4096)
            continue;
        if (type == NC_CHAR)
            nc_get_var_text(ncid, v, text);
        else
            nc_get_var_double(ncid, v, values);
    }
}

int main(int argc, char **argv)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
    long n = argc > 1 ? atol(argv[1]) : 10000, opened = 0;

    for (int m = 0; m < 3; m++) {
        NC_memio sample = make_sample(modes[m]);
        unsigned char *bytes = malloc(sample.size);
        for (long i = 0; i < n / 3 + 1; i++) {
            size_t size = sample.size;
            int ncid;
            memcpy(bytes, sample.memory, size);
            damage(bytes, &size);
            if (nc_open_mem("damaged", NC_NOWRITE, size, bytes, &ncid) != NC_NOERR)
                continue;
            opened++;
            read_all(ncid);
            nc_close(ncid);
        }
        free(bytes);
        free(sample.memory);
    }
    printf("%ld damaged headers, %ld of them still open\n", n, opened);
    return 0;
}
