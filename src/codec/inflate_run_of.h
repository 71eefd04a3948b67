/* The hot loop, for one kind of processor: NAME, TARGET, LOW_BITS and copy_near are its own.
 *
 * The bits at hand are in a 64-bit word. Refilling reads 8 bytes and keeps the whole ones
 * that fit, so that at least 56 bits are there; `n` counts them in its low 6 bits, its other
 * bits are rubbish from subtracting whole entries. */

#define REFILL() (bits |= load_le64(next) << (n & 63), next += (63 - (n & 63)) >> 3, n |= 56)
#define LOOK() symbols[bits & ((1u << CEL_SYMBOL_BITS) - 1)]
#define TAKE(e) (bits >>= (e) & 63, n -= (e))
#define SECOND(table, e) table[((e) >> 16) + LOW_BITS(bits, (e) >> 8 & 15)]
#define VALUE(e, before) (((e) >> 16) + (LOW_BITS(before, (uint8_t)(e)) >> ((e) >> 8 & 15)))

TARGET static inline __attribute__((always_inline)) enum cel_inflate_step
NAME(run)(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in, struct cel_inflate_out *to, bool is_usual)
{
    const uint32_t *symbols = tables->symbols, *distances = tables->distances;
    const uint8_t *next = in->next, *next_last = in->end - CEL_RUN_ROOM_IN;
    uint8_t *out = to->next, *out_last = to->end - CEL_RUN_ROOM_OUT, *start = to->start;
    enum cel_inflate_step step = CEL_STEP_MORE;
    uint64_t bits = in->bits;
    unsigned n = in->n;
    const unsigned usual = tables->usual;
    const uint16_t expected = (uint16_t)(CEL_IS_LITERAL | usual << 8 | usual);
    uint32_t e;

    REFILL();
    e = LOOK();
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
                n -= (k) * usual; \
                break; \
            } \
            out[k] = (uint8_t)(e >> 16); \
            bits >>= usual; \
            e = LOOK()
            for (;;) {
                GUESS(0);
                GUESS(1);
                GUESS(2);
                GUESS(3);
                GUESS(4);
                out += 5;
                n -= 5 * usual;
                REFILL();
                if (unlikely(next > next_last || out > out_last))
                    goto stop;
            }
#undef GUESS
            if (e & CEL_IS_LITERAL) {
                TAKE(e);
                *out++ = (uint8_t)(e >> 16);
                REFILL();
                e = LOOK();
                continue;
            }
            REFILL();
        } else if (e & CEL_IS_LITERAL) {
            TAKE(e);
            *out++ = (uint8_t)(e >> 16);
            e = LOOK();
            if (e & CEL_IS_LITERAL) {
                TAKE(e);
                *out++ = (uint8_t)(e >> 16);
                e = LOOK();
                if (e & CEL_IS_LITERAL) {
                    TAKE(e);
                    *out++ = (uint8_t)(e >> 16);
                    REFILL();
                    e = LOOK();
                    continue;
                }
            }
        }
        if (unlikely(e & (CEL_IS_LINK | CEL_IS_END | CEL_IS_BAD))) {
            if (e & CEL_IS_LINK) {
                TAKE(e);
                e = SECOND(symbols, e);
            }
            if (e & CEL_IS_BAD) {
                step = CEL_STEP_DAMAGED;
                break;
            }
            if (e & CEL_IS_END) {
                TAKE(e);
                step = CEL_STEP_END;
                break;
            }
            if (e & CEL_IS_LITERAL) {
                TAKE(e);
                *out++ = (uint8_t)(e >> 16);
                REFILL();
                e = LOOK();
                continue;
            }
        }
        before = bits;
        TAKE(e);
        len = VALUE(e, before);
        if (unlikely((n & 63) < 15 + 13)) /* the longest code of a distance, the most extra bits */
            REFILL();
        e = distances[bits & ((1u << CEL_DISTANCE_BITS) - 1)];
        if (unlikely(e & CEL_IS_LINK)) {
            TAKE(e);
            e = SECOND(distances, e);
        }
        before = bits;
        TAKE(e);
        distance = VALUE(e, before);
        if (unlikely(e & CEL_IS_BAD || distance > (size_t)(out - start))) {
            step = CEL_STEP_DAMAGED;
            break;
        }
        match = out;
        out += len;
        REFILL();
        e = LOOK(); /* ahead of the copy, which has time */
        if (likely(distance >= 16))
            copy_far(match, match - distance, len);
        else
            NAME(copy_near)(match, distance, len);
    } while (likely(next <= next_last && out <= out_last));
stop:
    in->n = n & 63;
    in->bits = bits & (((uint64_t)1 << in->n) - 1);
    in->next = next;
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

#undef REFILL
#undef LOOK
#undef TAKE
#undef SECOND
#undef VALUE
#undef TARGET
#undef NAME
#undef LOW_BITS
