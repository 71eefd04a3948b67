/* The hot loop, for one kind of processor: NAME, TARGET, LOW_BITS and copy_near are its own.
 *
 * The bits at hand are in a 64-bit word. Refilling reads 8 bytes and keeps the whole ones
 * that fit, so that at least 56 bits are there; a_n counts them in its low 6 bits, its other
 * bits are rubbish from subtracting whole entries. */

#define REFILL(c) (c##_bits |= load_le64(c##_next) << (c##_n & 63), c##_next += (63 - (c##_n & 63)) >> 3, c##_n |= 56)
#define LOOK(c) symbols[c##_bits & ((1u << CEL_SYMBOL_BITS) - 1)]
#define TAKE(c, e) (c##_bits >>= (e)&63, c##_n -= (e))
#define SECOND(c, table, e) table[((e) >> 16) + LOW_BITS(c##_bits, (e) >> 8 & 15)]
#define VALUE(e, before) (((e) >> 16) + (LOW_BITS(before, (uint8_t)(e)) >> ((e) >> 8 & 15)))

TARGET static inline void NAME(copy_match)(uint8_t *to, size_t distance, size_t len)
{
    if (likely(distance >= 16))
        copy_nontemporal(to, to - distance, len);
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
            /* Where a literal starts is guessed from the usual length, not taken from the
             * entry before it: the processor looks up several at a time, and turns back
             * where a guess was wrong. */
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
        e = LOOK(a); /* ahead of the copy, which has time */
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

/* --- two places at a time --------------------------------------------------------------- */

#define LITERAL(c, literal) \
    TAKE(c, e); \
    literal

/* Up to three literals, each done by `literal`, and then `done`; or up to two and a match, which
 * is in len, distance and, should the distance be bad, e. `stop` before the end of the block. */
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
        if (unlikely(e & CEL_IS_BAD)) { /* nothing of this can be used */
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
        copy_nontemporal(out, literal, run);
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
