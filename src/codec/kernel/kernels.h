/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_KERNELS_H
#define CEL_KERNELS_H

/* Hot loops that are written by hand: a portable form and SIMD forms, which give the same bytes. The
 * functions choose the best form for the processor; the tables show every form to the tests and the
 * benchmark. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define CEL_X86 1
#elif defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CEL_NEON 1
#endif

/* Byte planes: dst[j * n + i] = src[i * size + j], and back. n elements of
 * `size` bytes; src and dst do not overlap. */
typedef void cel_shuffle_fn(void *dst, const void *src, size_t n, size_t size);
/* The first n elements of planes that are `plane` bytes long. nontemporal: the result will not be looked
 * at soon and may be stored around the processor's caches; other threads see it after a store fence. */
typedef void cel_unshuffle_fn(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal);
struct cel_shuffle_kernel {
    const char *name; /* NULL ends a table */
    bool (*usable)(void);
    void (*shuffle)(void *dst, const void *src, size_t count, size_t n,
                    size_t size); /* the first `count` of n elements */
    cel_unshuffle_fn *unshuffle;
};
extern const struct cel_shuffle_kernel cel_shuffle_kernels[]; /* best first, portable last */
void cel_shuffle(void *dst, const void *src, size_t n, size_t size);
void cel_shuffle_part(void *dst, const void *src, size_t count, size_t n, size_t size);
void cel_unshuffle(void *dst, const void *src, size_t n, size_t size);
void cel_unshuffle_part(void *dst, const void *src, size_t plane, size_t n, size_t size, bool nontemporal);

/* Each of n words of 64 bits is a matrix of 8 x 8 bits, which is transposed. src may be dst. */
typedef void cel_bits_fn(void *dst, const void *src, size_t n);
struct cel_bits_kernel {
    const char *name;
    bool (*usable)(void);
    cel_bits_fn *transpose;
};
extern const struct cel_bits_kernel cel_bits_kernels[];
void cel_transpose_bits(void *dst, const void *src, size_t n);

/* Checksums of n bytes. crc32c continues from `crc`, which is 0 at the start. */
typedef uint32_t cel_sum_fn(uint32_t crc, const void *src, size_t n);
struct cel_sum_kernel {
    const char *name;
    bool (*usable)(void);
    cel_sum_fn *sum;
};
extern const struct cel_sum_kernel cel_fletcher32_kernels[]; /* `crc` is not used */
extern const struct cel_sum_kernel cel_crc32c_kernels[];
uint32_t cel_fletcher32(const void *src, size_t n);
uint32_t cel_crc32c(uint32_t crc, const void *src, size_t n);

/* What the processor can do. */
bool cel_cpu_any(void); /* true: for the portable forms, and those every processor of its kind has: SSE2, NEON */
bool cel_cpu_avx2(void);
bool cel_cpu_avx512(void); /* F, BW, VL and DQ */
bool cel_cpu_crc(void);    /* SSE4.2 and PCLMUL */

#endif
