/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOSC2_TRAILER_H
#define CEL_BLOSC2_TRAILER_H

/* The layers of a frame's trailer ("vlmeta" of python-blosc2). The bytes of each are a chunk of Blosc2 with a value in
 * MessagePack:
 *
 *   _ARRAY_DIMENSIONS   names of the dimensions, as xarray's in Zarr
 *   _netcdf             what else netCDF has, a map: "name" of the variable; "unlimited" true: the first dimension is;
 *                       "nofill" true; "global" attributes of the dataset, "more" of the variable, which cannot be layers
 *   others              attributes of the variable
 *
 * Where there is a layer _netcdf, numbers have the types that their sizes in MessagePack say. */

#include "blosc2_int.h"
#include "blosc2_pack.h"

struct cel_blosc2_trailer {
    unsigned char *bytes;
    struct cel_b2_layer *layers; /* in `bytes` */
    size_t nlayers;
    unsigned char *dims, *netcdf; /* values of the two first layers above, decoded; NULL: not there */
    size_t dims_len, netcdf_len;
    size_t left; /* bytes that values may still take */
};

int cel_blosc2_trailer_open(struct blosc2_file *b, struct cel_blosc2_trailer *t);
void cel_blosc2_trailer_dispose(struct cel_blosc2_trailer *t);

/* What _netcdf says; without it, and where it is damaged, none of this. */
struct cel_blosc2_notes {
    char *name; /* yours to free; NULL: none that a variable can have */
    bool unlimited, nofill, there;
};
int cel_blosc2_notes_read(const struct cel_blosc2_trailer *t, struct cel_blosc2_notes *out);

/* The name of dimension d, yours to free; NULL: none that a dimension can have. */
int cel_blosc2_dim_name(const struct cel_blosc2_trailer *t, int d, char **out);

/* All attributes. */
int cel_blosc2_atts_load(struct blosc2_file *b, struct cel_blosc2_trailer *t, struct cel_var *var);

/* The trailer of this variable, as bytes. */
int cel_blosc2_trailer_make(struct blosc2_file *b, const struct cel_var *var, struct cel_buf *out);

#endif
