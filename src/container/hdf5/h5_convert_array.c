/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays whose elements are structures or arrays, converted element by element.
 *
 * libhdf5 (H5T__conv_array, seen in 1.10.8) has one background buffer for all arrays of a call and does not clear it in
 * between. The conversion of a structure leaves its results there: of lists and strings, where in the file's heap they
 * were just written. The next array takes them for values that it replaces, and frees them: the values before it are
 * lost. It also steps through that buffer by the size of the structure around the array, beyond its end. */
#include "h5_int.h"
#include "mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool same_lengths(hid_t a, hid_t b)
{
    hsize_t na[CEL_RANK_MAX], nb[CEL_RANK_MAX];
    int rank = H5Tget_array_dims2(a, na);

    return rank > 0 && rank == H5Tget_array_dims2(b, nb) && memcmp(na, nb, (size_t)rank * sizeof *na) == 0;
}

static bool is_nested(hid_t array)
{
    hid_t element = H5Tget_super(array);
    H5T_class_t klass = element < 0 ? H5T_NO_CLASS : H5Tget_class(element);

    if (element >= 0)
        H5Tclose(element);
    return klass == H5T_COMPOUND || klass == H5T_ARRAY;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* One after the other, from the last one where they grow: they lie in one buffer. */
static herr_t convert_each(hid_t from, hid_t to, size_t n, size_t stride, uint8_t *data, hid_t transfer, hid_t src,
                           hid_t dst)
{
    size_t from_size = H5Tget_size(from), to_size = H5Tget_size(to);
    size_t per = from_size / H5Tget_size(src), size = per * larger(H5Tget_size(src), H5Tget_size(dst));
    bool backwards = stride == 0 && from_size < to_size;
    uint8_t *background = cel_malloc(size);
    herr_t ok = background ? 0 : -1;

    for (size_t i = 0; i < n && ok >= 0; i++) {
        size_t at = backwards ? n - 1 - i : i;
        uint8_t *element = data + at * (stride ? stride : to_size);

        memmove(element, data + at * (stride ? stride : from_size), from_size);
        memset(background, 0, size);
        ok = H5Tconvert(src, dst, per, element, background, transfer);
    }
    free(background);
    return ok;
}

static herr_t convert_arrays(hid_t from, hid_t to, size_t n, size_t stride, void *data, hid_t transfer)
{
    hid_t src = H5Tget_super(from), dst = H5Tget_super(to);
    herr_t ok = src >= 0 && dst >= 0 ? convert_each(from, to, n, stride, data, transfer, src, dst) : -1;

    if (src >= 0)
        H5Tclose(src);
    if (dst >= 0)
        H5Tclose(dst);
    return ok;
}

/* As libhdf5 wants it: it asks first whether this does the conversion, and takes its own where it fails. */
static herr_t convert(hid_t from, hid_t to, H5T_cdata_t *call, size_t n, size_t stride, size_t background_stride,
                      void *data, void *background, hid_t transfer)
{
    (void)background_stride;
    (void)background;
    if (call->command == H5T_CONV_CONV)
        return convert_arrays(from, to, n, stride, data, transfer);
    if (call->command == H5T_CONV_FREE)
        return 0;
    call->need_bkg = H5T_BKG_NO;
    return same_lengths(from, to) && is_nested(from) && is_nested(to) ? 0 : -1;
}

bool cel_h5_convert_arrays(void)
{
    hsize_t one = 1;
    hid_t any = H5Tarray_create2(H5T_NATIVE_INT, 1, &one);
    herr_t ok = any < 0 ? -1 : H5Tregister(H5T_PERS_SOFT, "cellar arrays", any, any, convert);

    if (any >= 0)
        H5Tclose(any);
    return ok >= 0;
}
