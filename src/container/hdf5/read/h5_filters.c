/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of filters, of a dataset or of a fractal heap, and bytes that went through such filters on their own.
 *
 *   1 n(1) pad(6) then each: id(2) name length(2) flags(2) words(2) name (padded to 8) words(4 each) [pad 4]
 *   2 n(1)        then each: id(2) [name length(2)] flags(2) words(2) [name] words(4 each)
 * HDF5 File Format Specification version 3, IV.A.2.l. */
#include "env.h"
#include "h5_read_int.h"

static const char filters[] = "list of filters";

/* Filters of plugins are read through libhdf5, under the lock that they need. */
static bool is_built_in(uint64_t id)
{
    return !cel_env_prefer_plugins() && cel_codec_by_id((unsigned)id) != NULL;
}

/* libhdf5 says better what is wrong with a filter; want of memory is all the same to both. */
static int add_filter(struct cel_chain *chain, unsigned id, bool optional, size_t n, const unsigned *words)
{
    struct cel_step step;
    int rc = cel_step_from_file(id, optional, n, words, &step);

    if (rc == CEL_OK)
        rc = cel_chain_insert(chain, SIZE_MAX, &step);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    cel_error_clear();
    return CEL_ASK_LIBHDF5;
}

static int read_filter(struct cel_chain *chain, uint64_t version, struct cel_h5_bytes *b)
{
    uint64_t id = cel_h5_take_number(b, 2), name = cel_h5_take_if(b, version == 1 || id >= 256, 2);
    uint64_t flags = cel_h5_take_number(b, 2), n = cel_h5_take_number(b, 2);
    unsigned words[CEL_WORDS_MAX];

    if (b->ended || n > CEL_WORDS_MAX || !is_built_in(id))
        return b->ended ? cel_h5r_ended(b, filters) : CEL_ASK_LIBHDF5;
    cel_h5_take(b, version == 1 ? (size_t)(name + 7) / 8 * 8 : (size_t)name);
    for (size_t i = 0; i < n; i++)
        words[i] = (unsigned)cel_h5_take_number(b, 4);
    cel_h5_take_if(b, version == 1 && n % 2, 4);
    return b->ended ? cel_h5r_ended(b, filters) : add_filter(chain, (unsigned)id, flags & 1, (size_t)n, words);
}

int cel_h5r_filters_read(struct cel_h5_bytes b, struct cel_chain *out)
{
    uint64_t version = cel_h5_take_number(&b, 1), n = cel_h5_take_number(&b, 1);
    int rc = CEL_OK;

    cel_h5_take_if(&b, version == 1, 6);
    if (b.ended || (version != 1 && version != 2))
        return b.ended ? cel_h5r_ended(&b, filters) : CEL_ASK_LIBHDF5;
    while (rc == CEL_OK && n-- > 0)
        rc = read_filter(out, version, &b);
    return rc;
}

int cel_h5r_filters_decode(const struct cel_chain *filters_of, uint32_t skipped, const unsigned char *from, size_t n,
                           struct cel_buf *out, size_t size)
{
    struct cel_shape shape = {.elem_size = 1, .kind = CEL_KIND_OTHER, .nbytes = size};
    struct cel_scratch *scratch = NULL;
    struct cel_chain chain = {0};
    int rc = cel_chain_copy(filters_of, &chain);

    if (rc == CEL_OK)
        rc = cel_chain_prepare(&chain, &shape, true);
    if (rc == CEL_OK)
        rc = cel_chain_plausible(&chain, n, skipped);
    if (rc == CEL_OK)
        rc = cel_buf_resize(out, size);
    if (rc == CEL_OK)
        rc = cel_scratch_make(&scratch);
    if (rc == CEL_OK)
        rc = cel_chain_decode(&chain, scratch, from, n, skipped, out->data);
    cel_scratch_free(scratch);
    cel_chain_dispose(&chain);
    return rc;
}
