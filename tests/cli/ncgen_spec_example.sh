# SPDX-License-Identifier: BSD-3-Clause
# The specification's CDL example.
cat >bzip2szip.cdl <<'C'
netcdf bzip2szip {
dimensions:
 dim0 = 4 ; dim1 = 4 ; dim2 = 4 ; dim3 = 4 ;
variables:
 float var(dim0, dim1, dim2, dim3) ;
 var:_Filter = "307,9|4,32,32" ; // bzip2 then szip
 var:_Storage = "chunked" ;
 var:_ChunkSizes = 4, 4, 4, 4 ;
data:
 var = 1, 2, 3 ;
}
C
ncgen -b bzip2szip.cdl && ls && ncdump -hs -Xp bzip2szip.nc
ncdump -v var bzip2szip.nc | sed -n '/^data/,$p' | head -4
