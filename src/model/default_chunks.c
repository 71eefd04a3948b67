/* SPDX-License-Identifier: BSD-3-Clause */
/* netCDF-C's default chunk lengths, number for number: programs and their users
 * know them. The odd steps (values counted in single precision, the half taken off
 * before truncation) are part of the answer. */
#include "model_int.h"
#include <math.h>

#define RECORD_BYTES 4096 /* of a chunk of a one-dimensional unlimited variable */
#define CHUNK_BYTES_MAX 4294967295.0

static double chunk_bytes(size_t elem_size, int ndims, const size_t *chunks)
{
    double product = (double)elem_size;

    for (int d = 0; d < ndims; d++)
        product *= (double)chunks[d];
    return product;
}

static size_t record_chunk(size_t target, size_t elem_size)
{
    size_t n = target / elem_size;

    if (n > RECORD_BYTES)
        n = RECORD_BYTES;
    n /= elem_size;
    return n ? n : 1;
}

static size_t clip(double wanted, size_t len)
{
    size_t n = wanted >= (double)len ? len : wanted < 1 ? 1 : (size_t)wanted;

    return n ? n : 1;
}

/* Fewer chunks overhang the array's end by less when each is a little smaller. */
static size_t trim(size_t chunk, size_t len)
{
    size_t n = len / chunk + (len % chunk != 0);

    return n ? chunk - (n * chunk - len) / n : chunk;
}

static bool halve(int ndims, size_t *chunks)
{
    bool any = false;

    for (int d = 0; d < ndims; d++) {
        any = any || chunks[d] > 1;
        chunks[d] = chunks[d] > 1 ? chunks[d] / 2 : 1;
    }
    return any;
}

void cel_default_chunks_near(size_t target, size_t elem_size, int ndims, const size_t *lens, const bool *unlimited,
                             size_t *chunks)
{
    float nvalues = 1;
    int nunlimited = 0;
    double share;

    for (int d = 0; d < ndims; d++) {
        if (unlimited[d])
            nunlimited++;
        else
            nvalues *= (float)lens[d];
    }
    share = pow((double)target / (nvalues * (float)elem_size), 1.0 / (ndims - nunlimited));
    for (int d = 0; d < ndims; d++)
        chunks[d] = unlimited[d] ? 1 : clip(share * (double)lens[d] - .5, lens[d]);
    if (nunlimited == ndims && ndims == 1)
        chunks[0] = record_chunk(target, elem_size);
    else if (nunlimited == ndims)
        for (int d = 0; d < ndims; d++)
            chunks[d] = clip(pow((double)target / (double)elem_size, 1.0 / ndims), SIZE_MAX);
    while (chunk_bytes(elem_size, ndims, chunks) > CHUNK_BYTES_MAX && halve(ndims, chunks))
        ;
    for (int d = 0; d < ndims; d++)
        chunks[d] = trim(chunks[d], lens[d]);
}

void cel_default_chunks(size_t elem_size, int ndims, const size_t *lens, const bool *unlimited, size_t *chunks)
{
    cel_default_chunks_near(CEL_DEFAULT_CHUNK_BYTES, elem_size, ndims, lens, unlimited, chunks);
}

int cel_check_chunks(const struct cel_var *var, const size_t *chunks)
{
    if (chunk_bytes(var->type->size, var->ndims, chunks) > CHUNK_BYTES_MAX)
        return cel_fail(NC_EBADCHUNK, "a chunk must have less than 4 GiB: use smaller chunk sizes");
    return CEL_OK;
}
