/* Rows of elements between the caller's memory and a chunk, converted, quantized
 * and byte-swapped on the way. Dimensions that continue each other in both
 * memories are merged first, so that most boxes become a few long rows. Rows with
 * gaps go through a small bounce buffer, where the kernels see packed values. */
#include "array_int.h"
#include <string.h>

#define BOUNCE 2048 /* bytes; a larger element is moved alone */

/* --- boxes ------------------------------------------------------------- */

/* Does dimension d just continue dimension e, the next faster one? */
static bool continues(const struct cel_box *box, int d, int e, bool cell_too, bool nth_too)
{
    ptrdiff_t n = (ptrdiff_t)box->n[e];

    return box->user[d] == box->user[e] * n && (!cell_too || box->cell[d] == box->cell[e] * n) &&
           (!nth_too || box->nth[d] == box->nth[e] * box->n[e]);
}

static void merge(struct cel_box *box, bool cell_too, bool nth_too)
{
    int kept = 0;

    for (int d = 0; d < box->rank; d++) {
        if (box->n[d] == 1)
            continue;
        box->n[kept] = box->n[d];
        box->user[kept] = box->user[d];
        box->cell[kept] = box->cell[d];
        box->nth[kept] = box->nth[d];
        if (kept && continues(box, kept - 1, kept, cell_too, nth_too)) {
            box->n[kept - 1] *= box->n[kept];
            box->user[kept - 1] = box->user[kept];
            box->cell[kept - 1] = box->cell[kept];
            box->nth[kept - 1] = box->nth[kept];
        } else {
            kept++;
        }
    }
    box->rank = kept;
}

size_t cel_box_run(struct cel_box *box, const struct cel_transfer *transfer)
{
    merge(box, true, false);
    if (box->rank == 0)
        return 1;
    return box->rank == 1 && box->user[0] == (ptrdiff_t)transfer->user_size &&
                   box->cell[0] == (ptrdiff_t)transfer->cell_size
               ? box->n[0]
               : 0;
}

/* One row of a box: n elements, `user` and `cell` bytes apart. */
struct row {
    char *user_at, *cell_at;
    size_t n, nth_at;
    ptrdiff_t user, cell;
};
typedef size_t row_fn(const struct cel_transfer *transfer, const struct row *row);

/* Run every row of a merged box. */
static size_t each_row(const struct cel_transfer *transfer, const struct cel_box *box, row_fn *run)
{
    int outer = box->rank - 1;
    size_t at[CEL_RANK_MAX] = {0}, lost = 0;
    struct row row = {
        box->user_at, box->cell_at, 1, box->nth_at, (ptrdiff_t)transfer->user_size, (ptrdiff_t)transfer->cell_size};

    if (outer >= 0) {
        row.n = box->n[outer];
        row.user = box->user[outer];
        row.cell = box->cell[outer];
    }
    for (int d = 0; d < box->rank; d++)
        if (!box->n[d])
            return 0;
    for (;;) {
        int d;

        lost += run(transfer, &row);
        for (d = outer - 1; d >= 0; d--) {
            row.user_at += box->user[d];
            row.cell_at += box->cell[d];
            row.nth_at += box->nth[d];
            if (++at[d] < box->n[d])
                break;
            row.user_at -= box->user[d] * (ptrdiff_t)box->n[d];
            row.cell_at -= box->cell[d] * (ptrdiff_t)box->n[d];
            row.nth_at -= box->nth[d] * box->n[d];
            at[d] = 0;
        }
        if (d < 0)
            return lost;
    }
}

/* --- copying with gaps ------------------------------------------------------ */

#define COPY_LOOP(size) \
    for (size_t i = 0; i < n; i++, dst += dst_step, src += src_step) \
    memcpy(dst, src, size)

static void copy_steps(char *dst, ptrdiff_t dst_step, const char *src, ptrdiff_t src_step, size_t n, size_t size)
{
    if (dst_step == (ptrdiff_t)size && src_step == (ptrdiff_t)size)
        memcpy(dst, src, n * size);
    else if (size == 4)
        COPY_LOOP(4);
    else if (size == 8)
        COPY_LOOP(8);
    else if (size == 2)
        COPY_LOOP(2);
    else if (size == 1)
        COPY_LOOP(1);
    else
        COPY_LOOP(size);
}

static size_t gather_same(const struct cel_transfer *transfer, const struct row *row)
{
    copy_steps(row->cell_at, row->cell, row->user_at, row->user, row->n, transfer->cell_size);
    return 0;
}

static bool is_packed(ptrdiff_t step, size_t size, size_t n)
{
    return n == 1 || step == (ptrdiff_t)size;
}

static size_t scatter_same(const struct cel_transfer *transfer, const struct row *row)
{
    if (transfer->nontemporal && is_packed(row->user, transfer->user_size, row->n) &&
        is_packed(row->cell, transfer->cell_size, row->n))
        cel_copy_nontemporal(row->user_at, row->cell_at, row->n * transfer->user_size);
    else
        copy_steps(row->user_at, row->user, row->cell_at, row->cell, row->n, transfer->cell_size);
    return 0;
}

/* --- with work on the way: packed pieces ---------------------------------------- */

static void zero_holes(const struct cel_transfer *transfer, char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < transfer->nholes; h++)
            memset(at + i * transfer->cell_size + transfer->hole[h].offset, 0, transfer->hole[h].nbytes);
}

static void quantize_piece(const struct cel_transfer *transfer, char *dst, const char *src, size_t n, size_t nth)
{
    if (!transfer->bitgroom_per_element) {
        cel_quantize(transfer->quantizer, dst, src, n, nth, transfer->worst);
        return;
    }
    for (size_t i = 0; i < n; i++)
        cel_quantize(transfer->quantizer, dst + i * transfer->cell_size, src + i * transfer->cell_size, 1, 0,
                     transfer->worst);
}

/* n packed elements of the caller's type to n packed elements of the chunk. */
static size_t to_cell(const struct cel_transfer *transfer, char *cell, const char *user, size_t n, size_t nth)
{
    size_t lost = 0;

    if (transfer->convert)
        lost = transfer->convert(cell, user, n);
    if (transfer->quantizer)
        quantize_piece(transfer, cell, transfer->convert ? cell : user, n, nth);
    else if (!transfer->convert)
        memcpy(cell, user, n * transfer->cell_size);
    if (transfer->nholes)
        zero_holes(transfer, cell, n);
    if (transfer->swap)
        cel_swap_bytes(cell, cell, n, transfer->cell_size);
    return lost;
}

static size_t to_user(const struct cel_transfer *transfer, char *user, const char *cell, size_t n)
{
    unsigned char turned[BOUNCE];

    if (transfer->swap && !transfer->convert) {
        cel_swap_bytes(user, cell, n, transfer->cell_size);
        return 0;
    }
    if (transfer->swap) {
        cel_swap_bytes(turned, cell, n, transfer->cell_size);
        return transfer->convert(user, turned, n);
    }
    if (transfer->convert)
        return transfer->convert(user, cell, n);
    memcpy(user, cell, n * transfer->cell_size);
    return 0;
}

/* Elements worked on at a time, so that they stay near and fit the bounce buffers. */
static size_t piece_of(const struct cel_transfer *transfer)
{
    size_t size = transfer->user_size > transfer->cell_size ? transfer->user_size : transfer->cell_size;

    return size < BOUNCE ? BOUNCE / size : 1;
}

static size_t gather_worked(const struct cel_transfer *transfer, const struct row *row)
{
    unsigned char user[BOUNCE], cell[BOUNCE];
    size_t piece = piece_of(transfer), lost = 0, n;

    for (size_t i = 0; i < row->n; i += n) {
        char *src = row->user_at + row->user * (ptrdiff_t)i, *dst = row->cell_at + row->cell * (ptrdiff_t)i;

        n = row->n - i < piece ? row->n - i : piece;
        if (!is_packed(row->user, transfer->user_size, n)) {
            copy_steps((char *)user, (ptrdiff_t)transfer->user_size, src, row->user, n, transfer->user_size);
            src = (char *)user;
        }
        if (is_packed(row->cell, transfer->cell_size, n)) {
            lost += to_cell(transfer, dst, src, n, row->nth_at + i);
        } else {
            lost += to_cell(transfer, (char *)cell, src, n, row->nth_at + i);
            copy_steps(dst, row->cell, (char *)cell, (ptrdiff_t)transfer->cell_size, n, transfer->cell_size);
        }
    }
    return lost;
}

static size_t scatter_worked(const struct cel_transfer *transfer, const struct row *row)
{
    unsigned char user[BOUNCE], cell[BOUNCE];
    size_t piece = piece_of(transfer), lost = 0, n;

    for (size_t i = 0; i < row->n; i += n) {
        char *dst = row->user_at + row->user * (ptrdiff_t)i, *src = row->cell_at + row->cell * (ptrdiff_t)i;

        n = row->n - i < piece ? row->n - i : piece;
        if (!is_packed(row->cell, transfer->cell_size, n)) {
            copy_steps((char *)cell, (ptrdiff_t)transfer->cell_size, src, row->cell, n, transfer->cell_size);
            src = (char *)cell;
        }
        if (!is_packed(row->user, transfer->user_size, n)) {
            lost += to_user(transfer, (char *)user, src, n);
            copy_steps(dst, row->user, (char *)user, (ptrdiff_t)transfer->user_size, n, transfer->user_size);
        } else if (transfer->nontemporal) {
            lost += to_user(transfer, (char *)user, src, n);
            cel_copy_nontemporal(dst, (char *)user, n * transfer->user_size);
        } else {
            lost += to_user(transfer, dst, src, n);
        }
    }
    return lost;
}

/* --- fill ------------------------------------------------------------------------ */

static void fill_run(char *at, const void *value, size_t size, size_t n)
{
    if (value)
        cel_fill(at, value, size, n);
    else
        memset(at, 0, size * n);
}

void cel_fill_cell(const struct cel_transfer *transfer, void *cell, size_t n)
{
    fill_run(cell, transfer->cell_fill, transfer->cell_size, n);
}

/* Strings and vlens become the caller's own; one there is no memory for is empty. */
static void fill_deep(const struct cel_transfer *transfer, char *at)
{
    if (!transfer->user_fill || cel_value_copy(transfer->deep, transfer->user_fill, 1, at) != CEL_OK)
        memset(at, 0, transfer->user_size);
}

static size_t fill_row(const struct cel_transfer *transfer, const struct row *row)
{
    if (!transfer->deep && is_packed(row->user, transfer->user_size, row->n)) {
        fill_run(row->user_at, transfer->user_fill, transfer->user_size, row->n);
        return transfer->fill_out_of_range ? row->n : 0;
    }
    for (size_t i = 0; i < row->n; i++) {
        char *at = row->user_at + row->user * (ptrdiff_t)i;

        if (transfer->deep)
            fill_deep(transfer, at);
        else
            fill_run(at, transfer->user_fill, transfer->user_size, 1);
    }
    return transfer->fill_out_of_range ? row->n : 0;
}

size_t cel_scatter_fill(const struct cel_transfer *transfer, struct cel_box *box)
{
    box->cell_at = box->user_at; /* there is no chunk: its rows move nowhere */
    memset(box->cell, 0, sizeof box->cell);
    merge(box, false, false);
    return each_row(transfer, box, fill_row);
}

/* --- both ways ---------------------------------------------------------------------- */

size_t cel_gather(const struct cel_transfer *transfer, struct cel_box *box)
{
    merge(box, true, transfer->quantizer != NULL);
    return each_row(transfer, box, transfer->same ? gather_same : gather_worked);
}

size_t cel_scatter(const struct cel_transfer *transfer, struct cel_box *box)
{
    size_t lost;

    merge(box, true, false);
    lost = each_row(transfer, box, transfer->same ? scatter_same : scatter_worked);
    if (transfer->nontemporal)
        cel_nontemporal_fence();
    return lost;
}

/* --- from byte planes ------------------------------------------------------------------ */

static void unshuffle_row(const struct cel_transfer *transfer, const struct cel_planes *planes, const struct row *row)
{
    size_t size = transfer->cell_size, from = (size_t)(row->cell_at - planes->at) / size, piece = piece_of(transfer), n;
    ptrdiff_t step = row->cell / (ptrdiff_t)size;
    char packed[BOUNCE];

    if (is_packed(row->user, size, row->n) && is_packed(row->cell, size, row->n)) {
        cel_planes_take(planes, from, row->n, row->user_at, transfer->nontemporal);
        return;
    }
    if (size > BOUNCE)
        piece = 0;
    for (size_t i = 0; i < row->n; i += n) {
        char *to = piece ? packed : row->user_at + row->user * (ptrdiff_t)i;

        n = !piece ? 1 : row->n - i < piece ? row->n - i : piece;
        if (step == 1)
            cel_planes_take(planes, from + i, n, to, false);
        else
            cel_planes_pick(planes, from + i * (size_t)step, step, n, to);
        if (piece)
            copy_steps(row->user_at + row->user * (ptrdiff_t)i, row->user, packed, (ptrdiff_t)size, n, size);
    }
}

/* each_row() knows no planes: they come with the way. */
struct planes_way {
    struct cel_transfer transfer; /* first */
    const struct cel_planes *planes;
};

static size_t scatter_planes(const struct cel_transfer *transfer, const struct row *row)
{
    unshuffle_row(transfer, ((const struct planes_way *)transfer)->planes, row);
    return 0;
}

void cel_scatter_planes(const struct cel_transfer *transfer, const struct cel_planes *planes, struct cel_box *box)
{
    struct planes_way with = {*transfer, planes};

    merge(box, true, false);
    each_row(&with.transfer, box, scatter_planes);
    if (transfer->nontemporal)
        cel_nontemporal_fence();
}
