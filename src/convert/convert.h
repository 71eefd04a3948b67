/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CONVERT_H
#define CEL_CONVERT_H

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>

/* Values: number types, byte order, fill. Types are netcdf.h's atomic ones;
 * NC_CHAR and NC_STRING convert only to themselves. */

/* Convert n values; src and dst do not overlap and may be unaligned. Gives back
 * how many did not fit the target type: those are stored as netCDF-C stores them
 * (a C cast, saturated where C leaves it undefined), and the caller answers
 * NC_ERANGE once all data is written. NaN to an integer gives 0, uncounted. */
typedef size_t cel_convert_fn(void *dst, const void *src, size_t n);

/* NULL when there is no such conversion (NC_ECHAR for the caller). Equal types
 * give a copy. */
cel_convert_fn *cel_converter(nc_type from, nc_type to);

/* The same for files of the classic model and format, where unsigned bytes in
 * memory and NC_BYTE in the file are one type, and no value of theirs is out of range. */
cel_convert_fn *cel_converter_classic(nc_type from, nc_type to);

size_t cel_type_size(nc_type type);      /* of an atomic type in memory; 0: not atomic */
const char *cel_type_name(nc_type type); /* "float"; NULL: not atomic */

/* Reverse the bytes of n elements of the given size (1, 2, 4, 8: fast; others
 * work). src may equal dst. */
void cel_swap_bytes(void *dst, const void *src, size_t n, size_t size);

/* netCDF's default fill value of an atomic type (NC_STRING: a pointer to ""). */
const void *cel_default_fill(nc_type type);

/* n copies of the element at `value` of `size` bytes. */
void cel_fill(void *dst, const void *value, size_t size, size_t n);

#endif
