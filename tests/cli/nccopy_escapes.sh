# SPDX-License-Identifier: BSD-3-Clause
# Names with the characters of -F.
printf 'netcdf x { dimensions: n = 50 ; variables: int a\\,b(n) ; int c\\&d(n) ; int e(n) ; }' >x.cdl
ncgen -4 -o x.nc x.cdl && nccopy -F 'a\,b&c\&d,zstd' x.nc y.nc && ncdump -hs y.nc | grep _Filter
