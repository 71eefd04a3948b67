/* SPDX-License-Identifier: BSD-3-Clause */
/* Every filter of this build: ranks put slabs that cut through its chunks, some whole, over a time that grows, and some
 * ranks have nothing to put; then rank 0 does the same alone. The files have the same bytes, and every rank reads the same values from
 * both. codecs FOLDER */
#include "check.h"

enum { NT = 3, NY = 45, NX = 64, CY = 8, CX = 32, N = NT * NY * NX };

static int wrong;

/* What filters need beside their name. */
static const struct settings {
    const char *name, *text;
} settings[] = {
    {"deflate", "deflate,level=1"},
    {"gzip", "gzip,level=1"},
    {"scaleoffset", "scaleoffset,type=decimal,factor=0"},
    {"szip", "szip,mask=32,pixels-per-block=8"},
    {"quantize", "quantize,digits=1"},
    {"astype", "astype,encode_dtype=<f8"},
    {"cast_value", "cast_value,data_type=<f8"},
    {"fixedscaleoffset", "fixedscaleoffset,offset=0,scale=4,astype=<i4"},
};

static const char *text_of(const char *name)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].text;
    return name;
}

/* NC_NOERR, or why the filter cannot have this type. */
static int create(const char *path, MPI_Comm comm, const char *chain, nc_type type, int *ncid, int *var)
{
    int dims[3], rc;
    size_t chunks[3] = {1, CY, CX};

    CHECK(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, comm, MPI_INFO_NULL, ncid));
    CHECK(nc_def_dim(*ncid, "time", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(*ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(*ncid, "x", NX, &dims[2]));
    CHECK(nc_def_var(*ncid, "v", type, 3, dims, var));
    CHECK(nc_def_var_chunking(*ncid, *var, NC_CHUNKED, chunks));
    rc = cellar_def_var_chain(*ncid, *var, chain);
    if (rc == NC_NOERR)
        rc = nc_enddef(*ncid);
    if (rc != NC_NOERR)
        nc_abort(*ncid);
    return rc;
}

/* Rows [from, to) of a step; every third rank of four and more has none. */
static void rows_of(size_t *from, size_t *to)
{
    int idle = size > 3, workers = idle ? size - size / 3 : size, nth = idle ? rank - rank / 3 : rank;

    if (idle && rank % 3 == 2) {
        *from = *to = 0;
        return;
    }
    *from = (size_t)nth * NY / (size_t)workers;
    *to = (size_t)(nth + 1) * NY / (size_t)workers;
}

static void put(int ncid, int var, size_t from, size_t to)
{
    double *values = malloc(sizeof *values * (NY * NX + 1));

    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    for (size_t t = 0; t < NT; t++) {
        size_t start[3] = {t, from, 0}, count[3] = {to > from, to - from, NX};

        for (size_t y = from; y < to; y++)
            for (size_t x = 0; x < NX; x++)
                values[(y - from) * NX + x] = (double)((t * 40 + y * 3 + x) % 2 ? 1 : (t + y + x / 4) % 100);
        CHECK(nc_put_vara_double(ncid, var, start, count, values));
    }
    CHECK(nc_close(ncid));
    free(values);
}

static void check_bytes(const char *chain, const char *path, const char *other)
{
    FILE *a = fopen(path, "rb"), *b = fopen(other, "rb");
    int x, y, same = a && b;

    do {
        x = same ? getc(a) : EOF;
        y = same ? getc(b) : EOF;
        same = same && x == y;
    } while (x != EOF);
    if (!same) {
        fprintf(stderr, "%s: the files of %d ranks and of one are not the same\n", chain, size);
        wrong++;
    }
    if (a)
        fclose(a);
    if (b)
        fclose(b);
}

static void get(const char *path, int together, double *out)
{
    int ncid, var;

    CHECK(together ? nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid)
                   : nc_open(path, NC_NOWRITE, &ncid));
    CHECK(nc_inq_varid(ncid, "v", &var));
    if (together)
        CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    CHECK(nc_get_var_double(ncid, var, out));
    CHECK(nc_close(ncid));
}

static int try_type(const char *chain, nc_type type, const char *path, const char *other)
{
    static double got[N], expected[N];
    int ncid, var, rc = create(path, MPI_COMM_WORLD, chain, type, &ncid, &var);
    size_t from, to;

    if (rc != NC_NOERR)
        return rc;
    rows_of(&from, &to);
    put(ncid, var, from, to);
    if (rank == 0) {
        CHECK(create(other, MPI_COMM_SELF, chain, type, &ncid, &var));
        put(ncid, var, 0, NY);
        check_bytes(chain, path, other);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    get(path, 1, got);
    get(other, 0, expected);
    if (memcmp(got, expected, sizeof got) != 0) {
        fprintf(stderr, "rank %d: %s: other values than with one rank\n", rank, chain);
        wrong++;
    }
    return NC_NOERR;
}

static int try_types(const char *chain, const char *path, const char *other)
{
    static const nc_type types[] = {NC_FLOAT, NC_INT, NC_UBYTE};
    int n = 0;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        n += try_type(chain, types[i], path, other) == NC_NOERR;
    return n;
}

int main(int argc, char **argv)
{
    char path[4096], other[4096], *name, *origin;
    int all, ncodecs = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/codecs-%d.nc", argv[1], size);
    snprintf(other, sizeof other, "%s/codecs-%d-alone.nc", argv[1], size);
    for (int i = 0; cellar_inq_codec(i, &name, NULL, &origin) == NC_NOERR; i++) {
        if (!*origin && !try_types(text_of(name), path, other)) {
            fprintf(stderr, "rank %d: %s fits no type: %s\n", rank, text_of(name), cellar_error());
            wrong++;
        }
        ncodecs += !*origin;
        cellar_free(name);
        cellar_free(origin);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("codecs: %d of them, %d ranks, %d wrong\n", ncodecs, size, all);
    MPI_Finalize();
    return all != 0 || ncodecs < 30;
}
