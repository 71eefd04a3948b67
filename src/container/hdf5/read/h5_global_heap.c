/* SPDX-License-Identifier: BSD-3-Clause */
/* The global heap: what strings and other values of variable size point to. Its collections are read whole, and the few
 * used last are kept by the reader, since values that belong together were written together.
 *
 *   collection: "GCOL" 1 0(3) size(length), then objects up to the size or to one of index 0, the space that is free
 *   object: index(2) references(2) 0(4) size(length) bytes; head and bytes are padded to 8 each
 *   a value's position: length of the value(4) address of the collection index(4)
 * HDF5 File Format Specification version 3, III.E. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HEAD = 8, OBJECT_HEAD = 8 };
static const char what[] = "global heap collection";

struct cel_h5r_collection {
    uint64_t addr;
    unsigned char *bytes;
    size_t n;
    uint64_t used;   /* the reader's count of uses, when it was used last */
    uint32_t *at;    /* by index: offset of the object's bytes; 0: none */
    uint64_t *sizes; /* by index */
    size_t nindices;
};

static size_t padded(uint64_t n)
{
    return (size_t)((n + 7) & ~(uint64_t)7);
}

/* Calls `note` for each object. */
static int each_object(const struct cel_h5r_file *file, const struct cel_h5r_collection *c,
                       void (*note)(struct cel_h5r_collection *c, size_t index, size_t at, uint64_t n), void *data)
{
    size_t at = padded(HEAD + file->length_size), head = padded(OBJECT_HEAD + file->length_size);

    while (c->n - at >= head) {
        size_t index = cel_get_le16(c->bytes + at);
        uint64_t n = cel_get_le(c->bytes + at + OBJECT_HEAD, file->length_size);

        if (index == 0)
            return CEL_OK;
        at += head;
        if (n > c->n - at)
            return cel_h5r_damaged(file, c->addr, what, "an object in it is longer than it is");
        note(data, index, at, n);
        at = padded(n) > c->n - at ? c->n : at + padded(n);
    }
    return CEL_OK;
}

static void note_most(struct cel_h5r_collection *c, size_t index, size_t at, uint64_t n)
{
    (void)at;
    (void)n;
    if (index >= c->nindices)
        c->nindices = index + 1;
}

static void note_position(struct cel_h5r_collection *c, size_t index, size_t at, uint64_t n)
{
    c->at[index] = (uint32_t)at;
    c->sizes[index] = n;
}

static int index_objects(const struct cel_h5r_file *file, struct cel_h5r_collection *c)
{
    int rc = each_object(file, c, note_most, c);

    if (rc != CEL_OK)
        return rc;
    c->at = cel_calloc(c->nindices, sizeof *c->at);
    c->sizes = cel_calloc(c->nindices, sizeof *c->sizes);
    if (!c->at || !c->sizes)
        return NC_ENOMEM;
    return each_object(file, c, note_position, c);
}

static void dispose(struct cel_h5r_collection *c)
{
    free(c->bytes);
    free(c->at);
    free(c->sizes);
    *c = (struct cel_h5r_collection){0};
}

static int read_collection(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_collection *c)
{
    const struct cel_h5r_file *file = r->file;
    unsigned char head[HEAD + 8];
    uint64_t n;
    int rc = cel_h5r_get(file, addr, what, head, HEAD + file->length_size);

    if (rc != CEL_OK)
        return rc;
    n = cel_get_le(head + HEAD, file->length_size);
    if (memcmp(head, "GCOL\1", 5) != 0)
        return cel_h5r_damaged(file, addr, what, "its signature is missing");
    if (n < padded(HEAD + file->length_size) || n > UINT32_MAX || !cel_h5r_is_inside(file, addr, n))
        return cel_h5r_damaged(file, addr, what, "its size is impossible");
    *c = (struct cel_h5r_collection){.addr = addr, .n = (size_t)n, .bytes = cel_malloc((size_t)n)};
    r->collections_read += n;
    rc = c->bytes ? cel_h5r_get(file, addr, what, c->bytes, c->n) : NC_ENOMEM;
    return rc == CEL_OK ? index_objects(file, c) : rc;
}

static int find_collection(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_collection **out)
{
    struct cel_h5r_collection *oldest = r->collection;
    int rc;

    if (!r->collection) {
        r->collection = oldest = cel_calloc(CEL_H5R_COLLECTIONS, sizeof *oldest);
        if (!oldest)
            return NC_ENOMEM;
    }
    for (int i = 0; i < CEL_H5R_COLLECTIONS; i++) {
        *out = &r->collection[i];
        if ((*out)->bytes && (*out)->addr == addr)
            return CEL_OK;
        if ((*out)->used < oldest->used)
            oldest = *out;
    }
    dispose(oldest);
    rc = read_collection(r, addr, oldest);
    if (rc != CEL_OK)
        dispose(oldest);
    *out = oldest;
    return rc;
}

int cel_h5r_global_heap_get(struct cel_h5r_reader *r, uint64_t addr, size_t index, struct cel_h5_bytes *out)
{
    struct cel_h5r_collection *c;
    int rc = find_collection(r, addr, &c);

    if (rc != CEL_OK)
        return rc;
    c->used = ++r->collections_used;
    if (index >= c->nindices || !c->at[index])
        return cel_h5r_damaged(r->file, addr, what, "a value should be in it and is not");
    *out = (struct cel_h5_bytes){.p = c->bytes + c->at[index], .n = (size_t)c->sizes[index]};
    return CEL_OK;
}

void cel_h5r_global_heap_forget(struct cel_h5r_reader *r)
{
    for (int i = 0; r->collection && i < CEL_H5R_COLLECTIONS; i++)
        dispose(&r->collection[i]);
    free(r->collection);
    r->collection = NULL;
}
