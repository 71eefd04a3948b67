/* SPDX-License-Identifier: BSD-3-Clause */
/* ndcell: elements are stored cell by cell, so that neighbours along every axis
 * come close together.
 *
 * HDF5 filter 32800, Zarr v2 "ndcell", v3 "cellar.ndcell". Visible word: the edge of
 * a cell, 1 to 255. Working words: edge, element size, rank, lengths of the chunk;
 * so a reader needs nothing else. Same length out as in; lossless.
 * {"id": "ndcell", "cell": 4, "elementsize": 4, "shape": [8, 91, 180]} */
#include "nd_words.h"

static const struct cel_param params[] = {
    {.name = "cell", .kind = CEL_PARAM_UINT, .word = 0, .min = 1, .max = 255, .fallback = 4, .help = "edge of a cell"},
    {0},
};

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_cells cells;
    int rc = cel_nd_cells(coding, n, cap, &cells);

    *len = n;
    if (rc == CEL_OK && n && !cel_cells_gather(&cells, src, dst))
        rc = cel_fail(NC_ENOMEM, "ndcell: no memory");
    return rc;
}

static int encode_planes(const struct cel_coding *coding, const void *src, size_t n, size_t size, void *dst)
{
    struct cel_cells cells;
    int rc = cel_nd_cells(coding, n, n, &cells);

    return rc != CEL_OK ? rc : n && cel_cells_gather_planes(&cells, src, dst, size) ? CEL_OK : CEL_SKIP;
}

/* clang-format off */
const struct cel_codec cel_codec_ndcell = {
    .name = "ndcell", .hdf5_id = 32800, .label = "ndcell", .zarr2 = "ndcell", .zarr3 = "cellar.ndcell",
    .about = "elements cell by cell: n-dimensional neighbours come together",
    .flags = CEL_CODEC_SAME_SIZE | CEL_CODEC_NEEDS_ELEMENTS, .params = params, .max_words = CEL_ND_WORDS, .max_ratio = 1,
    .prepare = cel_nd_prepare, .reveal = cel_nd_reveal, .to_json = cel_nd_to_json, .from_json = cel_nd_from_json,
    .shape_of = cel_nd_shape_of, .encode = encode, .encode_planes = encode_planes, .decode = cel_nd_decode_cells,
};
/* clang-format on */
