/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of elements between the caller's memory and a chunk, converted, quantized
 * and byte-swapped between them. Dimensions that continue each other in both
 * memories are merged first, so that most boxes become a few long rows. Rows with
 * gaps go through a small bounce buffer, where the kernels see packed values. */
#include "array_int.h"
#include <string.h>

#define BOUNCE 2048 /* bytes; a larger element is moved alone */

/* --- boxes ------------------------------------------------------------- */

/* Does dimension d just continue dimension e, the next faster one? */
static bool continues(const struct cel_box *box, int d, int e, bool chunk_too, bool nth_too)
{
    ptrdiff_t n = (ptrdiff_t)box->n[e];

    return box->user[d] == box->user[e] * n && (!chunk_too || box->chunk[d] == box->chunk[e] * n) &&
           (!nth_too || box->nth[d] == box->nth[e] * box->n[e]);
}

static void merge(struct cel_box *box, bool chunk_too, bool nth_too)
{
    int kept = 0;

    for (int d = 0; d < box->rank; d++) {
        if (box->n[d] == 1)
            continue;
        box->n[kept] = box->n[d];
        box->user[kept] = box->user[d];
        box->chunk[kept] = box->chunk[d];
        box->nth[kept] = box->nth[d];
        if (kept && continues(box, kept - 1, kept, chunk_too, nth_too)) {
            box->n[kept - 1] *= box->n[kept];
            box->user[kept - 1] = box->user[kept];
            box->chunk[kept - 1] = box->chunk[kept];
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
                   box->chunk[0] == (ptrdiff_t)transfer->size_in_chunk
               ? box->n[0]
               : 0;
}

/* One row of a box: n elements, `user` and `chunk` bytes apart. */
struct row {
    char *user_at, *chunk_at;
    size_t n, nth_at;
    ptrdiff_t user, chunk;
};
typedef size_t row_fn(const struct cel_transfer *transfer, const struct row *row);

/* Run every row of a merged box. */
static size_t each_row(const struct cel_transfer *transfer, const struct cel_box *box, row_fn *run)
{
    int outer = box->rank - 1;
    size_t at[CEL_RANK_MAX] = {0}, nrange = 0;
    struct row row = {box->user_at,
                      box->chunk_at,
                      1,
                      box->nth_at,
                      (ptrdiff_t)transfer->user_size,
                      (ptrdiff_t)transfer->size_in_chunk};

    if (outer >= 0) {
        row.n = box->n[outer];
        row.user = box->user[outer];
        row.chunk = box->chunk[outer];
    }
    for (int d = 0; d < box->rank; d++)
        if (!box->n[d])
            return 0;
    for (;;) {
        int d;

        nrange += run(transfer, &row);
        for (d = outer - 1; d >= 0; d--) {
            row.user_at += box->user[d];
            row.chunk_at += box->chunk[d];
            row.nth_at += box->nth[d];
            if (++at[d] < box->n[d])
                break;
            row.user_at -= box->user[d] * (ptrdiff_t)box->n[d];
            row.chunk_at -= box->chunk[d] * (ptrdiff_t)box->n[d];
            row.nth_at -= box->nth[d] * box->n[d];
            at[d] = 0;
        }
        if (d < 0)
            return nrange;
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
    copy_steps(row->chunk_at, row->chunk, row->user_at, row->user, row->n, transfer->size_in_chunk);
    return 0;
}

static bool is_packed(ptrdiff_t step, size_t size, size_t n)
{
    return n == 1 || step == (ptrdiff_t)size;
}

static size_t scatter_same(const struct cel_transfer *transfer, const struct row *row)
{
    if (transfer->nontemporal && is_packed(row->user, transfer->user_size, row->n) &&
        is_packed(row->chunk, transfer->size_in_chunk, row->n))
        cel_copy_nontemporal(row->user_at, row->chunk_at, row->n * transfer->user_size);
    else
        copy_steps(row->user_at, row->user, row->chunk_at, row->chunk, row->n, transfer->size_in_chunk);
    return 0;
}

/* --- converting: packed pieces ---------------------------------------- */

static void zero_holes(const struct cel_transfer *transfer, char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < transfer->nholes; h++)
            memset(at + i * transfer->size_in_chunk + transfer->hole[h].offset, 0, transfer->hole[h].nbytes);
}

static void quantize_piece(const struct cel_transfer *transfer, char *dst, const char *src, size_t n, size_t nth)
{
    if (!transfer->bitgroom_per_element) {
        cel_quantize(transfer->quantizer, dst, src, n, nth, transfer->worst);
        return;
    }
    for (size_t i = 0; i < n; i++)
        cel_quantize(transfer->quantizer, dst + i * transfer->size_in_chunk, src + i * transfer->size_in_chunk, 1, 0,
                     transfer->worst);
}

/* n packed elements of the caller's type to n packed elements of the chunk. */
static size_t to_chunk(const struct cel_transfer *transfer, char *chunk, const char *user, size_t n, size_t nth)
{
    size_t nrange = 0;

    if (transfer->convert)
        nrange = transfer->convert(chunk, user, n);
    if (transfer->quantizer)
        quantize_piece(transfer, chunk, transfer->convert ? chunk : user, n, nth);
    else if (!transfer->convert)
        memcpy(chunk, user, n * transfer->size_in_chunk);
    if (transfer->nholes)
        zero_holes(transfer, chunk, n);
    if (transfer->swap)
        cel_swap_bytes(chunk, chunk, n, transfer->size_in_chunk);
    return nrange;
}

static size_t to_user(const struct cel_transfer *transfer, char *user, const char *chunk, size_t n)
{
    unsigned char swapped[BOUNCE];

    if (transfer->swap && !transfer->convert) {
        cel_swap_bytes(user, chunk, n, transfer->size_in_chunk);
        return 0;
    }
    if (transfer->swap) {
        cel_swap_bytes(swapped, chunk, n, transfer->size_in_chunk);
        return transfer->convert(user, swapped, n);
    }
    if (transfer->convert)
        return transfer->convert(user, chunk, n);
    memcpy(user, chunk, n * transfer->size_in_chunk);
    return 0;
}

/* Elements worked on at a time, so that they stay in the processor's cache and fit the bounce buffers. */
static size_t piece_of(const struct cel_transfer *transfer)
{
    size_t size = transfer->user_size > transfer->size_in_chunk ? transfer->user_size : transfer->size_in_chunk;

    return size < BOUNCE ? BOUNCE / size : 1;
}

static size_t gather_converting(const struct cel_transfer *transfer, const struct row *row)
{
    unsigned char user[BOUNCE], chunk[BOUNCE];
    size_t piece = piece_of(transfer), nrange = 0, n;

    for (size_t i = 0; i < row->n; i += n) {
        char *src = row->user_at + row->user * (ptrdiff_t)i, *dst = row->chunk_at + row->chunk * (ptrdiff_t)i;

        n = row->n - i < piece ? row->n - i : piece;
        if (!is_packed(row->user, transfer->user_size, n)) {
            copy_steps((char *)user, (ptrdiff_t)transfer->user_size, src, row->user, n, transfer->user_size);
            src = (char *)user;
        }
        if (is_packed(row->chunk, transfer->size_in_chunk, n)) {
            nrange += to_chunk(transfer, dst, src, n, row->nth_at + i);
        } else {
            nrange += to_chunk(transfer, (char *)chunk, src, n, row->nth_at + i);
            copy_steps(dst, row->chunk, (char *)chunk, (ptrdiff_t)transfer->size_in_chunk, n, transfer->size_in_chunk);
        }
    }
    return nrange;
}

static size_t scatter_converting(const struct cel_transfer *transfer, const struct row *row)
{
    unsigned char user[BOUNCE], chunk[BOUNCE];
    size_t piece = piece_of(transfer), nrange = 0, n;

    for (size_t i = 0; i < row->n; i += n) {
        char *dst = row->user_at + row->user * (ptrdiff_t)i, *src = row->chunk_at + row->chunk * (ptrdiff_t)i;

        n = row->n - i < piece ? row->n - i : piece;
        if (!is_packed(row->chunk, transfer->size_in_chunk, n)) {
            copy_steps((char *)chunk, (ptrdiff_t)transfer->size_in_chunk, src, row->chunk, n, transfer->size_in_chunk);
            src = (char *)chunk;
        }
        if (!is_packed(row->user, transfer->user_size, n)) {
            nrange += to_user(transfer, (char *)user, src, n);
            copy_steps(dst, row->user, (char *)user, (ptrdiff_t)transfer->user_size, n, transfer->user_size);
        } else if (transfer->nontemporal) {
            nrange += to_user(transfer, (char *)user, src, n);
            cel_copy_nontemporal(dst, (char *)user, n * transfer->user_size);
        } else {
            nrange += to_user(transfer, dst, src, n);
        }
    }
    return nrange;
}

/* --- fill ------------------------------------------------------------------------ */

static void fill_run(char *at, const void *value, size_t size, size_t n)
{
    if (value)
        cel_fill(at, value, size, n);
    else
        memset(at, 0, size * n);
}

void cel_fill_chunk(const struct cel_transfer *transfer, void *chunk, size_t n)
{
    fill_run(chunk, transfer->fill_in_chunk, transfer->size_in_chunk, n);
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
    box->chunk_at = box->user_at; /* there is no chunk: its rows move nowhere */
    memset(box->chunk, 0, sizeof box->chunk);
    merge(box, false, false);
    return each_row(transfer, box, fill_row);
}

/* --- both directions ---------------------------------------------------------------------- */

size_t cel_gather(const struct cel_transfer *transfer, struct cel_box *box)
{
    merge(box, true, transfer->quantizer != NULL);
    return each_row(transfer, box, transfer->same ? gather_same : gather_converting);
}

size_t cel_scatter(const struct cel_transfer *transfer, struct cel_box *box)
{
    size_t nrange;

    merge(box, true, false);
    nrange = each_row(transfer, box, transfer->same ? scatter_same : scatter_converting);
    if (transfer->nontemporal)
        cel_nontemporal_fence();
    return nrange;
}

/* --- from byte planes ------------------------------------------------------------------ */

static void unshuffle_row(const struct cel_transfer *transfer, const struct cel_planes *planes, const struct row *row)
{
    size_t size = transfer->size_in_chunk, from = (size_t)(row->chunk_at - planes->at) / size,
           piece = piece_of(transfer), n;
    ptrdiff_t step = row->chunk / (ptrdiff_t)size;
    char packed[BOUNCE];

    if (is_packed(row->user, size, row->n) && is_packed(row->chunk, size, row->n)) {
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

/* each_row() hands rows only the transfer: the planes come with it. */
struct planes_transfer {
    struct cel_transfer transfer; /* first */
    const struct cel_planes *planes;
};

static size_t scatter_planes(const struct cel_transfer *transfer, const struct row *row)
{
    unshuffle_row(transfer, ((const struct planes_transfer *)transfer)->planes, row);
    return 0;
}

void cel_scatter_planes(const struct cel_transfer *transfer, const struct cel_planes *planes, struct cel_box *box)
{
    struct planes_transfer with = {*transfer, planes};

    merge(box, true, false);
    each_row(&with.transfer, box, scatter_planes);
    if (transfer->nontemporal)
        cel_nontemporal_fence();
}
