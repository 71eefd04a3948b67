/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of Blosc2 arrays. The offset of the metalayers in a super-chunk differs between releases of c-blosc2,
 * and the calling release need not be the one whose headers this was built with. All other members used here
 * have had the same offset since 2.9. */
#include "blosc2_nd.h"
#include "bytes.h"
#include "host.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cel_blosc2_refuse(const char *filter, const char *why)
{
    if (getenv("BLOSC_TRACE"))
        fprintf(stderr, "[error] - %s: %s (cellar)\n", filter, why);
    return BLOSC2_ERROR_FAILURE;
}

/* --- finding a layer -------------------------------------------------------------------- */

static const struct {
    size_t layers, count; /* offsets in struct blosc2_schunk */
} places[] = {[2] = {112, 240}, [3] = {120, 248}};
_Static_assert(BLOSC2_VERSION_MAJOR != 2 || offsetof(blosc2_schunk, metalayers) == 112, "Blosc2 2.x: the layers moved");
_Static_assert(BLOSC2_VERSION_MAJOR != 3 || offsetof(blosc2_schunk, metalayers) == 120, "Blosc2 3.x: the layers moved");

/* The major version of the libblosc2 that calls; that of the headers if it cannot be asked (linked statically into
 * a Python module). */
static int major_version(const void *caller)
{
    static _Atomic int known;
    const char *(*ask)(void);
    int major = atomic_load(&known);
    void *found;

    if (major)
        return major;
    found = cel_host_find(caller, "blosc2_get_version_string");
    memcpy(&ask, &found, sizeof ask);
    major = found ? atoi(ask()) : BLOSC2_VERSION_MAJOR;
    atomic_store(&known, major);
    return major;
}

static const blosc2_metalayer *find_layer(const char *schunk, int major, const char *name)
{
    uint16_t count;

    memcpy(&count, schunk + places[major].count, sizeof count);
    for (uint16_t i = 0; i < count && i < BLOSC2_MAX_METALAYERS; i++) {
        const blosc2_metalayer *layer;
        memcpy(&layer, schunk + places[major].layers + i * sizeof layer, sizeof layer);
        if (layer && strcmp(layer->name, name) == 0)
            return layer;
    }
    return NULL;
}

/* --- reading it ---------------------------------------------------------------------------
 * 0x97 version ndim, then shape, chunk shape and block shape, each a byte and ndim numbers
 * behind a byte each; then the dtype: its format, a byte, its length, its text. "caterva"
 * ends before the dtype. As c-blosc2 does, the marker bytes are passed over. */

enum { BEFORE_SHAPE = 3, SHAPE_ITEM = 9, CHUNK_ITEM = 5, BEFORE_DTYPE = 6 };

static void read_dtype(const uint8_t *p, size_t left, struct cel_blosc2_block *b)
{
    uint32_t len;

    if (left < BEFORE_DTYPE || p[0] != 0) /* 0: NumPy's spelling */
        return;
    len = cel_get_be32(p + 2);
    p += BEFORE_DTYPE;
    if (len > left - BEFORE_DTYPE || len < 2 || (len == 3 && memcmp(p, "|u1", 3) == 0 && b->elem != 1))
        return; /* |u1 is what an array gets whose maker named no dtype */
    b->big_endian = p[0] == '>';
    b->kind = (char)(strchr("<>|=", p[0]) ? p[1] : p[0]);
}

static bool read_layer(const blosc2_metalayer *layer, struct cel_blosc2_block *b)
{
    const uint8_t *p = layer->content;
    size_t len = layer->content_len > 0 ? (size_t)layer->content_len : 0, at = BEFORE_SHAPE;

    if (len < BEFORE_SHAPE || p[2] < 1 || p[2] > CEL_BLOSC2_RANK)
        return false;
    b->rank = p[2];
    at += 1 + (size_t)b->rank * SHAPE_ITEM + 1 + (size_t)b->rank * CHUNK_ITEM + 1;
    if (len < at + (size_t)b->rank * CHUNK_ITEM)
        return false;
    for (int d = 0; d < b->rank; d++, at += CHUNK_ITEM) {
        uint32_t n = cel_get_be32(p + at + 1);
        if (n == 0 || n > INT32_MAX)
            return false;
        b->dims[d] = n;
    }
    read_dtype(p + at, len - at, b);
    return true;
}

bool cel_blosc2_block(const char *filter, const void *schunk, int32_t typesize, int32_t length, const void *caller,
                      struct cel_blosc2_block *out)
{
    const blosc2_metalayer *layer;
    int major = major_version(caller);
    bool fits;

    *out = (struct cel_blosc2_block){.elem = typesize > 0 ? (size_t)typesize : 0};
    if (major != 2 && major != 3)
        return cel_blosc2_refuse(filter, "this release of Blosc2 is not known"), false;
    layer = schunk ? find_layer(schunk, major, "b2nd") : NULL;
    if (!layer && schunk)
        layer = find_layer(schunk, major, "caterva");
    if (!layer)
        return cel_blosc2_refuse(filter, "the super-chunk has no layer b2nd or caterva, so no shape"), false;
    if (!read_layer(layer, out))
        return cel_blosc2_refuse(filter, "the layer with the shape is damaged, or not of 1 to 8 dimensions"), false;
    out->nbytes = out->elem;
    fits = out->elem > 0;
    for (int d = 0; d < out->rank; d++)
        fits = fits && !__builtin_mul_overflow(out->nbytes, out->dims[d], &out->nbytes);
    if (!fits || length < 0 || out->nbytes != (size_t)length)
        return cel_blosc2_refuse(filter, "the shape of a block does not make the length of the block"), false;
    return true;
}
