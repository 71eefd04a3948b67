/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NCZ_ABI_H
#define CEL_NCZ_ABI_H

/* netCDF-C's codec ABI: the half of a plugin that translates between Zarr JSON
 * and the words of an HDF5 filter. Layout of NCZ_codec_t; memory by malloc. */

#include <stddef.h>

#define CEL_NCZ_VERSION 1
#define CEL_NCZ_HDF5 1 /* the only sort there is */

struct cel_ncz_codec {
    int version;
    int sort;
    const char *codecid;
    unsigned hdf5id;
    void (*initialize)(void);
    void (*finalize)(void);
    int (*codec_to_hdf5)(const char *json, size_t *n, unsigned **words);
    int (*hdf5_to_codec)(size_t n, const unsigned *words, char **json);
    int (*modify_parameters)(int ncid, int varid, size_t *nvisible, unsigned **visible, size_t *nworking,
                             unsigned **working);
};

#endif
