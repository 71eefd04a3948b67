/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of fpzip_decode.c that depends on the type: included once for each, with REAL,
 * WORD (as many bits), QUIET (the bit that makes a NaN quiet), NO_NUMBER (the NaN that
 * arithmetic makes of infinities on x86) and NAME(x) defined. */

static WORD NAME(bits_of)(REAL v)
{
    WORD w;

    memcpy(&w, &v, sizeof w);
    return w;
}

static REAL NAME(real_of)(WORD w)
{
    REAL v;

    memcpy(&v, &w, sizeof v);
    return v;
}

/* a + b where either may be NaN: the first NaN, made quiet. A compiler may exchange the operands of a
 * sum, which changes the bits of the NaN; but the prediction must be the encoder's, bit for bit. */
static REAL NAME(add)(REAL a, REAL b)
{
    if (isnan(a) || isnan(b))
        return NAME(real_of)(NAME(bits_of)(isnan(a) ? a : b) | QUIET);
    return isnan(a + b) ? NAME(real_of)(NO_NUMBER) : a + b;
}

static REAL NAME(subtract)(REAL a, REAL b)
{
    return isnan(b) ? NAME(add)(a, b) : NAME(add)(a, -b);
}

/* Neighbours: [0] at the same x, [1] one to the left. */
struct NAME(around) {
    REAL here[2], up[2];      /* this row, and the row before it */
    REAL back[2], back_up[2]; /* the same two rows in the plane before */
};

static REAL NAME(predict)(const struct NAME(around) * n)
{
    REAL p = n->here[1] - n->back_up[0] + n->up[0] - n->back[1] + n->back[0] - n->up[1] + n->back_up[1];

    if (!isnan(p))
        return p;
    p = NAME(subtract)(n->here[1], n->back_up[0]);
    p = NAME(add)(p, n->up[0]);
    p = NAME(subtract)(p, n->back[1]);
    p = NAME(add)(p, n->back[0]);
    p = NAME(subtract)(p, n->up[1]);
    return NAME(add)(p, n->back_up[1]);
}

/* Step 2, between the complement of a real's bits and the integer that orders it: if the highest bit is
 * set, all others are inverted. It is its own inverse. */
static WORD NAME(turn)(WORD w, unsigned bits)
{
    return w >> (bits - 1) & 1 ? w ^ ((((WORD)1 << (bits - 1)) - 1)) : w;
}

static REAL NAME(read_value)(struct reader *r, struct model *m, unsigned bits, REAL predicted)
{
    unsigned shift = 8 * (unsigned)sizeof(WORD) - bits;
    WORD p = NAME(turn)((WORD)~NAME(bits_of)(predicted) >> shift, bits);
    WORD v = (WORD)(p + (WORD)read_difference(r, m, bits)) << shift >> shift;

    return NAME(real_of)((WORD)~NAME(turn)(v, bits) << shift);
}

static void NAME(decode)(const struct cel_fpzip *what, struct reader *r, struct model *m, const REAL *zeros, REAL *dst)
{
    size_t nx = what->axes[2], plane = nx * what->axes[1];

    for (size_t z = 0; z < what->axes[0]; z++)
        for (size_t y = 0; y < what->axes[1] && !r->is_bad; y++, dst += nx) {
            const REAL *up = y ? dst - nx : zeros, *back = z ? dst - plane : zeros;
            const REAL *back_up = y && z ? dst - plane - nx : zeros;
            struct NAME(around) n = {{0}, {0}, {0}, {0}};

            for (size_t x = 0; x < nx; x++) {
                n.up[0] = up[x];
                n.back[0] = back[x];
                n.back_up[0] = back_up[x];
                dst[x] = NAME(read_value)(r, m, what->bits, NAME(predict)(&n));
                n.here[1] = dst[x];
                n.up[1] = up[x];
                n.back[1] = back[x];
                n.back_up[1] = back_up[x];
            }
        }
}

#undef REAL
#undef WORD
#undef QUIET
#undef NO_NUMBER
#undef NAME
