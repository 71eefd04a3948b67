/* SPDX-License-Identifier: BSD-3-Clause */
/* A file with a filter of others, written where its plugin is and read where it
 * is not: `missing_filter write file plugindir`, then `missing_filter read file`. */
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <string.h>

#define FILTER 40107
#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, cellar_error()); \
            return 1; \
        } \
    } while (0)

static int write_file(const char *path, char *dir)
{
    const unsigned words[] = {85, 2};
    NCPluginList list = {1, &dir};
    float data[100], back[100];
    int ncid, dim, v, w;

    for (int i = 0; i < 100; i++)
        data[i] = (float)i;
    CHECK(nc_plugin_path_set(&list) == NC_NOERR);
    CHECK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid) == NC_NOERR);
    CHECK(nc_def_dim(ncid, "x", 100, &dim) == NC_NOERR);
    CHECK(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &v) == NC_NOERR);
    CHECK(nc_def_var(ncid, "w", NC_FLOAT, 1, &dim, &w) == NC_NOERR);
    CHECK(nc_inq_filter_avail(ncid, FILTER) == NC_NOERR);
    CHECK(nc_def_var_filter(ncid, v, FILTER, 2, words) == NC_NOERR);
    CHECK(nc_put_var_float(ncid, v, data) == NC_NOERR);
    CHECK(nc_put_var_float(ncid, w, data) == NC_NOERR);
    CHECK(nc_close(ncid) == NC_NOERR);
    CHECK(nc_open(path, NC_NOWRITE, &ncid) == NC_NOERR);
    CHECK(nc_get_var_float(ncid, v, back) == NC_NOERR);
    CHECK(memcmp(data, back, sizeof data) == 0);
    CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

static int read_file(const char *path)
{
    unsigned id = 0, words[4] = {0};
    size_t n = 0;
    float data[100];
    int ncid;
    char *text;

    CHECK(nc_open(path, NC_WRITE, &ncid) == NC_NOERR);
    CHECK(nc_inq_var_filter(ncid, 0, &id, &n, words) == NC_NOERR);
    CHECK(id == FILTER && n == 2 && words[0] == 85 && words[1] == 2);
    CHECK(cellar_inq_var_chain(ncid, 0, CELLAR_NAMES, &text) == NC_NOERR);
    CHECK(strcmp(text, "40107,85,2") == 0);
    cellar_free(text);
    CHECK(nc_get_var_float(ncid, 0, data) == NC_ENOFILTER);
    CHECK(strstr(cellar_error(), "40107") && strstr(cellar_error(), "HDF5_PLUGIN_PATH"));
    CHECK(strcmp(cellar_error_part(CELLAR_VARIABLE), "v") == 0);
    CHECK(nc_put_var_float(ncid, 0, data) == NC_ENOFILTER);
    CHECK(nc_inq_filter_avail(ncid, FILTER) == NC_ENOFILTER);
    CHECK(nc_get_var_float(ncid, 1, data) == NC_NOERR && data[99] == 99);
    CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "write") == 0)
        return write_file(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return read_file(argv[2]);
    fprintf(stderr, "usage: missing_filter write file plugindir | read file\n");
    return 2;
}
