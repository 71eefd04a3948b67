/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DTYPE_H
#define CEL_DTYPE_H

/* Elements of a named type, for the numcodecs filters that speak of dtypes (delta,
 * astype, fixedscaleoffset ...). A parameter word holds an index into cel_dtypes;
 * 0, "auto", is the variable's own type and is resolved by prepare(). */

#include "codec.h"
#include "json.h"
#include <stdbool.h>

extern const char *const cel_dtypes[]; /* for CEL_PARAM_CHOICE; NULL ends */
enum { CEL_DTYPE_MAX = 21 };           /* the last index */

struct cel_dtype {
    char kind; /* 'i', 'u', 'f' or 'b' */
    size_t size;
    bool big;
};

struct cel_dtype cel_dtype_at(uint32_t index);              /* kind 0: no such index, or auto */
uint32_t cel_dtype_index(const char *text);                 /* of "<i4" or "int32"; 0: none */
uint32_t cel_dtype_turned(uint32_t index, bool big);        /* the same type in this byte order */
uint32_t cel_dtype_of_shape(const struct cel_shape *shape); /* 0: none */

/* Two dtypes as words of a file may name them; NC_EFILTER unless both exist. */
int cel_dtype_pair(const struct cel_codec *codec, uint32_t a, uint32_t b, struct cel_dtype *first,
                   struct cel_dtype *second);

/* --- filters from one type to another ------------------------------------------------
 * Their tables name the words of the two types (own_type, stored_type); from these follow: */

/* prepare(): the own type is resolved; a stored type of 0 is the own one. */
int cel_dtypes_prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                       struct cel_words *working);

/* bound() */
size_t cel_dtypes_bound(const struct cel_coding *coding, size_t n);

/* What one call of encode() or decode() converts: n elements of one type to n of the other. */
struct cel_dtype_run {
    const struct cel_words *words; /* working parameters */
    struct cel_dtype from, to;
    size_t n;
};
typedef void cel_dtype_run_fn(const struct cel_dtype_run *run, const void *src, void *dst);

void cel_dtypes_cast(const struct cel_dtype_run *run, const void *src, void *dst); /* changes the type, no more */

/* What a filter does to the elements: the `variant` of its table. */
struct cel_dtype_filter {
    cel_dtype_run_fn *encode, *decode;
};

/* encode(), decode(). NC_EFILTER: the words name no types, or the bytes are no whole number of elements or too many. */
int cel_dtypes_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);
int cel_dtypes_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);

/* The members of their tables that are the same. */
#define CEL_DTYPES_MEMBERS \
    .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY, .max_ratio = 8, .bound = cel_dtypes_bound, \
    .encode = cel_dtypes_encode, .decode = cel_dtypes_decode

/* The rows and the JSON members "dtype" and "astype" of two neighbouring words. */
#define CEL_DTYPE_PARAM(key, at, about) \
    { \
        .name = key, .kind = CEL_PARAM_CHOICE, .word = at, .min = 0, .max = CEL_DTYPE_MAX, .choices = cel_dtypes, \
        .help = about \
    }
#define CEL_DTYPE_PARAMS(first, about_stored) \
    CEL_DTYPE_PARAM("dtype", first, "type of the elements"), CEL_DTYPE_PARAM("astype", (first) + 1, about_stored)
int cel_dtypes_to_json(const uint32_t *own_and_stored, const struct cel_shape *shape, struct cel_json *config);
int cel_dtypes_from_json(const struct cel_json *config, uint32_t *own_and_stored);

/* --- elements --------------------------------------------------------------------- */

/* One element. Integers wrap, as numpy's do. */
int64_t cel_load_int(const struct cel_dtype *t, const void *p);
double cel_load_real(const struct cel_dtype *t, const void *p);
void cel_store_int(const struct cel_dtype *t, void *p, int64_t v);
void cel_store_real(const struct cel_dtype *t, void *p, double v);

/* n elements from one type to another, as numpy's astype. */
void cel_cast(const struct cel_dtype *from, const void *src, const struct cel_dtype *to, void *dst, size_t n);

/* The word of a dtype member: v2 ("<i4") and v3 ("int32") spellings; absent gives 0. */
int cel_dtype_from_json(const struct cel_json *config, const char *key, uint32_t *word);
int cel_dtype_to_json(uint32_t word, const struct cel_shape *shape, const char *key, struct cel_json *config);

/* prepare(): a word that is 0 becomes the variable's type; one that is not must be as
 * large as its elements. An error names the codec. */
int cel_dtype_resolve(const struct cel_codec *codec, const struct cel_shape *shape, uint32_t *word);

#endif
