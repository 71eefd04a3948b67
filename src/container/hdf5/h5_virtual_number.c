/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a source whose type is not the virtual dataset's, converted as libhdf5 does: an integer becomes the nearest
 * that fits, where netCDF's conversions (convert.h) would wrap. What is no number becomes the integer 0, where libhdf5
 * does what the processor does. */
#include "convert.h"
#include "h5_virtual.h"

enum { BLOCK = 512 };

static bool is_real(nc_type type)
{
    return type == NC_FLOAT || type == NC_DOUBLE;
}

/* The range of an integer type. */
static void range_of(nc_type type, int64_t *least, uint64_t *most)
{
    unsigned bits = (unsigned)cel_type_size(type) * 8;
    bool is_signed = type <= NC_INT || type == NC_INT64;

    *most = UINT64_MAX >> (64 - bits) >> is_signed;
    *least = is_signed ? -(int64_t)*most - 1 : 0;
}

static void clamp_signed(int64_t *v, size_t n, nc_type to)
{
    int64_t least;
    uint64_t most;

    range_of(to, &least, &most);
    for (size_t i = 0; i < n; i++)
        if (v[i] < least)
            v[i] = least;
        else if (v[i] > 0 && (uint64_t)v[i] > most)
            v[i] = (int64_t)most;
}

static void clamp_unsigned(uint64_t *v, size_t n, nc_type to)
{
    int64_t least;
    uint64_t most;

    range_of(to, &least, &most);
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] < most ? v[i] : most;
}

static void convert_integers(nc_type from, nc_type to, size_t n, const void *in, void *out)
{
    union {
        int64_t i[BLOCK];
        uint64_t u[BLOCK];
    } v;
    nc_type wide = from == NC_UINT64 ? NC_UINT64 : NC_INT64;

    cel_converter(from, wide)(&v, in, n);
    if (wide == NC_INT64)
        clamp_signed(v.i, n, to);
    else
        clamp_unsigned(v.u, n, to);
    cel_converter(wide, to)(out, &v, n);
}

void cel_h5_number_convert(nc_type from, nc_type to, size_t n, const void *in, void *out)
{
    const char *source = in;
    char *target = out;

    if (is_real(from) || is_real(to)) {
        cel_converter(from, to)(out, in, n);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK)
        convert_integers(from, to, n - i < BLOCK ? n - i : BLOCK, source + i * cel_type_size(from),
                         target + i * cel_type_size(to));
}
