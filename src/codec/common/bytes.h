#ifndef CEL_BYTES_H
#define CEL_BYTES_H

/* Numbers in chunk headers, by byte order, from and to unaligned bytes. */

#include <stdint.h>
#include <string.h>

static inline uint32_t cel_get_le32(const void *p)
{
    const unsigned char *b = p;

    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint32_t cel_get_be32(const void *p)
{
    const unsigned char *b = p;

    return b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 | (uint32_t)b[0] << 24;
}

static inline uint64_t cel_get_be64(const void *p)
{
    return (uint64_t)cel_get_be32(p) << 32 | cel_get_be32((const char *)p + 4);
}

static inline void cel_put_le32(void *p, uint32_t v)
{
    unsigned char *b = p;

    b[0] = (unsigned char)v;
    b[1] = (unsigned char)(v >> 8);
    b[2] = (unsigned char)(v >> 16);
    b[3] = (unsigned char)(v >> 24);
}

static inline void cel_put_be32(void *p, uint32_t v)
{
    cel_put_le32(p, v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24);
}

static inline void cel_put_be64(void *p, uint64_t v)
{
    cel_put_be32(p, (uint32_t)(v >> 32));
    cel_put_be32((char *)p + 4, (uint32_t)v);
}

/* In the hot loops: one instruction where the processor's order is this one. */
static inline uint64_t cel_load_le64(const void *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
#else
    return cel_get_le32(p) | (uint64_t)cel_get_le32((const char *)p + 4) << 32;
#endif
}

static inline void cel_store_le64(void *p, uint64_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, &v, sizeof v);
#else
    cel_put_le32(p, (uint32_t)v);
    cel_put_le32((char *)p + 4, (uint32_t)(v >> 32));
#endif
}

#endif
