/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements that lie in other files: the message that names those files, one part of the elements each.
 *
 *   1 0(3) allocated(2) used(2) address of a local heap(O), then each: name's offset in it(L) offset in the file(L) bytes(L)
 * Bytes with all bits set: as many as are left.
 * HDF5 File Format Specification version 3, IV.A.2.h. */
#include "h5_read_int.h"
#include <stdlib.h>

static int take_part(const struct cel_h5r_file *file, const unsigned char *names, size_t n, struct cel_h5_bytes *b,
                     struct cel_h5r_part_file *out)
{
    uint64_t name = cel_h5_take_number(b, file->length_size);

    out->offset = cel_h5_take_number(b, file->length_size);
    out->size = cel_h5r_take_length(file, b);
    if (b->ended || name >= n || !memchr(names + name, '\0', n - (size_t)name) || out->offset > INT64_MAX)
        return CEL_ASK_LIBHDF5;
    out->name = cel_strdup((const char *)names + name);
    return out->name ? CEL_OK : NC_ENOMEM;
}

int cel_h5r_external_read(const struct cel_h5r_file *file, struct cel_h5_bytes b, struct cel_h5r_external *out)
{
    uint64_t version = cel_h5_take_number(&b, 1), used, heap;
    unsigned char *names = NULL;
    size_t n = 0;
    int rc;

    cel_h5_take(&b, 5);
    used = cel_h5_take_number(&b, 2);
    heap = cel_h5r_take_address(file, &b);
    if (b.ended || version != 1 || used == 0 || used > CEL_H5R_PARTS_MAX)
        return CEL_ASK_LIBHDF5;
    rc = cel_h5r_local_heap_read(file, heap, &names, &n);
    if (rc == CEL_OK && !(out->part = cel_calloc((size_t)used, sizeof *out->part)))
        rc = NC_ENOMEM;
    for (; rc == CEL_OK && out->n < used; out->n++)
        rc = take_part(file, names, n, &b, &out->part[out->n]);
    free(names);
    return rc;
}

void cel_h5r_external_dispose(struct cel_h5r_external *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->part[i].name);
    free(e->part);
    *e = (struct cel_h5r_external){0};
}
