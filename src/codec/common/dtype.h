#ifndef CEL_DTYPE_H
#define CEL_DTYPE_H

/* Elements of a named type, for the numcodecs filters that speak of dtypes (delta,
 * astype, fixedscaleoffset ...). A parameter word holds an index into cel_dtypes;
 * 0, "auto", is the variable's own type and is resolved by prepare(). */

#include "codec.h"
#include "json.h"
#include <stdbool.h>

extern const char *const cel_dtypes[]; /* for CEL_PARAM_CHOICE; NULL ends */

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
