/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of codecs, and the only file that knows which libraries this build
 * has: adding a codec is one file and one row here. */
#include "codec.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

extern const struct cel_codec cel_codec_shuffle, cel_codec_fletcher32, cel_codec_lzf, cel_codec_crc32c, cel_codec_nbit,
    cel_codec_scaleoffset;
extern const struct cel_codec cel_codec_bitgroom, cel_codec_granular, cel_codec_bitround;
extern const struct cel_codec cel_codec_delta, cel_codec_astype, cel_codec_fixedscaleoffset, cel_codec_decimal,
    cel_codec_packbits, cel_codec_base64, cel_codec_lookup3, cel_codec_scale_offset, cel_codec_cast_value,
    cel_codec_ndcell, cel_codec_ndmean, cel_codec_ndlorenzo;
#ifdef HAVE_DEFLATE
extern const struct cel_codec cel_codec_deflate, cel_codec_gzip;
#endif
#ifdef HAVE_CRC32
extern const struct cel_codec cel_codec_crc32, cel_codec_adler32;
#endif
#ifdef HAVE_LZ4BLOCK
extern const struct cel_codec cel_codec_lz4block;
#endif
#ifdef HAVE_LZMA
extern const struct cel_codec cel_codec_lzma;
#endif
#ifdef HAVE_SZIP
extern const struct cel_codec cel_codec_szip;
#endif
#ifdef HAVE_BZIP2
extern const struct cel_codec cel_codec_bzip2;
#endif
#ifdef HAVE_ZSTD
extern const struct cel_codec cel_codec_zstd;
#endif
#ifdef HAVE_LZ4
extern const struct cel_codec cel_codec_lz4;
#endif
#ifdef HAVE_BLOSC
extern const struct cel_codec cel_codec_blosc;
#endif
#ifdef HAVE_BLOSC2
extern const struct cel_codec cel_codec_blosc2;
#endif
#ifdef HAVE_BITSHUFFLE
extern const struct cel_codec cel_codec_bitshuffle;
#endif
#ifdef HAVE_ZFP
extern const struct cel_codec cel_codec_zfp, cel_codec_zfpy;
#endif
#ifdef HAVE_FPZIP
extern const struct cel_codec cel_codec_fpzip;
#endif

static const struct cel_codec *const codecs[] = {
#ifdef HAVE_DEFLATE
    &cel_codec_deflate,
#endif
    &cel_codec_shuffle,
    &cel_codec_fletcher32,
    &cel_codec_nbit,
    &cel_codec_scaleoffset,
    &cel_codec_bitgroom,
    &cel_codec_granular,
    &cel_codec_bitround,
#ifdef HAVE_SZIP
    &cel_codec_szip,
#endif
#ifdef HAVE_BZIP2
    &cel_codec_bzip2,
#endif
#ifdef HAVE_ZSTD
    &cel_codec_zstd,
#endif
#ifdef HAVE_LZ4
    &cel_codec_lz4,
#endif
#ifdef HAVE_BLOSC
    &cel_codec_blosc,
#endif
#ifdef HAVE_BITSHUFFLE
    &cel_codec_bitshuffle,
#endif
#ifdef HAVE_DEFLATE
    &cel_codec_gzip,
#endif
    &cel_codec_lzf,
#ifdef HAVE_ZFP
    &cel_codec_zfp,
    &cel_codec_zfpy,
#endif
#ifdef HAVE_FPZIP
    &cel_codec_fpzip,
#endif
    &cel_codec_ndcell,
    &cel_codec_ndmean,
    &cel_codec_ndlorenzo,
    &cel_codec_crc32c,
#ifdef HAVE_LZ4BLOCK
    &cel_codec_lz4block,
#endif
#ifdef HAVE_LZMA
    &cel_codec_lzma,
#endif
    &cel_codec_delta,
    &cel_codec_fixedscaleoffset,
    &cel_codec_decimal,
    &cel_codec_packbits,
    &cel_codec_astype,
    &cel_codec_base64,
    &cel_codec_lookup3,
    &cel_codec_scale_offset,
    &cel_codec_cast_value,
#ifdef HAVE_CRC32
    &cel_codec_crc32,
    &cel_codec_adler32,
#endif
#ifdef HAVE_BLOSC2
    &cel_codec_blosc2,
#endif
    NULL,
};

/* Other names in use, in text and in Zarr metadata. */
static const struct {
    const char *other, *name;
} aliases[] = {
    {"zlib", "deflate"},
    {"zip", "deflate"},
    {"zstandard", "zstd"},
    {"bz2", "bzip2"},
    {"bzip", "bzip2"},
    {"byteshuffle", "shuffle"},
    {"fletcher", "fletcher32"},
    {"sz", "szip"},
    {"aec", "szip"},
    {"lz4h5", "lz4"},
    {"bshuf", "bitshuffle"},
    {"xz", "lzma"},
    {"granularbr", "granularbitround"},
    {"imagecodecs_zstd", "zstd"},
    {"imagecodecs_zlib", "deflate"},
    {"imagecodecs_deflate", "deflate"},
    {"imagecodecs_bz2", "bzip2"},
    {"imagecodecs_blosc", "blosc"},
    {"imagecodecs_lz4h5", "lz4"},
    {NULL, NULL},
};

/* Names of Zarr version 3 that are read but not written: registered names of codecs that zarr-python knows by
 * numcodecs' name only, and names of zarrs. */
static const struct {
    const char *other, *name;
} aliases3[] = {
    {"bitround", "bitround"},
    {"zarrs.zfp", "zfp"},
    {NULL, NULL},
};

#define BITROUND_OF_NCO 37373 /* what NCO wrote before the id was registered */

/* https://github.com/HDFGroup/hdf5_plugins: the registered filters, by id. */
static const struct {
    unsigned id;
    const char *name;
} registered[] = {
    {1, "deflate"},
    {2, "shuffle"},
    {3, "fletcher32"},
    {4, "szip"},
    {5, "nbit"},
    {6, "scaleoffset"},
    {257, "hzip"},
    {258, "fpzip (Silo)"},
    {305, "LZO"},
    {307, "BZIP2"},
    {32000, "LZF"},
    {32001, "BLOSC"},
    {32002, "MAFISC"},
    {32003, "Snappy"},
    {32004, "LZ4"},
    {32005, "APAX"},
    {32006, "CBF"},
    {32007, "JPEG-XR"},
    {32008, "bitshuffle"},
    {32009, "SPDP"},
    {32010, "LPC-Rice"},
    {32011, "CCSDS-123"},
    {32012, "JPEG-LS"},
    {32013, "ZFP"},
    {32014, "fpzip"},
    {32015, "Zstandard"},
    {32016, "B3D"},
    {32017, "SZ"},
    {32018, "FCIDECOMP"},
    {32019, "JPEG"},
    {32020, "VBZ"},
    {32021, "FAPEC"},
    {32022, "BitGroom"},
    {32023, "Granular BitRound"},
    {32024, "SZ3"},
    {32025, "Delta-Rice"},
    {32026, "BLOSC2"},
    {32027, "FLAC"},
    {32028, "SPERR"},
    {32029, "TERSE/PROLIX"},
    {32030, "FFMPEG"},
    {32031, "JPEG2000"},
    {32032, "BitRound"},
    {BITROUND_OF_NCO, "BitRound"},
    {0, NULL},
};

const struct cel_codec *cel_codec_at(size_t i)
{
    return i < sizeof codecs / sizeof *codecs ? codecs[i] : NULL;
}

const struct cel_codec *cel_codec_by_id(unsigned hdf5_id)
{
    const struct cel_codec *const *c;

    if (hdf5_id == 37373) /* BitRound, before it was registered */
        hdf5_id = 32032;
    for (c = codecs; *c; c++)
        if ((*c)->hdf5_id == hdf5_id)
            return *c;
    return NULL;
}

static const struct cel_codec *find_name(const char *name, size_t len)
{
    const struct cel_codec *const *c;

    for (c = codecs; *c; c++)
        if (strlen((*c)->name) == len && strncasecmp((*c)->name, name, len) == 0)
            return *c;
    return NULL;
}

const struct cel_codec *cel_codec_by_name(const char *name, size_t len)
{
    const struct cel_codec *found = find_name(name, len);
    size_t i;

    for (i = 0; !found && aliases[i].other; i++)
        if (strlen(aliases[i].other) == len && strncasecmp(aliases[i].other, name, len) == 0)
            found = find_name(aliases[i].name, strlen(aliases[i].name));
    return found;
}

/* "zlib" or "cellar.zlib" for a codec whose own Zarr name is `own`. */
static bool is_zarr_name(const char *own, const struct cel_codec *c, const char *id)
{
    if (own)
        return strcmp(own, id) == 0;
    return strncmp(id, "cellar.", 7) == 0 && strcmp(id + 7, c->name) == 0;
}

/* "numcodecs.zlib", or "https://codec.zarrs.dev/bytes_to_bytes/zlib" as zarrs first wrote it: what follows;
 * NULL: neither. */
static const char *without_prefix(const char *id)
{
    static const char *const prefixes[] = {"numcodecs.", "https://codec.zarrs.dev/array_to_bytes/",
                                           "https://codec.zarrs.dev/array_to_array/",
                                           "https://codec.zarrs.dev/bytes_to_bytes/"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(id, prefixes[i], strlen(prefixes[i])) == 0)
            return id + strlen(prefixes[i]);
    return NULL;
}

static const struct cel_codec *other_name_of_v3(const char *id)
{
    const char *bare = without_prefix(id);
    const struct cel_codec *found = bare ? cel_codec_by_zarr(bare, 2) : NULL;

    for (size_t i = 0; !found && aliases3[i].other; i++)
        if (strcmp(aliases3[i].other, id) == 0)
            found = find_name(aliases3[i].name, strlen(aliases3[i].name));
    return !found && bare && bare[-1] == '/' ? cel_codec_by_zarr(bare, 3) : found;
}

const struct cel_codec *cel_codec_by_zarr(const char *id, int version)
{
    const struct cel_codec *const *c;

    for (c = codecs; *c; c++)
        if (is_zarr_name(version == 3 ? (*c)->zarr3 : (*c)->zarr2, *c, id))
            return *c;
    if (version == 3 && other_name_of_v3(id))
        return other_name_of_v3(id);
    if (strncmp(id, "imagecodecs_", 12) == 0)
        return cel_codec_by_name(id, strlen(id));
    return NULL;
}

const char *cel_codec_registered_name(unsigned hdf5_id)
{
    const struct cel_codec *own = cel_codec_by_id(hdf5_id);
    size_t i;

    for (i = 0; registered[i].name; i++)
        if (registered[i].id == hdf5_id)
            return registered[i].name;
    return own ? own->name : NULL;
}

/* --- words ------------------------------------------------------------------------------- */

double cel_words_double(const uint32_t *w)
{
    uint64_t bits = (uint64_t)w[1] << 32 | w[0];
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

void cel_words_set_double(double v, uint32_t *w)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    w[0] = (uint32_t)bits;
    w[1] = (uint32_t)(bits >> 32);
}
