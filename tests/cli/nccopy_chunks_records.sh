# SPDX-License-Identifier: BSD-3-Clause
# -c names one dimension: of a variable without chunks the others are whole, records 1.
echo 'netcdf c { dimensions: t = unlimited ; x = 3 ; y = 4 ; variables: float v(t, x, y) ; data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 ; }' >c.cdl
ncgen -3 -o c.nc c.cdl
for how in -cx/2 "-cx/2 -u -M1" "-ct/5"; do nccopy $how c.nc out.nc; echo "$how $(ncdump -hs out.nc | grep _ChunkSizes)"; done
