/* Template: the quantizing loops of one real type, for one instruction set.
 * quantize.c includes it with
 *
 *   REAL, UINT, INT   the type, and integers as wide
 *   MANT, FIELD       its explicit mantissa bits; its exponent field, all ones
 *   NAME(x)           x with a suffix for type and instruction set
 *   TARGET            the attribute that selects the instruction set
 *
 * The loops are plain ones over integers that do not overlap, which compilers turn
 * into vector code. Values that are quantized in place, or not aligned, pass through
 * small blocks that stay in the nearest cache.
 *
 * Granular BitRound drops a number of bits that depends on the value's binary
 * exponent and, in a binade that holds a power of ten, on which side of it the
 * mantissa lies. One word of a table per exponent says all of this:
 *
 *   top 6 bits     how many go below the power of ten
 *   the next one   whether above it four more go, or three
 *   the low ones   the first mantissa that counts as above; 1 << MANT: none */

enum { NAME(BLOCK) = 4096 / sizeof(UINT) };

/* Kept out of line: inlined, the compiler would lose sight of what cannot overlap. */
#define KERNEL TARGET __attribute__((noinline))

#define LOW(bits) (((UINT)1 << (bits)) - 1)
#define DROP_ONE ((UINT)1 << (sizeof(UINT) * 8 - 6)) /* one dropped bit, in an entry */

/* Whether `was` may become `now`: neither a zero, an infinity, a NaN nor the fill
 * value, and finite afterwards. */
TARGET static inline bool NAME(may_change)(UINT was, UINT now, UINT fill)
{
    UINT ones = (UINT)FIELD << MANT;

    return ((was & ones) != ones) & ((now & ones) != ones) & ((UINT)(was << 1) != 0) & (was != fill);
}

KERNEL static void NAME(groom)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n, size_t first)
{
    UINT set = LOW(q->drop), fill = (UINT)q->fill, start = (UINT)first;

    for (size_t i = 0; i < n; i++) {
        UINT is_odd = (UINT)0 - ((start + (UINT)i) & 1);
        UINT now = (in[i] & (~set | is_odd)) | (set & is_odd);
        out[i] = NAME(may_change)(in[i], now, fill) ? now : in[i];
    }
}

KERNEL static void NAME(round_away)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n, size_t first)
{
    UINT set = LOW(q->drop), half = set ^ set >> 1, fill = (UINT)q->fill;

    for (size_t i = 0; i < n; i++) {
        UINT now = (in[i] + half) & ~set;
        out[i] = NAME(may_change)(in[i], now, fill) ? now : in[i];
    }
}

KERNEL static void NAME(round_even)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n, size_t first)
{
    UINT set = LOW(q->drop), below_half = set >> 1, lowest_kept = q->drop ? 1 : 0, fill = (UINT)q->fill;

    for (size_t i = 0; i < n; i++) {
        UINT now = (in[i] + below_half + (in[i] >> q->drop & lowest_kept)) & ~set;
        out[i] = NAME(may_change)(in[i], now, fill) ? now : in[i];
    }
}

TARGET static inline UINT NAME(drop_by_entry)(UINT entry, UINT mantissa)
{
    UINT above = (UINT)0 - (UINT)((INT)mantissa >= (INT)(entry & LOW(MANT + 1)));
    UINT more = 3 * DROP_ONE + ((entry & DROP_ONE / 2) << 1);

    return (entry + (above & more)) / DROP_ONE;
}

TARGET static inline UINT NAME(round_one)(UINT was, UINT unit, UINT fill)
{
    UINT set = unit - 1, now = (was + (set ^ set >> 1)) & ~set;

    return NAME(may_change)(was, now, fill) ? now : was;
}

/* Whether the table has no word on a value, or not the last one, so that the formula
 * must decide: subnormals; and doubles lie so close that rounding inside the formula
 * shows, next to a power of ten and just above a power of two. */
TARGET static inline bool NAME(is_special)(UINT bits, UINT entry)
{
    UINT mantissa = bits & LOW(MANT), magnitude = bits & LOW(sizeof(UINT) * 8 - 1);
    bool is_subnormal = (magnitude - 1) < LOW(MANT);

    if (MANT < 24)
        return is_subnormal;
    return is_subnormal | ((UINT)(mantissa - 1) < 4095) | ((UINT)(mantissa - (entry & LOW(MANT + 1)) + 64) < 128);
}

TARGET static UINT NAME(drop_by_formula)(const struct cel_quantizer *q, UINT bits)
{
    REAL v;

    memcpy(&v, &bits, sizeof v);
    return cel_granular_drop(v, q->nsd, MANT);
}

KERNEL static void NAME(granular)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n, size_t first)
{
    const UINT *restrict table = q->table;
    UINT fill = (UINT)q->fill, one = (UINT)q->one, specials = 0;

    for (size_t i = 0; i < n; i++) {
        UINT entry = table[(INT)(in[i] >> MANT & FIELD)];
        UINT drop = NAME(drop_by_entry)(entry, in[i] & LOW(MANT));
        specials |= NAME(is_special)(in[i], entry);
        out[i] = NAME(round_one)(in[i], one << drop, fill);
    }
    if (!specials)
        return;
    for (size_t i = 0; i < n; i++)
        if (NAME(may_change)(in[i], 0, fill) && NAME(is_special)(in[i], table[in[i] >> MANT & FIELD]))
            out[i] = NAME(round_one)(in[i], one << NAME(drop_by_formula)(q, in[i]), fill);
}

/* Only finite values other than zero change, so the masks keep the quotients 0/0 and
 * such out; of positive reals the larger has the larger bits. */
KERNEL static void NAME(track)(const UINT *restrict out, const UINT *restrict in, size_t n, struct cel_quantize_error *worst)
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

typedef void NAME(kernel)(const struct cel_quantizer *q, UINT *restrict out, const UINT *restrict in, size_t n, size_t first);

TARGET static inline bool NAME(is_aligned)(const void *p)
{
    return (uintptr_t)p % sizeof(UINT) == 0;
}

TARGET static inline void NAME(run)(const struct cel_quantizer *q, NAME(kernel) *kernel, unsigned char *dst,
                                    const unsigned char *src, size_t n, size_t first,
                                    struct cel_quantize_error *worst)
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
        if (worst)
            NAME(track)(out, in, count, worst);
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
#undef DROP_ONE
#undef NAME
#undef TARGET
