/* SPDX-License-Identifier: BSD-3-Clause */
/* Inflate: a deflate stream (RFC 1951) is decoded from memory into memory.
 *
 * The chunks this library reads are mostly byte planes of numbers. A block of a byte plane is
 * often noise: nearly all symbols are literals, and their codes nearly all have the same length.
 * A usual decoder spends its time waiting there. Where the next code starts is known only when
 * the table look-up of the code before it has come back, so the look-ups form one chain.
 * This decoder breaks the chain in two ways. In smooth planes literals and matches alternate, and the time goes into wrong
 * guesses which of them comes next; there it does without the guess. Chosen per block by inflate_tables.c:
 *
 *   tables.usual    Nearly every code has one length. The loop assumes that length and looks up
 *                   five codes at a time (inflate_run_of.h, GUESS).
 *   tables.is_rich  Most symbols are literals, of several lengths. Two readers decode the block
 *                   at the same time, from two positions ("reading ahead", below).
 *   tables.is_even  Literals and matches are both frequent: one reader without a branch between them.
 *   none of these   One reader, as in other decoders.
 *
 * Each of the four is a hot loop in inflate_run_of.h. It may run only while there are margins on
 * both sides: it reads input 8 bytes at a time and copies output 32 bytes at a time, and checks
 * the ends once per round. This file holds everything else: the blocks, their headers, and the
 * careful loop, which decodes the last bytes symbol by symbol and checks every limit.
 *
 *     | block header | symbols by a hot loop ..........  | symbols by careful_symbol | header | ...
 *                                     margin reached ----^
 *
 * Measured: byte planes of noise are read 2 to 3 times as fast as by zlib (CHANGELOG.md); isa-l was
 * tried in place of this decoder and was faster on one real field of five (docs/codecs.md). */
#include "inflate.h"
#include "mem.h"
#include <assert.h>
#include <string.h>

struct cel_inflate {
    const struct cel_inflate_kernel *kernel;
    struct cel_inflate_tables tables;
    bool has_fixed; /* the tables are those of the fixed codes */
    uint32_t precode[1 << CEL_PRECODE_BITS];
    uint8_t lens[CEL_SYMBOL_COUNT + CEL_DISTANCE_COUNT];
    struct cel_inflate_ahead ahead;
};

struct cel_inflate *cel_inflate_new(const struct cel_inflate_kernel *kernel)
{
    struct cel_inflate *f = cel_malloc(sizeof *f);

    if (!kernel)
        for (kernel = cel_inflate_kernels; !kernel->usable(); kernel++)
            ;
    if (f) {
        f->kernel = kernel;
        f->has_fixed = false;
    }
    return f;
}

/* --- bits -------------------------------------------------------------------------------- */

static void refill(struct cel_inflate_bits *b)
{
    for (; b->n <= 56 && b->next < b->end; b->n += 8)
        b->bits |= (uint64_t)*b->next++ << b->n;
}

static unsigned take(struct cel_inflate_bits *b, unsigned n)
{
    unsigned v = (unsigned)(b->bits & (((uint64_t)1 << n) - 1));

    b->bits >>= n;
    b->n -= n;
    return v;
}

/* n bits, at most 32; false: the stream ends before. */
static bool read_bits(struct cel_inflate_bits *b, unsigned n, unsigned *v)
{
    refill(b);
    if (b->n < n)
        return false;
    *v = take(b, n);
    return true;
}

/* --- headers of blocks ------------------------------------------------------------------- */

/* Lengths of n codes, run by run. */
static enum cel_inflate_step read_lengths(struct cel_inflate *f, struct cel_inflate_bits *b, unsigned n)
{
    static const struct {
        uint8_t extra, least;
    } runs[3] = {{2, 3}, {3, 3}, {7, 11}}; /* of symbols 16, the last length, 17 and 18, zeros */
    unsigned i = 0, more;

    while (i < n) {
        uint32_t e;
        unsigned symbol;

        refill(b);
        e = f->precode[b->bits & ((1u << CEL_PRECODE_BITS) - 1)];
        if ((uint8_t)e > b->n)
            return CEL_STEP_CUT_SHORT;
        take(b, (uint8_t)e);
        symbol = e >> 16;
        if (symbol < 16) {
            f->lens[i++] = (uint8_t)symbol;
            continue;
        }
        if (!read_bits(b, runs[symbol - 16].extra, &more))
            return CEL_STEP_CUT_SHORT;
        more += runs[symbol - 16].least;
        if (more > n - i || (symbol == 16 && i == 0))
            return CEL_STEP_DAMAGED;
        memset(f->lens + i, symbol == 16 ? f->lens[i - 1] : 0, more);
        i += more;
    }
    return CEL_STEP_MORE;
}

static enum cel_inflate_step read_precode(struct cel_inflate *f, struct cel_inflate_bits *b, unsigned n)
{
    static const uint8_t order[CEL_PRECODE_COUNT] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lens[CEL_PRECODE_COUNT] = {0};
    unsigned len;

    for (unsigned i = 0; i < n; i++) {
        if (!read_bits(b, 3, &len))
            return CEL_STEP_CUT_SHORT;
        lens[order[i]] = (uint8_t)len;
    }
    return cel_inflate_make_precode(f->precode, lens) ? CEL_STEP_MORE : CEL_STEP_DAMAGED;
}

static enum cel_inflate_step dynamic_block(struct cel_inflate *f, struct cel_inflate_bits *b)
{
    unsigned symbols, distances, precodes;
    enum cel_inflate_step step;

    if (!read_bits(b, 5, &symbols) || !read_bits(b, 5, &distances) || !read_bits(b, 4, &precodes))
        return CEL_STEP_CUT_SHORT;
    symbols += 257;
    distances += 1;
    if (symbols > 286 || distances > 30)
        return CEL_STEP_DAMAGED;
    f->has_fixed = false;
    if ((step = read_precode(f, b, precodes + 4)) != CEL_STEP_MORE ||
        (step = read_lengths(f, b, symbols + distances)) != CEL_STEP_MORE)
        return step;
    if (f->lens[256] == 0 || /* a block that cannot end */
        !cel_inflate_make_tables(&f->tables, f->lens, symbols, f->lens + symbols, distances))
        return CEL_STEP_DAMAGED;
    return CEL_STEP_MORE;
}

static void fixed_block(struct cel_inflate *f)
{
    if (f->has_fixed)
        return;
    memset(f->lens, 8, 144);
    memset(f->lens + 144, 9, 112);
    memset(f->lens + 256, 7, 24);
    memset(f->lens + 280, 8, 8);
    memset(f->lens + CEL_SYMBOL_COUNT, 5, CEL_DISTANCE_COUNT);
    f->has_fixed =
        cel_inflate_make_tables(&f->tables, f->lens, CEL_SYMBOL_COUNT, f->lens + CEL_SYMBOL_COUNT, CEL_DISTANCE_COUNT);
}

/* --- contents of blocks -------------------------------------------------------------------- */

static enum cel_inflate_step stored_block(struct cel_inflate_bits *b, struct cel_inflate_out *o)
{
    const uint8_t *p = b->next - b->n / 8;
    size_t n;

    if (b->end - p < 4)
        return CEL_STEP_CUT_SHORT;
    n = p[0] | (size_t)p[1] << 8;
    if ((p[2] | (size_t)p[3] << 8) != (n ^ 0xffff))
        return CEL_STEP_DAMAGED;
    p += 4;
    if (n > (size_t)(b->end - p))
        return CEL_STEP_CUT_SHORT;
    if (n > (size_t)(o->end - o->next))
        return CEL_STEP_NO_SPACE;
    memcpy(o->next, p, n);
    o->next += n;
    *b = (struct cel_inflate_bits){.next = p + n, .end = b->end};
    return CEL_STEP_END;
}

/* The next entry, with its bits taken, and its value. */
static enum cel_inflate_step read_entry(const uint32_t *table, unsigned index_bits, struct cel_inflate_bits *b,
                                        uint32_t *entry, size_t *value)
{
    uint32_t e;

    refill(b);
    e = table[b->bits & ((1u << index_bits) - 1)];
    if (e & CEL_IS_LINK && (uint8_t)e <= b->n) {
        take(b, (uint8_t)e);
        e = table[(e >> 16) + (b->bits & ((1u << (e >> 8 & 15)) - 1))];
    }
    if ((uint8_t)e > b->n)
        return CEL_STEP_CUT_SHORT;
    if (e & CEL_IS_BAD)
        return CEL_STEP_DAMAGED;
    *entry = e;
    *value = (e >> 16) + (take(b, (uint8_t)e) >> (e >> 8 & 15));
    return CEL_STEP_MORE;
}

static enum cel_inflate_step put_match(struct cel_inflate_out *o, size_t len, size_t distance)
{
    if (distance > (size_t)(o->next - o->start))
        return CEL_STEP_DAMAGED;
    if (len > (size_t)(o->end - o->next))
        return CEL_STEP_NO_SPACE;
    for (; len > 0; len--, o->next++)
        *o->next = *(o->next - distance);
    return CEL_STEP_MORE;
}

/* One symbol, within every limit. */
static enum cel_inflate_step careful_symbol(const struct cel_inflate_tables *t, struct cel_inflate_bits *b,
                                            struct cel_inflate_out *o)
{
    enum cel_inflate_step step;
    size_t value, distance;
    uint32_t e;

    if ((step = read_entry(t->symbols, CEL_SYMBOL_BITS, b, &e, &value)) != CEL_STEP_MORE)
        return step;
    if (e & CEL_IS_END)
        return CEL_STEP_END;
    if (!(e & CEL_IS_LITERAL))
        return (step = read_entry(t->distances, CEL_DISTANCE_BITS, b, &e, &distance)) != CEL_STEP_MORE
                   ? step
                   : put_match(o, value, distance);
    if (o->next == o->end)
        return CEL_STEP_NO_SPACE;
    *o->next++ = (uint8_t)value;
    return CEL_STEP_MORE;
}

/* --- reading ahead ---------------------------------------------------------------------------
 *
 * Problem: one reader waits for one table look-up after the other. A processor could serve several
 * look-ups at a time, but a reader cannot start its second one before the first has told how long
 * the code was.
 *
 * Idea: two readers. Reader A decodes the block from where it stands. Reader B starts 4096 bytes
 * further on, at a byte boundary that need not be the start of a code. Their look-ups do not depend
 * on each other, so they overlap. B takes the wrong bits for codes at first. But Huffman codes
 * synchronize themselves: sooner or later, usually after some ten symbols, B's guess ends at a bit
 * where a true code starts, and from there on B reads what A would read.
 *
 *   input     |A ..........................|B ???????? ==================|
 *                                           ^          ^                 ^
 *                                  ahead.start         they meet         ahead.bits: B stopped
 *
 *   1. two()    A writes output. B cannot, as it does not know at which position its bytes belong
 *               and what lies before them: it notes its literals and its matches in lists.
 *   2. reach()  A goes on alone until it is near ahead.start, before or behind it.
 *   3. meet()   From ahead.start both are run again, symbol by symbol: whoever is behind takes a
 *               step, until both stand at the same bit. B's steps are counted, as its lists begin
 *               with that many wrong entries.
 *   4. put()    The rest of B's lists is appended to A's output. A goes on where B stopped.
 *
 * Why this is right: what a reader decodes at a bit follows from the tables and the bits from there
 * on alone. Two readers at the same bit of the same block therefore decode the same symbols. B stops
 * before an end-of-block code and before anything that is no code, so it never leaves the block
 * after they have met. Only distances depend on what lies before; put() checks them. If the block
 * ends before A comes to ahead.start, if the two never meet, if B has met a distance that is no code,
 * or if the output has too little space left, B's lists are dropped and nothing but time is lost.
 *
 * What it costs: the symbols between ahead.start and the meeting point are decoded three times (by
 * B, by B again, by A), and B's output is copied once more. That pays where matches are few, so it
 * is done only in blocks rich in literals, and only where CEL_AHEAD_MARGIN_IN bytes of input are left.
 *
 * What would break it: decoding that depends on anything but the position, such as tables that
 * change within a block; or lists that do not hold exactly B's symbols in order. */

/* Whether a hot loop may be entered. Below 64 bits, because it counts modulo 64. */
static bool has_margins(const struct cel_inflate_bits *b, const struct cel_inflate_out *o, ptrdiff_t in)
{
    assert(b->n < 64); /* a refill is always followed by a code of at least one bit */
    return b->end - b->next >= in && o->end - o->next >= CEL_RUN_MARGIN_OUT;
}

/* Reader A alone, up to about ahead.start. */
static enum cel_inflate_step reach(struct cel_inflate *f, struct cel_inflate_bits *b, struct cel_inflate_out *o)
{
    struct cel_inflate_bits part = *b;
    enum cel_inflate_step step;

    part.end = f->ahead.start + CEL_RUN_MARGIN_IN;
    if (b->next >= f->ahead.start || !has_margins(&part, o, CEL_RUN_MARGIN_IN))
        return CEL_STEP_MORE;
    step = f->kernel->mixed(&f->tables, &part, o);
    part.end = b->end;
    *b = part;
    return step;
}

/* What reader B had decoded before they met. */
struct skipped {
    size_t literals, matches, nbytes;
};

static bool skip_symbol(const struct cel_inflate_tables *t, struct cel_inflate_bits *b, struct skipped *s)
{
    size_t value, distance;
    uint32_t e;

    if (read_entry(t->symbols, CEL_SYMBOL_BITS, b, &e, &value) != CEL_STEP_MORE || e & CEL_IS_END)
        return false;
    s->nbytes += e & CEL_IS_LITERAL ? 1 : value;
    if (e & CEL_IS_LITERAL)
        s->literals++;
    else
        s->matches++;
    return e & CEL_IS_LITERAL || read_entry(t->distances, CEL_DISTANCE_BITS, b, &e, &distance) == CEL_STEP_MORE;
}

static ptrdiff_t position(const struct cel_inflate_bits *b, const uint8_t *from)
{
    return (b->next - from) * 8 - (ptrdiff_t)b->n;
}

/* The reader that is behind takes a step, until both are at the same bit. `first` is reader A's bit,
 * `second` reader B's, both counted from ahead.start. */
static enum cel_inflate_step meet(struct cel_inflate *f, struct cel_inflate_bits *b, struct cel_inflate_out *o,
                                  struct skipped *s, bool *have_met)
{
    const uint8_t *start = f->ahead.start;
    struct cel_inflate_bits again = {.next = start, .end = b->end};
    ptrdiff_t end = position(&f->ahead.bits, start), first = position(b, start), second = 0;
    enum cel_inflate_step step = CEL_STEP_MORE;

    while (first != second && second < end && step == CEL_STEP_MORE) {
        if (first < second) {
            step = careful_symbol(&f->tables, b, o);
            first = position(b, start);
        } else {
            if (!skip_symbol(&f->tables, &again, s))
                break;
            second = position(&again, start);
        }
    }
    *have_met = step == CEL_STEP_MORE && first == second && second <= end;
    return step;
}

static enum cel_inflate_step join(struct cel_inflate *f, struct cel_inflate_bits *b, struct cel_inflate_out *o)
{
    struct skipped s = {0, 0, 0};
    bool have_met;
    enum cel_inflate_step step = meet(f, b, o, &s, &have_met);

    assert(!have_met || (s.literals <= f->ahead.n_literals && s.matches <= f->ahead.n_matches &&
                         s.nbytes <= f->ahead.nbytes)); /* they met among the symbols in the lists */
    if (!have_met || f->ahead.nbytes - s.nbytes + CEL_RUN_MARGIN_OUT > (size_t)(o->end - o->next))
        return step;
    *b = f->ahead.bits;
    return f->kernel->put(&f->ahead, s.literals, s.matches, o);
}

static enum cel_inflate_step read_ahead(struct cel_inflate *f, struct cel_inflate_bits *b, struct cel_inflate_out *o)
{
    enum cel_inflate_step step = CEL_STEP_MORE;

    while (step == CEL_STEP_MORE && has_margins(b, o, CEL_AHEAD_MARGIN_IN)) {
        step = f->kernel->two(&f->tables, b, o, &f->ahead);
        if (step == CEL_STEP_MORE)
            step = reach(f, b, o);
        if (step == CEL_STEP_MORE)
            step = join(f, b, o);
    }
    return step;
}

static enum cel_inflate_step coded_block(struct cel_inflate *f, struct cel_inflate_bits *b, struct cel_inflate_out *o)
{
    cel_inflate_run_fn *run = f->tables.usual     ? f->kernel->usual
                              : f->tables.is_even ? f->kernel->even
                                                  : f->kernel->mixed;
    enum cel_inflate_step step = CEL_STEP_MORE;

    if (!f->tables.usual && f->tables.is_rich)
        step = read_ahead(f, b, o);
    if (step == CEL_STEP_MORE && has_margins(b, o, CEL_RUN_MARGIN_IN))
        step = run(&f->tables, b, o);
    while (step == CEL_STEP_MORE)
        step = careful_symbol(&f->tables, b, o);
    return step;
}

static enum cel_inflate_step one_block(struct cel_inflate *f, struct cel_inflate_bits *b, struct cel_inflate_out *o,
                                       unsigned *is_last)
{
    enum { STORED, FIXED, DYNAMIC };
    enum cel_inflate_step step;
    unsigned type;

    if (!read_bits(b, 1, is_last) || !read_bits(b, 2, &type))
        return CEL_STEP_CUT_SHORT;
    if (type > DYNAMIC)
        return CEL_STEP_DAMAGED;
    if (type == STORED)
        return stored_block(b, o);
    if (type == FIXED)
        fixed_block(f);
    else if ((step = dynamic_block(f, b)) != CEL_STEP_MORE)
        return step;
    return coded_block(f, b, o);
}

enum cel_inflate_answer cel_inflate(struct cel_inflate *f, const void *src, size_t n, size_t *used, void *dst,
                                    size_t cap, size_t *len)
{
    static const enum cel_inflate_answer answers[] = {
        [CEL_STEP_END] = CEL_INFLATE_OK,
        [CEL_STEP_DAMAGED] = CEL_INFLATE_DAMAGED,
        [CEL_STEP_CUT_SHORT] = CEL_INFLATE_CUT_SHORT,
        [CEL_STEP_NO_SPACE] = CEL_INFLATE_NO_SPACE,
    };
    struct cel_inflate_bits b = {.next = src, .end = (const uint8_t *)src + n};
    struct cel_inflate_out o = {dst, dst, (uint8_t *)dst + cap};
    enum cel_inflate_step step;
    unsigned is_last;

    do
        step = one_block(f, &b, &o, &is_last);
    while (step == CEL_STEP_END && !is_last);
    assert(b.next <= b.end && o.next <= o.end);
    *used = (size_t)(b.next - b.n / 8 - (const uint8_t *)src);
    *len = (size_t)(o.next - o.start);
    return answers[step];
}
