/* SPDX-License-Identifier: BSD-3-Clause */
/* Every codec with hostile words: a chunk decoded from any bytes, or one encoded and
 * decoded again, which must give the same values where the codec is lossless. */
#include "fuzz_codec.h"
#include "chain.h"
#include "buf.h"
#include "status.h"
#include "target.h"
#include <string.h>

struct input {
    const uint8_t *p;
    size_t n;
};

static unsigned take(struct input *in)
{
    if (in->n == 0)
        return 0;
    in->n--;
    return *in->p++;
}

static void take_bytes(struct input *in, void *out, size_t n)
{
    size_t have = n < in->n ? n : in->n;

    memset(out, 0, n);
    if (have)
        memcpy(out, in->p, have);
    in->p += have;
    in->n -= have;
}

static void take_shape(struct input *in, unsigned flags, struct cel_shape *s)
{
    unsigned element = take(in);

    *s = (struct cel_shape){.kind = (enum cel_kind)((flags & FUZZ_KIND) % (CEL_KIND_CHAR + 1)),
                            .big_endian = flags & FUZZ_BIG,
                            .has_fill = flags & FUZZ_FILL};
    s->elem_size = flags & FUZZ_ODD ? element % 40 + 1 : (size_t)1 << element % 4;
    s->rank = (int)(take(in) % FUZZ_RANK);
    s->nbytes = s->elem_size;
    for (int d = 0; d < s->rank; d++) {
        size_t len = take(in);

        s->dims[d] = len == 0 || s->nbytes * len > FUZZ_CHUNK ? 1 : len;
        s->nbytes *= s->dims[d];
    }
    if (s->has_fill)
        take_bytes(in, s->fill, sizeof s->fill);
    s->has_fill = s->has_fill && s->elem_size <= sizeof s->fill;
}

static size_t take_words(struct input *in, unsigned *words)
{
    size_t n = take(in) % FUZZ_WORDS;

    for (size_t i = 0; i < n; i++)
        take_bytes(in, &words[i], sizeof words[i]);
    return n;
}

static struct cel_scratch *scratch;

/* An exact copy on each side: a byte too far is seen. */
static void decode(const struct cel_chain *c, const struct input *in)
{
    void *src = malloc(in->n ? in->n : 1), *dst = malloc(c->shape.nbytes);
    struct cel_buf any = CEL_BUF_INIT(2 * FUZZ_CHUNK);

    memcpy(src, in->p, in->n);
    if (cel_chain_plausible(c, in->n, 0) == CEL_OK)
        cel_chain_decode(c, scratch, src, in->n, 0, dst);
    cel_chain_decode_any(c, scratch, src, in->n, &any);
    cel_buf_dispose(&any);
    free(src);
    free(dst);
}

static void there_and_back(const struct cel_chain *c, struct input *in)
{
    size_t n = c->shape.nbytes, coded;
    unsigned char *values = malloc(n), *back = malloc(n), *copy;
    const void *out;
    uint32_t skipped;

    take_bytes(in, values, n);
    if (cel_chain_encode(c, scratch, values, n, &out, &coded, &skipped) == CEL_OK) {
        FUZZ_EXPECT(coded <= cel_chain_bound(c), "%zu bytes, at most %zu were announced", coded, cel_chain_bound(c));
        copy = malloc(coded ? coded : 1);
        memcpy(copy, out, coded);
        FUZZ_EXPECT(cel_chain_plausible(c, coded, skipped) == CEL_OK, "%s", cel_error_text());
        FUZZ_EXPECT(cel_chain_decode(c, scratch, copy, coded, skipped, back) == CEL_OK, "%s", cel_error_text());
        FUZZ_EXPECT(cel_chain_is_lossy(c) || memcmp(values, back, n) == 0, "%s", c->step[0].codec->name);
        free(copy);
    }
    free(values);
    free(back);
}

/* What a file says is kept as it is, what a user says is checked first. */
static int make_step(const struct cel_codec *codec, unsigned flags, size_t n, const unsigned *words,
                     struct cel_step *out)
{
    int rc = flags & FUZZ_ENCODE ? cel_step_make(codec->hdf5_id, n, words, out)
                                 : cel_step_from_file(codec->hdf5_id, flags & FUZZ_OPTIONAL, n, words, out);

    if (rc == CEL_OK)
        out->codec = codec; /* those of Zarr alone share an id */
    return rc;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cel_scratch_make(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct input in = {data, n};
    unsigned words[FUZZ_WORDS], flags;
    const struct cel_codec *codec;
    struct cel_chain c = {0};
    struct cel_shape shape;
    struct cel_step step;
    size_t codecs = 0, nwords;

    while (cel_codec_at(codecs))
        codecs++;
    codec = cel_codec_at(take(&in) % codecs);
    flags = take(&in);
    take_shape(&in, flags, &shape);
    nwords = take_words(&in, words);
    if (make_step(codec, flags, nwords, words, &step) != CEL_OK)
        return 0;
    if (cel_chain_insert(&c, SIZE_MAX, &step) == CEL_OK && cel_chain_usable(&c) == CEL_OK &&
        cel_chain_prepare(&c, &shape, !(flags & FUZZ_ENCODE)) == CEL_OK) {
        if (flags & FUZZ_ENCODE)
            there_and_back(&c, &in);
        else
            decode(&c, &in);
    }
    cel_chain_dispose(&c);
    return 0;
}
