/* SPDX-License-Identifier: BSD-3-Clause */
/* Our inflate against zlib: each kernel says of a stream what zlib says, and gives the same
 * bytes. An input is
 *   how(1) room(1) stream          room: what dst has, in proportion to what zlib gives
 *   how(1) room(1) settings(1) values   how is odd: a stream zlib makes of them, repeated
 *                                       to a length that reaches the quick loops */
#include "inflate.h"
#include "target.h"
#include <string.h>
#include <zlib.h>

enum { ROOM = 1 << 16, KERNELS = 8 };

static struct cel_inflate *kernel[KERNELS];
static int nkernels;
static uint8_t expected[ROOM];

struct result {
    bool ok;
    size_t used, len;
};

/* zlib's memory: the allocator of the sanitizer takes longer than all the rest. */
static struct {
    size_t used;
    _Alignas(64) uint8_t bytes[1 << 19];
} arena;

static void *give_memory(void *unused, unsigned n, unsigned size)
{
    size_t at = arena.used;

    arena.used += ((size_t)n * size + 63) / 64 * 64;
    return arena.used <= sizeof arena.bytes ? arena.bytes + at : NULL;
}

static void take_memory(void *unused, void *p)
{
}

static z_stream start_zlib(void)
{
    arena.used = 0;
    return (z_stream){.zalloc = give_memory, .zfree = take_memory};
}

static struct result by_zlib(const uint8_t *p, size_t n, size_t room)
{
    z_stream z = start_zlib();
    struct result out;

    z.next_in = (Bytef *)p;
    z.avail_in = (uInt)n;
    z.next_out = expected;
    z.avail_out = (uInt)room;
    FUZZ_EXPECT(inflateInit2(&z, -15) == Z_OK, "zlib");
    out.ok = inflate(&z, Z_FINISH) == Z_STREAM_END;
    out.used = z.total_in;
    out.len = z.total_out;
    inflateEnd(&z);
    return out;
}

static void compare(const uint8_t *p, size_t n, size_t room)
{
    struct result want = by_zlib(p, n, room);
    uint8_t *src = malloc(n ? n : 1), *dst = malloc(room ? room : 1);

    memcpy(src, p, n);
    for (int k = 0; k < nkernels; k++) {
        size_t used = 0, len = 0;
        enum cel_inflate_answer answer = cel_inflate(kernel[k], src, n, &used, dst, room, &len);

        FUZZ_EXPECT((answer == CEL_INFLATE_OK) == want.ok, "kernel %d answers %d", k, answer);
        if (want.ok)
            FUZZ_EXPECT(used == want.used && len == want.len && memcmp(dst, expected, len) == 0,
                        "kernel %d: %zu of %zu bytes from %zu of %zu", k, len, want.len, used, want.used);
    }
    free(src);
    free(dst);
}

/* A stream of zlib's over the values, again and again with small changes. */
static size_t make_stream(const uint8_t *p, size_t n, uint8_t *out)
{
    static uint8_t values[ROOM];
    unsigned settings = p[0];
    size_t len = settings < 250 ? 64 + 8 * (size_t)settings : ROOM / 4; /* long ones take long */
    z_stream z = start_zlib();

    for (size_t i = 0; i < len; i++)
        values[i] = (uint8_t)(p[1 + i % (n - 1)] + i / (n - 1) * (i % 7 == 0));
    FUZZ_EXPECT(deflateInit2(&z, 1 + (int)(settings % 9), Z_DEFLATED, -(9 + (int)(settings % 7)),
                             1 + (int)(settings % 8), (int)(settings % 5)) == Z_OK,
                "zlib");
    z.next_in = values;
    z.avail_in = (uInt)len;
    z.next_out = out;
    z.avail_out = ROOM;
    FUZZ_EXPECT(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib");
    n = z.total_out;
    deflateEnd(&z);
    return n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (const struct cel_inflate_kernel *k = cel_inflate_kernels; k->name && nkernels < KERNELS; k++)
        if (k->usable())
            kernel[nkernels++] = cel_inflate_new(k);
    return 0;
}

/* Of what zlib gives: all, or a part, or more. */
static size_t room_for(const uint8_t *p, size_t n, unsigned part)
{
    size_t len = by_zlib(p, n, ROOM).len;

    len = part < 192 ? len : len * (part - 191) / 32;
    return len < ROOM ? len : ROOM;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t stream[ROOM];

    if (n < 4)
        return 0;
    if (data[0] & 1) {
        n = make_stream(data + 2, n - 2, stream);
        compare(stream, n, room_for(stream, n, data[1]));
    } else {
        compare(data + 2, n - 2, room_for(data + 2, n - 2, data[1]));
    }
    return 0;
}
