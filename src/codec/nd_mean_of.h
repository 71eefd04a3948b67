/* Template: means of cells for elements of type REAL (bits: BITS). Included by
 * nd_mean.c once for float and once for double. Cells along the last axis are
 * summed together, each with an accumulator of its own, so that the additions of
 * one cell stay in order and those of different cells overlap. */

static REAL NAME(load)(const REAL *p, bool swapped)
{
    REAL v = *p;

    if (swapped) {
        BITS b;
        memcpy(&b, p, sizeof b);
        b = SWAP(b);
        memcpy(&v, &b, sizeof v);
    }
    return v;
}

static void NAME(mean_of_cell)(const struct mean_walk *w, REAL *corner, size_t n)
{
    REAL sum = 0, fill = 0, value;
    bool special = false;
    BITS bits;

    if (w->m->fill)
        memcpy(&fill, w->m->fill, sizeof fill);
    fill = NAME(load)(&fill, w->m->swapped);
    for (size_t r = 0; r < w->nrows; r++)
        for (size_t i = 0; i < n; i++) {
            value = NAME(load)(corner + w->offset[r] + i, w->m->swapped);
            special |= w->m->fill && value == fill;
            sum = sum + value;
        }
    value = sum / (REAL)(w->nrows * n);
    special |= !isfinite(sum);
    memcpy(&bits, &value, sizeof bits);
    if (w->m->swapped)
        bits = SWAP(bits);
    if (special && w->m->keeps_special)
        return;
    for (size_t r = 0; r < w->nrows; r++)
        for (size_t i = 0; i < n; i++)
            memcpy(corner + w->offset[r] + i, &bits, sizeof bits);
}

/* TOGETHER whole cells side by side, in the machine's byte order. */
static void NAME(mean_of_cells)(const struct mean_walk *w, REAL *corner)
{
    REAL sum[TOGETHER] = {0}, fill = 0;
    bool special[TOGETHER] = {false};
    size_t n = w->side;

    if (w->m->fill)
        memcpy(&fill, w->m->fill, sizeof fill);
    for (size_t r = 0; r < w->nrows; r++) {
        const REAL *row = corner + w->offset[r];
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < TOGETHER; k++)
                sum[k] = sum[k] + row[k * n + i];
        if (w->m->fill && w->m->keeps_special)
            for (size_t k = 0; k < TOGETHER; k++)
                for (size_t i = 0; i < n; i++)
                    special[k] |= row[k * n + i] == fill;
    }
    for (size_t k = 0; k < TOGETHER; k++) {
        special[k] = w->m->keeps_special && (special[k] || !isfinite(sum[k]));
        sum[k] = sum[k] / (REAL)(w->nrows * n);
    }
    for (size_t r = 0; r < w->nrows; r++)
        for (size_t k = 0; k < TOGETHER; k++) {
            REAL *to = corner + w->offset[r] + k * n;
            for (size_t i = 0; i < n; i++)
                to[i] = special[k] ? to[i] : sum[k];
        }
}

static void NAME(mean_of_strip)(const struct mean_walk *w, void *data)
{
    REAL *corner = data;
    size_t at = 0;

    if (!w->m->swapped)
        for (; at + TOGETHER * w->side <= w->len; at += TOGETHER * w->side)
            NAME(mean_of_cells)(w, corner + at);
    for (; at < w->len; at += w->side)
        NAME(mean_of_cell)(w, corner + at, w->len - at < w->side ? w->len - at : w->side);
}
