/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PEER_VALUES_H
#define PEER_VALUES_H

/* Debian's libnetcdf behind plain C types: its header and ours cannot meet in one file. */

#include <stddef.h>

/* Write n values (size 4: float, 8: double) to a quantized variable by one call and read
 * them back. mode and digits as for nc_def_var_quantize(); fill NULL: the default one.
 * Gives netCDF-C's code. */
int peer_quantize(size_t size, int mode, int digits, const void *fill, const void *in, void *out, size_t n);

/* A file with a float variable "v" of n values along an unlimited dimension, quantized; and
 * what netCDF-C says of the variable "v" of a file. */
int peer_make_quantized(const char *path, int mode, int digits, const float *values, size_t n);
int peer_inq_quantize(const char *path, int *mode, int *digits);

/* Put one value of number type `from` into a variable of type `to` and read it back as
 * stored; and the other way: a variable of type `from` read as `to`. Types as in
 * netcdf.h. Gives netCDF-C's code. */
int peer_put(int from, int to, int classic_model, const void *in, void *stored);
int peer_get(int from, int to, int classic_model, const void *stored, void *out);

#endif
