/* SPDX-License-Identifier: BSD-3-Clause */
/* Both ways of reading touch about as many chunks, or as the weights say: of N chunks in all, sqrt(N w2 / w1) lie along the
 * dimensions of the first way, and sqrt(N w1 / w2) along those of the second, shared evenly by their dimensions. */

#include "chunks.h"
#include <math.h>

static int count(int rank, const struct chunks_access *a)
{
    int n = 0;

    for (int d = 0; d < rank; d++)
        n += a->whole[d];
    return n;
}

/* Cuts along each dimension of one way, so that there are `cuts` in all. A dimension that is shorter than that is cut into
 * single values, and the others take its share. */
static void divide(int rank, const size_t *shape, const struct chunks_access *a, double cuts, double *chunk)
{
    bool single[CHUNKS_RANK] = {false};
    int left = count(rank, a);

    for (bool again = true; again && left > 0;) {
        double each = pow(cuts, 1.0 / left);

        again = false;
        for (int d = 0; d < rank; d++)
            if (a->whole[d] && !single[d] && (double)shape[d] < each) {
                single[d] = again = true;
                cuts /= (double)shape[d];
                left--;
            }
    }
    for (int d = 0; d < rank; d++)
        if (a->whole[d])
            chunk[d] = single[d] ? 1 : fmin((double)shape[d], (double)shape[d] / pow(cuts, 1.0 / left));
}

/* Each length down or up: the most values that fit. */
static void round_lengths(int rank, const size_t *shape, size_t most, const double *chunk, size_t *out)
{
    double best = 0;

    for (unsigned long ups = 0; ups < 1ul << (rank < 12 ? rank : 12); ups++) {
        size_t candidate[CHUNKS_RANK];
        double values = 1;

        for (int d = 0; d < rank; d++) {
            double length = floor(chunk[d] + 1e-9) + (d < 12 && ups >> d & 1);

            candidate[d] = length < 1 ? 1 : length > (double)shape[d] ? shape[d] : (size_t)length;
            values *= (double)candidate[d];
        }
        if (values > best && values <= (double)most) {
            best = values;
            for (int d = 0; d < rank; d++)
                out[d] = candidate[d];
        }
    }
}

void chunks_shape(int rank, const size_t *shape, size_t most, const struct chunks_access access[2], size_t *out)
{
    double chunk[CHUNKS_RANK], values = 1, chunks, cuts[2];
    int side;

    for (int d = 0; d < rank; d++) {
        chunk[d] = out[d] = 1;
        values *= access[0].whole[d] || access[1].whole[d] ? (double)shape[d] : 1;
    }
    chunks = fmax(1, values / (double)most);
    cuts[0] = sqrt(chunks * access[1].weight / access[0].weight);
    cuts[1] = sqrt(chunks * access[0].weight / access[1].weight);
    for (side = 0; side < 2; side++) {
        double product = 1;

        for (int d = 0; d < rank; d++)
            product *= access[side].whole[d] ? (double)shape[d] : 1;
        if (cuts[side] < 1 || cuts[side] > product) { /* more cannot be cut there, nor fewer: the other side takes it */
            cuts[side] = cuts[side] < 1 ? 1 : product;
            cuts[1 - side] = chunks / cuts[side];
        }
    }
    for (side = 0; side < 2; side++)
        divide(rank, shape, &access[side], cuts[side], chunk);
    round_lengths(rank, shape, most, chunk, out);
}

double chunks_touched(int rank, const size_t *shape, const size_t *chunk, const struct chunks_access *access)
{
    double n = 1;

    for (int d = 0; d < rank; d++)
        if (access->whole[d])
            n *= ceil((double)shape[d] / (double)(chunk[d] ? chunk[d] : 1));
    return n;
}

/* The dimension with the most shards is doubled as long as the shard stays small enough. */
void chunks_shards(int rank, const size_t *shape, const size_t *chunk, double most, size_t *out)
{
    double values = 1;

    for (int d = 0; d < rank; d++) {
        out[d] = chunk[d];
        values *= (double)chunk[d];
    }
    while (values * 2 <= most) {
        int longest = 0;

        for (int d = 1; d < rank; d++)
            if ((double)shape[d] / (double)out[d] > (double)shape[longest] / (double)out[longest])
                longest = d;
        if (out[longest] >= shape[longest])
            break;
        out[longest] *= 2;
        values *= 2;
    }
    for (int d = 0; d < rank; d++) {
        size_t whole = (shape[d] + chunk[d] - 1) / chunk[d] * chunk[d];

        out[d] = out[d] < whole ? out[d] : whole;
    }
}
