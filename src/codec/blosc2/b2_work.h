/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_B2_WORK_H
#define CEL_B2_WORK_H

#include "b2_chunk.h"
#include "codec.h"

/* The bytes of a chunk: all of them, or those that its blocks need. */
struct cel_b2_chunk {
    const struct cel_b2_header *h;
    const unsigned char *bytes;   /* NULL: `from` has them ... */
    const unsigned char *offsets; /* of its blocks; `from` is not asked for them */
    const struct cel_encoded *from;
};

struct cel_b2_work {
    cel_share_fn *share;   /* other threads may take blocks of the chunk; NULL: not */
    unsigned char *blocks; /* as many as a call asked for, one after the other */
    size_t cap;
    unsigned char *first; /* the first block, which delta refers to */
    size_t first_cap;
    bool keeps_first, has_first; /* calls are for one chunk: what the first of them made of it serves the others */
    unsigned char *part;         /* a block of which a part is wanted */
    size_t part_cap;
    unsigned char *fetched; /* a block as it is stored; table: header and offsets of its chunk */
    size_t fetched_cap;
    unsigned char *table;
    size_t table_cap;
    void *zstd_compress, *zstd_decompress, *deflate;
};

/* Bytes of a block. */
struct cel_b2_range {
    size_t first, end;
};

bool cel_b2_has_delta(const struct cel_b2_header *header);

/* One block of a chunk that is not special, nor stored and held; as cel_b2_decode_blocks(). */
int cel_b2_decode_block(struct cel_b2_work *work, const struct cel_b2_chunk *c, const struct cel_b2_block_shape *shape,
                        size_t block, unsigned char *dst);

/* What is left to undo of a block once its streams are decoded: the shuffle, or that and ndcell behind it. Then its
 * elements can go straight from their byte planes to where they belong. */
enum cel_b2_form { CEL_B2_FORM_ANY, CEL_B2_FORM_PLANES, CEL_B2_FORM_CELLS };
enum cel_b2_form cel_b2_form_of(const struct cel_b2_header *header, size_t n, unsigned *edge);
/* The planes of such a block, in memory of `work`; of plain ones `want` at least. */
int cel_b2_decode_planes(struct cel_b2_work *work, const struct cel_b2_chunk *c, size_t block, struct cel_b2_range want,
                         const unsigned char **planes);

int cel_b2_work_reserve(unsigned char **p, size_t *cap, size_t need);

/* One stream. Decoding gives exactly len bytes, or the first `need` of them at least. Encoding gives *len, 0: it does not get shorter than cap. */
int cel_b2_stream_decode(struct cel_b2_work *work, enum cel_b2_compressor compressor, const unsigned char *src,
                         size_t n, unsigned char *dst, size_t len, size_t need);
int cel_b2_stream_encode(struct cel_b2_work *work, enum cel_b2_compressor compressor, unsigned level,
                         const unsigned char *src, size_t n, unsigned char *dst, size_t cap, size_t *len);

/* What a filter is given besides the bytes. */
struct cel_b2_filtering {
    unsigned version; /* of the chunk */
    uint8_t meta;
    size_t elem;                            /* bytes of an element, as the chunk has it */
    const struct cel_b2_block_shape *shape; /* NULL: not known */
    const unsigned char *first;             /* the first block, for the others; NULL: this is it */
    unsigned char *spare;                   /* space for a block */
};

/* Whether the filter is one that is known; the error names it. */
int cel_b2_filter_check(uint8_t id);
uint8_t cel_b2_filter_by_name(const char *name, size_t len); /* CEL_B2_NONE: there is no such filter */
const char *cel_b2_filter_name(uint8_t id);                  /* NULL */
/* The cells of ndcell in a block of n bytes whose elements are `stride` bytes apart; false: they do not fit it. */
struct cel_cells;
bool cel_b2_cells_in(const struct cel_b2_block_shape *shape, unsigned edge, size_t n, const size_t *stride,
                     struct cel_cells *out);
/* false: decoding leaves the bytes as they are. */
bool cel_b2_filter_has_inverse(uint8_t id);
int cel_b2_filter_forward(uint8_t id, const struct cel_b2_filtering *f, const unsigned char *src, size_t n,
                          unsigned char *dst);
int cel_b2_filter_backward(uint8_t id, const struct cel_b2_filtering *f, const unsigned char *src, size_t n,
                           unsigned char *dst);

#endif
