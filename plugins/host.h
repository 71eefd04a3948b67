/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_HOST_H
#define CEL_HOST_H

/* Functions of the program that loaded the plugin, looked up at run time. A plugin that is not linked to
 * libhdf5 or libnetcdf can be loaded everywhere, also where HDF5 is static or private to a Python module. */

#include <stddef.h>

/* The function `name` as the code at `caller` would see it; NULL: not there. */
void *cel_host_find(const void *caller, const char *name);

/* Add the text of our last error to HDF5's error stack, if there is one. */
void cel_host_report(const void *caller);

#define CEL_CALLER __builtin_return_address(0)

#endif
