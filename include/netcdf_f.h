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

#if defined(__cplusplus)
}
#endif

#endif
