/* SPDX-License-Identifier: BSD-3-Clause */
/* Constant, already rounded, or once packed? */

#include "bits.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 4096, SAMPLE = 65536, STEPS_MAX = 1 << 18 }; /* values looked at; more steps than that are no packing */

static double value_at(const void *values, size_t i, size_t size)
{
    return size == 4 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static int trailing_zeros(const void *values, const bool *valid, size_t n, size_t size)
{
    uint64_t any = 0;
    int zeros = 0, mantissa = bits_form_of(size).mantissa;

    for (size_t i = 0; i < n && !(any & 1); i++)
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

/* The error of one rounding, at most. */
static double unit_of_largest(const double *v, size_t n, size_t size)
{
    return (size == 4 ? 0x1p-23 : 0x1p-52) * (fabs(v[0]) > fabs(v[n - 1]) ? fabs(v[0]) : fabs(v[n - 1]));
}

/* Values that were unpacked are a + k * step with the error of one rounding. */
static bool is_lattice(const double *v, size_t n, double step, size_t size)
{
    double unit = unit_of_largest(v, n, size);

    if (step < 8 * unit || (v[n - 1] - v[0]) / step > STEPS_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        double steps = (v[i] - v[0]) / step;

        if (fabs(steps - nearbyint(steps)) * step > 2 * unit + 1e-6 * step * (1 + nearbyint(steps)) / STEPS_MAX)
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

/* Sorted, each once; gives how many, and the smallest difference of two. */
static size_t sort_values(double *v, size_t n, double *step)
{
    size_t unique = n ? 1 : 0;

    qsort(v, n, sizeof *v, compare);
    *step = INFINITY;
    for (size_t i = 1; i < n; i++)
        if (v[i] > v[unique - 1])
            v[unique++] = v[i];
    for (size_t i = 1; i < unique; i++)
        *step = v[i] - v[i - 1] < *step ? v[i] - v[i - 1] : *step;
    return unique;
}

static size_t sample_values(const void *values, const bool *valid, size_t n, size_t size, size_t most, double **out)
{
    size_t every = n / most + 1, count = 0;
    double *v = tool_alloc(n / every + 2, sizeof *v);

    for (size_t i = 0; i < n; i += every)
        if (!valid || valid[i])
            v[count++] = value_at(values, i, size);
    *out = v;
    return count;
}

/* Neighbours on a lattice are 8 units apart, of which is_lattice() lets each lose two. */
static bool is_too_fine(const double *v, size_t n, double step, size_t size)
{
    return step < 4 * unit_of_largest(v, n, size);
}

/* A few values tell of most fields that they lie on no lattice. */
static double find_step(const void *values, const bool *valid, size_t n, size_t size)
{
    double *v = NULL, step = 0;
    size_t unique = 0;

    for (size_t most = FEW; most <= SAMPLE; most *= SAMPLE / FEW) {
        free(v);
        unique = sample_values(values, valid, n, size, most, &v);
        unique = sort_values(v, unique, &step);
        if (unique > 1 && is_too_fine(v, unique, step, size))
            unique = 0;
        if (unique == 0)
            break;
    }
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
 * error is larger is asked by a multiplication first: few are. Loops over whole blocks are ones that a compiler makes vectors of;
 * what is no value counts as 0, which has no error. */
enum { BLOCK = 256, LANES = 8 };
#define ERROR_OF(name, real, word, absolute) \
    static void name##_of_block(const word *bits, int drop, real *most, double *rel) \
    { \
        word half = (word)1 << (drop - 1), kept = (word)(-1) << drop, near[BLOCK]; \
        real v[BLOCK], rounded[BLOCK], e[BLOCK], size[BLOCK], lane[LANES] = {0}; \
        int larger = 0; \
        for (int i = 0; i < BLOCK; i++) \
            near[i] = (bits[i] + half - 1 + (bits[i] >> drop & 1)) & kept; \
        memcpy(v, bits, sizeof v); \
        memcpy(rounded, near, sizeof rounded); \
        for (int i = 0; i < BLOCK; i++) { \
            e[i] = absolute(v[i] - rounded[i]); \
            size[i] = absolute(v[i]); \
        } \
        for (int i = 0; i < BLOCK; i += LANES) \
            for (int k = 0; k < LANES; k++) \
                lane[k] = e[i + k] > lane[k] ? e[i + k] : lane[k]; \
        for (int k = 0; k < LANES; k++) \
            *most = lane[k] > *most ? lane[k] : *most; \
        for (int i = 0; i < BLOCK; i++) \
            larger |= (double)e[i] > *rel * (double)size[i]; \
        for (int i = 0; larger && i < BLOCK; i++) \
            if ((double)e[i] > *rel * (double)size[i]) \
                *rel = (double)e[i] / (double)size[i]; \
    } \
    static void name(const void *values, const bool *valid, size_t n, int drop, double *abs, double *rel) \
    { \
        double worst = *rel; \
        real most = 0; \
        for (size_t from = 0; drop > 0 && from < n; from += BLOCK) { \
            size_t m = n - from < BLOCK ? n - from : BLOCK; \
            word bits[BLOCK] = {0}; \
            memcpy(bits, (const char *)values + from * sizeof *bits, m * sizeof *bits); \
            for (size_t i = 0; valid && i < m; i++) \
                bits[i] = valid[from + i] ? bits[i] : 0; \
            name##_of_block(bits, drop, &most, &worst); \
        } \
        *rel = worst; \
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
