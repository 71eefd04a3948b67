#ifndef CEL_QUANTIZE_H
#define CEL_QUANTIZE_H

/* Quantize: drop the bits of reals that carry no meaning, so that they compress.
 * NC_QUANTIZE_BITGROOM and NC_QUANTIZE_GRANULARBR keep a number of decimal digits,
 * NC_QUANTIZE_BITROUND a number of bits; all three do to a value, bit for bit, what
 * netCDF-C does to it, but for this: infinities, NaN, zeros of either sign and the
 * fill value stay as they are, and a finite value that would become infinite does too. */

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

/* The most digits (bits) a mode takes for a type; 0: no such mode, or no real type. */
int cel_quantize_max(int mode, nc_type type);

/* NC_EINVAL, and why, when the setting is none that netCDF allows. */
int cel_quantize_check(const struct cel_quantize_setting *setting);

/* Also NC_EINVAL. A quantizer is constant and may
 * be used by any number of threads at once. */
struct cel_quantizer;
int cel_quantizer_make(const struct cel_quantize_setting *setting, struct cel_quantizer **out);
void cel_quantizer_free(struct cel_quantizer *q);

/* Quantize a run of n values in native byte order from src to dst: the same place,
 * or apart; neither need be aligned. `first` is the place of the first one among the
 * values of the caller's request (BitGroom goes by it: even ones are cut, odd ones
 * filled up). The errors made raise *worst, unless it is NULL. */
void cel_quantize(const struct cel_quantizer *q, void *dst, const void *src, size_t n, size_t first,
                  struct cel_quantize_error *worst);

/* *total becomes the larger of the two, member by member. */
void cel_quantize_error_join(struct cel_quantize_error *total, const struct cel_quantize_error *part);

/* Bits for BitRound that keep `nsd` decimal digits in BitGroom's sense (an error of at
 * most half a unit of the last one, whatever the leading digit): 3, 6, 9, 13, 16, 19,
 * 23, ... 0: nsd is outside 1 .. 15. */
int cel_quantize_bits_for(int nsd);

#endif
