/* SPDX-License-Identifier: BSD-3-Clause */
/* The file's table of shared messages: an index and a heap for each set of kinds of messages.
 *
 *   message of the superblock extension: version(1) address of the table(O) indices(1)
 *   table: "SMTB", then each index: version(1) list or tree(1) kinds of messages, a bit each(2) least size(4)
 *          list turns to tree(2) and back(2) messages(2) address of the index(O) of the heap(O), checksum(4)
 * HDF5 File Format Specification version 3, III.H. */
#include "h5_read_int.h"

enum { INDEX_HEAD = 14, INDICES_MAX = 8, ID = 8, KINDS = 16 };

int cel_h5r_sohm_note(struct cel_h5_bytes b, struct cel_h5r_file *file)
{
    uint64_t version = cel_h5_take_number(&b, 1);

    file->sohm = cel_h5r_take_address(file, &b);
    file->nsohm = (unsigned)cel_h5_take_number(&b, 1);
    return b.ended || version != 0 || file->nsohm > INDICES_MAX ? CEL_ASK_LIBHDF5 : CEL_OK;
}

/* Fill values have two messages, an old one and a new one, which are one kind here. */
static int find_heap(const struct cel_h5r_file *file, int type, uint64_t *heap)
{
    int kind = type == CEL_H5R_OLD_FILL ? CEL_H5R_FILL : type;
    unsigned char bytes[8 + INDICES_MAX * (INDEX_HEAD + 16)];
    size_t o = file->offset_size, each = INDEX_HEAD + 2 * o, n = 4 + file->nsohm * each + 4;
    int rc = cel_h5r_get(file, file->sohm, "table of shared messages", bytes, n);

    if (rc != CEL_OK)
        return rc;
    if (memcmp(bytes, "SMTB", 4) != 0 || !cel_h5_sum_matches(bytes, n))
        return cel_h5r_damaged(file, file->sohm, "table of shared messages", "its checksum does not match");
    for (unsigned i = 0; i < file->nsohm; i++) {
        struct cel_h5_bytes b = {.p = bytes + 4 + i * each, .n = each};

        cel_h5_take(&b, 2);
        if (!(cel_h5_take_number(&b, 2) >> kind & 1))
            continue;
        cel_h5_take(&b, INDEX_HEAD - 4 + o);
        *heap = cel_h5r_take_address(file, &b);
        return CEL_OK;
    }
    return cel_h5r_damaged(file, file->sohm, "table of shared messages", "it has none of a kind that is shared");
}

int cel_h5r_sohm_get(struct cel_h5r_reader *r, int type, const unsigned char *id, struct cel_buf *out)
{
    struct cel_h5r_fractal_heap *heap = NULL;
    struct cel_h5_bytes found = {0};
    uint64_t addr = CEL_H5R_NOWHERE;
    int rc = r->file->nsohm && type < KINDS ? find_heap(r->file, type, &addr) : CEL_ASK_LIBHDF5;

    if (rc == CEL_OK)
        rc = cel_h5r_fractal_heap_make(r->file, addr, &heap);
    if (rc == CEL_OK && cel_h5r_fractal_heap_id_size(heap) != ID)
        rc = cel_h5r_damaged(r->file, addr, "fractal heap", "its ids have another size");
    if (rc == CEL_OK)
        rc = cel_h5r_fractal_heap_get(heap, id, out, &found);
    if (rc == CEL_OK && (const char *)found.p != out->data) {
        out->len = 0;
        rc = cel_buf_add(out, found.p, found.n);
    }
    cel_h5r_fractal_heap_free(heap);
    return rc;
}
