/* SPDX-License-Identifier: BSD-3-Clause */
/* lzma: the .xz and .lzma formats and raw streams, as Python's lzma module writes them.
 *
 * HDF5 filter 32813 (an id of ours), Zarr v2 "lzma". Words: format (1 .xz, 2 .lzma, 3 raw, which is LZMA2
 * unless filters say otherwise); check (-1: the format's default); preset (0 to 9, default 6; 16 added:
 * extreme); then, where "filters" are given (raw streams need them), their number and FILTER_WORDS words
 * for each.
 * {"id": "lzma", "format": 1, "check": -1, "preset": null, "filters": null} */
#include "codec.h"
#include "json.h"
#include "status.h"
#include <lzma.h>
#include <netcdf.h>
#include <string.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "format", .kind = CEL_PARAM_UINT, .word = 0, .min = 1, .max = 3, .fallback = 1, .help = "1: .xz, 2: .lzma, 3: raw"},
    {.name = "check", .kind = CEL_PARAM_INT, .word = 1, .min = -1, .max = 10, .fallback = -1, .help = "kind of checksum; -1: the usual one"},
    {.name = "preset", .kind = CEL_PARAM_UINT, .word = 2, .min = 0, .max = 25, .fallback = 6, .help = "0 (fast) to 9 (small); 16 more: slower still"},
    {0},
};
/* clang-format on */

static bool is_given(const struct cel_json *config, const char *key)
{
    const struct cel_json *v = cel_json_get(config, key);

    return v && cel_json_type(v) != CEL_JSON_NULL;
}

/* --- filters of a stream, as words -------------------------------------------------------- */

enum { FILTERS_AT = 3, FILTER_WORDS = 10, FILTERS_MAX = 4, WORDS_MAX = FILTERS_AT + 1 + FILTERS_MAX * FILTER_WORDS };
#define NOT_GIVEN UINT32_MAX

/* Word 0 is the filter's id (1 for LZMA1, whose own id takes 64 bits); the others by key. */
static const char *const filter_keys[FILTER_WORDS] = {"id", "preset", "dict_size", "lc", "lp",
                                                      "pb", "mode",   "nice_len",  "mf", "depth"};

static bool is_lzma(uint32_t id)
{
    return id == 1 || id == (uint32_t)LZMA_FILTER_LZMA2;
}

/* delta has a distance, and the filters of machine code an offset, in the place of the preset. */
static const char *key_of(uint32_t id, int i)
{
    if (i == 0 || is_lzma(id))
        return filter_keys[i];
    return i > 1 ? NULL : id == (uint32_t)LZMA_FILTER_DELTA ? "dist" : "start_offset";
}

static int filter_from_json(const struct cel_json *filter, uint32_t *w)
{
    uint64_t id;

    if (!cel_json_uint(cel_json_get(filter, "id"), true, &id))
        return cel_fail(NC_EFILTER, "lzma: a filter has no id");
    w[0] = id == LZMA_FILTER_LZMA1 ? 1 : (uint32_t)id;
    for (int i = 1; i < FILTER_WORDS; i++) {
        const char *key = key_of(w[0], i);
        uint64_t v = NOT_GIVEN;
        if (key && is_given(filter, key) && !cel_json_uint(cel_json_get(filter, key), true, &v))
            return cel_fail(NC_EFILTER, "lzma: %s of a filter must be a number", key);
        w[i] = v & LZMA_PRESET_EXTREME && i == 1 && is_lzma(w[0]) ? (uint32_t)(v & 15) | 16 : (uint32_t)v;
        if (v == NOT_GIVEN)
            w[i] = NOT_GIVEN;
    }
    return CEL_OK;
}

static int filters_from_json(const struct cel_json *list, struct cel_words *visible)
{
    size_t n = cel_json_count(list);
    int rc = CEL_OK;

    if (cel_json_type(list) != CEL_JSON_ARRAY || n == 0 || n > FILTERS_MAX)
        return cel_fail(NC_EFILTER, "lzma: filters must be a list of 1 to %d", FILTERS_MAX);
    visible->w[FILTERS_AT] = (uint32_t)n;
    visible->n = FILTERS_AT + 1 + n * FILTER_WORDS;
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = filter_from_json(cel_json_item(list, i), visible->w + FILTERS_AT + 1 + i * FILTER_WORDS);
    return rc;
}

static int filter_to_json(const uint32_t *w, struct cel_json **out)
{
    struct cel_json *object = cel_json_new_object();
    int rc = object ? cel_json_set(object, "id", cel_json_new_uint(w[0] == 1 ? LZMA_FILTER_LZMA1 : w[0])) : NC_ENOMEM;

    for (int i = 1; rc == CEL_OK && i < FILTER_WORDS; i++) {
        bool extreme = i == 1 && is_lzma(w[0]) && w[i] & 16;
        if (w[i] != NOT_GIVEN && key_of(w[0], i))
            rc = cel_json_set(object, key_of(w[0], i),
                              cel_json_new_uint(extreme ? (w[i] & 15) | LZMA_PRESET_EXTREME : w[i]));
    }
    *out = object;
    if (rc != CEL_OK)
        cel_json_free(object);
    return rc;
}

static size_t count_filters(const struct cel_words *w)
{
    size_t n = w->n > FILTERS_AT ? w->w[FILTERS_AT] : 0;

    return n <= FILTERS_MAX && w->n >= FILTERS_AT + 1 + n * FILTER_WORDS ? n : 0;
}

static int filters_to_json(const struct cel_words *w, struct cel_json *config)
{
    struct cel_json *list = count_filters(w) ? cel_json_new_array() : cel_json_new_null(), *object;
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < count_filters(w); i++) {
        rc = filter_to_json(w->w + FILTERS_AT + 1 + i * FILTER_WORDS, &object);
        if (rc == CEL_OK)
            rc = cel_json_push(list, object);
    }
    if (rc == CEL_OK)
        return cel_json_set(config, "filters", list);
    cel_json_free(list);
    return rc;
}

/* The same for liblzma: what one filter's options point to. */
union filter_options {
    lzma_options_lzma lzma;
    lzma_options_delta delta;
    lzma_options_bcj bcj;
};

/* Presets are 0 to 9, and 16 more for the extreme ones. */
static uint32_t liblzma_preset(uint32_t preset)
{
    return (preset & 15) | (preset & 16 ? LZMA_PRESET_EXTREME : 0);
}

/* false: there is no such preset. */
static bool preset_options(uint32_t preset, lzma_options_lzma *o)
{
    return !lzma_lzma_preset(o, liblzma_preset(preset));
}

static bool lzma_options(const uint32_t *w, lzma_options_lzma *o)
{
    if (!preset_options(w[1] == NOT_GIVEN ? LZMA_PRESET_DEFAULT : w[1], o))
        return false;
    if (w[2] != NOT_GIVEN)
        o->dict_size = w[2];
    o->lc = w[3] != NOT_GIVEN ? w[3] : o->lc;
    o->lp = w[4] != NOT_GIVEN ? w[4] : o->lp;
    o->pb = w[5] != NOT_GIVEN ? w[5] : o->pb;
    o->mode = w[6] != NOT_GIVEN ? (lzma_mode)w[6] : o->mode;
    o->nice_len = w[7] != NOT_GIVEN ? w[7] : o->nice_len;
    o->mf = w[8] != NOT_GIVEN ? (lzma_match_finder)w[8] : o->mf;
    o->depth = w[9] != NOT_GIVEN ? w[9] : o->depth;
    return true;
}

/* false: the words name none. */
static bool make_filters(const struct cel_words *words, lzma_filter *filter, union filter_options *options)
{
    size_t n = count_filters(words);

    if (!n && words->n && words->w[0] == 3) { /* a raw stream needs one */
        filter[0] = (lzma_filter){.id = LZMA_FILTER_LZMA2, .options = &options[0]};
        filter[1] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
        return preset_options(words->n > 2 ? words->w[2] : 6, &options[0].lzma);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t *w = words->w + FILTERS_AT + 1 + i * FILTER_WORDS;

        filter[i] = (lzma_filter){.id = w[0] == 1 ? LZMA_FILTER_LZMA1 : w[0], .options = &options[i]};
        memset(&options[i], 0, sizeof options[i]);
        if (is_lzma(w[0])) {
            if (!lzma_options(w, &options[i].lzma))
                return false;
        } else if (w[0] == LZMA_FILTER_DELTA) {
            options[i].delta = (lzma_options_delta){.type = LZMA_DELTA_TYPE_BYTE, .dist = w[1] == NOT_GIVEN ? 1 : w[1]};
        } else {
            options[i].bcj.start_offset = w[1] == NOT_GIVEN ? 0 : w[1];
        }
    }
    filter[n] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
    return n > 0;
}

/* --- JSON --------------------------------------------------------------------------------- */

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int64_t format = 1, check = -1, preset = 6;

    if ((is_given(config, "format") &&
         (!cel_json_int(cel_json_get(config, "format"), true, &format) || format < 1 || format > 3)))
        return cel_fail(NC_EFILTER, "lzma: the formats are 1 (.xz), 2 (.lzma) and 3 (raw)");
    if ((is_given(config, "check") && !cel_json_int(cel_json_get(config, "check"), true, &check)) ||
        (is_given(config, "preset") && !cel_json_int(cel_json_get(config, "preset"), true, &preset)))
        return cel_fail(NC_EFILTER, "lzma: check and preset must be whole numbers");
    preset = (preset & 15) | (preset & (int64_t)LZMA_PRESET_EXTREME || preset & 16 ? 16 : 0);
    *visible = (struct cel_words){3, {(uint32_t)format, (uint32_t)(int32_t)check, (uint32_t)preset}};
    return is_given(config, "filters") ? filters_from_json(cel_json_get(config, "filters"), visible) : CEL_OK;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "format", cel_json_new_uint(visible->w[0]));

    if (rc == CEL_OK)
        rc = cel_json_set(config, "check", cel_json_new_int((int32_t)visible->w[1]));
    if (rc == CEL_OK) /* Python takes a preset or filters, not both */
        rc = cel_json_set(config, "preset",
                          count_filters(visible) ? cel_json_new_null()
                                                 : cel_json_new_uint(liblzma_preset(visible->w[2])));
    return rc == CEL_OK ? filters_to_json(visible, config) : rc;
}

static int check_words(const struct cel_words *visible)
{
    if (visible->n > 2 && (visible->w[2] & 15) > 9)
        return cel_fail(NC_EFILTER, "lzma: preset must be 0 to 9, or 16 more");
    if (visible->n > FILTERS_AT && !count_filters(visible))
        return cel_fail(NC_EFILTER, "lzma: %zu words do not hold the filters they announce", visible->n);
    return CEL_OK;
}

/* --- streams ------------------------------------------------------------------------------ */

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
    s->next_out = cap ? dst : &nothing; /* liblzma makes no progress with an empty output buffer */
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

static lzma_ret start_encoder(const struct cel_coding *coding, lzma_stream *s)
{
    int32_t asked = (int32_t)word(coding, 1, (uint32_t)-1);
    lzma_check check = asked < 0 ? LZMA_CHECK_CRC64 : (lzma_check)asked;
    uint32_t preset = word(coding, 2, 6), format = word(coding, 0, 1);
    lzma_filter filter[FILTERS_MAX + 1];
    union filter_options options[FILTERS_MAX];

    if (make_filters(coding->words, filter, options))
        return format == 3   ? lzma_raw_encoder(s, filter)
               : format == 2 ? lzma_alone_encoder(s, filter[0].options)
                             : lzma_stream_encoder(s, filter, check);
    if (format == 1)
        return lzma_easy_encoder(s, liblzma_preset(preset), check);
    return format == 2 && preset_options(preset, &options[0].lzma) ? lzma_alone_encoder(s, &options[0].lzma)
                                                                   : LZMA_OPTIONS_ERROR;
}

/* A dictionary larger than the chunk would only take memory. */
static void shrink_windows(lzma_filter *filter, size_t bytes)
{
    for (; filter->id != LZMA_VLI_UNKNOWN; filter++) {
        lzma_options_lzma *o = filter->options;

        if ((filter->id == LZMA_FILTER_LZMA1 || filter->id == LZMA_FILTER_LZMA2) && o->dict_size > bytes)
            o->dict_size = bytes > LZMA_DICT_SIZE_MIN ? (uint32_t)bytes : LZMA_DICT_SIZE_MIN;
    }
}

static lzma_ret start_decoder(const struct cel_coding *coding, lzma_stream *s, size_t bytes)
{
    const uint64_t most = UINT64_C(1) << 30;
    uint32_t format = word(coding, 0, 1);
    lzma_filter filter[FILTERS_MAX + 1];
    union filter_options options[FILTERS_MAX];

    if (format < 3)
        return format == 1 ? lzma_stream_decoder(s, most, 0) : lzma_alone_decoder(s, most);
    if (!make_filters(coding->words, filter, options))
        return LZMA_OPTIONS_ERROR;
    shrink_windows(filter, bytes);
    return lzma_raw_decoder_memusage(filter) > most ? LZMA_MEMLIMIT_ERROR : lzma_raw_decoder(s, filter);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_ret answer = start_encoder(coding, &s);

    if (answer == LZMA_OK)
        answer = run(&s, src, n, dst, cap, len);
    if (answer == LZMA_MEM_ERROR)
        return cel_fail(NC_ENOMEM, "lzma: no memory for a compressor");
    return answer == LZMA_STREAM_END ? CEL_OK
                                     : cel_fail(NC_EFILTER, "lzma: cannot compress %zu bytes (error %d)", n, answer);
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_ret answer = start_decoder(coding, &s, cap);

    if (answer == LZMA_OK)
        answer = run(&s, src, n, dst, cap, len);
    if (answer == LZMA_STREAM_END && *len > cap)
        answer = LZMA_DATA_ERROR;
    if (answer == LZMA_MEM_ERROR || answer == LZMA_MEMLIMIT_ERROR)
        return cel_fail(NC_ENOMEM, "lzma: no memory for a decompressor");
    return answer == LZMA_STREAM_END ? CEL_OK : cel_fail(NC_EFILTER, "lzma: the chunk is damaged (error %d)", answer);
}

/* clang-format off */
const struct cel_codec cel_codec_lzma = {
    .name = "lzma", .hdf5_id = 32813, .label = "lzma", .zarr2 = "lzma", .zarr3 = "numcodecs.lzma",
    .about = "LZMA: small, slow", .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = WORDS_MAX, .bound = bound,
    .check = check_words, .to_json = to_json, .from_json = from_json, .encode = encode, .decode = decode,
};
/* clang-format on */
