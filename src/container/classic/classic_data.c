/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a classic file. A row is as many elements as lie side by side both in the
 * file and in the caller's memory; a block is as many rows as have only small gaps
 * between them, so that it pays to move the gaps along. */
#include "classic_int.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

struct walk {
    struct classic *c;
    const struct cel_var *var;
    const size_t *start, *count;
    const ptrdiff_t *stride;
    uint64_t step[CEL_RANK_MAX]; /* bytes from one index to the next in the file */
    int rows_from;               /* dimensions from here on make one row */
    size_t row;                  /* elements of a row */
    int block_from;              /* dimensions from here on make one block */
    uint64_t nrows, span;        /* of a block: its rows, and its bytes in the file with the gaps */
};

static size_t stride_of(const struct walk *w, int d)
{
    return w->stride ? (size_t)w->stride[d] : 1;
}

/* Bytes in the file from one index of the request to the next. */
static uint64_t pitch_of(const struct walk *w, int d)
{
    return w->step[d] * stride_of(w, d);
}

static size_t row_bytes(const struct walk *w)
{
    return w->row * w->var->type->size;
}

/* The first length is left alone: it may be that of the records, which grows meanwhile. */
static void measure_steps(struct walk *w)
{
    uint64_t step = w->var->type->size;

    for (int d = w->var->ndims - 1; d > 0; d--) {
        w->step[d] = step;
        step *= w->var->dim[d]->len;
    }
    if (w->var->ndims)
        w->step[0] = priv_of(w->var)->is_record ? w->c->recsize : step;
}

/* Whole trailing dimensions join the row as long as the file has no gaps there. */
static void measure_row(struct walk *w)
{
    const struct cel_var *var = w->var;

    w->row = 1;
    w->rows_from = var->ndims;
    while (w->rows_from > 0) {
        int d = w->rows_from - 1;
        if (stride_of(w, d) != 1 || w->step[d] != row_bytes(w))
            break;
        w->row *= w->count[d];
        w->rows_from = d;
        if (d > 0 && w->count[d] != var->dim[d]->len)
            break;
    }
}

static void measure_block(struct walk *w)
{
    w->block_from = w->rows_from;
    w->nrows = 1;
    w->span = row_bytes(w);
    while (w->block_from > 0 && row_bytes(w) <= CLASSIC_WINDOW / 4) {
        int d = w->block_from - 1;
        if (w->count[d] > 1 && pitch_of(w, d) > w->span + CLASSIC_GAP)
            break;
        w->span += (w->count[d] - 1) * pitch_of(w, d);
        w->nrows *= w->count[d];
        w->block_from = d;
    }
}

static uint64_t block_address(const struct walk *w, const size_t *at)
{
    uint64_t address = priv_of(w->var)->begin;

    for (int d = 0; d < w->var->ndims; d++)
        address += w->start[d] * w->step[d] + (d < w->block_from ? at[d] * pitch_of(w, d) : 0);
    return address;
}

/* The next index in dimensions [from, to); false after the last. */
static bool next_index(const struct walk *w, size_t *at, int from, int to)
{
    for (int d = to; d-- > from;) {
        if (++at[d] < w->count[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* --- a block of several rows: through a window ------------------------------------------ */

struct window {
    char *data;
    uint64_t at;
    size_t len;
    bool dirty;
};

static int store_window(struct classic *c, struct window *win)
{
    int rc = win->dirty ? cel_classic_io_write(&c->io, win->at, win->data, win->len) : CEL_OK;

    win->dirty = false;
    return rc;
}

static int see(struct classic *c, struct window *win, uint64_t at, size_t need, uint64_t end, bool put)
{
    int rc;

    if (win->len && at >= win->at && at + need <= win->at + win->len)
        return CEL_OK;
    rc = store_window(c, win);
    win->at = at;
    win->len = end - at < CLASSIC_WINDOW ? (size_t)(end - at) : CLASSIC_WINDOW;
    if (rc != CEL_OK)
        return rc;
    return put ? cel_classic_io_read_over(&c->io, at, win->data, win->len)
               : cel_classic_io_read(&c->io, at, win->data, win->len);
}

/* The rows along the innermost of the block's dimensions. */
static int move_line(const struct walk *w, struct window *win, uint64_t at, uint64_t end, char *data, bool put)
{
    size_t size = w->var->type->size, left = w->count[w->rows_from - 1], nbytes = row_bytes(w);
    uint64_t pitch = pitch_of(w, w->rows_from - 1);
    int rc = CEL_OK;

    while (rc == CEL_OK && left > 0) {
        size_t n;

        rc = see(w->c, win, at, nbytes, end, put);
        if (rc != CEL_OK)
            break;
        n = (size_t)((win->at + win->len - at - nbytes) / pitch) + 1;
        n = n < left ? n : left;
        if (put)
            cel_classic_pack_rows(win->data + (at - win->at), data, (size_t)pitch, n, w->row, size);
        else
            cel_classic_unpack_rows(data, win->data + (at - win->at), (size_t)pitch, n, w->row, size);
        win->dirty = put;
        at += n * pitch;
        data += n * nbytes;
        left -= n;
    }
    return rc;
}

static int move_block(const struct walk *w, uint64_t address, char *data, bool put)
{
    struct window win = {.data = cel_malloc(CLASSIC_WINDOW)};
    size_t at[CEL_RANK_MAX] = {0}, line = w->count[w->rows_from - 1] * row_bytes(w);
    int rc = win.data ? CEL_OK : NC_ENOMEM;

    do {
        uint64_t here = address;
        for (int d = w->block_from; d < w->rows_from - 1; d++)
            here += at[d] * pitch_of(w, d);
        if (rc == CEL_OK)
            rc = move_line(w, &win, here, address + w->span, data, put);
        data += line;
    } while (rc == CEL_OK && next_index(w, at, w->block_from, w->rows_from - 1));
    if (rc == CEL_OK)
        rc = store_window(w->c, &win);
    free(win.data);
    return rc;
}

/* --- the whole request ---------------------------------------------------------------------- */

/* Where a byte of the file lies among the variable's own. */
static uint64_t own_address(const struct walk *w, uint64_t address)
{
    const struct cel_classic_var *p = priv_of(w->var);
    uint64_t at = address - p->begin;

    return p->is_record ? at / w->c->recsize * cel_classic_part(w->c, p) + at % w->c->recsize : at;
}

/* Pending fill values, as far as this block needs them: those before it and, if
 * it leaves gaps or is to be read, those within. *end: where the variable's bytes are done with it. */
static int write_fill_for(const struct walk *w, uint64_t address, bool put, uint64_t *end)
{
    uint64_t first;
    bool covers;

    *end = 0;
    if (priv_of(w->var)->done == UINT64_MAX)
        return CEL_OK;
    first = own_address(w, address);
    *end = own_address(w, address + w->span - 1) + 1;
    covers = put && *end - first == w->nrows * row_bytes(w);
    return cel_classic_write_fill(w->c, w->var, covers ? first : *end);
}

/* What could not be written is still pending. */
static int move_one(const struct walk *w, uint64_t address, char *data, bool put)
{
    struct cel_classic_var *p = priv_of(w->var);
    size_t size = w->var->type->size;
    uint64_t end;
    int rc = write_fill_for(w, address, put, &end);

    if (rc == CEL_OK && w->nrows > 1)
        rc = move_block(w, address, data, put);
    else if (rc == CEL_OK)
        rc = put ? cel_classic_put_row(&w->c->io, address, data, w->row, size)
                 : cel_classic_get_row(&w->c->io, address, data, w->row, size);
    if (rc == CEL_OK && put && p->done < end)
        p->done = end;
    return rc;
}

static int move(struct walk *w, char *data, bool put)
{
    size_t at[CEL_RANK_MAX];
    int rc = CEL_OK;

    measure_steps(w);
    measure_row(w);
    measure_block(w);
    memset(at, 0, (size_t)w->block_from * sizeof *at);
    do {
        rc = move_one(w, block_address(w, at), data, put);
        data += w->nrows * row_bytes(w);
    } while (rc == CEL_OK && next_index(w, at, 0, w->block_from));
    return rc;
}

/* A file opened for reading needs no lock: nothing of it changes. */
static int move_locked(struct walk *w, char *data, bool put)
{
    bool locks = w->c->io.writable;
    int rc;

    for (int d = 0; d < w->var->ndims; d++)
        if (!w->count[d])
            return CEL_OK;
    if (locks)
        cel_lock(&w->c->lock);
    rc = move(w, data, put);
    if (locks)
        cel_unlock(&w->c->lock);
    return rc;
}

/* What is measured later is left as it is: clearing it would cost as much as moving a value. */
static void start_walk(struct walk *w, struct cel_dataset *ds, const struct cel_var *var, const size_t *start,
                       const size_t *count, const ptrdiff_t *stride)
{
    w->c = cel_classic_of(ds);
    w->var = var;
    w->start = start;
    w->count = count;
    w->stride = stride;
}

int cel_classic_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                    const ptrdiff_t *stride, void *data)
{
    struct walk w;

    start_walk(&w, ds, var, start, count, stride);
    return move_locked(&w, data, false);
}

int cel_classic_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                    const ptrdiff_t *stride, const void *data)
{
    struct walk w;

    int rc;

    start_walk(&w, ds, var, start, count, stride);
    rc = move_locked(&w, (char *)data, true);
    return rc == CEL_OK && ds->mode & NC_SHARE ? cel_classic_share(ds) : rc;
}
