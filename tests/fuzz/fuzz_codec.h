/* SPDX-License-Identifier: BSD-3-Clause */
/* How an input of fuzz_codec is laid out; seeds.c writes what fuzz_codec.c reads.
 *
 *   codec(1) flags(1) element(1) rank(1) lengths(1 each) [fill value(8)] words(1) word(4 each) payload
 * codec: by its place in the registry. flags: see below; bits 0 to 2 are the kind of elements. element: its
 * bytes as a power of two, or with FUZZ_ODD one less than their number. The payload is an encoded chunk,
 * or with FUZZ_ENCODE the values of one. */
#ifndef CEL_FUZZ_CODEC_H
#define CEL_FUZZ_CODEC_H

enum { FUZZ_KIND = 7, FUZZ_BIG = 8, FUZZ_FILL = 16, FUZZ_ODD = 32, FUZZ_ENCODE = 64, FUZZ_OPTIONAL = 128 };
enum { FUZZ_RANK = 5, FUZZ_CHUNK = 1 << 16, FUZZ_WORDS = 32 };

#endif
