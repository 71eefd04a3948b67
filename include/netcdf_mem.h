/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets in memory. */
#ifndef NETCDF_MEM_H
#define NETCDF_MEM_H 1

#include "netcdf.h"

typedef struct NC_memio {
    size_t size;
    void *memory;
    int flags;
#define NC_MEMIO_LOCKED 1 /* the caller keeps the memory: it is never moved, grown or freed here */
} NC_memio;

#if defined(__cplusplus)
extern "C" {
#endif

/* Read a file's bytes in place; `memory` stays the caller's until the close. */
CELLAR_API(int, nc_open_mem, (const char *path, int mode, size_t size, void *memory, int *ncidp));
CELLAR_API(int, nc_create_mem, (const char *path, int mode, size_t initialsize, int *ncidp));
/* Without NC_MEMIO_LOCKED the library takes the memory (from malloc) over. */
CELLAR_API(int, nc_open_memio, (const char *path, int mode, NC_memio *info, int *ncidp));
/* Close, and hand out the file's bytes: yours to free. */
CELLAR_API(int, nc_close_memio, (int ncid, NC_memio *info));

#if defined(__cplusplus)
}
#endif

#endif
