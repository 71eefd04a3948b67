/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters of a variable, and where filter plugins are looked for. */
#ifndef NETCDF_FILTER_H
#define NETCDF_FILTER_H 1

#include "netcdf.h"

/* The registered ids netCDF names; <H5Zpublic.h> has some of them too. */
#ifndef H5Z_FILTER_DEFLATE
#define H5Z_FILTER_DEFLATE 1
#define H5Z_FILTER_SHUFFLE 2
#define H5Z_FILTER_FLETCHER32 3
#endif
#ifndef H5Z_FILTER_SZIP
#define H5Z_FILTER_SZIP 4
#endif
#ifndef H5_SZIP_NN_OPTION_MASK
#define H5_SZIP_ALLOW_K13_OPTION_MASK 1
#define H5_SZIP_CHIP_OPTION_MASK 2
#define H5_SZIP_EC_OPTION_MASK 4
#define H5_SZIP_NN_OPTION_MASK 32
#endif
#ifndef H5_SZIP_LSB_OPTION_MASK
#define H5_SZIP_LSB_OPTION_MASK 8
#define H5_SZIP_MSB_OPTION_MASK 16
#define H5_SZIP_RAW_OPTION_MASK 128
#endif
#ifndef H5_SZIP_MAX_PIXELS_PER_BLOCK
#define H5_SZIP_MAX_PIXELS_PER_BLOCK 32
#endif
#define H5_SZIP_ALL_MASKS (H5_SZIP_CHIP_OPTION_MASK | H5_SZIP_EC_OPTION_MASK | H5_SZIP_NN_OPTION_MASK)
#define NC_MAX_PIXELS_PER_BLOCK 32
#ifndef H5Z_FILTER_BZIP2
#define H5Z_FILTER_BZIP2 307
#endif
#ifndef H5Z_FILTER_BLOSC
#define H5Z_FILTER_BLOSC 32001
#endif
#ifndef H5Z_FILTER_ZSTD
#define H5Z_FILTER_ZSTD 32015
#endif

#ifndef BLOSC_SHUFFLE
enum BLOSC_SHUFFLE { BLOSC_NOSHUFFLE = 0, BLOSC_SHUFFLE = 1, BLOSC_BITSHUFFLE = 2 };
#endif
#ifndef BLOSC_BLOSCLZ
enum BLOSC_SUBCOMPRESSORS {
    BLOSC_LZ = 0,
    BLOSC_LZ4 = 1,
    BLOSC_LZ4HC = 2,
    BLOSC_SNAPPY = 3,
    BLOSC_ZLIB = 4,
    BLOSC_ZSTD = 5
};
#endif

/* One filter with its parameters, as ncaux_h5filterspec_parselist() gives them. */
#ifndef CELLAR_H5_FILTERSPEC
#define CELLAR_H5_FILTERSPEC
typedef struct NC_H5_Filterspec {
    unsigned int filterid;
    size_t nparams;
    unsigned int *params;
} NC_H5_Filterspec;
#endif

/* A list of directories. */
typedef struct NCPluginList {
    size_t ndirs;
    char **dirs;
} NCPluginList;

#if defined(__cplusplus)
extern "C" {
#endif

/* nc_def_var_filter() and nc_inq_var_filter() (the first filter) are in netcdf.h. */
CELLAR_API(int, nc_inq_var_filter_ids, (int ncid, int varid, size_t *nfilters, unsigned int *filterids));
CELLAR_API(int, nc_inq_var_filter_info, (int ncid, int varid, unsigned int id, size_t *nparams, unsigned int *params));
CELLAR_API(int, nc_filter_path_query, (int id));               /* is it built in or on the path? NC_ENOFILTER: no */
CELLAR_API(int, nc_inq_filter_avail, (int ncid, unsigned id)); /* NC_ENOFILTER: not here */

CELLAR_API(int, nc_def_var_bzip2, (int ncid, int varid, int level));
CELLAR_API(int, nc_inq_var_bzip2, (int ncid, int varid, int *hasfilterp, int *levelp));
CELLAR_API(int, nc_def_var_zstandard, (int ncid, int varid, int level));
CELLAR_API(int, nc_inq_var_zstandard, (int ncid, int varid, int *hasfilterp, int *levelp));
CELLAR_API(int, nc_def_var_blosc,
           (int ncid, int varid, unsigned subcompressor, unsigned level, unsigned blocksize, unsigned addshuffle));
CELLAR_API(int, nc_inq_var_blosc,
           (int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned *levelp, unsigned *blocksizep,
            unsigned *addshufflep));

/* The directories searched for plugins, first to last. get: where dirs->dirs is
 * NULL it is allocated; each string is a copy of yours. set: the list is copied. */
CELLAR_API(int, nc_plugin_path_ndirs, (size_t * ndirsp));
CELLAR_API(int, nc_plugin_path_get, (NCPluginList * dirs));
CELLAR_API(int, nc_plugin_path_set, (NCPluginList * dirs));

#if defined(__cplusplus)
}
#endif

#endif
