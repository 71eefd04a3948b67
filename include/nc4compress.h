/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters for nc_def_var_compress(): how many words each method takes, and
 * functions that fill them in, so that nobody counts words.
 *
 *     nc_compression_t c;
 *     nc_def_var_compress(ncid, varid, "zfp", nc_compress_zfp(&c, 0, 0, 0.01), c.params);
 *
 * The union itself is in netcdf.h. Of fpzip and zfp only the leading members need
 * be given; isdouble, rank and chunksizes are the library's business. */
#ifndef NC4COMPRESS_H
#define NC4COMPRESS_H 1

#include "netcdf.h"
#include <string.h>

#define NC_NELEMS_ZIP 1
#define NC_NELEMS_SZIP 2
#define NC_NELEMS_BZIP2 1
#define NC_NELEMS_FPZIP ((int)(sizeof(((nc_compression_t *)0)->fpzip) / sizeof(unsigned int)))
#define NC_NELEMS_ZFP ((int)(sizeof(((nc_compression_t *)0)->zfp) / sizeof(unsigned int)))

/* Each clears *c, fills it in and gives the number of parameters. */

static inline int nc_compress_zip(nc_compression_t *c, unsigned int level) /* 0 to 9 */
{
    memset(c, 0, sizeof *c);
    c->zip.level = level;
    return NC_NELEMS_ZIP;
}

static inline int nc_compress_bzip2(nc_compression_t *c, unsigned int level) /* 1 to 9 */
{
    memset(c, 0, sizeof *c);
    c->bzip2.level = level;
    return NC_NELEMS_BZIP2;
}

static inline int nc_compress_szip(nc_compression_t *c, unsigned int options_mask, unsigned int pixels_per_block)
{
    memset(c, 0, sizeof *c);
    c->szip.options_mask = options_mask;
    c->szip.pixels_per_block = pixels_per_block;
    return NC_NELEMS_SZIP;
}

static inline int nc_compress_fpzip(nc_compression_t *c, int prec) /* bits kept; 0: all */
{
    memset(c, 0, sizeof *c);
    c->fpzip.prec = prec;
    return NC_NELEMS_FPZIP;
}

/* One of the three, the others 0: bit planes, bits per value, largest error. All
 * 0: reversible. */
static inline int nc_compress_zfp(nc_compression_t *c, int prec, double rate, double tolerance)
{
    memset(c, 0, sizeof *c);
    c->zfp.prec = prec;
    c->zfp.rate = rate;
    c->zfp.tolerance = tolerance;
    return NC_NELEMS_ZFP;
}

#endif
