/* SPDX-License-Identifier: BSD-3-Clause */
/* User-defined formats are tables of netCDF-C's inner functions, which this library does not have: nc_def_user_format()
 * and nc_inq_user_format() (netcdf.h) are NC_ENOTBUILT, and NC_Dispatch stays an incomplete type. */
#ifndef NETCDF_DISPATCH_H
#define NETCDF_DISPATCH_H

#include "netcdf.h"
#include "netcdf_meta.h" /* NC_DISPATCH_VERSION */

#endif
