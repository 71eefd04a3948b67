/* SPDX-License-Identifier: BSD-3-Clause */
/* A filter, from the program's side: write a variable with bzip2 (id 307), open
 * the file again, look at its filters, read the data and compare.
 *
 *   filter_example [file]       (default bzip2.nc; it is kept, to be looked at)
 *
 * bzip2 is built into Cellar. To run a plugin instead, put its directory into
 * HDF5_PLUGIN_PATH and set CELLAR_PLUGINS=prefer; hdf5plugins/ builds one. */
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <stdlib.h>

enum { NDIMS = 4, LENGTH = 4, CHUNK = 4, BZIP2 = 307, LEVEL = 9 };
#define NVALUES (LENGTH * LENGTH * LENGTH * LENGTH)

static void check(int code, const char *what)
{
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, nc_strerror(code));
    fprintf(stderr, "    %s\n", cellar_error());
    exit(1);
}

static float value_at(size_t i)
{
    return (float)(i % 17) * 0.25f + 100;
}

static void write_file(const char *path)
{
    static const char *const names[NDIMS] = {"dim0", "dim1", "dim2", "dim3"};
    const size_t chunks[NDIMS] = {CHUNK, CHUNK, CHUNK, CHUNK};
    const unsigned params[] = {LEVEL};
    float data[NVALUES];
    int ncid, varid, dims[NDIMS];

    for (size_t i = 0; i < NVALUES; i++)
        data[i] = value_at(i);
    check(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid), "nc_create");
    for (int d = 0; d < NDIMS; d++)
        check(nc_def_dim(ncid, names[d], LENGTH, &dims[d]), "nc_def_dim");
    check(nc_def_var(ncid, "var", NC_FLOAT, NDIMS, dims, &varid), "nc_def_var");
    check(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunks), "nc_def_var_chunking");

    /* Is there such a filter, built in or as a plugin? */
    check(nc_inq_filter_avail(ncid, BZIP2), "nc_inq_filter_avail");
    check(nc_def_var_filter(ncid, varid, BZIP2, 1, params), "nc_def_var_filter");
    check(nc_enddef(ncid), "nc_enddef");
    check(nc_put_var_float(ncid, varid, data), "nc_put_var_float");
    check(nc_close(ncid), "nc_close");
}

/* Each inquiry is made twice: how many there are, then what they are. */
static void show_filters(int ncid, int varid)
{
    size_t nfilters, nparams;
    unsigned *ids, *params;
    char *text;

    check(nc_inq_var_filter_ids(ncid, varid, &nfilters, NULL), "nc_inq_var_filter_ids");
    ids = calloc(nfilters + 1, sizeof *ids);
    check(nc_inq_var_filter_ids(ncid, varid, NULL, ids), "nc_inq_var_filter_ids");
    for (size_t i = 0; ids && i < nfilters; i++) {
        check(nc_inq_var_filter_info(ncid, varid, ids[i], &nparams, NULL), "nc_inq_var_filter_info");
        params = calloc(nparams + 1, sizeof *params);
        check(nc_inq_var_filter_info(ncid, varid, ids[i], NULL, params), "nc_inq_var_filter_info");
        printf("filter id=%u params=", ids[i]);
        for (size_t k = 0; params && k < nparams; k++)
            printf(k ? " %u" : "%u", params[k]);
        printf("\n");
        free(params);
    }
    free(ids);
    check(cellar_inq_var_chain(ncid, varid, CELLAR_NAMES, &text), "cellar_inq_var_chain");
    printf("as names: %s\n", text);
    cellar_free(text);
    check(cellar_inq_var_chain(ncid, varid, CELLAR_JSON, &text), "cellar_inq_var_chain");
    printf("as JSON:  %s\n", text);
    cellar_free(text);
}

static int read_file(const char *path)
{
    float data[NVALUES];
    int ncid, varid, errors = 0;

    check(nc_open(path, NC_NOWRITE, &ncid), "nc_open");
    check(nc_inq_varid(ncid, "var", &varid), "nc_inq_varid");
    show_filters(ncid, varid);
    check(nc_get_var_float(ncid, varid, data), "nc_get_var_float");
    check(nc_close(ncid), "nc_close");
    for (size_t i = 0; i < NVALUES; i++)
        errors += data[i] != value_at(i);
    return errors;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "bzip2.nc";
    int errors;

    write_file(path);
    errors = read_file(path);
    printf("%s: %d values, %d errors\n", path, NVALUES, errors);
    return errors != 0;
}
