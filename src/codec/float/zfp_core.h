/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ZFP_CORE_H
#define CEL_ZFP_CORE_H

/* What the codecs zfp and zfpy share: parameters, zfp's header, which holds them with the shape, and
 * libzfp run within bounds (zfp_core.c tells how). Error texts start with "zfp". */

#include "buf.h"
#include "codec.h"
#include "codec_buffer.h"
#include <zfp.h>

/* Words as the user gives them: mode, 0, and what the mode needs (H5Z-ZFP's macros). Words as a file
 * stores them: versions of library, format and plugin, then zfp's own header, four bytes a word. The
 * header is stored in the byte order of the elements, which is how H5Z-ZFP tells that it must swap them. */
enum { CEL_ZFP_RATE = 1, CEL_ZFP_PRECISION, CEL_ZFP_ACCURACY, CEL_ZFP_EXPERT, CEL_ZFP_REVERSIBLE };
#define CEL_ZFP_WORDS 6
extern const struct cel_param cel_zfp_params[];

/* Settings and array of one chunk. */
struct cel_zfp {
    zfp_stream stream;
    zfp_field field;
    size_t header;   /* bytes of the header it was read from */
    bool big_endian; /* of the elements outside zfp */
};

int cel_zfp_check(const struct cel_words *visible);

/* Makes the stored words for an array with these axes (1 to 4, slowest first). Words that are stored
 * ones already, and fit the shape, stay. */
int cel_zfp_prepare(const struct cel_words *visible, const struct cel_shape *shape, const size_t *dims, int ndims,
                    struct cel_words *working);
void cel_zfp_reveal(const struct cel_words *working, struct cel_words *visible);

/* Reads the header that n bytes start with; fails unless it is for an array of the shape's type and
 * size. */
int cel_zfp_read(const void *bytes, size_t n, const struct cel_shape *shape, struct cel_zfp *out);
int cel_zfp_from_words(const struct cel_words *words, const struct cel_shape *shape, struct cel_zfp *out);

/* struct cel_codec's shape_of. */
bool cel_zfp_shape(const struct cel_words *words, struct cel_shape *out);

/* struct cel_codec's bound, of a stream behind `header` bytes. or_exact: it may be one of reversible mode instead, and
 * is padded to whole words of 8 bytes. */
size_t cel_zfp_bound(const struct cel_coding *coding, size_t n, size_t header, bool or_exact);

/* CEL_SKIP: the mode is lossy and cannot take these values: they are not all finite, or
 * one is so large that the accuracy asked for is lost on those beside it. */
int cel_zfp_encode(struct cel_zfp *z, const struct cel_shape *shape, struct cel_codec_buffer *buffer, const void *src,
                   size_t n, void *dst, size_t cap, size_t *len);
/* Zeros up to a whole word of 8 bytes may follow the stream. */
int cel_zfp_decode(struct cel_zfp *z, const struct cel_shape *shape, struct cel_codec_buffer *buffer, const void *src,
                   size_t n, void *dst, size_t cap, size_t *len);

/* For chunks that gave CEL_SKIP: reversible mode, behind a header that says so. */
#define CEL_ZFP_HEADER 12 /* bytes: magic, shape and a short mode */
int cel_zfp_encode_exact(const struct cel_zfp *z, const struct cel_shape *shape, struct cel_codec_buffer *buffer,
                         const void *src, size_t n, void *dst, size_t cap, size_t *len);

/* Zeros up to a whole word of 8 bytes: what builds of libzfp with such words read. */
void cel_zfp_pad(void *dst, size_t cap, size_t *len);

/* struct cel_codec's reformat: the padding stays where it is not needed. */
int cel_zfp_reformat(bool maskless, struct cel_buf *chunk);

#endif
