/* Opening: the superblock says where the root group is. A file that was not closed well,
 * is shorter than it says, or has a superblock extension is libhdf5's.
 *
 *   versions 0, 1: signature(8) version(1) versions and sizes(4) offset size(1) length size(1) pad(1)
 *        group k(2, 2) flags(4) [version 1: chunk k(2) pad(2)] base(8) free space(8) end(8)
 *        driver information(8) root: name(8) header address(8) ...
 *   versions 2, 3: signature(8) version(1) offset size(1) length size(1) flags(1) base(8) extension(8)
 *        end(8) root header address(8) checksum(4)
 * HDF5 File Format Specification version 3, chapter II.A. */
#include "h5_read_int.h"

enum { CHUNK_K = 32, V0_HEAD = 24, V2_SIZE = 48 };

static const unsigned char *find_signature(struct cel_h5r_reader *r, uint64_t *at)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char *p;

    for (*at = 0; (p = cel_h5r_look(r, *at, V2_SIZE)) != NULL; *at = *at ? *at * 2 : 512)
        if (memcmp(p, signature, 8) == 0)
            return p;
    return NULL;
}

/* What all versions must have: addresses that count from the superblock, and all the bytes they claim. The end alone
 * counts from the beginning of the file, user block and all. */
static bool fits(const struct cel_h5r_reader *r, uint64_t at, uint64_t base, uint64_t end)
{
    return base == at && end >= at && end <= r->file->size;
}

static int read_old(struct cel_h5r_reader *r, int version, struct cel_h5r_file *out)
{
    size_t head = V0_HEAD + (version == 1 ? 4 : 0);
    const unsigned char *p = cel_h5r_look(r, out->base, head + 48);

    if (!p || p[13] != 8 || p[14] != 8)
        return CEL_ASK_LIBHDF5;
    out->chunk_k = version == 1 ? (unsigned)cel_get_le(p + V0_HEAD, 2) : CHUNK_K;
    out->root = cel_get_le(p + head + 40, 8);
    if (!fits(r, out->base, cel_get_le(p + head, 8), cel_get_le(p + head + 16, 8)) ||
        cel_get_le(p + head + 24, 8) != CEL_H5R_NOWHERE || out->chunk_k == 0)
        return CEL_ASK_LIBHDF5;
    return CEL_OK;
}

static int read_new(const struct cel_h5r_reader *r, const unsigned char *p, struct cel_h5r_file *out)
{
    out->chunk_k = CHUNK_K;
    out->root = cel_get_le(p + 36, 8);
    if (p[9] != 8 || p[10] != 8 || p[11] != 0 || !cel_h5_sum_matches(p, V2_SIZE) ||
        cel_get_le(p + 20, 8) != CEL_H5R_NOWHERE || !fits(r, out->base, cel_get_le(p + 12, 8), cel_get_le(p + 28, 8)))
        return CEL_ASK_LIBHDF5;
    return CEL_OK;
}

static int read_super(struct cel_h5r_reader *r, struct cel_h5r_file *out)
{
    const unsigned char *p = find_signature(r, &out->base);

    if (!p || p[8] > 3)
        return CEL_ASK_LIBHDF5;
    out->version = p[8];
    return p[8] < 2 ? read_old(r, p[8], out) : read_new(r, p, out);
}

/* Where addresses count from is not known yet: the superblock is looked for at offsets in the file. */
int cel_h5r_open(struct cel_source *source, struct cel_h5r_file *out)
{
    struct cel_h5r_file bare = {.source = source, .offset_size = 8, .length_size = 8};
    struct cel_h5r_reader *r;
    int rc = cel_source_size(source, &bare.size);

    if (rc == CEL_OK)
        rc = cel_h5r_reader_make(&bare, &r);
    if (rc != CEL_OK)
        return rc;
    *out = bare;
    rc = read_super(r, out);
    cel_h5r_reader_free(r);
    return rc;
}
