/* SPDX-License-Identifier: BSD-3-Clause */
/* A box of elements in the caller's memory, of any strides, and the part of it in one chunk. */
#include "api_coder.h"
#include <string.h>

/* Elements k0 to k1 of the box along one dimension lie in the chunk that begins at `from`. */
static bool overlap(size_t start, size_t count, size_t step, size_t from, size_t len, size_t *k0, size_t *n)
{
    size_t end = from + len, first = start < from ? (from - start + step - 1) / step : 0;

    if (first >= count || start + first * step >= end)
        return false;
    *k0 = first;
    *n = (end - 1 - start) / step + 1;
    *n = (*n < count ? *n : count) - first;
    return true;
}

bool cel_coder_box(const struct cellar_coder *coder, const struct coder_unit *unit, struct coder_box *out)
{
    const cellar_chunk *c = unit->value->chunk;
    ptrdiff_t bytes = (ptrdiff_t)coder->size;

    *out = (struct coder_box){.rank = coder->rank, .memory = c->memory, .whole = true};
    for (int d = coder->rank - 1; d >= 0; d--) {
        size_t from = unit->inner_at[d] * coder->inner[d], step = (size_t)c->step[d], k0;

        if (!overlap(c->start[d], c->count[d], step, from, coder->inner[d], &k0, &out->n[d]))
            return false;
        out->memory += (ptrdiff_t)k0 * c->byte_step[d];
        out->memory_step[d] = c->byte_step[d];
        out->chunk_step[d] = bytes * (ptrdiff_t)step;
        out->chunk_at += (c->start[d] + k0 * step - from) * (size_t)bytes;
        out->whole = out->whole && out->n[d] == coder->inner[d] && (out->memory_step[d] == bytes || out->n[d] == 1);
        bytes *= (ptrdiff_t)coder->inner[d];
    }
    return true;
}

bool cel_coder_box_is_all(const struct cellar_coder *coder, const struct coder_box *box)
{
    for (int d = 0; d < coder->rank; d++) {
        if (box->n[d] != coder->inner[d])
            return false;
    }
    return true;
}

/* Elements of `size` bytes along the last dimension. */
static void move_row(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t n, size_t size)
{
    if (to_step == (ptrdiff_t)size && from_step == (ptrdiff_t)size) {
        memcpy(to, from, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++, to += to_step, from += from_step)
        memcpy(to, from, size);
}

static void move(char *to, const ptrdiff_t *to_step, const char *from, const ptrdiff_t *from_step, const size_t *n,
                 int rank, size_t size)
{
    if (rank == 0) {
        memcpy(to, from, size);
    } else if (rank == 1) {
        move_row(to, *to_step, from, *from_step, *n, size);
    } else {
        for (size_t i = 0; i < *n; i++, to += *to_step, from += *from_step)
            move(to, to_step + 1, from, from_step + 1, n + 1, rank - 1, size);
    }
}

/* Dimensions that are in a row on both sides count as one element. */
static int joined(const struct coder_box *box, size_t *size)
{
    int rank = box->rank;

    while (rank && box->memory_step[rank - 1] == (ptrdiff_t)*size && box->chunk_step[rank - 1] == (ptrdiff_t)*size)
        *size *= box->n[--rank];
    return rank;
}

void cel_coder_box_read(const struct cellar_coder *coder, const struct coder_box *box, const char *chunk)
{
    size_t size = coder->size;
    int rank = joined(box, &size);

    move(box->memory, box->memory_step, chunk + box->chunk_at, box->chunk_step, box->n, rank, size);
}

void cel_coder_box_write(const struct cellar_coder *coder, const struct coder_box *box, char *chunk)
{
    size_t size = coder->size;
    int rank = joined(box, &size);

    move(chunk + box->chunk_at, box->chunk_step, box->memory, box->memory_step, box->n, rank, size);
}

void cel_coder_box_fill(const struct cellar_coder *coder, const struct coder_box *box)
{
    static const ptrdiff_t still[CEL_RANK_MAX];

    move(box->memory, box->memory_step, (const char *)coder->fill, still, box->n, box->rank, coder->size);
}

void cel_coder_fill(const struct cellar_coder *coder, char *chunk)
{
    size_t nbytes = coder->chain.shape.nbytes, done = coder->size;

    memcpy(chunk, coder->fill, coder->size);
    for (; done < nbytes; done *= 2)
        memcpy(chunk + done, chunk, done < nbytes - done ? done : nbytes - done);
}

/* Each element is the one before it, and the first is the fill value. */
bool cel_coder_is_empty(const struct cellar_coder *coder, const char *chunk)
{
    return memcmp(chunk, coder->fill, coder->size) == 0 &&
           memcmp(chunk, chunk + coder->size, coder->chain.shape.nbytes - coder->size) == 0;
}
