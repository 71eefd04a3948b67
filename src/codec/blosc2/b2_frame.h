/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_B2_FRAME_H
#define CEL_B2_FRAME_H

/* Contiguous frames of Blosc2: header, chunks, a chunk of their offsets, trailer. The header (MessagePack, numbers
 * high byte first; markers are left out of the list):
 *
 *   OFFSET  SIZE  MEANING
 *        2     8  "b2frame" and a zero
 *       11     4  bytes of the header
 *       16     8  bytes of the frame
 *       25     4  flags: version (low 4 bits), offsets of 64 bits (16), chunks of different lengths (64); kind of the
 *                 frame; compressor and level; how blocks are split
 *       30     8  bytes of all chunks, decoded
 *       39     8  bytes of all chunks, encoded
 *       48     4  bytes of an element
 *       53     4  bytes of a block
 *       58     4  bytes of a chunk, decoded
 *       68     1  0xc3: the trailer has layers
 *       71     6  filters; 77: compressor, 78: its parameter
 *       79     6  a parameter for each filter
 *       87        layers
 *
 * Layers: 0x93 0xcd size(2) 0xde count(2), for each a name (0xa0 + length) and 0xd2 offset(4); then 0xdc count(2).
 * At its offset, which counts from the start of the header or trailer, a layer is 0xc6 length(4) and its bytes.
 *
 * The trailer: 0x94 1, layers, whose bytes are chunks here, 0xce bytes of the trailer(4), 0xd8 and 17 bytes for a
 * fingerprint that nobody writes.
 *
 * The offsets count from the end of the header. One with the highest bit set stands for a special chunk, whose kind
 * is in the rest of that byte. */

#include "b2_chunk.h"

enum { CEL_B2_FRAME_HEADER = 87, CEL_B2_LAYERS = 16, CEL_B2_FRAME_TAIL = 23 };
#define CEL_B2_NAME_MAX 31

struct cel_b2_layer {
    char name[CEL_B2_NAME_MAX + 1];
    const unsigned char *bytes; /* in what was read */
    size_t len;
};

struct cel_b2_frame {
    size_t header, size;   /* bytes of the header, of the frame */
    size_t nbytes, cbytes; /* of all chunks */
    size_t elem, block, chunk, nchunks;
    enum cel_b2_compressor compressor;
    unsigned level;
    bool has_trailer_layers;
    uint8_t filter[CEL_B2_FILTERS], meta[CEL_B2_FILTERS];
    size_t nlayers;
    struct cel_b2_layer layers[CEL_B2_LAYERS];
};

/* Whether the n bytes begin as a frame does. */
bool cel_b2_is_frame(const unsigned char *src, size_t n);

/* Reads the header, all of which is in the n bytes at src, of a frame of which `there` bytes exist. */
int cel_b2_frame_read(const unsigned char *src, size_t n, size_t there, struct cel_b2_frame *out);
const struct cel_b2_layer *cel_b2_frame_layer(const struct cel_b2_frame *frame, const char *name);

/* The layers of the trailer, the n bytes at src: how many there are, at most `most`, and what they are. */
int cel_b2_trailer_count(const unsigned char *src, size_t n, size_t most, size_t *nlayers);
int cel_b2_trailer_read(const unsigned char *src, size_t n, size_t most, struct cel_b2_layer *layers, size_t *nlayers);

/* What an offset says: where the chunk starts, from the start of the frame, or the header of a special chunk of
 * nbytes, which is written to `special`. */
int cel_b2_frame_offset(const struct cel_b2_frame *frame, uint64_t offset, size_t nbytes, size_t *at,
                        unsigned char special[CEL_B2_HEADER], bool *is_special);

/* Writing. Each gives the bytes written. The header's size depends only on its layers. */
size_t cel_b2_frame_put(const struct cel_b2_frame *frame, unsigned char *dst);
size_t cel_b2_frame_header_bytes(const struct cel_b2_layer *layers, size_t nlayers);
size_t cel_b2_trailer_put(const struct cel_b2_layer *layers, size_t nlayers, unsigned char *dst);
size_t cel_b2_trailer_bytes(const struct cel_b2_layer *layers, size_t nlayers);
bool cel_b2_trailer_fits(const struct cel_b2_layer *layers, size_t nlayers); /* false: their list is too long */

#endif
