/* SPDX-License-Identifier: BSD-3-Clause */
/* From counts to information, and to the bits worth keeping. */

#include "bits.h"
#include <math.h>

static const double levels[BITS_LEVELS] = {0.99, 0.999, 1};

/* Mutual information of a bit and the same bit of the neighbour. */
static double information_of(const struct bits_counts *c, int bit)
{
    double n = (double)c->pairs, p[2][2], m = 0;

    p[1][1] = (double)c->both[bit] / n;
    p[1][0] = (double)(c->first[bit] - c->both[bit]) / n;
    p[0][1] = (double)(c->second[bit] - c->both[bit]) / n;
    p[0][0] = (double)(c->pairs - c->first[bit] - c->second[bit] + c->both[bit]) / n;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (p[i][j] > 0)
                m += p[i][j] * log2(p[i][j] / ((p[i][0] + p[i][1]) * (p[0][j] + p[1][j])));
    return m > 0 ? m : 0;
}

/* --- thresholds ------------------------------------------------------------------------------------- */

/* Where the normal distribution has p below: bisection in the tail function, which is exact far out. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;

    for (int i = 0; i < 200; i++) {
        double mid = (low + high) / 2;

        if (0.5 * erfc(-mid / sqrt(2)) < p)
            low = mid;
        else
            high = mid;
    }
    return (low + high) / 2;
}

double bits_confidence(uint64_t n, double confidence)
{
    double p = 0.5 + normal_quantile(1 - (1 - confidence) / 2) / (2 * sqrt((double)n));

    return p < 1 ? p : 1;
}

/* 1 bit minus the entropy of two outcomes with the probabilities p and 1 - p. */
static double free_entropy(double p)
{
    return p >= 1 ? 1 : 1 + p * log2(p) + (1 - p) * log2(1 - p);
}

static double tail_threshold(const struct bits_result *r, int nbits)
{
    double most = 0;

    for (int k = nbits - 4; k < nbits; k++)
        most = r->information[k] > most ? r->information[k] : most;
    return 1.5 * most;
}

/* The first bit after the one with the most information (the peak) behind which the information grows again; in data that
 * was never packed it only falls. A minimum above 5 % of the peak does not count: that is two bits with about the same
 * information. */
static int first_minimum(const struct bits_result *r, struct bits_form form)
{
    int peak = 0;

    for (int k = 1; k < form.nbits; k++)
        peak = r->information[k] > r->information[peak] ? k : peak;
    for (int k = peak; k + 1 < form.nbits; k++)
        if (r->information[k] < r->information[k + 1] && r->information[k] < 0.05 * r->information[peak])
            return k;
    return form.nbits - 1;
}

void bits_information(const struct bits_counts *counts, struct bits_form form, enum bits_threshold threshold,
                      double confidence, bool at_minimum, struct bits_result *out)
{
    int end = form.nbits, head = form.nbits - form.mantissa, next = 0;
    double sum = 0;

    *out = (struct bits_result){.pairs = counts->pairs};
    if (!counts->pairs)
        return;
    for (int k = 0; k < form.nbits; k++)
        out->information[k] = information_of(counts, k);
    if (at_minimum) {
        end = first_minimum(out, form) + 1;
        out->threshold = 1.5 * out->information[end - 1];
    } else {
        out->threshold = threshold == BITS_TAIL ? tail_threshold(out, form.nbits)
                                                : free_entropy(bits_confidence(counts->pairs, confidence));
    }
    for (int k = 0; k < end; k++)
        if (out->information[k] > out->threshold)
            out->total += out->information[k];
    for (int k = 0; k < end; k++) {
        if (out->information[k] <= out->threshold)
            continue;
        sum += out->information[k];
        if (levels[BITS_LEVELS - 1] == 1)
            out->keep[BITS_LEVELS - 1] = k + 1 > head ? k + 1 - head : 0;
        for (; next < BITS_LEVELS - 1 && sum > levels[next] * out->total; next++)
            out->keep[next] = k + 1 > head ? k + 1 - head : 0;
    }
}
