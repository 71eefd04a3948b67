/* SPDX-License-Identifier: BSD-3-Clause */
/* ndmean: every cell becomes its mean, cell by cell as ndcell stores them. Lossy: it
 * keeps one value of edge^n, so it is a preview or decimation filter.
 *
 * HDF5 filter 32801, Zarr v2 "ndmean", v3 "cellar.ndmean". Float and double only.
 * Words as nd_words.h; the edge is 1 to 127. Cells that hold a fill value, NaN or an
 * infinity are stored exactly; the decoder, which is ndcell's, need not know which.
 * {"id": "ndmean", "cell": 4, "elementsize": 4, "shape": [8, 91, 180]} */
#include "nd_mean.h"
#include "nd_words.h"

static const struct cel_param params[] = {
    {.name = "cell", .kind = CEL_PARAM_UINT, .word = 0, .min = 1, .max = 127, .fallback = 4, .help = "edge of a cell"},
    {0},
};

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    if (shape->kind != CEL_KIND_FLOAT || (shape->elem_size != 4 && shape->elem_size != 8))
        return cel_fail(NC_EFILTER,
                        "ndmean: works on float and double only: the mean of other types is no value of theirs");
    return cel_nd_prepare(codec, visible, shape, working);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_cells cells;
    struct cel_shape shape;
    struct cel_mean mean = {.keeps_special = true};
    size_t side[CEL_RANK_MAX];
    int rc = cel_nd_cells(coding, n, cap, &cells);

    *len = n;
    if (rc != CEL_OK || !n)
        return rc;
    cel_nd_shape_of(coding->words, &shape);
    if (shape.kind != CEL_KIND_FLOAT || (shape.elem_size != 4 && shape.elem_size != 8))
        return cel_fail(NC_EFILTER, "ndmean: its parameters name neither float nor double");
    mean.is_double = shape.elem_size == 8;
    mean.swapped = shape.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    mean.fill = shape.has_fill ? shape.fill : NULL;
    for (int d = 0; d < shape.rank; d++)
        side[d] = coding->words->w[CEL_ND_EDGE];
    if (!cel_mean_gather(&mean, shape.rank, shape.dims, side, src, dst))
        rc = cel_fail(NC_ENOMEM, "ndmean: no memory");
    return rc;
}

/* clang-format off */
const struct cel_codec cel_codec_ndmean = {
    .name = "ndmean", .hdf5_id = 32801, .label = "ndmean", .zarr2 = "ndmean", .zarr3 = "cellar.ndmean",
    .about = "every cell becomes its mean (lossy)",
    .flags = CEL_CODEC_SAME_SIZE | CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY | CEL_CODEC_MIXES, .params = params, .max_words = CEL_ND_WORDS,
    .max_ratio = 1, .prepare = prepare, .reveal = cel_nd_reveal, .to_json = cel_nd_to_json, .from_json = cel_nd_from_json,
    .shape_of = cel_nd_shape_of, .encode = encode, .decode = cel_nd_decode_cells,
};
/* clang-format on */
