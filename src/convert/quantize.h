/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_QUANTIZE_H
#define CEL_QUANTIZE_H

/* Quantize: drop the low mantissa bits of reals, so that they compress. NC_QUANTIZE_BITGROOM and
 * NC_QUANTIZE_GRANULARBR keep a number of decimal digits, NC_QUANTIZE_BITROUND a number of bits. Each does
 * to a value what netCDF-C does to it, bit for bit, with these exceptions, which stay as they are:
 * infinities, NaN, zeros of either sign, the fill value, and a finite value that would become infinite. */

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>

enum cel_ties {
    CEL_TIES_AWAY, /* from zero: netCDF-C's rule */
    CEL_TIES_EVEN  /* the rule of filter 32032 and of Zarr's bitround; BitRound only */
};

struct cel_quantize_setting {
    int mode;     /* NC_QUANTIZE_BITGROOM .. NC_QUANTIZE_BITROUND */
    int digits;   /* decimal digits, or bits for BitRound; 0 with ties to even only */
    nc_type type; /* of the values: NC_FLOAT or NC_DOUBLE */
    enum cel_ties ties;
    const void *fill; /* one value to be left alone; NULL: none */
};

/* The largest error made. An absolute one is in units of the data. */
struct cel_quantize_error {
    double max_abs;
    double max_rel; /* relative to the value given */
};

/* The largest number of digits (or bits) that a mode accepts for a type; 0: no such mode, or the type is
 * no float or double. */
int cel_quantize_max(int mode, nc_type type);

/* NC_EINVAL, with the reason, for a setting that netCDF does not allow. */
int cel_quantize_check(const struct cel_quantize_setting *setting);

/* NC_EINVAL as cel_quantize_check. A quantizer is constant: any number of threads may use it at once. */
struct cel_quantizer;
int cel_quantizer_make(const struct cel_quantize_setting *setting, struct cel_quantizer **out);
void cel_quantizer_free(struct cel_quantizer *q);

/* Quantize n values in native byte order from src to dst. The two are the same or do not overlap; neither
 * need be aligned. `first` is the index of the first value in the caller's request: BitGroom clears the
 * low bits of even ones and sets those of odd ones. The errors made raise *worst, unless it is NULL. */
void cel_quantize(const struct cel_quantizer *q, void *dst, const void *src, size_t n, size_t first,
                  struct cel_quantize_error *worst);

/* *total becomes the larger of the two, member by member. */
void cel_quantize_error_join(struct cel_quantize_error *total, const struct cel_quantize_error *part);

/* Bits for BitRound that keep `nsd` decimal digits in BitGroom's sense (an error of at
 * most half a unit of the last one, whatever the leading digit): 3, 6, 9, 13, 16, 19,
 * 23, ... 0: nsd is outside 1 .. 15. */
int cel_quantize_bits_for(int nsd);

#endif
