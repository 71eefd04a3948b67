/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a codec as a filter function of HDF5. Such a function learns neither the shape nor the size of a
 * chunk, so both must follow from the parameters (cd_values) or from the chunk. Where they do not (deflate,
 * bzip2), decoding is tried with buffers that double in size, up to what the stored bytes can stand for.
 *
 * The context of the last call is kept for the next one with the same parameters. It is taken and put back
 * by an atomic exchange of one pointer, so that threads need no lock. */
#include "h5z_run.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MAX ((size_t)UINT32_MAX) /* HDF5's largest chunk */
#define CAPACITY_FIRST 65536

struct kept {
    const struct cel_codec *codec;
    struct cel_words words;
    void *context;
};
static _Atomic(struct kept *) kept;

static void drop(struct kept *k)
{
    if (k && k->codec->free_context)
        k->codec->free_context(k->context);
    free(k);
}

void cel_h5z_forget(void)
{
    drop(atomic_exchange(&kept, NULL));
}

static bool same_words(const struct cel_words *a, const struct cel_words *b)
{
    return a->n == b->n && memcmp(a->w, b->w, a->n * sizeof *a->w) == 0;
}

static struct kept *take_context(const struct cel_codec *codec, const struct cel_words *words)
{
    struct kept *k = atomic_exchange(&kept, NULL);

    if (k && k->codec == codec && same_words(&k->words, words))
        return k;
    drop(k);
    k = cel_calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->codec = codec;
    k->words = *words;
    if (codec->make_context && codec->make_context(words, &k->context) != CEL_OK) {
        free(k);
        return NULL;
    }
    return k;
}

static size_t encode(const struct cel_coding *coding, const struct cel_h5z_memory *memory, size_t nbytes, size_t *size,
                     void **buf)
{
    size_t cap = coding->codec->bound ? coding->codec->bound(coding, nbytes) : nbytes, len = 0;
    void *fresh = memory->take(cap ? cap : 1);
    int rc;

    if (!fresh)
        return 0;
    rc = coding->codec->encode(coding, *buf, nbytes, fresh, cap, &len);
    if (rc == CEL_SKIP) /* HDF5 stores the chunk without an optional filter, and fails otherwise */
        cel_fail(NC_EFILTER, "%s: it cannot keep these values; where it is optional it is left out for the chunk",
                 coding->codec->name);
    if (rc != CEL_OK || len == 0) {
        memory->give(fresh);
        return 0;
    }
    memory->give(*buf);
    *buf = fresh;
    *size = cap ? cap : 1;
    return len;
}

/* The capacity of the first try. *is_exact: it is known, so a second try makes no sense. */
static size_t first_capacity(const struct cel_coding *coding, const void *src, size_t nbytes, bool *is_exact)
{
    size_t n = coding->codec->flags & CEL_CODEC_SAME_SIZE ? nbytes : 0;

    if (coding->codec->decoded_size)
        n = coding->codec->decoded_size(coding, src, nbytes);
    *is_exact = n > 0;
    return n ? n : nbytes < CAPACITY_FIRST / 4 ? CAPACITY_FIRST : 4 * nbytes;
}

static size_t decode(const struct cel_coding *coding, const struct cel_h5z_memory *memory, size_t nbytes, size_t *size,
                     void **buf)
{
    bool is_exact;
    size_t cap = first_capacity(coding, *buf, nbytes, &is_exact), len, most = CAPACITY_MAX;

    if (coding->codec->max_ratio && nbytes < CAPACITY_MAX / coding->codec->max_ratio)
        most = nbytes * coding->codec->max_ratio;
    if (is_exact && cap > most)
        return 0; /* the chunk claims more than its bytes can stand for */
    for (; cap <= CAPACITY_MAX; cap *= 2) {
        void *fresh = memory->take(cap);

        len = 0;
        if (fresh && coding->codec->decode(coding, *buf, nbytes, fresh, cap, &len) == CEL_OK && len > 0) {
            memory->give(*buf);
            *buf = fresh;
            *size = cap;
            return len;
        }
        memory->give(fresh);
        if (!fresh || is_exact || len <= cap || cap >= most)
            return 0;
    }
    return 0;
}

size_t cel_h5z_run(const struct cel_codec *codec, const struct cel_h5z_memory *memory, bool reverse, size_t nwords,
                   const unsigned *words, size_t nbytes, size_t *size, void **buf)
{
    struct cel_words working = {.n = nwords};
    struct cel_shape shape = {.elem_size = 1, .nbytes = nbytes};
    struct cel_coding coding = {.codec = codec, .words = &working, .shape = &shape};
    struct kept *mine;
    size_t len;

    if (nwords > CEL_WORDS_MAX)
        return 0;
    for (size_t i = 0; i < nwords; i++)
        working.w[i] = words[i];
    if (codec->shape_of && !codec->shape_of(&working, &shape))
        return 0;
    mine = take_context(codec, &working);
    if (!mine)
        return 0;
    coding.context = mine->context;
    len = reverse ? decode(&coding, memory, nbytes, size, buf) : encode(&coding, memory, nbytes, size, buf);
    drop(atomic_exchange(&kept, mine));
    return len;
}
