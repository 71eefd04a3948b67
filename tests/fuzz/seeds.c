/* SPDX-License-Identifier: BSD-3-Clause */
/* Seeds made with our own library:  seeds FOLDER
 *   codec/    an encoded chunk and a plain one per codec, kind of number and rank (fuzz_codec.h)
 *   inflate/  streams of zlib's and such as fuzz_inflate makes itself
 *   classic/  the three kinds of classic files
 *   stores/   Zarr stores of both versions, which seeds.py makes inputs of */
#include "fuzz_codec.h"
#include "buf.h"
#include "chain.h"
#include "status.h"
#include <cellar.h>
#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define MUST(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #what, cel_error_text()); \
            exit(1); \
        } \
    } while (0)

static const char *top;

static const char *path_of(const char *fmt, ...)
{
    static char path[1024];
    int n = snprintf(path, sizeof path, "%s/", top);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(path + n, sizeof path - (size_t)n, fmt, ap);
    va_end(ap);
    return path;
}

static void make_folder(const char *name)
{
    MUST(mkdir(path_of("%s", name), 0777) == 0 || errno == EEXIST);
}

static void save(const char *path, const void *a, size_t n, const void *b, size_t m)
{
    FILE *f = fopen(path, "wb");

    MUST(f && fwrite(a, 1, n, f) == n && (m == 0 || fwrite(b, 1, m, f) == m) && fclose(f) == 0);
}

/* --- codecs ------------------------------------------------------------------------------- */

/* More ways to say a codec than its name alone; some need one. */
static const char *const texts[] = {
    "zfp,rate=8",
    "zfp,precision=10",
    "zfp,accuracy=0.5",
    "zfp,4,0,1,4096,12,-10",
    "szip,mask=32,pixels-per-block=8",
    "szip,mask=4,pixels-per-block=16",
    "bitround,nsb=5",
    "deflate,level=6",
    "gzip,level=6",
    "quantize,digits=2",
    "quantize,digits=2,dtype=<f8,astype=<f4",
    "astype,encode_dtype=<f4",
    "astype,encode_dtype=>i2,decode_dtype=<i4",
    "bitshuffle,compression=lz4",
    "bitshuffle,compression=zstd",
    "bitshuffle,compression=zstd,blocksize=8",
    "blosc,cname=lz4,shuffle=2",
    "blosc,cname=zstd,shuffle=0",
    "blosc,cname=zlib",
    "lzma,format=2",
    "lz4,blocksize=16",
    "{\"id\": \"zfpy\", \"mode\": 2, \"rate\": 8, \"tolerance\": -1, \"precision\": -1}",
    "{\"id\": \"zfpy\", \"mode\": 3, \"rate\": -1, \"tolerance\": -1, \"precision\": 9}",
    ("[{\"id\": \"lzma\", \"format\": 3, \"check\": -1, \"preset\": null, "
     "\"filters\": [{\"id\": 3, \"dist\": 4}, {\"id\": 33, \"preset\": 1}]}]"),
    "fpzip,precision=16",
    "scaleoffset,type=int,factor=0",
    "scaleoffset,type=decimal,factor=2",
    "crc32,location=end",
    "delta,dtype=>i4,astype=>i2",
    "fixedscaleoffset,offset=3,scale=2,dtype=<f4,astype=<u2",
    "ndcell,cell=3",
    "ndmean,cell=2",
};

static void fill_values(const struct cel_shape *s, unsigned char *values)
{
    size_t n = s->nbytes / s->elem_size;

    for (size_t i = 0; i < n; i++) {
        double x = floor(100 * sin((double)i * 0.1) + 120);
        float single = (float)x;
        uint64_t whole = (uint64_t)x;
        const void *from = s->kind != CEL_KIND_FLOAT ? (const void *)&whole
                           : s->elem_size == 4       ? (const void *)&single
                                                     : &x;

        memcpy(values + i * s->elem_size, from, s->elem_size);
    }
}

static size_t put_head(unsigned char *head, unsigned codec, unsigned flags, int power, const struct cel_shape *s,
                       const struct cel_words *words)
{
    size_t n = 0;

    head[n++] = (unsigned char)codec;
    head[n++] = (unsigned char)flags;
    head[n++] = (unsigned char)power;
    head[n++] = (unsigned char)s->rank;
    for (int d = 0; d < s->rank; d++)
        head[n++] = (unsigned char)s->dims[d];
    head[n++] = (unsigned char)words->n;
    memcpy(head + n, words->w, 4 * words->n);
    return n + 4 * words->n;
}

static unsigned place_of(const struct cel_codec *codec)
{
    unsigned i = 0;

    while (cel_codec_at(i) != codec)
        i++;
    return i;
}

/* Gives 1 where an encoded chunk could be made. */
static int save_codec(const char *text, unsigned serial, enum cel_kind kind, int power, int rank,
                      struct cel_scratch *scratch)
{
    struct cel_shape s = {.elem_size = (size_t)1 << power, .kind = kind, .rank = rank, .dims = {rank == 1 ? 64 : 8, 8}};
    unsigned char values[512], head[256];
    struct cel_chain c = {0};
    const void *out;
    size_t n;
    uint32_t skipped;
    int made = 0;

    s.nbytes = (size_t)64 << power;
    fill_values(&s, values);
    if (cel_chain_parse(text, &c, NULL) == CEL_OK && c.step[0].codec && c.step[0].visible.n < FUZZ_WORDS) {
        unsigned i = place_of(c.step[0].codec);

        save(path_of("codec/%u-%d%d%d-plain", serial, kind, power, rank), head,
             put_head(head, i, (unsigned)kind | FUZZ_ENCODE, power, &s, &c.step[0].visible), values, s.nbytes);
        if (cel_chain_prepare(&c, &s, false) == CEL_OK && c.step[0].working.n < FUZZ_WORDS &&
            cel_chain_encode(&c, scratch, values, s.nbytes, &out, &n, &skipped) == CEL_OK) {
            save(path_of("codec/%u-%d%d%d", serial, kind, power, rank), head,
                 put_head(head, i, (unsigned)kind, power, &s, &c.step[0].working), out, n);
            made = 1;
        }
    }
    cel_chain_dispose(&c);
    return made;
}

static void save_kinds(const char *text, unsigned serial, struct cel_scratch *scratch)
{
    int made = 0;

    for (int kind = CEL_KIND_INT; kind <= CEL_KIND_FLOAT; kind++)
        for (int power = kind == CEL_KIND_FLOAT ? 2 : 0; power < 4; power++)
            for (int rank = 1; rank <= 2; rank++)
                made += save_codec(text, serial, (enum cel_kind)kind, power, rank, scratch);
    if (made == 0 && !strstr(cel_error_text(), "parameters given")) /* those come again with some */
        printf("seeds: %s: no chunk (%s)\n", text, cel_error_text());
}

/* nbit as libhdf5 stores its words: numbers of 10 bits in 2 bytes. */
static void save_nbit(void)
{
    const struct cel_words words = {8, {8, 0, 64, 1, 2, 0, 10, 0}};
    struct cel_shape s = {.rank = 1, .dims = {64}};
    unsigned char head[64], packed[80];

    memset(packed, 0x5a, sizeof packed);
    save(path_of("codec/nbit-10"), head, put_head(head, place_of(cel_codec_by_id(5)), CEL_KIND_INT, 1, &s, &words),
         packed, sizeof packed);
}

static void make_codecs(void)
{
    struct cel_scratch *scratch;
    unsigned serial = 0;

    make_folder("codec");
    MUST(cel_scratch_make(&scratch) == CEL_OK);
    for (; cel_codec_at(serial); serial++)
        save_kinds(cel_codec_at(serial)->name, serial, scratch);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        save_kinds(texts[i], serial++, scratch);
    cel_scratch_free(scratch);
    save_nbit();
}

/* --- streams -------------------------------------------------------------------------------- */

static void save_stream(int level, int strategy, size_t n)
{
    static unsigned char values[4096], out[8192];
    z_stream z = {0};

    for (size_t i = 0; i < n; i++)
        values[i] = (unsigned char)(i * i / 7 % 61 + (i & 3));
    MUST(deflateInit2(&z, level, Z_DEFLATED, -15, 8, strategy) == Z_OK);
    z.next_in = values;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = sizeof out;
    MUST(deflate(&z, Z_FINISH) == Z_STREAM_END);
    save(path_of("inflate/stream-%d-%d-%zu", level, strategy, n), "\0\0", 2, out, z.total_out);
    deflateEnd(&z);
}

static void make_streams(void)
{
    make_folder("inflate");
    for (int strategy = 0; strategy <= Z_FIXED; strategy++)
        for (int level = 0; level <= 9; level += 3)
            for (size_t n = 0; n <= 4096; n = n ? n * 8 : 8)
                save_stream(level, strategy, n);
    for (int i = 0; i < 16; i++) {
        unsigned char head[3] = {1, (unsigned char)(i * 15), (unsigned char)(i * 17)};

        save(path_of("inflate/made-%d", i), head, 3, "some values, repeated with changes", 3 + (size_t)i * 2);
    }
}

/* --- files ------------------------------------------------------------------------------------- */

static void put_numbers(int nc, int var, size_t n)
{
    double values[64];

    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i * 3 % 50);
    MUST(nc_put_vara_double(nc, var, (size_t[]){0, 0}, (size_t[]){n / 4, 4}, values) == NC_NOERR);
}

static void make_classic(const char *name, int mode)
{
    static const nc_type types[] = {NC_BYTE,  NC_SHORT,  NC_INT,  NC_FLOAT, NC_DOUBLE,
                                    NC_UBYTE, NC_USHORT, NC_UINT, NC_INT64, NC_UINT64};
    int nc, dims[2], var[10], text, ntypes = mode & NC_64BIT_DATA ? 10 : 5;
    char label[8];

    MUST(nc_create(path_of("classic/%s", name), mode, &nc) == NC_NOERR);
    MUST(nc_def_dim(nc, "t", strchr(name, 'r') ? NC_UNLIMITED : 3, &dims[0]) == NC_NOERR);
    MUST(nc_def_dim(nc, "x", 4, &dims[1]) == NC_NOERR);
    MUST(nc_put_att_text(nc, NC_GLOBAL, "title", 5, "a few") == NC_NOERR);
    for (int i = 0; i < ntypes; i++) {
        snprintf(label, sizeof label, "v%d", i);
        MUST(nc_def_var(nc, label, types[i], 2, dims, &var[i]) == NC_NOERR);
        MUST(nc_put_att_double(nc, var[i], "n", types[i], 2, (double[]){1, 2}) == NC_NOERR);
    }
    MUST(nc_def_var(nc, "text", NC_CHAR, 1, dims + 1, &text) == NC_NOERR && nc_enddef(nc) == NC_NOERR);
    for (int i = 0; i < ntypes; i++)
        put_numbers(nc, var[i], 12);
    MUST(nc_put_var_text(nc, text, "abcd") == NC_NOERR && nc_close(nc) == NC_NOERR);
}

static void make_store(const char *name, const char *mode, const char *filters, bool types)
{
    char url[1200];
    int nc, group, dims[2], var, att = 7;

    snprintf(url, sizeof url, "file://%s#mode=%s", path_of("stores/%s", name), mode);
    MUST(nc_create(url, NC_NETCDF4, &nc) == NC_NOERR);
    MUST(nc_def_dim(nc, "t", NC_UNLIMITED, &dims[0]) == NC_NOERR && nc_def_dim(nc, "x", 4, &dims[1]) == NC_NOERR);
    MUST(nc_def_grp(nc, "g", &group) == NC_NOERR);
    MUST(nc_put_att_int(nc, NC_GLOBAL, "n", NC_INT, 1, &att) == NC_NOERR);
    MUST(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &var) == NC_NOERR);
    MUST(nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[]){2, 2}) == NC_NOERR);
    MUST(cellar_def_var_chain(nc, var, filters) == NC_NOERR);
    MUST(nc_put_att_text(nc, var, "units", 1, "K") == NC_NOERR);
    put_numbers(nc, var, 12);
    MUST(nc_def_var(group, "w", NC_SHORT, 1, dims + 1, &var) == NC_NOERR);
    MUST(nc_put_var_double(group, var, (double[]){1, 2, 3, 4}) == NC_NOERR);
    MUST(nc_def_var(nc, "c", NC_CHAR, 1, dims + 1, &var) == NC_NOERR && nc_put_var_text(nc, var, "abcd") == NC_NOERR);
    if (types) {
        MUST(nc_def_var(nc, "s", NC_STRING, 1, dims + 1, &var) == NC_NOERR);
        MUST(nc_put_var_string(nc, var, (const char *[]){"a", "bb", "", "dddd"}) == NC_NOERR);
    }
    MUST(nc_close(nc) == NC_NOERR);
}

static void make_files(void)
{
    make_folder("classic");
    make_folder("stores");
    make_classic("1", 0);
    make_classic("1r", 0);
    make_classic("2r", NC_64BIT_OFFSET);
    make_classic("5", NC_64BIT_DATA);
    make_classic("5r", NC_64BIT_DATA);
    make_store("nczarr2", "nczarr,file", "shuffle|deflate,level=1", true);
    make_store("zarr2", "zarr,file", "zstd", true);
    make_store("nczarr3", "nczarr,v3,file", "crc32c", true);
    make_store("zarr3", "zarr,v3,file", "", true);
    make_store("zarr3z", "zarr,v3,file", "shuffle|zstd", false);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    top = argv[1];
    MUST(mkdir(top, 0777) == 0 || errno == EEXIST);
    make_codecs();
    make_streams();
    make_files();
    return 0;
}
