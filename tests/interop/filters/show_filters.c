/* SPDX-License-Identifier: BSD-3-Clause */
/* Every codec of this build, with nothing set and nothing installed: by name
 * (cellar_def_var_chain) and by id (nc_def_var_filter), written, read back and
 * compared. Prints each variable with its chain as ids, for others to compare.
 *
 *   show_filters path-or-url */
#include "codec.h"
#include <cellar.h>
#include <math.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, COLS = 30, NVALUES = ROWS * COLS };

static int check(int code, const char *what)
{
    if (code != NC_NOERR)
        fprintf(stderr, "%s: %s (%d)\n", what, cellar_error(), code);
    return code;
}

/* "deflate,level=5": the name, and what must be given. */
static void default_text(const struct cel_codec *codec, char *out, size_t cap)
{
    size_t n = (size_t)snprintf(out, cap, "%s", codec->name);

    for (const struct cel_param *p = codec->params; p && p->name; p++)
        if (p->flags & CEL_PARAM_REQUIRED && n < cap)
            n += (size_t)snprintf(out + n, cap - n, ",%s=%.17g", p->name, p->fallback);
}

static void fill(float *data)
{
    for (int i = 0; i < NVALUES; i++)
        data[i] = (float)(int)(250 + i % COLS * 0.5 + i / COLS); /* whole numbers: they fit every type */
}

static int define(int ncid, const int *dims, nc_type type, const char *name, int *varid)
{
    const size_t chunks[] = {16, 16};
    int rc = nc_def_var(ncid, name, type, 2, dims, varid);

    return rc ? rc : nc_def_var_chunking(ncid, *varid, NC_CHUNKED, chunks);
}

/* The chain as words, for nc_def_var_filter. */
static int define_by_id(int ncid, int named, int varid)
{
    unsigned id, params[128];
    size_t n = 0;
    int rc = nc_inq_var_filter(ncid, named, &id, &n, params);

    return rc ? rc : nc_def_var_filter(ncid, varid, id, n, params);
}

static int write_one(int ncid, const int *dims, nc_type type, const struct cel_codec *codec, const float *data)
{
    char text[256], name[128];
    int a, b, rc;

    default_text(codec, text, sizeof text);
    snprintf(name, sizeof name, "%s_by_name", codec->name);
    rc = check(define(ncid, dims, type, name, &a), name);
    rc = rc ? rc : check(cellar_def_var_chain(ncid, a, text), text);
    snprintf(name, sizeof name, "%s_by_id", codec->name);
    rc = rc ? rc : check(define(ncid, dims, type, name, &b), name);
    rc = rc ? rc : check(define_by_id(ncid, a, b), name);
    rc = rc ? rc : check(nc_put_var_float(ncid, a, data), name);
    return rc ? rc : check(nc_put_var_float(ncid, b, data), name);
}

static int compare(const struct cel_codec *codec, const float *want, const float *got, const char *name)
{
    for (int i = 0; i < NVALUES; i++)
        if (fabsf(got[i] - want[i]) > (codec->flags & CEL_CODEC_LOSSY ? 0.01f * fabsf(want[i]) : 0)) {
            fprintf(stderr, "%s: value %d is %g, was %g\n", name, i, (double)got[i], (double)want[i]);
            return 1;
        }
    return 0;
}

static int read_one(int ncid, const struct cel_codec *codec, const char *how, const float *want, float *got)
{
    char name[128], *text;
    int varid, rc;

    snprintf(name, sizeof name, "%s_by_%s", codec->name, how);
    rc = check(nc_inq_varid(ncid, name, &varid), name);
    rc = rc ? rc : check(nc_get_var_float(ncid, varid, got), name);
    rc = rc ? rc : compare(codec, want, got, name);
    rc = rc ? rc : check(cellar_inq_var_chain(ncid, varid, CELLAR_IDS, &text), name);
    if (rc)
        return rc;
    printf("%s %s\n", name, text);
    cellar_free(text);
    return 0;
}

/* Differences of reals lose what stands beside a fill value. */
static nc_type type_for(const struct cel_codec *codec)
{
    return strcmp(codec->name, "delta") == 0 ? NC_INT : NC_FLOAT;
}

/* The next codec that keeps numbers: packbits keeps only whether they are 0. */
static const struct cel_codec *next_codec(size_t *i)
{
    const struct cel_codec *codec = cel_codec_at((*i)++);

    return codec && strcmp(codec->name, "packbits") == 0 ? cel_codec_at((*i)++) : codec;
}

int main(int argc, char **argv)
{
    static float data[NVALUES], a[NVALUES], b[NVALUES];
    const struct cel_codec *codec;
    int ncid, dims[2], failed = 0;
    size_t i;

    if (argc != 2)
        return 2;
    fill(data);
    if (check(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &ncid), argv[1]) ||
        check(nc_def_dim(ncid, "y", ROWS, &dims[0]), "y") || check(nc_def_dim(ncid, "x", COLS, &dims[1]), "x"))
        return 1;
    for (i = 0; (codec = next_codec(&i));)
        failed += write_one(ncid, dims, type_for(codec), codec, data) != 0;
    if (check(nc_close(ncid), "nc_close") || check(nc_open(argv[1], NC_NOWRITE, &ncid), argv[1]))
        return 1;
    for (i = 0; (codec = next_codec(&i));) {
        if (read_one(ncid, codec, "name", data, a) || read_one(ncid, codec, "id", data, b))
            failed++;
        else if (memcmp(a, b, sizeof a) != 0)
            failed += fprintf(stderr, "%s: by name and by id differ\n", codec->name) > 0;
    }
    return check(nc_close(ncid), "nc_close") || failed;
}
