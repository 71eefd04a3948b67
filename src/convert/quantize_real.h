/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: the quantizing loops of one real type, for one instruction set.
 * quantize.c includes it with
 *
 *   REAL, UINT, INT   the type, and integers as wide
 *   MANT, FIELD       its explicit mantissa bits; its exponent field, all ones
 *   EPSILON           its unit in the last place of 1
 *   NAME(x)           x with a suffix for type and instruction set
 *   TARGET            the attribute that selects the instruction set
 *
 * All modes work on the bits of a real as an integer:
 *
 *   | sign | exponent | mantissa: kept bits | dropped bits |
 *
 * BitGroom sets the dropped bits to zeros and to ones in turn. BitRound adds half of the last kept bit,
 * then clears the dropped ones: a carry runs into the exponent, which is correct, as the next real behind
 * the largest mantissa is the smallest one of the next exponent. Values that would carry into infinity
 * stay as they are (may_round). The loops have no branches and their arrays do not overlap, so compilers
 * turn them into vector code. Values that are quantized in place, or not aligned, pass through small
 * blocks that stay in the nearest cache.
 *
 * Granular BitRound drops, for each value, as many bits as its decimal digits allow. netCDF-C computes
 * that with two logarithms per value. But the number depends on little: on the binary exponent and, in a
 * binade that holds a power of ten, on which side of it the mantissa lies.
 *
 *   binade 8 .. 16:    8 ---------- 10 ------------------------ 16
 *                       drop bits    |   drop 3 or 4 bits more
 *                                    first_above: the mantissa of 10
 *
 * So a table with one word per exponent field replaces the logarithms (quantize_table.h finds the limit
 * by bisection with the formula itself, so that both agree):
 *
 *   top 6 bits     how many bits to drop below the power of ten
 *   the next bit   above it: 1 for four more, 0 for three more
 *   the low bits   first_above; 1 << MANT where the binade holds no power of ten
 *
 * granular_narrow handles runs of values in one binade or two neighbouring ones, which most data is:
 * four masks and no look-ups. granular_wide looks up the table for each value. Both compute what the
 * formula gives, except where its own rounding shows: for doubles next to a limit or just above a power of
 * two, and for subnormals, which have no entry. There the formula itself decides (is_delicate,
 * is_special). The result is netCDF-C's bit for bit, which tests compare.
 *
 * Measured: putting with Granular BitRound takes a sixteenth of netCDF-C's time (README.md). What would
 * break it: another rounding of log10 than the formula's, near limits wider than is_delicate allows. */

enum {
    NAME(BLOCK) = 4096 / sizeof(UINT), /* values of a block */
    NAME(PIECE) = 128                  /* values that granular_narrow takes at a time */
};

/* Not inlined: the compiler would forget that the arrays do not overlap (restrict). */
#define KERNEL TARGET __attribute__((noinline))

#define LOW(bits) (((UINT)1 << (bits)) - 1)
#define MAGNITUDE(bits) ((bits)&LOW(sizeof(UINT) * 8 - 1))
#define INFINITE ((UINT)FIELD << MANT)
#define DROP_ONE ((UINT)1 << (sizeof(UINT) * 8 - 6)) /* one dropped bit, in an entry */

/* --- BitGroom and BitRound ------------------------------------------------------------ */

KERNEL static void NAME(groom)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n,
                               size_t first)
{
    UINT set = LOW(q->drop), fill = (UINT)q->fill, start = (UINT)first;

    for (size_t i = 0; i < n; i++) {
        UINT is_odd = (UINT)0 - ((start + (UINT)i) & 1), magnitude = MAGNITUDE(in[i]);
        UINT now = (in[i] & (~set | is_odd)) | (set & is_odd);
        bool changes = ((INT)magnitude < (INT)INFINITE) & (magnitude != 0) & (in[i] != fill);
        out[i] = changes ? now : in[i];
    }
}

/* Whether a value is rounded: not infinities, NaN and the fill value, nor what adding `half` would make
 * infinite. Zeros have no bits to drop. */
TARGET static inline bool NAME(may_round)(UINT bits, UINT half, UINT fill)
{
    return ((INT)MAGNITUDE(bits) < (INT)(INFINITE - half)) & (bits != fill);
}

/* `set`: the bits to drop. */
TARGET static inline UINT NAME(round_one)(UINT bits, UINT set, UINT fill)
{
    UINT half = set ^ set >> 1;

    return NAME(may_round)(bits, half, fill) ? (bits + half) & ~set : bits;
}

KERNEL static void NAME(round_away)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in,
                                    size_t n, size_t first)
{
    UINT set = LOW(q->drop), fill = (UINT)q->fill;

    for (size_t i = 0; i < n; i++)
        out[i] = NAME(round_one)(in[i], set, fill);
}

KERNEL static void NAME(round_even)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in,
                                    size_t n, size_t first)
{
    UINT set = LOW(q->drop), half = set ^ set >> 1, lowest_kept = q->drop ? 1 : 0, fill = (UINT)q->fill;

    for (size_t i = 0; i < n; i++) {
        UINT now = (in[i] + (set >> 1) + (in[i] >> q->drop & lowest_kept)) & ~set;
        out[i] = NAME(may_round)(in[i], half, fill) ? now : in[i];
    }
}

/* --- Granular BitRound ---------------------------------------------------------------- */

TARGET static inline UINT NAME(first_above)(UINT entry)
{
    return entry & LOW(MANT + 1);
}

TARGET static inline UINT NAME(drop_below)(UINT entry)
{
    return entry / DROP_ONE;
}

TARGET static inline UINT NAME(drop_above)(UINT entry)
{
    return (entry + 3 * DROP_ONE + ((entry & DROP_ONE / 2) << 1)) / DROP_ONE;
}

/* Doubles lie so close together that the rounding inside the formula shows, next to a power of ten and
 * just above a power of two: there the formula itself must decide. */
TARGET static inline UINT NAME(is_delicate)(UINT mantissa, UINT first_above)
{
    return MANT > 24 && (((UINT)(mantissa - 1) < 4095) | ((UINT)(mantissa - first_above + 64) < 128));
}

/* Values in one binade or in two neighbouring ones. false: these are not, or one of them is delicate. */
KERNEL static bool NAME(granular_narrow)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in,
                                         size_t n)
{
    const UINT *table = q->table;
    UINT fill = (UINT)q->fill, delicate = 0;
    UINT below[2], above[2], limit[2];
    INT lo = FIELD, hi = 0;

    for (size_t i = 0; i < n; i++) {
        UINT magnitude = MAGNITUDE(in[i]);
        INT field = (INT)(magnitude >> MANT);
        bool counts = (magnitude != 0) & (field != FIELD) & (in[i] != fill);
        INT low = counts ? field : FIELD, high = counts ? field : 0;
        lo = low < lo ? low : lo;
        hi = high > hi ? high : hi;
    }
    if (lo == 0 || hi - lo > 1)
        return false;
    for (INT k = 0; k < 2; k++) {
        UINT entry = table[lo + k <= FIELD ? lo + k : FIELD];
        below[k] = LOW(NAME(drop_below)(entry));
        above[k] = LOW(NAME(drop_above)(entry));
        limit[k] = NAME(first_above)(entry);
    }
    for (size_t i = 0; i < n; i++) {
        UINT mantissa = in[i] & LOW(MANT);
        bool is_high = (INT)(MAGNITUDE(in[i]) >> MANT) > lo;
        UINT first_above = is_high ? limit[1] : limit[0];
        UINT if_below = is_high ? below[1] : below[0], if_above = is_high ? above[1] : above[0];
        delicate |= NAME(is_delicate)(mantissa, first_above);
        out[i] = NAME(round_one)(in[i], (INT)mantissa >= (INT)first_above ? if_above : if_below, fill);
    }
    return !delicate;
}

TARGET static UINT NAME(drop_by_formula)(const struct cel_quantizer *q, UINT bits)
{
    REAL v;

    memcpy(&v, &bits, sizeof v);
    return granular_drop(v, q->nsd, MANT);
}

/* Whether the formula must decide: subnormals have no entries in the table. */
TARGET static inline UINT NAME(is_special)(UINT bits, UINT entry)
{
    return ((UINT)(MAGNITUDE(bits) - 1) < LOW(MANT)) | NAME(is_delicate)(bits & LOW(MANT), NAME(first_above)(entry));
}

KERNEL static void NAME(granular_wide)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in,
                                       size_t n)
{
    const UINT *restrict table = q->table;
    UINT fill = (UINT)q->fill, one = (UINT)q->one, specials = 0;

    for (size_t i = 0; i < n; i++) {
        UINT entry = table[(INT)(in[i] >> MANT & FIELD)], mantissa = in[i] & LOW(MANT);
        UINT is_above = (UINT)0 - (UINT)((INT)mantissa >= (INT)NAME(first_above)(entry));
        UINT more = 3 * DROP_ONE + ((entry & DROP_ONE / 2) << 1);
        UINT drop = (entry + (is_above & more)) / DROP_ONE;
        specials |= NAME(is_special)(in[i], entry);
        out[i] = NAME(round_one)(in[i], (one << drop) - 1, fill);
    }
    if (!specials)
        return;
    for (size_t i = 0; i < n; i++)
        if (NAME(may_round)(in[i], 0, fill) && MAGNITUDE(in[i]) != 0 &&
            NAME(is_special)(in[i], table[in[i] >> MANT & FIELD]))
            out[i] = NAME(round_one)(in[i], LOW(NAME(drop_by_formula)(q, in[i])), fill);
}

TARGET static void NAME(granular)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n,
                                  size_t first)
{
    for (size_t i = 0; i < n; i += NAME(PIECE)) {
        size_t count = n - i < NAME(PIECE) ? n - i : NAME(PIECE);
        if (!NAME(granular_narrow)(q, out + i, in + i, count))
            NAME(granular_wide)(q, out + i, in + i, count);
    }
}

/* --- errors made ------------------------------------------------------------------------ */

/* Raises *worst by the errors made. Only finite values other than zero change, so masking by `changed`
 * keeps out quotients such as 0/0. Positive reals compare as their bits do. */
KERNEL static void NAME(measure)(const UINT *restrict out, const UINT *restrict in, size_t n,
                                 struct cel_quantize_error *worst)
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

/* Whether an error may be larger than the largest so far, without dividing. The relative limit is lowered
 * by more than rounding can amount to, and equality counts because of the coarse rounding of subnormals.
 * So no larger error is missed, and the maximum does not depend on how values were split into runs. */
KERNEL static bool NAME(may_exceed)(const UINT *restrict out, const UINT *restrict in, size_t n,
                                    const struct cel_quantize_error *worst)
{
    REAL most = (REAL)worst->max_abs, share = (REAL)worst->max_rel * (1 - 8 * EPSILON);
    INT hit = 0;

    for (size_t i = 0; i < n; i++) {
        REAL was, now, error;
        memcpy(&was, &in[i], sizeof was);
        memcpy(&now, &out[i], sizeof now);
        error = now - was;
        error = error < 0 ? -error : error;
        was = was < 0 ? -was : was;
        hit |= (INT)(error > most) | ((INT)(error > 0) & (INT)(error >= share * was));
    }
    return hit;
}

/* --- runs --------------------------------------------------------------------------------- */

typedef void NAME(kernel)(const struct cel_quantizer *q, UINT *out, const UINT *in, size_t n, size_t first);

TARGET static inline bool NAME(is_aligned)(const void *p)
{
    return (uintptr_t)p % sizeof(UINT) == 0;
}

TARGET static inline void NAME(run)(const struct cel_quantizer *q, NAME(kernel) * kernel, unsigned char *dst,
                                    const unsigned char *src, size_t n, size_t first, struct cel_quantize_error *worst)
{
    UINT was[NAME(BLOCK)], now[NAME(BLOCK)];
    bool stage_src = src == dst || !NAME(is_aligned)(src), stage_dst = !NAME(is_aligned)(dst);

    for (size_t done = 0; done < n; done += NAME(BLOCK)) {
        size_t count = n - done < NAME(BLOCK) ? n - done : NAME(BLOCK);
        const void *from = src + done * sizeof *was;
        void *to = dst + done * sizeof *now;
        const UINT *in = stage_src ? memcpy(was, from, count * sizeof *was) : from;
        UINT *out = stage_dst ? now : to;

        kernel(q, out, in, count, first + done);
        if (worst && NAME(may_exceed)(out, in, count, worst))
            NAME(measure)(out, in, count, worst);
        if (stage_dst)
            memcpy(to, now, count * sizeof *now);
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

#undef KERNEL
#undef LOW
#undef MAGNITUDE
#undef INFINITE
#undef DROP_ONE
#undef NAME
#undef TARGET
