/* The superblock read without libhdf5: where the root group is. A file that was not
 * closed well, is shorter than it says, or has a superblock extension is libhdf5's.
 *
 *   versions 0, 1: signature(8) version(1) versions and sizes(4) offset size(1) length size(1) pad(1)
 *        group k(2, 2) flags(4) [version 1: chunk k(2) pad(2)] base(8) free space(8) end(8)
 *        driver information(8) root: name(8) header address(8) ...
 *   versions 2, 3: signature(8) version(1) offset size(1) length size(1) flags(1) base(8) extension(8)
 *        end(8) root header address(8) checksum(4)
 * HDF5 File Format Specification version 3, chapter II.A. */
#include "h5_raw.h"

#define NOWHERE UINT64_MAX
enum { CHUNK_K = 32, V0_HEAD = 24, V2_SIZE = 48 };

static const unsigned char *find_signature(struct cel_h5_reader *r, uint64_t *at)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char *p;

    for (*at = 0; (p = cel_h5_look(r, *at, V2_SIZE)) != NULL; *at = *at ? *at * 2 : 512)
        if (memcmp(p, signature, 8) == 0)
            return p;
    return NULL;
}

/* What both kinds must have for everything here to hold. */
static bool fits(const struct cel_h5_reader *r, uint64_t at, uint64_t base, uint64_t end)
{
    return base == at && end <= r->io->eof && at <= r->io->eof - end;
}

static bool read_old(struct cel_h5_reader *r, uint64_t at, int version, struct cel_h5_super *out)
{
    size_t head = V0_HEAD + (version == 1 ? 4 : 0);
    const unsigned char *p = cel_h5_look(r, at, head + 48);

    if (!p || p[13] != 8 || p[14] != 8)
        return false;
    out->chunk_k = version == 1 ? (unsigned)cel_h5_little(p + V0_HEAD, 2) : CHUNK_K;
    out->root = cel_h5_little(p + head + 40, 8);
    return fits(r, at, cel_h5_little(p + head, 8), cel_h5_little(p + head + 16, 8)) &&
           cel_h5_little(p + head + 24, 8) == NOWHERE && out->chunk_k > 0;
}

static bool read_new(const struct cel_h5_reader *r, uint64_t at, const unsigned char *p, struct cel_h5_super *out)
{
    out->chunk_k = CHUNK_K;
    out->root = cel_h5_little(p + 36, 8);
    return p[9] == 8 && p[10] == 8 && p[11] == 0 && cel_h5_checks(p, V2_SIZE) && cel_h5_little(p + 20, 8) == NOWHERE &&
           fits(r, at, cel_h5_little(p + 12, 8), cel_h5_little(p + 28, 8));
}

bool cel_h5_super_read(struct cel_h5_reader *r, struct cel_h5_super *out)
{
    const unsigned char *p = find_signature(r, &out->base);

    if (!p || p[8] > 3)
        return false;
    return p[8] < 2 ? read_old(r, out->base, p[8], out) : read_new(r, out->base, p, out);
}
