/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls made for Fortran: sizes as int, the preemption as a percentage. */
#ifndef _NETCDF_F_
#define _NETCDF_F_

#include "netcdf.h"

#if defined(__cplusplus)
extern "C" {
#endif

CELLAR_API(int, nc_def_var_chunking_ints, (int ncid, int varid, int contiguous, int *chunksizesp));
CELLAR_API(int, nc_inq_var_chunking_ints, (int ncid, int varid, int *contiguousp, int *chunksizesp));
CELLAR_API(int, nc_set_chunk_cache_ints, (int size, int nelems, int preemption));
CELLAR_API(int, nc_get_chunk_cache_ints, (int *sizep, int *nelemsp, int *preemptionp));
CELLAR_API(int, nc_set_var_chunk_cache_ints, (int ncid, int varid, int size, int nelems, int preemption));
CELLAR_API(int, nc_get_var_chunk_cache_ints, (int ncid, int varid, int *sizep, int *nelemsp, int *preemptionp));

/* Ids from 1, dimensions from the last to the first. */
CELLAR_API(int, nc_inq_varids_f, (int ncid, int *nvars, int *fvarids));
CELLAR_API(int, nc_inq_dimids_f, (int ncid, int *ndims, int *fdimids, int parent));
CELLAR_API(int, nc_insert_array_compound_f,
           (int ncid, int typeid1, char *name, size_t offset, nc_type field_typeid, int ndims, int *dim_sizesp));
CELLAR_API(int, nc_inq_compound_field_f,
           (int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type *field_typeidp, int *ndimsp,
            int *dim_sizesp));

#if defined(__cplusplus)
}
#endif

#endif
