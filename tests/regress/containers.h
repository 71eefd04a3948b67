/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of file there is, for tests that hold for all of them, and the scratch folder they lie in. */
#ifndef CEL_REGRESS_CONTAINERS_H
#define CEL_REGRESS_CONTAINERS_H

#include "common/tree.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct container {
    const char *name, *before, *after; /* what its path begins and ends with */
    int mode;                          /* of nc_create, beside NC_CLOBBER */
};

static const struct container containers[] = {
    {"cdf1", "", ".nc", 0},
    {"cdf2", "", ".nc", NC_64BIT_OFFSET},
    {"cdf5", "", ".nc", NC_64BIT_DATA},
    {"hdf5", "", ".nc", NC_NETCDF4},
    {"hdf5-classic", "", ".nc", NC_NETCDF4 | NC_CLASSIC_MODEL},
    {"zarr", "file://", ".zarr#mode=zarr,file", NC_NETCDF4},
    {"zarr3", "file://", ".zarr#mode=zarr,v3,file", NC_NETCDF4},
    {"nczarr", "file://", ".zarr#mode=nczarr,file,consolidated", NC_NETCDF4},
    {"zip", "file://", ".zip#mode=zarr,zip", NC_NETCDF4},
};

enum { NCONTAINERS = sizeof containers / sizeof *containers };

static inline const char *container_path(const struct container *c, const char *name)
{
    static char path[4096];
    char here[2048];

    snprintf(path, sizeof path, "%s%s/%s-%s%s", c->before, getcwd(here, sizeof here) ? here : ".", c->name, name,
             c->after);
    return path;
}

static char scratch[4096];

static inline void scratch_enter(void)
{
    const char *top = getenv("TMPDIR");

    snprintf(scratch, sizeof scratch, "%s/regress.XXXXXX", top ? top : "/tmp");
    if (!mkdtemp(scratch) || chdir(scratch) != 0) {
        perror(scratch);
        exit(1);
    }
}

static inline void scratch_leave(void)
{
    if (chdir("/") == 0)
        remove_tree(scratch);
}

#endif
