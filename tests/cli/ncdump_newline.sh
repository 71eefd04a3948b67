# SPDX-License-Identifier: BSD-3-Clause
# A line feed within a row of text: netCDF-C's ncdump begins a new string, which its ncgen takes for a row (and crashes).
cat >x.cdl <<'C'
netcdf x { dimensions: r = 2 ; n = 8 ; variables: char c(r, n) ; char one(n) ; data: c = "a\nb", "c" ; one = "a\nb" ; }
C
ncgen -o x.nc x.cdl && ncdump x.nc >1.cdl && ncgen -o y.nc 1.cdl && ncdump -n x y.nc | cmp - 1.cdl && sed -n '/^data/,$p' 1.cdl
