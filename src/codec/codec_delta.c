/* SPDX-License-Identifier: BSD-3-Clause */
/* delta: the first element, then the difference of each to the one before it.
 *
 * HDF5 filter 32814 (an id of ours), Zarr v2 "delta". Words: dtype of the elements,
 * dtype of the differences (indices of dtype.h). Integers wrap;
 * sums of reals round, so the filter is lossy.
 * {"id": "delta", "dtype": "<i4", "astype": "<i4"} */
#include "status.h"
#include "dtype.h"
#include <netcdf.h>

static const struct cel_param params[] = {CEL_DTYPE_PARAMS(0, "type of the differences"), {0}};

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    return cel_dtypes_to_json(visible->w, shape, config);
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    visible->n = 2;
    return cel_dtypes_from_json(config, visible->w);
}

/* Reals are subtracted in the type of the elements. */
static void subtract(const struct cel_dtype_run *run, const void *src, void *dst)
{
    double last = 0;
    int64_t before = 0;

    for (size_t i = 0; i < run->n; i++) {
        const char *in = (const char *)src + i * run->from.size;
        char *out = (char *)dst + i * run->to.size;
        if (run->from.kind == 'f') {
            double v = cel_load_real(&run->from, in);
            cel_store_real(&run->to, out, run->from.size == 4 ? (float)(v - last) : v - last);
            last = v;
        } else {
            int64_t v = cel_load_int(&run->from, in);
            cel_store_int(&run->to, out, (int64_t)((uint64_t)v - (uint64_t)before));
            before = v;
        }
    }
}

static void add_up(const struct cel_dtype_run *run, const void *src, void *dst)
{
    double sum = 0;
    int64_t total = 0;

    for (size_t i = 0; i < run->n; i++) {
        const char *in = (const char *)src + i * run->from.size;
        char *out = (char *)dst + i * run->to.size;
        if (run->to.kind == 'f') {
            sum += cel_load_real(&run->from, in);
            sum = run->to.size == 4 ? (float)sum : sum;
            cel_store_real(&run->to, out, sum);
        } else {
            total = (int64_t)((uint64_t)total + (uint64_t)cel_load_int(&run->from, in));
            cel_store_int(&run->to, out, total);
        }
    }
}

static const struct cel_dtype_filter filter = {subtract, add_up};

/* clang-format off */
const struct cel_codec cel_codec_delta = {
    .name = "delta", .hdf5_id = 32814, .label = "delta", .zarr2 = "delta", .zarr3 = "numcodecs.delta",
    .about = "differences between neighbouring elements",
    .own_type = 1, .stored_type = 2, .params = params, .max_words = 2,
    .prepare = cel_dtypes_prepare, .to_json = to_json, .from_json = from_json,
    .variant = &filter, CEL_DTYPES_MEMBERS,
};
/* clang-format on */
