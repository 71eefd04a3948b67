/* Floats and doubles against each other, several at a time: how many are unequal, and by how much at most. All differences are
 * taken in double. What needs a division, the largest relative difference, is asked for by a multiplication first: only blocks
 * that have a larger one than was known are gone through again. */

#include "diff.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Vectors of 16 bytes, which every machine of today has; wider ones are taken apart where it has not. */
typedef double reals __attribute__((vector_size(16)));
typedef int64_t masks __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef int32_t small_masks __attribute__((vector_size(16)));
typedef uint32_t small_counts __attribute__((vector_size(16)));

enum { WIDTH = 2, BLOCK = 1024 };

struct sums {
    reals abs, squares;
    masks unequal; /* -1 for each */
    masks nan;     /* 1 for each that is NaN on one side */
    masks beyond;  /* a relative difference above the one that is known */
};

static inline masks choose(masks which, masks yes, masks no)
{
    return (which & yes) | (~which & no);
}

/* Only numbers that are less or greater have a gap: neither is NaN, and infinities of one sign are equal. */
static inline void add(struct sums *s, reals a, reals b, reals known)
{
    masks unequal = (masks)(a < b) + (masks)(a > b), one = (masks)(a != a) - (masks)(b != b);
    masks x = (masks)a & INT64_MAX, y = (masks)b & INT64_MAX, gap = (masks)(a - b) & INT64_MAX & unequal;
    reals larger = (reals)choose((reals)x > (reals)y, x, y), d = (reals)gap;

    s->unequal += unequal;
    s->nan += one & 1;
    s->abs = (reals)choose(d > s->abs, gap, (masks)s->abs);
    s->squares += d * d;
    s->beyond |= d > larger * known;
}

/* The number of a float in the order of all; that of -0 is that of 0. */
static inline small_masks order_of_floats(floats x)
{
    small_masks bits = (small_masks)x, negative = bits < 0;

    return ((bits & INT32_MAX) ^ negative) - negative;
}

/* How far apart they are, less 2^31: a distance may have 32 bits, and only numbers with a sign are compared quickly. */
static inline small_masks distance_of(floats x, floats y)
{
    small_masks p = order_of_floats(x), q = order_of_floats(y), below = p < q;
    small_counts gap = (((small_counts)p - (small_counts)q) ^ (small_counts)below) - (small_counts)below;

    return (small_masks)((gap & (small_counts)((x == x) & (y == y))) ^ 0x80000000u);
}

static inline reals widen(floats x, bool upper)
{
#if defined(__SSE2__)
    return (reals)_mm_cvtps_pd(upper ? _mm_movehl_ps((__m128)x, (__m128)x) : (__m128)x);
#else
    return upper ? (reals){x[2], x[3]} : (reals){x[0], x[1]};
#endif
}

static void sum_floats(const char *a, const char *b, size_t n, double known, struct sums *out, unsigned long long *ulps)
{
    small_masks most = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    struct sums s = *out;
    reals k = {known, known};

    for (size_t i = 0; i < n; i += 2 * WIDTH) {
        floats x, y;
        small_masks gap, above;

        memcpy(&x, a + i * sizeof(float), sizeof x);
        memcpy(&y, b + i * sizeof(float), sizeof y);
        add(&s, widen(x, false), widen(y, false), k);
        add(&s, widen(x, true), widen(y, true), k);
        gap = distance_of(x, y);
        above = gap > most;
        most = (above & gap) | (~above & most);
    }
    for (int i = 0; i < 4; i++) {
        unsigned long long gap = (uint32_t)most[i] ^ 0x80000000u;

        *ulps = gap > *ulps ? gap : *ulps;
    }
    *out = s;
}

static inline uint64_t order_of_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? 0x8000000000000000u - (bits & INT64_MAX) : 0x8000000000000000u + bits;
}

static void sum_doubles(const char *a, const char *b, size_t n, double known, struct sums *out,
                        unsigned long long *ulps)
{
    struct sums s = *out;
    reals k = {known, known};

    for (size_t i = 0; i < n; i += WIDTH) {
        reals x, y;

        memcpy(&x, a + i * sizeof(double), sizeof x);
        memcpy(&y, b + i * sizeof(double), sizeof y);
        add(&s, x, y, k);
        for (int j = 0; j < WIDTH; j++) {
            uint64_t p = order_of_double(x[j]), q = order_of_double(y[j]), gap = p > q ? p - q : q - p;

            if (gap > *ulps && x[j] == x[j] && y[j] == y[j])
                *ulps = gap;
        }
    }
    *out = s;
}

/* Sums over the lanes; false: an infinity met something else, which the other way knows how to tell. */
static bool collect(const struct sums *s, unsigned long long ulps, struct diff_stats *out, bool *beyond)
{
    double most = 0, squares = 0;
    int64_t unequal = 0, nan = 0;

    *beyond = false;
    for (int k = 0; k < WIDTH; k++) {
        most = s->abs[k] > most ? s->abs[k] : most;
        squares += s->squares[k];
        unequal -= s->unequal[k];
        nan += s->nan[k];
        *beyond = *beyond || s->beyond[k];
    }
    if (isinf(most))
        return false;
    out->unequal += (size_t)(unequal + nan);
    out->differing += (size_t)(unequal + nan);
    out->nan += (size_t)nan;
    out->max_abs = most > out->max_abs ? most : out->max_abs;
    out->sum_squares += squares;
    out->max_ulps = ulps > out->max_ulps ? ulps : out->max_ulps;
    return true;
}

static double real_at(const struct type *type, const char *values, size_t i)
{
    float f;
    double d;

    if (type->kind == NC_FLOAT) {
        memcpy(&f, values + i * sizeof f, sizeof f);
        return f;
    }
    memcpy(&d, values + i * sizeof d, sizeof d);
    return d;
}

static void find_relative(const struct type *type, const char *a, const char *b, size_t n, struct diff_stats *out)
{
    for (size_t i = 0; i < n; i++) {
        double x = real_at(type, a, i), y = real_at(type, b, i), gap = fabs(x - y);
        double larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);

        if (gap > larger * out->max_rel && gap / larger > out->max_rel)
            out->max_rel = gap / larger;
    }
}

size_t diff_compare_reals(const struct type *type, const char *a, const char *b, size_t n, struct diff_stats *out)
{
    struct sums s = {0};
    unsigned long long ulps = 0;
    bool beyond;

    n = n < BLOCK ? n / 4 * 4 : BLOCK;
    (type->kind == NC_FLOAT ? sum_floats : sum_doubles)(a, b, n, out->max_rel, &s, &ulps);
    if (!collect(&s, ulps, out, &beyond))
        return 0;
    if (beyond)
        find_relative(type, a, b, n, out);
    out->values += n;
    return n;
}
