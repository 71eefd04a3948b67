/* Template: the quantizing loops of one real type, for one instruction set.
 * quantize.c includes it with
 *
 *   REAL, UINT, INT   the type, and integers as wide
 *   MANT, FIELD       its explicit mantissa bits; its exponent field, all ones
 *   NAME(x)           x with a suffix for type and instruction set
 *   TARGET            the attribute that selects the instruction set
 *
 * Values pass through two small blocks that stay in the nearest cache. That makes
 * the loops plain ones over aligned integers, which compilers turn into vector
 * code, and allows src == dst; it costs little next to the memory they come from.
 *
 * Granular BitRound drops a number of bits that depends on the value's binary
 * exponent and, in a binade that holds a power of ten, on which side of it the
 * mantissa lies. One word of a table per exponent says all of this:
 *
 *   bits 0..5   bits dropped below the power of ten
 *   bit  6      above it three more are dropped (0) or four more (1)
 *   bits 7..    the first mantissa that counts as above; 1 << MANT: none
 *
 * Below the entry of exponent field 1 lie those of the subnormal binades. */

enum { NAME(SUBNORMALS) = MANT - 1, NAME(ENTRIES) = NAME(SUBNORMALS) + FIELD + 1, NAME(BLOCK) = 4096 / sizeof(UINT) };

#define LOW(bits) (((UINT)1 << (bits)) - 1)

/* Whether `was` may become `now`: neither a zero, an infinity, a NaN nor the fill
 * value, and finite afterwards. */
TARGET static inline bool NAME(may_change)(UINT was, UINT now, UINT fill)
{
    UINT ones = (UINT)FIELD << MANT;

    return ((was & ones) != ones) & ((now & ones) != ones) & ((UINT)(was << 1) != 0) & (was != fill);
}

TARGET static void NAME(groom)(const struct cel_quantizer *q, UINT *out, const UINT *in, size_t n, size_t first)
{
    UINT set = LOW(q->drop), fill = (UINT)q->fill, start = (UINT)first;

    for (size_t i = 0; i < n; i++) {
        UINT is_odd = (UINT)0 - ((start + (UINT)i) & 1);
        UINT now = (in[i] & (~set | is_odd)) | (set & is_odd);
        out[i] = NAME(may_change)(in[i], now, fill) ? now : in[i];
    }
}

TARGET static void NAME(round_away)(const struct cel_quantizer *q, UINT *out, const UINT *in, size_t n, size_t first)
{
    UINT set = LOW(q->drop), half = set ^ set >> 1, fill = (UINT)q->fill;

    for (size_t i = 0; i < n; i++) {
        UINT now = (in[i] + half) & ~set;
        out[i] = NAME(may_change)(in[i], now, fill) ? now : in[i];
    }
}

TARGET static void NAME(round_even)(const struct cel_quantizer *q, UINT *out, const UINT *in, size_t n, size_t first)
{
    UINT set = LOW(q->drop), below_half = set >> 1, lowest_kept = q->drop ? 1 : 0, fill = (UINT)q->fill;

    for (size_t i = 0; i < n; i++) {
        UINT now = (in[i] + below_half + (in[i] >> q->drop & lowest_kept)) & ~set;
        out[i] = NAME(may_change)(in[i], now, fill) ? now : in[i];
    }
}

TARGET static inline UINT NAME(drop_by_entry)(UINT entry, UINT mantissa)
{
    UINT above = (INT)(mantissa << 7 | 127) > (INT)entry;

    return (entry & 63) + (above ? 3 + (entry >> 6 & 1) : 0);
}

TARGET static inline UINT NAME(round_one)(UINT was, UINT drop, UINT fill)
{
    UINT set = LOW(drop), now = (was + (set ^ set >> 1)) & ~set;

    return NAME(may_change)(was, now, fill) ? now : was;
}

/* Whether the table has no word, or not the last one, on a value: subnormals have
 * entries of their own; and doubles lie so close that rounding inside the formula
 * shows, next to a power of ten and just above a power of two. */
TARGET static inline bool NAME(is_special)(UINT bits, UINT entry)
{
    UINT mantissa = bits & LOW(MANT), magnitude = bits & LOW(sizeof(UINT) * 8 - 1);
    bool is_subnormal = (magnitude - 1) < LOW(MANT);

    if (MANT < 24)
        return is_subnormal;
    return is_subnormal | ((UINT)(mantissa - 1) < 4095) | ((UINT)(mantissa - (entry >> 7) + 64) < 128);
}

TARGET static UINT NAME(drop_of_special)(const struct cel_quantizer *q, UINT bits)
{
    const UINT *table = q->table;
    UINT mantissa = bits & LOW(MANT);
    REAL v;

    if (MANT < 24) {
        unsigned lead = (unsigned)__builtin_clzll(mantissa) - (63 - MANT);
        return NAME(drop_by_entry)(table[NAME(SUBNORMALS) + 1 - lead], mantissa << lead & LOW(MANT));
    }
    memcpy(&v, &bits, sizeof v);
    return cel_granular_drop(v, q->nsd, MANT);
}

TARGET static void NAME(granular)(const struct cel_quantizer *q, UINT *out, const UINT *in, size_t n, size_t first)
{
    const UINT *table = (const UINT *)q->table + NAME(SUBNORMALS);
    UINT fill = (UINT)q->fill, specials = 0;

    for (size_t i = 0; i < n; i++) {
        UINT entry = table[(INT)(in[i] >> MANT & FIELD)];
        UINT drop = NAME(drop_by_entry)(entry, in[i] & LOW(MANT));
        specials |= NAME(is_special)(in[i], entry);
        out[i] = NAME(round_one)(in[i], drop, fill);
    }
    if (!specials)
        return;
    for (size_t i = 0; i < n; i++)
        if (NAME(may_change)(in[i], 0, fill) && NAME(is_special)(in[i], table[in[i] >> MANT & FIELD]))
            out[i] = NAME(round_one)(in[i], NAME(drop_of_special)(q, in[i]), fill);
}

/* Only finite values other than zero change, so the masks keep the quotients 0/0 and
 * such out; of positive reals the larger has the larger bits. */
TARGET static void NAME(track)(const UINT *out, const UINT *in, size_t n, struct cel_quantize_error *worst)
{
    INT most = 0, share = 0;
    struct cel_quantize_error here;
    REAL real;

    for (size_t i = 0; i < n; i++) {
        REAL was, now, quotient;
        INT error, relative, changed = -(INT)(in[i] != out[i]);
        memcpy(&was, &in[i], sizeof was);
        memcpy(&now, &out[i], sizeof now);
        was = was < 0 ? -was : was;
        now = now < 0 ? -now : now;
        now = now > was ? now - was : was - now;
        quotient = now / was;
        memcpy(&error, &now, sizeof error);
        memcpy(&relative, &quotient, sizeof relative);
        error &= changed;
        relative &= changed;
        most = error > most ? error : most;
        share = relative > share ? relative : share;
    }
    memcpy(&real, &most, sizeof real);
    here.max_abs = real;
    memcpy(&real, &share, sizeof real);
    here.max_rel = real;
    cel_quantize_error_join(worst, &here);
}

typedef void NAME(kernel)(const struct cel_quantizer *q, UINT *out, const UINT *in, size_t n, size_t first);

TARGET static inline void NAME(run)(const struct cel_quantizer *q, NAME(kernel) *kernel, unsigned char *dst,
                                    const unsigned char *src, size_t n, size_t first,
                                    struct cel_quantize_error *worst)
{
    UINT in[NAME(BLOCK)], out[NAME(BLOCK)];

    for (size_t done = 0; done < n; done += NAME(BLOCK)) {
        size_t count = n - done < NAME(BLOCK) ? n - done : NAME(BLOCK);
        memcpy(in, src + done * sizeof *in, count * sizeof *in);
        kernel(q, out, in, count, first + done);
        if (worst)
            NAME(track)(out, in, count, worst);
        memcpy(dst + done * sizeof *out, out, count * sizeof *out);
    }
}

#define RUN(kernel) \
    TARGET static void NAME(run_##kernel)(const struct cel_quantizer *q, void *dst, const void *src, size_t n, \
                                          size_t first, struct cel_quantize_error *worst) \
    { \
        NAME(run)(q, NAME(kernel), dst, src, n, first, worst); \
    }
RUN(groom)
RUN(round_away)
RUN(round_even)
RUN(granular)
#undef RUN

static const struct loops NAME(loops) = {
    .groom = NAME(run_groom),
    .round_away = NAME(run_round_away),
    .round_even = NAME(run_round_even),
    .granular = NAME(run_granular),
};

#undef LOW
#undef NAME
#undef TARGET
