/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a dataset that is not in chunks, as they stand in the file: rows of a region, read one by one or, where
 * they are short and close together, through a window. What was never written is the fill value. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { WINDOW = 64 << 10, LONG_ROW = 4096 };

struct rows {
    const struct cel_h5r_region *region;
    int outer;                  /* dimensions whose positions are rows of their own */
    size_t index[CEL_RANK_MAX]; /* of the row, in the region */
    size_t n;                   /* bytes of a row */
};

/* The elements that lie together in the file, from the last dimension up. */
static void begin_rows(struct rows *rows, const struct cel_h5r_dataset *d, const struct cel_h5r_region *r, size_t elem)
{
    int i;

    *rows = (struct rows){.region = r, .n = elem};
    for (i = d->rank - 1; i >= 0 && (r->stride[i] == 1 || r->count[i] == 1); i--) {
        rows->n *= r->count[i];
        if (r->count[i] != d->dims[i]) {
            i--;
            break;
        }
    }
    rows->outer = i + 1;
}

static bool next_row(struct rows *rows)
{
    for (int i = rows->outer - 1; i >= 0; i--) {
        if (++rows->index[i] < rows->region->count[i])
            return true;
        rows->index[i] = 0;
    }
    return false;
}

static uint64_t row_offset(const struct rows *rows, const struct cel_h5r_dataset *d, size_t elem)
{
    const struct cel_h5r_region *r = rows->region;
    uint64_t at = 0;

    for (int i = 0; i < d->rank; i++)
        at = at * d->dims[i] + r->start[i] + (uint64_t)rows->index[i] * r->stride[i];
    return at * elem;
}

/* How far the next row lies behind this one. */
static uint64_t row_distance(const struct rows *rows, const struct cel_h5r_dataset *d, size_t elem)
{
    uint64_t distance = elem;

    for (int i = d->rank - 1; i >= rows->outer; i--)
        distance *= d->dims[i];
    return rows->outer > 0 ? distance * rows->region->stride[rows->outer - 1] : distance;
}

/* --- contiguous -------------------------------------------------------------------------- */

static int read_rows(const struct cel_h5r_file *file, const struct cel_h5r_dataset *d, struct rows *rows, size_t elem,
                     unsigned char *out)
{
    int rc;

    do {
        uint64_t at = d->layout.addr + row_offset(rows, d, elem);

        rc = cel_h5r_get(file, at, "data", out, rows->n);
        out += rows->n;
    } while (rc == CEL_OK && next_row(rows));
    return rc;
}

static int read_short_rows(const struct cel_h5r_file *file, const struct cel_h5r_dataset *d, struct rows *rows,
                           size_t elem, unsigned char *out)
{
    unsigned char *window = cel_malloc(WINDOW);
    uint64_t begin = 0, n = 0;
    int rc = window ? CEL_OK : NC_ENOMEM;

    while (rc == CEL_OK) {
        uint64_t at = row_offset(rows, d, elem);

        if (at < begin || at + rows->n > begin + n) {
            begin = at;
            n = d->layout.size - at < WINDOW ? d->layout.size - at : WINDOW;
            rc = cel_h5r_get(file, d->layout.addr + at, "data", window, (size_t)n);
        }
        if (rc == CEL_OK)
            memcpy(out, window + (at - begin), rows->n);
        out += rows->n;
        if (!next_row(rows))
            break;
    }
    free(window);
    return rc;
}

/* --- all kinds ------------------------------------------------------------------------------ */

static void fill(unsigned char *out, size_t n, size_t elem, const unsigned char *value)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * elem, value, elem);
}

static void copy_compact(const struct cel_h5r_dataset *d, struct rows *rows, size_t elem, unsigned char *out)
{
    do {
        memcpy(out, d->layout.compact + row_offset(rows, d, elem), rows->n);
        out += rows->n;
    } while (next_row(rows));
}

/* The region lies within the dataset's shape, and the layout's size has been checked against that. */
int cel_h5r_raw_read(const struct cel_h5r_file *file, const struct cel_h5r_dataset *d,
                     const struct cel_h5r_region *region, const unsigned char *fill_value, unsigned char *out)
{
    size_t n = 1, elem = d->form->size;
    struct rows rows;

    for (int i = 0; i < d->rank; i++)
        n *= region->count[i];
    if (n == 0)
        return CEL_OK;
    begin_rows(&rows, d, region, elem);
    if (d->layout.storage == CEL_H5R_COMPACT) {
        copy_compact(d, &rows, elem, out);
        return CEL_OK;
    }
    if (d->layout.addr == CEL_H5R_NOWHERE) {
        fill(out, n, elem, fill_value);
        return CEL_OK;
    }
    if (rows.n < LONG_ROW && rows.outer > 0 && row_distance(&rows, d, elem) < LONG_ROW)
        return read_short_rows(file, d, &rows, elem, out);
    return read_rows(file, d, &rows, elem, out);
}
