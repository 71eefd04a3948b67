/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening: the superblock says where the root group is, its extension what is unusual in the file. libhdf5 judges files that
 * were not closed properly, and the parts of a file with a driver of its own.
 *
 *   versions 0, 1: signature(8) version(1) versions(3) 0(1) size of addresses(1) of lengths(1) 0(1)
 *        group k(2, 2) flags(4) [version 1: chunk k(2) 0(2)] base(O) free space(O) end(O)
 *        driver information(O) root: name(L) header address(O) ...
 *   versions 2, 3: signature(8) version(1) size of addresses(1) of lengths(1) flags(1) base(O) extension(O)
 *        end(O) root header address(O) checksum(4)
 *   extension, an object header, with messages: 15 shared messages (h5_sohm.c), 19 B-tree k: version(1) chunk k(2) ...,
 *        20 driver: version(1) name(8) ..., 23 file space (of no matter to readers), 24 cache image (h5_image.c):
 *        version(1) address(O) length(L)
 *   driver information: version(1) 0(3) size(4) name(8) ...
 * O, L: the file's sizes of addresses and lengths.
 * HDF5 File Format Specification version 3, chapters II.A to II.C, IV.A.2.t to IV.A.2.y. */
#include "h5_read_int.h"

enum { CHUNK_K = 32, V0_HEAD = 24, V2_HEAD = 12, SIGNATURE = 8, SUPER_LEAST = 28 };
enum { EXT_SOHM = 15, EXT_BTREE_K = 19, EXT_DRIVER = 20, EXT_CACHE_IMAGE = 24 };

static const unsigned char *find_signature(struct cel_h5r_reader *r, uint64_t *at)
{
    static const unsigned char signature[SIGNATURE] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char *p;

    for (*at = 0; (p = cel_h5r_look(r, *at, SUPER_LEAST)) != NULL; *at = *at ? *at * 2 : 512)
        if (memcmp(p, signature, SIGNATURE) == 0)
            return p;
    return NULL;
}

/* What all versions must have: addresses that count from the superblock, and all the bytes they claim. The end counts
 * from the beginning of the file. */
static bool fits(const struct cel_h5r_file *f, uint64_t base, uint64_t end)
{
    return base == f->base && end >= base && end <= f->size;
}

/* Addresses do not fit: a file that ends before its end says so by itself. Where a driver or an extension may explain it,
 * libhdf5 is asked. */
static int misfit(const struct cel_h5r_file *f, uint64_t base, uint64_t end, bool is_plain)
{
    if (!is_plain || base != f->base || end <= f->size)
        return CEL_ASK_LIBHDF5;
    return cel_fail(NC_EHDFERR,
                    "the HDF5 file is truncated: it has %llu of its %llu bytes; fetch it again, or let cellar salvage "
                    "copy what is left",
                    (unsigned long long)f->size, (unsigned long long)end);
}

static bool set_sizes(struct cel_h5r_file *f, size_t offsets, size_t lengths)
{
    f->offset_size = offsets;
    f->length_size = lengths;
    return (offsets == 2 || offsets == 4 || offsets == 8) && (lengths == 2 || lengths == 4 || lengths == 8);
}

/* --- what is unusual ------------------------------------------------------------------------- */

/* A file of several parts has a name of libhdf5's there. */
static int check_driver(const unsigned char *name)
{
    if (memcmp(name, "NCSAfami", 8) != 0 && memcmp(name, "NCSAmult", 8) != 0)
        return CEL_ASK_LIBHDF5;
    return cel_fail(NC_EHDFERR,
                    "the file is one part of several (HDF5's %s driver): make one file of them with h5repack",
                    name[4] == 'f' ? "family" : "multi");
}

static int read_driver_block(struct cel_h5r_reader *r, uint64_t addr)
{
    const unsigned char *p = addr == CEL_H5R_NOWHERE ? NULL : cel_h5r_look(r, addr, 16);

    if (addr == CEL_H5R_NOWHERE)
        return CEL_OK;
    return p ? check_driver(p + 8) : CEL_ASK_LIBHDF5;
}

static int read_k(struct cel_h5_bytes b, struct cel_h5r_file *out)
{
    uint64_t version = cel_h5_take_number(&b, 1);

    out->chunk_k = (unsigned)cel_h5_take_number(&b, 2);
    return b.ended || version != 0 || out->chunk_k == 0 ? CEL_ASK_LIBHDF5 : CEL_OK;
}

/* It is laid over the file when the extension has been read. */
static int note_cache_image(struct cel_h5_bytes b, struct cel_h5r_file *out)
{
    uint64_t version = cel_h5_take_number(&b, 1);

    cel_h5_take_if(&b, version > 0, 1);
    out->image = cel_h5r_take_address(out, &b);
    out->nimage = cel_h5_take_number(&b, out->length_size);
    return b.ended ? cel_h5r_ended(&b, "message about a metadata cache image") : CEL_OK;
}

static int read_extension_message(const struct cel_h5r_message *m, void *data)
{
    struct cel_h5r_file *out = data;

    if (m->shared)
        return CEL_ASK_LIBHDF5;
    switch (m->type) {
    case EXT_SOHM:
        return cel_h5r_sohm_note(m->body, out);
    case EXT_BTREE_K:
        return read_k(m->body, out);
    case EXT_DRIVER:
        return m->body.n < 9 ? CEL_ASK_LIBHDF5 : check_driver(m->body.p + 1);
    case EXT_CACHE_IMAGE:
        return note_cache_image(m->body, out);
    default:
        return CEL_OK;
    }
}

/* --- the versions --------------------------------------------------------------------------------- */

static int read_old(struct cel_h5r_reader *r, const unsigned char *p, struct cel_h5r_file *out)
{
    size_t head = V0_HEAD + (out->version == 1 ? 4 : 0), n;
    struct cel_h5_bytes b;
    uint64_t base, end, driver;

    if (!set_sizes(out, p[13], p[14]))
        return CEL_ASK_LIBHDF5;
    n = 5 * out->offset_size + out->length_size;
    p = cel_h5r_look(r, out->base, head + n);
    if (!p)
        return CEL_ASK_LIBHDF5;
    if (out->version == 1)
        out->chunk_k = cel_get_le16(p + V0_HEAD);
    b = (struct cel_h5_bytes){.p = p + head, .n = n};
    base = cel_h5r_take_address(out, &b);
    cel_h5r_take_address(out, &b);
    end = cel_h5r_take_address(out, &b);
    driver = cel_h5r_take_address(out, &b);
    cel_h5_take(&b, out->length_size);
    out->root = cel_h5r_take_address(out, &b);
    if (!fits(out, base, end))
        return misfit(out, base, end, driver == CEL_H5R_NOWHERE);
    if (out->chunk_k == 0)
        return CEL_ASK_LIBHDF5;
    return read_driver_block(r, driver == CEL_H5R_NOWHERE ? driver : driver + out->base);
}

static int read_new(struct cel_h5r_reader *r, const unsigned char *p, struct cel_h5r_file *out, uint64_t *extension)
{
    struct cel_h5_bytes b;
    uint64_t base, end;
    size_t n;

    if (!set_sizes(out, p[9], p[10]) || p[11] != 0)
        return CEL_ASK_LIBHDF5;
    n = V2_HEAD + 4 * out->offset_size + 4;
    p = cel_h5r_look(r, out->base, n);
    if (!p || !cel_h5_sum_matches(p, n))
        return CEL_ASK_LIBHDF5;
    b = (struct cel_h5_bytes){.p = p + V2_HEAD, .n = n - V2_HEAD};
    base = cel_h5r_take_address(out, &b);
    *extension = cel_h5r_take_address(out, &b);
    end = cel_h5r_take_address(out, &b);
    out->root = cel_h5r_take_address(out, &b);
    return fits(out, base, end) ? CEL_OK : misfit(out, base, end, *extension == CEL_H5R_NOWHERE);
}

static int read_super(struct cel_h5r_reader *r, struct cel_h5r_file *out, uint64_t *extension)
{
    const unsigned char *p = find_signature(r, &out->base);

    *extension = CEL_H5R_NOWHERE;
    if (!p || p[8] > 3)
        return CEL_ASK_LIBHDF5;
    out->version = p[8];
    out->chunk_k = CHUNK_K;
    return out->version < 2 ? read_old(r, p, out) : read_new(r, p, out, extension);
}

static int read_extension(struct cel_h5r_file *out, uint64_t addr)
{
    struct cel_h5r_reader *r;
    int rc = cel_h5r_reader_make(out, &r);

    if (rc != CEL_OK)
        return rc;
    out->image = CEL_H5R_NOWHERE;
    rc = cel_h5r_messages_each(r, addr, read_extension_message, out);
    cel_h5r_reader_free(r);
    return rc == CEL_OK && out->image != CEL_H5R_NOWHERE ? cel_h5r_image_lay(out, out->image, out->nimage) : rc;
}

/* Where addresses count from is not known yet: the superblock is looked for at offsets in the file. */
int cel_h5r_open(struct cel_source *source, struct cel_h5r_file *out)
{
    struct cel_h5r_file bare = {.source = source, .offset_size = 8, .length_size = 8};
    struct cel_h5r_reader *r;
    uint64_t extension;
    int rc = cel_source_size(source, &bare.size);

    if (rc == CEL_OK)
        rc = cel_h5r_reader_make(&bare, &r);
    if (rc != CEL_OK)
        return rc;
    *out = bare;
    rc = read_super(r, out, &extension);
    cel_h5r_reader_free(r);
    return rc == CEL_OK && extension != CEL_H5R_NOWHERE ? read_extension(out, extension) : rc;
}
