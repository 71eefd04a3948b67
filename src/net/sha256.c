/* SHA-256 by the book: blocks of 64 bytes, 64 rounds each. It hashes requests, which are short, and bodies that go over
 * plain HTTP; over TLS bodies are not hashed. */
#include "sha256.h"
#include <string.h>

#define BLOCK 64

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

struct state {
    uint32_t h[8];
    uint64_t total;
    unsigned char pending[BLOCK];
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void expand(const unsigned char *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] =
            w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void take_block(struct state *s, const unsigned char *block)
{
    uint32_t w[64], v[8];

    expand(block, w);
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = v[4], a = v[0];
        uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                      round_constant[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        s->h[i] += v[i];
}

static void start(struct state *s)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

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
        take_block(s, s->pending);
        at += BLOCK - have;
        n -= BLOCK - have;
        have = 0;
    }
    for (; !have && n >= BLOCK; at += BLOCK, n -= BLOCK)
        take_block(s, at);
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

void cel_sha256(const void *data, size_t n, unsigned char out[CEL_SHA256_SIZE])
{
    struct state s;

    start(&s);
    add(&s, data, n);
    finish(&s, out);
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
    start(&s);
    add(&s, inner, BLOCK);
    add(&s, data, n);
    finish(&s, out);
    start(&s);
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
