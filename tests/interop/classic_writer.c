/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a classic file of random content: dimensions, attributes, variables,
 * data in pieces, a second define mode that makes the header grow. Built twice,
 * over libcellar and over libnetcdf; with the same arguments both must give the
 * same bytes.
 *
 *   classic_writer KIND SEED FILE      KIND: 1, 2 or 5 */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) \
    do { \
        int e_ = (call); \
        if (e_) { \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nc_strerror(e_)); \
            exit(1); \
        } \
    } while (0)

static unsigned long long state;

static unsigned pick(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % n;
}

static const nc_type types[] = {NC_BYTE,  NC_CHAR,   NC_SHORT, NC_INT,   NC_FLOAT, NC_DOUBLE,
                                NC_UBYTE, NC_USHORT, NC_UINT,  NC_INT64, NC_UINT64};

static nc_type some_type(int kind)
{
    return types[pick(kind == 5 ? 11 : 6)];
}

static void put_atts(int ncid, int varid, int kind, const char *prefix)
{
    static const double values[] = {1, -2, 3.5, 100, 7, 0, 12};

    for (unsigned i = 0, n = pick(4); i < n; i++) {
        nc_type type = some_type(kind);
        char name[40];
        snprintf(name, sizeof name, "%s%u", prefix, i);
        if (type == NC_CHAR)
            TRY(nc_put_att_text(ncid, varid, name, pick(9), "some text"));
        else if (type == NC_UBYTE || type >= NC_USHORT)
            TRY(nc_put_att_double(ncid, varid, name, type, 1, values + 3));
        else
            TRY(nc_put_att_double(ncid, varid, name, type, pick(7), values));
    }
}

static int ndims, dims[8];
static size_t lens[8];

static void define(int ncid, int kind, const char *prefix)
{
    for (unsigned i = 0, n = 1 + pick(4); i < n; i++) {
        int rank = (int)pick(4), ids[4], var;
        char name[40];
        for (int d = 0; d < rank; d++) { /* the record dimension, number 0, can only be first */
            ids[d] = (int)pick((unsigned)ndims);
            if (d > 0 && lens[ids[d]] == NC_UNLIMITED)
                ids[d] = 1;
            ids[d] = dims[ids[d]];
        }
        snprintf(name, sizeof name, "%s%u", prefix, i);
        TRY(nc_def_var(ncid, name, some_type(kind), rank, ids, &var));
        put_atts(ncid, var, kind, "a");
        if (pick(5) == 0)
            TRY(nc_def_var_fill(ncid, var, NC_NOFILL, NULL));
    }
}

static void put_some(int ncid)
{
    int nvars, var, rank, ids[4];
    size_t start[4], count[4], total = 1;
    ptrdiff_t stride[4];
    nc_type type;
    static double values[4096];
    static char text[4096];

    TRY(nc_inq_nvars(ncid, &nvars));
    var = (int)pick((unsigned)nvars);
    TRY(nc_inq_var(ncid, var, NULL, &type, &rank, ids, NULL));
    for (int d = 0; d < rank; d++) {
        size_t len;
        int unlimited;
        TRY(nc_inq_dimlen(ncid, ids[d], &len));
        TRY(nc_inq_unlimdim(ncid, &unlimited));
        if (ids[d] == unlimited)
            len = 4;
        start[d] = pick((unsigned)len);
        stride[d] = 1 + (pick(3) == 0) * (int)pick(3);
        count[d] = 1 + pick((unsigned)((len - start[d] - 1) / (size_t)stride[d] + 1));
        total *= count[d];
    }
    for (size_t i = 0; i < total; i++) {
        values[i] = pick(100);
        text[i] = (char)('a' + pick(26));
    }
    if (type == NC_CHAR)
        TRY(nc_put_vars_text(ncid, var, start, count, stride, text));
    else
        TRY(nc_put_vars_double(ncid, var, start, count, stride, values));
}

/* Values, and now and then what may come between them. */
static void put_all(int ncid)
{
    for (unsigned i = pick(6); i-- > 0;) {
        put_some(ncid);
        if (pick(8) == 0)
            TRY(nc_set_fill(ncid, pick(2) ? NC_NOFILL : NC_FILL, NULL));
        if (pick(8) == 0)
            TRY(nc_sync(ncid));
    }
}

int main(int argc, char **argv)
{
    int kind, ncid;

    if (argc != 4)
        return 2;
    kind = atoi(argv[1]);
    state = strtoull(argv[2], NULL, 10) * 977 + (unsigned)kind;
    TRY(nc_create(argv[3], NC_CLOBBER | (kind == 2 ? NC_64BIT_OFFSET : kind == 5 ? NC_64BIT_DATA : 0), &ncid));
    if (pick(4) == 0)
        TRY(nc_set_fill(ncid, NC_NOFILL, NULL));
    ndims = 2 + (int)pick(4);
    for (int d = 0; d < ndims; d++) {
        char name[20];
        snprintf(name, sizeof name, "d%d", d);
        lens[d] = d == 0 && pick(4) ? NC_UNLIMITED : 1 + pick(7);
        TRY(nc_def_dim(ncid, name, lens[d], &dims[d]));
    }
    put_atts(ncid, NC_GLOBAL, kind, "g");
    define(ncid, kind, "v");
    if (pick(4))
        TRY(nc_enddef(ncid));
    else
        TRY(nc__enddef(ncid, pick(200), 4 << pick(4), pick(200), 4 << pick(4)));
    put_all(ncid);
    if (pick(2)) {
        TRY(nc_redef(ncid));
        put_atts(ncid, NC_GLOBAL, kind, "later");
        define(ncid, kind, "w");
        TRY(nc_enddef(ncid));
        put_all(ncid);
    }
    TRY(nc_close(ncid));
    return 0;
}
