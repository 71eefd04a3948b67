/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec blosc2 for a test in Python: requests on standard input, each a line and then N bytes; answers on
 * standard output, "ok N" and N bytes, or "no N" and N bytes of text, which may quote any byte of a file.
 *
 *   decode CAP N                          a chunk as HDF5 stores it
 *   part START COUNT CAP N                a part of the array in a frame of one chunk: 0,0,3 1,5,9
 *   array START COUNT CAP N               a part of the variable of a file, by nc_open(); the bytes are its path
 *   encode CHAIN TYPE DIMS N              TYPE is i4, f8, ...; DIMS is 5x13
 *   write CHAIN TYPE DIMS CHUNKS HOW N    a file "ours.b2nd" by nc_create(); HOW: whole, rows, half (the rest is fill) */
#include "b2_array.h"
#include "b2_frame.h"
#include "chain.h"
#include "mem.h"
#include "status.h"
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct cel_codec cel_codec_blosc2;

static int read_list(const char *text, size_t *out)
{
    int n = 0;
    char *end;

    for (; *text && n < CEL_RANK_MAX; text = *end ? end + 1 : end)
        out[n++] = strtoul(text, &end, 10);
    return n;
}

static void answer(int rc, const void *bytes, size_t n)
{
    if (rc != CEL_OK) {
        bytes = cel_error_text();
        n = strlen(bytes);
    }
    printf("%s %zu\n", rc == CEL_OK ? "ok" : "no", n);
    fwrite(bytes, 1, n, stdout);
    fflush(stdout);
    cel_error_clear();
}

static void decode(const unsigned char *in, size_t n, size_t cap)
{
    static void *context;
    struct cel_words words = {0};
    struct cel_coding coding = {.codec = &cel_codec_blosc2, .words = &words};
    unsigned char *out = cel_malloc(cap);
    size_t len = 0;
    int rc;

    if (!context)
        cel_codec_blosc2.make_context(&words, &context);
    coding.context = context;
    rc = cel_codec_blosc2.decode(&coding, in, n, out, cap, &len);
    answer(rc, out, len);
    free(out);
}

static void decode_part(const unsigned char *in, size_t n, size_t cap, const char *start, const char *count)
{
    struct cel_b2_work *work = cel_b2_work_make();
    unsigned char *out = cel_malloc(cap);
    size_t from[CEL_RANK_MAX] = {0}, many[CEL_RANK_MAX] = {0};
    struct cel_b2_frame frame;
    struct cel_b2_array array;
    int rc = cel_b2_frame_read(in, n, n, &frame);

    read_list(start, from);
    read_list(count, many);
    if (rc == CEL_OK)
        rc = cel_b2_array_read(frame.layers[0].bytes, frame.layers[0].len, frame.elem, &array);
    if (rc == CEL_OK)
        rc = cel_b2_array_decode(work, &array, in + frame.header, frame.cbytes, from, many, out);
    answer(rc, out, cap);
    free(out);
    cel_b2_work_free(work);
}

static void get_array(const char *path, size_t cap, const char *start, const char *count)
{
    size_t from[CEL_RANK_MAX] = {0}, many[CEL_RANK_MAX] = {0};
    void *out = cel_malloc(cap);
    int ncid = -1, rc = nc_open(path, NC_NOWRITE, &ncid);

    read_list(start, from);
    read_list(count, many);
    if (rc == NC_NOERR)
        rc = nc_get_vara(ncid, 0, from, many, out);
    answer(rc, out, cap);
    if (ncid >= 0)
        nc_close(ncid);
    free(out);
}

static void encode(const unsigned char *in, size_t n, const char *text, const char *type, const char *dims)
{
    struct cel_shape s = {.elem_size = (size_t)atoi(type + 1), .nbytes = n};
    struct cel_chain chain = {0};
    struct cel_scratch *scratch = NULL;
    const void *out = NULL;
    uint32_t skipped = 0;
    size_t len = 0;
    int rc;

    s.kind = type[0] == 'f' ? CEL_KIND_FLOAT : type[0] == 'i' ? CEL_KIND_INT : CEL_KIND_UINT;
    s.rank = read_list(dims, s.dims);
    rc = cel_chain_parse(text, &chain, NULL);
    if (rc == CEL_OK)
        rc = cel_chain_prepare(&chain, &s, false);
    if (rc == CEL_OK)
        rc = cel_scratch_make(&scratch);
    if (rc == CEL_OK)
        rc = cel_chain_encode(&chain, scratch, in, n, &out, &len, &skipped);
    answer(rc, out, len);
    cel_scratch_free(scratch);
    cel_chain_dispose(&chain);
}

/* TYPE and byte order of a file: i4 or >i4. */
static nc_type type_of(const char *type)
{
    static const struct {
        const char *name;
        nc_type type;
    } types[] = {{"i1", NC_BYTE}, {"u1", NC_UBYTE}, {"i2", NC_SHORT},  {"u2", NC_USHORT}, {"i4", NC_INT},
                 {"u4", NC_UINT}, {"i8", NC_INT64}, {"u8", NC_UINT64}, {"f4", NC_FLOAT},  {"f8", NC_DOUBLE}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].type;
    return NC_CHAR;
}

static int define(int ncid, const char *chain, const char *type, const char *dims, const char *chunks)
{
    size_t len[CEL_RANK_MAX], chunk[CEL_RANK_MAX];
    int rank = read_list(dims, len), ids[CEL_RANK_MAX], var = 0, rc = NC_NOERR;
    char name[16];

    read_list(chunks, chunk);
    for (int d = 0; rc == NC_NOERR && d < rank; d++) {
        snprintf(name, sizeof name, "dim%d", d);
        rc = nc_def_dim(ncid, name, len[d], &ids[d]);
    }
    if (rc == NC_NOERR)
        rc = nc_def_var(ncid, "field", type_of(type + (*type == '>')), rank, ids, &var);
    if (rc == NC_NOERR)
        rc = nc_def_var_chunking(ncid, var, NC_CHUNKED, chunk);
    if (rc == NC_NOERR && strcmp(chain, "-") != 0)
        rc = cellar_def_var_chain(ncid, var, chain);
    if (rc == NC_NOERR && *type == '>')
        rc = nc_def_var_endian(ncid, var, NC_ENDIAN_BIG);
    if (rc == NC_NOERR)
        rc = nc_put_att_text(ncid, var, "units", 3, "m/s");
    if (rc == NC_NOERR)
        rc = nc_put_att_double(ncid, var, "scale", NC_FLOAT, 2, (double[]){0.5, 3});
    return rc == NC_NOERR ? nc_put_att_text(ncid, NC_GLOBAL, "title", 4, "test") : rc;
}

static int put(int ncid, const unsigned char *in, size_t n, const char *dims, const char *how)
{
    size_t start[CEL_RANK_MAX] = {0}, count[CEL_RANK_MAX], rows;
    int rc = NC_NOERR;

    read_list(dims, count);
    rows = count[0];
    if (strcmp(how, "whole") == 0)
        return nc_put_vara(ncid, 0, start, count, in);
    count[0] = 1;
    for (; rc == NC_NOERR && start[0] < (strcmp(how, "half") == 0 ? rows / 2 : rows); start[0]++)
        rc = nc_put_vara(ncid, 0, start, count, in + start[0] * (n / rows));
    return rc;
}

static void write_array(const unsigned char *in, size_t n, const char *chain, const char *type, const char *dims,
                        const char *chunks, const char *how)
{
    int ncid, at_close, rc = nc_create("ours.b2nd", NC_NETCDF4, &ncid);

    if (rc == NC_NOERR) {
        rc = define(ncid, chain, type, dims, chunks);
        if (rc == NC_NOERR)
            rc = put(ncid, in, n, dims, how);
        at_close = rc == NC_NOERR ? nc_close(ncid) : nc_abort(ncid);
        rc = rc == NC_NOERR ? at_close : rc;
    }
    answer(rc, "", 0);
}

int main(void)
{
    char line[512], what[16], a[256], b[256], c[256], d[256], e[16];

    while (fgets(line, sizeof line, stdin)) {
        int words = sscanf(line, "%15s %255s %255s %255s %255s %15s", what, a, b, c, d, e);
        size_t n = strtoul(strrchr(line, ' '), NULL, 10);
        unsigned char *in = cel_calloc(n + 1, 1);

        if (words < 3 || fread(in, 1, n, stdin) != n)
            return 1;
        if (strcmp(what, "decode") == 0)
            decode(in, n, strtoul(a, NULL, 10));
        else if (strcmp(what, "part") == 0)
            decode_part(in, n, strtoul(c, NULL, 10), a, b);
        else if (strcmp(what, "array") == 0)
            get_array((const char *)in, strtoul(c, NULL, 10), a, b);
        else if (strcmp(what, "write") == 0)
            write_array(in, n, a, b, c, d, e);
        else
            encode(in, n, a, b, c);
        free(in);
    }
    return 0;
}
