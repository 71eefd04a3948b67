/* Template: the Lorenzo predictor on elements of type BITS (unsigned) with its
 * SIGNED twin. Included by codec_ndlorenzo.c once for each size. All arithmetic
 * wraps. Passes over the chunk, each a loop over rows that the compiler turns
 * into vectors; only the sums along the last axis go one by one. */

/* Reals in the order of their values: negative ones turned round, others above them. */
static BITS NAME(ordered)(BITS v)
{
    BITS sign = (BITS)((BITS)1 << (8 * sizeof v - 1));

    return v & sign ? (BITS)~v : (BITS)(v | sign);
}

static BITS NAME(unordered)(BITS v)
{
    BITS sign = (BITS)((BITS)1 << (8 * sizeof v - 1));

    return v & sign ? (BITS)(v & (BITS)~sign) : (BITS)~v;
}

static BITS NAME(swap)(BITS v)
{
    BITS out = 0;

    for (size_t i = 0; i < sizeof v; i++)
        out = (BITS)((sizeof v > 1 ? out << 8 % (8 * sizeof v) : 0) | (v >> 8 * i & 255));
    return out;
}

static void NAME(turn)(BITS *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = NAME(swap)(a[i]);
}

static void NAME(difference)(BITS *a, size_t outer, size_t len, size_t inner)
{
    for (size_t o = 0; o < outer; o++, a += len * inner)
        for (size_t i = len; i-- > 1;)
            for (size_t k = 0; k < inner; k++)
                a[i * inner + k] = (BITS)(a[i * inner + k] - a[(i - 1) * inner + k]);
}

static void NAME(sum)(BITS *a, size_t outer, size_t len, size_t inner)
{
    for (size_t o = 0; o < outer; o++, a += len * inner)
        for (size_t i = 1; i < len; i++)
            for (size_t k = 0; k < inner; k++)
                a[i * inner + k] = (BITS)(a[i * inner + k] + a[(i - 1) * inner + k]);
}

static bool NAME(is_turned)(const struct cel_shape *s)
{
    return sizeof(BITS) > 1 && s->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static void NAME(forward)(const struct cel_shape *s, const void *src, void *dst)
{
    size_t n = s->nbytes / sizeof(BITS), inner = 1;
    BITS *a = dst;

    memcpy(a, src, s->nbytes);
    if (NAME(is_turned)(s))
        NAME(turn)(a, n);
    if (s->kind == CEL_KIND_FLOAT)
        for (size_t i = 0; i < n; i++)
            a[i] = NAME(ordered)(a[i]);
    for (int d = s->rank; d-- > 0; inner *= s->dims[d])
        NAME(difference)(a, n / (inner * s->dims[d]), s->dims[d], inner);
    for (size_t i = 0; i < n; i++) /* small negative and small positive ones both become small */
        a[i] = (BITS)((BITS)(a[i] << 1) ^ (BITS)((SIGNED)a[i] >> (8 * sizeof(BITS) - 1)));
    if (NAME(is_turned)(s))
        NAME(turn)(a, n);
}

static void NAME(backward)(const struct cel_shape *s, const void *src, void *dst)
{
    size_t n = s->nbytes / sizeof(BITS), inner = 1;
    BITS *a = dst;

    memcpy(a, src, s->nbytes);
    if (NAME(is_turned)(s))
        NAME(turn)(a, n);
    for (size_t i = 0; i < n; i++)
        a[i] = (BITS)((a[i] >> 1) ^ (BITS)-(BITS)(a[i] & 1));
    for (int d = s->rank; d-- > 0; inner *= s->dims[d])
        NAME(sum)(a, n / (inner * s->dims[d]), s->dims[d], inner);
    if (s->kind == CEL_KIND_FLOAT)
        for (size_t i = 0; i < n; i++)
            a[i] = NAME(unordered)(a[i]);
    if (NAME(is_turned)(s))
        NAME(turn)(a, n);
}
