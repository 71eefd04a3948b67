/* SPDX-License-Identifier: BSD-3-Clause */
/* What the formats of input and output are. */

#include "cdl.h"
#include "copy.h"
#include "msg.h"
#include <netcdf_meta.h>
#include <string.h>

static bool is_zarr(int ncid)
{
    int model, mode;

    return nc_inq_format_extended(ncid, &model, &mode) == NC_NOERR && model == NC_FORMATX_NCZARR;
}

/* Told by the name, before there is anything to ask. */
static bool names_zarr(const char *target)
{
    const char *fragment = strchr(target, '#');

    return fragment && strstr(fragment, "zarr");
}

static bool names_blosc2(const char *target)
{
    size_t n = strlen(target);

    return strstr(target, "#mode=b2nd") || (n > 5 && strcmp(target + n - 5, ".b2nd") == 0);
}

static bool is_classic_kind(int format)
{
    return format == NC_FORMAT_CLASSIC || format == NC_FORMAT_64BIT_OFFSET || format == NC_FORMAT_64BIT_DATA;
}

/* A classic input that is to have chunks or filters becomes netCDF-4, of the classic
 * model where that has its types. */
static int kind_of_output(const struct copy *c)
{
    const struct copy_request *r = c->req;
    bool stored = r->nfilters || r->deflate > 0 || r->shuffle || r->nchunks || r->nquantize || r->cloud ||
                  strstr(r->out, "://") || names_blosc2(r->out);

    if (r->format)
        return r->format;
    if (is_classic_kind(c->in_format) && (stored || !NC_HAS_CDF5))
        return c->in_format == NC_FORMAT_64BIT_DATA ? NC_FORMAT_NETCDF4 : NC_FORMAT_NETCDF4_CLASSIC;
    return c->in_format;
}

int copy_create_mode(const struct copy *c)
{
    return cdl_mode_of_kind(c->format) | (c->req->out_in_memory ? NC_DISKLESS | NC_PERSIST : 0);
}

int copy_formats(struct copy *c)
{
    int status = nc_inq_format(c->in, &c->in_format);

    c->in_zarr = is_zarr(c->in);
    c->out_zarr = names_zarr(c->req->out);
    c->out_blosc2 = names_blosc2(c->req->out);
    c->format = kind_of_output(c);
    c->classic = is_classic_kind(c->format);
    if (c->req->cloud && (c->classic || c->out_zarr || c->out_blosc2))
        msg_die(MSG_USAGE, "--cloud lays out netCDF-4 files, which %s will not be: leave it out%s", c->req->out,
                c->out_zarr ? "; #mode=zarr,consolidated keeps the metadata of a store together" : "");
    return status;
}
