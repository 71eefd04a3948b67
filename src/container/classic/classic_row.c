/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of big-endian values between file and memory. A long run is cut in pieces
 * that stay in the processor's cache between the system call and the swap; several
 * threads share them where the file is one on disk. */
#include "bytes.h"
#include "classic_int.h"
#include "convert.h"
#include "mem.h"
#include "pool.h"
#include "trace.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 << 10, LONG_RUN = 1 << 20, THREADS_MAX = 8 };

static bool is_swapped(size_t size)
{
    return size > 1 && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__;
}

static void swap(char *to, const char *from, size_t n, size_t size)
{
    if (is_swapped(size))
        cel_swap_bytes(to, from, n, size);
    else if (to != from)
        memcpy(to, from, n * size);
}

/* --- a long run by several threads ------------------------------------------------------ */

struct run {
    struct cel_classic_io *io;
    uint64_t at;
    char *memory;
    size_t nbytes, size;
    bool put;
    atomic_size_t next; /* the first byte that no thread has taken yet */
    atomic_bool failed;
};

struct share {
    struct cel_task task; /* first: the pool hands it back */
    struct run *run;
};

static size_t piece_at(const struct run *run, size_t from)
{
    return run->nbytes - from < PIECE ? run->nbytes - from : PIECE;
}

static int get_piece(const struct run *run, size_t from)
{
    size_t n = piece_at(run, from);
    CEL_TRACE(CEL_TRACE_READ, .name = "read, swap", .nbytes = n);
    int rc = cel_classic_io_read(run->io, run->at + from, run->memory + from, n);

    if (rc == CEL_OK)
        swap(run->memory + from, run->memory + from, n / run->size, run->size);
    return rc;
}

/* Swapped into a block first: the caller's values must not change. */
static int put_piece(const struct run *run, size_t from, char *block)
{
    size_t n = piece_at(run, from);

    CEL_TRACE(CEL_TRACE_WRITE, .name = "swap, write", .nbytes = n);
    swap(block, run->memory + from, n / run->size, run->size);
    return cel_classic_io_write_part(run->io, run->at + from, block, n);
}

static void move_pieces(struct cel_task *task)
{
    struct run *run = ((struct share *)task)->run;
    char *block = run->put ? cel_malloc(PIECE) : NULL;
    bool ok = !run->put || block;
    size_t from;

    while (ok && !atomic_load_explicit(&run->failed, memory_order_relaxed) &&
           (from = atomic_fetch_add_explicit(&run->next, PIECE, memory_order_relaxed)) < run->nbytes)
        ok = (run->put ? put_piece(run, from, block) : get_piece(run, from)) == CEL_OK;
    if (!ok)
        atomic_store_explicit(&run->failed, true, memory_order_relaxed);
    free(block);
}

/* False: something failed; the caller does it again by itself and learns what. */
static bool move_together(struct run *run)
{
    struct share shares[THREADS_MAX];
    struct cel_task_group tasks;
    int n = cel_pool_size() < THREADS_MAX ? cel_pool_size() : THREADS_MAX;

    cel_task_group_open(&tasks, false);
    for (int i = 0; i < n; i++) {
        shares[i] = (struct share){.task = {.run = move_pieces}, .run = run};
        cel_task_group_push(&tasks, &shares[i].task, false);
    }
    for (int i = 0; i < n; i++)
        cel_task_group_finish(&tasks, &shares[i].task);
    return !run->failed;
}

/* --- runs ------------------------------------------------------------------------------------- */

int cel_classic_get_row(struct cel_classic_io *io, uint64_t at, char *to, size_t n, size_t size)
{
    struct run run = {.io = io, .at = at, .memory = to, .nbytes = n * size, .size = size};
    int rc = CEL_OK;

    if (run.nbytes >= LONG_RUN && !io->in_memory && io->size >= at && io->size - at >= run.nbytes &&
        cel_pool_size() > 1 && (rc = cel_classic_io_flush(io)) == CEL_OK && move_together(&run))
        return CEL_OK;
    for (size_t from = 0; rc == CEL_OK && from < run.nbytes; from += PIECE)
        rc = get_piece(&run, from);
    return rc;
}

static int put_alone(struct run *run)
{
    char few[64]; /* a single value, mostly */
    char *block = run->nbytes <= sizeof few ? few : cel_malloc(piece_at(run, 0));
    int rc = block ? CEL_OK : NC_ENOMEM;

    for (size_t from = 0; rc == CEL_OK && from < run->nbytes; from += PIECE) {
        size_t n = piece_at(run, from);
        swap(block, run->memory + from, n / run->size, run->size);
        rc = cel_classic_io_write(run->io, run->at + from, block, n);
    }
    if (block != few)
        free(block);
    return rc;
}

int cel_classic_put_row(struct cel_classic_io *io, uint64_t at, const char *from, size_t n, size_t size)
{
    struct run run = {.io = io, .at = at, .memory = (char *)from, .nbytes = n * size, .size = size, .put = true};
    int rc = CEL_OK;

    if (!is_swapped(size))
        return cel_classic_io_write(io, at, from, run.nbytes);
    if (run.nbytes < LONG_RUN || io->in_memory || cel_pool_size() < 2)
        return put_alone(&run);
    cel_classic_io_forget(io);
    rc = cel_classic_io_flush(io);
    if (rc != CEL_OK || !move_together(&run))
        return rc == CEL_OK ? put_alone(&run) : rc;
    if (at + run.nbytes > io->size)
        io->size = at + run.nbytes;
    return CEL_OK;
}

/* --- many short rows ------------------------------------------------------------------------------ */

/* Single elements, as a stride in the last dimension leaves them: too short for a call each. */
#define PICK(bits) \
    static void pick_##bits(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t n) \
    { \
        for (size_t i = 0; i < n; i++, to += to_pitch, from += from_pitch) { \
            uint##bits##_t v = cel_get_be##bits(from); \
            memcpy(to, &v, sizeof v); \
        } \
    }
PICK(16)
PICK(32)
PICK(64)

static void move_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t nrows, size_t n,
                      size_t size)
{
    if (n == 1 && size == 2)
        pick_16(to, to_pitch, from, from_pitch, nrows);
    else if (n == 1 && size == 4)
        pick_32(to, to_pitch, from, from_pitch, nrows);
    else if (n == 1 && size == 8)
        pick_64(to, to_pitch, from, from_pitch, nrows);
    else
        for (size_t i = 0; i < nrows; i++)
            swap(to + i * to_pitch, from + i * from_pitch, n, size);
}

void cel_classic_unpack_rows(char *to, const char *window, size_t pitch, size_t nrows, size_t n, size_t size)
{
    move_rows(to, n * size, window, pitch, nrows, n, size);
}

void cel_classic_pack_rows(char *window, const char *from, size_t pitch, size_t nrows, size_t n, size_t size)
{
    move_rows(window, pitch, from, n * size, nrows, n, size);
}
