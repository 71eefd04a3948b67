/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a chain: encoding and decoding a chunk.
 *
 * Encoding runs the steps first to last, decoding last to first. Each step reads
 * one half of the scratch and writes the other, so a chain of any length costs
 * two buffers per worker and no allocation per step. Where the size of a chunk before
 * a step is known, the decoder's output buffer has exactly that size: damaged data
 * cannot make it larger. */
#include "buf.h"
#include "chain.h"
#include "kernels.h"
#include "mem.h"
#include "status.h"
#include "trace.h"
#include <assert.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS_MAX 16

struct kept_context {
    const struct cel_codec *codec;
    struct cel_words words;
    void *context;
};

struct cel_scratch {
    char *half[2];
    size_t cap[2];
    struct kept_context kept[CONTEXTS_MAX];
    size_t nkept;
    size_t oldest; /* the one to be replaced when all are in use */
    cel_share_fn *share;
};

int cel_scratch_make(struct cel_scratch **out)
{
    *out = cel_calloc(1, sizeof **out);
    return *out ? CEL_OK : NC_ENOMEM;
}

void cel_scratch_share(struct cel_scratch *scratch, cel_share_fn *share)
{
    scratch->share = share;
}

void cel_scratch_free(struct cel_scratch *scratch)
{
    if (!scratch)
        return;
    for (size_t i = 0; i < scratch->nkept; i++)
        scratch->kept[i].codec->free_context(scratch->kept[i].context);
    free(scratch->half[0]);
    free(scratch->half[1]);
    free(scratch);
}

/* What a half held before is of no use any more, so it is not copied. */
static int reserve(struct cel_scratch *scratch, int half, size_t cap)
{
    if (scratch->cap[half] >= cap && scratch->half[half])
        return CEL_OK;
    free(scratch->half[half]);
    scratch->cap[half] = 0;
    scratch->half[half] = cel_malloc(cap);
    if (!scratch->half[half])
        return NC_ENOMEM;
    scratch->cap[half] = cap;
    return CEL_OK;
}

static bool same_words(const struct cel_words *a, const struct cel_words *b)
{
    return a->n == b->n && memcmp(a->w, b->w, a->n * sizeof *a->w) == 0;
}

static struct kept_context *slot_for_context(struct cel_scratch *scratch)
{
    struct kept_context *kept;

    if (scratch->nkept < CONTEXTS_MAX)
        return &scratch->kept[scratch->nkept++];
    kept = &scratch->kept[scratch->oldest];
    scratch->oldest = (scratch->oldest + 1) % CONTEXTS_MAX;
    kept->codec->free_context(kept->context);
    return kept;
}

/* This worker's context for a codec with these words, made on first need. */
static int context_of(struct cel_scratch *scratch, const struct cel_step *step, void **out)
{
    void *context = NULL;
    int rc;

    *out = NULL;
    if (!step->codec->make_context)
        return CEL_OK;
    for (size_t i = 0; i < scratch->nkept; i++)
        if (scratch->kept[i].codec == step->codec && same_words(&scratch->kept[i].words, &step->working)) {
            *out = scratch->kept[i].context;
            return CEL_OK;
        }
    rc = step->codec->make_context(&step->working, &context);
    if (rc != CEL_OK)
        return rc;
    *slot_for_context(scratch) = (struct kept_context){step->codec, step->working, context};
    *out = context;
    return CEL_OK;
}

static struct cel_coding coding_of(const struct cel_chain *c, size_t i)
{
    return (struct cel_coding){.codec = c->step[i].codec,
                               .words = &c->step[i].working,
                               .shape = &c->shape,
                               .in_chain = true,
                               .before = i,
                               .maskless = c->maskless};
}

/* Most bytes step i makes of n; exactly as many when its size is known. */
static size_t bound_of(const struct cel_chain *c, size_t i, size_t n)
{
    struct cel_coding coding = coding_of(c, i);

    return coding.codec->bound ? coding.codec->bound(&coding, n) : n;
}

/* No chunk grows beyond this anywhere along its chain. Bounds multiply from step to
 * step, so without a limit a file that names 32 filters could ask for any memory. */
static size_t limit_of(const struct cel_chain *c)
{
    size_t most;

    return cel_mul(c->shape.nbytes, 16, &most) && cel_add(most, 1 << 20, &most) ? most : SIZE_MAX;
}

static size_t limited(const struct cel_chain *c, size_t n)
{
    return n < limit_of(c) ? n : limit_of(c);
}

static bool keeps_size_known(const struct cel_codec *codec)
{
    return codec->flags & (CEL_CODEC_SAME_SIZE | CEL_CODEC_CHECKSUM);
}

static bool is_skipped(uint32_t skipped, size_t i)
{
    return skipped >> i & 1;
}

size_t cel_chain_bound(const struct cel_chain *c)
{
    size_t n = c->shape.nbytes, most = n;

    /* Any step may be skipped, so the bound of the whole is that of the worst prefix. */
    for (size_t i = 0; i < c->n; i++) {
        size_t longer = c->step[i].codec ? limited(c, bound_of(c, i, most)) : most;

        if (longer > most)
            most = longer;
    }
    return most;
}

/* The first step that runs writes half 0, so the source may lie in half 1; the one after
 * it no longer needs the source. */
int cel_scratch_input(struct cel_scratch *scratch, const struct cel_chain *c, void **out)
{
    int rc = reserve(scratch, 1, cel_chain_bound(c));

    *out = scratch->half[1];
    return rc;
}

/* Sizes along the chain as a decoder may know them: most[i] bytes go into step i
 * when encoding, exactly as many when exact[i]. */
struct sizes {
    size_t most[CEL_CHAIN_MAX];
    bool exact[CEL_CHAIN_MAX];
};

static void find_sizes(const struct cel_chain *c, uint32_t skipped, struct sizes *s)
{
    size_t n = c->shape.nbytes;
    bool exact = true;

    for (size_t i = 0; i < c->n; i++) {
        s->most[i] = n;
        s->exact[i] = exact;
        if (is_skipped(skipped, i))
            continue;
        n = limited(c, bound_of(c, i, n));
        exact = exact && keeps_size_known(c->step[i].codec);
    }
}

static int filter_error(int rc, const struct cel_step *step)
{
    return rc < 0 ? cel_fail_part(rc, CEL_IN_FILTER, "%s", step->codec->name) : rc;
}

/* The bytes of a chunk between two steps of encoding. */
struct moving {
    const void *at;
    size_t n;
    size_t planes; /* what the last shuffle left; 0: nothing */
};

static int not_optional(const struct cel_step *step)
{
    return cel_fail(NC_EFILTER, "%s: it cannot encode this chunk, and here a filter cannot be left out for one chunk",
                    step->codec->name);
}

/* Encode into one half of the scratch; CEL_SKIP leaves the chunk where it is. */
static int encode_step(const struct cel_chain *c, size_t i, struct cel_scratch *scratch, int half, struct moving *m)
{
    const struct cel_step *step = &c->step[i];
    struct cel_coding coding = coding_of(c, i);
    size_t cap = bound_of(c, i, m->n), len = 0;
    int rc = reserve(scratch, half, cap);

    CEL_TRACE(CEL_TRACE_ENCODE, .name = step->codec->name, .nbytes = m->n);
    coding.planes = m->planes;
    if (rc == CEL_OK)
        rc = context_of(scratch, step, &coding.context);
    if (rc == CEL_OK)
        rc = step->codec->encode(&coding, m->at, m->n, scratch->half[half], cap, &len);
    if (rc == CEL_SKIP && !step->optional)
        rc = not_optional(step);
    if (rc == CEL_OK && len > limit_of(c))
        rc = cel_fail(NC_EFILTER, "%s: a chunk of %zu bytes becomes %zu", step->codec->name, c->shape.nbytes, len);
    if (rc != CEL_OK)
        return filter_error(rc, step);
    assert(len <= cap);
    *m = (struct moving){scratch->half[half], len,
                         step->codec->flags & CEL_CODEC_PLANES && step->working.n ? step->working.w[0] : 0};
    return CEL_OK;
}

/* Step i and the shuffle behind it in one pass, where both are such; CEL_SKIP: they are not. */
static int encode_two(const struct cel_chain *c, size_t i, struct cel_scratch *scratch, int half, struct moving *m)
{
    const struct cel_step *step = &c->step[i], *next = step + 1;
    struct cel_coding coding = coding_of(c, i);
    size_t size;
    int rc;

    if (i + 1 >= c->n || !step->codec->encode_planes || !(next->codec->flags & CEL_CODEC_PLANES) || !next->working.n)
        return CEL_SKIP;
    size = next->working.w[0];
    CEL_TRACE(CEL_TRACE_ENCODE, .name = step->codec->name, .nbytes = m->n);
    rc = size > 1 ? reserve(scratch, half, m->n) : CEL_SKIP;
    if (rc == CEL_OK)
        rc = step->codec->encode_planes(&coding, m->at, m->n, size, scratch->half[half]);
    if (rc == CEL_OK)
        *m = (struct moving){scratch->half[half], m->n, size};
    return rc == CEL_SKIP ? rc : filter_error(rc, step);
}

int cel_chain_encode(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                     const void **out, size_t *out_n, uint32_t *skipped)
{
    struct moving m = {.at = src, .n = n};
    int half = 0, rc = cel_chain_usable(c);

    assert(c->prepared || c->n == 0);
    *skipped = 0;
    for (size_t i = 0; rc == CEL_OK && i < c->n; i++) {
        rc = encode_two(c, i, scratch, half, &m);
        if (rc == CEL_OK)
            i++;
        else if (rc == CEL_SKIP)
            rc = encode_step(c, i, scratch, half, &m);
        if (rc == CEL_SKIP) {
            *skipped |= (uint32_t)1 << i;
            rc = CEL_OK;
        } else {
            half = !half;
        }
    }
    *out = m.at;
    *out_n = m.n;
    return rc;
}

/* n encoded bytes stand for at most n * max_ratio: a chunk that should be larger is damaged. */
static int check_ratio(const struct cel_step *step, size_t n, size_t wanted)
{
    size_t ratio = step->codec->max_ratio;

    if (ratio && wanted / ratio > n)
        return cel_fail(NC_EFILTER, "%s: %zu bytes cannot hold a chunk of %zu", step->codec->name, n, wanted);
    return CEL_OK;
}

static int wrong_size(size_t n, size_t wanted)
{
    return cel_fail(NC_EFILTER, "the chunk has %zu bytes instead of %zu", n, wanted);
}

int cel_chain_plausible(const struct cel_chain *c, size_t n, uint32_t skipped)
{
    struct sizes s;
    size_t i = c->n;

    if (cel_chain_usable(c) != CEL_OK)
        return cel_error_code();
    find_sizes(c, skipped, &s);
    while (i > 0 && is_skipped(skipped, i - 1))
        i--;
    if (i == 0)
        return n == c->shape.nbytes ? CEL_OK : wrong_size(n, c->shape.nbytes);
    return s.exact[i - 1] ? filter_error(check_ratio(&c->step[i - 1], n, s.most[i - 1]), &c->step[i - 1]) : CEL_OK;
}

static int decode_step(const struct cel_chain *c, size_t i, struct cel_scratch *scratch, const struct sizes *s,
                       const void *src, size_t n, void *dst, size_t *len)
{
    const struct cel_step *step = &c->step[i];
    struct cel_coding coding = coding_of(c, i);
    int rc = context_of(scratch, step, &coding.context);

    CEL_TRACE(CEL_TRACE_DECODE, .name = step->codec->name, .nbytes = n);
    coding.share = scratch->share;
    coding.whole = s->exact[i];
    *len = 0;
    if (rc == CEL_OK && s->exact[i])
        rc = check_ratio(step, n, s->most[i]);
    if (rc == CEL_OK)
        rc = step->codec->decode(&coding, src, n, dst, s->most[i], len);
    if (rc == CEL_OK && s->exact[i] && *len != s->most[i])
        rc = cel_fail(NC_EFILTER, "%s: the chunk decodes to %zu bytes instead of %zu", step->codec->name, *len,
                      s->most[i]);
    return filter_error(rc, step);
}

static int reserve_to_decode(struct cel_scratch *scratch, int half, const struct sizes *s, size_t i)
{
    bool grows = scratch->cap[half] < s->most[i];
    int rc = reserve(scratch, half, s->most[i]);

    if (rc == CEL_OK && grows && s->exact[i]) /* else it may be far more than there is */
        cel_mem_prefault(scratch->half[half], s->most[i]);
    return rc;
}

/* Undo the steps from the last down to `stop`, in the scratch. */
static int decode_down_to(const struct cel_chain *c, size_t stop, struct cel_scratch *scratch, const struct sizes *s,
                          uint32_t skipped, const void **at, size_t *n)
{
    int half = 0, rc = CEL_OK;

    for (size_t i = c->n; rc == CEL_OK && i-- > stop;) {
        size_t len;

        if (is_skipped(skipped, i))
            continue;
        rc = reserve_to_decode(scratch, half, s, i);
        if (rc == CEL_OK)
            rc = decode_step(c, i, scratch, s, *at, *n, scratch->half[half], &len);
        if (rc == CEL_OK) {
            *at = scratch->half[half];
            *n = len;
            half = !half;
        }
    }
    return rc;
}

bool cel_chain_has_parts(const struct cel_chain *c)
{
    return c->n == 1 && c->step[0].codec && c->step[0].codec->decode_part;
}

double cel_chain_part_share(const struct cel_chain *c, const struct cel_chunk_part *part)
{
    struct cel_coding coding = coding_of(c, 0);

    return coding.codec->part_share(&coding, part);
}

int cel_chain_decode_part(const struct cel_chain *c, struct cel_scratch *scratch, const struct cel_encoded *src,
                          const struct cel_chunk_part *part, void *dst)
{
    struct cel_coding coding = coding_of(c, 0);
    int rc = context_of(scratch, &c->step[0], &coding.context);

    CEL_TRACE(CEL_TRACE_DECODE, .name = c->step[0].codec->name);
    assert(c->prepared && cel_chain_has_parts(c));
    coding.share = scratch->share;
    if (rc == CEL_OK)
        rc = coding.codec->decode_part(&coding, src, part, dst);
    return rc == CEL_SKIP ? rc : filter_error(rc, &c->step[0]);
}

/* Undo the steps from the last down to `first`, behind which the chunk is as long as it is without any. */
static int decode_into(const struct cel_chain *c, size_t first, struct cel_scratch *scratch, const void *src, size_t n,
                       uint32_t skipped, void *dst)
{
    int rc = cel_chain_usable(c);
    struct sizes s;
    size_t len;

    assert(c->prepared || c->n == 0);
    if (rc != CEL_OK)
        return rc;
    if (n == 0)
        src = ""; /* codecs may add offsets to the address of a chunk without bytes */
    find_sizes(c, skipped, &s);
    while (first < c->n && is_skipped(skipped, first))
        first++;
    if (first < c->n) {
        rc = decode_down_to(c, first + 1, scratch, &s, skipped, &src, &n);
        assert(s.exact[first] && s.most[first] == c->shape.nbytes);
        return rc == CEL_OK ? decode_step(c, first, scratch, &s, src, n, dst, &len) : rc; /* right into dst */
    }
    if (n != c->shape.nbytes)
        return wrong_size(n, c->shape.nbytes);
    memcpy(dst, src, n);
    return CEL_OK;
}

int cel_chain_decode(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                     uint32_t skipped, void *dst)
{
    return decode_into(c, 0, scratch, src, n, skipped, dst);
}

/* --- to byte planes ------------------------------------------------------------------ */

bool cel_chain_has_planes(const struct cel_chain *c, uint32_t skipped)
{
    const struct cel_step *first = c->step;

    return c->n > 0 && first->codec && first->codec->flags & CEL_CODEC_PLANES && !is_skipped(skipped, 0) &&
           first->working.n > 0 && first->working.w[0] == c->shape.elem_size && c->shape.elem_size > 1 &&
           c->shape.nbytes > c->shape.elem_size;
}

int cel_chain_decode_planes(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                            uint32_t skipped, struct cel_planes *out)
{
    struct sizes s;
    int rc = cel_chain_usable(c);

    assert(cel_chain_has_planes(c, skipped));
    if (rc != CEL_OK)
        return rc;
    find_sizes(c, skipped, &s);
    rc = decode_down_to(c, 1, scratch, &s, skipped, &src, &n);
    if (rc == CEL_OK && n != c->shape.nbytes)
        rc = wrong_size(n, c->shape.nbytes);
    *out = cel_chain_planes(c, src);
    return rc;
}

int cel_chain_decode_planes_to(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                               uint32_t skipped, void *dst)
{
    assert(cel_chain_has_planes(c, skipped));
    return decode_into(c, 1, scratch, src, n, skipped, dst);
}

struct cel_planes cel_chain_planes(const struct cel_chain *c, const void *at)
{
    return (struct cel_planes){at, c->shape.nbytes / c->shape.elem_size, c->shape.elem_size};
}

void cel_planes_take(const struct cel_planes *planes, size_t from, size_t n, void *dst, bool nontemporal)
{
    cel_unshuffle_part(dst, planes->at + from, planes->n, n, planes->size, nontemporal);
}

void cel_planes_pick(const struct cel_planes *planes, size_t from, ptrdiff_t step, size_t n, void *dst)
{
    const char *at = planes->at + from;
    char *to = dst;

    for (size_t i = 0; i < n; i++, at += step)
        for (size_t j = 0; j < planes->size; j++)
            *to++ = at[j * planes->n];
}

/* --- chunks of unknown size ---------------------------------------------------------- */

/* The capacity of the first try: the size that the chunk says, else a guess. */
static size_t first_capacity(const struct cel_coding *coding, const void *src, size_t n)
{
    const struct cel_codec *codec = coding->codec;
    size_t said = codec->decoded_size ? codec->decoded_size(coding, src, n) : 0;

    return said ? said : keeps_size_known(codec) ? n : 4 * n + 1024;
}

/* The largest capacity to try: what n bytes can stand for, within the limit. */
static size_t largest_capacity(const struct cel_codec *codec, size_t n, size_t limit)
{
    return codec->max_ratio && n < limit / codec->max_ratio ? n * codec->max_ratio + 64 : limit;
}

/* Tries with capacities that double until the chunk fits. A decoder does not tell "too small" from
 * "damaged", so damage costs a few tries. */
static int decode_step_any(const struct cel_chain *c, size_t i, struct cel_scratch *scratch, const void *src, size_t n,
                           struct cel_buf *out)
{
    const struct cel_step *step = &c->step[i];
    struct cel_coding coding = coding_of(c, i);
    size_t most = largest_capacity(step->codec, n, out->max), cap, len = 0;
    int rc = context_of(scratch, step, &coding.context);

    if (rc != CEL_OK)
        return rc;
    CEL_TRACE(CEL_TRACE_DECODE, .name = step->codec->name, .nbytes = n);
    cap = first_capacity(&coding, src, n);
    do {
        cap = cap < most ? cap : most;
        rc = cel_buf_reserve(out, cap ? cap : out->max > 0); /* never NULL for a codec, even for 0 bytes */
        if (rc == CEL_OK)
            rc = step->codec->decode(&coding, src, n, out->data, cap, &len);
    } while (rc != CEL_OK && rc != NC_ENOMEM && cap < most && (cap *= 2));
    out->len = rc == CEL_OK ? len : 0;
    if (rc != CEL_OK && rc != NC_ENOMEM && cap == out->max)
        rc = cel_fail(rc,
                      "%s: the chunk is damaged, or decodes to more than the %zu bytes allowed for its %zu: set "
                      "CELLAR_MAX_DECODED to a larger number if it is to be read",
                      step->codec->name, out->max, n);
    return filter_error(rc, step);
}

int cel_chain_decode_any(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                         struct cel_buf *out)
{
    struct cel_buf other = CEL_BUF_INIT(out->max);
    int rc = cel_chain_usable(c);

    for (size_t i = c->n; rc == CEL_OK && i-- > 0;) {
        rc = decode_step_any(c, i, scratch, src, n, &other);
        if (rc == CEL_OK) {
            struct cel_buf swap = *out;
            *out = other;
            other = swap;
            src = out->data;
            n = out->len;
        }
    }
    cel_buf_dispose(&other);
    if (rc == CEL_OK && c->n == 0) {
        out->len = 0;
        rc = cel_buf_add(out, src, n);
    }
    return rc;
}
