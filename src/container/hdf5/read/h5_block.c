/* The file in blocks: the few read last are kept. An object's header, the heap of its attributes and the header of the
 * next object mostly lie side by side, so that one read serves several. */
#include "h5_read_int.h"
#include <assert.h>
#include <stdlib.h>

int cel_h5r_reader_make(const struct cel_h5r_file *file, struct cel_h5r_reader **out)
{
    struct cel_h5r_reader *r = cel_malloc(sizeof *r);

    if (!r)
        return NC_ENOMEM;
    r->file = file;
    r->turn = 0;
    for (int i = 0; i < CEL_H5R_BLOCKS; i++)
        r->block[i].at = r->block[i].n = 0;
    *out = r;
    return CEL_OK;
}

void cel_h5r_reader_free(struct cel_h5r_reader *r)
{
    free(r);
}

static const unsigned char *find_kept(const struct cel_h5r_reader *r, uint64_t want, size_t n)
{
    for (int i = 0; i < CEL_H5R_BLOCKS; i++)
        if (want >= r->block[i].at && want + n <= r->block[i].at + r->block[i].n)
            return r->block[i].bytes + (want - r->block[i].at);
    return NULL;
}

static const unsigned char *read_block(struct cel_h5r_reader *r, uint64_t want, size_t n)
{
    uint64_t size = r->file->size;
    int i = r->turn;
    size_t len = sizeof r->block[i].bytes / 2;

    if (want >= size || n > size - want)
        return NULL;
    if (len < n)
        len = n;
    if (len > size - want)
        len = (size_t)(size - want);
    assert(len >= n && len <= sizeof r->block[i].bytes);
    r->turn = (i + 1) % CEL_H5R_BLOCKS;
    r->block[i].n = 0;
    if (cel_source_read_at(r->file->source, want, r->block[i].bytes, len) != CEL_OK) {
        cel_error_clear(); /* libhdf5 reads it again, and says why it fails */
        return NULL;
    }
    r->block[i].at = want;
    r->block[i].n = len;
    return r->block[i].bytes;
}

const unsigned char *cel_h5r_look(struct cel_h5r_reader *r, uint64_t addr, size_t n)
{
    const unsigned char *p;

    if (n > sizeof r->block[0].bytes || addr > UINT64_MAX / 4 || r->file->base > UINT64_MAX / 4)
        return NULL;
    p = find_kept(r, addr + r->file->base, n);
    return p ? p : read_block(r, addr + r->file->base, n);
}
