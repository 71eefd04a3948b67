/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: the table of Granular BitRound for one real type; see quantize_real.h
 * for the entries. Included by quantize.c with UINT, MANT and FIELD as there, and
 * TABLE(x), x with a suffix for the type. */

/* The decimal digits of the normal value with this exponent field and mantissa. */
static int TABLE(digits_at)(int field, UINT mantissa)
{
    double m = 0.5 + ldexp((double)mantissa, -MANT - 1);

    return decimal_digits(m, field - FIELD / 2 + 1);
}

/* The least mantissa in this binade with one digit more than mantissa 0, by bisection. */
static UINT TABLE(first_above)(int field)
{
    UINT lo = 0, hi = (UINT)1 << MANT; /* the first above lies in lo+1 .. hi */
    int top = TABLE(digits_at)(field, hi - 1);

    if (TABLE(digits_at)(field, 0) == top)
        return hi;
    while (hi - lo > 1) {
        UINT mid = lo + (hi - lo) / 2;
        if (TABLE(digits_at)(field, mid) == top)
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

static UINT TABLE(entry)(int field, int nsd)
{
    int exponent = field - FIELD / 2 + 1;
    int digits = TABLE(digits_at)(field, 0);
    unsigned drop = drop_for(digits, exponent, nsd, MANT);
    unsigned more = drop_for(digits + 1, exponent, nsd, MANT) - drop;
    UINT sizes = (UINT)drop << 1 | (UINT)(more == 4);

    return sizes << (sizeof(UINT) * 8 - 7) | TABLE(first_above)(field);
}

static UINT *TABLE(make)(int nsd)
{
    UINT *table = cel_malloc_array(FIELD + 1, sizeof *table);

    if (table)
        for (int field = 0; field <= FIELD; field++)
            table[field] = TABLE(entry)(field, nsd);
    return table;
}
#undef TABLE
