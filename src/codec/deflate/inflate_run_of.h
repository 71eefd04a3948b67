/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: the hot loops of inflate for one kind of processor. inflate_run.c includes it with NAME,
 * TARGET, LOW_BITS and copy_near of that processor.
 *
 * Bits. A reader c (a, or b where there are two) has three variables:
 *
 *   c_bits   the next bits of the stream, the first one lowest
 *   c_n      how many of them count; only its low 6 bits mean anything
 *   c_next   the next byte to read
 *
 *       bit 63                                 c_n              0
 *      +------------------------------------------+---------------+
 *      | zero, or equal to the bits at c_next ... |  valid bits   |      c_next -> first byte not counted
 *      +------------------------------------------+---------------+
 *
 * REFILL reads 8 bytes at c_next, whatever c_n is, and ORs them in above the valid bits. It then
 * advances c_next only by the whole bytes that fitted: (63 - n) / 8 of them, so that n | 56 bits
 * count. The rest of the word already holds the low bits of the byte at c_next. The next REFILL ORs
 * the same bits onto them, which changes nothing. No branch, no loop, and 56 to 63 bits each time.
 * The invariant is that of the drawing: above c_n there is nothing but zeros or the true bits.
 *
 * TAKE drops the bits of an entry. The low 8 bits of an entry are that number, so c_n -= e
 * subtracts it together with the entry's upper bits, which only change the upper bits of c_n. That
 * saves an instruction in the chain that every symbol waits for, and is why c_n is used modulo 64.
 *
 * How many symbols a refill lasts: an index has 11 bits, a code of the first table at most 11, any
 * code at most 15, and a length or distance has at most 5 or 13 extra bits.
 *
 *   mixed   three literals and the next index:     3 * 11 + 11 = 44 <= 56
 *           two literals and a length:      2 * 11 + (15 + 5)  = 42, and 28 for a distance may be missing:
 *           this one sum is tested, and refilled
 *   usual   five literals of up to 9 bits and the next index:  5 * 9 + 11 = 56
 *   even    56 - 28 are left behind a distance; a length of the first table and the next index: 11 + 5 + 8 = 24;
 *           before any other length a refill */

#define REFILL(c) (c##_bits |= load_le64(c##_next) << (c##_n & 63), c##_next += (63 - (c##_n & 63)) >> 3, c##_n |= 56)
#define LOOK(c) symbols[c##_bits & ((1u << CEL_SYMBOL_BITS) - 1)]
#define TAKE(c, e) (c##_bits >>= (e)&63, c##_n -= (e))
#define SECOND(c, table, e) table[((e) >> 16) + LOW_BITS(c##_bits, (e) >> 8 & 15)]
#define VALUE(e, before) (((e) >> 16) + (LOW_BITS(before, (uint8_t)(e)) >> ((e) >> 8 & 63)))

TARGET static inline void NAME(copy_match)(uint8_t *to, size_t distance, size_t len)
{
    if (likely(distance >= 16))
        copy_apart(to, to - distance, len);
    else
        NAME(copy_near)(to, distance, len);
}

TARGET static inline __attribute__((always_inline)) enum cel_inflate_step
NAME(run)(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in, struct cel_inflate_out *to,
          bool is_usual)
{
    const uint32_t *symbols = tables->symbols, *distances = tables->distances;
    const uint8_t *a_next = in->next, *a_last = in->end - CEL_RUN_MARGIN_IN;
    uint8_t *out = to->next, *out_last = to->end - CEL_RUN_MARGIN_OUT, *start = to->start;
    enum cel_inflate_step step = CEL_STEP_MORE;
    uint64_t a_bits = in->bits;
    unsigned a_n = in->n;
    const unsigned usual = tables->usual;
    const uint16_t expected = (uint16_t)(CEL_IS_LITERAL | usual << 8 | usual);
    uint32_t e;

    REFILL(a);
    e = LOOK(a);
    do {
        uint64_t before;
        size_t len, distance;
        uint8_t *match;

        if (is_usual) {
            /* Where the next code starts is guessed: the usual length behind this one. The shift
             * does not wait for the look-up, so five look-ups are under way at once. The test
             * whether the entry was a literal of that length is a branch that is nearly always
             * predicted right; where it is not, the processor itself takes back what it did too
             * early. So the guess costs nothing in correctness: an entry is used only after it
             * has been compared with `expected`. */
#define GUESS(k) \
    if (unlikely((uint16_t)e != expected)) { \
        out += (k); \
        a_n -= (k)*usual; \
        break; \
    } \
    out[k] = (uint8_t)(e >> 16); \
    a_bits >>= usual; \
    e = LOOK(a)
            for (;;) {
                GUESS(0);
                GUESS(1);
                GUESS(2);
                GUESS(3);
                GUESS(4);
                out += 5;
                a_n -= 5 * usual;
                REFILL(a);
                if (unlikely(a_next > a_last || out > out_last))
                    goto stop;
            }
#undef GUESS
            if (e & CEL_IS_LITERAL) {
                TAKE(a, e);
                *out++ = (uint8_t)(e >> 16);
                REFILL(a);
                e = LOOK(a);
                continue;
            }
            REFILL(a);
        } else if (e & CEL_IS_LITERAL) {
            TAKE(a, e);
            *out++ = (uint8_t)(e >> 16);
            e = LOOK(a);
            if (e & CEL_IS_LITERAL) {
                TAKE(a, e);
                *out++ = (uint8_t)(e >> 16);
                e = LOOK(a);
                if (e & CEL_IS_LITERAL) {
                    TAKE(a, e);
                    *out++ = (uint8_t)(e >> 16);
                    REFILL(a);
                    e = LOOK(a);
                    continue;
                }
            }
        }
        if (unlikely(e & (CEL_IS_LINK | CEL_IS_END | CEL_IS_BAD))) {
            if (e & CEL_IS_LINK) {
                TAKE(a, e);
                e = SECOND(a, symbols, e);
            }
            if (e & CEL_IS_BAD) {
                step = CEL_STEP_DAMAGED;
                break;
            }
            if (e & CEL_IS_END) {
                TAKE(a, e);
                step = CEL_STEP_END;
                break;
            }
            if (e & CEL_IS_LITERAL) {
                TAKE(a, e);
                *out++ = (uint8_t)(e >> 16);
                REFILL(a);
                e = LOOK(a);
                continue;
            }
        }
        before = a_bits;
        TAKE(a, e);
        len = VALUE(e, before);
        if (unlikely((a_n & 63) < 15 + 13)) /* the longest code of a distance, the most extra bits */
            REFILL(a);
        e = distances[a_bits & ((1u << CEL_DISTANCE_BITS) - 1)];
        if (unlikely(e & CEL_IS_LINK)) {
            TAKE(a, e);
            e = SECOND(a, distances, e);
        }
        before = a_bits;
        TAKE(a, e);
        distance = VALUE(e, before);
        if (unlikely(e & CEL_IS_BAD || distance > (size_t)(out - start))) {
            step = CEL_STEP_DAMAGED;
            break;
        }
        match = out;
        out += len;
        REFILL(a);
        e = LOOK(a); /* before the copy: nothing in the chain of look-ups waits for it */
        NAME(copy_match)(match, distance, len);
    } while (likely(a_next <= a_last && out <= out_last));
stop:
    *in = bits_left(a_bits, a_n, a_next, in->end);
    to->next = out;
    return step;
}

TARGET static enum cel_inflate_step NAME(mixed)(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                struct cel_inflate_out *to)
{
    return NAME(run)(tables, in, to, false);
}

TARGET static enum cel_inflate_step NAME(usual)(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                struct cel_inflate_out *to)
{
    return NAME(run)(tables, in, to, true);
}

/* --- literals and matches alike ---------------------------------------------------------------
 *
 * Where about as many symbols are literals as matches, no processor can guess which comes next, and a wrong guess takes as
 * long as the look-ups of several symbols. So here is no branch between them: a literal is a match of one byte, which is copied
 * from a table of all bytes, and whose distance takes no bits.
 *
 *                     mask `literal`      len              bits of a distance     copied from
 *     a literal       all ones            1                0                      each_byte + the literal
 *     a match         0                   as decoded       as decoded             out - distance
 *
 * What is still a branch is rare: codes of the second tables, the block's end, distances below 16, lengths above 32. A symbol
 * takes two look-ups one after the other, also a literal: so the other loops are faster where a guess is mostly right. */

TARGET static inline void NAME(copy_even)(uint8_t *to, uintptr_t from, size_t distance, size_t len)
{
    if (unlikely(distance - 1 < 15) || unlikely(len > 32)) { /* never a literal: its distance is 0 */
        NAME(copy_match)(to, distance, len);
        return;
    }
    memcpy(to, (const uint8_t *)from, 16);
    memcpy(to + 16, (const uint8_t *)from + 16, 16);
}

TARGET static enum cel_inflate_step NAME(even)(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                               struct cel_inflate_out *to)
{
    const uint32_t *symbols = tables->symbols, *distances = tables->distances;
    const uint8_t *a_next = in->next, *a_last = in->end - CEL_RUN_MARGIN_IN;
    uint8_t *out = to->next, *out_last = to->end - CEL_RUN_MARGIN_OUT, *start = to->start;
    enum cel_inflate_step step = CEL_STEP_DAMAGED;
    uint64_t a_bits = in->bits, before;
    unsigned a_n = in->n;
    uint32_t e, literal, value, len, distance;
    uintptr_t from;

    REFILL(a);
    do {
        e = LOOK(a);
        if (unlikely(e & (CEL_IS_LINK | CEL_IS_END | CEL_IS_BAD))) {
            REFILL(a);
            if (e & CEL_IS_LINK) {
                TAKE(a, e);
                e = SECOND(a, symbols, e);
            }
            if (e & CEL_IS_BAD)
                goto stop;
            if (e & CEL_IS_END) {
                TAKE(a, e);
                step = CEL_STEP_END;
                goto stop;
            }
        }
        literal = 0 - (e >> 31);
        before = a_bits;
        TAKE(a, e);
        value = (uint32_t)VALUE(e, before);
        e = distances[a_bits & ((1u << CEL_DISTANCE_BITS) - 1)] & ~literal;
        REFILL(a); /* while the look-up is under way */
        if (unlikely(e & (CEL_IS_LINK | CEL_IS_BAD))) {
            TAKE(a, e & CEL_IS_LINK ? e : 0);
            e = e & CEL_IS_LINK ? SECOND(a, distances, e) : e;
            if (e & CEL_IS_BAD)
                goto stop;
        }
        before = a_bits;
        TAKE(a, e);
        distance = (uint32_t)VALUE(e, before);
        if (unlikely(distance > (size_t)(out - start)))
            goto stop;
        len = (value & ~literal) - literal;
        from = (uintptr_t)out - distance; /* a choice by arithmetic: of a conditional, compilers make a branch */
        from += ((uintptr_t)each_byte + (uint8_t)value - from) & (0 - (uintptr_t)(literal & 1));
        NAME(copy_even)(out, from, distance, len);
        out += len;
    } while (likely(a_next <= a_last && out <= out_last));
    step = CEL_STEP_MORE;
stop:
    *in = bits_left(a_bits, a_n, a_next, in->end);
    to->next = out;
    return step;
}

/* --- two readers at a time: see "reading ahead" in inflate.c -------------------------------- */

#define LITERAL(c, literal) \
    TAKE(c, e); \
    literal

/* One round of reader c. Either up to three literals, with the statement `literal` for each and `done`
 * after the last; or up to two literals and a match, whose length and distance are in len and
 * distance, with CEL_IS_BAD in e where the distance is no code. The statement `stop` is run before an
 * end-of-block code, or a symbol that is no code, is taken. */
#define SYMBOLS_OF(c, literal, done, stop) \
    REFILL(c); \
    e = LOOK(c); \
    if (e & CEL_IS_LITERAL) { \
        LITERAL(c, literal); \
        e = LOOK(c); \
        if (e & CEL_IS_LITERAL) { \
            LITERAL(c, literal); \
            e = LOOK(c); \
            if (e & CEL_IS_LITERAL) { \
                LITERAL(c, literal); \
                done; \
            } \
        } \
    } \
    if (unlikely(e & (CEL_IS_LINK | CEL_IS_END | CEL_IS_BAD))) { \
        uint32_t first = e; \
        if (e & CEL_IS_LINK) \
            e = symbols[(e >> 16) + LOW_BITS(c##_bits >> CEL_SYMBOL_BITS, e >> 8 & 15)]; \
        if (e & (CEL_IS_END | CEL_IS_BAD)) \
            stop; \
        TAKE(c, first); \
        if (e & CEL_IS_LITERAL) { \
            LITERAL(c, literal); \
            done; \
        } \
    } \
    before = c##_bits; \
    TAKE(c, e); \
    len = VALUE(e, before); \
    if (unlikely((c##_n & 63) < 15 + 13)) \
        REFILL(c); \
    e = distances[c##_bits & ((1u << CEL_DISTANCE_BITS) - 1)]; \
    if (unlikely(e & CEL_IS_LINK)) { \
        TAKE(c, e); \
        e = SECOND(c, distances, e); \
    } \
    before = c##_bits; \
    TAKE(c, e); \
    distance = VALUE(e, before)

TARGET static enum cel_inflate_step NAME(two)(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                              struct cel_inflate_out *to, struct cel_inflate_ahead *ahead)
{
    const uint32_t *symbols = tables->symbols, *distances = tables->distances;
    const uint8_t *a_next = in->next, *b_next = in->next + CEL_AHEAD_DISTANCE;
    const uint8_t *b_start = b_next, *b_last = in->end - CEL_RUN_MARGIN_IN;
    uint8_t *out = to->next, *out_last = to->end - CEL_RUN_MARGIN_OUT, *literals = ahead->literals;
    struct cel_inflate_match *match = ahead->matches;
    enum cel_inflate_step step = CEL_STEP_MORE;
    uint64_t a_bits = in->bits, b_bits = 0, before;
    unsigned a_n = in->n, b_n = 0;
    size_t matched = 0, len, distance;
    uint32_t e;

    for (int round = 0; round < CEL_AHEAD_ROUNDS; round++) {
        if (unlikely(a_next >= b_start || out > out_last || b_next > b_last))
            break;
        SYMBOLS_OF(a, *out++ = (uint8_t)(e >> 16), goto read_ahead, break);
        if (unlikely(e & CEL_IS_BAD || distance > (size_t)(out - to->start))) {
            step = CEL_STEP_DAMAGED;
            break;
        }
        NAME(copy_match)(out, distance, len);
        out += len;
    read_ahead:
        SYMBOLS_OF(b, *literals++ = (uint8_t)(e >> 16), continue, break);
        if (unlikely(e & CEL_IS_BAD)) { /* what B has read is useless: its lists become empty */
            b_next = b_start;
            b_n = 0;
            literals = ahead->literals;
            match = ahead->matches;
            matched = 0;
            break;
        }
        *match++ =
            (struct cel_inflate_match){(uint16_t)(literals - ahead->literals), (uint16_t)len, (uint16_t)distance};
        matched += len;
    }
    *in = bits_left(a_bits, a_n, a_next, in->end);
    to->next = out;
    ahead->start = b_start;
    ahead->bits = bits_left(b_bits, b_n, b_next, in->end);
    ahead->n_literals = (size_t)(literals - ahead->literals);
    ahead->n_matches = (size_t)(match - ahead->matches);
    ahead->nbytes = ahead->n_literals + matched;
    return step;
}

TARGET static enum cel_inflate_step NAME(put)(const struct cel_inflate_ahead *ahead, size_t skip_literals,
                                              size_t skip_matches, struct cel_inflate_out *to)
{
    const struct cel_inflate_match *m, *end = ahead->matches + ahead->n_matches;
    const uint8_t *literal = ahead->literals + skip_literals;
    uint8_t *out = to->next;
    size_t run;

    for (m = ahead->matches + skip_matches; m < end; m++, literal += run) {
        run = (size_t)(ahead->literals + m->at - literal);
        copy_apart(out, literal, run);
        out += run;
        if (unlikely(m->distance > (size_t)(out - to->start)))
            return CEL_STEP_DAMAGED;
        NAME(copy_match)(out, m->distance, m->len);
        out += m->len;
    }
    run = (size_t)(ahead->literals + ahead->n_literals - literal);
    memcpy(out, literal, run);
    to->next = out + run;
    return CEL_STEP_MORE;
}

#undef LITERAL
#undef SYMBOLS_OF
#undef REFILL
#undef LOOK
#undef TAKE
#undef SECOND
#undef VALUE
#undef TARGET
#undef NAME
#undef LOW_BITS
