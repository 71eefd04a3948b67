/* SPDX-License-Identifier: BSD-3-Clause */
/* The input as a file in a folder of the target's own, for what is opened by its name. */
#ifndef CEL_FUZZ_FILE_H
#define CEL_FUZZ_FILE_H

#include "common/scratch.h"
#include <fcntl.h>

static inline const char *fuzz_file(const void *data, size_t n)
{
    static int fd = -1;

    if (fd < 0) {
        scratch_make();
        fd = open(scratch("input"), O_RDWR | O_CREAT, 0600);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, n, 0) != (ssize_t)n) {
        perror(scratch("input"));
        exit(2);
    }
    return scratch("input");
}

/* Opened as the Zarr store that it is in one file, or is not. */
static inline void fuzz_read_store(const void *data, size_t n, const char *mode)
{
    int nc;

    fuzz_file(data, n);
    if (nc_open(scratch_url("input", mode), NC_NOWRITE, &nc) == NC_NOERR) {
        read_all(nc);
        nc_close(nc);
    }
}

#endif
