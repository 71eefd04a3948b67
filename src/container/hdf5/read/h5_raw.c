/* Bytes and blocks of an HDF5 file, read without libhdf5 but with its checksum (Bob
 * Jenkins' lookup3, "hashlittle", started with 0), so that damage is never believed. */
#include "h5_raw.h"

uint64_t cel_h5_little(const unsigned char *p, size_t n)
{
    uint64_t v = 0;

    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

bool cel_h5_take(struct cel_h5_bytes *b, size_t n, const unsigned char **p)
{
    if (n > b->n)
        return false;
    *p = b->p;
    b->p += n;
    b->n -= n;
    return true;
}

bool cel_h5_take_number(struct cel_h5_bytes *b, size_t n, uint64_t *v)
{
    const unsigned char *p;

    if (!cel_h5_take(b, n, &p))
        return false;
    *v = cel_h5_little(p, n);
    return true;
}

/* --- checksum ------------------------------------------------------------------------ */

static uint32_t turn(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

static uint32_t word(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t cel_h5_sum(const unsigned char *p, size_t n)
{
    uint32_t a, b, c;
    unsigned char tail[12] = {0};

    a = b = c = 0xdeadbeef + (uint32_t)n;
    if (n == 0)
        return c;
    for (; n > 12; p += 12, n -= 12) {
        a += word(p);
        b += word(p + 4);
        c += word(p + 8);
        a -= c, a ^= turn(c, 4), c += b;
        b -= a, b ^= turn(a, 6), a += c;
        c -= b, c ^= turn(b, 8), b += a;
        a -= c, a ^= turn(c, 16), c += b;
        b -= a, b ^= turn(a, 19), a += c;
        c -= b, c ^= turn(b, 4), b += a;
    }
    memcpy(tail, p, n);
    a += word(tail);
    b += word(tail + 4);
    c += word(tail + 8);
    c ^= b, c -= turn(b, 14);
    a ^= c, a -= turn(c, 11);
    b ^= a, b -= turn(a, 25);
    c ^= b, c -= turn(b, 16);
    a ^= c, a -= turn(c, 4);
    b ^= a, b -= turn(a, 14);
    c ^= b, c -= turn(b, 24);
    return c;
}

/* A fuzzer cannot guess sums: its build believes them all, and a target may mend them in its copy of the file. */
#if defined(CEL_FUZZ)
void (*cel_h5_mend)(const unsigned char *p, size_t n);

bool cel_h5_checks(const unsigned char *p, size_t n)
{
    if (n >= 4 && cel_h5_mend)
        cel_h5_mend(p, n);
    return n >= 4;
}
#else
bool cel_h5_checks(const unsigned char *p, size_t n)
{
    return n >= 4 && cel_h5_sum(p, n - 4) == word(p + n - 4);
}
#endif

/* --- blocks ----------------------------------------------------------------------------- */

void cel_h5_reader_init(struct cel_h5_reader *r, struct cel_h5_io *io, uint64_t base)
{
    int i;

    r->io = io;
    r->base = base;
    r->turn = 0;
    for (i = 0; i < CEL_H5_BLOCKS; i++)
        r->block[i].at = r->block[i].n = 0;
}

static const unsigned char *kept(const struct cel_h5_reader *r, uint64_t want, size_t n)
{
    int i;

    for (i = 0; i < CEL_H5_BLOCKS; i++)
        if (want >= r->block[i].at && want + n <= r->block[i].at + r->block[i].n)
            return r->block[i].bytes + (want - r->block[i].at);
    return NULL;
}

static const unsigned char *fetch(struct cel_h5_reader *r, uint64_t want, size_t n)
{
    int i = r->turn;
    size_t len = sizeof r->block[i].bytes / 2;

    if (want >= r->io->eof || n > r->io->eof - want)
        return NULL;
    if (len < n)
        len = n;
    if (len > r->io->eof - want)
        len = (size_t)(r->io->eof - want);
    r->turn = (i + 1) % CEL_H5_BLOCKS;
    r->block[i].n = 0;
    if (cel_h5_io_read(r->io, want, r->block[i].bytes, len) != CEL_OK)
        return NULL;
    r->block[i].at = want;
    r->block[i].n = len;
    return r->block[i].bytes;
}

const unsigned char *cel_h5_look(struct cel_h5_reader *r, uint64_t addr, size_t n)
{
    const unsigned char *p;

    if (n > sizeof r->block[0].bytes || addr > UINT64_MAX / 4 || r->base > UINT64_MAX / 4)
        return NULL;
    p = kept(r, addr + r->base, n);
    return p ? p : fetch(r, addr + r->base, n);
}
