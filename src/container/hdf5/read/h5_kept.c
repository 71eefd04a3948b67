/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures of the file that carry a checksum, read whole and checked before anything in them is believed. */
#include "h5_read_int.h"
#include <stdlib.h>

uint64_t cel_h5r_take_address(const struct cel_h5r_file *file, struct cel_h5_bytes *b)
{
    size_t n = file->offset_size;
    uint64_t addr = cel_h5_take_number(b, n);

    return addr == UINT64_MAX >> (64 - 8 * n) ? CEL_H5R_NOWHERE : addr;
}

uint64_t cel_h5r_take_length(const struct cel_h5r_file *file, struct cel_h5_bytes *b)
{
    size_t n = file->length_size;
    uint64_t length = cel_h5_take_number(b, n);

    return length == UINT64_MAX >> (64 - 8 * n) ? UINT64_MAX : length;
}

int cel_h5r_damaged(const struct cel_h5r_file *file, uint64_t addr, const char *what, const char *why)
{
    return cel_fail(NC_EHDFERR, "the %s at offset %llu is damaged: %s", what, (unsigned long long)(addr + file->base),
                    why);
}

int cel_h5r_bad_message(const char *what, const char *why)
{
    return cel_fail(NC_EHDFERR, "its %s is damaged: %s", what, why);
}

int cel_h5r_ended(const struct cel_h5_bytes *b, const char *what)
{
    return b->ended ? cel_h5r_bad_message(what, "it ends too early") : CEL_OK;
}

int cel_h5r_fail_in_object(const struct cel_h5r_file *file, uint64_t addr, int rc)
{
    return rc == NC_EHDFERR ? cel_fail_in(rc, "the object at offset %llu", (unsigned long long)(addr + file->base))
                            : rc;
}

bool cel_h5r_is_inside(const struct cel_h5r_file *file, uint64_t addr, uint64_t n)
{
    uint64_t base = file->base, size = file->size;

    return addr <= UINT64_MAX - base && addr + base <= size && n <= size - addr - base;
}

/* As much of it as is inside the file. */
struct cel_range cel_h5r_range(const struct cel_h5r_file *file, uint64_t addr, uint64_t n)
{
    uint64_t left = cel_h5r_is_inside(file, addr, 0) ? file->size - addr - file->base : 0;

    return left ? (struct cel_range){addr + file->base, n < left ? n : left} : (struct cel_range){0};
}

int cel_h5r_get(const struct cel_h5r_file *file, uint64_t addr, const char *what, unsigned char *out, size_t n)
{
    int rc;

    if (addr == CEL_H5R_NOWHERE)
        return cel_fail(NC_EHDFERR, "there is no %s where the file says: it is damaged", what);
    rc =
        cel_h5r_is_inside(file, addr, n) ? cel_source_read_at(file->source, addr + file->base, out, n) : CEL_BEYOND_END;
    return rc == CEL_BEYOND_END ? cel_h5r_damaged(file, addr, what, "it lies beyond the end of the file") : rc;
}

int cel_h5r_get_summed(const struct cel_h5r_file *file, uint64_t addr, const char *signature, const char *what,
                       unsigned char *out, size_t n)
{
    int rc = cel_h5r_get(file, addr, what, out, n);

    if (rc != CEL_OK)
        return rc;
    if (signature && (n < 9 || memcmp(out, signature, 4) != 0))
        return cel_h5r_damaged(file, addr, what, "its signature is missing");
    if (!cel_h5_sum_matches(out, n))
        return cel_h5r_damaged(file, addr, what, "its checksum does not match");
    return signature && out[4] != 0 ? CEL_ASK_LIBHDF5 : CEL_OK;
}

/* Bounds first: a length that the file claims takes no more memory than the file has bytes. */
int cel_h5r_kept_get(const struct cel_h5r_file *file, struct cel_h5r_kept *kept, uint64_t addr, size_t n,
                     const char *signature, const char *what)
{
    unsigned char *bytes;
    int rc;

    if (kept->addr == addr && kept->n == n)
        return CEL_OK;
    if (addr == CEL_H5R_NOWHERE || !cel_h5r_is_inside(file, addr, n))
        return cel_h5r_get(file, addr, what, NULL, n);
    kept->n = 0;
    bytes = cel_realloc(kept->bytes, n, 1);
    if (!bytes)
        return NC_ENOMEM;
    kept->bytes = bytes;
    rc = cel_h5r_get_summed(file, addr, signature, what, bytes, n);
    if (rc != CEL_OK)
        return rc;
    kept->addr = addr;
    kept->n = n;
    return CEL_OK;
}
