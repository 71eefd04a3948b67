/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ND_STRIP_H
#define CEL_ND_STRIP_H

/* A strip is a row of cells: cells side by side along the last axis. The rows of its cells are streams of
 * bytes in the array. Cell by cell, a piece of `unit` bytes of each stream follows the other. So moving a
 * strip is transposing a matrix of pieces: nd_cells.c has the drawing. */

#include "kernels.h"
#include <stdbool.h>
#include <stddef.h>

struct cel_strip {
    const size_t *offset; /* of each stream in the array */
    size_t nstreams;
    size_t unit;    /* bytes of a piece */
    size_t ncells;  /* whole ones */
    size_t rest;    /* bytes of a piece of the last, smaller cell; 0: none */
    bool streaming; /* the array is larger than the caches: write around them */
};

/* The whole cells of a strip. false: this kernel has no form for it. */
typedef bool cel_strip_fn(const struct cel_strip *s, const char *src, char *dst);
/* Cells of a strip, from the first on, into byte planes of elements of `size` bytes that are n bytes apart. Returns how
 * many cells; 0: no form for them. */
typedef size_t cel_planes_fn(const struct cel_strip *s, const char *array, unsigned char *dst, size_t n, size_t size);
struct cel_strip_kernel {
    const char *name; /* NULL ends the table */
    bool (*usable)(void);
    cel_strip_fn *gather, *scatter; /* array -> cells, cells -> array */
    cel_planes_fn *planes;          /* NULL: none */
};
extern const struct cel_strip_kernel cel_strip_kernels[]; /* best first; the portable one, last, has every form */
cel_planes_fn cel_planes_avx2, cel_planes_avx512;         /* kernel_planes.c */

/* Calls `act` for each strip of an array, with the address of its corner in the array and of its first
 * cell among the cells. false: no memory for the table of streams. */
typedef void cel_strip_act(const struct cel_strip_kernel *k, const struct cel_strip *s, char *array, char *cells,
                           void *context);
struct cel_cells;
bool cel_cells_walk(const struct cel_cells *c, char *array, char *cells, cel_strip_act *act, void *context);

#endif
