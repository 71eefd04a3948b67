/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KILL_CONTAINER_H
#define KILL_CONTAINER_H

/* The containers of the kill and fault tests: how a dataset of each is named and made, and the writer's calls on it. */

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct container {
    const char *name;
    const char *path; /* %s: the folder */
    int mode;
    int deflate; /* level; 0: no filter */
    size_t records_in_chunk;
    size_t records_in_shard; /* 0: no shards */
    size_t
        grain;  /* faults.h: a classic header has no second copy, so a write that tears it within a page of memory, on a
                              * disk that then takes nothing any more, leaves none. Systems write whole pages. */
    bool fixed; /* plain Zarr has no unlimited dimensions: `time` has room for all that tests write */
};

enum { RECORDS_IN_FIXED = 64 };

static const struct container containers[] = {
    {"netcdf4", "%s/f.nc", NC_NETCDF4, 0, 1, 0, 0, false},
    {"netcdf4-deflate", "%s/f.nc", NC_NETCDF4, 1, 3, 0, 0, false},
    {"netcdf4-by-record", "%s/f.nc", NC_NETCDF4, 1, 1, 0, 0, false},
    {"cdf1", "%s/f.nc", 0, 0, 0, 0, 4096, false},
    {"cdf2", "%s/f.nc", NC_64BIT_OFFSET, 0, 0, 0, 4096, false},
    {"classic", "%s/f.nc", NC_64BIT_DATA, 0, 0, 0, 4096, false},
    {"nczarr", "file://%s/f.zarr#mode=nczarr,file", NC_NETCDF4, 1, 3, 0, 0, false},
    {"nczarr-by-record", "file://%s/f.zarr#mode=nczarr,file", NC_NETCDF4, 1, 1, 0, 0, false},
    {"zip", "file://%s/f.zip#mode=nczarr,zip", NC_NETCDF4, 1, 3, 0, 0, false},
    {"zarr2", "file://%s/f.zarr#mode=zarr,v2", NC_NETCDF4, 1, 3, 0, 0, true},
    {"zarr3", "file://%s/f.zarr#mode=nczarr,v3", NC_NETCDF4, 1, 3, 0, 0, false},
    {"shards", "file://%s/f.zarr#mode=zarr,v3", NC_NETCDF4, 0, 1, 4, 0, true},
    {"shards-by-record", "file://%s/f.zarr#mode=zarr,v3", NC_NETCDF4, 1, 1, 4, 0, true},
};

static inline const struct container *container_named(const char *name)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (strcmp(containers[i].name, name) == 0)
            return &containers[i];
    return NULL;
}

/* The ids of an open dataset. nc is -1 when there is none. */
struct dataset {
    int nc, time, nvars, var[8];
};

int dataset_create(struct dataset *d, const struct container *c, const char *path, int nvars);
int dataset_open(struct dataset *d, const char *path, int nvars); /* for writing */
int dataset_define(struct dataset *d, const struct container *c); /* one variable more, in define mode */
int dataset_put(const struct dataset *d, int var, size_t t);      /* record t of one variable */
int dataset_put_time(const struct dataset *d, size_t t);
int dataset_put_records(const struct dataset *d, size_t from,
                        size_t to); /* of all variables; the first failure ends it */

#endif
