/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous frames of Blosc2: header and trailer. */
#include "b2_frame.h"
#include "bytes.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

enum { VERSION_MAX = 2, OFFSETS_64 = 1, VARYING_CHUNKS = 64 };
enum { LAYERS_HEAD = 7, LAYERS_END = 3, LAYER_HEAD = 5, NAME_HEAD = 1, OFFSET_ITEM = 5 };
enum { FIXARRAY = 0x90, FIXSTR = 0xa0, TRUE = 0xc3, FALSE = 0xc2, BIN32 = 0xc6, UINT16 = 0xcd, UINT32 = 0xce };
enum { UINT64 = 0xcf, INT16 = 0xd1, INT32 = 0xd2, INT64 = 0xd3, FIXEXT16 = 0xd8, ARRAY16 = 0xdc, MAP16 = 0xde };

static const unsigned char magic[] = {FIXSTR + 8, 'b', '2', 'f', 'r', 'a', 'm', 'e', 0};

bool cel_b2_is_frame(const unsigned char *src, size_t n)
{
    return n > sizeof magic && src[0] >> 4 == FIXARRAY >> 4 && memcmp(src + 1, magic, sizeof magic) == 0;
}

/* --- layers ---------------------------------------------------------------------------------- */

static int damaged_layers(void)
{
    return cel_fail(NC_EFILTER, "blosc2: the list of layers of the frame is damaged");
}

static int read_layer(const unsigned char *src, size_t n, size_t *at, struct cel_b2_layer *out)
{
    size_t len, offset;

    if (n - *at < NAME_HEAD)
        return damaged_layers();
    len = (size_t)src[*at] & CEL_B2_NAME_MAX;
    if ((src[*at] & 0xe0) != FIXSTR || n - *at < NAME_HEAD + len + OFFSET_ITEM)
        return damaged_layers();
    memcpy(out->name, src + *at + NAME_HEAD, len);
    out->name[len] = '\0';
    *at += NAME_HEAD + len;
    offset = cel_get_be32(src + *at + 1);
    if (src[*at] != INT32 || offset > n || n - offset < LAYER_HEAD || src[offset] != BIN32)
        return damaged_layers();
    *at += OFFSET_ITEM;
    out->len = cel_get_be32(src + offset + 1);
    out->bytes = src + offset + LAYER_HEAD;
    return out->len > n - offset - LAYER_HEAD ? damaged_layers() : CEL_OK;
}

/* The list at `at` of the n bytes at src. */
static int count_layers(const unsigned char *src, size_t n, size_t at, size_t most, size_t *nlayers)
{
    *nlayers = 0;
    if (at > n || n - at < LAYERS_HEAD + LAYERS_END || src[at] != FIXARRAY + 3 || src[at + 1] != UINT16 ||
        src[at + 4] != MAP16)
        return damaged_layers();
    *nlayers = cel_get_be16(src + at + 5);
    if (*nlayers > most)
        return cel_fail(NC_EFILTER, "blosc2: the frame has %zu layers, at most %zu can be read", *nlayers, most);
    return CEL_OK;
}

/* The list at `at` of the n bytes at src, from which its offsets count. */
static int read_layers(const unsigned char *src, size_t n, size_t at, size_t most, struct cel_b2_layer *layers,
                       size_t *nlayers)
{
    int rc = count_layers(src, n, at, most, nlayers);

    at += LAYERS_HEAD;
    for (size_t i = 0; rc == CEL_OK && i < *nlayers; i++)
        rc = read_layer(src, n, &at, &layers[i]);
    return rc;
}

const struct cel_b2_layer *cel_b2_frame_layer(const struct cel_b2_frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->nlayers; i++)
        if (strcmp(frame->layers[i].name, name) == 0)
            return &frame->layers[i];
    return NULL;
}

int cel_b2_trailer_count(const unsigned char *src, size_t n, size_t most, size_t *nlayers)
{
    *nlayers = 0;
    if (n < 2 + LAYERS_HEAD + LAYERS_END + CEL_B2_FRAME_TAIL || src[0] != FIXARRAY + 4 || src[1] != 1)
        return cel_fail(NC_EFILTER, "blosc2: the trailer of the frame is damaged");
    return count_layers(src, n, 2, most, nlayers);
}

int cel_b2_trailer_read(const unsigned char *src, size_t n, size_t most, struct cel_b2_layer *layers, size_t *nlayers)
{
    int rc = cel_b2_trailer_count(src, n, most, nlayers);

    return rc == CEL_OK ? read_layers(src, n, 2, most, layers, nlayers) : rc;
}

/* --- the header ------------------------------------------------------------------------------ */

static int read_sizes(const unsigned char *src, size_t there, struct cel_b2_frame *f)
{
    f->nbytes = (size_t)cel_get_be64(src + 30);
    f->cbytes = (size_t)cel_get_be64(src + 39);
    f->elem = cel_get_be32(src + 48);
    f->block = cel_get_be32(src + 53);
    f->chunk = cel_get_be32(src + 58);
    if (f->size > there || f->header > f->size || f->cbytes > f->size - f->header)
        return cel_fail(NC_EFILTER, "blosc2: the frame says it has %zu bytes, %zu are there", f->size, there);
    if (f->nbytes > INT64_MAX || f->elem == 0 || f->elem > INT32_MAX || f->chunk > CEL_B2_CHUNK_MAX ||
        (f->chunk == 0 && f->nbytes > 0))
        return cel_fail(NC_EFILTER, "blosc2: the frame says it has chunks of %zu bytes, elements of %zu", f->chunk,
                        f->elem);
    f->nchunks = f->nbytes ? (f->nbytes - 1) / f->chunk + 1 : 0;
    return CEL_OK;
}

static int check_flags(const unsigned char *src)
{
    if ((src[25] & 15) > VERSION_MAX)
        return cel_fail(NC_EFILTER, "blosc2: version %u of the frame format is not known", src[25] & 15u);
    if ((src[25] >> 4 & 3) != OFFSETS_64 || src[25] & VARYING_CHUNKS)
        return cel_fail(NC_EFILTER, "blosc2: frames with chunks of different lengths are not supported");
    if ((src[26] & 15) != 0)
        return cel_fail(NC_EFILTER, "blosc2: this is the index of a sparse frame, whose chunks lie in other files");
    return CEL_OK;
}

int cel_b2_frame_read(const unsigned char *src, size_t n, size_t there, struct cel_b2_frame *out)
{
    struct cel_b2_frame f = {0};
    int rc;

    if (!cel_b2_is_frame(src, n) || n < CEL_B2_FRAME_HEADER)
        return cel_fail(NC_EFILTER, "blosc2: this is no frame");
    f.header = cel_get_be32(src + 11);
    f.size = (size_t)cel_get_be64(src + 16);
    if (f.header < CEL_B2_FRAME_HEADER + LAYERS_HEAD + LAYERS_END || f.header > n)
        return cel_fail(NC_EFILTER, "blosc2: the header of the frame says it has %zu bytes", f.header);
    rc = check_flags(src);
    if (rc == CEL_OK)
        rc = read_sizes(src, there, &f);
    f.compressor = (enum cel_b2_compressor)(src[27] & 15);
    f.level = src[27] >> 4;
    f.has_trailer_layers = src[68] == TRUE;
    memcpy(f.filter, src + 71, CEL_B2_FILTERS);
    memcpy(f.meta, src + 79, CEL_B2_FILTERS);
    if (rc == CEL_OK)
        rc = read_layers(src, f.header, CEL_B2_FRAME_HEADER, CEL_B2_LAYERS, f.layers, &f.nlayers);
    *out = f;
    return rc;
}

int cel_b2_frame_offset(const struct cel_b2_frame *f, uint64_t offset, size_t nbytes, size_t *at,
                        unsigned char special[CEL_B2_HEADER], bool *is_special)
{
    *is_special = offset >> 63;
    if (!*is_special) {
        if (offset >= f->cbytes)
            return cel_fail(NC_EFILTER, "blosc2: a chunk lies outside the frame");
        *at = f->header + (size_t)offset;
        return CEL_OK;
    }
    memset(special, 0, CEL_B2_HEADER);
    special[0] = 5;
    special[1] = 1;
    special[2] = 5; /* the long header */
    special[3] = (unsigned char)(f->elem > 255 ? 1 : f->elem);
    cel_put_le32(special + 4, (uint32_t)nbytes);
    cel_put_le32(special + 8, (uint32_t)nbytes);
    cel_put_le32(special + 12, CEL_B2_HEADER);
    special[31] = (unsigned char)((offset >> 56 & 7) << 4);
    return CEL_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

static size_t list_bytes(const struct cel_b2_layer *layers, size_t nlayers)
{
    size_t n = LAYERS_HEAD + LAYERS_END;

    for (size_t i = 0; i < nlayers; i++)
        n += NAME_HEAD + strlen(layers[i].name) + OFFSET_ITEM;
    return n;
}

static size_t layers_bytes(const struct cel_b2_layer *layers, size_t nlayers)
{
    size_t n = list_bytes(layers, nlayers);

    for (size_t i = 0; i < nlayers; i++)
        n += LAYER_HEAD + layers[i].len;
    return n;
}

static unsigned char *put_number(unsigned char *p, unsigned char marker, uint64_t v, size_t n)
{
    *p = marker;
    cel_put_be(p + 1, v, n);
    return p + 1 + n;
}

/* The list starts at dst + at, its offsets count from dst. Its size, which nobody needs, counts the first byte in
 * headers only. */
static unsigned char *put_layers(const struct cel_b2_layer *layers, size_t nlayers, unsigned char *dst, size_t at,
                                 bool is_header)
{
    size_t offset = at + list_bytes(layers, nlayers);
    unsigned char *p = dst + at;

    *p++ = FIXARRAY + 3;
    p = put_number(p, UINT16, list_bytes(layers, nlayers) - LAYERS_END - !is_header, 2);
    p = put_number(p, MAP16, nlayers, 2);
    for (size_t i = 0; i < nlayers; i++) {
        size_t len = strlen(layers[i].name);

        *p++ = (unsigned char)(FIXSTR + len);
        memcpy(p, layers[i].name, len);
        p = put_number(p + len, INT32, offset, 4);
        offset += LAYER_HEAD + layers[i].len;
    }
    p = put_number(p, ARRAY16, nlayers, 2);
    for (size_t i = 0; i < nlayers; i++) {
        p = put_number(p, BIN32, layers[i].len, 4);
        memcpy(p, layers[i].bytes, layers[i].len);
        p += layers[i].len;
    }
    return p;
}

size_t cel_b2_frame_header_bytes(const struct cel_b2_layer *layers, size_t nlayers)
{
    return CEL_B2_FRAME_HEADER + layers_bytes(layers, nlayers);
}

size_t cel_b2_frame_put(const struct cel_b2_frame *f, unsigned char *dst)
{
    size_t header = cel_b2_frame_header_bytes(f->layers, f->nlayers);
    unsigned char *p = dst;

    *p++ = FIXARRAY + 14;
    memcpy(p, magic, sizeof magic);
    p = put_number(p + sizeof magic, INT32, header, 4);
    p = put_number(p, UINT64, f->size, 8);
    *p++ = FIXSTR + 4;
    *p++ = OFFSETS_64 << 4 | VERSION_MAX;
    *p++ = 0;
    *p++ = (unsigned char)(f->level << 4 | f->compressor);
    *p++ = 3; /* whether to split blocks: as the writer sees fit */
    p = put_number(p, INT64, f->nbytes, 8);
    p = put_number(p, INT64, f->cbytes, 8);
    p = put_number(p, INT32, f->elem, 4);
    p = put_number(p, INT32, f->block, 4);
    p = put_number(p, INT32, f->chunk, 4);
    p = put_number(p, INT16, 0, 2); /* threads that wrote, threads to read with */
    p = put_number(p, INT16, 1, 2);
    *p++ = f->has_trailer_layers ? TRUE : FALSE;
    *p++ = FIXEXT16;
    *p++ = CEL_B2_FILTERS;
    memset(p, 0, 16);
    memcpy(p, f->filter, CEL_B2_FILTERS);
    p[CEL_B2_FILTERS] = (unsigned char)f->compressor;
    memcpy(p + 8, f->meta, CEL_B2_FILTERS);
    return (size_t)(put_layers(f->layers, f->nlayers, dst, CEL_B2_FRAME_HEADER, true) - dst);
}

size_t cel_b2_trailer_bytes(const struct cel_b2_layer *layers, size_t nlayers)
{
    return 2 + layers_bytes(layers, nlayers) + CEL_B2_FRAME_TAIL;
}

bool cel_b2_trailer_fits(const struct cel_b2_layer *layers, size_t nlayers)
{
    return list_bytes(layers, nlayers) <= UINT16_MAX && cel_b2_trailer_bytes(layers, nlayers) <= INT32_MAX;
}

size_t cel_b2_trailer_put(const struct cel_b2_layer *layers, size_t nlayers, unsigned char *dst)
{
    size_t len = cel_b2_trailer_bytes(layers, nlayers);
    unsigned char *p;

    dst[0] = FIXARRAY + 4;
    dst[1] = 1;
    p = put_layers(layers, nlayers, dst, 2, false);
    p = put_number(p, UINT32, len, 4);
    *p++ = FIXEXT16;
    memset(p, 0, 17);
    return len;
}
