/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of codec_scaleoffset.c that depends on the type of reals: included once for
 * each, with REAL, WORD (as many bits), NAME(x) and the functions of that type defined.
 * The order of the operations is HDF5's, so that the bits are. */

static REAL NAME(real_of)(uint64_t bits)
{
    WORD w = (WORD)bits;
    REAL v;

    memcpy(&v, &w, sizeof v);
    return v;
}

static REAL NAME(value_at)(const struct setting *s, const void *src, size_t i)
{
    return NAME(real_of)(cel_word_load((const char *)src + i * sizeof(REAL), sizeof(REAL), s->type.big));
}

/* Bits of an element: all of them where rounded differences do not fit. */
static unsigned NAME(find_least)(const struct setting *s, const void *src, uint64_t *least)
{
    REAL scale = POW(10, (REAL)s->factor), fill = NAME(real_of)(s->fill), min = 0, max = 0;
    double near = pow(10, -s->factor);
    WORD bits;
    bool found = false;

    for (size_t i = 0; i < s->n; i++) {
        REAL v = NAME(value_at)(s, src, i);

        if (!isfinite(v))
            return (unsigned)s->bits; /* llround is not defined for it */
        if (s->has_fill && fabs(v - fill) < near)
            continue;
        if (!found)
            min = max = v;
        found = true;
        min = v < min ? v : min;
        max = v > max ? v : max;
    }
    if (!(ROUND(max * scale - min * scale) <= POW(2, (REAL)(s->bits - 1))))
        return (unsigned)s->bits;
    memcpy(&bits, &min, sizeof bits);
    *least = bits;
    return bits_below((uint64_t)(LLROUND(max * scale - min * scale) + 1) + s->has_fill);
}

static void NAME(pack)(const struct setting *s, const void *src, unsigned bits, uint64_t least, unsigned char *dst)
{
    REAL scale = POW(10, (REAL)s->factor), near = POW(10, (REAL)-s->factor);
    REAL fill = NAME(real_of)(s->fill), min = NAME(real_of)(least);
    struct cel_bit_writer out = {.at = dst};

    for (size_t i = 0; i < s->n; i++) {
        REAL v = NAME(value_at)(s, src, i);
        uint64_t packed =
            s->has_fill && FABS(v - fill) < near ? mask_of(bits) : (uint64_t)LLROUND(v * scale - min * scale);

        cel_bits_put(&out, packed & mask_of(bits), bits);
    }
    cel_bits_end(&out);
}

static void NAME(unpack)(const struct setting *s, struct cel_bit_reader in, unsigned bits, uint64_t least, void *dst)
{
    REAL scale = POW(10, (REAL)s->factor), fill = NAME(real_of)(s->fill), min = NAME(real_of)(least);

    for (size_t i = 0; i < s->n; i++) {
        uint64_t packed = cel_bits_get(&in, bits);

        REAL v = s->has_fill && packed == mask_of(bits) ? fill : (REAL)packed / scale + min;
        WORD w;

        memcpy(&w, &v, sizeof w);
        cel_word_store((char *)dst + i * sizeof(REAL), sizeof(REAL), s->type.big, w);
    }
}

#undef REAL
#undef NAME
#undef POW
#undef FABS
#undef LLROUND
#undef ROUND
#undef WORD
