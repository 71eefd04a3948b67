/* SPDX-License-Identifier: BSD-3-Clause */
/* One codec for NCZarr, by netCDF-C's codec ABI: converts Zarr JSON to cd_values and back, and fits cd_values to a
 * variable. Compiled once for each codec; CODEC is its name. */
#include "buf.h"
#include "codec.h"
#include "host.h"
#include "json.h"
#include "mem.h"
#include "ncz_half.h"
#include "params.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct cel_codec CODEC;
static char own_id[64];

static int give_words(const struct cel_words *w, size_t *n, unsigned **out)
{
    unsigned *copy = malloc((w->n ? w->n : 1) * sizeof *copy);

    if (!copy)
        return NC_ENOMEM;
    for (size_t i = 0; i < w->n; i++)
        copy[i] = w->w[i];
    *n = w->n;
    *out = copy;
    return NC_NOERR;
}

static int codec_to_hdf5(const char *text, size_t *n, unsigned **out)
{
    struct cel_json *doc = NULL;
    struct cel_words words = {.n = 0};
    const char *id;
    int rc = text && n && out ? cel_json_parse(text, strlen(text), &doc, NULL) : NC_EINVAL;

    if (rc != CEL_OK)
        return rc == NC_ENOMEM || rc == NC_EINVAL ? rc : NC_EFILTER;
    id = cel_json_string(cel_json_get(doc, "id"), NULL);
    if (cel_json_type(doc) != CEL_JSON_OBJECT)
        rc = NC_EPLUGIN;
    else if (!id || strcmp(id, NCZ_HALF.codecid) != 0)
        rc = NC_EINVAL;
    if (rc == CEL_OK)
        rc = cel_params_from_json(&CODEC, doc, 2, false, &words);
    if (rc == CEL_OK)
        rc = cel_params_check(&CODEC, &words);
    if (rc == CEL_OK)
        rc = give_words(&words, n, out);
    cel_json_free(doc);
    return rc;
}

static bool copy_words(size_t n, const unsigned *words, struct cel_words *out)
{
    if (n > CEL_WORDS_MAX || (n > 0 && !words))
        return false;
    out->n = n;
    for (size_t i = 0; i < n; i++)
        out->w[i] = words[i];
    return true;
}

static int hdf5_to_codec(size_t n, const unsigned *words, char **out)
{
    struct cel_json *object;
    struct cel_words w;
    struct cel_buf text = CEL_BUF_INIT(65536);
    int rc;

    if (!out || !copy_words(n, words, &w))
        return NC_EINVAL;
    rc = cel_params_check(&CODEC, &w);
    if (rc != CEL_OK)
        return rc;
    cel_params_complete(&CODEC, &w);
    object = cel_json_new_object();
    rc = object ? cel_json_set(object, "id", cel_json_new_string(NCZ_HALF.codecid, strlen(NCZ_HALF.codecid)))
                : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_params_to_json(&CODEC, &w, NULL, 2, object);
    if (rc == CEL_OK)
        rc = cel_json_print(object, 0, &text);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, out);
    cel_buf_dispose(&text);
    cel_json_free(object);
    return rc;
}

/* --- fitting words to a variable of the library that calls -------------------------------- */

struct netcdf {
    int (*inq_var)(int ncid, int varid, char *name, int *type, int *ndims, int *dimids, int *natts);
    int (*inq_type)(int ncid, int type, char *name, size_t *size);
    int (*inq_dimlen)(int ncid, int dimid, size_t *len);
    int (*inq_chunking)(int ncid, int varid, int *storage, size_t *chunks);
    int (*inq_endian)(int ncid, int varid, int *endian);
};

/* libcellar has the same functions under names of its own. */
static bool find_netcdf(const void *caller, const char *prefix, struct netcdf *out)
{
    static const char *const names[] = {"inq_var", "inq_type", "inq_dimlen", "inq_var_chunking", "inq_var_endian"};
    void *found[sizeof names / sizeof *names];
    char name[40];

    _Static_assert(sizeof found == sizeof *out, "one name for each function");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        found[i] = cel_host_find(caller, name);
        if (!found[i])
            return false;
    }
    memcpy(out, found, sizeof *out);
    return true;
}

static enum cel_kind kind_of(int type)
{
    switch (type) {
    case NC_BYTE:
    case NC_SHORT:
    case NC_INT:
    case NC_INT64:
        return CEL_KIND_INT;
    case NC_UBYTE:
    case NC_USHORT:
    case NC_UINT:
    case NC_UINT64:
        return CEL_KIND_UINT;
    case NC_FLOAT:
    case NC_DOUBLE:
        return CEL_KIND_FLOAT;
    case NC_CHAR:
        return CEL_KIND_CHAR;
    default:
        return CEL_KIND_OTHER;
    }
}

static int read_shape(const struct netcdf *f, int ncid, int varid, struct cel_shape *out)
{
    int type, storage = NC_CHUNKED, endian = NC_ENDIAN_NATIVE, dimids[NC_MAX_VAR_DIMS], rc;

    *out = (struct cel_shape){0};
    rc = f->inq_var(ncid, varid, NULL, &type, &out->rank, NULL, NULL);
    if (rc == NC_NOERR && out->rank > CEL_RANK_MAX)
        rc = NC_EFILTER;
    if (rc == NC_NOERR)
        rc = f->inq_var(ncid, varid, NULL, NULL, NULL, dimids, NULL);
    if (rc == NC_NOERR)
        rc = f->inq_type(ncid, type, NULL, &out->elem_size);
    if (rc == NC_NOERR)
        rc = f->inq_endian(ncid, varid, &endian);
    if (rc == NC_NOERR && out->rank > 0)
        rc = f->inq_chunking(ncid, varid, &storage, out->dims);
    for (int d = 0; rc == NC_NOERR && storage != NC_CHUNKED && d < out->rank; d++)
        rc = f->inq_dimlen(ncid, dimids[d], &out->dims[d]);
    out->kind = kind_of(type);
    out->big_endian = endian == NC_ENDIAN_BIG;
    out->nbytes = out->elem_size;
    for (int d = 0; rc == NC_NOERR && d < out->rank; d++)
        if (!cel_mul(out->nbytes, out->dims[d], &out->nbytes))
            rc = NC_EFILTER;
    return rc;
}

static int modify_parameters(int ncid, int varid, size_t *nvisible, unsigned **visible, size_t *nworking,
                             unsigned **working)
{
    struct cel_words given, fitted;
    struct cel_shape shape;
    struct netcdf f;
    int rc;

    if (!nvisible || !visible || !nworking || !working || !copy_words(*nvisible, *visible, &given))
        return NC_EINVAL;
    rc = cel_params_check(&CODEC, &given);
    if (rc != CEL_OK)
        return rc;
    cel_params_complete(&CODEC, &given);
    fitted = given;
    if (CODEC.prepare) {
        if (!find_netcdf(CEL_CALLER, "cel_nc_", &f) && !find_netcdf(CEL_CALLER, "nc_", &f))
            return NC_EPLUGIN;
        rc = read_shape(&f, ncid, varid, &shape);
        if (rc == NC_NOERR)
            rc = CODEC.prepare(&CODEC, &given, &shape, &fitted);
    }
    return rc == NC_NOERR ? give_words(&fitted, nworking, working) : rc;
}

struct cel_ncz_codec NCZ_HALF;

__attribute__((constructor)) static void fill_half(void)
{
    snprintf(own_id, sizeof own_id, CODEC.zarr2 ? "%s" : "cellar.%s", CODEC.zarr2 ? CODEC.zarr2 : CODEC.name);
    NCZ_HALF = (struct cel_ncz_codec){.version = CEL_NCZ_VERSION,
                                      .sort = CEL_NCZ_HDF5,
                                      .codecid = own_id,
                                      .hdf5id = CODEC.hdf5_id,
                                      .codec_to_hdf5 = codec_to_hdf5,
                                      .hdf5_to_codec = hdf5_to_codec,
                                      .modify_parameters = modify_parameters};
}
