/* SPDX-License-Identifier: BSD-3-Clause */
/* bzip2 as a filter plugin: what a plugin looks like, in one file.
 *
 * The HDF5 half (filter 307) runs in every program with HDF5; the codec half
 * ("bz2") tells netCDF-C and Cellar how the filter is written in Zarr metadata:
 * {"id": "bz2", "level": 9}. Builds with or without HDF5's headers. */
#include <bzlib.h>
#include <netcdf_filter_build.h>

#define BZIP2_ID 307
#define LEVEL_DEFAULT 9

const void *H5PLget_plugin_info(void);
H5PL_type_t H5PLget_plugin_type(void);
const void *NCZ_get_codec_info(void);

/* --- the HDF5 half ----------------------------------------------------------------- */

/* The new buffer takes the old one's place; memory goes through HDF5's functions
 * because the library frees it. */
static size_t hand_over(char *fresh, size_t room, size_t used, size_t *buf_size, void **buf)
{
    H5free_memory(*buf);
    *buf = fresh;
    *buf_size = room;
    return used;
}

static size_t compress_chunk(unsigned level, size_t nbytes, size_t *buf_size, void **buf)
{
    size_t room = nbytes + nbytes / 100 + 600; /* what libbz2 may need at most */
    unsigned used = (unsigned)room;
    char *fresh = H5allocate_memory(room, 0);

    if (!fresh)
        return 0;
    if (BZ2_bzBuffToBuffCompress(fresh, &used, *buf, (unsigned)nbytes, (int)level, 0, 0) != BZ_OK) {
        H5free_memory(fresh);
        return 0;
    }
    return hand_over(fresh, room, used, buf_size, buf);
}

/* HDF5 does not say how large a chunk will be: twice as much each time it does not fit. */
static size_t decompress_chunk(size_t nbytes, size_t *buf_size, void **buf)
{
    size_t room = *buf_size > nbytes * 3 ? *buf_size : nbytes * 3;

    for (; room <= 0x7fffffff; room *= 2) {
        unsigned used = (unsigned)room;
        char *fresh = H5allocate_memory(room, 0);
        int answer;

        if (!fresh)
            return 0;
        answer = BZ2_bzBuffToBuffDecompress(fresh, &used, *buf, (unsigned)nbytes, 0, 0);
        if (answer == BZ_OK)
            return hand_over(fresh, room, used, buf_size, buf);
        H5free_memory(fresh);
        if (answer != BZ_OUTBUFF_FULL)
            return 0;
    }
    return 0;
}

static size_t filter(unsigned flags, size_t cd_nelmts, const unsigned cd_values[], size_t nbytes, size_t *buf_size,
                     void **buf)
{
    unsigned level = cd_nelmts > 0 ? cd_values[0] : LEVEL_DEFAULT;

    if (nbytes > 0x7fffffff || level < 1 || level > 9)
        return 0;
    return flags & H5Z_FLAG_REVERSE ? decompress_chunk(nbytes, buf_size, buf)
                                    : compress_chunk(level, nbytes, buf_size, buf);
}

static const H5Z_class2_t bzip2_class = {
    H5Z_CLASS_T_VERS, BZIP2_ID, 1, 1, "bzip2", NULL, NULL, filter,
};

DLLEXPORT H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

DLLEXPORT const void *H5PLget_plugin_info(void)
{
    return &bzip2_class;
}

/* --- the codec half ------------------------------------------------------------------- */

static int level_from_json(NCjson *codec, unsigned *level)
{
    struct NCJconst value = NCJconst_empty;
    NCjson *member = NULL;

    if (NCJdictget(codec, "level", &member) != NCJ_OK)
        return NC_EFILTER;
    *level = LEVEL_DEFAULT;
    if (!member)
        return NC_NOERR;
    if (NCJcvt(member, NCJ_INT, &value) != NCJ_OK || value.ival < 1 || value.ival > 9)
        return NC_EINVAL;
    *level = (unsigned)value.ival;
    return NC_NOERR;
}

static int codec_to_hdf5(const char *text, size_t *nparamsp, unsigned **paramsp)
{
    NCjson *codec = NULL;
    unsigned *params = malloc(sizeof *params);
    int rc = NC_ENOMEM;

    if (params)
        rc = NCJparse(text, 0, &codec) == NCJ_OK ? level_from_json(codec, params) : NC_EFILTER;
    NCJreclaim(codec);
    if (rc != NC_NOERR) {
        free(params);
        return rc;
    }
    *nparamsp = 1;
    *paramsp = params;
    return NC_NOERR;
}

static int hdf5_to_codec(size_t nparams, const unsigned *params, char **textp)
{
    NCjson *codec = NULL;
    int rc = NC_EFILTER;

    if (NCJnew(NCJ_DICT, &codec) == NCJ_OK && NCJinsertstring(codec, "id", "bz2") == NCJ_OK &&
        NCJinsertint(codec, "level", nparams > 0 ? params[0] : LEVEL_DEFAULT) == NCJ_OK &&
        NCJunparse(codec, 0, textp) == NCJ_OK)
        rc = NC_NOERR;
    NCJreclaim(codec);
    return rc;
}

static const NCZ_codec_t bzip2_codec = {
    NCZ_CODEC_CLASS_VER, NCZ_CODEC_HDF5, "bz2", BZIP2_ID, NULL, NULL, codec_to_hdf5, hdf5_to_codec, NULL,
};

DLLEXPORT const void *NCZ_get_codec_info(void)
{
    return &bzip2_codec;
}
