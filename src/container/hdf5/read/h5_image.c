/* SPDX-License-Identifier: BSD-3-Clause */
/* A metadata cache image: what libhdf5 had in memory when it closed the file, kept as one block instead of being written where
 * it belongs. Its entries are laid over the bytes of the file, in the cache below all structures.
 *
 *   MDCI version(1) flags(1) length(L) entries(4), then each: kind(1) flags(1) ring(1) age(1) children(2) of them changed(2)
 *   parents(2) rank(4) address(O) length(L), the parents' addresses(O each), its bytes; then a checksum(4)
 * O, L: the file's sizes of addresses and lengths.
 * HDF5 File Format Specification version 3, IV.A.2.y, and H5Cimage.c of HDF5 1.10. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HEAD = 10, ENTRY_HEAD = 14, UNREAD = 8, SUM = 4 }; /* UNREAD: of an entry, before the number of its parents */
static const char what[] = "metadata cache image";

static int by_address(const void *a, const void *b)
{
    const struct cel_h5r_patch *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

static int take_entry(const struct cel_h5r_file *f, struct cel_h5_bytes *b, struct cel_h5r_patch *out)
{
    uint64_t parents, addr, n;

    cel_h5_take(b, UNREAD);
    parents = cel_h5_take_number(b, 2);
    cel_h5_take(b, 4);
    addr = cel_h5r_take_address(f, b);
    n = cel_h5_take_number(b, f->length_size);
    cel_h5_take(b, (size_t)parents * f->offset_size);
    if (b->ended || n > b->n)
        return cel_h5r_bad_message(what, "it ends too early");
    if (!cel_h5r_is_inside(f, addr, n))
        return cel_h5r_bad_message(what, "an entry lies beyond the end of the file");
    *out = (struct cel_h5r_patch){.at = f->base + addr, .n = (size_t)n, .bytes = cel_h5_take(b, (size_t)n)};
    return CEL_OK;
}

static int take_entries(const struct cel_h5r_file *f, struct cel_h5_bytes b, struct cel_h5r_patches *out)
{
    uint64_t length, n;
    int rc = CEL_OK;

    cel_h5_take(&b, 6);
    length = cel_h5_take_number(&b, f->length_size);
    n = cel_h5_take_number(&b, 4);
    if (b.ended || length != out->nblock || n > b.n / (ENTRY_HEAD + f->offset_size + f->length_size))
        return cel_h5r_bad_message(what, "it has more entries than it is long");
    out->at = cel_calloc((size_t)n, sizeof *out->at);
    if (!out->at)
        return NC_ENOMEM;
    while (rc == CEL_OK && out->n < n) {
        rc = take_entry(f, &b, &out->at[out->n]);
        out->n += rc == CEL_OK;
    }
    if (rc == CEL_OK)
        qsort(out->at, out->n, sizeof *out->at, by_address);
    for (size_t i = 1; rc == CEL_OK && i < out->n; i++)
        if (out->at[i - 1].at + out->at[i - 1].n > out->at[i].at)
            rc = cel_h5r_bad_message(what, "its entries lie over one another");
    return rc;
}

void cel_h5r_patches_dispose(struct cel_h5r_patches *p)
{
    free(p->at);
    free(p->block);
    *p = (struct cel_h5r_patches){0};
}

int cel_h5r_image_lay(const struct cel_h5r_file *f, uint64_t addr, uint64_t n)
{
    struct cel_h5r_patches p = {.nblock = (size_t)n};
    int rc;

    if (n < HEAD + f->length_size + SUM || !cel_h5r_is_inside(f, addr, n))
        return cel_h5r_damaged(f, addr, what, "it lies beyond the end of the file");
    p.block = cel_malloc(p.nblock);
    rc = p.block ? cel_h5r_get_summed(f, addr, "MDCI", what, p.block, p.nblock) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = take_entries(f, (struct cel_h5_bytes){.p = p.block, .n = p.nblock - SUM}, &p);
    if (rc == CEL_OK)
        rc = cel_h5r_cache_lay(f->source, &p);
    cel_h5r_patches_dispose(&p);
    return rc;
}
