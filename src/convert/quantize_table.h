/* Template: the table of Granular BitRound for one real type; see quantize_real.h
 * for the entries. Included by quantize.c after that, with REAL, UINT, MANT, FIELD
 * and TABLE(x), x with a suffix for the type. */

enum { TABLE(BELOW) = MANT - 1, TABLE(COUNT) = MANT - 1 + FIELD + 1 };

/* The value with that mantissa in the binade whose exponent field is `field`, or
 * would be if fields went on below 1: 1.mantissa, halved to frexp's range. */
static int TABLE(digits_at)(int field, UINT mantissa)
{
    double m = 0.5 + ldexp((double)mantissa, -MANT - 1);

    return decimal_digits(m, field - FIELD / 2 + 1);
}

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

    return TABLE(first_above)(field) << 7 | (UINT)(more == 4) << 6 | drop;
}

static UINT *TABLE(make)(int nsd)
{
    UINT *table = cel_malloc_array(TABLE(COUNT), sizeof *table);

    if (table)
        for (int i = 0; i < TABLE(COUNT); i++)
            table[i] = TABLE(entry)(i - TABLE(BELOW), nsd);
    return table;
}
#undef TABLE
