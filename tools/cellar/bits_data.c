/* SPDX-License-Identifier: BSD-3-Clause */
/* Constant, already rounded, or once packed? */

#include "bits.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 65536, STEPS_MAX = 1 << 18 }; /* values looked at; more steps than that are no packing */

static double value_at(const void *values, size_t i, size_t size)
{
    return size == 4 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static int trailing_zeros(const void *values, const bool *valid, size_t n, size_t size)
{
    uint64_t any = 0;
    int zeros = 0, mantissa = bits_form_of(size).mantissa;

    for (size_t i = 0; i < n; i++)
        if (!valid || valid[i])
            any |= size == 4 ? ((const uint32_t *)values)[i] : ((const uint64_t *)values)[i];
    while (zeros < mantissa && !(any >> zeros & 1))
        zeros++;
    return zeros;
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

/* Values that were unpacked are a + k * step with the error of one rounding. */
static bool is_lattice(const double *v, size_t n, double step, size_t size)
{
    double unit = size == 4 ? 0x1p-23 : 0x1p-52, largest = fabs(v[0]) > fabs(v[n - 1]) ? fabs(v[0]) : fabs(v[n - 1]);

    if (step < 8 * unit * largest || (v[n - 1] - v[0]) / step > STEPS_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        double steps = (v[i] - v[0]) / step;

        if (fabs(steps - nearbyint(steps)) * step >
            2 * unit * largest + 1e-6 * step * (1 + nearbyint(steps)) / STEPS_MAX)
            return false;
    }
    return true;
}

/* The step from all steps together: the smallest difference has the largest error, so it is made better by each longer one. */
static double better_step(const double *v, size_t n, double step)
{
    for (size_t i = 1; i < n; i++) {
        double k = nearbyint((v[i] - v[0]) / step);

        if (k > 0)
            step = (v[i] - v[0]) / k;
    }
    return step;
}

static double find_step(const void *values, const bool *valid, size_t n, size_t size)
{
    size_t every = n / SAMPLE + 1, count = 0, unique = 1;
    double *v = tool_alloc(n / every + 2, sizeof *v), step = INFINITY;

    for (size_t i = 0; i < n; i += every)
        if (!valid || valid[i])
            v[count++] = value_at(values, i, size);
    qsort(v, count, sizeof *v, compare);
    for (size_t i = 1; i < count; i++)
        if (v[i] > v[unique - 1])
            v[unique++] = v[i];
    for (size_t i = 1; i < unique; i++)
        step = v[i] - v[i - 1] < step ? v[i] - v[i - 1] : step;
    if (unique > 2)
        step = better_step(v, unique, step);
    step = unique > 16 && is_lattice(v, unique, step, size) ? step : 0;
    free(v);
    return step;
}

void bits_look(const void *values, const bool *valid, size_t n, size_t size, struct bits_data *out)
{
    const char *first = NULL;

    *out = (struct bits_data){.constant = true};
    for (size_t i = 0; valid && i < n; i++)
        out->valid += valid[i];
    out->valid = valid ? out->valid : n;
    for (size_t i = 0; i < n && out->constant; i++) {
        const char *at = (const char *)values + i * size;

        if (valid && !valid[i])
            continue;
        first = first ? first : at;
        out->constant = memcmp(first, at, size) == 0;
    }
    if (out->constant)
        return;
    out->zeros = trailing_zeros(values, valid, n, size);
    out->step = out->zeros ? 0 : find_step(values, valid, n, size); /* a lattice of powers of two has no artefacts */
}

/* --- what rounding does -------------------------------------------------------------------------------- */

/* To nearest, ties to even, as NC_QUANTIZE_BITROUND does it up to ties. The error is exact in the type of the values. Whether a relative
 * error is larger is asked by a multiplication first: few are. */
#define ERROR_OF(name, real, word, absolute) \
    static void name(const void *values, const bool *valid, size_t n, int drop, double *abs, double *rel) \
    { \
        word half = drop > 0 ? (word)1 << (drop - 1) : 0, kept = (word)(-1) << drop; \
        real most = 0; \
        for (size_t i = 0; i < n; i++) { \
            real v, rounded, e; \
            word bits; \
            if (valid && !valid[i]) \
                continue; \
            memcpy(&bits, (const char *)values + i * sizeof bits, sizeof bits); \
            memcpy(&v, &bits, sizeof v); \
            bits = drop > 0 ? (bits + half - 1 + (bits >> drop & 1)) & kept : bits; \
            memcpy(&rounded, &bits, sizeof rounded); \
            e = absolute(v - rounded); \
            most = e > most ? e : most; \
            if ((double)e > *rel * (double)absolute(v)) \
                *rel = (double)e / (double)absolute(v); \
        } \
        *abs = (double)most; \
    }
ERROR_OF(error_of_floats, float, uint32_t, fabsf)
ERROR_OF(error_of_doubles, double, uint64_t, fabs)

void bits_error(const void *values, const bool *valid, size_t n, size_t size, int keep, double *abs, double *rel)
{
    int drop = bits_form_of(size).mantissa - keep;

    *abs = *rel = 0;
    (size == 4 ? error_of_floats : error_of_doubles)(values, valid, n, drop, abs, rel);
}
