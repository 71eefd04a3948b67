/* SPDX-License-Identifier: BSD-3-Clause */
/* Which format a location is: every container looks at the path, the mode and
 * the first bytes and says how sure it is (its bid); the highest bid wins. Without
 * any bid the first bytes are compared with those of other kinds of files, so
 * that the error can say what the file is. */
#include "container.h"
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct cel_container_ops *const known[] = {
#ifdef CEL_HAVE_HDF5
    &cel_hdf5_ops,
#endif
#ifdef CEL_HAVE_ZARR
    &cel_zarr_ops,
#endif
#ifdef CEL_HAVE_CLASSIC
    &cel_classic_ops,
#endif
#ifdef CEL_HAVE_BLOSC2
    &cel_blosc2_ops,
#endif
    NULL};

struct stranger {
    size_t at;
    const char *bytes;
    size_t n;
    const char *what;
};
#define BYTES(text) text, sizeof text - 1

static const struct stranger strangers[] = {
    {0, BYTES("CDF\1"), "a classic netCDF file, which this build does not read"},
    {0, BYTES("CDF\2"), "a netCDF file with 64-bit offsets, which this build does not read"},
    {0, BYTES("CDF\5"), "a CDF-5 netCDF file, which this build does not read"},
    {0, BYTES("\211HDF\r\n\032\n"), "an HDF5 file, which this build does not read"},
    {1, BYTES("\250b2frame"), "a frame of Blosc2, which this build does not read"},
    {0, BYTES("\016\003\023\001"), "an HDF4 file; convert it with h4toh5 first"},
    {0, BYTES("\037\213"), "gzip-compressed; run gunzip on it first"},
    {0, BYTES("BZh"), "bzip2-compressed; run bunzip2 on it first"},
    {0,
     BYTES("\375"
           "7zXZ"),
     "xz-compressed; run unxz on it first"},
    {0, BYTES("\050\265\057\375"), "zstd-compressed; run unzstd on it first"},
    {0, BYTES("PK\003\004"), "a zip archive"},
    {257, BYTES("ustar"), "a tar archive; unpack it first"},
    {0, BYTES("GRIB"), "a GRIB file; convert it with cdo or grib_to_netcdf first"},
    {0, BYTES("BUFR"), "a BUFR file"},
    {0, BYTES("II*\0"), "a TIFF image"},
    {0, BYTES("MM\0*"), "a TIFF image"},
    {0, BYTES("\211PNG"), "a PNG image"},
    {0, BYTES("%PDF"), "a PDF document"},
    {0, BYTES("\177ELF"), "a program"},
    {0, BYTES("netcdf "), "CDL text; make a file of it with ncgen"},
};

/* HTML is what a web server sends in place of the file one asked for. */
static bool is_html(const struct cel_location *where)
{
    static const char *const starts[] = {"<!doctype html", "<html", "<head"};
    size_t at = 0;

    while (at < where->head_len && strchr(" \t\r\n\357\273\277", where->head[at]) && where->head[at])
        at++;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncasecmp((const char *)where->head + at, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static const char *stranger_at(const struct cel_location *where)
{
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        const struct stranger *s = &strangers[i];

        if (s->at + s->n <= where->head_len && memcmp(where->head + s->at, s->bytes, s->n) == 0)
            return s->what;
    }
    return is_html(where) ? "a web page (HTML): the download went wrong" : NULL;
}

static bool is_netcdf(const struct cel_location *where)
{
    return where->head_len >= 4 && (memcmp(where->head, "CDF", 3) == 0 || memcmp(where->head + 1, "HDF", 3) == 0);
}

/* Addresses that netCDF-C hands to its OPeNDAP client. */
static bool is_dap(const struct cel_location *where)
{
    static const char *const schemes[] = {"http://", "https://", "dods://", "dap4://", "dap2://"};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(where->path, schemes[i], strlen(schemes[i])) == 0)
            return where->is_url;
    return false;
}

/* A URL that leads to no server: file://, or one that is mistyped. */
static int refuse_local_url(const struct cel_location *where)
{
    if (strstr(where->path, "://"))
        return cel_fail(NC_ENOTBUILT, "there is no such kind of URL: those of file, http, https, s3 and gs are opened");
    return cel_fail(ENOENT, "there is no such file");
}

static int refuse_open(const struct cel_location *where)
{
    const char *what;

    if (is_dap(where) && !where->exists)
        return cel_fail(NC_ENOTBUILT,
                        "Cellar has no OPeNDAP (DAP): download the file, or copy what you need of it with "
                        "netCDF-C's own nccopy, and open that");
    if (where->is_url && !where->is_remote && !where->exists)
        return refuse_local_url(where);
    if (where->is_url && !where->exists)
        return cel_fail(NC_ENOTBUILT, "this build cannot open that kind of URL");
    if (where->is_directory && access(where->path, R_OK | X_OK) != 0)
        return cel_fail(errno, "the directory cannot be read: %s", strerror(errno));
    if (where->is_directory)
        return cel_fail(NC_ENOTNC, "it is a directory without Zarr metadata");
    if (where->size == 0)
        return cel_fail(NC_ENOTNC, "the file is empty");
    what = stranger_at(where);
    if (what)
        return cel_fail(is_netcdf(where) ? NC_ENOTBUILT : NC_ENOTNC, "the file is %s", what);
    return cel_fail(NC_ENOTNC, "the file is neither netCDF, HDF5 nor Zarr, and may be truncated at its start");
}

static int refuse_create(const struct cel_location *where, const struct cel_options *options)
{
    if (where->is_remote)
        return cel_fail(NC_EPERM, "files on a server can only be read; a Zarr store can be written in a bucket: "
                                  "s3://bucket/name.zarr or s3://bucket/name.zip, or any name with #mode=zarr");
    if (where->is_url)
        return cel_fail(NC_ENOTBUILT, "the URL does not say what to create: end it with #mode=nczarr, #mode=zarr or "
                                      "#mode=zarr,v3, or name a file by its path alone");
    if (options->mode & NC_NETCDF4)
        return cel_fail(NC_ENOTBUILT, "this build has no HDF5 and cannot create netCDF-4 files");
    return cel_fail(NC_ENOTBUILT, "this build cannot create classic netCDF files: add NC_NETCDF4 to the mode, or call "
                                  "nc_set_default_format(NC_FORMAT_NETCDF4, NULL) first");
}

int cel_container_for(const struct cel_location *where, const struct cel_options *options, bool create,
                      const struct cel_container_ops **out)
{
    int best = 0;

    *out = NULL;
    for (size_t i = 0; known[i]; i++) {
        int bid = known[i]->bid(where, options, create);

        if (bid > best) {
            best = bid;
            *out = known[i];
        }
    }
    if (*out)
        return CEL_OK;
    return create ? refuse_create(where, options) : refuse_open(where);
}

int cel_container_hdf5(char **version)
{
#ifdef CEL_HAVE_HDF5
    return cel_hdf5_ops.library(version);
#else
    *version = NULL;
    return cel_fail(NC_ENOTBUILT, "this build has no libhdf5: it was configured with CELLAR_HDF5=OFF");
#endif
}
