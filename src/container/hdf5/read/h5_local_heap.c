/* SPDX-License-Identifier: BSD-3-Clause */
/* Local heaps: the names of a group of the oldest kind, or of the files that hold a dataset's elements.
 *
 *   HEAP version(1) 0(3) size(L) free list(L) address of its bytes(O)
 * O, L: the file's sizes of addresses and lengths.
 * HDF5 File Format Specification version 3, III.D. */
#include "h5_read_int.h"

int cel_h5r_local_heap_read(const struct cel_h5r_file *file, uint64_t addr, unsigned char **out, size_t *nout)
{
    unsigned char bytes[8 + 2 * 8 + 8];
    size_t o = file->offset_size, l = file->length_size;
    struct cel_h5_bytes b = {.p = bytes + 8, .n = 2 * l + o};
    int rc = cel_h5r_get(file, addr, "local heap", bytes, 8 + 2 * l + o);
    uint64_t n, at;

    if (rc != CEL_OK)
        return rc;
    if (memcmp(bytes, "HEAP\0", 5) != 0)
        return cel_h5r_damaged(file, addr, "local heap", "its signature is missing");
    n = cel_h5_take_number(&b, l);
    cel_h5_take(&b, l);
    at = cel_h5r_take_address(file, &b);
    if (at == CEL_H5R_NOWHERE || !cel_h5r_is_inside(file, at, n))
        return cel_h5r_damaged(file, addr, "local heap", "it is longer than the file");
    *nout = (size_t)n;
    *out = cel_malloc((size_t)n);
    return *out ? cel_h5r_get(file, at, "local heap", *out, (size_t)n) : NC_ENOMEM;
}
