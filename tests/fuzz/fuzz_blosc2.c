/* SPDX-License-Identifier: BSD-3-Clause */
/* Blosc2: a frame or chunk of any bytes is values or an error, as a chunk of HDF5 and as a file; a part of an array is
 * what the whole has there, and what is encoded is decoded to the same. An input is
 *   how(1) start(1) count(1) frame or chunk
 *   how(1) compressor(1) level(1) elem(1) block(1) filter(1 each of 6) meta(1 each of 6) values     how is odd */
#include "b2_array.h"
#include "b2_frame.h"
#include "bytes.h"
#include "codec.h"
#include "status.h"
#include "read_all.h"
#include "target.h"
#include <string.h>

enum { MOST = 1 << 16, DECODE_HEAD = 3, ENCODE_HEAD = 5 + 2 * CEL_B2_FILTERS };

extern const struct cel_codec cel_codec_blosc2;

static const struct cel_words words;
static struct cel_coding coding = {.codec = &cel_codec_blosc2, .words = &words};
static struct cel_b2_work *work;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    cellar_set_threads(1);
    work = cel_b2_work_make();
    FUZZ_EXPECT(work && cel_codec_blosc2.make_context(&words, &coding.context) == CEL_OK, "no memory");
    return 0;
}

/* One axis after the other: which part of it is asked for. */
static bool choose_part(const struct cel_b2_array *a, unsigned start, unsigned count, size_t *from, size_t *many)
{
    size_t n = a->elem;

    for (int d = 0; d < a->rank; d++) {
        if (a->shape[d] == 0)
            return false;
        from[d] = (start + (size_t)d * 7) % a->shape[d];
        many[d] = 1 + (count + (size_t)d * 5) % (a->shape[d] - from[d]);
        n *= many[d];
    }
    return n <= MOST;
}

static void compare_part(const struct cel_b2_array *a, const uint8_t *whole, const size_t *from, const size_t *many,
                         const uint8_t *part)
{
    size_t total = 1;

    for (int d = 0; d < a->rank; d++)
        total *= many[d];
    for (size_t i = 0; i < total; i++) {
        size_t rest = i, at = 0, stride = 1;

        for (int d = a->rank; d-- > 0; rest /= many[d], stride *= a->shape[d])
            at += (from[d] + rest % many[d]) * stride;
        FUZZ_EXPECT(memcmp(part + i * a->elem, whole + at * a->elem, a->elem) == 0, "element %zu of the part", i);
    }
}

/* Whether the offset of the frame's one chunk is 0, so that it follows the header; other frames are not looked at. */
static bool is_first(const struct cel_b2_frame *frame, const uint8_t *src)
{
    size_t at = frame->header + frame->cbytes, len = 0;
    uint8_t offset[8], zero[8] = {0};

    return cel_codec_blosc2.decode(&coding, src + at, cel_get_le32(src + at + 12), offset, sizeof offset, &len) ==
               CEL_OK &&
           memcmp(offset, zero, sizeof zero) == 0;
}

static void decode_part(const uint8_t *src, size_t n, const uint8_t *whole, unsigned start, unsigned count)
{
    size_t from[CEL_B2_RANK], many[CEL_B2_RANK];
    struct cel_b2_frame frame;
    struct cel_b2_array array;
    const struct cel_b2_layer *layer;
    uint8_t *part;

    if (cel_b2_frame_read(src, n, n, &frame) != CEL_OK || !(layer = cel_b2_frame_layer(&frame, "b2nd")) ||
        cel_b2_array_read(layer->bytes, layer->len, frame.elem, &array) != CEL_OK || array.rank == 0 ||
        frame.cbytes == 0 || !is_first(&frame, src) || !choose_part(&array, start, count, from, many))
        return;
    part = malloc(MOST);
    if (cel_b2_array_decode(work, &array, src + frame.header, frame.cbytes, from, many, part) == CEL_OK)
        compare_part(&array, whole, from, many, part);
    free(part);
}

static void decode(const uint8_t *data, size_t n)
{
    uint8_t *src = malloc(n - DECODE_HEAD + 1), *dst = malloc(MOST);
    size_t len = 0;

    n -= DECODE_HEAD;
    memcpy(src, data + DECODE_HEAD, n);
    if (cel_codec_blosc2.decode(&coding, src, n, dst, MOST, &len) == CEL_OK) {
        FUZZ_EXPECT(len <= MOST, "%zu bytes", len);
        FUZZ_EXPECT(cel_codec_blosc2.decoded_size(&coding, src, n) == len, "%zu bytes", len);
        if (cel_b2_is_frame(src, n) && len > 0)
            decode_part(src, n, dst, data[1], data[2]);
    }
    cel_error_clear();
    if (cel_b2_is_frame(src, n))
        read_memory(src, n);
    free(src);
    free(dst);
}

static bool is_lossy(const struct cel_b2_options *o)
{
    for (int i = 0; i < CEL_B2_FILTERS; i++)
        if (o->filter[i] == CEL_B2_TRUNC_PREC || o->filter[i] == CEL_B2_INT_TRUNC || o->filter[i] == CEL_B2_NDMEAN)
            return true;
    return false;
}

static void encode(const uint8_t *data, size_t n)
{
    struct cel_b2_options o = {.compressor = data[1] % 6, .level = data[2] % 10, .elem = data[3] % 40 + 1};
    const uint8_t *values = data + ENCODE_HEAD;
    uint8_t *encoded, *back;
    struct cel_b2_header h;
    size_t len = 0;

    n -= ENCODE_HEAD;
    o.block = (size_t)(data[4] + 1) * o.elem;
    memcpy(o.filter, data + 5, CEL_B2_FILTERS);
    memcpy(o.meta, data + 5 + CEL_B2_FILTERS, CEL_B2_FILTERS);
    o.shape = (struct cel_b2_block_shape){.rank = 2, .dims = {1, (size_t)data[4] + 1}, .elem = o.elem};
    encoded = malloc(cel_b2_bound(n));
    back = malloc(n + 1);
    if (cel_b2_encode(work, &o, values, n, encoded, &len) == CEL_OK) {
        FUZZ_EXPECT(len <= cel_b2_bound(n) && cel_b2_header_read(encoded, len, &h) == CEL_OK && h.nbytes == n &&
                        h.cbytes == len,
                    "%s", cel_error_text());
        FUZZ_EXPECT(n == 0 || cel_b2_decode_blocks(work, &h, encoded, &o.shape, 0, h.nblocks, back) == CEL_OK, "%s",
                    cel_error_text());
        FUZZ_EXPECT(is_lossy(&o) || memcmp(back, values, n) == 0, "other values");
    }
    cel_error_clear();
    free(encoded);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n >= ENCODE_HEAD && data[0] & 1)
        encode(data, n);
    else if (n >= DECODE_HEAD)
        decode(data, n);
    return 0;
}
