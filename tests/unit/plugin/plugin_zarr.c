/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin in a Zarr store: its codec half writes the JSON, and asks the library
 * about the variable to find the words the filter works with.
 *
 *   plugin_zarr enddef|implicit|close|local store plugindir
 *
 * enddef: define mode is left by nc_enddef; implicit: by the first data; close: by
 * nc_close, and the data comes later; local: a plugin without codec half, which finds
 * its words through libhdf5. */
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <string.h>

enum { FILTER = 40130, LOCAL_FILTER = 40131, KEY = 7, N = 10, CHUNK = 5 };
/* What the codec half makes of the key: see fake_plugin.c. */
enum { SHOWN = KEY + 100, WORKS = SHOWN + NC_UBYTE + CHUNK, LOCAL_WORKS = KEY + 1 + CHUNK };

static int local;

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, cellar_error()); \
            return 1; \
        } \
    } while (0)

static const unsigned char data[N] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 255};

static int write_store(const char *how, const char *url)
{
    const unsigned key[] = {KEY};
    const size_t chunk = CHUNK;
    int ncid, dim, v;

    CHECK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &ncid) == NC_NOERR);
    CHECK(nc_def_dim(ncid, "x", N, &dim) == NC_NOERR);
    CHECK(nc_def_var(ncid, "v", NC_UBYTE, 1, &dim, &v) == NC_NOERR);
    CHECK(nc_def_var_filter(ncid, v, local ? LOCAL_FILTER : FILTER, 1, key) == NC_NOERR);
    CHECK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &chunk) == NC_NOERR);
    if (strcmp(how, "enddef") == 0)
        CHECK(nc_enddef(ncid) == NC_NOERR);
    if (strcmp(how, "close") == 0) {
        CHECK(nc_close(ncid) == NC_NOERR);
        return 0; /* the words shown are in the metadata now, and would be changed again */
    }
    CHECK(nc_put_var_uchar(ncid, v, data) == NC_NOERR);
    CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

/* The first chunk as it is stored. */
static int check_chunk(const char *store)
{
    unsigned char bytes[64];
    char path[1024];
    FILE *f;
    size_t n;

    snprintf(path, sizeof path, "%s/v/0", store);
    f = fopen(path, "rb");
    CHECK(f != NULL);
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    CHECK(n == CHUNK);
    for (size_t i = 0; i < n; i++)
        CHECK(bytes[i] == (unsigned char)(data[i] ^ (local ? LOCAL_WORKS : WORKS)));
    return 0;
}

static int check_shown(const char *url)
{
    unsigned id, words[4];
    size_t n;
    char *text;
    int ncid;

    CHECK(nc_open(url, NC_NOWRITE, &ncid) == NC_NOERR);
    CHECK(nc_inq_var_filter(ncid, 0, &id, &n, words) == NC_NOERR);
    CHECK(id == FILTER && n == 1 && words[0] == SHOWN);
    CHECK(cellar_inq_var_chain(ncid, 0, CELLAR_JSON, &text) == NC_NOERR);
    CHECK(strcmp(text, "[{\"id\": \"fake40130\", \"key\": 107}]") == 0);
    cellar_free(text);
    CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

/* The words as given are kept, and the data comes back. */
static int check_local(const char *url)
{
    unsigned char back[N];
    char *text;
    int ncid;

    CHECK(nc_open(url, NC_NOWRITE, &ncid) == NC_NOERR);
    CHECK(cellar_inq_var_chain(ncid, 0, CELLAR_JSON, &text) == NC_NOERR);
    CHECK(strstr(text, "\"params\": [7]") != NULL);
    cellar_free(text);
    CHECK(nc_get_var_uchar(ncid, 0, back) == NC_NOERR);
    CHECK(memcmp(back, data, N) == 0);
    CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

int main(int argc, char **argv)
{
    char url[1024];
    NCPluginList list = {1, argv + 3};

    if (argc != 4)
        return 2;
    snprintf(url, sizeof url, "file://%s#mode=zarr,file", argv[2]);
    CHECK(nc_plugin_path_set(&list) == NC_NOERR);
    local = strcmp(argv[1], "local") == 0;
    if (write_store(argv[1], url) || (local ? check_local(url) : check_shown(url)))
        return 1;
    return strcmp(argv[1], "close") == 0 ? 0 : check_chunk(argv[2]);
}
