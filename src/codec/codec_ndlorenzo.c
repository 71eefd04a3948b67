/* ndlorenzo: what is left of an element after its neighbours towards the origin
 * predict it: the n-dimensional Lorenzo predictor, in modular arithmetic, so that
 * every bit pattern comes back. Smooth fields become small numbers.
 *
 * HDF5 filter 32802, Zarr v2 "ndlorenzo", v3 "cellar.ndlorenzo". No parameters;
 * working words as nd_words.h with word 0 zero. Elements of 1, 2, 4 or 8 bytes.
 * docs/formats/ndlorenzo.md has the bytes.
 * {"id": "ndlorenzo", "elementsize": 4, "shape": [8, 91, 180]} */
#include "nd_words.h"
#include <string.h>

#define BITS uint8_t
#define SIGNED int8_t
#define NAME(x) u1_##x
#include "nd_lorenzo_of.h"
#undef BITS
#undef SIGNED
#undef NAME
#define BITS uint16_t
#define SIGNED int16_t
#define NAME(x) u2_##x
#include "nd_lorenzo_of.h"
#undef BITS
#undef SIGNED
#undef NAME
#define BITS uint32_t
#define SIGNED int32_t
#define NAME(x) u4_##x
#include "nd_lorenzo_of.h"
#undef BITS
#undef SIGNED
#undef NAME
#define BITS uint64_t
#define SIGNED int64_t
#define NAME(x) u8_##x
#include "nd_lorenzo_of.h"

typedef void lorenzo_fn(const struct cel_shape *shape, const void *src, void *dst);
static const struct {
    size_t size;
    lorenzo_fn *forward, *backward;
} forms[] = {{1, u1_forward, u1_backward}, {2, u2_forward, u2_backward}, {4, u4_forward, u4_backward}, {8, u8_forward, u8_backward}};

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    if (shape->elem_size != 1 && shape->elem_size != 2 && shape->elem_size != 4 && shape->elem_size != 8)
        return cel_fail(NC_EFILTER, "ndlorenzo: takes elements of 1, 2, 4 or 8 bytes, not %zu", shape->elem_size);
    return cel_nd_prepare(codec, visible, shape, working);
}

static int check(const struct cel_coding *coding, size_t n, size_t cap, struct cel_shape *shape, size_t *form)
{
    if (!cel_nd_shape_of(coding->words, shape) || shape->nbytes != n || n > cap)
        return cel_fail(NC_EFILTER, "ndlorenzo: its parameters do not say %zu bytes", n);
    for (*form = 0; *form < 4; ++*form)
        if (forms[*form].size == shape->elem_size)
            return CEL_OK;
    return cel_fail(NC_EFILTER, "ndlorenzo: its parameters say elements of %zu bytes", shape->elem_size);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_shape shape;
    size_t form;
    int rc = check(coding, n, cap, &shape, &form);

    *len = n;
    if (rc == CEL_OK && n)
        forms[form].forward(&shape, src, dst);
    return rc;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_shape shape;
    size_t form;
    int rc = check(coding, n, cap, &shape, &form);

    *len = n;
    if (rc == CEL_OK && n)
        forms[form].backward(&shape, src, dst);
    return rc;
}

const struct cel_codec cel_codec_ndlorenzo = {
    .name = "ndlorenzo", .hdf5_id = 32802, .label = "ndlorenzo", .zarr2 = "ndlorenzo", .zarr3 = "cellar.ndlorenzo",
    .about = "differences to what the neighbours predict: for smooth fields",
    .flags = CEL_CODEC_SAME_SIZE | CEL_CODEC_NEEDS_ELEMENTS, .max_words = CEL_ND_WORDS, .max_ratio = 1,
    .prepare = prepare, .reveal = cel_nd_reveal, .to_json = cel_nd_to_json, .from_json = cel_nd_from_json,
    .shape_of = cel_nd_shape_of, .encode = encode, .decode = decode,
};
