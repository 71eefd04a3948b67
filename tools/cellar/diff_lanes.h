/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of diff_many.c for the numbers REAL, whose bits are BITS (UBITS without a sign, TOP the highest of them), in vectors of
 * VECTOR bytes. NAME(x) names what is made here, TARGET says for which machines. */

typedef REAL NAME(numbers) __attribute__((vector_size(VECTOR)));
typedef BITS NAME(bits) __attribute__((vector_size(VECTOR)));
typedef UBITS NAME(ubits) __attribute__((vector_size(VECTOR)));
typedef double NAME(reals) __attribute__((vector_size(VECTOR)));
typedef int64_t NAME(masks) __attribute__((vector_size(VECTOR)));
typedef REAL NAME(part)
    __attribute__((vector_size(VECTOR / sizeof(double) * sizeof(REAL)))); /* as many as there are reals */

struct NAME(lanes) {
    NAME(bits) unequal, nan; /* -1 for each that is unequal, 1 for each that is NaN on one side */
    NAME(bits) farthest;     /* the largest distance, less TOP */
    NAME(reals) abs, squares;
    NAME(masks) beyond; /* a relative difference above the one that is known */
};

/* The number of a value in the order of all; that of -0 is that of 0. */
TARGET static inline void NAME(order)(const NAME(numbers) * x, NAME(bits) * out)
{
    NAME(bits) bits = (NAME(bits)) * x, negative = (NAME(bits))(bits < 0);

    *out = ((bits & (BITS)(TOP - 1)) ^ negative) - negative;
}

/* A distance may have all bits: less TOP it is a number with a sign, and only those are compared quickly. */
TARGET static inline void NAME(tally)(struct NAME(lanes) * s, const NAME(numbers) * x, const NAME(numbers) * y)
{
    NAME(bits) p, q, below, above, distance;
    NAME(bits) no_x = (NAME(bits))(*x != *x), no_y = (NAME(bits))(*y != *y);

    NAME(order)(x, &p);
    NAME(order)(y, &q);
    below = (NAME(bits))(p < q);
    distance = (NAME(bits))((((NAME(ubits))p - (NAME(ubits))q) ^ (NAME(ubits))below) - (NAME(ubits))below);
    distance = (NAME(bits))(((NAME(ubits))distance & ~(NAME(ubits))(no_x | no_y)) ^ TOP);
    above = (NAME(bits))(distance > s->farthest);
    s->unequal += (NAME(bits))(*x < *y) + (NAME(bits))(*x > *y);
    s->nan -= no_x ^ no_y;
    s->farthest = (above & distance) | (~above & s->farthest);
}

/* Where both are the same infinity, or one is NaN, the difference is NaN and counts as none. */
TARGET static inline void NAME(measure)(struct NAME(lanes) * s, const char *a, const char *b, double known)
{
    NAME(part) x, y;
    NAME(reals) p, q, d;
    NAME(masks) more;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    p = __builtin_convertvector(x, NAME(reals));
    q = __builtin_convertvector(y, NAME(reals));
    d = p - q;
    d = (NAME(reals))((NAME(masks))d & INT64_MAX & (NAME(masks))(d == d));
    p = (NAME(reals))((NAME(masks))p & INT64_MAX) * known;
    q = (NAME(reals))((NAME(masks))q & INT64_MAX) * known;
    more = (NAME(masks))(d > s->abs);
    s->abs = (NAME(reals))((more & (NAME(masks))d) | (~more & (NAME(masks))s->abs));
    s->squares += d * d;
    s->beyond |= (NAME(masks))(d > p) & (NAME(masks))(d > q);
}

static void NAME(collect)(const struct NAME(lanes) * s, struct sums *out)
{
    *out = (struct sums){0};
    for (size_t i = 0; i < VECTOR / sizeof(REAL); i++) {
        UBITS distance = (UBITS)s->farthest[i] ^ TOP;

        out->unequal -= (uint64_t)(int64_t)s->unequal[i];
        out->nan += (uint64_t)s->nan[i];
        out->ulps = distance > out->ulps ? distance : out->ulps;
    }
    for (size_t i = 0; i < VECTOR / sizeof(double); i++) {
        out->abs = s->abs[i] > out->abs ? s->abs[i] : out->abs;
        out->squares += s->squares[i];
        out->beyond = out->beyond || s->beyond[i];
    }
}

TARGET static void NAME(sum)(const char *a, const char *b, size_t n, double known, struct sums *out)
{
    struct NAME(lanes) s = {.farthest = (NAME(bits)){0} + (BITS)TOP};

    for (size_t i = 0; i < n * sizeof(REAL); i += VECTOR) {
        NAME(numbers) x, y;

        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        NAME(tally)(&s, &x, &y);
        for (size_t k = 0; k < VECTOR; k += sizeof(NAME(part)))
            NAME(measure)(&s, a + i + k, b + i + k, known);
    }
    NAME(collect)(&s, out);
}

#undef VECTOR
#undef TARGET
#undef NAME
