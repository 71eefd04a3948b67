/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that are built twice, over libcellar and over libnetcdf: what they
 * print, and the files they write, must be the same. Only netCDF's names are used. */
#ifndef SAY_H
#define SAY_H

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What nc_create() is given: each program is built once per format it can be in. */
#ifndef FORMAT
#define FORMAT NC_NETCDF4
#endif

/* Print a call and its code. */
#define SAY(call) printf("%s -> %d\n", #call, (call))

/* A call that must go well. */
#define DO(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            printf("%s: line %d: %s -> %d\n", __FILE__, __LINE__, #call, rc_); \
            exit(1); \
        } \
    } while (0)

#endif
