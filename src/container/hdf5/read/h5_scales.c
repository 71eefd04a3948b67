/* SPDX-License-Identifier: BSD-3-Clause */
/* Which dimension scales a dataset has: its attribute DIMENSION_LIST, a list of references for each dimension.
 *
 *   an element: count(4) collection of the global heap(address) index in it(4); there, as many references:
 *   reference to an object: its address
 *   reference of HDF5 1.12 on: kind(1) flags(1) length(1) address, then zeros up to 18 bytes, in a list more;
 *     flag 1: to another file, and stored otherwise
 * HDF5 File Format Specification version 4, IV.B; the dimension scale specification. */
#include "h5_read_int.h"
#include <string.h>

enum { OLD_OBJECT = 0, NEW_OBJECT = 2, TO_ANOTHER_FILE = 1 };

/* The first of the list; the rest are further names for the same dimension. */
static int read_reference(struct cel_h5r_reader *r, const struct cel_h5r_datatype *t, struct cel_h5_bytes b,
                          uint64_t *addr)
{
    uint64_t kind, flags, n;

    if ((t->message[1] & 15) == OLD_OBJECT) {
        *addr = cel_h5r_take_address(r->file, &b);
        return b.ended ? CEL_ASK_LIBHDF5 : CEL_OK;
    }
    kind = cel_h5_take_number(&b, 1);
    flags = cel_h5_take_number(&b, 1);
    n = cel_h5_take_number(&b, 1);
    if (b.ended || kind != NEW_OBJECT || flags & TO_ANOTHER_FILE || n > 8)
        return CEL_ASK_LIBHDF5;
    *addr = cel_h5_take_number(&b, (size_t)n);
    return b.ended ? CEL_ASK_LIBHDF5 : CEL_OK;
}

static int read_list(struct cel_h5r_reader *r, const struct cel_h5r_datatype *vlen, const unsigned char *p,
                     uint64_t *addr)
{
    struct cel_h5_bytes b = {.p = p, .n = vlen->size};
    uint64_t n = cel_h5_take_number(&b, 4), collection = cel_h5r_take_address(r->file, &b);
    uint64_t index = cel_h5_take_number(&b, 4);
    int rc;

    *addr = 0;
    if (b.ended || n == 0 || collection == 0)
        return b.ended ? CEL_ASK_LIBHDF5 : CEL_OK;
    rc = cel_h5r_global_heap_get(r, collection, (size_t)index, &b);
    return rc == CEL_OK ? read_reference(r, vlen->base, b, addr) : rc;
}

static int read_lists(struct cel_h5r_reader *r, const struct cel_h5r_attribute_value *v, int ndims, uint64_t *addr)
{
    const struct cel_h5r_datatype *t = v->type;
    int rc = CEL_OK;

    if (t->klass != CEL_H5R_VLEN || t->base->klass != CEL_H5R_REFERENCE || v->n != (size_t)ndims)
        return CEL_ASK_LIBHDF5;
    for (int d = 0; rc == CEL_OK && d < ndims; d++)
        rc = read_list(r, t, v->data.p + (size_t)d * t->size, &addr[d]);
    return rc;
}

int cel_h5r_dimension_list(struct cel_h5r_reader *r, uint64_t dataset, int ndims, uint64_t *addr)
{
    struct cel_h5r_attribute_value v;
    struct cel_h5r_attributes list;
    int rc = cel_h5r_attributes_read(r, dataset, &list);
    bool found = false;

    for (size_t i = 0; rc == CEL_OK && !found && i < list.n; i++) {
        const char *name = cel_h5r_attribute_name(&list.at[i]);

        found = name && strcmp(name, "DIMENSION_LIST") == 0;
        if (found)
            rc = cel_h5r_attribute_look(r, &list.at[i], &v);
        if (found && rc == CEL_OK) {
            rc = read_lists(r, &v, ndims, addr);
            cel_h5r_datatype_free(v.type);
        }
    }
    cel_h5r_attributes_dispose(&list);
    return rc == CEL_OK && !found ? CEL_ASK_LIBHDF5 : rc;
}
