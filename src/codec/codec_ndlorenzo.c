/* SPDX-License-Identifier: BSD-3-Clause */
/* ndlorenzo: each element is predicted from its neighbours towards the origin, and the difference is
 * stored: the n-dimensional Lorenzo predictor. Arithmetic is modular, so every bit pattern comes back.
 * Smooth fields become small numbers. nd_lorenzo.c explains the algorithm.
 *
 * HDF5 filter 32802, Zarr v2 "ndlorenzo", v3 "cellar.ndlorenzo". No parameters;
 * working words as nd_words.h with word 0 zero. Elements of 1, 2, 4 or 8 bytes.
 * docs/formats/ndlorenzo.md has the bytes.
 * {"id": "ndlorenzo", "elementsize": 4, "shape": [8, 91, 180]} */
#include "nd_lorenzo.h"
#include "nd_words.h"

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    if (shape->elem_size != 1 && shape->elem_size != 2 && shape->elem_size != 4 && shape->elem_size != 8)
        return cel_fail(NC_EFILTER, "ndlorenzo: takes elements of 1, 2, 4 or 8 bytes, not %zu", shape->elem_size);
    return cel_nd_prepare(codec, visible, shape, working);
}

static int run(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, cel_lorenzo_fn *act)
{
    struct cel_shape shape;

    if (!cel_nd_shape_of(coding->words, &shape) || shape.nbytes != n || n > cap)
        return cel_fail(NC_EFILTER, "ndlorenzo: its parameters do not say %zu bytes", n);
    if (shape.elem_size != 1 && shape.elem_size != 2 && shape.elem_size != 4 && shape.elem_size != 8)
        return cel_fail(NC_EFILTER, "ndlorenzo: its parameters say elements of %zu bytes", shape.elem_size);
    return n == 0 || act(&shape, src, dst) ? CEL_OK : cel_fail(NC_ENOMEM, "ndlorenzo: no memory");
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    *len = n;
    return run(coding, src, n, dst, cap, cel_lorenzo_forward);
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    *len = n;
    return run(coding, src, n, dst, cap, cel_lorenzo_backward);
}

/* clang-format off */
const struct cel_codec cel_codec_ndlorenzo = {
    .name = "ndlorenzo", .hdf5_id = 32802, .label = "ndlorenzo", .zarr2 = "ndlorenzo", .zarr3 = "cellar.ndlorenzo",
    .about = "differences to what the neighbours predict: for smooth fields",
    .flags = CEL_CODEC_SAME_SIZE | CEL_CODEC_NEEDS_ELEMENTS, .max_words = CEL_ND_WORDS, .max_ratio = 1,
    .prepare = prepare, .reveal = cel_nd_reveal, .to_json = cel_nd_to_json, .from_json = cel_nd_from_json,
    .shape_of = cel_nd_shape_of, .encode = encode, .decode = decode,
};
/* clang-format on */
