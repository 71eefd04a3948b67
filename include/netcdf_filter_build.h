/* SPDX-License-Identifier: BSD-3-Clause */
/* For authors of filter plugins: the HDF5 half (netcdf_filter_hdf5_build.h) and
 * the codec half, which translates between the words of an HDF5 filter and the
 * JSON of a Zarr codec. A library may have either half or both. */
#ifndef NETCDF_FILTER_BUILD_H
#define NETCDF_FILTER_BUILD_H 1

#include "netcdf_filter_hdf5_build.h"
#include "netcdf_json.h"

#define NCZ_CODEC_CLASS_VER 1 /* version of NCZ_codec_t */
#define NCZ_CODEC_HDF5 1      /* its only sort */
#define NCZ_FILTER_DECODE 0x00000001

/* Functions that return int give a netCDF error code. Lists and texts handed out
 * are malloc'ed and freed by the library. "Visible" words are those a user gives
 * and the metadata keeps, "working" words those the filter is called with. */
typedef struct NCZ_codec_t {
    int version;         /* NCZ_CODEC_CLASS_VER */
    int sort;            /* NCZ_CODEC_HDF5 */
    const char *codecid; /* "id" in the JSON */
    unsigned int hdf5id; /* the HDF5 filter it belongs to */

    /* Called when the codec is matched with its filter, and in nc_finalize(); may be NULL. */
    void (*NCZ_codec_initialize)(void);
    void (*NCZ_codec_finalize)(void);

    /* {"id": ..., ...} to visible words, and back. */
    int (*NCZ_codec_to_hdf5)(const char *codec, size_t *nparamsp, unsigned **paramsp);
    int (*NCZ_hdf5_to_codec)(size_t nparams, const unsigned *params, char **codecp);

    /* Working words for one variable, which may be asked about through the ids. The
     * visible words may be replaced too. NULL: the visible ones work as they are. */
    int (*NCZ_modify_parameters)(int ncid, int varid, size_t *vnparamsp, unsigned **vparamsp, size_t *wnparamsp,
                                 unsigned **wparamsp);
} NCZ_codec_t;

/* The function a codec exports:
 *     const void *NCZ_get_codec_info(void);       gives a const NCZ_codec_t *
 * A library of defaults, for filters nobody else has a codec for, exports instead
 *     const void *NCZ_codec_info_defaults(void);  gives a list of them, NULL at its end */
typedef const void *(*NCZ_get_codec_info_proto)(void);
typedef const void *(*NCZ_codec_info_defaults_proto)(void);

#ifndef NC_UNUSED
#define NC_UNUSED(var) (void)var
#endif

#endif
