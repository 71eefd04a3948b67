/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of bits_count.c for values that are a WORD of NBITS, of which MANTISSA are the mantissa, in vectors of VECTOR bytes: each lane has NBITS values of its own.
 * NAME(x) names what is made here, TARGET says for which machines. */

typedef WORD NAME(words) __attribute__((vector_size(VECTOR)));

/* The exponent with a sign of its own in place of its offset, so that small steps change few bits. */
TARGET static inline void NAME(sign_exponents)(NAME(words) * a)
{
    const WORD offset = ((WORD)1 << (NBITS - MANTISSA - 2)) - 1, all = 2 * offset + 1, sign = (WORD)1 << (NBITS - 2);

    for (unsigned k = 0; k < NBITS; k++) {
        NAME(words) exponent = a[k] >> MANTISSA & all, negative = (NAME(words))(exponent < offset);

        a[k] =
            (a[k] & ~(all << MANTISSA)) | (negative & sign) | (((exponent - offset) ^ negative) - negative) << MANTISSA;
    }
}

/* Word k of a lane is then bit k, from the highest down, of all values of the lane. */
TARGET static inline void NAME(slice)(NAME(words) * a)
{
    WORD mask = (WORD)-1 >> NBITS / 2;

    for (unsigned j = NBITS / 2; j; j >>= 1, mask ^= (WORD)(mask << j))
        for (unsigned k = 0; k < NBITS; k = (k + j + 1) & ~j) {
            NAME(words) t = (a[k] ^ a[k + j] >> j) & mask;

            a[k] ^= t;
            a[k + j] ^= t << j;
        }
}

TARGET static inline uint64_t NAME(ones)(const NAME(words) * a)
{
    uint64_t part[VECTOR / sizeof(uint64_t)], n = 0;

    memcpy(part, a, sizeof part);
    for (size_t i = 0; i < VECTOR / sizeof *part; i++)
        n += (uint64_t)__builtin_popcountll(part[i]);
    return n;
}

/* NBITS * VECTOR bytes of each. */
TARGET static void NAME(count)(const void *a, const void *b, struct bits_counts *out)
{
    NAME(words) p[NBITS], q[NBITS];

    memcpy(p, a, sizeof p);
    memcpy(q, b, sizeof q);
    NAME(sign_exponents)(p);
    NAME(sign_exponents)(q);
    NAME(slice)(p);
    NAME(slice)(q);
    for (unsigned k = 0; k < NBITS; k++) {
        NAME(words) both = p[k] & q[k];

        out->both[k] += NAME(ones)(&both);
        out->first[k] += NAME(ones)(&p[k]);
        out->second[k] += NAME(ones)(&q[k]);
    }
}

#undef VECTOR
#undef TARGET
#undef NAME
