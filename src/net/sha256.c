/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256: what is hashed is cut into blocks, the last one padded (sha256_blocks.c has their rounds). It hashes requests,
 * which are short, and bodies that go over plain HTTP; over TLS bodies are not hashed. */
#include "sha256.h"
#include "sha256_blocks.h"
#include <string.h>

#define BLOCK CEL_SHA256_BLOCK

struct state {
    const struct cel_sha256_kernel *kernel;
    uint32_t h[8];
    uint64_t total;
    unsigned char pending[BLOCK];
};

static const struct cel_sha256_kernel *best_kernel(void)
{
    const struct cel_sha256_kernel *k = cel_sha256_kernels;

    while (!k->usable())
        k++;
    return k;
}

static void start(struct state *s, const struct cel_sha256_kernel *kernel)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    s->kernel = kernel;
    memcpy(s->h, first, sizeof first);
    s->total = 0;
}

static void add(struct state *s, const void *data, size_t n)
{
    const unsigned char *at = data;
    size_t have = s->total % BLOCK;

    s->total += n;
    if (have && have + n >= BLOCK) {
        memcpy(s->pending + have, at, BLOCK - have);
        s->kernel->take(s->h, s->pending, 1);
        at += BLOCK - have;
        n -= BLOCK - have;
        have = 0;
    }
    if (n >= BLOCK) {
        s->kernel->take(s->h, at, n / BLOCK);
        at += n - n % BLOCK;
        n %= BLOCK;
    }
    if (n)
        memcpy(s->pending + have, at, n);
}

/* One bit that is set, zeros, and the number of bits in 8 bytes. */
static void finish(struct state *s, unsigned char out[CEL_SHA256_SIZE])
{
    static const unsigned char padding[BLOCK] = {0x80};
    uint64_t bits = s->total * 8;
    unsigned char length[8];

    add(s, padding, 1 + (2 * BLOCK - 9 - s->total % BLOCK) % BLOCK);
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(s, length, sizeof length);
    for (int i = 0; i < CEL_SHA256_SIZE; i++)
        out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void cel_sha256_by(const struct cel_sha256_kernel *kernel, const void *data, size_t n,
                   unsigned char out[CEL_SHA256_SIZE])
{
    struct state s;

    start(&s, kernel);
    add(&s, data, n);
    finish(&s, out);
}

void cel_sha256(const void *data, size_t n, unsigned char out[CEL_SHA256_SIZE])
{
    cel_sha256_by(best_kernel(), data, n, out);
}

void cel_hmac_sha256(const void *key, size_t key_len, const void *data, size_t n, unsigned char out[CEL_SHA256_SIZE])
{
    unsigned char padded[BLOCK] = {0}, inner[BLOCK], outer[BLOCK];
    struct state s;

    if (key_len > BLOCK)
        cel_sha256(key, key_len, padded);
    else
        memcpy(padded, key, key_len);
    for (int i = 0; i < BLOCK; i++) {
        inner[i] = padded[i] ^ 0x36;
        outer[i] = padded[i] ^ 0x5c;
    }
    start(&s, best_kernel());
    add(&s, inner, BLOCK);
    add(&s, data, n);
    finish(&s, out);
    start(&s, best_kernel());
    add(&s, outer, BLOCK);
    add(&s, out, CEL_SHA256_SIZE);
    finish(&s, out);
}

void cel_hex(const unsigned char *bytes, size_t n, char *out)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digit[bytes[i] >> 4];
        out[2 * i + 1] = digit[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

void cel_sha256_hex(const void *data, size_t n, char out[CEL_SHA256_HEX])
{
    unsigned char digest[CEL_SHA256_SIZE];

    cel_sha256(data, n, digest);
    cel_hex(digest, sizeof digest, out);
}
