/* lzma: the .xz and .lzma formats, as Python's lzma module writes them.
 *
 * HDF5 filter 32813 (an id of ours), Zarr v2 "lzma". Words: format (1 .xz, 2 .lzma),
 * check (-1: the format's own), preset (0-9; 6 unless given). Raw streams with
 * filters of their own (format 3) are refused.
 * {"id": "lzma", "format": 1, "check": -1, "preset": null, "filters": null} */
#include "codec.h"
#include "json.h"
#include "status.h"
#include <lzma.h>
#include <netcdf.h>

static const struct cel_param params[] = {
    {.name = "format", .kind = CEL_PARAM_UINT, .word = 0, .min = 1, .max = 2, .fallback = 1, .help = "1: .xz, 2: .lzma"},
    {.name = "check", .kind = CEL_PARAM_INT, .word = 1, .min = -1, .max = 10, .fallback = -1, .help = "kind of checksum; -1: the usual one"},
    {.name = "preset", .kind = CEL_PARAM_UINT, .word = 2, .min = 0, .max = 9, .fallback = 6, .help = "0 (fast) to 9 (small)"},
    {0},
};

static bool is_given(const struct cel_json *config, const char *key)
{
    const struct cel_json *v = cel_json_get(config, key);

    return v && cel_json_type(v) != CEL_JSON_NULL;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int64_t format = 1, check = -1, preset = 6;

    if (is_given(config, "filters") ||
        (is_given(config, "format") && (!cel_json_int(cel_json_get(config, "format"), true, &format) || format < 1 || format > 2)))
        return cel_fail(NC_EFILTER, "lzma: only formats 1 (.xz) and 2 (.lzma) without filters of their own are supported");
    if ((is_given(config, "check") && !cel_json_int(cel_json_get(config, "check"), true, &check)) ||
        (is_given(config, "preset") && !cel_json_int(cel_json_get(config, "preset"), true, &preset)))
        return cel_fail(NC_EFILTER, "lzma: check and preset must be whole numbers");
    *visible = (struct cel_words){3, {(uint32_t)format, (uint32_t)(int32_t)check, (uint32_t)(preset & 31)}};
    return CEL_OK;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "format", cel_json_new_uint(visible->w[0]));

    if (rc == CEL_OK)
        rc = cel_json_set(config, "check", cel_json_new_int((int32_t)visible->w[1]));
    if (rc == CEL_OK)
        rc = cel_json_set(config, "preset", cel_json_new_uint(visible->w[2]));
    return rc == CEL_OK ? cel_json_set(config, "filters", cel_json_new_null()) : rc;
}

static uint32_t word(const struct cel_coding *coding, size_t i, uint32_t usual)
{
    return coding->words->n > i ? coding->words->w[i] : usual;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return lzma_stream_buffer_bound(n) + n / 4 + 1024; /* .lzma has no stored blocks */
}

/* Run a prepared stream over the whole of src into dst. */
static lzma_ret run(lzma_stream *s, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    uint8_t nothing;
    lzma_ret answer;

    s->next_in = src;
    s->avail_in = n;
    s->next_out = cap ? dst : &nothing; /* liblzma makes no progress without any room */
    s->avail_out = cap ? cap : 1;
    answer = lzma_code(s, LZMA_FINISH);
    if (answer == LZMA_STREAM_END && s->avail_in)
        answer = LZMA_DATA_ERROR; /* bytes after the end */
    *len = (cap ? cap : 1) - s->avail_out;
    if (answer == LZMA_OK && s->avail_out == 0)
        *len = SIZE_MAX;
    lzma_end(s);
    return answer;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    int32_t check = (int32_t)word(coding, 1, (uint32_t)-1);
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_options_lzma options;
    lzma_ret answer;

    if (word(coding, 0, 1) == 1) {
        answer = lzma_easy_encoder(&s, word(coding, 2, 6), check < 0 ? LZMA_CHECK_CRC64 : (lzma_check)check);
    } else {
        lzma_lzma_preset(&options, word(coding, 2, 6));
        answer = lzma_alone_encoder(&s, &options);
    }
    if (answer == LZMA_OK)
        answer = run(&s, src, n, dst, cap, len);
    if (answer == LZMA_MEM_ERROR)
        return cel_fail(NC_ENOMEM, "lzma: no memory for a compressor");
    return answer == LZMA_STREAM_END ? CEL_OK : cel_fail(NC_EFILTER, "lzma: cannot compress %zu bytes (error %d)", n, answer);
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_ret answer = word(coding, 0, 1) == 1 ? lzma_stream_decoder(&s, UINT64_C(1) << 30, 0)
                                              : lzma_alone_decoder(&s, UINT64_C(1) << 30);

    if (answer == LZMA_OK)
        answer = run(&s, src, n, dst, cap, len);
    if (answer == LZMA_STREAM_END && *len > cap)
        answer = LZMA_DATA_ERROR;
    if (answer == LZMA_MEM_ERROR || answer == LZMA_MEMLIMIT_ERROR)
        return cel_fail(NC_ENOMEM, "lzma: no memory for a decompressor");
    return answer == LZMA_STREAM_END ? CEL_OK : cel_fail(NC_EFILTER, "lzma: the chunk is damaged (error %d)", answer);
}

const struct cel_codec cel_codec_lzma = {
    .name = "lzma", .hdf5_id = 32813, .label = "lzma", .zarr2 = "lzma", .zarr3 = "numcodecs.lzma",
    .about = "LZMA: small, slow", .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = 3, .bound = bound,
    .to_json = to_json, .from_json = from_json, .encode = encode, .decode = decode,
};
